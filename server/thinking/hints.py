"""What the page shows beside the cards while a board fills: row names, royalties, the danger of a foul.

The engine's words over card names. They decide nothing: the hand is scored once both boards are full.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ofc_env


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
    outlook = ofc_env.board_outlook(ofc_env.Board(top=top, middle=middle, bottom=bottom, rules=rules))
    return {
        "values": outlook.row_values,
        "names": ["" if value is None else ofc_env.row_value_name(value) for value in outlook.row_values],
        "royalties": outlook.royalties._asdict(),
        "foul": "yes" if outlook.fouled else "risk" if outlook.at_risk else "no",
        "ahead": outlook.stands_above,
        "fantasyland": outlook.fantasyland_cards,
        "stays": outlook.stays,
    }


def solve_rows(cards: Sequence[str], rules: ofc_env.Rules | None = None) -> dict[str, Any]:
    """The solver's setting of a fantasyland hand of 14 to 17 cards."""
    solution = ofc_env.solve_fantasyland(cards, rules=rules)
    placement = solution.placement
    return {
        "top": ofc_env.card_names(placement.top),
        "middle": ofc_env.card_names(placement.middle),
        "bottom": ofc_env.card_names(placement.bottom),
        "discards": ofc_env.card_names(placement.discards),
        "royalties": int(solution.royalties),
        "stays": bool(solution.stays),
    }
