"""What a seat sees once a slot is played and before the next cards are dealt, from the 490 numbers alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ofc_env.layout import (
    BOTTOM_SLOTS,
    IN_HAND,
    MY_BOTTOM,
    MY_DISCARDS,
    MY_MIDDLE,
    MY_TOP,
    PLACES,
    TOP_SLOTS,
    TURN,
    cards_at,
)

_ALL_TO_BOTTOM = TOP_SLOTS - 1  # the whole opening in one slot
_USED_SLOTS = TOP_SLOTS + 32


def _destinations() -> NDArray[np.int64]:
    """(91, 5): the place where each card in hand goes, by slot and by its position in the sorted hand."""
    places = np.full((_USED_SLOTS, 5), IN_HAND, dtype=np.int64)
    for slot in range(BOTTOM_SLOTS):
        discard, first_row, second_row = slot // 9, slot // 3 % 3, slot % 3
        kept = [position for position in range(3) if position != discard]
        places[slot, [discard, *kept]] = MY_DISCARDS, first_row, second_row
    for bits in range(32):
        chosen = [bool(bits >> position & 1) for position in range(5)]
        places[BOTTOM_SLOTS + bits] = [MY_BOTTOM if bottom else IN_HAND for bottom in chosen]
        places[TOP_SLOTS + bits] = [MY_TOP if top else MY_MIDDLE for top in chosen]
    return places


def _turn_changes() -> NDArray[np.float32]:
    """(91,): what each slot adds to the turn number: an opening has a step in between."""
    changes = np.zeros(_USED_SLOTS, dtype=np.float32)
    changes[BOTTOM_SLOTS:_ALL_TO_BOTTOM] = 0.125
    changes[TOP_SLOTS:] = -0.125
    return changes


DESTINATIONS = _destinations()
TURN_CHANGES = _turn_changes()


def afterstates(observations: NDArray[np.float32], slots: ArrayLike) -> NDArray[np.float32]:
    """The positions after N slots are played.

    Args:
        observations: (N, 490) of the seat to act, or one (490,) that all slots are played from.
        slots: (N,) legal slots.

    Returns:
        (N, 490): nothing in hand and the turn just played; after the first step of an opening, the second.
    """
    chosen = np.asarray(slots, dtype=np.int64)
    if observations.ndim == 1:
        observations = np.repeat(observations[None], len(chosen), axis=0)
    if chosen.shape != (len(observations),) or (
        chosen.size and not 0 <= chosen.min() <= chosen.max() < _USED_SLOTS
    ):
        raise ValueError(
            f"slots of shape {chosen.shape} do not fit {len(observations)} positions: give a slot from 0 to "
            f"{_USED_SLOTS - 1} for each"
        )
    in_hand = cards_at(observations, IN_HAND) != 0
    rows, cards = np.nonzero(in_hand)
    positions = (np.cumsum(in_hand, axis=1) - 1)[rows, cards]
    after = observations.copy()
    after[rows, cards * PLACES + IN_HAND] = 0.0
    after[rows, cards * PLACES + DESTINATIONS[chosen[rows], positions]] = 1.0
    after[:, TURN] += TURN_CHANGES[chosen]
    return after
