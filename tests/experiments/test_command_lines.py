"""One manner of command line: scripts explain every setting, refuse in a sentence and take old words."""

import importlib
import os
import re
import sqlite3
import subprocess
import sys
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, fields
from pathlib import Path

import pytest

import agents
from agents.arena import MatchSettings, play_match, progress
from agents.arena.progress import Progress, tracked
from experiments import __main__ as front
from experiments.common import options
from experiments.common.command_line import run
from experiments.common.options import option, read
from experiments.common.show import describe
from tests.players import FirstSlot

ROOT = Path(__file__).parent.parent.parent
FOLDER = ROOT / "experiments"
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("__"))
SUBCOMMANDS = ("selfplay", "train", "evaluate", "play")
COMMANDS = [(name, "") for name in SCRIPTS]
COMMANDS += [("alphazero", command) for command in SUBCOMMANDS]


def configs_of(name, command):
    """The dataclasses behind a command line."""
    if command:
        return (importlib.import_module("experiments.selfplay.commands").COMMANDS[command][0],)
    if name in ("alphazero", "ppo"):
        folder = "selfplay" if name == "alphazero" else "masked_ppo"
        module = importlib.import_module(f"experiments.{folder}.config")
        return (module.Start, module.Config if name == "alphazero" else module.PpoConfig)
    module = importlib.import_module(f"experiments.{name}")
    return (getattr(module, "Config", None) or module.Settings,)


@pytest.mark.parametrize(("name", "command"), COMMANDS)
def test_help_explains_every_setting(name, command, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", [f"experiments/{name}.py"])
    with pytest.raises(SystemExit) as ended:
        importlib.import_module(f"experiments.{name}").main([*command.split(), "--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    assert text.startswith(f"usage: python experiments/{name}.py {command}".rstrip())
    assert "python -m experiments" not in text
    blocks = re.split(r"\n(?=  \S)", text.partition("\npresets:")[0])
    settings = [item for config in configs_of(name, command) for item in fields(config)]
    for item in settings:
        about = item.metadata["option"]
        title = (
            (about.metavar or item.name.upper()) if about.positional else f"--{item.name.replace('_', '-')}"
        )
        mine = [block for block in blocks if re.match(rf"  {re.escape(title)}(?![\w-])", block)]
        assert len(mine) == 1, title
        assert mine[0].count("default") == 1, mine[0]
        assert "(default: None)" not in mine[0]
    assert " ".join(text.split()).count("(default: ") == len(settings)
    for item in settings:
        for old in item.metadata["option"].old:
            assert not re.search(rf"^  {old}\b", text, flags=re.MULTILINE)


@pytest.mark.parametrize(("name", "command"), COMMANDS)
def test_a_wrong_option_is_one_line_and_exit_2(name, command, capsys):
    assert importlib.import_module(f"experiments.{name}").main([*command.split(), "--no-such-thing"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert re.fullmatch(r"[^\n]+: there is no option --no-such-thing: see --help\n", shown.err)


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_script_runs_without_an_argument(name):
    for config in configs_of(name, ""):
        assert read(config, [], None) == config()


# ---------------------------------------------------------------- the reader


@dataclass(frozen=True)
class Example:
    """One of everything."""

    files: tuple[str, ...] = option((), "what is read", positional=True)
    out: Path = option(Path("runs/x"), "folder", old=("--output",), old_position=False)
    resume: str = option("", "a run", bare=options.OUT)
    rate: float = option(0.5, "a rate", above=0, high=1)
    count: int | None = option(None, "a number", low=1)
    colour: bool | None = option(None, "paint it")
    kind: str = option("a", "a or b", choices=("a", "b"))
    words: str = option("x y", "some words", joined=True)
    where: str | None = option(None, "a place", const="here")


def test_values_are_read_by_their_types():
    found = read(
        Example, ["p", "--rate", "0.25", "q", "--count", "3", "--no-colour", "--kind", "b", "--where"], None
    )
    assert found == Example(("p", "q"), rate=0.25, count=3, colour=False, kind="b", where="here")
    assert read(Example, [], None) == Example()
    assert read(Example, ["--words", "a", "b:c=1"], None).words == "a b:c=1"
    assert read(Example, ["--words", "a b"], None).words == "a b"
    assert read(Example, ["--words", "a", "--words", "b"], None).words == "a b"


def test_old_spellings_are_read():
    assert read(Example, ["--output", "there"], None).out == Path("there")
    assert read(Example, ["--resume"], None).resume == options.OUT
    assert read(Example, ["--resume", "--rate", "1"], None).resume == options.OUT
    assert read(Example, ["--resume", "mine"], None).resume == "mine"
    from experiments import (
        analyze_log,
        behaviour_cloning,
        bench_server,
        export_logs,
        export_onnx,
        ppo_zip,
        preprocess,
    )

    for script in (analyze_log, export_logs, export_onnx, ppo_zip, preprocess):
        new = read(script.Config, ["a", "--out", "b"], None)
        assert (
            new == read(script.Config, ["a", "b"], None) == read(script.Config, ["a", "--output", "b"], None)
        )
        assert isinstance(new.out, Path)
    assert read(bench_server.Config, ["load", "--output", "b"], None).out == Path("b")
    old = ["--log", "x", "--output", "y", "--no-augment", "--resume"]
    found = read(behaviour_cloning.Config, old, None)
    assert (found.out, found.augment) == (Path("y"), False)
    assert found.folder == Path("y")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--rate", "fast"], "--rate: 'fast' is not a number: see --help"),
        (["--count", "1.5"], "--count: '1.5' is not a whole number: see --help"),
        (["--count", "0"], "--count is 0: it must be 1 or more"),
        (["--rate", "0"], "--rate is 0.0: it must be more than 0"),
        (["--rate", "nan"], "--rate is nan: it must be more than 0 and 1 or less"),
        (["--kind", "c"], "there is no kind 'c': choose from a, b"),
        (["--out"], "--out: expected one argument: see --help"),
    ],
)
def test_refusals(words, sentence):
    with pytest.raises(ValueError) as refusal:
        read(Example, words, None)
    assert str(refusal.value) == sentence


@pytest.mark.parametrize("name", ["policy", "heads", "relative"])
def test_negative_loss_weights_are_refused(name, capsys):
    from experiments import alphazero

    assert alphazero.main([f"--{name}-weight", "-1", "--name", "never"]) == 2
    assert f"--{name}-weight is -1.0: it must be 0 or more" in capsys.readouterr().err


def test_exit_codes(capsys):
    def stop():
        raise KeyboardInterrupt

    def leave():
        raise BrokenPipeError

    def lack():
        raise ModuleNotFoundError("No module named 'ray'", name="ray")

    def wait():
        raise sqlite3.OperationalError("database is locked")

    def die():
        raise BrokenProcessPool("abruptly")

    assert run(die) == 2
    assert capsys.readouterr().err.endswith("a process was killed before its work was done\n")
    assert run(wait) == 2
    assert capsys.readouterr().err.endswith("the log database cannot be used: database is locked\n")
    assert run(stop, "bye") == 130
    assert run(leave) == 0
    assert run(lack) == 2
    assert capsys.readouterr().err.endswith(
        "this needs ray, which is not installed: pip install 'ofc-env[ray]'\n"
    )


# ---------------------------------------------------------------- packages that are not there

HIDING = "import sys, runpy\nfor name in {}: sys.modules[name] = None\nsys.argv = [{!r}, *{!r}]\n"
RUNNING = "runpy.run_path(sys.argv[0], run_name='__main__')"


def hidden(packages, script, words, folder):
    """A script in a fresh process that cannot import some packages."""
    path = str(FOLDER / f"{script}.py")
    code = HIDING.format(packages, path, words) + RUNNING
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=folder, timeout=1200
    )


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("alphazero", []),
        ("alphazero", ["evaluate"]),
        ("ppo", []),
        ("ppo_compare", []),
        ("ppo_zip", []),
        ("behaviour_cloning", []),
        ("export_onnx", []),
        ("benchmark", ["--agents", "random", "ppo", "--deals", "2"]),
    ],
)
def test_a_missing_torch_is_one_sentence(script, words, tmp_path):
    found = hidden(["torch"], script, words, tmp_path)
    what = "the agent 'ppo'" if "ppo" in words else "this"
    assert found.returncode == 2
    assert (
        found.stderr
        == f"{script}.py: {what} needs torch, which is not installed: pip install 'ofc-env[train]'\n"
    )


def test_a_missing_server_package_is_one_sentence(tmp_path):
    found = hidden(["websockets"], "bench_server", ["load"], tmp_path)
    sentence = "this needs websockets, which is not installed: pip install 'ofc-env[server]'"
    assert (found.returncode, found.stderr) == (2, f"bench_server.py: {sentence}\n")


def test_help_without_torch_is_the_page_of_the_script(tmp_path):
    found = hidden(["torch"], "alphazero", ["--help"], tmp_path)
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.startswith("Train the AlphaZero player by self-play")
    assert found.stdout.endswith(
        "alphazero.py: this needs torch, which is not installed: pip install 'ofc-env[train]'\n"
    )


@pytest.mark.parametrize(
    ("script", "words", "shown"),
    [
        ("benchmark", ["--agents", "random", "heuristic", "--deals", "2", "--processes", "1"], "Elo"),
        (
            "ablation",
            ["--ingredients", "seat", "--agent", "random", "--deals", "2", "--processes", "1"],
            "acting first",
        ),
    ],
)
def test_measuring_needs_no_extra_package(script, words, shown, tmp_path):
    found = hidden(["torch", "matplotlib", "tqdm", "scipy"], script, words, tmp_path)
    assert found.returncode == 0, found.stderr
    assert shown.lower() in found.stdout.lower()
    assert "pip install 'ofc-env[train]'" in found.stdout
    assert (tmp_path / "runs" / script / f"{script}.json").is_file()


# ---------------------------------------------------------------- agents from elsewhere


@pytest.mark.parametrize("processes", ["1", "2"])
def test_agents_of_ones_own_play(processes, tmp_path):
    (tmp_path / "my_module.py").write_text(
        "from tests.players import FirstSlot\n"
        "class Mine(FirstSlot):\n"
        "    def __init__(self, depth: int = 1):\n"
        "        super().__init__()\n"
        "        self.depth = depth\n"
    )
    words = [
        "--agents",
        "tests.players:LastSlot",
        "my_module:Mine:depth=3",
        "--deals",
        "8",
        "--processes",
        processes,
    ]
    found = subprocess.run(
        [sys.executable, FOLDER / "benchmark.py", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=1200,
    )
    assert found.returncode == 0, found.stderr
    assert "my_module:Mine:depth=3" in found.stdout


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("nowhere.at_all:Agent", "there is no module 'nowhere' for the agent 'nowhere.at_all:Agent'"),
        ("tests.players:Nobody", "there is no 'Nobody' in the module tests.players"),
        ("tests.players:normalised", "cannot make 'tests.players:normalised' with no options"),
        ("pathlib:Path", "'pathlib:Path' is no agent: derive it from agents.Agent"),
        ("tests.players:FirstSlot:depth=3", "'tests.players:FirstSlot' has no option 'depth'"),
        ("tests.players:FirstSlot:depth", "cannot read 'depth'"),
    ],
)
def test_what_is_no_agent_gets_a_sentence(name, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        agents.make(name)


def test_classes_are_registered(monkeypatch):
    class Local(FirstSlot):
        """Cannot be sent to another process."""

    monkeypatch.setattr(agents, "_BUILDERS", dict(agents._BUILDERS))
    agents.register("mine", FirstSlot)
    agents.register("mine", FirstSlot)
    agents.register("local", Local)
    assert isinstance(agents.make("mine"), FirstSlot)
    assert isinstance(agents.make("local"), Local)
    with pytest.raises(ValueError, match="exists already"):
        agents.register("mine", Local)
    with pytest.raises(ValueError, match="is no agent"):
        agents.register("text", str)  # type: ignore[arg-type]
    one = play_match("mine", "random", 8, MatchSettings(processes=1))
    two = play_match("mine", "random", 8, MatchSettings(processes=2))
    assert one.points == two.points
    with pytest.raises(ValueError, match="cannot be sent to another process"):
        play_match("local", "random", 8, MatchSettings(processes=2))


# ---------------------------------------------------------------- the front page and show


def test_the_front_page_lists_every_script(capsys):
    assert front.main([]) == 0
    text = capsys.readouterr().out
    assert sorted(name for names in front.GROUPS.values() for name in names) == SCRIPTS
    for name in SCRIPTS:
        assert re.search(rf"^  {name} +\w.*\.", text, flags=re.MULTILINE), name
    assert front.main(["dance"]) == 2
    assert front.main(["show"]) == 2
    for command in (["experiments"], ["experiments/"], ["-m", "experiments"]):
        found = subprocess.run(
            [sys.executable, *command], capture_output=True, text=True, check=True, cwd=ROOT
        )
        assert found.stdout == text


def test_show_says_what_weights_are(capsys):
    assert front.main(["show", str(ROOT / "agents" / "weights" / "alphazero.safetensors")]) == 0
    text = capsys.readouterr().out
    for part in (
        "kind: afterstate",
        "hidden 256",
        "rules: ",
        "command: python experiments/",
        "match: alphazero:sims=200 v ",
    ):
        assert part in text
    assert "a policy of PPO" in describe(ROOT / "agents" / "weights" / "ppo.safetensors")
    assert "command: " in describe(ROOT / "agents" / "weights" / "bc" / "clone.safetensors")
    script = (
        "import sys; from experiments.__main__ import main; main(['show', sys.argv[1]]); "
        "print('torch' in sys.modules)"
    )
    path = str(ROOT / "agents" / "weights" / "alphazero.safetensors")
    found = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, check=True)
    assert found.stdout.endswith("False\n")


def test_show_knows_the_other_files(tmp_path, capsys):
    from experiments.export_logs import export_logs
    from experiments.generate_log import Games, generate_log
    from experiments.preprocess import preprocess

    database, lines, data = tmp_path / "games.db", tmp_path / "turns.jsonl.gz", tmp_path / "data"
    hands = generate_log(Games("random", hands=3), database, progress=False)
    export_logs(database, lines, progress=False)
    preprocess(lines, data, progress=False)
    play_match("random", "heuristic", 5, store=tmp_path / "matches" / "one.jsonl")
    assert f"{hands} hands" in describe(database)
    assert "a log in JSON lines" in describe(lines)
    assert "a training set" in describe(data)
    assert "a match of random v heuristic, hands" in describe(tmp_path / "matches" / "one.jsonl")
    assert "1 matches" in describe(tmp_path)
    (tmp_path / "poem.txt").write_text("roses")
    (tmp_path / "bad.safetensors").write_bytes(b"\xff" * 40)
    for name, sentence in (
        ("poem.txt", "is of no known kind"),
        ("nothing", "there is no file"),
        ("bad.safetensors", "is not a whole safetensors file"),
    ):
        assert front.main(["show", str(tmp_path / name)]) == 2
        error = capsys.readouterr().err
        assert sentence in error
        assert error.count("\n") == 1


# ---------------------------------------------------------------- progress


class Clock:
    """A clock that a test turns."""

    def __init__(self):
        self.now = 100.0

    def monotonic(self):
        return self.now


def test_plain_lines_where_there_is_no_terminal(monkeypatch, capsys):
    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    with Progress("match", 100, unit="deals") as bar:
        for _ in range(100):
            clock.now += 0.5
            bar.advance()
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "match:   4 % 4 of 100 deals, 0:02 gone, 0:48 left"
    assert len(lines) == 5  # after 2 s, then every 10 s
    assert list(tracked(range(3), "quick", 3)) == [0, 1, 2]
    assert capsys.readouterr().err == ""
    silent = Progress("match", 100, shown=False)
    clock.now += 60
    silent.move_to(50)
    assert capsys.readouterr().err == ""


def test_a_bar_on_a_terminal(monkeypatch, capsys):
    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with Progress("match", 4, unit="deals") as bar:
        clock.now += 3
        bar.advance(2)
        bar.say("half")
    shown = capsys.readouterr()
    assert f"match:  50 % |{'#' * 12}{'-' * 12}| 2 of 4 deals" in shown.err
    assert shown.err.endswith("\r\x1b[K")
    assert shown.out == "half\n"


def test_a_device_is_there_or_refused(tmp_path, capsys, monkeypatch):
    """Every learner takes --device; a card that torch does not find is refused before anything is written."""
    import torch

    from experiments import alphazero, behaviour_cloning, ppo
    from experiments.common.devices import device_of

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert device_of("cpu") == torch.device("cpu")
    for script, words in (
        (alphazero, ["--iterations", "1"]),
        (behaviour_cloning, ["--teacher", "random"]),
        (ppo, ["--preset", "smoke"]),
    ):
        for device, sentence in (("cuda", "cuda"), ("abacus", "there is no device 'abacus'")):
            assert script.main([*words, "--device", device]) == 2
            assert sentence in capsys.readouterr().err
    with pytest.raises(ValueError, match="torch finds 0 CUDA devices, and --device is cuda:1"):
        device_of("cuda:1")
    with pytest.raises(ValueError, match="networks do not learn on 'meta'"):
        device_of("meta")
    assert not any(tmp_path.iterdir())
