"""Drills: questions for a player, made by a seed, and what an answer is worth.

    drill = make_drill("opening", seed=7)            # the same question whenever it is asked for
    judge_placement(drill, Placement.parse("Ah>t …"))  # cost, grade, best placement

Who is asked what and when is not told here: a page, a server or a script decides that.
"""

from agents.drills.fouls import BANDS, FoulJudgement, judge_foul
from agents.drills.placements import PlacementJudgement, judge_placement
from agents.drills.questions import KINDS, Drill, make_drill, mistake

__all__ = [
    "BANDS",
    "KINDS",
    "Drill",
    "FoulJudgement",
    "PlacementJudgement",
    "judge_foul",
    "judge_placement",
    "make_drill",
    "mistake",
]
