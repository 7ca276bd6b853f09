"""What a row of up to five cards amounts to so far, as a table: the row's ranks to 61 numbers.

The order of cards and their suits do not matter here, so the rows that can be made of 13 ranks and two jokers
number 11,495, and all of them are described once. Every rank has a key, a row's key is the sum of its cards'
keys, and no two rows have the same: a card that is placed changes the row by one addition and one look-up.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from ofc_env.layout import RANKS, SUITS

# Each is the smallest that keeps the sums of all rows apart; a joker's lies beyond every sum of naturals.
RANK_KEYS = (1, 5, 22, 94, 312, 992, 2422, 5624, 12522, 19998, 43258, 79415, 148432)
JOKER_KEY = 673_144
KEY_LIMIT = 3 * JOKER_KEY  # above the key of every row

_MOST_CARDS, _MOST_ALIKE, _MOST_JOKERS = 5, 4, 2
_HIGH, _PAIR, _TWO_PAIR, _TRIPS, _STRAIGHT, _FULL_HOUSE, _QUADS = range(7)
_NO_RANK = -1


def card_keys() -> NDArray[np.int64]:
    """The key of every card, (54,)."""
    return np.array([*RANK_KEYS] * SUITS + [JOKER_KEY] * 2, dtype=np.int64)


@cache
def rows() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Every row of up to five cards: naturals of each rank (R, 13) and jokers (R,)."""
    counts = [
        np.bincount(cards, minlength=RANKS + 1)
        for size in range(_MOST_CARDS + 1)
        for cards in combinations_with_replacement(range(RANKS + 1), size)
    ]
    table = np.array(counts, dtype=np.int64)
    possible = (table[:, :RANKS].max(axis=1) <= _MOST_ALIKE) & (table[:, RANKS] <= _MOST_JOKERS)
    return table[possible, :RANKS], table[possible, RANKS]


@cache
def row_index() -> NDArray[np.int16]:
    """The number of the row with each key, (KEY_LIMIT,); 0, the empty row, where no row has that key."""
    naturals, jokers = rows()
    index = np.zeros(KEY_LIMIT, dtype=np.int16)
    index[naturals @ np.array(RANK_KEYS) + jokers * JOKER_KEY] = np.arange(len(jokers))
    return index


@cache
def row_features() -> NDArray[np.float32]:
    """What every row amounts to, (R, 61), jokers read as the best group.

    In order: number of cards one-hot (6), jokers, category one-hot (7), whether it can still be a straight,
    strength on one scale, ranks of the two leading groups, the leading rank in the columns of the first four
    categories (4), ranks present (13), ranks held twice (13), rank of the leading group if it is a pair (13).
    """
    naturals, jokers = rows()
    held = naturals.copy()
    every = np.arange(len(held))
    leading = (held * 16 + np.arange(RANKS)).argmax(axis=1)  # most alike, then highest; aces if none
    held[every, leading] = np.minimum(held[every, leading] + jokers, _MOST_ALIKE)
    order = np.argsort(-(held * 16 + np.arange(RANKS)), axis=1)
    first, second = held[every, order[:, 0]], held[every, order[:, 1]]
    first_rank = np.where(first > 0, order[:, 0], _NO_RANK) + 1
    second_rank = np.where(second > 0, order[:, 1], _NO_RANK) + 1

    size = naturals.sum(axis=1) + jokers
    can_be_straight = (size > 0) & (naturals.max(axis=1) <= 1) & _in_straight_window(naturals > 0)
    category = np.select(
        [first == 4, (first == 3) & (second >= 2), first == 3, (first == 2) & (second == 2), first == 2],
        [_QUADS, _FULL_HOUSE, _TRIPS, _TWO_PAIR, _PAIR],
        _HIGH,
    )
    category = np.where((size == _MOST_CARDS) & can_be_straight, np.maximum(category, _STRAIGHT), category)
    categories = np.eye(7)[category]
    leading_rank = np.eye(RANKS)[np.maximum(first_rank - 1, 0)] * (category >= _PAIR)[:, None]
    columns = [
        np.eye(_MOST_CARDS + 1)[size],
        jokers[:, None] / 2,
        categories,
        can_be_straight[:, None],
        (category + first_rank / 14 + second_rank / 196)[:, None] / 3,
        np.stack([first_rank, second_rank], axis=1) / 6,
        categories[:, :4] * first_rank[:, None] / 6,
        naturals >= 1,
        naturals >= 2,
        leading_rank,
    ]
    return np.concatenate(columns, axis=1).astype(np.float32)


def _in_straight_window(present: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether all ranks present (R, 13) fit into one straight; an ace is also below the deuce."""
    wheel = {12, 0, 1, 2, 3}
    windows = [wheel, *(set(range(low, low + 5)) for low in range(RANKS - 4))]
    fits = [
        ~present[:, [rank for rank in range(RANKS) if rank not in window]].any(axis=1) for window in windows
    ]
    return np.any(fits, axis=0)
