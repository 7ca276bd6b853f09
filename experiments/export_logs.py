"""Export a log database as JSONL, one line per turn.

    python -m experiments.export_logs games.db turns.jsonl.gz --player ann --since 2031-05-01

A name that ends in .gz is compressed. The file appears under its name only when it is complete. Memory stays
constant however long the log is.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from tqdm import tqdm

from ofc_env import Rules
from ofc_env.files import new_file
from ofc_env.records.lines import TurnLine, count_turns, iter_table, iter_turns


@contextmanager
def _output(path: Path) -> Iterator[BinaryIO]:
    """A file to write, gzipped if its name ends in .gz; no time inside, so that equal logs come out equal."""
    with path.open("wb") as raw:
        if path.suffix == ".gz":
            with gzip.GzipFile("", "wb", compresslevel=6, fileobj=raw, mtime=0) as packed:
                yield packed  # type: ignore[misc]
        else:
            yield raw


def write_lines(lines: Iterable[TurnLine], path: Path) -> int:
    """Write turns as JSONL to a file that appears when it is complete; how many there were."""
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
    progress: bool = True,
) -> int:
    """Export the chosen turns; how many there were. Filters as in `ofc_env.records.lines.iter_turns`."""
    chosen = {"player": player, "session": session, "since": since, "until": until, "finished": finished}
    total = count_turns(database, **chosen)
    lines = iter_turns(database, player=player, session=session, since=since, until=until, finished=finished)
    return write_lines(tqdm(lines, total=total, unit="turn", desc="export", disable=not progress), output)


def other_rules(database: Path) -> list[str]:
    """Rules other than the standard game that sessions of the log were played by."""
    rows = iter_table(database, "SELECT DISTINCT rules FROM sessions")
    return [row["rules"] for row in rows if row["rules"] != str(Rules())]


def main(arguments: list[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="experiments.export_logs", description=__doc__.partition("\n")[0])
    parser.add_argument("database", type=Path, help="the SQLite log")
    parser.add_argument("output", type=Path, help="the JSONL file; compressed if it ends in .gz")
    parser.add_argument("--player", help="only turns of the player of this name")
    parser.add_argument("--session", help="only this session_id")
    parser.add_argument("--since", help="only hands that began at this date or later, UTC: 2031-05-01")
    parser.add_argument("--until", help="only hands that began before this date, UTC")
    parser.add_argument("--finished", action="store_true", help="only hands that were played to their end")
    options = vars(parser.parse_args(arguments))
    database, output = options.pop("database"), options.pop("output")
    try:
        count = export_logs(database, output, **options)
    except (ValueError, OSError) as error:
        sys.exit(str(error))
    print(f"{output}: {count} turns")
    for rules in other_rules(database):
        print(f'some sessions were played by other rules: preprocess those alone, with --rules "{rules}"')


if __name__ == "__main__":
    main()
