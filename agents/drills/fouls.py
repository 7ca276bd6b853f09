""" "Foul or not": how likely a board is to end fouled, and how far off an answer is."""

from __future__ import annotations

from dataclasses import dataclass

from agents.arena.estimates import NORMAL_QUANTILE, estimate
from agents.drills.questions import Drill
from agents.randomness import seed_of
from agents.review.judge import Judge, judge_for
from agents.review.positions import SHOWN, judged
from agents.review.report import Decision, rounded
from ofc_env import Placement

BANDS: tuple[tuple[float, float], ...] = ((0.0, 0.1), (0.1, 0.3), (0.3, 0.6), (0.6, 1.0), (1.0, 1.0))
"""Answers: chances from … to …; the last one is a foul that no card can prevent."""
CERTAIN = len(BANDS) - 1
WORLDS = 1500  # in which the board is played on: a chance is known to 1.3 points of a hundred or better
_FOULS = 5  # a stream of chance, apart from those of the judge


@dataclass(frozen=True)
class FoulJudgement:
    """An answer beside the chance that was found."""

    right: bool
    off: float | None  # by how much the answer's band misses the chance, 0 to 1; None where none was given
    chance: float  # of a foul, if the judge plays on in both seats
    low: float  # 95 % interval
    high: float
    certain: bool  # no card can save the board
    bands: tuple[int, ...]  # the right answers: more than one where the interval lies in two bands
    decision: Decision  # what the placement that made the board cost, and what would have been best


def judge_foul(drill: Drill, band: int | None, judge: Judge | None = None) -> FoulJudgement:
    """What an answer to "foul or not" is worth.

    Args:
        drill: of the kind `foul`.
        band: number of one of `BANDS`; None for somebody who has given up.
        judge: who plays on; the champion of the rules if None.
    """
    if drill.placement is None:
        raise ValueError("this drill asks for a placement, not for a chance: place the cards")
    if band is not None and not 0 <= band < len(BANDS):
        raise ValueError(f"there is no band {band}: answer 0 to {CERTAIN}")
    position, placement = drill.position, Placement.parse(drill.placement)
    judge = judge or judge_for(position.rules.of_a_hand(), SHOWN)
    decision = judged(position, placement, judge)
    certain = position.is_lost(placement)
    chance, low, high = 1.0, 1.0, 1.0
    if not certain:
        seed = seed_of(judge.seed, _FOULS, position.key())
        fouls = estimate(judge.play(position, [placement], WORLDS, seed)[0, :, 1])
        error = NORMAL_QUANTILE * max(fouls.error, 1 / WORLDS)
        chance = fouls.mean
        low, high = max(0.0, chance - error), min(1.0, chance + error)
    bands = (CERTAIN,) if certain else tuple(_holding(low, high))
    right = band in bands
    off = None if band is None else 0.0 if right else _distance(band, chance)
    return FoulJudgement(right, off, rounded(chance), rounded(low), rounded(high), certain, bands, decision)


def _holding(low: float, high: float) -> list[int]:
    """The bands that an interval lies in; nothing but a foul that is certain belongs to the last."""
    return [number for number, (start, end) in enumerate(BANDS[:CERTAIN]) if low <= end and high >= start]


def _distance(band: int, chance: float) -> float:
    start, end = BANDS[band]
    return rounded(max(start - chance, chance - end, 0.0))
