"""Finished chunks of a match in a file of JSON lines, so that an interrupted match goes on where it was.

The first line says which match it is; every further line holds the results of some deals. Lines are appended
and flushed to the disk one by one; a line that a crash cut off is dropped when the file is opened again.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import IO, Any

import numpy as np

from agents.arena.tables import Arrays
from ofc_env import RewardConfig, Rules
from ofc_env.files import write_whole

FORMAT = 1
PER_AGENT = (
    "seconds",
    "decisions",
)  # sums of a chunk, unlike all other arrays, which have a row for each deal


class MatchStore:
    """Results by deal, in memory and, with a path, on disk."""

    def __init__(self, identity: dict[str, Any], path: Path | None = None, resume: bool = False) -> None:
        """Begin a match, or take up one that was begun.

        Args:
            identity: what makes two matches the same one, JSON-ready: agents, seed, rules and so on.
            path: the file; None keeps the results in memory only.
            resume: read the file if it is there; False starts afresh and replaces it.
        """
        self.identity = json.loads(json.dumps({"format": FORMAT, **identity}))
        self.path = path
        self._rows: dict[int, dict[str, Any]] = {}  # deal -> its row of every array
        self._totals: dict[str, Any] = {name: np.zeros(2) for name in PER_AGENT}
        self._file: IO[str] | None = None
        if path is None:
            return
        lines = self._read(path) if resume and path.exists() else []
        text = "".join(json.dumps(line) + "\n" for line in [self.identity, *lines])
        write_whole(path, text)
        self._file = path.open("a")

    def _read(self, path: Path) -> list[dict[str, Any]]:
        """The results of a file; whole lines only."""
        lines: list[dict[str, Any]] = []
        pieces = path.read_bytes().split(b"\n")
        if len(pieces) < 2:  # not even the first line was finished
            return lines
        names: set[str] = set()
        for number, text in enumerate(pieces[:-1], start=1):
            try:
                line = json.loads(text)
                first, arrays = _results_of(line, names) if number > 1 else (0, {})
            except (ValueError, TypeError, LookupError, AttributeError) as error:
                if number == len(pieces) - 1 and isinstance(error, json.JSONDecodeError):
                    break
                raise ValueError(
                    f"{path} is damaged in line {number}: remove it, or play without resuming"
                ) from error
            if number == 1:
                self._verify_same_match(path, line)
                continue
            names = set(arrays)
            self._take(first, arrays)
            lines.append(line)
        return lines

    def _verify_same_match(self, path: Path, identity: Any) -> None:
        if not isinstance(identity, dict):
            raise ValueError(f"{path} does not hold a match: choose another file")
        for name in sorted(set(identity) | set(self.identity)):
            was, now = identity.get(name), self.identity.get(name)
            if name == "reward" and isinstance(was, str):
                was = _reward_text(was)
            if name == "rules" and isinstance(was, str):
                was = _rules_text(was)
            if was != now:
                raise ValueError(
                    f"{path} holds another match ({name} was {was!r} and is now {now!r}): "
                    f"choose another file, or play without resuming"
                )
        self.identity = identity  # as the file has it

    def _take(self, first: int, arrays: Arrays) -> None:
        rows = {name: values for name, values in arrays.items() if name not in PER_AGENT}
        count = len(next(iter(rows.values())))
        for index in range(count):
            self._rows[first + index] = {name: values[index] for name, values in rows.items()}
        for name in PER_AGENT:
            self._totals[name] = self._totals[name] + arrays[name]

    def add(self, first: int, arrays: Arrays) -> None:
        """Keep the results of the deals from `first` on; on the disk when this returns."""
        self._take(first, arrays)
        if self._file is None:
            return
        results = {name: values.tolist() for name, values in arrays.items()}
        self._file.write(json.dumps({"first": first, "results": results}) + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def missing(self, deals: int, chunk: int) -> list[tuple[int, int]]:
        """Chunks (first, count) of neighbouring deals below `deals` that have no result yet."""
        chunks: list[tuple[int, int]] = []
        for deal in range(deals):
            if deal in self._rows:
                continue
            if chunks and sum(chunks[-1]) == deal and chunks[-1][1] < chunk:
                chunks[-1] = (chunks[-1][0], chunks[-1][1] + 1)
            else:
                chunks.append((deal, 1))
        return chunks

    def arrays(self, deals: int) -> Arrays:
        """The results of deals 0 to `deals - 1`, in order; seconds and decisions cover all deals played."""
        rows = [self._rows[deal] for deal in range(deals)]
        stacked = {name: np.array([row[name] for row in rows]) for name in rows[0]}
        return {**stacked, **self._totals}

    def close(self) -> None:
        """Close the file; more results cannot be added."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _results_of(line: Any, names: set[str]) -> tuple[int, Arrays]:
    """The first deal of a line and its arrays; an error of whatever kind if the line is none of results.

    Args:
        names: of the arrays of the lines before; none before the first.
    """
    arrays = {name: np.array(values) for name, values in line["results"].items()}
    if len({len(values) for name, values in arrays.items() if name not in PER_AGENT}) != 1:
        raise ValueError("the results are not of the same deals")
    if names and set(arrays) != names:
        raise ValueError("the results are others than those of the lines before")
    return int(line["first"]), arrays


def begun_match(path: Path | str | None) -> dict[str, Any] | None:
    """What the first line of a file says about its match; None where none was begun."""
    try:
        first, newline, _ = Path(path).read_text().partition("\n") if path is not None else ("", "", "")
    except FileNotFoundError:
        return None
    try:
        identity = json.loads(first) if newline else None
    except json.JSONDecodeError:
        return None  # whoever opens the file for its results says what is wrong
    return identity if isinstance(identity, dict) else None


def _rules_text(text: str) -> str:
    """Rules as they are written today; files of 0.1 have fewer fields. What are no rules stays as it is."""
    try:
        return str(Rules.parse(text))
    except ValueError:
        return text


def _reward_text(text: str) -> str:
    """A reward as it is written today; files of 0.1 have it as `RewardConfig(points=1.000000, ...)`."""
    fields = text.removeprefix("RewardConfig(").removesuffix(")")
    if fields == text:
        return text
    words = re.sub(r"\(([^)]*)\)", lambda numbers: numbers[1].replace(", ", ","), fields).replace(", ", " ")
    return str(RewardConfig.parse(words.replace("True", "on").replace("False", "off")))
