"""The questions: what a seat knows, and for "foul or not" also what it has just placed."""

from __future__ import annotations

from dataclasses import dataclass

from ofc_env import InformationSet, Rules, _core

MISTAKE = "mistake"
KINDS: tuple[str, ...] = tuple(_core.DRILL_KINDS)
"""Those that a seed makes; a `mistake` is made from a decision that somebody took."""


@dataclass(frozen=True)
class Drill:
    """What to place; or, where a placement is given, how likely the board after it is to foul."""

    kind: str
    information: str  # what the seat knows, as InformationSet.parse reads it
    placement: str | None = None  # as Placement.parse reads it
    seconds: float | None = None  # that the answer may take

    @property
    def position(self) -> InformationSet:
        """What the seat knows."""
        return InformationSet.parse(self.information)


def make_drill(kind: str, seed: int, rules: Rules | str | None = None) -> Drill:
    """The question of a kind that belongs to a seed.

    Args:
        kind: one of `KINDS`.
        seed: 0 or more.
        rules: that it is played by; the house rules if None. ValueError for
            a fantasyland hand where there is none.
    """
    if seed < 0:
        raise ValueError(f"a drill's seed is 0 or more, not {seed}")
    known, placement, seconds = _core.make_drill(kind, seed, rules)
    return Drill(
        kind,
        str(known),
        None if placement is None else str(placement),
        None if seconds is None else float(seconds),
    )


def mistake(information: InformationSet) -> Drill:
    """The question what to place in a position in which somebody erred."""
    return Drill(MISTAKE, str(information))
