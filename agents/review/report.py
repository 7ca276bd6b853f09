"""What a review says: plain values, JSON-ready both ways, so that a server can keep them.

The core writes and reads the same form (core/review/report.hpp); here it has types for Python.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from ofc_env import _core
from ofc_env._core import rounded

__all__ = [
    "VERSION",
    "WIDTHS",
    "Balance",
    "Chances",
    "Decision",
    "Difference",
    "Foul",
    "HandReview",
    "Option",
    "Step",
    "plain",
    "read",
    "rounded",
]

VERSION: int = _core.REVIEW_VERSION  # of the form; a kept review of another version is made again
WIDTHS = (14, 15, 16, 17)

Plain = TypeVar("Plain")


@dataclass(frozen=True)
class Chances:
    """How a placement ends, played on by the judge in both seats."""

    value: float  # points of equity
    error: float  # standard error of that
    foul: float  # 0 to 1, as all chances
    fantasyland: tuple[float, ...]  # of 14, 15, 16 and 17 cards
    royalties: float  # mean points
    rows: tuple[float, ...]  # chance to win top, middle and bottom
    opponent_foul: float
    opponent_fantasyland: tuple[float, ...]
    opponent_royalties: float


@dataclass(frozen=True)
class Difference:
    """What the placement played changed beside the best one in the same worlds: played less best."""

    value: float  # points; the sum of the five parts below
    value_error: float  # standard errors, as the other `..._error`
    by_foul: float  # points in the worlds where one of the two fouls and the other does not
    by_fantasyland: float  # points of fantasyland won in the others
    by_royalties: float  # own royalties there
    by_rows: float  # rows and scoops there
    by_opponent: float  # the opponent's royalties and fantasyland there
    by_foul_error: float
    by_fantasyland_error: float
    by_royalties_error: float
    by_rows_error: float
    by_opponent_error: float
    foul: float  # chances
    foul_error: float
    fantasyland: tuple[float, ...]  # of each width
    any_fantasyland: float
    any_fantasyland_error: float
    royalties: float  # points
    royalties_error: float
    rows: tuple[float, ...]


@dataclass(frozen=True)
class Option:
    """A placement that was weighed."""

    placement: str  # as Placement.parse reads it
    value: float  # points of equity for the seat
    error: float  # standard error of the value; 0 where it is exact
    behind: float  # the best placement's value less this one's
    behind_error: float  # of that difference: smaller, because both met the same worlds
    chances: Chances | None = None  # of the best placement and of the one played


@dataclass(frozen=True)
class Decision:
    """A decision and what it cost."""

    seat: int
    turn: int
    information: str  # what the seat knew, as InformationSet.parse reads it
    played: str
    best: str  # named by a search; what it is worth was found in other worlds
    options: tuple[Option, ...]  # the search's best few and the one played, best first
    cost: float  # points; right on average, and so below 0 now and then where it is too close to call
    error: float  # standard error of the cost
    low: float  # 95 % interval of what was lost, 0 or more
    high: float
    grade: str  # one of agents.review.grades.GRADES
    kind: str | None  # one of KINDS; None where the best was played
    obvious: bool
    timed_out: bool
    difference: Difference | None  # None where the best was played


@dataclass(frozen=True)
class Step:
    """A point of the chart: what the hand is worth to the seat of the review after an event."""

    event: str  # start, deal, placement, end
    turn: int | None
    seat: int | None  # whose event it is
    expected: float  # points of equity; at the end those of the result
    luck: float | None = None  # of a deal, for the seat of the event
    cost: float | None = None  # of a placement, for the seat of the event


@dataclass(frozen=True)
class Balance:
    """Luck and skill apart, from one seat's side; points of equity.

    start + luck - opponent_luck - cost + opponent_cost + unexplained = result, to the last digit.
    """

    start: float  # what the seat was worth before any card was dealt
    luck: float
    opponent_luck: float
    cost: float
    opponent_cost: float
    unexplained: float  # what the judge cannot explain
    result: float


@dataclass(frozen=True)
class Foul:
    """How a board came to be fouled."""

    seat: int
    certain_turn: int  # from when on no card could save it
    certain_by: str  # "placement" or "deal" of that turn
    lost_turn: int | None  # the decision that lost it; None: the cards did


@dataclass(frozen=True)
class HandReview:
    """A hand looked at again, from one seat's side."""

    version: int
    judge: str
    rules: str
    seat: int
    button: int
    fantasyland: tuple[int, ...]  # widths by seat
    decisions: tuple[Decision, ...]  # in the order of play; of one seat where the other's cards are not known
    steps: tuple[Step, ...]
    balance: Balance | None  # None where somebody's cards are not known
    fouls: tuple[Foul, ...]
    points: float | None  # of the seat; None where the result is not known, as the next ones
    won_fantasyland: int | None  # cards of the next hand's fantasyland
    fouled: bool | None
    royalties: float | None

    def own(self) -> tuple[Decision, ...]:
        """The decisions of the seat."""
        return tuple(each for each in self.decisions if each.seat == self.seat)

    def worst_first(self) -> tuple[Decision, ...]:
        """The seat's decisions by what they cost."""
        return tuple(sorted(self.own(), key=lambda each: -each.cost))

    def without_opponent(self) -> HandReview:
        """What may be shown to the seat alone: the opponent's decisions tell what it threw away."""
        return replace(self, decisions=self.own())

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return dict(plain(self))

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> HandReview:
        """A review that was kept; ValueError for one of another version."""
        if content.get("version") != VERSION:
            found = content.get("version")
            raise ValueError(f"the review is of version {found}, not {VERSION}: review the hand again")
        return read(cls, content)


def plain(value: Any) -> Any:
    """A dataclass, tuple or number as JSON has it."""
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, tuple):
        return [plain(each) for each in value]
    return value


def read(kind: type[Plain], content: Mapping[str, Any]) -> Plain:
    """A dataclass from what `plain` made of it."""
    hints = _hints(kind)  # type: ignore[arg-type]
    try:
        return kind(**{name: _value(hints[name], content[name]) for name in hints})
    except (KeyError, TypeError) as error:
        raise ValueError(f"not a {kind.__name__}: {error} is missing or of the wrong kind") from None


@cache
def _hints(kind: type[Any]) -> dict[str, Any]:
    return get_type_hints(kind)


def _value(hint: Any, content: Any) -> Any:
    if content is None:
        return None
    if get_origin(hint) is tuple:
        return tuple(_value(get_args(hint)[0], each) for each in content)
    for choice in (hint, *get_args(hint)):
        if is_dataclass(choice):
            return read(choice, content)  # type: ignore[arg-type]
        if choice is float:
            return float(content)
    return content
