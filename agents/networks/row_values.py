"""What each row amounts to and what it can still become, looked up by the row's number.

The core values every full row; an open row takes what it can be from the rows that one more card makes of it:
the least and the most it can end with, and the categories within reach. The numbers of rows are those of
`agents.networks.row_table`; whether all natural cards have one suit makes a row of five another row.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.networks.row_table import JOKER_KEY, RANK_KEYS, row_index, rows
from ofc_env import _core
from ofc_env.layout import FIRST_JOKER, RANKS, ROW_SIZES

TOP_CARDS, MOST_CARDS = min(ROW_SIZES), max(ROW_SIZES)
_MOST_ALIKE, _MOST_JOKERS, _CATEGORIES = 4, 2, 9
_CATEGORY_SHIFT, _RANK_SHIFT = 20, 16  # of a value of the core: category, then the leading rank from 1
_NOTHING, _EVERYTHING = 0, 1 << 24  # below and above every value


class RowValues(NamedTuple):
    """By number of the row: rows of five with several suits, then with one suit, then rows of three."""

    least: NDArray[
        np.int64
    ]  # (M,) the lowest value it can have when it is full, jokers read as high as possible
    most: NDArray[np.int64]  # (M,) the highest
    lowest: NDArray[np.int64]  # (M,) the lowest value, jokers read as low as possible
    reach: NDArray[np.bool_]  # (M, 9) the categories it can still end in
    full: NDArray[np.bool_]  # (M,) whether no card can be added


@cache
def row_values() -> RowValues:
    """The values of all rows; R rows of five and the same again in one suit, then the short rows as tops."""
    fives, tops = _completed(MOST_CARDS), _completed(TOP_CARDS)
    return RowValues(*(np.concatenate([*five, top[0]]) for five, top in zip(fives, tops, strict=True)))


def top_offset() -> int:
    """Where the tops begin; the rows of one suit begin at half of it."""
    return 2 * len(rows()[1])


@cache
def row_bits() -> NDArray[np.uint8]:
    """Every row described by 106 bits, (M, 106).

    In order: ranks held at least 2, 3 and 4 times (39), jokers at least 1 and 2 (2), free slots one-hot (6),
    category and leading rank of the least that it can end with (22), the same only if it is full (22),
    categories within reach (9), natural cards one-hot if all have one suit (6).
    """
    naturals, jokers = rows()
    short = _short_rows()
    values = row_values()
    numbers = np.concatenate([np.tile(np.arange(len(jokers)), 2), np.arange(short)])
    one_suit = np.repeat([False, True, False], [len(jokers), len(jokers), short])
    size = np.repeat([MOST_CARDS, TOP_CARDS], [top_offset(), short])
    held, wild = naturals[numbers], jokers[numbers]
    free = size - held.sum(axis=1) - wild
    category = np.eye(_CATEGORIES, dtype=np.uint8)[values.least >> _CATEGORY_SHIFT]
    leading = np.eye(RANKS + 1, dtype=np.uint8)[values.least >> _RANK_SHIFT & 15][:, 1:]
    columns = [
        *(held >= times for times in (2, 3, 4)),
        wild[:, None] >= [1, 2],
        free[:, None] == np.arange(MOST_CARDS + 1),
        category,
        leading,
        category * values.full[:, None],
        leading * values.full[:, None],
        values.reach,
        (held.sum(axis=1)[:, None] == np.arange(MOST_CARDS + 1)) & one_suit[:, None],
    ]
    return np.concatenate(columns, axis=1).astype(np.uint8)


def _short_rows() -> int:
    """How many rows have at most three cards; they come first."""
    naturals, jokers = rows()
    return int((naturals.sum(axis=1) + jokers <= TOP_CARDS).sum())


def _completed(full_size: int) -> tuple[NDArray[Any], ...]:
    """The arrays of `RowValues` for rows of one size, (2, R) each: several suits, one suit."""
    naturals, jokers = rows()
    size = naturals.sum(axis=1) + jokers
    count = len(size) if full_size == MOST_CARDS else _short_rows()
    naturals, jokers, size = naturals[:count], jokers[:count], size[:count]
    least = np.full((2, count), _EVERYTHING, dtype=np.int64)
    most, lowest = np.full((2, count), _NOTHING, dtype=np.int64), least.copy()
    reach = np.zeros((2, count, _CATEGORIES), dtype=np.bool_)
    full = np.flatnonzero(size == full_size)
    for one_suit in (0, 1):
        cards = np.array([_cards(naturals[row], jokers[row], bool(one_suit)) for row in full], dtype=np.uint8)
        values = _core.row_values_batch(cards).astype(np.int64)
        least[one_suit, full] = most[one_suit, full] = lowest[one_suit, full] = values
        reach[one_suit, full, values >> _CATEGORY_SHIFT] = True
        for row, held in zip(full.tolist(), cards.tolist(), strict=True):
            if jokers[row]:
                lowest[one_suit, row] = _core.row_readings(held)[0]
    keys = naturals @ np.array(RANK_KEYS) + jokers * JOKER_KEY
    for cards_held in reversed(range(full_size)):
        open_rows = np.flatnonzero(size == cards_held)
        for rank in range(RANKS + 1):
            joker = rank == RANKS
            fits = jokers[open_rows] < _MOST_JOKERS if joker else naturals[open_rows, rank] < _MOST_ALIKE
            before = open_rows[fits]
            after = row_index()[keys[before] + (JOKER_KEY if joker else RANK_KEYS[rank])]
            for suits_before, suits_after in ((0, 0), (1, 1), (1, 0)):
                if (suits_before, suits_after) == (1, 0) and joker:
                    continue
                pick = np.ones(len(before), dtype=np.bool_)
                if (suits_before, suits_after) == (1, 1) and not joker:
                    pick = naturals[before, rank] == 0  # a second card of a rank has another suit
                elif (suits_before, suits_after) == (1, 0):
                    pick = naturals[before].sum(axis=1) > 0  # a first natural card has one suit
                old, new = (suits_before, before[pick]), (suits_after, after[pick])
                least[old] = np.minimum(least[old], least[new])
                most[old] = np.maximum(most[old], most[new])
                lowest[old] = np.minimum(lowest[old], lowest[new])
                reach[old] |= reach[new]
    return least, most, lowest, reach, np.tile(size == full_size, (2, 1))


def _cards(naturals: NDArray[np.int64], jokers: int, one_suit: bool) -> list[int]:
    """Cards of a full row with these ranks; in one suit only if no rank is held twice."""
    cards = [
        suit * RANKS + rank for rank in np.flatnonzero(naturals).tolist() for suit in range(naturals[rank])
    ]
    if not one_suit and len(cards) > 1 and naturals.max() == 1:
        cards[0] += RANKS
    return cards + list(range(FIRST_JOKER, FIRST_JOKER + jokers))
