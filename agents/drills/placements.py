"""What a placement that answers a drill is worth: what it costs beside the best one."""

from __future__ import annotations

from dataclasses import dataclass

from agents.drills.questions import Drill
from agents.review.grades import BEST, CLOSE, FINE
from agents.review.judge import Judge
from agents.review.positions import analysed
from agents.review.report import Decision
from ofc_env import Placement

RIGHT = (BEST, CLOSE, FINE)
"""Grades of a right answer: less than an inaccuracy was lost, or nothing for sure."""


@dataclass(frozen=True)
class PlacementJudgement:
    """An answer beside the best placement."""

    right: bool
    cost: float | None  # points lost, 0 or more; None where no answer was given
    decision: Decision  # of the answer, or of the best placement where none was given


def judge_placement(
    drill: Drill, placement: Placement | None, judge: Judge | None = None
) -> PlacementJudgement:
    """What an answer is worth; None for somebody who has given up or run out of time.

    ValueError, one sentence, for a placement that the seat cannot make.
    """
    if drill.placement is not None:
        raise ValueError("this drill asks for a chance, not for a placement: choose a band")
    decision = analysed(drill.position, placement, judge)
    if placement is None:
        return PlacementJudgement(False, None, decision)
    return PlacementJudgement(decision.grade in RIGHT, max(0.0, decision.cost), decision)
