"""When a mistake comes back: the one place that knows the intervals.

A mistake lies in a box. A right answer moves it to the next box, a wrong one back to the first; the further
the box, the longer the rest. Somebody who answers right every time meets it seven times in half a year.
"""

from __future__ import annotations

from datetime import datetime, timedelta

FIRST_REST = timedelta(minutes=10)
RESTS = tuple(timedelta(days=days) for days in (1, 3, 7, 16, 35, 90))
"""After so many right answers in a row; the last one repeats."""


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
    if not is_right:
        return 0, now + FIRST_REST
    return box + 1, now + RESTS[min(box, len(RESTS) - 1)]
