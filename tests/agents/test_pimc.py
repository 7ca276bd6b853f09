"""Perfect-information Monte Carlo: the race against the full run of the same worlds, exact endings, risk."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest

import agents
from agents.players.pimc import PimcAgent
from ofc_env import Candidate, InformationSet, Placement, _core, solve_last_turn
from tests.self_play import Decision, decisions


def searched(position: Decision, seed: int = 1, **options) -> list[Candidate]:
    """All candidates of one search, best first, by the native search itself."""
    return _core.Pimc(**options).search(position.information, seed)


def middle_positions(hands: int, seed: int = 0) -> list[Decision]:
    return [position for position in decisions(hands, seed=seed) if 1 <= position.hand.turn <= 3]


# ---------------------------------------------------------------- the race


def test_the_race_plays_the_worlds_of_the_full_run() -> None:
    """After as many worlds as the winner of a race has seen, the full run gives it exactly the same mean."""
    for position in middle_positions(4, seed=1):
        raced = searched(position, rollouts=600)
        winner = raced[0]
        budget = winner.rollouts * len(raced)
        full = {each.placement: each for each in searched(position, rollouts=budget, race=False)}
        assert {each.rollouts for each in full.values()} == {winner.rollouts}
        assert full[winner.placement].mean == pytest.approx(winner.mean, abs=1e-9)
        assert full[winner.placement].foul == pytest.approx(winner.foul, abs=1e-9)


def race_distances(positions: list[Decision], rollouts: int, worlds: int) -> list[float]:
    """How far the race's choices are behind in the full run, in units of the race's own stated error."""
    distances = []
    for position in positions:
        raced = searched(position, rollouts=rollouts)
        budget = worlds * len(raced)
        full = {each.placement: each for each in searched(position, rollouts=budget, race=False)}
        best = max(full.values(), key=lambda each: each.mean)
        stated = {each.placement: each.error for each in raced}
        behind = best.mean - full[raced[0].placement].mean
        # The two means share their worlds, so the error of their difference is smaller than this.
        error = math.hypot(stated[raced[0].placement], stated[best.placement])
        distances.append(behind / error if behind > 1e-9 else 0.0)
    return distances


def check_race(distances: list[float]) -> None:
    assert max(distances) < 2.5
    assert np.mean(np.array(distances) > 1.5) < 0.05
    assert np.mean(np.array(distances) == 0) > 0.3  # mostly the very best, in fact


def test_the_race_never_prefers_what_the_full_run_rejects_by_more_than_its_error() -> None:
    check_race(race_distances(middle_positions(3, seed=2), rollouts=2000, worlds=400))


@pytest.mark.prove
@pytest.mark.parametrize("part", range(8))
def test_the_race_never_prefers_what_a_long_full_run_rejects(part: int) -> None:
    check_race(race_distances(middle_positions(10, seed=20 + part), rollouts=2000, worlds=2000))


def test_the_race_spends_its_budget_on_those_in_doubt() -> None:
    for position in middle_positions(3, seed=3):
        raced = searched(position, rollouts=2000)
        spent = [each.rollouts for each in raced]
        assert 0.8 * 2000 <= sum(spent) <= 2000 + len(raced)
        assert spent[0] == max(spent)
        means = [each.mean for each in raced[1:]]
        assert means == sorted(means, reverse=True)
        if len(raced) > 4:
            assert spent[0] > 2 * sum(spent) / len(spent)
        even = [each.rollouts for each in searched(position, rollouts=2000, race=False)]
        assert len(set(even)) == 1


def test_openings_that_do_not_enter_are_listed_last() -> None:
    position = next(iter(decisions(1, seed=4)))
    ranking = searched(position, rollouts=400, opening_width=16)
    assert len(ranking) == 232
    assert all(each.rollouts for each in ranking[:16])
    assert all(each.rollouts == 0 and math.isnan(each.mean) for each in ranking[16:])


def test_the_stated_error_is_the_error() -> None:
    """Means of independent searches scatter around the long run's as their stated errors say."""
    position = middle_positions(2, seed=5)[3]
    long_run = {each.placement: each.mean for each in searched(position, 99, rollouts=50_000, race=False)}
    distances = []
    for seed in range(25):
        for each in searched(position, seed, rollouts=30 * len(long_run), race=False):
            distances.append((each.mean - long_run[each.placement]) / max(each.error, 1e-9))
    assert np.std(distances) == pytest.approx(1, abs=0.3)


# ---------------------------------------------------------------- endings, risk, leaves


@pytest.mark.parametrize("width", [0, 15])
def test_the_last_turn_is_the_solved_one(width: int) -> None:
    agent = PimcAgent(rollouts=50)
    checked = 0
    for position in decisions(4 if width else 30, seed=6, width=width):
        if position.hand.turn < 4:
            continue
        ranking = agent.rank(position.information)
        if width:  # sampled boards: the same candidates, values only close
            assert {each.actions[0] for each in ranking} == set(position.hand.legal_actions())
            checked += 1
            continue
        values = solve_last_turn(position.hand)
        assert {each.actions[0]: each.mean for each in ranking} == pytest.approx(values, abs=1e-6)
        assert agent.act(position.observation) == ranking[0].actions[0]
        assert ranking[0].mean == pytest.approx(max(values.values()), abs=1e-6)
        checked += 1
    assert checked == (4 if width else 60)


# Queens on top need two pair in the middle, which holds sevens and two cards that may still pair up.
GAMBLE = InformationSet(
    top="Qh",
    middle="7c 7d 3s 4h",
    bottom="9c 9d Jh Jd",
    opponent_top="2h 5h",
    opponent_middle="8h 8d 6c",
    opponent_bottom="Ac Ad Th Tc",
    hand="Qd 5c 6s",
    discards="2c 6d",
    turn=3,
    button=True,
)


def test_risk_setting_prefers_the_safe_placement() -> None:
    chosen = {risk: PimcAgent(rollouts=8000, risk=risk, seed=3).rank(GAMBLE)[0] for risk in (-0.5, 0.0, 2.0)}
    gamble, careful = chosen[-0.5], chosen[2.0]
    queens = "Qd>t"
    assert queens in str(gamble.placement)
    assert queens not in str(careful.placement)
    assert careful.foul < gamble.foul
    spread = {risk: each.error * math.sqrt(each.rollouts) for risk, each in chosen.items()}
    assert spread[2.0] < spread[-0.5]
    assert spread[2.0] <= spread[0.0] <= spread[-0.5]


@pytest.mark.parametrize("leaf", ["random", "heuristic", "beam"])
def test_leaves_are_interchangeable(leaf: str) -> None:
    agent = agents.make(f"pimc:rollouts=60,leaf={leaf}")
    for position in decisions(2, seed=7):
        assert agent.act(position.observation) in position.hand.legal_actions()
    for position in decisions(1, seed=7, width=14):
        assert agent.act(position.observation) in position.hand.legal_actions()


def test_equal_agents_answer_equally() -> None:
    one, other = agents.make("pimc:rollouts=200"), agents.make("pimc:rollouts=200")
    backwards = list(decisions(3, seed=8))[::-1]
    answers = [one.act(position.observation) for position in backwards]
    assert answers[::-1] == [other.act(position.observation) for position in backwards[::-1]]


def test_the_time_limit_ends_a_search() -> None:
    position = next(iter(decisions(1, seed=9)))
    start = time.process_time()  # other work on the machine is not counted
    ranking = searched(position, rollouts=100_000_000, seconds=0.05)
    assert time.process_time() - start < 2
    assert Placement.parse(str(ranking[0].placement)) in position.hand.placements()


def test_errors_are_sentences() -> None:
    position = next(iter(decisions(1)))
    search = _core.Pimc(rollouts=10)
    for attempt, words in (
        (lambda: agents.make("pimc:rollouts=0"), "rollouts is 0, outside 1 to 100000000"),
        (lambda: agents.make("pimc:opening_width=-1"), "opening_width is -1"),
        (lambda: agents.make("pimc:leaf=oracle"), "oracle"),
        (lambda: agents.make("pimc:worlds=3"), "worlds"),
        (lambda: search.search(position.history[-1:], 1), "490"),
        (lambda: search.search(position.hand.information(1 - position.seat), 1), "not to act"),
    ):
        with pytest.raises(ValueError, match=words) as refusal:
            attempt()
        assert "\n" not in str(refusal.value)
