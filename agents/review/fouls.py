"""When a foul became certain, and which decision lost the hand to it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from agents.arena.estimates import NORMAL_QUANTILE
from agents.review.hands import Played
from agents.review.report import Decision, Foul
from ofc_env import Board, InformationSet, Placement, board_outlook

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
        saved = [each for each in turn.information.placements() if not is_lost(turn.information, each)]
        if not saved:
            lost = _lost_at(decisions[:number])
            return Foul(turn.seat, turn.information.turn, "deal", lost)
        if is_lost(turn.information, turn.placement):
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


def is_lost(information: InformationSet, placement: Placement) -> bool:
    """Whether a board is fouled after a placement, whatever cards come.

    Before the last turn every pair of unseen cards is tried; earlier the outlook of the board decides, which
    takes any card for possible.
    """
    board = board_after(information, placement)
    if information.turn == LAST_TURN:
        return bool(board.fouled)
    if board_outlook(board).fouled:
        return True
    return information.turn == LAST_TURN - 1 and not any(
        not ended.fouled for pair in combinations(information.unseen, 2) for ended in filled(board, pair)
    )


def board_after(information: InformationSet, placement: Placement) -> Board:
    """The seat's board with a placement on it."""
    return Board(
        [*information.top, *placement.top],
        [*information.middle, *placement.middle],
        [*information.bottom, *placement.bottom],
        rules=information.rules,
    )


def filled(board: Board, cards: Sequence[int]) -> list[Board]:
    """Every board that two more cards make of one with two free places."""
    rows = [list(board.top), list(board.middle), list(board.bottom)]
    free = [row for row, size in enumerate((3, 5, 5)) for _ in range(size - len(rows[row]))]
    boards = []
    for order in {(free[0], free[1]), (free[1], free[0])}:
        full = [list(row) for row in rows]
        for row, card in zip(order, cards, strict=True):
            full[row].append(card)
        boards.append(Board(full[0], full[1], full[2], rules=board.rules))
    return boards
