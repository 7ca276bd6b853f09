"""Any position, written down by a person or held in a log, as the 490 numbers that a seat sees."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.base import Observation
from ofc_env import InformationSet, Rules, _core
from ofc_env._core import spelled_cards as spelled
from ofc_env.layout import ROWS

__all__ = [
    "PLACES",
    "Cards",
    "Position",
    "information_of",
    "observation_of",
    "position_of_line",
    "read_cards",
    "read_log_line",
    "spelled",
    "with_mask",
]

Cards = str | Iterable[str | int]
PLACES = (*ROWS, *(f"opponent_{row}" for row in ROWS), "hand", "discards")
"""Where a card can lie, in the order of the observation's places."""


@dataclass(frozen=True)
class Position:
    """What a seat knows when it is to act. Cards as text ("Ah Kd X1"), names or indices."""

    top: Cards = ""
    middle: Cards = ""
    bottom: Cards = ""
    opponent_top: Cards = ""
    opponent_middle: Cards = ""
    opponent_bottom: Cards = ""
    hand: Cards = ""  # in hand, to be placed now
    discards: Cards = ""  # one's own
    button: bool | None = None  # whether one has it; None: as the number of placed cards tells
    chips: int | None = None  # one's own, before the hand; None: what the rules begin with
    opponent_chips: int | None = None  # None: the rest of both players' chips
    opponent_fantasyland: int = 0  # cards of the opponent's fantasyland, 0 in normal play
    opening_step: int = 0  # 1 if the bottom of the opening is placed and top and middle are to come
    rules: Rules = Rules()  # that are played by


def information_of(position: Position) -> InformationSet:
    """What the seat of a position knows; ValueError, one sentence, for a position that play cannot reach."""
    return _core.position_information(**vars(position))


def observation_of(position: Position) -> NDArray[np.float32]:
    """The 490 numbers of a position."""
    return information_of(position).observation()


def with_mask(numbers: NDArray[np.float32], rules: Rules = Rules()) -> Observation:
    """What an agent is given: the 490 numbers and the mask of the slots that are legal there."""
    return {
        "observation": numbers,
        "action_mask": InformationSet.from_observation(numbers, rules).action_mask(),
    }


def read_cards(position: Position) -> dict[str, list[int]]:
    """The cards of each place as indices, each card once."""
    return _core.position_cards(**{name: getattr(position, name) for name in PLACES})


# ---------------------------------------------------------------- from a log


def position_of_line(line: Mapping[str, Any]) -> Position:
    """The position before a turn of a game log, from one object of its JSONL form."""
    fields, _ = _core.read_position_line(json.dumps({**line, "action": None}))
    return Position(**fields)


def read_log_line(path: Path, number: int) -> dict[str, Any]:
    """Line `number` of a JSONL log, plain or gzipped, the first being 1."""
    if number < 1:
        raise ValueError(f"there is no line {number}: the first line of a log is 1")
    if not path.is_file():
        raise ValueError(f"there is no log {path}: name a file of JSON lines")
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        count = 0
        for count, text in enumerate(lines, start=1):
            if count == number:
                try:
                    line = json.loads(text)
                except json.JSONDecodeError:
                    raise ValueError(f"line {number} of {path} is not JSON") from None
                if not isinstance(line, dict):
                    raise ValueError(f"line {number} of {path} is not a turn: it must be a JSON object")
                return line
    raise ValueError(f"{path} has {count} lines: there is no line {number}")
