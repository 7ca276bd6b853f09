"""When a mistake comes back; the core knows the intervals (core/drills/repetition.hpp)."""

from __future__ import annotations

from datetime import datetime, timedelta

from ofc_env import _core


def first_due(now: datetime) -> datetime:
    """A new mistake can be asked at once: whoever adds it wants to try again."""
    return now


def after_answer(box: int, is_right: bool, now: datetime) -> tuple[int, datetime]:
    """The box that a mistake moves to, and when it is due again.

    Args:
        box: that it lies in, 0 for a new one.
        is_right: whether the answer was.
        now: when it was given.
    """
    moved, minutes = _core.rest_after_answer(box, is_right)
    return moved, now + timedelta(minutes=minutes)
