"""What a judge's network is known to err by, measured: one file, with the command that measured it.

A look ahead ends at the network's opinion of boards. Of boards that a strong player hardly ever makes it
thinks too well, so what a bad placement costs comes out too low. By turn, what a placement is behind the
best one is therefore multiplied, up to a knee by one number and beyond it by another. And what the seat
that acts first is worth before any card is dealt is not what the network thinks of its openings, but what
hands that were played out brought.

`python experiments/calibrate_judge.py --write` measures both for the shipped champion and writes the file.
Networks that nobody has measured are taken at their word.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ofc_env import _core

FILE = Path(__file__).parent / "calibration.json"
KNEE: float = _core.CALIBRATION_KNEE  # points behind the best
TURNS = 4  # the last one is solved
UNCHANGED = ((1.0, 1.0),) * TURNS


@dataclass(frozen=True)
class Calibration:
    """What to make of a network's opinions."""

    start: float | None = None  # worth of the seat that acts first between normal hands; None: not measured
    slopes: tuple[tuple[float, float], ...] = UNCHANGED  # by turn: below the knee, and above it

    def factor(self, turn: int, behind: float) -> float:
        """What so many points behind the best placement are multiplied by."""
        return _core.calibration_factor(self.slopes, turn, behind)

    @classmethod
    def parse(cls, content: Mapping[str, Any]) -> Calibration:
        """An entry of the file."""
        return cls(
            float(content["start"]), tuple((float(low), float(high)) for low, high in content["slopes"])
        )


def entries() -> dict[str, dict[str, Any]]:
    """All that was measured, by the weights' digest."""
    return dict(json.loads(FILE.read_text(encoding="utf-8"))) if FILE.is_file() else {}


@lru_cache(maxsize=8)
def calibration_of(digest: str) -> Calibration | None:
    """Of a network by its weights' digest; None where nobody has measured it."""
    found = entries().get(digest)
    return None if found is None else Calibration.parse(found)
