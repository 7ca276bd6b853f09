"""Small value types that the native core hands out."""

from __future__ import annotations

from typing import NamedTuple


class Royalties(NamedTuple):
    """Bonus points of a board by row; all zero when it is fouled."""

    top: int
    middle: int
    bottom: int
    total: int
