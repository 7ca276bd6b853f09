"""What decisions lose, measured by the referee: bounds, strata, resuming, and labels."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agents
from agents.players.alphazero import CHAMPION
from experiments import regret
from experiments.common.show import describe
from experiments.referee.decisions import losses, position
from experiments.referee.labels import read_labels
from experiments.referee.report import Share, losses_of, outside_of
from experiments.regret import Config, Found, measure, measurement_of
from ofc_env import InformationSet, _core

QUICK = Config(
    agent="heuristic", judge="heuristic", decisions=16, worlds=16, block=8, fresh=8, processes=1, seed=5
)
OPTIONS = ["--agent", "heuristic", "--judge", "heuristic", "--worlds", "16", "--block", "8", "--fresh", "8"]


def bounds(found: Found) -> list[tuple[float, float]]:
    return [(each["at_least"], each["at_most"]) for each in found.decisions]


# --- the bounds ----------------------------------------------------------------------------


@dataclass
class Judged:
    """What the referee answers, made up."""

    race: np.ndarray
    fresh: np.ndarray
    left: list[int]
    leader: int


def test_losses_of_known_values() -> None:
    nan = np.nan
    # The race: the second leads, the third dropped out after two worlds. Fresh worlds like the first better.
    race = np.array([[1, 3, 1, 3], [2, 4, 2, 4], [0, 0, nan, nan]])
    fresh = np.array([[5.0, 7.0], [4.0, 4.0], [1.0, 3.0]])
    judged: Any = Judged(race, fresh, [0, 1], 1)
    # Chosen the first: by fresh worlds the leader loses 1 and 3; by all the leader gains (4 * 1 - 4) / 6 = 0.
    assert losses(judged, 0) == pytest.approx((-2.0, 1.0, 0.0))
    # Chosen the leader itself: nothing is lost for certain, and the first is no better by all worlds.
    assert losses(judged, 1) == pytest.approx((0.0, 0.0, 0.0))
    # Chosen the third: compared in its own worlds alone, two of the race and the fresh ones.
    assert losses(judged, 2) == pytest.approx((2.0, 1.0, (1 + 3 + 4 + 4) / 4))


def test_who_chooses_the_leader_loses_exactly_nothing() -> None:
    found = measure(replace(QUICK, decisions=24, worlds=32))
    agree = [each for each in found.decisions if each["chosen"] == each["leader"]]
    assert 3 < len(agree) < 24
    assert all(each["at_least"] == each["at_least_error"] == 0.0 for each in agree)
    assert all(each["at_most"] >= 0.0 for each in found.decisions)


def test_random_decisions_lose_more_than_the_judges_own() -> None:
    def lost(agent: str) -> float:
        found = measure(replace(QUICK, agent=agent, decisions=24, worlds=32, fresh=32))
        return float(np.mean([each["at_least"] for each in found.decisions]))

    assert lost("random") > lost("heuristic") + 1.5


# --- positions -----------------------------------------------------------------------------


def test_positions_cover_every_stratum() -> None:
    measurement = measurement_of(replace(QUICK, judge="alphazero"))
    judge = agents.make(measurement.player)
    drawn: dict[str, list[Any]] = {"plain": [], "joker": [], "fantasyland": []}
    for number in range(160):
        hand, kind = position(judge, measurement, number)
        assert position(judge, measurement, number)[0] == hand
        assert hand.player is not None
        info = hand.information(hand.player)
        assert not info.opening_step
        assert bool(info.opponent_fantasyland) == (kind == "fantasyland")
        if kind == "joker":
            assert any(card >= 52 for card in info.hand)
        drawn[kind].append((info.turn, hand.player if kind != "fantasyland" else info.opponent_fantasyland))
    assert {kind: len(each) for kind, each in drawn.items()} == {"plain": 96, "joker": 24, "fantasyland": 40}
    seats = [(turn, seat) for turn in range(4) for seat in range(2)]
    assert all(drawn["plain"].count(each) == 12 for each in seats)
    assert all(drawn["joker"].count(each) == 3 for each in seats)
    widths = [(turn, width) for turn in range(4) for width in (14, 15, 16, 17)]
    assert all(drawn["fantasyland"].count(each) >= 2 for each in widths)


@pytest.mark.parametrize("share", [0.0, 0.5, 0.7, 1.0])
def test_a_share_of_openings(share: float) -> None:
    """As many as asked for of every kind, seats alike; the other turns share the rest evenly."""
    measurement = measurement_of(replace(QUICK, openings=share))
    judge = agents.make(measurement.player)
    drawn: dict[str, list[tuple[int, int]]] = {}
    for number in range(160):
        hand, kind = position(judge, measurement, number)
        assert hand.player is not None
        drawn.setdefault(kind, []).append((hand.turn, hand.player))
    assert {kind: len(each) for kind, each in drawn.items()} == {"plain": 96, "joker": 24, "fantasyland": 40}
    for kind, places in drawn.items():
        openings = sum(turn == 0 for turn, _ in places)
        assert abs(openings - share * len(places)) < 1
        seats = (0, 1) if kind != "fantasyland" else (0,)
        for turn in range(4):
            each = [places.count((turn, seat)) for seat in seats]
            assert max(each) - min(each) <= 1
            assert not turn or abs(sum(each) - (len(places) - openings) / 3) < 2


def test_a_share_of_openings_is_another_measurement() -> None:
    usual = measurement_of(QUICK).identity("x")
    assert "openings" not in usual, "files of before go on"
    assert measurement_of(replace(QUICK, openings=0.25)).identity("x") == {**usual, "openings": 0.25}
    found = measure(replace(QUICK, openings=1.0, decisions=8, worlds=8, fresh=4))
    assert {each["turn"] for each in found.decisions} == {0}
    assert [loss.name for loss in losses_of(found.decisions) if loss.name.startswith("turn")] == [
        "turn 0",
        "turn 0, opponent in fantasyland",
    ]


def test_rules_without_fantasyland_or_jokers() -> None:
    found = measure(replace(QUICK, rules="no_fantasyland jokers=0", decisions=8))
    assert [each["drawn"] for each in found.decisions] == ["plain"] * 8
    assert [(each["turn"], each["first"]) for each in found.decisions] == [
        (turn, first) for turn in range(4) for first in (True, False)
    ]


# --- measuring -----------------------------------------------------------------------------


def test_processes_and_interruptions_change_nothing(tmp_path: Path) -> None:
    whole = measure(replace(QUICK, decisions=10))
    spread = measure(replace(QUICK, decisions=10, processes=2), tmp_path)
    assert spread.decisions == whole.decisions
    stored = tmp_path / "decisions.jsonl"
    lines = stored.read_text().splitlines(keepends=True)
    assert len(lines) == 11
    stored.write_text("".join(lines[:4]) + lines[4][:50])  # killed in the middle of a line
    kept = lines[1:4]
    again = measure(replace(QUICK, decisions=10, resume="--out"), tmp_path)
    assert again.decisions == whole.decisions
    assert stored.read_text().splitlines(keepends=True)[1:4] == kept, "what was there is not judged again"
    longer = measure(replace(QUICK, decisions=12, resume="--out"), tmp_path)
    assert longer.decisions[:10] == whole.decisions
    with pytest.raises(ValueError, match=r"holds another match \(seed was 5 and is now 6"):
        measure(replace(QUICK, decisions=12, resume="--out", seed=6), tmp_path)
    assert measure(replace(QUICK, decisions=10, seed=6)).decisions != whole.decisions


def test_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [*OPTIONS, "--decisions", "64", "--processes", "1", "--out", str(tmp_path)]
    assert regret.main(words) == 0
    printed = capsys.readouterr().out
    for line in (
        "a hand ",
        "second to act",
        "one joker in hand",
        "a hand, opponent in fantasyland",
        "6 of openings",
    ):
        assert line in printed
    found = json.loads((tmp_path / "regret.json").read_text())
    by_name = {loss["name"]: loss for loss in found["losses"]}
    turns = [by_name[f"turn {turn}"]["at_least"]["mean"] for turn in range(4)]
    assert by_name["a hand"]["at_least"]["mean"] == pytest.approx(sum(turns))
    assert found["rollouts"] > 64 * 16
    assert len(found["outside"]) == 5
    assert regret.main([*words, "--resume"]) == 0
    assert json.loads((tmp_path / "regret.json").read_text())["losses"] == found["losses"]
    assert "64 decisions" in describe(tmp_path / "decisions.jsonl")


def decision(**changes: Any) -> dict[str, Any]:
    usual = {"drawn": "plain", "turn": 1, "first": True, "jokers": 0, "at_least": 1.0, "at_most": 2.0}
    return {**usual, "leader": 0, "left": [0], **changes}


def test_strata() -> None:
    listed = [
        *(
            decision(turn=turn, first=turn % 2 == 0, at_least=float(turn))
            for turn in range(4)
            for _ in range(2)
        ),
        decision(drawn="joker", jokers=1, at_least=9.0),
        decision(drawn="fantasyland", turn=2, jokers=1, at_least=-5.0),
    ]
    found = {loss.name: loss.at_least for loss in losses_of(listed)}
    assert {name: each.mean for name, each in found.items()} == {
        "turn 0": 0,
        "turn 1": 1,
        "turn 2": 2,
        "turn 3": 3,
        "a hand": 6,
        "first to act": 1,
        "second to act": 2,
        "no joker in hand": 1.5,
        "one joker in hand": 9,
        "turn 2, opponent in fantasyland": -5,
    }
    assert found["a hand"].count == 8


def test_how_often_the_best_is_outside() -> None:
    listed = [
        decision(turn=0, leader=40, left=[40, 50]),  # clearly outside of all
        decision(turn=0, leader=40, left=[8, 40]),  # not clear but for the first six
        decision(turn=0, leader=7, left=[7]),
        decision(turn=0),
        decision(turn=2, leader=13, left=[1, 13]),
        decision(drawn="joker", turn=2, leader=13, left=[13]),  # drawn on purpose: does not count
    ]
    found = {(each.name, each.first): (each.named.hits, each.clear.hits) for each in outside_of(listed)}
    assert found == {
        ("openings", 6): (3, 3),
        ("openings", 12): (2, 1),
        ("openings", 32): (2, 1),
        ("later turns", 6): (1, 0),
        ("later turns", 12): (1, 0),
    }
    low, high = Share(0, 10).interval
    assert low == 0.0
    assert high == pytest.approx(0.2775, abs=1e-3)
    assert Share(5, 10).interval == pytest.approx((0.2366, 0.7634), abs=1e-3)


# --- labels --------------------------------------------------------------------------------


def test_labels(tmp_path: Path) -> None:
    found = measure(replace(QUICK, decisions=8, processes=2), tmp_path)
    labels = read_labels(tmp_path / "decisions.jsonl")
    assert labels.states.shape == (len(labels.values), 8)
    assert labels.offsets[-1] == len(labels.values) == len(labels.errors) == len(labels.worlds)
    assert len(labels.informations) == len(labels.offsets) - 1 == 8
    referee = _core.Referee(None, worlds=16, block=8, fresh=8)
    for number, text in enumerate(labels.informations):
        info = InformationSet.parse(text)
        part = slice(labels.offsets[number], labels.offsets[number + 1])
        placements = found.decisions[number]["placements"]
        assert len(placements) == len(info.placements()) == len(labels.values[part])
        judgement = referee.judge(info)
        assert [str(placement) for placement in judgement.placements] == placements
        assert np.array_equal(labels.states[part], judgement.states)
        assert labels.priors[part] == pytest.approx(judgement.priors, abs=1e-3)
    # A placement that both kinds of worlds judged counts all of them.
    first = found.decisions[0]
    row = first["leader"]
    race, fresh = first["race"], first["fresh"]
    at = first["judged"].index(row)
    worlds = race["worlds"][row] + 8
    assert labels.worlds[row] == worlds
    mean = (race["means"][row] * race["worlds"][row] + fresh["means"][at] * 8) / worlds
    assert labels.values[row] == pytest.approx(mean, abs=1e-3)
    other = tmp_path / "other.jsonl"
    other.write_text('{"kind": "hands"}\n')
    with pytest.raises(ValueError, match="holds no judged decisions"):
        read_labels(other)


# --- refusals ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--decisions", "7"], "--decisions is 7: it must be 8 or more"),
        (["--worlds", "1"], "--worlds is 1: it must be 2 or more"),
        (["--fresh", "1"], "--fresh is 1: it must be 2 or more"),
        (["--jokers", "1.5"], "--jokers is 1.5: it must be 1 or less"),
        (["--openings", "-1"], "--openings is -1.0: it must be 0 or more"),
        (["--judge", "alphazero:sims=200"], "alphazero:sims=200 cannot judge"),
        (["--judge", "pimc"], "pimc cannot judge"),
        (["--agent", "nobody"], "no agent is named 'nobody'"),
        (["--agent", "mcts-open:simulations=2"], "looks at the true deck"),
        (["--rules", "standard scoop=6"], "nobody has measured what fantasyland is worth"),
    ],
)
def test_refusals(
    words: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert regret.main([*OPTIONS, "--processes", "1", "--out", str(tmp_path), *words]) == 2
    assert sentence in capsys.readouterr().err


def test_the_judge_may_be_a_file() -> None:
    given = measurement_of(replace(QUICK, judge=f"alphazero:checkpoint={CHAMPION}"))
    assert given.network == CHAMPION
    assert given.identity("x") == measurement_of(replace(QUICK, judge="alphazero")).identity("x")
    assert agents.make(given.player).name == f"alphazero:sims=0,checkpoint={CHAMPION}"
