"""What a placement that answers a drill is worth: what it costs beside the best one."""

from __future__ import annotations

from dataclasses import dataclass

from agents.drills.fouls import judge_answer
from agents.drills.questions import Drill
from agents.review.judge import Judge
from agents.review.report import Decision, read
from ofc_env import Placement


@dataclass(frozen=True)
class PlacementJudgement:
    """An answer beside the best placement."""

    right: bool  # less than an inaccuracy was lost, or nothing for sure
    cost: float | None  # points lost, 0 or more; None where no answer was given
    comes_back: bool  # so much that the position is to be asked again
    decision: Decision  # of the answer, or of the best placement where none was given


def judge_placement(
    drill: Drill, placement: Placement | None, judge: Judge | None = None
) -> PlacementJudgement:
    """What an answer is worth; None for somebody who has given up or run out of time.

    ValueError, one sentence, for a placement that the seat cannot make.
    """
    if drill.placement is not None:
        raise ValueError("this drill asks for a chance, not for a placement: choose a band")
    found = judge_answer(drill, judge, placement)
    decision = read(Decision, found["decision"])
    return PlacementJudgement(found["right"], found["cost"], found["comes_back"], decision)
