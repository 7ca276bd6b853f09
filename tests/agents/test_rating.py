"""The rating and the statistics of reviewed hands, from reviews whose numbers are known."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import pytest

from agents.levels import LEVELS
from agents.review import rating
from agents.review.rating import LEVEL_LOSS, band_of, rating_of, statistics_of
from agents.review.report import VERSION, Balance, Decision, HandReview, Step


def decision(cost: float, **fields: Any) -> Decision:
    content: dict[str, Any] = {
        "seat": 0,
        "turn": 1,
        "information": "",
        "played": "Ah>t Kd>b 2c>x",
        "best": "",
        "options": (),
        "cost": cost,
        "error": 0.0,
        "low": max(0.0, cost),
        "high": max(0.0, cost),
        "grade": "mistake" if cost else "best",
        "kind": "discard" if cost else None,
        "obvious": False,
        "timed_out": False,
        "difference": None,
    }
    return Decision(**{**content, **fields})


def review(decisions: Sequence[Decision], **fields: Any) -> HandReview:
    content: dict[str, Any] = {
        "version": VERSION,
        "judge": "",
        "rules": "house",
        "seat": 0,
        "button": 0,
        "fantasyland": (0, 0),
        "decisions": tuple(decisions),
        "steps": (Step("end", None, None, 4.0),),
        "balance": Balance(0.5, 3.0, -1.0, 1.0, 0.5, 0.0, 4.0),
        "fouls": (),
        "points": 4.0,
        "won_fantasyland": 0,
        "fouled": False,
        "royalties": 2.0,
    }
    return HandReview(**{**content, **fields})


def test_points_lost_a_hand() -> None:
    setting = " ".join(f"{rank}h>b" for rank in "23456789TJQKA")
    hands = [
        review([decision(2.0), decision(0.0), decision(9.0, seat=1)]),
        review([decision(0.5), decision(-0.1), decision(7.0, timed_out=True)]),
        review(
            [decision(0.0, obvious=True), decision(3.0, played=setting, kind="setting")]
        ),  # nothing to decide
    ]
    found = rating_of(hands)
    assert found.lost.count == 2
    assert found.lost.mean == pytest.approx((2.0 + 0.4) / 2)
    assert found.lost.error == pytest.approx(0.8)
    assert found.decisions == 4
    assert found.lost_a_decision == pytest.approx(2.4 / 4)
    json.dumps(found.to_dict(), allow_nan=False)


def test_the_course_of_a_rating() -> None:
    hands = [review([decision(2.0 if number < rating.BLOCK else 1.0)]) for number in range(rating.BLOCK + 5)]
    assert [(each.mean, each.count) for each in rating_of(hands).course] == [(2.0, rating.BLOCK), (1.0, 5)]


def test_nobody_is_rated_without_hands() -> None:
    found = rating_of([])
    assert found.band is None
    assert math.isnan(found.lost.mean)
    json.dumps(found.to_dict(), allow_nan=False)
    json.dumps(statistics_of([]).to_dict(), allow_nan=False)


def test_bands_are_the_levels() -> None:
    assert list(LEVEL_LOSS) == list(LEVELS)
    losses = list(LEVEL_LOSS.values())
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] >= 0
    for level, lost in LEVEL_LOSS.items():
        assert band_of(lost) == level
    assert band_of(100.0) == "novice"
    assert band_of(-0.1) == "strongest"


def test_the_interval_names_every_level_in_it() -> None:
    level = LEVEL_LOSS["skilled"]
    sure = rating_of([review([decision(level)]) for _ in range(30)])
    assert (sure.band, sure.surely) == ("skilled", ("skilled",))
    unsure = rating_of([review([decision(cost)]) for cost in (0.0, 3 * level) * 4])
    assert len(unsure.surely) > 1
    assert set(unsure.surely) <= set(LEVELS)


def test_statistics() -> None:
    hands = [
        review([decision(2.0, turn=0, kind="opening"), decision(1.0, turn=3)], fouled=True, royalties=0.0),
        review([decision(0.0), decision(4.0, turn=3, timed_out=True)], won_fantasyland=14, royalties=8.0),
        review([decision(1.5, played="x" + ">" * 14, kind="setting")], fantasyland=(15, 0), balance=None),
        review([decision(0.5, turn=3, kind="row")], points=None, balance=None),
    ]
    found = statistics_of(hands)
    assert found.hands == 4
    assert (found.foul.mean, found.foul.count) == (0.5, 2)
    assert found.fantasyland.mean == 0.5
    assert found.royalties.mean == 4.0
    assert (found.result.mean, found.result.count) == (4.0, 3)
    assert (found.adjusted.mean, found.adjusted.count) == (0.0, 2)  # 4 - 3 - 1
    assert [share.decisions for share in found.by_turn] == [1, 1, 0, 2, 0]
    assert found.by_turn[3].lost.mean == pytest.approx(1.5 / 4)
    assert found.by_kind["opening"].lost.mean == pytest.approx(2.0 / 4)
    assert found.by_kind["setting"].decisions == 1
    assert found.grades["mistake"] == 4
    assert found.grades["best"] == 1
    json.dumps(found.to_dict(), allow_nan=False)
