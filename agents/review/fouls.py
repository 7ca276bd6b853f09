"""When a foul became certain, and which decision lost the hand to it."""

from __future__ import annotations

from collections.abc import Sequence

from agents.arena.estimates import NORMAL_QUANTILE
from agents.review.hands import Played
from agents.review.report import Decision, Foul
from ofc_env import Board, InformationSet, Placement

LAST_TURN = 4


def foul_of(turns: Sequence[Played], decisions: Sequence[Decision]) -> Foul | None:
    """How a seat's board came to be fouled; None if it is not.

    Args:
        turns: the seat's turns of normal play, in order, to the end of the hand.
        decisions: the same, judged.
    """
    if not turns or not board_after(turns[-1].information, turns[-1].placement).fouled:
        return None
    for number, turn in enumerate(turns):
        saved = [each for each in turn.information.placements() if not turn.information.is_lost(each)]
        if not saved:
            lost = _lost_at(decisions[:number])
            return Foul(turn.seat, turn.information.turn, "deal", lost)
        if turn.information.is_lost(turn.placement):
            return Foul(turn.seat, turn.information.turn, "placement", turn.information.turn)
    raise ValueError("a board that ends fouled must be lost after its last placement")


def _lost_at(decisions: Sequence[Decision]) -> int | None:
    """The turn whose placement made a foul most likelier than the best one; None if none surely did."""
    raised = [
        (each.difference.foul, each.turn)
        for each in decisions
        if each.difference is not None
        and each.difference.foul > NORMAL_QUANTILE * each.difference.foul_error
        and each.difference.foul > 0
    ]
    return max(raised)[1] if raised else None


def board_after(information: InformationSet, placement: Placement) -> Board:
    """The seat's board with a placement on it."""
    return Board(
        [*information.top, *placement.top],
        [*information.middle, *placement.middle],
        [*information.bottom, *placement.bottom],
        rules=information.rules,
    )
