"""Logs of every form that scripts take: databases and JSON lines, plain or gzipped, one or several.

A hand that stands in several logs, such as a database and its export, is read once, from the first of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from experiments.logs.hands import Line, LoggedHand, hands_of
from experiments.logs.lines import LineError, read_lines
from ofc_env.records import lines as records

LINES = (".jsonl", ".gz")  # how names of JSON lines end; everything else is a database
Refusal = Callable[[Path, int, LineError], None]


def verify_database_name(path: Path, name: str) -> None:
    """Refuse a name under which every script would take a database for JSON lines."""
    if path.suffix in LINES:
        raise ValueError(
            f"{name} {path} is named like JSON lines, and a database is written: end it in .db, "
            "and export it with experiments/export_logs.py"
        )


def numbered_lines(log: Path) -> Iterable[tuple[int, Line]]:
    """The lines of a log from 1 on; of a database those of finished hands, as its export has them."""
    if log.suffix not in LINES:
        return enumerate((json.dumps(line) for line in records.iter_lines(log, finished=True)), start=1)
    if not log.is_file():
        raise FileNotFoundError(f"there is no log at {log}: export one with experiments/export_logs.py")
    return read_lines(log)


def count_lines(logs: Sequence[Path]) -> int | None:
    """How many lines there are to read; None where nobody knows before."""
    if any(log.suffix in LINES for log in logs):
        return None
    return sum(records.count_lines(log, finished=True) for log in logs)


def logged_hands(
    logs: Sequence[Path],
    refuse: Refusal,
    lines: Callable[[Path], Iterable[tuple[int, Line]]] = numbered_lines,
    repeated: Callable[[LoggedHand], None] | None = None,
) -> Iterator[LoggedHand]:
    """The hands of all logs in their order, each once.

    Args:
        refuse: told of every line that cannot be what a game wrote.
        lines: reads a log.
        repeated: told of hands that an earlier log holds.
    """
    known: set[tuple[str, str]] = set()
    for log in logs:
        here = set()

        def refused(number: int, error: LineError, log: Path = log) -> None:
            refuse(log, number, error)

        for hand in hands_of(lines(log), refused):
            hand.log = log
            here.add(hand.key)
            if hand.key not in known:
                yield hand
            elif repeated:
                repeated(hand)
        known |= here
