"""A rating: points lost a hand over decisions that were not obvious, and the level that loses as much."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.arena.estimates import Estimate
from agents.review.report import HandReview
from agents.review.sessions import text_of
from ofc_env import _core

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
BLOCK: int = _core.RATING_BLOCK  # hands of a point in the course of a rating
ESTIMATES = ("foul", "fantasyland", "royalties", "result", "adjusted")


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
        return {
            "hands": self.hands,
            **{name: getattr(self, name).to_dict() for name in ESTIMATES},
            "by_turn": [each.to_dict() for each in self.by_turn],
            "by_kind": {name: each.to_dict() for name, each in self.by_kind.items()},
            "grades": self.grades,
        }


def rating_of(reviews: Sequence[HandReview]) -> Rating:
    """The rating of the player from whose side some hands were reviewed, oldest first."""
    body = rating_body([text_of(each) for each in reviews])
    lost_a_decision = body["lost_a_decision"]
    return Rating(
        _estimate(body["lost"]),
        body["decisions"],
        math.nan if lost_a_decision is None else lost_a_decision,
        body["band"],
        tuple(body["surely"]),
        tuple(_estimate(each) for each in body["course"]),
    )


def statistics_of(reviews: Sequence[HandReview]) -> Statistics:
    """Habits, results and costs of the player from whose side some hands were reviewed."""
    body = statistics_body([text_of(each) for each in reviews])
    return Statistics(
        body["hands"],
        **{name: _estimate(body[name]) for name in ESTIMATES},
        by_turn=tuple(_share(each) for each in body["by_turn"]),
        by_kind={kind: _share(each) for kind, each in body["by_kind"].items()},
        grades=body["grades"],
    )


def rating_body(reviews: Sequence[str]) -> dict[str, Any]:
    """`Rating.to_dict()` of reviews as they are kept."""
    return dict(json.loads(_core.review_rating(reviews, LEVEL_LOSS)))


def statistics_body(reviews: Sequence[str]) -> dict[str, Any]:
    """`Statistics.to_dict()` of reviews as they are kept."""
    return dict(json.loads(_core.review_statistics(reviews)))


def band_of(lost: float) -> str:
    """The level whose own loss is nearest."""
    return _core.nearest_level(lost, LEVEL_LOSS)


def _share(body: Mapping[str, Any]) -> Share:
    return Share(body["decisions"], _estimate(body["lost"]))


def _estimate(body: Mapping[str, Any]) -> Estimate:
    mean, error = (math.nan if body[name] is None else float(body[name]) for name in ("mean", "error"))
    return Estimate(mean, error, body["count"])
