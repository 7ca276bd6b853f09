"""Measure the speed of every part: `make bench` prints a table and writes runs/bench.json.

Each row is a function that returns one number, and says what is measured, the target and the unit. Rows that
need a package which is not installed are skipped with the reason. Figures are by the wall clock unless their
note says otherwise, so nothing else should run beside it. Give names to run only some:
`make bench ARGS="playouts batch"`. The spread of a row is how far its slices lie apart; with
`--against FILE` an earlier run's JSON stands beside this one, and changes beyond the spreads are marked. The
rows are functions in `experiments/benches/`.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from experiments.benches import alphazero, data, game, ppo, search  # noqa: F401 - adds their rows
from experiments.benches.compare import compare, comparison_table, read_report, with_comparison
from experiments.benches.table import ROWS, measure, report, table

DEFAULT_OUTPUT = Path("runs/bench.json")


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and write; the exit code is 0 even where a target is missed, since machines differ."""
    parser = argparse.ArgumentParser(description="Measure the speed of every part.")
    parser.add_argument("rows", nargs="*", help=f"only these rows: {', '.join(line.name for line in ROWS)}")
    parser.add_argument(
        "--seconds", type=float, default=3.0, help="time for each figure (default %(default)s)"
    )
    parser.add_argument("--output", type=Path, default=DEFAULT_OUTPUT, help="JSON file (default %(default)s)")
    parser.add_argument("--against", type=Path, metavar="FILE", help="JSON of an earlier run to compare with")
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.rows) - {line.name for line in ROWS})
    if unknown:
        parser.error(f"there is no row {unknown[0]!r}: choose from {', '.join(line.name for line in ROWS)}")
    chosen = [line for line in ROWS if not options.rows or line.name in options.rows]
    try:
        earlier = read_report(options.against) if options.against else None
    except ValueError as refusal:
        parser.error(str(refusal))
    measurements = measure(chosen, options.seconds)
    print(table(measurements))
    content = report(measurements)
    if earlier:
        comparisons = compare(measurements, earlier)
        print("\n" + comparison_table(comparisons, earlier, options.against))
        content = with_comparison(content, comparisons, earlier, options.against)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(content, indent=2) + "\n")
    print("\nby the wall clock, unless a note says processor time: let nothing else run beside it")
    print(f"written to {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
