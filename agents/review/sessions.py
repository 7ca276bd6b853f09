"""Reviews put together: a hand from the other side, and the hands of a session as one account."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agents.review.hands import Outcome
from agents.review.report import Balance, HandReview, plain, read
from ofc_env import _core


def from_side(review: HandReview, seat: int, outcome: Outcome) -> HandReview:
    """A review as the seat sees it; `outcome` is that of its hand. The decisions are the same."""
    if review.seat == seat:
        return review
    return read(HandReview, json.loads(text_from_side(text_of(review), seat, outcome)))


def text_from_side(review: str, seat: int, outcome: Outcome) -> str:
    """The same of a review as it is kept."""
    return _core.review_from_side(review, seat, json.dumps(plain(outcome)))


def text_of(review: HandReview) -> str:
    """A review as the core reads it."""
    return json.dumps(review.to_dict(), separators=(",", ":"))


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
    return read(SessionReview, json.loads(session_text([text_of(each) for each in reviews])))


def session_text(reviews: Sequence[str]) -> str:
    """The same of reviews as they are kept, as JSON."""
    return _core.review_session(reviews)
