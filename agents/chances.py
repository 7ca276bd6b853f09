"""How a board will end: chances of foul and fantasyland, royalties, and the placements that are worth most.

Everything is found by playing on: the unseen cards are dealt again and again, and the judge of reviews plays
both seats to the end of the hand. So the answers hang on what a seat knows and on nothing else, and a hint
says what a later review will say. Chances are those of somebody who plays on as well as the judge does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agents.randomness import seed_of
from agents.review.endings import Endings
from agents.review.hands import Played
from agents.review.judge import Judge, judge_for
from agents.review.report import Chances, Option
from agents.turns import set_fantasyland
from ofc_env import Board, InformationSet, Placement, sample_boards

WORLDS = 1000  # standard error of a chance: at most 1.6 points of a hundred
BOARDS = 200  # of an opponent, against which a fantasyland setting is scored; its own chances are certain
SHOWN = 3  # placements of a hint
_CHANCES = 3  # a stream of chance, apart from those of the judge


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
    placed = first_choice(information, judge) if placement is None else placement
    return endings(information, [placed], worlds, seed, judge)[0].chances()


def endings(
    information: InformationSet, placements: Sequence[Placement], worlds: int, seed: int, judge: Judge
) -> list[Endings]:
    """How each of some placements ends, in worlds that all of them meet."""
    if worlds < 1:
        raise ValueError(f"{worlds} worlds tell no chance: use 1 or more")
    if not information.to_act:
        raise ValueError("the seat holds no cards: ask for the chances of one that is to act")
    chance = seed_of(seed, _CHANCES, information.key())
    if not is_setting(information):
        return [Endings.of(each) for each in judge.referee.play(information, placements, worlds, chance)]
    opponents = sample_boards(information, min(worlds, BOARDS), seed)
    widths = (len(information.hand), information.opponent_fantasyland)
    boards = [Board(each.top, each.middle, each.bottom, rules=judge.rules) for each in placements]
    return [Endings.against(board, opponents, widths, judge.reward, judge.rules) for board in boards]


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
    if shown < 1:
        raise ValueError(f"{shown} placements are no hint: ask for 1 or more")
    if not information.to_act:
        raise ValueError("the seat holds no cards: give a hint to one that is to act")
    judge = judge or judge_for(information.rules.of_a_hand())
    best = best_choice(information, judge)
    weighed = judge.judge(Played(0, information, best, None)).options[:shown]
    placements = [Placement.parse(each.placement) for each in weighed]
    ended = endings(information, placements, worlds, seed, judge)
    return [replace(each, chances=end.chances()) for each, end in zip(weighed, ended, strict=True)]


def is_setting(information: InformationSet) -> bool:
    """Whether the seat holds a fantasyland hand, to be set at once."""
    return information.turn == 0 and len(information.hand) > 5


def best_choice(information: InformationSet, judge: Judge) -> Placement:
    """What the judge's search holds for best."""
    if is_setting(information):
        return set_fantasyland(information.hand, judge.rules)
    return judge.search.search(information, judge.seed)[0].placement


def first_choice(information: InformationSet, judge: Judge) -> Placement:
    """What the judge's network would place without a search; the same as the best where it has none."""
    if is_setting(information) or judge.luck is None:
        return best_choice(information, judge)
    return judge.network_alone.search(information, judge.seed)[0].placement
