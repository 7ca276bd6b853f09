"""Export a log database as JSONL, one line per turn or fantasyland setting.

    python experiments/export_logs.py games.db --out turns.jsonl.gz --player ann --since 2031-05-01

A name that ends in .gz is compressed. The file appears under its name only when it is complete. Memory stays
constant however long the log is. Every line says the rules of its hand.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from agents.arena.progress import tracked
from experiments.common.command_line import run
from experiments.common.options import option, read
from ofc_env import Rules
from ofc_env.files import new_file
from ofc_env.records.lines import SettingLine, TurnLine, count_lines, iter_lines, iter_table


@contextmanager
def _output(path: Path) -> Iterator[BinaryIO]:
    """A file to write, gzipped if its name ends in .gz; no time inside, so that equal logs come out equal."""
    with path.open("wb") as raw:
        if path.suffix == ".gz":
            with gzip.GzipFile("", "wb", compresslevel=6, fileobj=raw, mtime=0) as packed:
                yield packed  # type: ignore[misc]
        else:
            yield raw


def write_lines(lines: Iterable[TurnLine | SettingLine], path: Path) -> int:
    """Write lines as JSONL to a file that appears when it is complete; how many there were."""
    count = 0
    encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode
    with new_file(path) as partial, _output(partial) as file:
        for line in lines:
            file.write(encode(line).encode() + b"\n")
            count += 1
    return count


def export_logs(
    database: Path,
    output: Path,
    *,
    player: str | None = None,
    session: str | None = None,
    since: str | None = None,
    until: str | None = None,
    finished: bool = False,
    practice: bool = False,
    progress: bool = True,
) -> int:
    """Export the chosen lines; how many there were. Filters as in `ofc_env.records.lines.iter_turns`."""
    chosen: dict[str, Any] = {
        "player": player,
        "session": session,
        "since": since,
        "until": until,
        "finished": finished,
        "practice": practice,
    }
    total = count_lines(database, **chosen)
    lines = iter_lines(database, **chosen)
    return write_lines(tracked(lines, "export", total, "lines", progress), output)


def kinds_of_rules(database: Path) -> list[str]:
    """The names of the rules that sessions of the log were played by, apart from chips and clocks."""
    rows = iter_table(database, "SELECT DISTINCT rules FROM sessions ORDER BY id")
    return list(dict.fromkeys(Rules.parse(row["rules"]).of_a_hand().name for row in rows))


@dataclass(frozen=True)
class Config:
    """What is exported; every filter that is given leaves less."""

    database: Path = option(
        Path("runs/games.db"),
        "the log, as experiments/generate_log.py or the server keeps it",
        positional=True,
    )
    out: Path = option(
        Path("runs/turns.jsonl.gz"),
        "the JSONL file; compressed if it ends in .gz",
        metavar="FILE",
        old=("--output",),
        old_position=True,
    )
    player: str | None = option(None, "only turns of the player of this name", shown="everybody")
    session: str | None = option(None, "only this session_id", shown="all of them")
    since: str | None = option(
        None,
        "only hands that began at this date or later, UTC: 2031-05-01",
        metavar="DATE",
        shown="the first",
    )
    until: str | None = option(
        None, "only hands that began before this date, UTC", metavar="DATE", shown="the last"
    )
    finished: bool = option(False, "only hands that were played to their end")
    practice: bool = option(
        False, "also hands of practice tables; their lines say so, and nothing is trained on them"
    )


def export(config: Config) -> None:
    """Export and say how much it was."""
    count = export_logs(
        config.database,
        config.out,
        player=config.player,
        session=config.session,
        since=config.since,
        until=config.until,
        finished=config.finished,
        practice=config.practice,
    )
    print(f"{config.out}: {count} lines")
    kinds = kinds_of_rules(config.database)
    if len(kinds) > 1:
        print(f"{config.database} mixes rules, and a training set holds one kind; preprocess takes")
        for name in kinds:
            print(f'    --rules "{name}"')


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    return run(lambda: export(read(Config, arguments, __doc__)))


if __name__ == "__main__":
    sys.exit(main())
