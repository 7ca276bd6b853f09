""" "Foul or not": how likely a board is to end fouled, and how far off an answer is."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from agents.drills.questions import Drill
from agents.review.judge import Judge, judge_for
from agents.review.positions import SHOWN
from agents.review.report import Decision, read
from ofc_env import Placement, _core

BANDS: tuple[tuple[float, float], ...] = tuple(_core.FOUL_BANDS)
"""Answers: chances from … to …; the last one is a foul that no card can prevent."""


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
    found = judge_answer(drill, judge, band=band)
    foul = {**found["foul"], "bands": tuple(found["foul"]["bands"])}
    return FoulJudgement(right=found["right"], **foul, decision=read(Decision, found["decision"]))


def judge_answer(
    drill: Drill, judge: Judge | None, placement: Placement | None = None, band: int | None = None
) -> dict[str, Any]:
    """What the core says of an answer."""
    known = drill.position
    judge = judge or judge_for(known.rules.of_a_hand(), SHOWN)
    asked = None if drill.placement is None else Placement.parse(drill.placement)
    found: dict[str, Any] = json.loads(_core.judge_answer(judge.core, known, asked, placement, band))
    return found
