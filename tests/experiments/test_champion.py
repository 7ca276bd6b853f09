"""The recipe of a champion: every step runs, kills cost nothing that is done, only the better is shipped."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.arena.protocol import PROTOCOLS, pinned_file
from agents.networks.files import describe, read_weights
from agents.players import alphazero
from experiments import champion
from experiments.champion import Config, main
from experiments.common.show import describe as describe_file
from experiments.recipe import steps
from experiments.recipe.record import DONE, LEFT_OUT, Record
from experiments.recipe.shipping import digest, ship, verify_shippable
from experiments.recipe.steps import STEPS, FantasylandValues, Made, SelfPlay
from experiments.recipe.verdict import Played, matches_of, verdict_of
from experiments.selfplay import config as training
from experiments.selfplay.state import checkpoints
from ofc_env import Rules
from tests.trained_networks import random_network

ROOT = Path(__file__).parents[2]
TRAINING = Path("runs/alphazero")
SMALLEST = ["--rehearsal", "seconds", "--processes", "0"]
# What each step leaves, by its name; {} is the run's.
OUTPUTS = {
    "selfplay": "runs/alphazero/{}-selfplay/champion.safetensors",
    "learned": "runs/champion/{}/learned/network.safetensors",
    "labels": "runs/champion/{}/labels/decisions.jsonl",
    "labelled": "runs/champion/{}/labelled/network.safetensors",
    "values": "runs/champion/{}/values/fantasyland_value.json",
    "valued": "runs/alphazero/{}-valued/champion.safetensors",
    "networks": "runs/champion/{}/networks/benchmark.json",
    "search": "runs/champion/{}/search/benchmark.json",
    "levels": "runs/champion/{}/levels/levels.json",
}


def assert_complete(name: str) -> Record:
    """Every step is done, or left out for a reason, and has left its file."""
    record = Record.read(Path("runs/champion") / name)
    assert [entry.name for entry in record.entries] == list(OUTPUTS) == [step.name for step in STEPS]
    for entry in record.entries:
        assert entry.state == (LEFT_OUT if entry.name == "valued" and not entry.words else DONE)
        assert entry.result
        assert (entry.processor > 0) == (entry.state == DONE)
        assert Path(OUTPUTS[entry.name].format(name)).is_file() == (entry.state == DONE)
    page = (record.folder / "recipe.md").read_text()
    for command in record.commands:
        assert command in page
        assert (ROOT / command.split()[1]).is_file()
    assert record.verdict["sentence"] in page
    assert record.shipped == []
    return record


def kept(name: str) -> dict[str, tuple[int, str]]:
    """When each file that there is was written, and what it holds."""
    paths = {step: Path(output.format(name)) for step, output in OUTPUTS.items()}
    return {
        step: (path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest())
        for step, path in paths.items()
        if path.is_file()
    }


def test_a_killed_rehearsal_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """kill -9 in the middle of the second self-play: what is done stays, what was begun goes on."""
    monkeypatch.chdir(tmp_path)
    words = [sys.executable, "-m", "experiments.champion", *SMALLEST, "--name", "killed"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    killed = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 1800
    while not checkpoints(TRAINING / "killed-valued"):
        assert killed.poll() is None, "the run ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.01)
    killed.send_signal(signal.SIGKILL)
    assert killed.wait() == -signal.SIGKILL

    before = Record.read(Path("runs/champion/killed"))
    assert [(entry.name, entry.state) for entry in before.entries] == [
        ("selfplay", "done"),
        ("learned", "done"),
        ("labels", "done"),
        ("labelled", "done"),
        ("values", "done"),
        ("valued", "begun"),
    ]
    files = kept("killed")
    assert main(["--resume", "killed"]) == 0
    record = assert_complete("killed")
    for step in ("selfplay", "learned", "labels", "labelled", "values"):
        assert kept("killed")[step] == files[step]
        assert record.entry(step) == before.entry(step)
    gone_on = record.entry("valued")
    assert gone_on is not None
    assert gone_on.parts[0] is None
    assert len(gone_on.parts) == 2
    settings = json.loads((TRAINING / "killed-valued" / "config.json").read_text())
    assert settings["command"] == "python experiments/alphazero.py --resume killed-valued --processes 0"
    assert settings["config"]["init"] == "runs/champion/killed/labelled/network.safetensors"
    labelled = record.entry("labelled")
    assert labelled is not None
    assert (
        labelled.words[labelled.words.index("--labels") + 1] == "runs/champion/killed/labels/decisions.jsonl"
    )

    told = describe_file(record.folder)
    assert told.startswith(
        "runs/champion/killed: a run of experiments/champion.py\n  selfplay, done: 40 hands"
    )
    assert record.verdict["sentence"] in told

    files = kept("killed")
    assert main(["--resume", "killed"]) == 0  # there is nothing left to do
    assert kept("killed") == files
    assert assert_complete("killed").entries == record.entries


def test_the_same_recipe_by_the_standard_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*SMALLEST, "--rules", "standard", "--name", "other"]) == 0
    record = assert_complete("other")
    shown = capsys.readouterr().out
    for entry in record.entries:
        assert not entry.command or f"{entry.command}\n" in shown
        assert not entry.words or entry.words[entry.words.index("--rules") + 1] == "standard"
    network = Path(OUTPUTS["labelled"].format("other"))
    assert describe(network).rules.same_hand(Rules.preset("standard"))
    assert (record.folder / "before.safetensors").read_bytes() == (
        alphazero.WEIGHTS / "alphazero-standard.safetensors"
    ).read_bytes()
    assert sum(match["decides"] for match in record.verdict["matches"]) == 2


# ---------------------------------------------------------------- what goes from step to step

MADE = Made("run", Path("runs/champion/run"), "", 0, Path("runs/champion/run/before.safetensors"), None)


def step(name: str) -> Any:
    """A step of the recipe."""
    return next(each for each in STEPS if each.name == name)


def test_options_of_every_length_are_those_of_the_scripts() -> None:
    """A wrong word in the recipe is found here, not after a night."""
    import importlib

    from experiments.common.options import read
    from experiments.selfplay.commands import TrainConfig

    made = replace(MADE, network="some.safetensors", labels=("labels.jsonl",), values=(8.0, 14.0, 20.0, 27.5))
    for each in STEPS:
        for length in steps.LENGTHS:
            words = [*each.words(made, 5, length), *Config(processes=3, ray="local").workers(each)]
            if words[0] == "train":
                taught = read(TrainConfig, words[1:], None)
                assert (taught.seed, str(taught.init)) == (5, "some.safetensors")
            elif each.script == "alphazero":
                config, _ = training.parse(words, None)
                config.verify()
                assert (config.seed, config.processes, config.ray) == (5, 3, "local")
                assert config.fantasyland_values == made.values
            else:
                module = importlib.import_module(f"experiments.{each.script}")
                config = getattr(module, "Config", None) or module.Settings
                found = read(config, words, None)
                assert found.seed == 5
                assert not found.resume
                assert read(config, each.resuming(made, words), None).resume, "a step goes on where it was"
                assert found.processes == min(3, os.cpu_count() or 1)


def test_a_network_to_begin_with_wants_fewer_rounds() -> None:
    first: SelfPlay = step("selfplay")
    known = replace(MADE, network="some.safetensors")
    for made, rounds in ((MADE, 400), (known, 40)):
        config, _ = training.parse(first.words(made, 5, "whole"), None)
        assert (config.iterations, (config.warmup or 0) > 0) == (rounds, made.network is None)
    assert first.words(known, 5, "seconds")[-2:] == first.words(MADE, 5, "seconds")[-2:]


def values_file(folder: Path, values: dict[int, tuple[float, float]]) -> Made:
    """A run in which fantasyland was measured."""
    made = replace(MADE, folder=folder, network="n.safetensors", labels=("old.jsonl",))
    (folder / "values").mkdir(exist_ok=True)
    lines = [{"cards": cards, "value": value, "margin": margin} for cards, (value, margin) in values.items()]
    (folder / "values" / "fantasyland_value.json").write_text(json.dumps({"widths": lines}))
    return made


def test_values_are_used_where_they_differ(tmp_path: Path) -> None:
    measure: FantasylandValues = step("values")
    again: SelfPlay = step("valued")
    table = Rules().fantasyland_values
    assert table is not None
    near = {14 + number: (value + 0.3, 0.3) for number, value in enumerate(table)}
    made, sentence = measure.ended(values_file(tmp_path, near))
    assert made.values is None
    assert made.labels == ("old.jsonl",)
    assert sentence.endswith("as the core's table says")
    assert again.left_out(made)

    made, sentence = measure.ended(values_file(tmp_path, {**near, 17: (table[3] - 1.0, 0.5)}))
    assert made.values == (8.6, 14.6, 21.0, 26.1)
    assert made.labels == ()  # judged by the old values
    assert sentence.endswith("not as the core's table says")
    assert not again.left_out(made)
    words = again.words(made, 1, "whole")
    assert "equity fantasyland_values=8.6,14.6,21.0,26.1" in words
    assert "--labels" not in words
    assert step("networks").words(made, 1, "whole").count("--fantasyland-values") == 1


def test_a_step_of_self_play_that_wrote_nothing_begins_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = TRAINING / "run-selfplay"
    folder.mkdir(parents=True)
    assert step("selfplay").resuming(MADE, ["--words"]) == ["--words"]
    assert not folder.exists()  # alphazero.py refuses a name that is taken
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    assert step("selfplay").resuming(MADE, ["--words"]) == ["--resume", "run-selfplay"]


# ---------------------------------------------------------------- stops and refusals


@pytest.fixture
def only(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, Any]:
    """A recipe of one step that notes its words and ends as the dictionary says."""
    monkeypatch.chdir(tmp_path)
    told: dict[str, Any] = {"code": 0, "calls": []}

    class Noting(steps.Match):
        def ended(self, made: Made) -> tuple[Made, str]:
            return made, "ended"

    def noted(words: list[str]) -> int:
        told["calls"].append(words)
        return int(told["code"])

    monkeypatch.setattr(champion, "STEPS", (Noting("one", "--deals 4", "--deals 3", "--deals 2"),))
    monkeypatch.setattr("experiments.benchmark.main", noted)
    return told


def test_ctrl_c_and_failures_can_be_gone_on_with(
    only: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    only["code"] = 130
    assert main(["--name", "a", "--processes", "1", "--init", str(alphazero.CHAMPION)]) == 130
    assert "go on with python experiments/champion.py --resume a" in capsys.readouterr().err
    only["code"] = 2
    assert main(["--resume", "a"]) == 2
    only["code"] = 0
    assert main(["--resume", "a", "--processes", "0"]) == 0
    first, second, third = only["calls"]
    assert first[-4:] == ["--deals", "4", "--processes", "1"]
    assert second == third == [*first[:-2], "--resume", "--processes", "1"]
    record = Record.read(Path("runs/champion/a"))
    assert len(record.entries[0].parts) == 3
    assert None not in record.entries[0].parts
    assert record.settings["processes"] == 0
    assert record.verdict["better"] is False


def test_other_settings_are_another_run(
    only: dict[str, Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["--name", "a"]) == 0
    changed = replace(champion.STEPS[0], whole="--deals 5")
    monkeypatch.setattr(champion, "STEPS", (changed,))
    assert main(["--resume", "a"]) == 2
    assert "begun with other settings than it has now" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--name", "a/b"], "'a/b' cannot be a run's name"),
        (["--name", "a" * 25], "cannot be a run's name"),
        (["--name", "there"], "runs/champion/there exists already: choose another --name, or --resume there"),
        (["--name", "taken"], "runs/alphazero/taken-one exists already"),
        (["--resume", "nobody"], "there is no run nobody"),
        (["--resume", "there"], "there holds no run of the recipe"),
        (["--init", "nowhere.safetensors"], "there is no network at nowhere.safetensors"),
        (["--rehearsal", "--ship"], "a rehearsal is never shipped"),
        (["--rehearsal", "hours"], "there is no rehearsal 'hours'"),
        (["--rules", "standard scoop=6"], "nobody has measured what fantasyland is worth"),
        (["--rules", "standard", "--before", str(alphazero.CHAMPION)], "was trained by the rules 'house'"),
    ],
)
def test_what_cannot_be_run_is_refused_at_once(
    words: list[str],
    sentence: str,
    only: dict[str, Any],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Path("runs/champion/there").mkdir(parents=True)
    Path("runs/champion/there/recipe.json").write_text("{}")
    (TRAINING / "taken-one").mkdir(parents=True)
    monkeypatch.setattr(champion, "STEPS", (SelfPlay("one", "", "", ""), *champion.STEPS))
    assert main(words) == 2
    shown = capsys.readouterr()
    assert sentence in shown.err
    assert shown.err.count("\n") == 1
    assert [path.name for path in Path("runs/champion").iterdir()] == ["there"]
    assert only["calls"] == []


def test_settings_of_a_run_that_goes_on_are_its_own(
    only: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--name", "a"]) == 0
    assert main(["--resume", "a", "--seed", "3"]) == 2
    assert "leave out --seed" in capsys.readouterr().err
    assert main(["--resume", "a", "--ray"]) == 0
    assert Record.read(Path("runs/champion/a")).settings["ray"] == "local"


# ---------------------------------------------------------------- the verdict, and shipping


def played(low: float | None, high: float | None, decides: bool = True) -> Played:
    """A match with this interval."""
    return Played(("new:sims=0", "before:sims=0"), ((low or 0) + (high or 0)) / 2, low, high, 100, decides)


def test_only_beyond_every_interval_is_it_better() -> None:
    better, equal, worse, unknown = played(0.1, 0.5), played(-0.1, 0.5), played(-1, -0.2), played(None, None)
    assert [match.word for match in (better, equal, worse, unknown)] == [
        *("better", "not told apart", "worse", "not told apart"),
    ]
    assert verdict_of([better, better, played(-5, -4, decides=False)]).better
    for matches in ([], [better, equal], [better, worse], [unknown], [played(3, 4, decides=False)]):
        assert not verdict_of(matches).better


def test_matches_are_read_from_a_report() -> None:
    estimate = {"mean": 0.4, "low": 0.3, "high": 0.5}
    new, before = "alphazero:sims=0,checkpoint=x/new.safetensors", "alphazero:sims=0,checkpoint=y.safetensors"
    report = {
        "matches": [
            {"agents": [new, before], "adjusted": estimate, "equity": {"mean": 9}, "deals": 50},
            {"agents": [new, "heuristic"], "equity": estimate, "deals": 50},
        ]
    }
    first, second = matches_of(report, "x/new.safetensors")
    assert first.text() == "new:sims=0 v before:sims=0: +0.40 ± 0.10 over 50 deals (better)"
    assert second.text() == "new:sims=0 v heuristic: +0.40 ± 0.10 over 50 deals"


@pytest.fixture
def weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the folder of weights."""
    folder = tmp_path / "weights"
    folder.mkdir()
    for path in alphazero.WEIGHTS.glob("*.safetensors"):
        (folder / path.name).write_bytes(path.read_bytes())
    monkeypatch.setattr(alphazero, "WEIGHTS", folder)
    monkeypatch.setattr(alphazero, "CHAMPION", folder / alphazero.CHAMPION.name)
    monkeypatch.setattr("agents.arena.protocol.WEIGHTS", folder)
    pinned_file.cache_clear()
    yield folder
    pinned_file.cache_clear()


def test_shipping_keeps_what_a_protocol_needs(weights: Path, tmp_path: Path) -> None:
    from agents.networks.afterstate import save_network

    needed = PROTOCOLS["v1"].network
    old = pinned_file(needed)
    old.rename(alphazero.CHAMPION)  # wherever it lies by now, it is the champion here
    pinned_file.cache_clear()
    before = tmp_path / "before.safetensors"
    before.write_bytes(alphazero.CHAMPION.read_bytes())
    network = random_network()
    save_network(network, tmp_path / "new.safetensors", {"command": "the last one", "hands": 7})
    house = Rules()
    verify_shippable(before, house)
    match = played(0.1, 0.5)
    written = ship(tmp_path / "new.safetensors", house, ["first", "second"], [match])
    assert written == [weights / "protocol-v1.safetensors", alphazero.CHAMPION]
    assert digest(written[0]) == needed
    assert pinned_file(needed) == written[0]
    shipped = read_weights(alphazero.CHAMPION)
    new = read_weights(tmp_path / "new.safetensors")
    assert all((shipped.tensors[name] == new.tensors[name]).all() for name in new.tensors)
    assert shipped.notes["commands"] == ["first", "second"]
    assert "command" not in shipped.notes
    assert shipped.notes["hands"] == 7
    assert shipped.notes["matches"][0]["agents"] == list(match.agents)

    with pytest.raises(ValueError, match="begin a new run"):  # the champion is another one now
        verify_shippable(before, house)
    assert ship(tmp_path / "new.safetensors", house, [], []) == [alphazero.CHAMPION]  # it is kept already
    assert digest(weights / "protocol-v1.safetensors") == needed


def test_only_what_is_better_is_shipped_and_only_once(
    only: dict[str, Any], weights: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from agents.networks.afterstate import save_network

    save_network(random_network(), "new.safetensors")
    before = {path.name: path.read_bytes() for path in weights.iterdir()}

    def with_match(match: Played) -> None:
        def ended(self: Any, made: Made) -> tuple[Made, str]:
            return replace(made, matches=(match,)), "ended"

        monkeypatch.setattr(type(champion.STEPS[0]), "ended", ended)

    with_match(played(-0.1, 0.5))
    assert main(["--name", "a", "--init", "new.safetensors", "--ship"]) == 0
    assert "nothing is shipped" in capsys.readouterr().out
    with_match(played(0.1, 0.5))
    assert main(["--name", "b", "--init", "new.safetensors"]) == 0
    assert {path.name: path.read_bytes() for path in weights.iterdir()} == before
    assert main(["--resume", "b", "--ship"]) == 0
    assert alphazero.CHAMPION.read_bytes() != before[alphazero.CHAMPION.name]
    assert str(alphazero.CHAMPION) in Record.read(Path("runs/champion/b")).shipped
    now = alphazero.CHAMPION.read_bytes()
    assert main(["--resume", "b", "--ship"]) == 0
    assert "shipped before" in capsys.readouterr().out
    assert alphazero.CHAMPION.read_bytes() == now
