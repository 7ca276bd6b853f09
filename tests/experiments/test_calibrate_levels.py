"""Measuring the levels: both manners, what is complained of, and going on with a run."""

import json

import pytest

from agents.arena.estimates import Estimate
from agents.levels import LEVELS
from experiments import calibrate_levels

SMALL = ["--deals", "8", "--search-deals", "4", "--plain-deals", "300", "--processes", "1"]


def test_a_ladder_is_measured_and_gone_on_with(tmp_path, capsys):
    words = ["--ladder", "novice", "skilled", "alphazero:sims=4", *SMALL, "--out", str(tmp_path)]
    assert calibrate_levels.main(words) == 0
    assert "alphazero:sims=4: " in capsys.readouterr().out
    report = json.loads((tmp_path / "levels.json").read_text())
    novice, skilled, searching = report["levels"]
    assert novice["agent"] == LEVELS["novice"][0]
    assert skilled["plain"]["count"] == 300
    assert skilled["adjusted"]["count"] == 8
    assert skilled["step"] == skilled["plain"]  # 300 plain deals tell more than 8
    assert skilled["over_heuristic"]["mean"] == 0.0
    assert (searching["plain"], searching["step"]["count"], searching["over_random"]["count"]) == (None, 4, 4)
    assert skilled["plain"]["mean"] > 5
    table = (tmp_path / "levels.md").read_text()
    assert table.count("\n") == 5
    assert "| skilled | `heuristic` | " in table
    assert calibrate_levels.main([*words, "--resume"]) == 0
    again = json.loads((tmp_path / "levels.json").read_text())
    assert [each["step"] for each in again["levels"]] == [each["step"] for each in report["levels"]]


def test_rules_without_a_judge_are_measured_by_plain_deals(tmp_path):
    words = ["--ladder", "beginner", "regular", *SMALL, "--rules", "no_fantasyland scoop=6"]
    assert calibrate_levels.main([*words, "--adjust", "0", "--out", str(tmp_path)]) == 0
    report = json.loads((tmp_path / "levels.json").read_text())
    assert [each["adjusted"] for each in report["levels"]] == [None, None]
    assert calibrate_levels.main([*words, "--out", str(tmp_path / "judged")]) == 2


def rung(level: str, step: float, over_random: float, error: float = 0.05) -> calibrate_levels.Rung:
    known = Estimate(step, error, 1000)
    above = Estimate(over_random, error, 1000)
    return calibrate_levels.Rung(level, "random", known, known, None, above, above, 0.5, 0.1, 2.0, 0.01)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [(2.5, 1.4, []), (3.2, 1.4, ["novice is +3.20 "]), (2.5, 1.1, ["next is +1.10 "])],
)
def test_what_is_no_level_is_complained_of(first, second, expected):
    found = calibrate_levels.complaints([rung("novice", first, first), rung("next", second, first + second)])
    assert len(found) == len(expected)
    assert all(sentence.startswith(begin) for sentence, begin in zip(found, expected, strict=True))


def test_what_an_interval_leaves_open_is_not_called_a_level():
    found = calibrate_levels.complaints([rung("novice", 2.5, 2.5, 0.5), rung("next", 1.3, 3.8, 0.5)])
    assert [sentence.split(" is ")[0] for sentence in found] == ["novice", "next"]
    assert "may be more than 3: more deals can tell" in found[0]
    assert "may be less than 1.2: more deals can tell" in found[1]
