"""Measure the speed of every part: prints a table and writes runs/bench.json. Also `make bench`.

    python experiments/bench.py
    python experiments/bench.py playouts batch --seconds 6

Each row is a function that returns one number, and says what is measured, the target and the unit. Rows that
need a package which is not installed are skipped with the reason. Figures are by the wall clock unless their
note says otherwise, so nothing else should run beside it. Give names to run only some:
`make bench ARGS="playouts batch"`. The spread of a row is how far its slices lie apart; with
`--against FILE` an earlier run's JSON stands beside this one, and changes beyond the spreads are marked. The
rows are functions in `experiments/benches/`.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

from experiments.benches import (  # noqa: F401 - adds their rows
    alphazero,
    credit,
    data,
    game,
    portable,
    ppo,
    search,
)
from experiments.benches.compare import compare, comparison_table, read_report, with_comparison
from experiments.benches.table import ROWS, measure, report, table
from experiments.common.command_line import run
from experiments.common.options import option, read
from ofc_env.files import write_whole


@dataclass(frozen=True)
class Config:
    """What is measured."""

    rows: tuple[str, ...] = option(
        (),
        f"only these: {', '.join(line.name for line in ROWS)}",
        positional=True,
        metavar="ROW",
        shown="all",
    )
    seconds: float = option(3.0, "time for each figure; longer ones are steadier", above=0)
    out: Path = option(Path("runs/bench.json"), "JSON file", metavar="FILE", old=("--output",))
    against: Path | None = option(
        None, "JSON of an earlier run to stand beside this one", metavar="FILE", shown="none"
    )


def bench(config: Config) -> None:
    """Measure, print and write."""
    unknown = sorted(set(config.rows) - {line.name for line in ROWS})
    if unknown:
        raise ValueError(
            f"there is no row {unknown[0]!r}: choose from {', '.join(line.name for line in ROWS)}"
        )
    chosen = [line for line in ROWS if not config.rows or line.name in config.rows]
    earlier = read_report(config.against) if config.against else None
    measurements = measure(chosen, config.seconds)
    print(table(measurements))
    content = report(measurements)
    if earlier and config.against:
        comparisons = compare(measurements, earlier)
        print("\n" + comparison_table(comparisons, earlier, config.against))
        content = with_comparison(content, comparisons, earlier, config.against)
    config.out.parent.mkdir(parents=True, exist_ok=True)
    write_whole(config.out, json.dumps(content, indent=2) + "\n")
    print("\nby the wall clock, unless a note says processor time: let nothing else run beside it")
    print(f"written to {config.out}")


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code is 0 even where a target is missed, since machines differ."""
    return run(lambda: bench(read(Config, arguments, __doc__)))


if __name__ == "__main__":
    sys.exit(main())
