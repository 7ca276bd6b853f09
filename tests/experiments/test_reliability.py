"""Whether chances come true: cases, tenths and the report."""

import json

import pytest

import agents
from agents.chances import chances
from agents.levels import agent_of
from experiments import reliability
from experiments.reliability import EVENTS, tenths_of

FEW = ["--hands", "12", "--worlds", "20", "--least", "3"]


def test_cases_are_sorted_by_what_was_said():
    said = [0.0, 0.09, 0.1, 0.3, 0.3, 0.95, 1.0]
    pairs = [(chance, chance > 0.2) for chance in said]
    tenths = tenths_of({"foul": pairs})
    assert [(each.low, each.cases) for each in tenths] == [(0.0, 2), (0.1, 1), (0.3, 2), (0.9, 2)]
    assert [each.happened for each in tenths] == [0.0, 0.0, 1.0, 1.0]
    assert tenths[0].said == pytest.approx(0.045)
    half = tenths_of({"foul": [(0.5, True), (0.5, False)] * 200})[0]
    assert (half.cases, half.said, half.happened) == (400, 0.5, 0.5)
    assert half.margin == pytest.approx(0.049, abs=1e-3)


def test_a_report_is_written_and_threads_change_nothing(tmp_path, capsys):
    reports = []
    for threads in ("1", "2"):
        path = tmp_path / threads / "reliability.json"
        assert reliability.main([*FEW, "--threads", threads, "--out", str(path)]) == 0
        reports.append(json.loads(path.read_text()))
        assert path.with_suffix(".png").is_file()
    assert "cases of 12 hands" in capsys.readouterr().out
    first, second = reports
    assert first["tenths"] == second["tenths"]
    assert {each["event"] for each in first["tenths"]} == set(EVENTS)
    cases = [sum(each["cases"] for each in first["tenths"] if each["event"] == name) for name in EVENTS]
    assert set(cases) == {first["cases"]}
    assert 12 <= first["cases"] <= 120


def test_what_is_said_of_a_full_board_happened():
    """Whoever plays its last turn has its board: nothing of foul and fantasyland is open any more."""
    config = reliability.Config(levels=("novice",))
    novice, champion = (agents.make(name) for name in (agent_of("novice"), config.player))
    met = 0
    for number in range(12):
        for asked in reliability.play(number, config, [novice], champion):
            if asked.information.turn == 4:
                met += 1
                said = chances(asked.information, asked.placement, worlds=5)
                for name in ("foul", "fantasyland", "fantasyland of 14"):
                    chance, happened = EVENTS[name]
                    assert chance(said) == happened(asked.result, asked.seat), name
    assert met >= 12
