"""A profile from reviews whose numbers are known: what was planted is named, and nothing else."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from agents.review.profile import LEAST_HANDS, acts_first, profile_of, stake
from agents.review.report import Balance, Decision, HandReview, Option
from tests.agents.test_rating import decision, review


def weighed(cost: float, behind: tuple[float, ...], **fields: Any) -> Decision:
    """A decision among placements that are so far behind the best."""
    options = tuple(Option("", 0.0, 0.0, each, 0.0) for each in behind)
    return decision(cost, options=options, **fields)


def hands(count: int, careless_on: int | None, seed: int = 0) -> list[HandReview]:
    """Hands whose player loses about a fifth of the stake, and nearly all of it on one turn."""
    rng, found = random.Random(seed), []
    for number in range(count):
        turns = []
        for turn in range(5):
            behind = tuple(rng.uniform(0, 6) for _ in range(3))
            at_stake = sum(behind) / 4
            share = rng.uniform(0.7, 1.2) if turn == careless_on else rng.uniform(0.0, 0.4)
            turns.append(weighed(share * at_stake, (0.0, *behind), turn=turn))
        found.append(review(turns, button=number % 2))
    return found


def test_a_planted_weakness_is_named_and_makes_no_strengths_of_the_rest() -> None:
    found = profile_of(hands(60, careless_on=3))
    assert [(group.name, group.is_weakness) for group in found.groups] == [("turn 3", True)]
    assert found.groups[0].share.mean > 0.7 > 0.4 > found.groups[0].rest.mean
    assert json.loads(json.dumps(found.to_dict())) == found.to_dict()


def test_even_play_stands_out_nowhere_and_few_hands_say_nothing() -> None:
    assert profile_of(hands(60, careless_on=None)).groups == ()
    assert profile_of(hands(LEAST_HANDS - 1, careless_on=3)).groups == ()


def test_acting_first_and_second() -> None:
    played = [
        review([weighed(2.0, (0.0, 2.0))], button=0),
        review([weighed(5.0, (0.0, 5.0))], button=1),
        review([weighed(7.0, (0.0, 7.0))], button=1, fantasyland=(0, 14)),  # there is no order of play
        review([weighed(9.0, (0.0, 9.0), timed_out=True)], button=0),
    ]
    assert [acts_first(each) for each in played] == [True, False, None, True]
    assert acts_first(review([], button=0, rules="standard")) is False  # the button acts last
    found = profile_of(played)
    assert (found.first.mean, found.first.count) == (2.0, 1)
    assert (found.second.mean, found.second.count) == (5.0, 1)


def test_lost_hands_begin_with_what_luck_does_not_explain() -> None:
    def hand(result: float, luck: float, theirs: float) -> HandReview:
        return review([weighed(1.5, (0.0, 2.0))], balance=Balance(0.0, luck, theirs, 0.0, 0.0, 0.0, result))

    played = [hand(-20, -18, 3), hand(-6, 4, 0), hand(8, -9, 0), hand(-7, -2, 1)]
    lost = profile_of([*played, review([], balance=None)]).lost
    assert [(each.at, each.adjusted) for each in lost] == [(1, -10), (3, -4), (0, 1)]
    assert lost[0].cost == pytest.approx(1.5)


def test_what_is_at_stake() -> None:
    assert stake(weighed(0.0, (0.0, 1.0, 2.0))) == pytest.approx(1.0)
    assert stake(decision(0.0)) == 0.0
    nothing = profile_of([])
    assert (nothing.groups, nothing.lost, nothing.first.count) == ((), (), 0)
