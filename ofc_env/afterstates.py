"""What a seat sees once a slot is played and before the next cards are dealt, from the 490 numbers alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ofc_env.layout import (
    ALL_TO_BOTTOM,
    BOTTOM_SLOTS,
    IN_HAND,
    MOST_IN_HAND,
    MY_BOTTOM,
    MY_DISCARDS,
    MY_MIDDLE,
    MY_TOP,
    OPENING_SETS,
    PLACES,
    TOP_SLOTS,
    TURN,
    USED_SLOTS,
    cards_at,
    opening_set,
    turn_slot,
)


def _destinations() -> NDArray[np.int64]:
    """(91, 5): the place where each card in hand goes, by slot and by its position in the sorted hand."""
    places = np.full((USED_SLOTS, MOST_IN_HAND), IN_HAND, dtype=np.int64)
    for slot in range(BOTTOM_SLOTS):
        moves = turn_slot(slot)
        rows = MY_TOP + moves.first_row, MY_TOP + moves.second_row
        places[slot, [moves.discard, *moves.kept]] = MY_DISCARDS, *rows
    for bits in range(OPENING_SETS):
        chosen = opening_set(bits)
        places[BOTTOM_SLOTS + bits] = [MY_BOTTOM if bottom else IN_HAND for bottom in chosen]
        places[TOP_SLOTS + bits] = [MY_TOP if top else MY_MIDDLE for top in chosen]
    return places


def _turn_changes() -> NDArray[np.float32]:
    """(91,): what each slot adds to the turn number: an opening has a step in between."""
    changes = np.zeros(USED_SLOTS, dtype=np.float32)
    changes[BOTTOM_SLOTS:ALL_TO_BOTTOM] = 0.125
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
        chosen.size and not 0 <= chosen.min() <= chosen.max() < USED_SLOTS
    ):
        raise ValueError(
            f"slots of shape {chosen.shape} do not fit {len(observations)} positions: give a slot from 0 to "
            f"{USED_SLOTS - 1} for each"
        )
    in_hand = cards_at(observations, IN_HAND) != 0
    rows, cards = np.nonzero(in_hand)
    positions = (np.cumsum(in_hand, axis=1) - 1)[rows, cards]
    after = observations.copy()
    after[rows, cards * PLACES + IN_HAND] = 0.0
    after[rows, cards * PLACES + DESTINATIONS[chosen[rows], positions]] = 1.0
    after[:, TURN] += TURN_CHANGES[chosen]
    return after
