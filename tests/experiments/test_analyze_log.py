"""Feedback on a log: agreement costs nothing, differences are counted and shown, worst first."""

import json
import math

import pytest

from agents.positions.ranking import Candidate
from experiments import analyze_log
from experiments.export_logs import export_logs
from experiments.generate_log import Games, generate_log
from experiments.logs.sources import logged_hands
from experiments.people.decisions import compare
from experiments.people.report import cost_text
from ofc_env import Hand
from ofc_env.records import Records
from tests.logs import log_hands


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """Hands of the heuristic against random play."""
    path = tmp_path_factory.mktemp("log") / "games.db"
    generate_log(Games("heuristic", "random", hands=8, seed=1), path, progress=False)
    return path


def test_the_agent_agrees_with_itself(log):
    result = analyze_log.review(log, "heuristic", player="heuristic", progress=False)
    assert len(result.differences) > 30
    assert all(each.agrees for each in result.differences)
    assert sum(each.cost for each in result.differences) == 0
    assert "100% of them" in analyze_log.report_text(result, 5)


def test_random_play_costs_points(log):
    result = analyze_log.review(log, "heuristic", player="random", hands=4, progress=False)
    assert {each.turn.player for each in result.differences} == {"random"}
    assert len(result.worst_hands()) == 4
    costs = [cost for cost, _ in result.worst_hands()]
    assert costs == sorted(costs, reverse=True)
    assert costs[0] > 5
    assert sum(row["total"] for row in result.by_turn()) == pytest.approx(sum(costs))
    text = analyze_log.report_text(result, 3)
    assert text.count("### ") == 3
    first, second = (line for line in text.splitlines() if line.startswith(("### 1.", "### 2.")))
    assert float(first.split()[2]) >= float(second.split()[2])


def test_the_command_writes_a_report(log, tmp_path, capsys):
    lines = tmp_path / "turns.jsonl.gz"
    export_logs(log, lines, progress=False)
    for source in (log, lines):
        output = tmp_path / source.stem
        analyze_log.main(
            [str(source), str(output), "--player", "random", "--agent", "heuristic", "--hands", "3"]
        )
        assert "points lost" in capsys.readouterr().out
        assert (output / "report.png").stat().st_size > 1000
        report = (output / "report.md").read_text()
        assert "# random, as heuristic sees it" in report
        entries = [json.loads(line) for line in (output / "decisions.jsonl").read_text().splitlines()]
        assert {entry["turn"] for entry in entries} == {0, 1, 2, 3, 4}


def test_impossible_lines_are_mentioned_and_left_out(log, tmp_path):
    lines = tmp_path / "turns.jsonl"
    export_logs(log, lines, progress=False)
    text = lines.read_text().splitlines()
    text[3] = text[3].replace('"turn":1', '"turn":2')
    text.insert(0, "rubbish")
    lines.write_text("\n".join(text))
    result = analyze_log.review(lines, "heuristic", progress=False)
    assert len(result.refused) == 2
    assert "2 lines or hands" in analyze_log.report_text(result, 1)


def test_agents_that_do_not_rank_play_on(log):
    result = analyze_log.review(log, "random", player="random", hands=1, worlds=1, progress=False)
    assert all(each.played.rollouts == 1 for each in result.differences)


def test_a_placement_that_was_not_weighed_costs_at_least_as_much_as_the_worst(tmp_path):
    path = tmp_path / "games.db"
    with Records(path) as records:
        log_hands(records, "s", 1, seed=1)
    turn = next(logged_hands([path], lambda log, number, error: None)).turns[0]
    hand = Hand(seed=1)
    first, second, *_ = hand.placements()

    def candidate(placement, mean):
        return Candidate(placement, (1,), mean=mean, error=0.1, rollouts=5)

    weighed = [candidate(first, 3.0), candidate(second, 1.0)]
    each = compare(turn, hand.information(0), weighed)
    assert (each.cost, each.at_least) == (2.0, True)
    assert cost_text(each).startswith("at least 2.00")
    with pytest.raises(ValueError, match="gives no values"):
        compare(turn, hand.information(0), [candidate(first, math.nan)])


def test_refusals_are_sentences(log, tmp_path, capsys):
    cut = tmp_path / "cut.jsonl"
    cut.write_text('{"session_id": "s1", "hand_id": "s1-1", "tu')
    for arguments, sentence in (
        ([str(log), "--player", "nobody", "--agent", "heuristic"], "no decisions of 'nobody'"),
        ([str(cut), "--agent", "heuristic"], "cut.jsonl: lines or hands were left out (1), the first: line"),
        ([str(log), "--agent", "nobody"], "no agent is named"),
        ([str(tmp_path / "none.db"), "--agent", "heuristic"], "there is no log database"),
        ([str(tmp_path / "none.jsonl"), "--agent", "heuristic"], "there is no log at"),
    ):
        assert analyze_log.main([arguments[0], str(tmp_path / "out"), *arguments[1:]]) == 2
        assert sentence in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
