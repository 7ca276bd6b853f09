"""Small value types that the native core hands out."""

from __future__ import annotations

from typing import Any, NamedTuple


class Royalties(NamedTuple):
    """Bonus points of a board by row; all zero when it is fouled."""

    top: int
    middle: int
    bottom: int
    total: int


class Setting(NamedTuple):
    """A field of a settings struct of the core: what it may be and what it means."""

    name: str
    type: str  # int, float, bool, str, or a sequence of one of them
    default: Any
    low: float | None  # every number of it is at least this; None for switches and choices
    high: float | None
    also: float | None  # one number outside the bounds that is taken too
    choices: tuple[str, ...]
    help: str
