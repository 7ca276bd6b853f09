"""The one home of places and slots agrees with what a hand shows."""

import numpy as np

import ofc_env
from ofc_env import layout
from ofc_env.layout import card_places, cards_at
from tests.play import seat_to_act


def test_places_and_numbers_are_those_of_an_observation():
    hand = ofc_env.Hand(seed=4, button=1, chips=(150, 250))
    for slot in (30, 60, 30, 60, 4):  # both openings, and a turn of the button
        hand.step(slot)
    seat = seat_to_act(hand)
    numbers = hand.observation(seat)
    own, other = hand.board(seat), hand.board(1 - seat)
    shown = {
        layout.MY_TOP: own.top,
        layout.MY_MIDDLE: own.middle,
        layout.MY_BOTTOM: own.bottom,
        layout.THEIR_TOP: other.top,
        layout.THEIR_MIDDLE: other.middle,
        layout.THEIR_BOTTOM: other.bottom,
        layout.IN_HAND: hand.dealt,
        layout.MY_DISCARDS: hand.discards(seat),
        layout.UNSEEN: ofc_env.decode_observation(numbers).unseen,
    }
    assert len(shown) == layout.PLACES
    for place, cards in shown.items():
        assert np.flatnonzero(cards_at(numbers, place)).tolist() == cards
        assert np.flatnonzero(card_places(numbers)[:, place]).tolist() == cards
    assert sum(map(len, shown.values())) == layout.CARDS
    assert numbers[layout.TURN] == hand.turn / 4
    assert numbers[layout.BUTTON] == (hand.button == seat)
    chips = numbers[[layout.MY_CHIPS, layout.THEIR_CHIPS]] * layout.CHIP_UNIT
    assert chips.tolist() == [hand.chips[seat], hand.chips[1 - seat]]
    batch = np.stack([numbers, hand.observation(1 - seat)])
    assert card_places(batch).shape == (2, 54, 9)
    assert (card_places(batch)[0] == card_places(numbers)).all()
    assert cards_at(batch, layout.IN_HAND).shape == (2, 54)


def test_kinds_of_slots_begin_where_the_hand_has_them():
    hand = ofc_env.Hand(seed=4)
    assert hand.legal_actions()[0] == layout.BOTTOM_SLOTS
    hand.step(layout.BOTTOM_SLOTS)
    assert hand.legal_actions()[0] == layout.TOP_SLOTS
    hand.step(layout.TOP_SLOTS)
    while hand.turn == 0:
        hand.step(hand.legal_actions()[-1])
    assert layout.TURN_SLOTS <= hand.legal_actions()[0] < layout.BOTTOM_SLOTS
    assert len(hand.action_mask()) == layout.SLOTS
    while hand.turn < 4:
        hand.step(hand.legal_actions()[0])
    assert hand.observation(seat_to_act(hand))[layout.TURN] == layout.LAST_TURN
