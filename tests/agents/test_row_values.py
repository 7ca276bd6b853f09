"""What open rows can become, against every card that can be added, and full rows against the core."""

import numpy as np
import pytest

import ofc_env
from agents.networks.row_table import card_keys, row_index, rows
from agents.networks.row_values import MOST_CARDS, TOP_CARDS, row_bits, row_values, top_offset

FREE, LEAST, FULL, REACH = slice(41, 47), slice(47, 69), slice(69, 91), slice(91, 100)


def number(cards: list[int], size: int) -> int:
    """The row's place in the tables."""
    found = int(row_index()[card_keys()[cards].sum()])
    if size == TOP_CARDS:
        return top_offset() + found
    suits = {card // 13 for card in cards if card < 52}
    return found + (top_offset() // 2 if len(suits) <= 1 else 0)


def some_rows(size: int, held: int, count: int) -> list[list[int]]:
    """Rows at random, every third of one suit, every fourth with a joker."""
    rng = np.random.default_rng(size * 10 + held)
    found = []
    for index in range(count):
        pool = np.arange(13) if index % 3 == 0 else np.arange(52)
        cards = rng.choice(pool, size=held, replace=False).tolist()
        if cards and index % 4 == 0:
            cards[: 1 + index % 2] = [52, 53][: min(held, 1 + index % 2)]
        found.append(cards)
    return found


@pytest.mark.parametrize("size", [TOP_CARDS, MOST_CARDS])
def test_full_rows_are_valued_by_the_core(size):
    values, bits = row_values(), row_bits()
    for cards in some_rows(size, size, 400):
        row, value = number(cards, size), ofc_env.row_value(cards)
        assert value is not None
        assert values.full[row]
        assert values.least[row] == values.most[row] == value
        assert values.lowest[row] == ofc_env.row_readings(cards)[0]
        assert np.flatnonzero(values.reach[row]).tolist() == [value >> 20]
        assert np.flatnonzero(bits[row, FULL]).tolist() == [value >> 20, 9 + (value >> 16 & 15) - 1]
        assert bits[row, FREE].tolist() == [1, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("size", [TOP_CARDS, MOST_CARDS])
def test_an_open_row_is_what_one_more_card_makes_of_it(size):
    values, bits = row_values(), row_bits()
    for held in range(size):
        for cards in some_rows(size, held, 60):
            row = number(cards, size)
            next_rows = [number([*cards, card], size) for card in range(54) if card not in cards]
            assert values.least[row] == values.least[next_rows].min()
            assert values.most[row] == values.most[next_rows].max()
            assert values.lowest[row] == values.lowest[next_rows].min()
            assert (values.reach[row] == values.reach[next_rows].any(axis=0)).all()
            assert not values.full[row]
            assert not bits[row, FULL].any()
            assert bits[row, FREE].argmax() == size - held


def test_bits_say_what_a_row_holds():
    cards = ofc_env.parse_cards("7h 7d 7s X1")
    bits = row_bits()[number(cards, MOST_CARDS)]
    assert np.flatnonzero(bits[:39]).tolist() == [5, 13 + 5]
    assert bits[39:41].tolist() == [1, 0]
    assert np.flatnonzero(bits[LEAST]).tolist() == [7, 9 + 5]  # four sevens at least
    assert np.flatnonzero(bits[REACH]).tolist() == [7]
    draw = row_bits()[number(ofc_env.parse_cards("4h 5h 6h"), MOST_CARDS)]
    assert np.flatnonzero(draw[100:]).tolist() == [3]
    assert np.flatnonzero(draw[REACH]).tolist() == [0, 1, 2, 3, 4, 5, 8]
    assert row_bits().shape == (2 * len(rows()[1]) + 679, 106)
