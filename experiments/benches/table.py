"""The table of `make bench`: rows that measure one figure each, and how they are run, printed and saved."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
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
    most: bool = False  # True: less is better
    spread: float = 0.0  # (largest - smallest) / largest of the slices that were measured


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
        self.spread = 0.0

    def record_spread(self, values: Sequence[float]) -> None:
        """Note how far repeated measurements of the row's figure lie apart."""
        self.spread = (max(values) - min(values)) / max(values)

    def rate(self, work: Callable[[], int]) -> float:
        """Units of work a second: `work` does some and returns how many; the best of three runs of it."""
        work()  # once for caches and clock speed
        rates = []
        for _ in range(3):
            done, start = 0, time.perf_counter()
            while (elapsed := time.perf_counter() - start) < self.seconds / 3:
                done += work()
            rates.append(done / elapsed)
        self.record_spread(rates)
        return max(rates)

    def rates_in_turn(
        self,
        first: Callable[[], int],
        second: Callable[[], int],
        clock: Callable[[], float] = time.perf_counter,
    ) -> tuple[float, float]:
        """Two rates measured in alternating slices, so that both meet the same state of the machine."""
        first(), second()
        done, spent = np.zeros((2, 9)), np.zeros((2, 9))
        for part in range(9):
            for index, work in enumerate((first, second)):
                start = clock()
                while clock() - start < self.seconds / 9:
                    done[index, part] += work()
                spent[index, part] = clock() - start
        thirds = done.reshape(2, 3, 3).sum(axis=2) / spent.reshape(2, 3, 3).sum(axis=2)
        self.record_spread((thirds[0] / thirds[1]).tolist())
        rates = done.sum(axis=1) / spent.sum(axis=1)
        return float(rates[0]), float(rates[1])


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
            note = f"skipped: {reason}"
            measurements.append(
                Measurement(line.name, line.title, None, line.target, line.unit, None, None, note, line.most)
            )
            continue
        ratio = line.target / value if line.most else value / line.target
        judged = (ratio, ratio >= 1, bench.note, line.most, bench.spread)
        measurements.append(Measurement(line.name, line.title, value, line.target, line.unit, *judged))
    return measurements


def figure(value: float) -> str:
    """A number as it stands in a table: three digits, thousands in full."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def table(measurements: list[Measurement]) -> str:
    """The measurements as text, a line each."""
    lines = [("what", "measured", "target", "ratio", "spread", "", "note")]
    for item in measurements:
        target = f"{figure(item.target)} {item.unit}"
        if item.value is None or item.ratio is None:
            lines.append((item.title, "-", target, "-", "-", "", item.note))
            continue
        measured, met = f"{figure(item.value)} {item.unit}", "met" if item.met else "MISSED"
        ratio, spread = f"{item.ratio:.2f}", f"{100 * item.spread:.0f} %"
        lines.append((item.title, measured, target, ratio, spread, met, item.note))
    return columns(lines, right=(1, 2, 3, 4))


def columns(lines: Sequence[Sequence[str]], right: Sequence[int]) -> str:
    """Lines of cells as text; the columns of `right` stand flush right."""
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if index in right else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(line, widths))
        ).rstrip()
        for line in lines
    )


def commit() -> str | None:
    """The commit that is measured, short, with a + if files differ from it; None outside a repository."""

    def git(*words: str) -> str:
        folder = Path(__file__).parent
        return subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True).stdout

    try:
        return git("rev-parse", "--short=8", "HEAD").strip() + (
            "+" if git("status", "--porcelain", "-uno") else ""
        )
    except (OSError, subprocess.CalledProcessError):
        return None


def report(measurements: list[Measurement]) -> dict[str, Any]:
    """The measurements with the machine they were made on, JSON-ready."""
    return {
        **machine(),
        "commit": commit(),
        "numpy": np.__version__,
        "rows": [asdict(item) for item in measurements],
    }
