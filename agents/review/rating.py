"""A rating: points lost a hand over decisions that were not obvious, and the level that loses as much."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agents.arena.estimates import Estimate, estimate
from agents.review.grades import GRADES, KINDS
from agents.review.report import Decision, HandReview

# Points that the levels lose a hand against the judge's network: experiments/calibrate_rating.py,
# docs/getting-better.md.
LEVEL_LOSS = {
    "novice": 16.83,
    "beginner": 13.3,
    "casual": 9.21,
    "regular": 7.95,
    "skilled": 5.61,
    "advanced": 2.86,
    "expert": 2.02,
    "strongest": 0.0,
}
BLOCK = 20  # hands of a point in the course of a rating


@dataclass(frozen=True)
class Rating:
    """How much somebody loses."""

    lost: Estimate  # points a hand, over hands with something to decide
    decisions: int  # that were not obvious
    lost_a_decision: float  # points, of these
    band: str | None  # the level that loses most nearly as much; None without hands
    surely: tuple[str, ...]  # the levels that the 95 % interval holds, weakest first
    course: tuple[Estimate, ...]  # of every `BLOCK` hands, oldest first

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "lost": self.lost.to_dict(),
            "decisions": self.decisions,
            "lost_a_decision": None if math.isnan(self.lost_a_decision) else self.lost_a_decision,
            "band": self.band,
            "surely": list(self.surely),
            "course": [each.to_dict() for each in self.course],
        }


@dataclass(frozen=True)
class Share:
    """What some decisions cost."""

    decisions: int
    lost: Estimate  # points a hand

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"decisions": self.decisions, "lost": self.lost.to_dict()}


@dataclass(frozen=True)
class Statistics:
    """How somebody plays; rates are of hands played normally."""

    hands: int
    foul: Estimate
    fantasyland: Estimate  # entered
    royalties: Estimate  # points a hand
    result: Estimate  # equity a hand, of all hands
    adjusted: Estimate  # the same with the luck of the deals taken out, where it is known
    by_turn: tuple[Share, ...]  # 0 to 4
    by_kind: dict[str, Share]
    grades: dict[str, int]

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        names = ("foul", "fantasyland", "royalties", "result", "adjusted")
        return {
            "hands": self.hands,
            **{name: getattr(self, name).to_dict() for name in names},
            "by_turn": [each.to_dict() for each in self.by_turn],
            "by_kind": {name: each.to_dict() for name, each in self.by_kind.items()},
            "grades": self.grades,
        }


def rating_of(reviews: Sequence[HandReview]) -> Rating:
    """The rating of the player from whose side some hands were reviewed, oldest first."""
    decided = [[each for each in review.own() if counts(each)] for review in reviews]
    costs = [sum(each.cost for each in mine) for mine in decided if mine]
    lost = estimate(costs)
    decisions = sum(map(len, decided))
    blocks = [costs[first : first + BLOCK] for first in range(0, len(costs), BLOCK)]
    return Rating(
        lost,
        decisions,
        sum(costs) / decisions if decisions else math.nan,
        band_of(lost.mean) if costs else None,
        _between(lost),
        tuple(estimate(block) for block in blocks),
    )


def counts(decision: Decision) -> bool:
    """Whether a decision counts for a rating: not obvious, not the clock's, not a fantasyland setting."""
    return not (decision.obvious or decision.timed_out or is_setting(decision))


def is_setting(decision: Decision) -> bool:
    """Whether a fantasyland hand was set, with the solver's answer at hand."""
    return decision.played.count(">") > 5


def band_of(lost: float) -> str:
    """The level whose own loss is nearest."""
    return min(LEVEL_LOSS, key=lambda level: abs(LEVEL_LOSS[level] - lost))


def _between(lost: Estimate) -> tuple[str, ...]:
    if math.isnan(lost.margin):
        return ()
    levels = list(LEVEL_LOSS)
    return tuple(levels[levels.index(band_of(lost.high)) : levels.index(band_of(lost.low)) + 1])


def statistics_of(reviews: Sequence[HandReview]) -> Statistics:
    """Habits, results and costs of the player from whose side some hands were reviewed."""
    known = [review for review in reviews if review.points is not None]
    normal = [review for review in known if not review.fantasyland[review.seat]]
    balances = [review.balance for review in reviews if review.balance is not None]
    results = [review.steps[-1].expected for review in known]
    chosen = [[each for each in review.own() if not each.timed_out] for review in reviews]
    everything = [each for mine in chosen for each in mine]
    return Statistics(
        len(reviews),
        estimate([float(bool(review.fouled)) for review in normal]),
        estimate([float(bool(review.won_fantasyland)) for review in normal]),
        estimate([review.royalties or 0.0 for review in normal]),
        estimate(results),
        estimate([each.result - each.luck + each.opponent_luck for each in balances]),
        tuple(
            _share(chosen, [each for each in everything if each.turn == turn and not is_setting(each)])
            for turn in range(5)
        ),
        {kind: _share(chosen, [each for each in everything if each.kind == kind]) for kind in KINDS},
        {grade: sum(each.grade == grade for each in everything) for grade in GRADES},
    )


def _share(hands: Sequence[Sequence[Decision]], decisions: Sequence[Decision]) -> Share:
    """What these decisions cost, a hand."""
    wanted = {id(each) for each in decisions}
    costs = [sum(each.cost for each in mine if id(each) in wanted) for mine in hands]
    return Share(len(decisions), estimate(costs))
