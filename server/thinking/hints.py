"""What the page shows beside the cards while a board fills: row names, royalties, the danger of a foul.

Pure functions over card names. They decide nothing: the engine scores the hand, once both boards are full.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import Any

import ofc_env
from ofc_env import layout

ROW_SIZES = dict(zip(layout.ROWS, layout.ROW_SIZES, strict=True))
_FIRST_JOKER, _RANKS = layout.FIRST_JOKER, layout.RANKS
_PAIR, _TRIPS, _QUADS, _STRAIGHT_FLUSH = 1, 3, 7, 8
_CATEGORY_OF_GROUPS = {(2,): _PAIR, (2, 2): 2, (3,): _TRIPS, (3, 2): 6, (4,): _QUADS}
_UNLIMITED = 1 << 30


def evaluate_rows(
    top: Sequence[str] = (),
    middle: Sequence[str] = (),
    bottom: Sequence[str] = (),
    rules: ofc_env.Rules | None = None,
) -> dict[str, Any]:
    """How a board stands, full or not.

    Returns
    - `values`: row values as in `ofc_env.row_value`, top first; None for an empty row, and the lowest of its
      readings for a row that fouls;
    - `names`: the same in English words;
    - `royalties`: top, middle, bottom and total, what the rows as they stand would earn;
    - `foul`: "yes" when no cards to come can save it, "risk" when a row stands above the one below it, "no";
    - `ahead`: top over middle, middle over bottom, the rows that make the risk;
    - `fantasyland`: cards that the top row would give in the next hand, 0 if none;
    - `stays`: the same question for a board set in fantasyland.

    Raises ValueError for unknown or repeated cards and for rows with too many.
    """
    rules = rules or ofc_env.Rules()
    board = ofc_env.Board(top=top, middle=middle, bottom=bottom, rules=rules)  # refuses what is not a board
    rows = {"top": board.top, "middle": board.middle, "bottom": board.bottom}
    readings = {name: _readings(cards, ROW_SIZES[name]) for name, cards in rows.items()}

    values: dict[str, int | None] = {}
    limit = _UNLIMITED
    fouled = False
    for name in ("bottom", "middle", "top"):
        fitting = [value for value in readings[name] if value <= limit]
        values[name] = fitting[-1] if fitting else next(iter(readings[name]), None)
        fouled = fouled or (bool(readings[name]) and not fitting)
        if len(rows[name]) == ROW_SIZES[name]:
            limit = fitting[-1] if fitting else limit
        else:
            limit = min(limit, _highest_possible(rows[name], ROW_SIZES[name]))

    ahead = [
        _stands_above(readings["top"], readings["middle"]),
        _stands_above(readings["middle"], readings["bottom"]),
    ]
    royalties = {name: 0 if fouled else _royalty(name, values[name], rules) for name in ROW_SIZES}
    ordered = [values[name] for name in ROW_SIZES]
    return {
        "values": ordered,
        "names": ["" if value is None else ofc_env.row_value_name(value) for value in ordered],
        "royalties": {**royalties, "total": sum(royalties.values())},
        "foul": "yes" if fouled else "risk" if any(ahead) else "no",
        "ahead": ahead,
        "fantasyland": 0 if fouled else _entry_width(values["top"], rules),
        "stays": not fouled and (_category(values["top"]) == _TRIPS or _category(values["bottom"]) >= _QUADS),
    }


def solve_rows(cards: Sequence[str], rules: ofc_env.Rules | None = None) -> dict[str, Any]:
    """The solver's setting of a fantasyland hand of 14 to 17 cards."""
    solution = ofc_env.solve_fantasyland(cards, rules=rules or ofc_env.Rules())
    placement = solution.placement
    return {
        "top": ofc_env.card_names(placement.top),
        "middle": ofc_env.card_names(placement.middle),
        "bottom": ofc_env.card_names(placement.bottom),
        "discards": ofc_env.card_names(placement.discards),
        "royalties": int(solution.royalties),
        "stays": bool(solution.stays),
    }


def _readings(cards: list[int], size: int) -> list[int]:
    """Sorted values of a row, one per reading of its jokers; a row that is not full counts its groups."""
    if len(cards) == size:
        return ofc_env.row_readings(cards)
    if not cards:
        return []
    naturals = [card % _RANKS for card in cards if card < _FIRST_JOKER]
    jokers = len(cards) - len(naturals)
    values = {
        _grouped_value([*naturals, *read]) for read in combinations_with_replacement(range(_RANKS), jokers)
    }
    return sorted(value for value in values if value is not None)


def _grouped_value(ranks: list[int]) -> int | None:
    """Row value of ranks without straights and flushes; None for five of a kind, which does not exist."""
    counts = sorted(Counter(ranks).items(), key=lambda item: (-item[1], -item[0]))
    if counts[0][1] > 4:
        return None
    category = _CATEGORY_OF_GROUPS.get(tuple(count for _, count in counts if count > 1), 0)
    value = category << 20
    for position, (rank, _) in enumerate(counts):
        value |= (rank + 1) << (16 - 4 * position)
    return value


def _highest_possible(cards: list[int], size: int) -> int:
    """A bound for the full row: a card to come is at most a joker, and the evaluator reads two."""
    jokers = [card for card in cards if card >= _FIRST_JOKER]
    missing = size - len(cards)
    if missing + len(jokers) > 2:
        return _UNLIMITED
    spare = [card for card in (_FIRST_JOKER, _FIRST_JOKER + 1) if card not in jokers]
    best = ofc_env.row_value([*cards, *spare[:missing]])
    return _UNLIMITED if best is None else best


def _stands_above(upper: list[int], lower: list[int]) -> bool:
    """Whether the upper row at its lowest is a pair or more and beats the lower row at its best so far."""
    return bool(upper) and _category(upper[0]) >= _PAIR and upper[0] > (lower[-1] if lower else 0)


def _category(value: int | None) -> int:
    return -1 if value is None else value >> 20


def _leading_rank(value: int) -> int:
    """Rank 0 (deuce) to 12 (ace) of the first group."""
    return (value >> 16 & 15) - 1


def _royalty(row: str, value: int | None, rules: ofc_env.Rules) -> int:
    if value is None:
        return 0
    category, rank = _category(value), _leading_rank(value)
    if row == "top":
        return (
            rules.top_trips[rank] if category == _TRIPS else rules.top_pairs[rank] if category == _PAIR else 0
        )
    royal = category == _STRAIGHT_FLUSH and rank == _RANKS - 1
    return (rules.middle if row == "middle" else rules.bottom)[category + royal]


def _entry_width(value: int | None, rules: ofc_env.Rules) -> int:
    category = _category(value)
    if value is None or category not in (_PAIR, _TRIPS):
        return 0
    return rules.fantasyland_trips if category == _TRIPS else rules.fantasyland_pairs[_leading_rank(value)]
