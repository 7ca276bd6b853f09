"""How well fouls, fantasyland and royalties can be foreseen at all, given the teacher and the cards to come.

From each position the teacher plays on in many deals of the unseen cards. The shares found that way are what
a perfect value network would say, so their AUC and error are the most that a trained one can reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.arena.progress import tracked
from agents.base import Agent
from agents.positions.ranking import play_out
from experiments.cloning.data import TrainingSet
from experiments.cloning.metrics import auc
from ofc_env import Hand

OBSERVER = 0  # the seat of whoever saw a position, in a hand set up from it


def foresight(
    teacher: Agent, states: Sequence[NDArray[np.float32]], deals: int, seed: int = 0, show: bool = False
) -> NDArray[np.float64]:
    """What becomes of positions when the teacher plays both seats on.

    Args:
        teacher: whoever was logged, playing by the rules of the log.
        states: (490,) each, of a seat to act.
        deals: how often the unseen cards of each are dealt.

    Returns:
        (N, 4): chance of a foul, chance of fantasyland, mean and median of the royalties.
    """
    found = []
    for number, state in enumerate(tracked(states, "ceiling", len(states), "positions", show)):
        first = seed + number * deals
        hands = [Hand.from_observation(state, first + deal, teacher.rules) for deal in range(deals)]
        play_out(teacher, hands)
        boards = [hand.board(OBSERVER) for hand in hands]
        royalties = [board.royalties.total for board in boards]
        fouls = np.mean([board.fouled for board in boards])
        entries = np.mean([board.fantasyland_cards > 0 for board in boards])
        found.append((fouls, entries, np.mean(royalties), np.median(royalties)))
    return np.array(found)


def ceiling(
    teacher: Agent,
    data: TrainingSet,
    rows: NDArray[np.int64],
    deals: int = 64,
    seed: int = 0,
    show: bool = False,
) -> dict[str, Any]:
    """The best figures that a network could have on some rows.

    Returns:
        JSON-ready, overall and by turn: positions, bust_auc, fl_auc, royalty_mae with the mean as the
        prediction, and with the median, which is the least that any prediction can have.
    """
    foreseen = foresight(teacher, [data.states[row] for row in rows], deals, seed, show)

    def figures(pick: NDArray[np.bool_]) -> dict[str, float | None]:
        picked, known = rows[pick], foreseen[pick]
        if not len(picked):
            return {"positions": 0, "bust_auc": None, "fl_auc": None, "royalty_mae": None, "median_mae": None}
        numbers = {
            "positions": len(picked),
            "bust_auc": auc(known[:, 0], data.busted[picked]),
            "fl_auc": auc(known[:, 1], data.fl_entry[picked]),
            "royalty_mae": float(np.abs(known[:, 2] - data.royalties[picked]).mean()),
            "median_mae": float(np.abs(known[:, 3] - data.royalties[picked]).mean()),
        }
        return {name: None if value != value else value for name, value in numbers.items()}

    turns = data.turn[rows]
    return {
        "deals": deals,
        "overall": figures(np.ones(len(rows), dtype=np.bool_)),
        "by_turn": {str(turn): figures(turns == turn) for turn in range(5)},
    }


def ceiling_text(report: dict[str, Any]) -> str:
    """One sentence for a person; with `network`, what it reaches on the same positions."""

    def words(figures: dict[str, Any]) -> str:
        return ", ".join(
            f"{label} {'-' if figures[name] is None else format(figures[name], form)}"
            for label, name, form in (
                ("bust AUC", "bust_auc", ".3f"),
                ("FL AUC", "fl_auc", ".3f"),
                ("royalty MAE", "royalty_mae", ".2f"),
            )
        )

    text = (
        f"the best possible, on {report['overall']['positions']} test positions: {words(report['overall'])}"
    )
    return f"{text}; the network there: {words(report['network'])}" if "network" in report else text
