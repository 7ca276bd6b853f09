"""The table of `make bench`: rows that measure one figure each, and how they are run, printed and saved."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from experiments.common.command_line import machine


@dataclass(frozen=True)
class Row:
    """One line of the table: what is measured and what is asked of it."""

    name: str  # short, for the command line
    title: str  # what is measured, with what is included
    target: float
    unit: str
    most: bool  # True: at most the target, False: at least
    measure: Callable[[Bench], float]


@dataclass(frozen=True)
class Measurement:
    """A row with its figure, or with the reason why it has none."""

    name: str
    title: str
    value: float | None
    target: float
    unit: str
    ratio: float | None  # how many times better than the target; 1 meets it
    met: bool | None
    note: str


class SkippedError(Exception):
    """A row that cannot be measured here; the message says why."""


ROWS: list[Row] = []


def row(
    name: str, title: str, target: float, unit: str, most: bool = False
) -> Callable[[Callable[[Bench], float]], Callable[[Bench], float]]:
    """Add a function to the table."""

    def add(measure: Callable[[Bench], float]) -> Callable[[Bench], float]:
        ROWS.append(Row(name, title, target, unit, most, measure))
        return measure

    return add


class Bench:
    """What rows share: how long to measure, notes for the reader, and figures that two rows compare."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.note = ""

    def rate(self, work: Callable[[], int]) -> float:
        """Units of work a second: `work` does some and returns how many; the best of three runs of it."""
        work()  # once for caches and clock speed
        rates = []
        for _ in range(3):
            done, start = 0, time.perf_counter()
            while (elapsed := time.perf_counter() - start) < self.seconds / 3:
                done += work()
            rates.append(done / elapsed)
        return max(rates)

    def rates_in_turn(self, first: Callable[[], int], second: Callable[[], int]) -> tuple[float, float]:
        """Two rates measured in alternating slices, so that both meet the same state of the machine."""
        first(), second()
        done, spent = [0, 0], [0.0, 0.0]
        for _ in range(10):
            for index, work in enumerate((first, second)):
                start = time.perf_counter()
                while time.perf_counter() - start < self.seconds / 10:
                    done[index] += work()
                spent[index] += time.perf_counter() - start
        return done[0] / spent[0], done[1] / spent[1]


# ---------------------------------------------------------------- running and reporting


def measure(rows: Iterable[Row], seconds: float) -> list[Measurement]:
    """Measure the rows one after the other."""
    measurements = []
    for line in rows:
        bench = Bench(seconds)
        print(f"measuring {line.name} …", file=sys.stderr, flush=True)
        try:
            value = line.measure(bench)
        except SkippedError as reason:
            skipped = Measurement(
                line.name, line.title, None, line.target, line.unit, None, None, f"skipped: {reason}"
            )
            measurements.append(skipped)
            continue
        ratio = line.target / value if line.most else value / line.target
        measurements.append(
            Measurement(line.name, line.title, value, line.target, line.unit, ratio, ratio >= 1, bench.note)
        )
    return measurements


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def table(measurements: list[Measurement]) -> str:
    """The measurements as text, a line each."""
    lines = [("what", "measured", "target", "ratio", "", "note")]
    for item in measurements:
        if item.value is None or item.ratio is None:
            lines.append((item.title, "-", f"{_figure(item.target)} {item.unit}", "-", "", item.note))
            continue
        met = "met" if item.met else "MISSED"
        measured = f"{_figure(item.value)} {item.unit}"
        target = f"{_figure(item.target)} {item.unit}"
        lines.append((item.title, measured, target, f"{item.ratio:.2f}", met, item.note))
    widths = [max(len(line[column]) for line in lines) for column in range(6)]
    text = []
    for line in lines:
        cells = [line[0].ljust(widths[0])]
        cells += [line[column].rjust(widths[column]) for column in (1, 2, 3)]
        cells += [line[4].ljust(widths[4]), line[5]]
        text.append("  ".join(cells).rstrip())
    return "\n".join(text)


def report(measurements: list[Measurement]) -> dict[str, Any]:
    """The measurements with the machine they were made on, JSON-ready."""
    return {
        **machine(),
        "numpy": np.__version__,
        "rows": [asdict(item) for item in measurements],
    }
