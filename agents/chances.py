"""How a board will end: chances of foul and fantasyland, royalties, and the placements that are worth most.

Everything is found by playing on: the unseen cards are dealt again and again, and the judge of reviews plays
both seats to the end of the hand. So the answers hang on what a seat knows and on nothing else, and a hint
says what a later review will say. Chances are those of somebody who plays on as well as the judge does.
"""

from __future__ import annotations

import json

from agents.review.judge import Judge, judge_for
from agents.review.report import Chances, Option, read
from ofc_env import InformationSet, Placement, _core

WORLDS: int = _core.ASKED_WORLDS
SHOWN: int = _core.HINT_SHOWN


def chances(
    information: InformationSet,
    placement: Placement | None = None,
    worlds: int = WORLDS,
    seed: int = 0,
    judge: Judge | None = None,
) -> Chances:
    """How the hand will end for a seat that is to act.

    Args:
        information: all that the seat knows.
        placement: what it places now; its quickest good choice if None.
        worlds: how often the unseen cards are dealt.
        seed: fixes all chance, with the position.
        judge: who plays on; that of the rules if None.
    """
    judge = judge or judge_for(information.rules.of_a_hand())
    return read(Chances, json.loads(judge.core.chances(information, placement, worlds, seed)))


def hint(
    information: InformationSet,
    shown: int = SHOWN,
    worlds: int = WORLDS,
    seed: int = 0,
    judge: Judge | None = None,
) -> list[Option]:
    """The placements that are worth most, best first, each with its value and its chances.

    The values are those of a review of the same decision. Of a fantasyland hand there is one: the solver's.
    """
    judge = judge or judge_for(information.rules.of_a_hand())
    return [read(Option, each) for each in json.loads(judge.core.hint(information, shown, worlds, seed))]
