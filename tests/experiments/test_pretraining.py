"""Self-play from nothing and from clones: curves, what was reached when, and runs that are not repeated."""

import json

import pytest

from experiments import pretraining
from experiments.pretraining import Curve, reached, table

pytestmark = pytest.mark.usefixtures("one_thread")


def curve(start, seed, equity, clone_minutes=0.0):
    minutes = [clone_minutes + 1.0 + number for number in range(len(equity))]
    return Curve(start, seed, clone_minutes, minutes, [100] * len(equity), equity, [0.5] * len(equity))


def test_what_was_reached_is_the_last_word_within_the_minutes():
    curves = [curve("nothing", 0, [1.0, 2.0, 5.0]), curve("nothing", 1, [2.0, 4.0, 6.0])]
    assert reached(curves, 0.9) is None
    assert [found.mean for mark in (1.0, 2.5, 99.0) if (found := reached(curves, mark))] == [1.5, 3.0, 5.5]
    late = [curve("heuristic", 0, [3.0], clone_minutes=1.5)]
    assert reached(late, 2.0) is None  # cloning took its time
    lines = table([*curves, *late], 3.0).splitlines()
    assert lines[0] == "| start | 1 min | 2 min | 3 min | in the end |"
    assert [line.split(" | ")[0] for line in lines[2:]] == ["| nothing", "| heuristic"]
    assert lines[3].split(" | ")[1:3] == ["–", "–"]


def test_one_command_compares_starts(tmp_path, capsys):
    words = ["--starts", "nothing", "random", "--seeds", "3", "--minutes", "0.01", "--log-hands", "60"]
    words += ["--hands", "50", "--deals", "4", "--rounds", "1", "--processes", "1", "--out", str(tmp_path)]
    assert pretraining.main(words) == 0
    assert "| nothing |" in capsys.readouterr().out
    report = json.loads((tmp_path / "pretraining.json").read_text())
    assert [found["start"] for found in report["curves"]] == ["nothing", "random"]
    assert all(len(found["equity"]) == len(found["hands"]) > 0 for found in report["curves"])
    assert report["curves"][1]["clone_minutes"] > 0
    assert (tmp_path / "pretraining.png").stat().st_size > 10_000
    assert pretraining.main(words) == 0  # nothing is trained again
    assert json.loads((tmp_path / "pretraining.json").read_text())["curves"] == report["curves"]
