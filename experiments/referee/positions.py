"""Decisions of self-play as positions again: what the seat knew before it placed.

Self-play keeps the states after placements, without the cards in hand. They follow from the seat's state
after its turn before: what it did not see then and sees now is on the opponent's board or was dealt to it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.selfplay.workers import Decisions
from ofc_env import InformationSet, Rules

# The words of a packed state: my rows, the opponent's rows, what is unseen, and the table.
_MINE, _OPPONENT, _UNSEEN, _TABLE = slice(0, 3), slice(3, 6), 6, 7


@dataclass(frozen=True)
class Positions:
    """Positions at the start of a turn."""

    packed: NDArray[np.uint64]  # (positions, 9), as `_core.placement_states` takes them
    numbers: NDArray[np.int64]  # (positions,): the decision that each is of

    @property
    def turns(self) -> NDArray[np.int64]:
        """The turn of each."""
        return turns_of(self.packed)

    @property
    def plain(self) -> NDArray[np.bool_]:
        """Whether each is without an opponent in fantasyland."""
        return _width(self.packed) == 0

    def information(self, index: int, rules: Rules) -> InformationSet:
        """What the seat knew."""
        packed = self.packed[index]
        mine, opponent = ([_cards(row) for row in packed[rows]] for rows in (_MINE, _OPPONENT))
        in_hand = _cards(packed[8])
        there = {*_cards(np.bitwise_or.reduce(packed[:_TABLE])), *in_hand}
        table, width = int(packed[_TABLE]), int(_width(packed))
        return InformationSet(
            top=mine[0],
            middle=mine[1],
            bottom=mine[2],
            opponent_top=opponent[0],
            opponent_middle=opponent[1],
            opponent_bottom=opponent[2],
            hand=in_hand,
            discards=[card for card in rules.deck if card not in there],
            turn=int(turns_of(packed)),
            button=None if width else bool(table >> 8 & 255),
            opponent_fantasyland=width,
            chips=table >> 32 & 0xFFFF,
            opponent_chips=table >> 48,
            rules=rules,
        )


def turns_of(states: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The turns of packed states or positions: (..., 8 or 9) -> (...)."""
    return (states[..., _TABLE] & np.uint64(255)).astype(np.int64)


def played(decisions: Decisions) -> NDArray[np.uint64]:
    """The states after the placements that were played: uint64 (decisions, 8)."""
    return decisions["states"][np.arange(len(decisions["chosen"])), decisions["chosen"]]


def hands_of(decisions: Decisions) -> NDArray[np.int64]:
    """The hand of each decision, counted from 0: turns only go on within one."""
    turns = turns_of(decisions["states"][:, 0])
    return np.cumsum(np.diff(turns, prepend=0) < 0)


def positions_of(decisions: Decisions) -> Positions:
    """The positions of all decisions but those whose turn before was not kept, such as after random openings.

    Args:
        decisions: of whole hands, in the order of play.
    """
    after = played(decisions)
    before = np.zeros((len(after), 9), np.uint64)
    before[:, :8] = after
    opening = turns_of(after) == 0
    before[opening, _MINE] = 0
    before[opening, 8] = np.bitwise_or.reduce(after[opening, _MINE], axis=1)
    known = opening.copy()
    for gap in (1, 2):  # the seat's turn before is the last decision against fantasyland, or the one before
        now, then = after[gap:], after[:-gap]
        boards = np.bitwise_or.reduce(now[:, _OPPONENT], axis=1)
        dealt = then[:, _UNSEEN] & ~now[:, _UNSEEN] & ~boards
        placed = np.bitwise_or.reduce(now[:, _MINE] & ~then[:, _MINE], axis=1)
        follows = (
            (turns_of(now) == turns_of(then) + 1)
            & (now[:, _TABLE] >> np.uint64(8) == then[:, _TABLE] >> np.uint64(8))
            & ~np.any(then[:, :6] & ~now[:, :6], axis=1)
            & (now[:, _UNSEEN] & ~then[:, _UNSEEN] == 0)
            & (placed & ~dealt == 0)
        )
        rows = np.flatnonzero(follows) + gap
        before[rows, _MINE] = then[follows, _MINE]
        before[rows, 8] = dealt[follows]
        known[rows] = True
    numbers = np.flatnonzero(known)
    return Positions(before[numbers], numbers)


def _width(packed: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return packed[..., _TABLE] >> np.uint64(16) & np.uint64(255)


def _cards(cards: np.uint64) -> list[int]:
    return [card for card in range(64) if int(cards) >> card & 1]
