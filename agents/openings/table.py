"""The table of openings: the best three placements of every class, for the seat that acts first.

A file of one line of JSON (`Header`) and a record of 18 bytes for each class, in the order of their numbers,
so that the classes of some ranks lie side by side: whoever wants a few reads a few. Values are in points.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.openings.classes import Classes, classes_of
from ofc_env import Rules, _core
from ofc_env.files import write_whole

VERSION = 1
BEST = 3
RECORD = np.dtype(
    [("rows", "u1", BEST), ("network", "<i2", BEST), ("race", "<i2", BEST), ("error", "u1", BEST)]
)
UNIT = 0.01  # points
NOT_JUDGED, NOT_RACED = 255, -32768
ORDERS: tuple[str, ...] = tuple(_core.OPENING_ORDERS)


@dataclass(frozen=True)
class Header:
    """What a table was made by; runs that differ in any of it do not go on with each other's."""

    rules: str
    network: str  # of the weights file
    simulations: int  # of the race that names the best three
    worlds: int  # fresh ones, which say what those are worth
    seed: int
    version: int = VERSION

    @classmethod
    def parse(cls, line: bytes) -> Header:
        """From the first line of a file."""
        found = json.loads(line)
        if not isinstance(found, dict) or found.get("version") != VERSION:
            raise ValueError(f"it does not begin as a table of version {VERSION}")
        return cls(**found)


@dataclass(frozen=True)
class Ranked:
    """One of the best placements of an opening."""

    top: list[str]
    middle: list[str]
    bottom: list[str]
    network: float  # value by the network alone
    race: float | None  # value by looking ahead in fresh worlds; None where nobody raced it
    error: float | None  # standard error: of the first's value, and of what the others lack beside the first


@dataclass(frozen=True)
class Opening:
    """A class of openings; cards are named as they were asked for."""

    number: int
    cards: list[str]
    deals: int  # openings that are the same up to suits
    raced: bool
    best: list[Ranked]  # best first: by the race where there was one, else by the network

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)


@dataclass(frozen=True)
class Found:
    """Openings of a pattern."""

    total: int  # classes
    share: float  # of all deals
    mean: float | None  # value of their first placements, by how often they are dealt; None if there is none
    openings: list[Opening]  # those of the page

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)


def code_of(rows: Sequence[int], orders: Sequence[Sequence[int]]) -> int:
    """The rows of five cards as a number, the same for placements that differ by suits alone.

    Args:
        rows: of each card, in the order of the class's own; 0 top, 1 middle, 2 bottom.
        orders: in which those cards are the same five again.
    """
    return _core.code_of_rows(rows, orders)


def rows_of(code: int) -> list[int]:
    """The rows of five cards from their number."""
    return _core.rows_of_code(code)


def pattern_of(text: str) -> list[int] | tuple[int, ...]:
    """What somebody types: five cards as a list, or up to five ranks, highest first, as a tuple.

    `QQ7` are ranks, `X` a joker; as soon as a suit is named, all five cards must be.
    """
    names_cards, found = _core.opening_pattern(text)
    return found if names_cards else tuple(found)


class Table:
    """The best placements of every class of openings.

    Args:
        header: what it is made by.
        records: (classes,) of RECORD; a table without any judged one if None.
    """

    def __init__(self, header: Header, records: NDArray[Any] | None = None) -> None:
        self.header = header
        self.rules = Rules.parse(header.rules)
        self.classes: Classes = classes_of(self.rules.jokers)
        if records is None:
            records = np.zeros(len(self.classes), dtype=RECORD)
            records["rows"], records["race"] = NOT_JUDGED, NOT_RACED
        self.records = records
        # The same memory, as the core reads it.
        self._view = _core.OpeningTable(self.rules.jokers, _bytes_of(records))

    # ------------------------------------------------------------ the file

    @classmethod
    def read(cls, path: Path, whole: bool = False) -> Table:
        """A table of a file; only what is asked for is read of it, unless the whole is wanted in memory."""
        try:
            with path.open("rb") as file:
                line = file.readline(4096)
            header = Header.parse(line)
            records = np.memmap(path, dtype=RECORD, mode="r", offset=len(line))
            return cls(header, np.array(records) if whole else records)
        except (ValueError, TypeError) as trouble:
            raise ValueError(
                f"{path} is no table of openings ({trouble}): build one with experiments/openings.py"
            ) from None

    def write(self, path: Path) -> None:
        """Write the file, whole or not at all."""
        write_whole(path, json.dumps(asdict(self.header)).encode() + b"\n" + self.records.tobytes())

    # ------------------------------------------------------------ what is in it

    @property
    def judged(self) -> NDArray[np.bool_]:
        """Of every class, whether the network has judged it."""
        return np.asarray(self.records["rows"][:, 0] != NOT_JUDGED)

    @property
    def raced(self) -> NDArray[np.bool_]:
        """Of every class, whether it was raced."""
        return np.asarray(self.records["race"][:, 0] != NOT_RACED)

    def values(self) -> NDArray[np.float64]:
        """Of the three placements of every class, (classes, 3): by the race, or else by the network."""
        records = self.records
        return UNIT * np.where(records["race"] != NOT_RACED, records["race"], records["network"]).astype(
            np.float64
        )

    def opening(self, number: int, cards: Sequence[int] | None = None) -> Opening:
        """A class.

        Args:
            number: of the class.
            cards: five cards of it in its order, as `Classes.find` gives them; the class's own if None.
        """
        return _opening(self._view.opening(number, list(cards or ())))

    # ------------------------------------------------------------ looking for some

    def find(
        self, text: str = "", shape: str = "", order: str = "ranks", first: int = 0, count: int = 20
    ) -> Found:
        """Openings of a pattern, a page of them.

        Args:
            text: five cards, or some of their ranks: `QQ` finds every opening with two queens or more.
            shape: cards of each suit, such as `311`; any if empty.
            order: `ranks`, highest first; `best` or `worst` by value; `close`, the nearest second first.
            first: how many are left out before the page.
            count: how many are on it at most.
        """
        found = self._view.find(text, shape, order, first, count)
        return Found(**{**found, "openings": [_opening(each) for each in found["openings"]]})

    def __iter__(self) -> Iterator[Opening]:
        return (self.opening(number) for number in range(len(self.classes)))


def _bytes_of(records: NDArray[Any]) -> NDArray[np.uint8]:
    """The memory of records, (classes, 18)."""
    return records.view(np.uint8).reshape(len(records), RECORD.itemsize)


def _opening(fields: dict[str, Any]) -> Opening:
    return Opening(**{**fields, "best": [Ranked(**each) for each in fields["best"]]})
