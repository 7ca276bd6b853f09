"""Measure the speed of every part: `make bench` prints a table and writes runs/bench.json.

Each row is a function that returns one number, and says what is measured, the target and the unit. Rows that
need a package which is not installed are skipped with the reason. Give names to run only some:
`make bench ARGS="playouts batch"`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ofc_env

DEFAULT_OUTPUT = Path("runs/bench.json")


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


# ---------------------------------------------------------------- the game


@row("playouts", "random playouts, whole two-player hands scored", 1_000_000, "hands/s")
def bench_playouts(bench: Bench) -> float:
    """Native loop: shuffle, deal, 10 random placements, score."""
    seeds = iter(range(1_000_000_000))

    def work() -> int:
        ofc_env.random_playouts(20_000, next(seeds))
        return 20_000

    return bench.rate(work)


def _recorded_play(tables: int, steps: int) -> tuple[ofc_env.BatchEnv, NDArray[np.int64]]:
    """Random legal play written down, (steps, tables): when it is replayed, only the environment is timed."""
    batch = ofc_env.BatchEnv(tables, seed=1)
    actions = np.empty((steps, tables), dtype=np.int64)
    for step in range(steps):
        actions[step] = batch.random_actions()
        batch.step(actions[step])
    return batch, actions


@row(
    "batch",
    "BatchEnv, 1024 tables, observations and masks written, recorded actions",
    1_500_000,
    "decisions/s",
)
def bench_batch(bench: Bench) -> float:
    """`step` alone: play, score, deal again, write 490 numbers and a mask a table; no choosing of actions."""
    batch, actions = _recorded_play(1024, 400)

    def work() -> int:
        batch.reset(seed=1)
        for slots in actions:
            batch.step(slots)
        return int(actions.size)

    return bench.rate(work)


# ---------------------------------------------------------------- PettingZoo


def _random_play(environment: Any) -> Callable[[], int]:
    """One episode by the usual loop, actions drawn evenly from the mask; counts every `step` call."""
    draw = random.Random(1).random

    def work() -> int:
        steps = 0
        environment.reset()
        for _ in environment.agent_iter():
            observation, _reward, termination, truncation, _info = environment.last()
            if termination or truncation:
                action = None
            else:
                legal = observation["action_mask"].nonzero()[0]
                action = int(legal[int(draw() * len(legal))])
            environment.step(action)
            steps += 1
        return steps

    return work


def _poker() -> Any:
    try:
        from pettingzoo.classic import texas_holdem_v4
    except ImportError as missing:
        raise SkippedError(f"needs the bench extra: pip install 'ofc-env[bench]' ({missing})") from missing
    return texas_holdem_v4


def _against_poker(bench: Bench, ours: Any, poker: Any) -> float:
    own_rate, poker_rate = bench.rates_in_turn(_random_play(ours), _random_play(poker))
    bench.note = f"{own_rate:,.0f} against {poker_rate:,.0f} steps/s"
    return own_rate / poker_rate


@row("raw_env", "raw_env random play against texas_holdem_v4.raw_env, same loop", 6, "times")
def bench_raw_env(bench: Bench) -> float:
    """`agent_iter`, `last`, a draw from the mask, `step`; both in alternating slices of one run."""
    return _against_poker(bench, ofc_env.raw_env(), _poker().raw_env())


@row("env", "env() random play against texas_holdem_v4.env(), same loop", 4, "times")
def bench_env(bench: Bench) -> float:
    """The same with each one's checks around it."""
    return _against_poker(bench, ofc_env.env(), _poker().env())


# ---------------------------------------------------------------- start and size

_IMPORT_SCRIPT = (
    "import sys, time; start = time.perf_counter(); import ofc_env; seconds = time.perf_counter() - start;"
    "sys.exit('torch was imported') if 'torch' in sys.modules else print(seconds)"
)


@row("import", "import ofc_env in a fresh process, without torch (median of 7)", 0.3, "s", most=True)
def bench_import(bench: Bench) -> float:
    """Fails if torch comes along."""
    times = []
    for _ in range(7):
        run = subprocess.run(
            [sys.executable, "-c", _IMPORT_SCRIPT], capture_output=True, text=True, check=True
        )
        times.append(float(run.stdout))
    bench.note = f"{min(times):.2f} to {max(times):.2f} s"
    return statistics.median(times)


@row("tables", "lookup tables, ready at import", 16, "MB", most=True)
def bench_tables(bench: Bench) -> float:
    """Bytes held by the native core's tables."""
    from ofc_env import _core

    return _core.table_bytes() / 1e6


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


def _processor() -> str:
    """The processor's name, where the system tells it."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def report(measurements: list[Measurement]) -> dict[str, Any]:
    """The measurements with the machine they were made on, JSON-ready."""
    return {
        "date": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "rows": [asdict(item) for item in measurements],
    }


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and write; the exit code is 0 even where a target is missed, since machines differ."""
    parser = argparse.ArgumentParser(description="Measure the speed of every part.")
    parser.add_argument("rows", nargs="*", help=f"only these rows: {', '.join(line.name for line in ROWS)}")
    parser.add_argument(
        "--seconds", type=float, default=3.0, help="time for each figure (default %(default)s)"
    )
    parser.add_argument("--output", type=Path, default=DEFAULT_OUTPUT, help="JSON file (default %(default)s)")
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.rows) - {line.name for line in ROWS})
    if unknown:
        parser.error(f"there is no row {unknown[0]!r}: choose from {', '.join(line.name for line in ROWS)}")
    chosen = [line for line in ROWS if not options.rows or line.name in options.rows]
    measurements = measure(chosen, options.seconds)
    print(table(measurements))
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(report(measurements), indent=2) + "\n")
    print(f"\nwritten to {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
