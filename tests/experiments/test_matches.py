"""The scripts that play matches: what they print, write, resume and refuse."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from experiments import ablation, benchmark

ROOT = Path(__file__).parent.parent.parent


def benchmark_run(folder, *more):
    options = [
        "--agents",
        "random",
        "random:seed=1",
        "--deals",
        "6",
        "--processes",
        "1",
        "--out",
        str(folder),
    ]
    # Options that take several words add up, so those of a test's own come instead.
    return benchmark.main([*(options[3:] if "--agents" in more else options), *more])


def test_benchmark(tmp_path, capsys):
    assert benchmark_run(tmp_path, "--sessions", "2") == 0
    printed = capsys.readouterr().out
    for words in ("random:seed=1", "equity a hand", "FL entry", "2 duplicate sessions", "written to"):
        assert words in printed
    report = json.loads((tmp_path / "benchmark.json").read_text())
    assert report["config"]["deals"] == report["deals"] == 6
    assert report["machine"]["cores"] >= 1
    assert len(report["matches"]) == len(report["sessions"]) == 1
    assert (tmp_path / "benchmark.csv").read_text().startswith("name,elo,")
    assert (tmp_path / "benchmark.png").read_bytes().startswith(b"\x89PNG")

    stored = tmp_path / "matches" / "match_00.jsonl"
    before = stored.read_text().splitlines()
    assert benchmark_run(tmp_path, "--resume") == 0
    assert stored.read_text().splitlines() == before, "nothing was played again"
    again = json.loads((tmp_path / "benchmark.json").read_text())
    assert again["ratings"] == report["ratings"]
    assert benchmark_run(tmp_path, "--resume", "--deals", "9") == 0
    assert json.loads((tmp_path / "benchmark.json").read_text())["deals"] == 9


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--agents", "random"], "a league of 1 has no match"),
        (["--agents", "random", "nobody"], "no agent is named 'nobody'"),
        (["--deals", "0"], "--deals is 0: it must be 1 or more"),
        (["--processes", "0"], "--processes is 0: it must be 1 or more"),
        (["--seed", "-1"], "--seed is -1: it must be 0 or more"),
        (["--adjust", "some"], "--adjust is 'some': it must be auto, or a number of deals, 0 or more"),
        (["--adjust", "-1"], "--adjust is '-1': it must be auto, or a number of deals, 0 or more"),
        (["--adjust", "0", "--judge", "x"], "--judge has nothing to judge with --adjust 0"),
        (["--protocol", "v9"], "there is no protocol 'v9': choose from v1"),
        (
            ["--adjust", "0", "--log", "no_such_folder/games.db"],
            "there is no folder no_such_folder for the log games.db",
        ),
    ],
)
def test_benchmark_refuses_with_a_sentence(arguments, sentence, tmp_path, capsys):
    assert benchmark_run(tmp_path, *arguments) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert "Traceback" not in error
    assert len(error.strip().splitlines()) == 1


def test_luck_is_judged_where_it_pays_or_is_asked_for(tmp_path, capsys):
    adjusted = {}
    for words in ([], ["--adjust", "0"], ["--adjust", "2"]):
        assert benchmark_run(tmp_path, *words) == 0
        said = capsys.readouterr()
        assert ("so luck is not judged" in said.err) == (not words)
        report = json.loads((tmp_path / "benchmark.json").read_text())
        adjusted[tuple(words)] = "adjusted" in report["matches"][0]
        assert ("equity less luck" in said.out) == adjusted[tuple(words)]
    assert list(adjusted.values()) == [False, False, True]


def test_resuming_another_run_is_refused(tmp_path, capsys):
    assert benchmark_run(tmp_path) == 0
    assert benchmark_run(tmp_path, "--resume", "--seed", "3") == 2
    assert "holds another match (seed was 0 and is now 3)" in capsys.readouterr().err


@pytest.mark.parametrize("script", ["benchmark", "ablation", "analyze", "play"])
def test_scripts_start_from_anywhere_and_teach(script, tmp_path):
    for command in ([str(ROOT / "experiments" / f"{script}.py")], ["-m", f"experiments.{script}"]):
        finished = subprocess.run(
            [sys.executable, *command, "--help"], capture_output=True, text=True, cwd=tmp_path, check=False
        )
        assert finished.returncode == 0, finished.stderr
        assert f"python experiments/{script}.py" in finished.stdout


def test_options_of_an_agent_are_changed():
    change = ablation.with_options
    assert change("pimc", {"race": "off"}) == "pimc:race=off"
    assert change("pimc:rollouts=9,race=on", {"race": "off"}) == "pimc:rollouts=9,race=off"
    assert change("pimc:opening-width=9", {"opening_width": "3"}) == "pimc:opening_width=3"


def test_ablation(tmp_path, capsys):
    arguments = ["--agent", "pimc:rollouts=20", "--tree", "ismcts:simulations=20", "--deals", "2"]
    arguments += ["--processes", "1", "--out", str(tmp_path)]
    assert ablation.main(arguments) == 0
    printed = capsys.readouterr().out
    assert "acting first, pimc against itself" in printed
    assert "seeing the true deck (not a ranking)" in printed
    report = json.loads((tmp_path / "ablation.json").read_text())
    findings = {finding["name"]: finding for finding in report["findings"]}
    assert set(findings) == set(ablation.Config().ingredients)
    assert findings["race"]["agents"] == ["pimc:rollouts=20,race=on", "pimc:rollouts=20,race=off"]
    assert findings["open"]["open_cards"]
    assert "adjusted" not in findings["race"]
    assert not findings["belief"]["open_cards"]
    assert (tmp_path / "ablation.png").read_bytes().startswith(b"\x89PNG")


def test_an_agents_name_stands_for_its_ingredients_and_luck_is_taken_out(tmp_path, capsys):
    arguments = ["--ingredients", "alphazero", "--network", "alphazero:sims=4", "--deals", "3"]
    arguments += ["--adjust", "2", "--processes", "1", "--out", str(tmp_path)]
    assert ablation.main(arguments) == 0
    assert "less luck" in capsys.readouterr().out
    report = json.loads((tmp_path / "ablation.json").read_text())
    findings = {finding["name"]: finding for finding in report["findings"]}
    assert set(findings) == {item.name for item in ablation.INGREDIENTS if item.agent == "alphazero"}
    assert findings["network-belief"]["agents"] == [
        "alphazero:sims=4,belief=on",
        "alphazero:sims=4,belief=off",
    ]
    assert findings["sims-2000"]["deals"] == 1 < findings["sims-500"]["deals"] == 3
    assert findings["prior-0"]["adjusted"]["count"] == 3
    assert ablation.main([*arguments, "--resume"]) == 0
    assert json.loads((tmp_path / "ablation.json").read_text())["findings"] == report["findings"]


def test_ablation_refuses_with_a_sentence(tmp_path, capsys):
    out = ["--out", str(tmp_path)]
    assert ablation.main(["--ingredients", "salt", *out]) == 2
    assert "there is no ingredient 'salt': use exact, race" in capsys.readouterr().err
    assert ablation.main(["--agent", "random", "--ingredients", "race", *out]) == 2
    assert "race is an ingredient of pimc" in capsys.readouterr().err
    assert ablation.main(["--network", "heuristic", "--ingredients", "alphazero", *out]) == 2
    assert "sims-100 is an ingredient of alphazero" in capsys.readouterr().err
