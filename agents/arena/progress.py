"""How far a long job is: a bar on a terminal, plain lines elsewhere, nothing for what takes two seconds.

    with Progress("match", total=500, unit="deals") as progress:
        progress.advance(20)

All of it goes to standard error, so that the output of a script stays what it found.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

SECONDS_BEFORE = 2.0  # what is over sooner needs no report
SECONDS_BETWEEN_LINES = 10.0
SECONDS_BETWEEN_DRAWINGS = 0.1
BAR_WIDTH = 24

Item = TypeVar("Item")


class Progress:
    """Counts what is done, and shows it now and then; nothing is shown unless it is moved."""

    def __init__(
        self, title: str, total: float | None = None, done: float = 0.0, unit: str = "", shown: bool = True
    ) -> None:
        """Begin to count.

        Args:
            title: what is being done.
            total: how much there is to do; None if nobody knows.
            done: how much of it is there already.
            unit: what is counted, such as "deals"; "" shows the share alone.
            shown: False keeps silent.
        """
        self.title, self.total, self.done, self.unit, self.shown = title, total, done, unit, shown
        self.note = ""  # a few words behind the figures
        self._begun, self._done_before = time.monotonic(), done
        self._next = self._begun + SECONDS_BEFORE
        self._drawn = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def advance(self, gained: float = 1.0) -> None:
        """So much more is done."""
        self.move_to(self.done + gained)

    def move_to(self, done: float) -> None:
        """So much is done in all."""
        self.done = done
        now = time.monotonic()
        if not self.shown or now < self._next:
            return
        if sys.stderr.isatty():
            self._next = now + SECONDS_BETWEEN_DRAWINGS
            width = shutil.get_terminal_size().columns - 1
            sys.stderr.write("\r\x1b[K" + self.text(now - self._begun, bar=True)[:width])
            sys.stderr.flush()
            self._drawn = True
        else:
            self._next = now + SECONDS_BETWEEN_LINES
            print(self.text(now - self._begun), file=sys.stderr, flush=True)

    def say(self, line: str) -> None:
        """A line that stays, on standard output."""
        self.close()
        print(line, flush=True)

    def close(self) -> None:
        """Take the bar away."""
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._drawn = False

    def text(self, seconds: float, bar: bool = False) -> str:
        """The state of things so many seconds after the begin."""
        parts = [f"{_clock(seconds)} gone"]
        if self.total is None:
            parts.insert(0, f"{self.done:,.0f} {self.unit}".rstrip())
            share = ""
        else:
            if self.unit:
                parts.insert(0, f"{self.done:,.0f} of {self.total:,.0f} {self.unit}")
            part = min(1.0, self.done / self.total) if self.total else 1.0
            filled = round(part * BAR_WIDTH)
            share = f"{100 * part:3.0f} % " + (f"|{'#' * filled:-<{BAR_WIDTH}}| " if bar else "")
            gained = self.done - self._done_before
            if gained > 0:
                parts.append(f"{_clock(max(0.0, self.total - self.done) * seconds / gained)} left")
        if self.note:
            parts.append(self.note)
        return f"{self.title}: {share}{', '.join(parts)}"


def tracked(
    items: Iterable[Item], title: str, total: float | None = None, unit: str = "", shown: bool = True
) -> Iterator[Item]:
    """The items one by one, with their progress."""
    with Progress(title, total, unit=unit, shown=shown) as progress:
        for item in items:
            yield item
            progress.advance()


def _clock(seconds: float) -> str:
    """Such as 0:07 or 1:02:03."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
