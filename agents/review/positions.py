"""A single position looked at as a review looks at a decision, every placement shown with its chances."""

from __future__ import annotations

import json

from agents.review.judge import Effort, Judge, judge_for
from agents.review.report import Decision, read
from ofc_env import InformationSet, Placement, _core

SHOWN = Effort(shown=_core.ANALYSED_SHOWN)
"""How long a judge thinks about a position that somebody asks about."""


def judged(
    information: InformationSet, placement: Placement | None = None, judge: Judge | None = None
) -> Decision:
    """What a placement costs beside the best one; of the best one itself if None.

    ValueError, one sentence, for a position in which nobody is to act and for a placement that is not legal.
    """
    return _analysed(information, placement, judge, every_chance=False)


def analysed(
    information: InformationSet, placement: Placement | None = None, judge: Judge | None = None
) -> Decision:
    """The same with the chances of every placement that was weighed, found in common worlds."""
    return _analysed(information, placement, judge, every_chance=True)


def _analysed(
    information: InformationSet, placement: Placement | None, judge: Judge | None, every_chance: bool
) -> Decision:
    judge = judge or judge_for(information.rules.of_a_hand(), SHOWN)
    return read(Decision, json.loads(judge.core.analyse(information, placement, every_chance)))
