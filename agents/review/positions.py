"""A single position looked at as a review looks at a decision, every placement shown with its chances."""

from __future__ import annotations

from dataclasses import replace

from agents.randomness import seed_of
from agents.review.endings import Endings
from agents.review.hands import Played
from agents.review.judge import Effort, Judge, judge_for
from agents.review.report import Decision
from agents.turns import set_fantasyland
from ofc_env import Board, Hand, InformationSet, Placement, sample_boards

SHOWN = Effort(shown=6)
"""How long a judge thinks about a position that somebody asks about."""
_CHANCES = 4  # a stream of chance, apart from those of the judge


def verify_placement(information: InformationSet, placement: Placement) -> None:
    """Refuse a placement that the seat cannot make, with the engine's sentence."""
    Hand.from_observation(information, 0).place(placement)


def is_setting(information: InformationSet) -> bool:
    """Whether the seat holds a fantasyland hand, to be set at once."""
    return information.turn == 0 and len(information.hand) > 5


def judged(
    information: InformationSet, placement: Placement | None = None, judge: Judge | None = None
) -> Decision:
    """What a placement costs beside the best one; of the best one itself if None.

    ValueError, one sentence, for a position in which nobody is to act and for a placement that is not legal.
    """
    if not information.to_act:
        raise ValueError("the seat holds no cards: say which cards are to be placed")
    if information.opening_step:
        raise ValueError("half an opening is placed: give all five cards as the hand")
    judge = judge or judge_for(information.rules.of_a_hand(), SHOWN)
    if placement is None:
        placement = _best(information, judge)
    else:
        verify_placement(information, placement)
    return judge.judge(Played(0, information, placement, None))


def analysed(
    information: InformationSet, placement: Placement | None = None, judge: Judge | None = None
) -> Decision:
    """The same with the chances of every placement that was weighed, found in common worlds."""
    judge = judge or judge_for(information.rules.of_a_hand(), SHOWN)
    decision = judged(information, placement, judge)
    placements = [Placement.parse(each.placement) for each in decision.options]
    if is_setting(information):
        widths = (len(information.hand), information.opponent_fantasyland)
        boards = sample_boards(information, judge.effort.boards, judge.seed)
        settings = [Board(each.top, each.middle, each.bottom, rules=judge.rules) for each in placements]
        endings = [Endings.against(each, boards, widths, judge.reward, judge.rules) for each in settings]
    else:
        seed = seed_of(judge.seed, _CHANCES, information.key())
        played = judge.referee.play(information, placements, judge.effort.played_on, seed)
        endings = [Endings.of(each) for each in played]
    options = [
        replace(option, chances=ended.chances())
        for option, ended in zip(decision.options, endings, strict=True)
    ]
    return replace(decision, options=tuple(options))


def _best(information: InformationSet, judge: Judge) -> Placement:
    if is_setting(information):
        return set_fantasyland(information.hand, judge.rules)
    best: Placement = judge.search.search(information, judge.seed)[0].placement
    return best
