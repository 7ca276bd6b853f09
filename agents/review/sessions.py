"""Reviews put together: a hand from the other side, and the hands of a session as one account."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from agents.review.grades import GRADES
from agents.review.hands import Outcome
from agents.review.report import Balance, HandReview, plain, rounded


def from_side(review: HandReview, seat: int, outcome: Outcome) -> HandReview:
    """A review as the seat sees it; `outcome` is that of its hand. The decisions are the same."""
    if review.seat == seat:
        return review
    return replace(
        review,
        seat=seat,
        steps=tuple(replace(step, expected=rounded(-step.expected)) for step in review.steps),
        balance=None if review.balance is None else _turned(review.balance),
        points=float(outcome.points[seat]),
        won_fantasyland=outcome.next_fantasyland[seat],
        fouled=outcome.fouled[seat],
        royalties=float(outcome.royalties[seat]),
    )


def _turned(balance: Balance) -> Balance:
    other = balance.turned()
    return Balance(**{name: rounded(number) for name, number in vars(other).items()})  # no -0.0


@dataclass(frozen=True)
class CoursePoint:
    """A point of a session's chart."""

    hand: int  # place in the reviews, from 0
    event: str  # as of a step
    turn: int | None
    seat: int | None
    expected: float  # points won in the hands before, and what this one is worth


@dataclass(frozen=True)
class Place:
    """Where a decision is found."""

    hand: int  # place in the reviews, from 0
    decision: int  # place in the hand's decisions, from 0


@dataclass(frozen=True)
class SessionReview:
    """Reviewed hands as one account, from one seat's side."""

    hands: int
    points: float | None  # of the seat; None where a result is not known
    lost: float  # points that the decisions in `worst` cost
    grades: dict[str, int]  # how many of the seat's decisions
    balance: Balance | None  # None where somebody's cards are not known
    course: tuple[CoursePoint, ...]
    worst: tuple[Place, ...]  # the seat's decisions that lost something, by what they cost

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {**plain(self), "grades": dict(self.grades)}


def session_of(reviews: Sequence[HandReview]) -> SessionReview:
    """Hands that followed each other, from one seat's side, in the order of play.

    A fantasyland that one hand wins is what the next one starts with: the account has it once, and its result
    is the points with what is won for the hand after the last.
    """
    own = [(hand, place) for hand, review in enumerate(reviews) for place in _own_places(review)]
    decisions = {(hand, place): reviews[hand].decisions[place] for hand, place in own}
    lost = [key for key in own if decisions[key].grade not in GRADES[:2]]
    points = [review.points for review in reviews]
    known = [each for each in points if each is not None]
    return SessionReview(
        len(reviews),
        sum(known) if len(known) == len(points) else None,
        rounded(sum(decisions[key].cost for key in lost)),
        {grade: sum(each.grade == grade for each in decisions.values()) for grade in GRADES},
        _balance(reviews),
        tuple(_course(reviews)),
        tuple(Place(*key) for key in sorted(lost, key=lambda key: -decisions[key].cost)),
    )


def _own_places(review: HandReview) -> list[int]:
    return [place for place, each in enumerate(review.decisions) if each.seat == review.seat]


def _balance(reviews: Sequence[HandReview]) -> Balance | None:
    balances = [review.balance for review in reviews]
    known = [each for each in balances if each is not None]
    if not known or len(known) < len(balances):
        return None
    carried = [each.result - (review.points or 0.0) for each, review in zip(known, reviews, strict=True)]
    handed_on = sum(carried[:-1])
    sums = {name: sum(getattr(each, name) for each in known) for name in vars(known[0])}
    sums["start"] -= handed_on
    sums["result"] -= handed_on
    parts = {name: rounded(number) for name, number in sums.items()}
    explained = parts["start"] + parts["luck"] - parts["opponent_luck"] - parts["cost"]
    unexplained = parts["result"] - explained - parts["opponent_cost"]
    return Balance(**{**parts, "unexplained": rounded(unexplained)})


def _course(reviews: Sequence[HandReview]) -> list[CoursePoint]:
    points, course = 0.0, []
    for hand, review in enumerate(reviews):
        course += [
            CoursePoint(hand, step.event, step.turn, step.seat, rounded(points + step.expected))
            for step in review.steps
        ]
        points += review.points or 0.0
    return course
