"""Reviews put together: the other side of a hand, and hands of a session as one account."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import pytest

from agents.review import Effort, HandReview, Judge, PlayedHand, replayed, review_hands
from agents.review.grades import GRADES
from agents.review.sessions import from_side, session_of
from agents.turns import play_turn, seat_to_act
from ofc_env import Placement, Session
from tests.reviewed import player

QUICK = Effort(simulations=40, worlds=16, played_on=16, shown=3, boards=8, redeals=8, openings=16)
HANDS = 4
WITH_FANTASYLAND = 9  # a seed of a session whose second hand has one


@cache
def session() -> tuple[PlayedHand, ...]:
    """The first hands of a session, one of them in fantasyland."""
    table = Session(WITH_FANTASYLAND, auto_fantasyland=False)
    who = (player("heuristic:careless=0.4,temperature=0.6"), player("heuristic"))
    hands = []
    for _ in range(HANDS):
        start, placements = table.hand.clone(), list[Placement]()
        played = start.clone()
        while not played.finished:
            placements.append(play_turn(who[seat_to_act(played)], played))
            played.place(placements[-1])
            table.place(placements[-1])
        hands.append(replayed(start, placements))
    return tuple(hands)


@cache
def reviews(seat: int) -> tuple[HandReview, ...]:
    return tuple(review_hands(session(), [seat] * HANDS, Judge(effort=QUICK)))


def test_the_other_side_is_what_a_review_for_it_says() -> None:
    for hand, mine, theirs in zip(session(), reviews(0), reviews(1), strict=True):
        assert hand.outcome is not None
        assert from_side(mine, 1, hand.outcome) == theirs
        assert from_side(theirs, 0, hand.outcome) == mine
        assert from_side(mine, 0, hand.outcome) is mine


def test_a_session_adds_up_and_counts_fantasyland_once() -> None:
    assert any(any(hand.fantasyland) for hand in session())
    for seat in (0, 1):
        found = session_of(reviews(seat))
        balance = found.balance
        assert balance is not None
        parts = balance.start + balance.luck - balance.opponent_luck - balance.cost + balance.opponent_cost
        assert parts + balance.unexplained == pytest.approx(balance.result, abs=1e-9)
        points = sum(hand.outcome.points[seat] for hand in session() if hand.outcome is not None)
        last = reviews(seat)[-1]
        assert last.balance is not None
        assert last.points is not None
        assert found.points == points
        assert balance.result == pytest.approx(points + last.balance.result - last.points, abs=1e-3)
        # What a hand hands on is what the next one starts with: only the seat's edge is left.
        assert abs(balance.start) < 1.0
        everything = sum(each.cost for review in reviews(seat) for each in review.own())
        assert balance.cost == pytest.approx(everything, abs=1e-3)


def test_the_course_goes_on_from_hand_to_hand() -> None:
    found, hands = session_of(reviews(0)), reviews(0)
    assert [point.expected for point in found.course if point.hand == 0] == [
        step.expected for step in hands[0].steps
    ]
    base = sum(review.points or 0.0 for review in hands[:2])
    assert [point.expected for point in found.course if point.hand == 2] == pytest.approx(
        [base + step.expected for step in hands[2].steps], abs=1e-3
    )
    assert found.balance is not None
    assert found.course[-1].expected == pytest.approx(found.balance.result, abs=1e-3)


def test_the_worst_comes_first_and_nothing_that_lost_nothing() -> None:
    found, hands = session_of(reviews(0)), reviews(0)
    decisions = [hands[place.hand].decisions[place.decision] for place in found.worst]
    assert decisions
    costs = [each.cost for each in decisions]
    assert found.lost == pytest.approx(sum(costs), abs=1e-3)
    assert costs == sorted(costs, reverse=True)
    assert {each.seat for each in decisions} == {0}
    assert not {each.grade for each in decisions} & {"best", "close"}
    assert len(decisions) == sum(found.grades[grade] for grade in GRADES[2:])
    assert sum(found.grades.values()) == sum(len(review.own()) for review in hands)


def test_what_is_not_known_is_not_told() -> None:
    first, *others = reviews(0)
    found = session_of([replace(first, balance=None), *others])
    assert found.balance is None
    assert found.points is not None
    assert session_of([replace(first, points=None, balance=None)]).points is None
    empty = session_of([])
    assert (empty.hands, empty.balance, empty.course, empty.worst) == (0, None, (), ())


def test_it_is_json() -> None:
    body = session_of(reviews(0)).to_dict()
    assert json.loads(json.dumps(body)) == body
    assert set(body["course"][0]) == {"hand", "event", "turn", "seat", "expected"}
