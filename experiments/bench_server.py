"""Measure the live server: latency with many rooms, memory over many hands, the AI's answers, reviews.

    python experiments/bench_server.py                       everything, some minutes
    python experiments/bench_server.py load --rooms 50       one part, smaller

A server runs in a process of its own on a loopback port, its log on disk and every turn waiting for the disk;
the clients are this process. Prints a table and writes runs/bench_server.json.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine
from dataclasses import asdict, dataclass
from pathlib import Path

from experiments.common.command_line import run, write_json
from experiments.common.options import option, read
from experiments.common.packages import needed_by

with needed_by(__name__):
    from experiments.benches.live_server import (
        Figure,
        Server,
        measure_ai,
        measure_load,
        measure_memory,
        measure_reviews,
        run_server,
    )

PARTS = ("load", "memory", "ai", "reviews")
MEMORY_ROOMS = 20


@dataclass(frozen=True)
class Config:
    """What is measured."""

    parts: tuple[str, ...] = option(
        (), f"only these: {', '.join(PARTS)}", positional=True, metavar="PART", shown="all"
    )
    rooms: int = option(500, "rooms of the load; more wait longer", low=1)
    ai: float = option(0.1, "share of them against the AI, at the usual level", low=0, high=1)
    seconds: float = option(30.0, "duration of the load; longer ones are steadier", above=0)
    hands: int = option(10_000, "hands of the memory test; more show a smaller growth", low=10)
    decisions: int = option(40, "AI answers for each level; more are steadier", low=1)
    reviewed: int = option(20, "hands that are reviewed; more are steadier", low=1)
    folder: Path | None = option(
        None, "where the log is written: the disk that is measured", shown="the system's temporary files"
    )
    out: Path = option(Path("runs/bench_server.json"), "JSON file", metavar="FILE", old=("--output",))


def measure(part: str, server: Server, config: Config) -> Coroutine[None, None, list[Figure]]:
    """The work of one part."""
    if part == "load":
        return measure_load(server, config.rooms, config.seconds, config.ai)
    if part == "memory":
        return measure_memory(server, config.hands, MEMORY_ROOMS)
    if part == "reviews":
        return measure_reviews(server, config.reviewed)
    return measure_ai(server, config.decisions)


def table(figures: list[Figure]) -> str:
    """A line for each figure."""
    width = max(len(figure.name) for figure in figures)
    lines = []
    for figure in figures:
        target = ""
        if figure.target is not None:
            met = "met" if figure.value <= figure.target else "MISSED"
            target = f"   at most {figure.target:g}: {met}"
        lines.append(f"  {figure.name:<{width}}  {figure.value:10.2f} {figure.unit}{target}")
    return "\n".join(lines)


def bench(config: Config) -> None:
    """Measure part by part, each with a server of its own; print and write."""
    if unknown := sorted(set(config.parts) - set(PARTS)):
        raise ValueError(f"there is no part {unknown[0]!r}: choose from {', '.join(PARTS)}")
    results = {}
    for part in config.parts or PARTS:
        with run_server(config.folder) as server:
            results[part] = asyncio.run(measure(part, server, config))
        print(f"{part}\n{table(results[part])}")
    write_json(
        config.out, {part: [asdict(figure) for figure in figures] for part, figures in results.items()}
    )
    print(f"written to {config.out}")


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code is 0 even where a target is missed, since machines differ."""
    return run(lambda: bench(read(Config, arguments, __doc__)))


if __name__ == "__main__":
    sys.exit(main())
