"""Lines of a log gathered into hands: the one place that says which lines make a hand.

The lines of a hand stand together. A hand that comes up again later, or that a refused line belongs to, is
not believed: neither its other lines nor its outcome can be trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from experiments.logs.lines import LineError, LoggedSetting, LoggedTurn, parse_line
from experiments.logs.replay import HandError
from ofc_env import Rules

Line = bytes | str | LineError
Refuse = Callable[[int, LineError], None]


@dataclass
class LoggedHand:
    """Neighbouring lines of one hand, in the order of the file; at least one, if only of a setting."""

    turns: list[LoggedTurn] = field(default_factory=list)
    settings: list[LoggedSetting] = field(default_factory=list)  # of fantasyland hands; a log may lack them
    apart: bool = False  # whether other lines of it stood earlier in the log
    refused_line: int | None = None  # a line among them that was refused
    log: Path | None = None  # the file that it stands in, where one was named

    @property
    def lines(self) -> list[LoggedTurn | LoggedSetting]:
        """All of them, settings first."""
        return [*self.settings, *self.turns]

    @property
    def first(self) -> LoggedTurn | LoggedSetting:
        """The line that says what all of them must say alike: ids, number, button, chips, rules."""
        return self.settings[0] if self.settings else self.turns[0]

    @property
    def key(self) -> tuple[str, str]:
        """What tells hands apart: session_id and hand_id."""
        return self.first.hand

    @property
    def rules(self) -> Rules:
        """That it was played by, once it is verified."""
        return self.first.rules

    def add(self, line: LoggedTurn | LoggedSetting) -> None:
        """Take another line of the hand."""
        if isinstance(line, LoggedSetting):
            self.settings.append(line)
        else:
            self.turns.append(line)

    def verify(self) -> None:
        """Refuse a hand that cannot be believed; whether its lines follow the rules, `replay_hand` says."""
        for line in self.lines:
            if line.rules != self.rules:
                told = f"{line.rules.name!r} and were {self.rules.name!r} earlier in the hand"
                raise HandError(line.line, f"rules are {told}")
        if self.apart:
            raise HandError(self.first.line, "the lines of this hand do not stand together")
        if self.refused_line is not None:
            raise HandError(self.refused_line, "a line of this hand was refused", told=True)


def hands_of(lines: Iterable[tuple[int, Line]], refuse: Refuse) -> Iterator[LoggedHand]:
    """The hands of numbered lines, each when its last line has been read.

    Args:
        lines: as `read_lines` gives them; blank ones are passed over.
        refuse: told the number of every line that cannot be what a game wrote, and why.
    """
    known: set[tuple[str, str]] = set()
    current: LoggedHand | None = None
    for number, line in lines:
        if not isinstance(line, LineError) and not line.strip():
            continue
        try:
            if isinstance(line, LineError):
                raise line
            read = parse_line(number, line)
        except LineError as error:
            refuse(number, error)
            if current is not None and error.hand == current.key:
                current.refused_line = number
            continue
        if current is None or read.hand != current.key:
            if current is not None:
                yield current
            current = LoggedHand(apart=read.hand in known)
            known.add(read.hand)
        current.add(read)
    if current is not None:
        yield current
