"""Cards, rows and slots by number: the 54 cards, the 490 numbers of an observation, the 150 slots."""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

from ofc_env import _core

RANKS, SUITS = 13, 4  # a natural card is suit * RANKS + rank
FIRST_JOKER = RANKS * SUITS
ROWS = ("top", "middle", "bottom")
ROW_SIZES = (3, 5, 5)  # cards of a full row
MOST_IN_HAND = 5  # cards that slots place; fantasyland hands are set whole

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
OPENING_SETS = 1 << MOST_IN_HAND  # of an opening's cards, as bits by position in hand
USED_SLOTS = TOP_SLOTS + OPENING_SETS  # no slot from here on is ever legal
ALL_TO_BOTTOM = BOTTOM_SLOTS + OPENING_SETS - 1  # the whole opening in one slot


class TurnSlot(NamedTuple):
    """What a slot of turns 1 to 4 does with the three cards in hand, which are counted in card order."""

    discard: int  # position in hand of the card thrown away
    first_row: int  # where the first of the other two goes
    second_row: int  # where the second goes

    @property
    def slot(self) -> int:
        """Its number."""
        return TURN_SLOTS + (self.discard * len(ROWS) + self.first_row) * len(ROWS) + self.second_row

    @property
    def kept(self) -> tuple[int, int]:
        """Positions in hand of the two cards that are placed."""
        first, second = (position for position in range(3) if position != self.discard)
        return first, second


def turn_slot(slot: int) -> TurnSlot:
    """What a slot below `BOTTOM_SLOTS` does."""
    rest, second_row = divmod(slot - TURN_SLOTS, len(ROWS))
    return TurnSlot(*divmod(rest, len(ROWS)), second_row)


def opening_set(bits: int) -> tuple[bool, ...]:
    """Which of five cards in hand a set of an opening holds: those that go to the bottom or to the top."""
    return tuple(bool(bits >> position & 1) for position in range(MOST_IN_HAND))


def has_second_step(slot: int) -> bool:
    """Whether a slot places the bottom of an opening and leaves top and middle to another slot."""
    return BOTTOM_SLOTS <= slot < ALL_TO_BOTTOM


def card_places(observations: NDArray[Any]) -> NDArray[Any]:
    """The one-hot part of observations (..., 490) as (..., 54 cards, 9 places)."""
    return observations[..., :CARD_NUMBERS].reshape(*observations.shape[:-1], CARDS, PLACES)


def cards_at(observations: NDArray[Any], place: int) -> NDArray[Any]:
    """Whether each card is at a place: (..., 54) numbers 0 or 1 of observations (..., 490)."""
    return observations[..., place:CARD_NUMBERS:PLACES]
