"""Where things stand in the 490 numbers of an observation and among the 150 slots, by the core's count."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from ofc_env import _core

CARDS, PLACES = _core.NUM_CARDS, _core.NUM_PLACES
CARD_NUMBERS = CARDS * PLACES  # the one-hot part comes first: card * PLACES + place
CHIP_UNIT = _core.CHIP_UNIT  # chips are counted in these, whatever the rules start with

# The places that a card can have, seen from a seat; the rows of either side are in order, top first.
MY_TOP, MY_MIDDLE, MY_BOTTOM, THEIR_TOP, THEIR_MIDDLE, THEIR_BOTTOM = range(6)
IN_HAND, MY_DISCARDS, UNSEEN = range(6, PLACES)
# The four numbers after the cards.
TURN, BUTTON, MY_CHIPS, THEIR_CHIPS = range(CARD_NUMBERS, _core.OBSERVATION_SIZE)
LAST_TURN = 1.0  # what stands at TURN in turn 4

SLOTS = _core.NUM_ACTIONS
# Where each kind of slot begins: a later turn, an opening's cards for the bottom, its rest for the top.
TURN_SLOTS, BOTTOM_SLOTS, TOP_SLOTS = 0, _core.FIRST_BOTTOM_SLOT, _core.FIRST_TOP_SLOT


def card_places(observations: NDArray[Any]) -> NDArray[Any]:
    """The one-hot part of observations (..., 490) as (..., 54 cards, 9 places)."""
    return observations[..., :CARD_NUMBERS].reshape(*observations.shape[:-1], CARDS, PLACES)


def cards_at(observations: NDArray[Any], place: int) -> NDArray[Any]:
    """Whether each card is at a place: (..., 54) numbers 0 or 1 of observations (..., 490)."""
    return observations[..., place:CARD_NUMBERS:PLACES]
