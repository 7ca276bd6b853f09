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


def test_rows_and_cards_are_those_of_the_core():
    cards = [ofc_env.card_name(card) for card in range(layout.CARDS)]
    assert cards.index("X1") == layout.FIRST_JOKER
    assert len({name[0] for name in cards[: layout.FIRST_JOKER]}) == layout.RANKS
    assert len({name[1] for name in cards[: layout.FIRST_JOKER]}) == layout.SUITS
    board = ofc_env.solve_fantasyland(list(range(14))).board
    assert tuple(len(getattr(board, row)) for row in layout.ROWS) == layout.ROW_SIZES


def test_slots_do_what_they_are_decoded_to():
    """Every slot that is legal in many hands, by what the hand makes of it."""
    seen = set()
    for seed in range(150):
        hand = ofc_env.Hand(seed=seed)
        while not hand.finished:
            seat, turn, cards = seat_to_act(hand), hand.turn, hand.dealt
            for slot in hand.legal_actions():
                after = hand.clone()
                after.step(slot)
                gained = [
                    set(getattr(after.board(seat), row)) - set(getattr(hand.board(seat), row))
                    for row in layout.ROWS
                ]
                if turn:
                    moves = layout.turn_slot(slot)
                    assert moves.slot == slot
                    wanted: list[set[int]] = [set(), set(), set()]
                    for position, row in zip(moves.kept, (moves.first_row, moves.second_row), strict=True):
                        wanted[row].add(cards[position])
                    thrown = set(after.discards(seat)) - set(hand.discards(seat))
                    assert (gained, thrown) == (wanted, {cards[moves.discard]})
                else:
                    second = slot >= layout.TOP_SLOTS
                    bits = slot - (layout.TOP_SLOTS if second else layout.BOTTOM_SLOTS)
                    chosen = {card for card, inside in zip(cards, layout.opening_set(bits)) if inside}
                    rest = set(cards) - chosen
                    assert gained == ([chosen, rest, set()] if second else [set(), set(), chosen])
                    assert layout.has_second_step(slot) == (after.player == seat and after.opening_step == 1)
                seen.add(slot)
            hand.step(hand.legal_actions()[(7 * seed + turn) % len(hand.legal_actions())])
    assert max(seen) < layout.USED_SLOTS
    assert layout.ALL_TO_BOTTOM in seen
    assert set(range(layout.BOTTOM_SLOTS)) <= seen
