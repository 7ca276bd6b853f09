"""A profile of a player: results, luck where all cards are known, costs by group, what was planted in it."""

import json
import math
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.arena.luck import Adjusting
from agents.rewards import equity
from experiments import analyze_log
from experiments.export_logs import export_logs
from experiments.generate_log import Games, generate_log
from experiments.people.played import played_hands
from experiments.people.profile import LEAST_SESSIONS, Profile, Side, make_profile, results_of
from experiments.people.report import plot_profile, report_text
from experiments.people.stand_in import STRENGTH, WEAKNESS
from ofc_env import Rules
from ofc_env.records import Records
from tests.logs import log_hands

PERSON = "experiments.people.stand_in:StandIn"
WIDTHS = ((0, 0), (0, 0), (14, 0), (0, 17), (0, 0), (15, 16))


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """Sixty hands of the stand-in against the champion's network."""
    path = tmp_path_factory.mktemp("log") / "games.db"
    generate_log(Games(PERSON, "alphazero:sims=0", hands=60, seed=3), path, progress=False)
    return path


@pytest.fixture(scope="module")
def profile(log) -> Profile:
    return make_profile([log], PERSON, agent="alphazero:sims=0", progress=False)


@pytest.fixture(scope="module")
def odd_log(tmp_path_factory):
    """A session with fantasylands on either side and on both."""
    path = tmp_path_factory.mktemp("odd") / "odd.db"
    with Records(path, durable=False) as records, records.transaction():
        log_hands(records, "s", 24, 5, WIDTHS)
    return path


def nothing_refused(sentence):
    raise AssertionError(sentence)


def hands_of(log: Path, player: str) -> Any:
    """The hands of a log that is whole."""
    return played_hands([log], player, nothing_refused)


# ---------------------------------------------------------------- results


def test_hands_of_a_database_are_known_whole(odd_log):
    hands = hands_of(odd_log, "ann")
    rows = list(Records(odd_log).hands("s"))
    assert len(hands) == len(rows) == 24
    by_id = {hand.hand_id: hand for hand in hands}
    for row in rows:
        hand, result = by_id[row["hand_id"]], json.loads(row["result"])
        assert hand.points == result["raw_score"][0]
        assert [hand.fantasyland, hand.opponent_fantasyland] == [row["fantasyland_0"], row["fantasyland_1"]]
        assert hand.luck is not None
        assert hand.opponent == "bob"
        assert [board.fouled for board in hand.boards] == result["busted"]
        assert (not hand.logged.turns) == (hand.fantasyland > 0 and hand.opponent_fantasyland > 0)
        assert (hand.equity is None) == (not hand.normal)
    other = {hand.hand_id: hand for hand in hands_of(odd_log, "bob")}
    for name, hand in by_id.items():
        assert hand.points == -other[name].points
        assert hand.luck == pytest.approx(-other[name].luck)


def test_luck_is_that_of_the_arena(odd_log):
    """The sum over the deals of a hand, by the judge that matches have."""
    hand = next(each for each in hands_of(odd_log, "ann") if each.normal)
    again = hands_of(odd_log, "ann")
    assert hand.luck == next(each.luck for each in again if each.hand_id == hand.hand_id)
    judge = Adjusting().meter(0, Rules(), equity(Rules())).judge
    lucks = []
    assert hand.logged is not None
    from experiments.logs.replay import dealt_hand

    position = dealt_hand(hand.logged.turns, [0, 1])
    for turn in hand.logged.turns:
        sign = 1 if position.player == 0 else -1
        lucks.append(sign * np.mean(judge.luck([position.clone()] * 200, list(range(200)))))
        position.place(turn.placement)
    assert hand.luck == pytest.approx(sum(lucks), abs=4.0)


def test_lines_tell_less_and_never_something_else(odd_log, tmp_path):
    whole = {hand.hand_id: hand for hand in hands_of(odd_log, "ann")}
    export_logs(odd_log, tmp_path / "both.jsonl", progress=False)
    export_logs(odd_log, tmp_path / "ann.jsonl.gz", player="ann", progress=False)
    older = [line for line in (tmp_path / "both.jsonl").read_text().splitlines() if '"turn":null' not in line]
    (tmp_path / "older.jsonl").write_text("\n".join(older) + "\n")  # as exports were that had no settings
    assert played_hands([tmp_path / "both.jsonl"], "ann", nothing_refused) == [
        replace(hand, logged=found.logged, when=found.when)
        for hand, found in zip(whole.values(), hands_of(tmp_path / "both.jsonl", "ann"), strict=True)
    ]
    for name, luck_known in (("older.jsonl", True), ("ann.jsonl.gz", False)):
        found = hands_of(tmp_path / name, "ann")
        assert 0 < len(found) <= len(whole)
        assert (len(found) < len(whole)) == luck_known  # hands that both set have no turn
        for hand in found:
            same = whole[hand.hand_id]
            assert hand.rules == same.rules
            assert (hand.luck is not None) == (luck_known and hand.normal)
            if hand.luck is not None:
                assert (hand.luck, hand.points, hand.equity) == (same.luck, same.points, same.equity)
            if hand.boards[0] is not None:
                assert hand.boards[0] == same.boards[0]
    merged = played_hands([tmp_path / "ann.jsonl.gz", odd_log], "ann", nothing_refused)
    assert {hand.hand_id for hand in merged} == set(whole)
    assert len(merged) == len(whole)


def test_impossible_hands_are_told_and_left_out(odd_log, tmp_path):
    export_logs(odd_log, tmp_path / "bad.jsonl", progress=False)
    lines = (tmp_path / "bad.jsonl").read_text().splitlines()
    lines[3] = lines[3].replace('"turn":1', '"turn":2')
    (tmp_path / "bad.jsonl").write_text("\n".join(["rubbish", *lines]) + "\n")
    told: list[str] = []
    found = played_hands([tmp_path / "bad.jsonl"], "ann", told.append, luck=False)
    assert len(told) == 2
    assert all(hand.luck is None for hand in found)
    first = json.loads(lines[0])["hand_id"]
    assert first not in {hand.hand_id for hand in found}


def test_results_are_sums_of_hands(odd_log):
    hands = hands_of(odd_log, "ann")
    own, other = results_of(hands), results_of(hands, opponent=True)
    assert own.points.mean == pytest.approx(np.mean([hand.points for hand in hands]))
    assert own.adjusted_points.mean == pytest.approx(np.mean([hand.points - hand.luck for hand in hands]))
    assert other.points.mean == pytest.approx(-own.points.mean)
    normal = [hand for hand in hands if not hand.fantasyland]
    assert own.foul.mean == pytest.approx(np.mean([hand.boards[0].fouled for hand in normal]))
    assert own.royalties.mean == pytest.approx(np.mean([hand.boards[0].royalties.total for hand in normal]))
    assert math.isnan(results_of([]).points.mean)


def test_few_sessions_have_no_interval(profile):
    """Two of them would be anything from ± 0 to ± 400 %."""
    few, many = ([hand for hand in profile.hands if hand.session_id in ids] for ids in sessions(profile))
    assert math.isfinite(results_of(few).foul.mean)
    assert math.isnan(results_of(few).foul.margin)
    assert "±" not in results_of(few).points.text()
    assert results_of(few).to_dict()["points"]["low"] is None
    assert math.isfinite(results_of(many).foul.margin)


def sessions(profile):
    ids = list(dict.fromkeys(hand.session_id for hand in profile.hands))
    return ids[: LEAST_SESSIONS - 1], ids[:LEAST_SESSIONS]


# ---------------------------------------------------------------- decisions


def test_the_planted_weakness_and_strength_are_named(profile):
    weaknesses, strengths = (
        [group.name for group in profile.own.named if group.verdict == verdict]
        for verdict in ("weakness", "strength")
    )
    assert weaknesses[0] == WEAKNESS
    assert STRENGTH in strengths
    text = report_text(profile.review, 3, profile)
    assert f"**weakness: {WEAKNESS}.**" in text
    assert f"**strength: {STRENGTH}.**" in text


def test_a_player_without_a_weakness_has_none_named(profile):
    """The champion's network judges itself: nothing is lost anywhere, and nothing is said."""
    assert profile.others.name == "alphazero:sims=0"
    assert len(profile.others.differences) > 100
    assert profile.others.cost_a_hand == 0
    assert profile.others.named == []
    assert "Nothing stands out" in report_text(
        profile.review, 1, Profile(PERSON, "", profile.hands, profile.others, profile.own, profile.review)
    )


def test_evenly_careless_play_is_not_called_a_weakness():
    """Costs that have nothing to do with the groups are named rarely: the threshold is three errors."""
    rng = random.Random(4)

    class Drawn:
        """A decision with a cost that is drawn."""

        def __init__(self, hand, turn):
            self.turn = type("Turn", (), {"hand": ("s", str(hand)), "turn": turn})
            self.cost, self.stake, self.agrees = rng.expovariate(1), 5.0, False
            self.situations = [f"turn {turn}", rng.choice(["acting first", "acting second"])]

    named = []
    for _ in range(60):
        drawn: Any = [Drawn(hand, turn) for hand in range(60) for turn in range(5)]
        named.append(len(Side("somebody", drawn).named))
    assert sum(named) <= 6  # 420 comparisons; about one in 370 by chance


def test_costs_add_up(profile):
    side = profile.own
    total = sum(each.cost for each in side.differences)
    assert sum(row["cost_a_hand"] for row in side.kinds()) * side.hands == pytest.approx(total)
    groups = {group.name: group for group in side.groups()}
    turns = [groups[f"turn {turn}"] for turn in range(5)]
    assert sum(group.a_hand for group in turns) * side.hands == pytest.approx(total)
    assert sum(group.decisions for group in turns) == len(side.differences)
    assert groups["acting first"].decisions + groups["acting second"].decisions == len(side.differences)
    assert sum(profile.costs().values()) == pytest.approx(total)
    for each in side.differences:
        assert (each.kind == "") == (each.agrees and each.turn.turn > 0)
        assert each.stake >= 0
    assert sum(block["hands"] for block in profile.blocks()) == len(profile.hands)
    assert math.isfinite(profile.trend().mean)


def test_lost_hands_come_first_by_what_luck_does_not_explain(profile):
    lost = profile.lost_hands()
    assert lost
    assert all(hand.points < 0 for hand in lost)
    less = [hand.points - hand.luck for hand in lost]
    assert less == sorted(less)


def test_a_name_of_any_letters_stands_in_tables_and_pictures(profile, tmp_path):
    """A name is what somebody typed: no bar of it divides a table, no dollar begins a formula."""
    name = "_Ann_ | $x^{$ *O'Neil* `<b>`"
    named = replace(profile, player=name, others=replace(profile.others, name=name))
    report = report_text(named.review, 20, named)
    shown = r"\_Ann\_ \| \$x^{\$ \*O'Neil\* \`\<b\>\`"
    assert f"| {shown} | {len(profile.hands)} |" in report
    tables = re.findall(r"(?:^\|.*\n)+", report, flags=re.MULTILINE)
    for table in tables:
        rows = [re.findall(r"(?<!\\)\|", row) for row in table.splitlines()]
        assert len({len(row) for row in rows}) == 1
    plot_profile(named, tmp_path / "profile.png")
    assert (tmp_path / "profile.png").stat().st_size > 10_000


def test_the_command_writes_a_profile(log, tmp_path, capsys):
    lines, out = tmp_path / "turns.jsonl.gz", tmp_path / "out"
    export_logs(log, lines, progress=False)
    words = [str(lines), "--more", str(log), "--player", PERSON, "--agent", "heuristic", "--hands", "12"]
    assert analyze_log.main([*words, "--out", str(out)]) == 0
    assert "points lost" in capsys.readouterr().out
    found = json.loads((out / "profile.json").read_text())
    assert found["player"] == PERSON
    assert found["results"]["all"]["hands"] == 12
    assert {row["kind"] for row in found["own"]["kinds"]} >= {"opening", "discard", "foul taken"}
    for name in ("profile.png", "report.png"):
        assert (out / name).stat().st_size > 1000
    report = (out / "report.md").read_text()
    for heading in ("Results", "Strengths and weaknesses", "Over time", "Lost hands", "found hard"):
        assert heading in report
