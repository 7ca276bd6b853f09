"""The writer of the log database, used by matches and by live play.

    with Records("games.db") as records:
        records.start_session("s1", seed=7, players=("ann", "heuristic"), kind="live")
        hand_id = records.start_hand("s1", 1, hand)
        records.record_turn(hand_id, hand, placement, think_time_ms=2300)   # before hand.place(placement)
        hand.place(placement)
        ...
        records.end_hand(hand_id, hand.result())

A method returns only after its commit: what was acknowledged is there after the process is killed and, unless
`durable=False`, after a loss of power. What belongs together goes into one commit inside `transaction()`: a
whole hand of a match, or a live turn with the end of its hand and the snapshot that follows. An exception
inside takes all of it back.

One `Records` may be shared by threads: calls take turns, and a transaction keeps the others out until it
ends. Several processes may write to one file. Readers use connections of their own and never wait. To commit
the turns of many live rooms together, use `ofc_env.records.queue`.
"""

from __future__ import annotations

import functools
import json
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from ofc_env._core import Board, Hand, HandResult, Placement, Rules, card_names, parse_cards
from ofc_env.records.lines import (
    TurnLine,
    board_text,
    cards_text,
    iter_table,
    iter_turns,
    placements_text,
    rules_of_text,
    timestamp_text,
)
from ofc_env.records.schema import open_database

__all__ = ["Records", "TurnLine", "iter_turns"]


def _dealt_text(hand: Hand, dealt: Sequence[int | str] | None) -> str:
    """The cards in the hand of the seat to act, in the order given."""
    if dealt is None:
        return cards_text(hand.dealt)
    cards = parse_cards(dealt)
    if sorted(cards) != list(hand.dealt):
        raise ValueError(f"the seat to act was dealt {cards_text(hand.dealt)}, not {cards_text(cards)}")
    return cards_text(cards)


@functools.cache
def _insertion(table: str, columns: tuple[str, ...]) -> str:
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"


def _seat_to_act(hand: Hand) -> int:
    if hand.player is None:
        raise ValueError(
            "the hand is finished and has no turn to record: pass it as it was before the placement"
        )
    return hand.player


class Records:
    """A log database open for writing; see the module for what is durable when.

    Args:
        path: the SQLite file, made if it does not exist.
        durable: whether a commit waits for the disk. Without it a match writes faster and a killed process
            still loses nothing; only a loss of power may take the last commits away.
        clock: gives the time of each entry; for tests and for logs that must come out equal.
    """

    def __init__(
        self, path: str | Path, *, durable: bool = True, clock: Callable[[], datetime] | None = None
    ) -> None:
        if str(path) in ("", ":memory:"):
            raise ValueError("a log database is a file, and none was named: give a path such as games.db")
        self.path = Path(path)
        self._clock = clock or (lambda: datetime.now(UTC))
        self._lock = threading.RLock()
        self._depth = 0
        self._connection: sqlite3.Connection | None = open_database(self.path, durable=durable)

    # ---------------------------------------------------------------- commits

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """One commit for everything inside; other threads wait. An inner one can fail and be caught alone."""
        with self._lock:
            connection, depth = self._open_connection(), self._depth
            connection.execute("BEGIN IMMEDIATE" if depth == 0 else f"SAVEPOINT level{depth}")
            self._depth += 1
            try:
                yield
            except BaseException:
                self._depth -= 1
                if connection.in_transaction:  # a full disk may have taken all back already
                    if depth == 0:
                        connection.execute("ROLLBACK")
                    else:
                        connection.execute(f"ROLLBACK TO level{depth}")
                        connection.execute(f"RELEASE level{depth}")
                raise
            self._depth -= 1
            try:
                connection.execute("COMMIT" if depth == 0 else f"RELEASE level{depth}")
            except sqlite3.Error:  # a full disk, say: nothing of this was acknowledged
                if depth == 0 and connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def __enter__(self) -> Records:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # ---------------------------------------------------------------- sessions and hands

    def start_session(
        self,
        session_id: str,
        seed: int | None = None,
        players: Sequence[str] = ("0", "1"),
        rules: Rules | None = None,
        kind: str = "live",
    ) -> None:
        """Begin a session.

        Args:
            session_id: a name that no other session of this file has.
            seed: of the session, if it is known.
            players: names by seat; the export filters by them.
            rules: the rules it is played by; those of the house if none are given.
            kind: what made it, such as `live`, `arena`, `teacher`, or `ofc_env.records.lines.PRACTICE`.
        """
        if len(players) != 2:
            raise ValueError(f"a session has two players, and {len(players)} were given: name one a seat")
        self.insert(
            "sessions",
            f"session {session_id!r} exists already in {self.path}: choose another session_id",
            session_id=session_id,
            kind=kind,
            seed=None if seed is None else str(seed),
            player_0=players[0],
            player_1=players[1],
            rules=str(rules or Rules()),
            started_at=self.time(),
        )

    def end_session(
        self,
        session_id: str,
        *,
        winner: int | None,
        final_chips: Sequence[int],
        hands_played: int,
        reason: str,
    ) -> None:
        """Close a session; `winner` is a seat, or None if it was broken off. Its snapshot is dropped."""
        session, _ = self.session_row(session_id)
        with self.transaction():
            self.write(
                "UPDATE sessions SET ended_at = ?, winner = ?, reason = ?, final_chips_0 = ?, "
                "final_chips_1 = ?, hands_played = ? WHERE id = ?",
                (self.time(), winner, reason, *final_chips, hands_played, session),
                f"session {session_id!r} cannot end with winner {winner!r}: a winner is seat 0, 1 or None",
            )
            self.drop_snapshot(session_id)

    def reopen_session(self, session_id: str) -> None:
        """Let a session go on that may have ended, because its last hand is played again."""
        session, _ = self.session_row(session_id)
        self.write(
            "UPDATE sessions SET ended_at = NULL, winner = NULL, reason = NULL, final_chips_0 = NULL, "
            "final_chips_1 = NULL, hands_played = NULL WHERE id = ?",
            (session,),
            f"session {session_id!r} cannot be opened again",
        )

    def start_hand(self, session_id: str, hand_number: int, hand: Hand, hand_id: str | None = None) -> str:
        """Begin a hand of a session.

        Args:
            session_id: of a session that was started.
            hand_number: counts within the session.
            hand: as it was dealt, by the rules of the session; its deck, button, chips and fantasyland widths
                are kept.
            hand_id: a name that no other hand of this file has; by default `<session_id>-<hand_number>`.

        Returns:
            The hand_id.
        """
        hand_id = hand_id or f"{session_id}-{hand_number}"
        session, rules = self.session_row(session_id)
        if rules_of_text(rules) != hand.rules:
            raise ValueError(
                f"session {session_id!r} is played by the rules {rules_of_text(rules).name!r}, and its hand "
                f"{hand_number} by {hand.rules.name!r}: start the session with the rules of its hands"
            )
        self.insert(
            "hands",
            f"hand {hand_number} of session {session_id!r}, or hand_id {hand_id!r}, exists already",
            session=session,
            hand_number=hand_number,
            hand_id=hand_id,
            button=hand.button,
            chips_0=hand.chips[0],
            chips_1=hand.chips[1],
            fantasyland_0=hand.fantasyland[0],
            fantasyland_1=hand.fantasyland[1],
            deck=cards_text(hand.deck),
            started_at=self.time(),
        )
        return hand_id

    def end_hand(self, hand_id: str, result: HandResult) -> None:
        """Keep the result of a finished hand."""
        self.write(
            "UPDATE hands SET ended_at = ?, result = ? WHERE id = ?",
            (self.time(), json.dumps(result.to_dict(), separators=(",", ":")), self._hand_row(hand_id)),
            f"hand {hand_id!r} cannot be ended",
        )

    # ---------------------------------------------------------------- turns

    def record_turn(
        self,
        hand_id: str,
        hand: Hand,
        placement: Placement,
        *,
        think_time_ms: int,
        dealt: Sequence[int | str] | None = None,
        snapshot: str | None = None,
    ) -> None:
        """Keep a turn of the seat to act. On return it is durable, unless it is inside a `transaction()`.

        Args:
            hand_id: what `start_hand` returned.
            hand: before the placement.
            placement: a whole legal turn.
            think_time_ms: milliseconds; -1 if the time ran out and the server placed.
            dealt: the cards in the order of dealing, if it matters; by default sorted.
            snapshot: kept under the session's id in the same commit, as by `save_snapshot`.
        """
        if hand.opening_step:
            raise ValueError(
                "a turn is recorded whole: pass the hand as it was before the first opening step"
            )
        if hand.in_fantasyland:
            raise ValueError(f"seat {hand.player} sets a fantasyland hand: use record_fantasyland")
        seat = _seat_to_act(hand)
        hand.actions_of(placement)  # an illegal turn is refused by the hand itself
        row = self._hand_row(hand_id)
        hidden = hand.fantasyland[1 - seat] > 0
        discard = card_names(placement.discards)
        with self._lock if snapshot is None else self.transaction():  # one statement needs no transaction
            self.insert(
                "turns",
                f"turn {hand.turn} of seat {seat} in hand {hand_id!r} is recorded already, or its think time "
                f"{think_time_ms} is below -1",
                hand=row,
                turn=hand.turn,
                seat=seat,
                board_self=board_text(hand.board(seat)),
                board_opponent=None if hidden else board_text(hand.board(1 - seat)),
                dealt_cards=_dealt_text(hand, dealt),
                known_discards_self=cards_text(hand.discards(seat)),
                placements=placements_text(placement),
                discard=discard[0] if discard else None,
                think_time_ms=think_time_ms,
                timestamp=self.time(),
            )
            if snapshot is not None:
                self._save_session_snapshot(row, snapshot)

    def record_fantasyland(
        self,
        hand_id: str,
        hand: Hand,
        placement: Placement,
        *,
        think_time_ms: int,
        dealt: Sequence[int | str] | None = None,
        snapshot: str | None = None,
    ) -> None:
        """Keep the setting of a fantasyland hand by the seat to act; arguments as for `record_turn`."""
        if not hand.in_fantasyland:
            raise ValueError("the seat to act is not in fantasyland: use record_turn")
        seat = _seat_to_act(hand)
        hand.clone().place(placement)  # an illegal setting is refused by the hand itself
        row = self._hand_row(hand_id)
        board = Board(top=placement.top, middle=placement.middle, bottom=placement.bottom, rules=hand.rules)
        with self._lock if snapshot is None else self.transaction():  # one statement needs no transaction
            self.insert(
                "fantasyland",
                f"the fantasyland setting of seat {seat} in hand {hand_id!r} is recorded already, or its "
                f"think time {think_time_ms} is below -1",
                hand=row,
                seat=seat,
                width=hand.fantasyland[seat],
                dealt_cards=_dealt_text(hand, dealt),
                board=board_text(board),
                discards=cards_text(placement.discards),
                stays=int(board.stays),
                think_time_ms=think_time_ms,
                timestamp=self.time(),
            )
            if snapshot is not None:
                self._save_session_snapshot(row, snapshot)

    # ---------------------------------------------------------------- snapshots

    def save_snapshot(self, key: str, state: str) -> None:
        """Keep `state` (any text, such as `Session.to_json()`) under a key, in place of what was there."""
        self.write(
            "INSERT INTO snapshots (key, state, saved_at) VALUES (?, ?, ?) "
            "ON CONFLICT (key) DO UPDATE SET state = excluded.state, saved_at = excluded.saved_at",
            (key, state, self.time()),
            f"the snapshot {key!r} cannot be saved: both the key and the state are text",
        )

    def drop_snapshot(self, key: str) -> None:
        """Forget a snapshot; nothing happens if there is none."""
        self.write("DELETE FROM snapshots WHERE key = ?", (key,), f"the snapshot {key!r} cannot be dropped")

    def snapshots(self) -> dict[str, str]:
        """Every snapshot by its key: what a restarted server goes on from."""
        return {row["key"]: row["state"] for row in iter_table(self.path, "SELECT key, state FROM snapshots")}

    # ---------------------------------------------------------------- reading

    def iter_turns(self, **selection: Any) -> Iterator[TurnLine]:
        """Committed turns as JSON-ready dicts; filters as in `ofc_env.records.lines.iter_turns`."""
        return iter_turns(self.path, **selection)

    def sessions(self) -> Iterator[dict[str, Any]]:
        """Committed sessions in the order they were started, a dict of the table's columns each."""
        return iter_table(self.path, "SELECT * FROM sessions ORDER BY id")

    def hands(self, session_id: str, *, finished: bool = True) -> Iterator[dict[str, Any]]:
        """Hands of a session in order, a dict of the table's columns each; `result` is JSON text.

        Finished ones only, unless asked otherwise: the deck of a hand in play is nobody's to see.
        """
        query = (
            "SELECT h.* FROM hands h JOIN sessions s ON s.id = h.session WHERE s.session_id = ? "
            "AND (h.result IS NOT NULL OR NOT ?) ORDER BY h.hand_number"
        )
        return iter_table(self.path, query, (session_id, finished))

    def fantasyland_settings(self, session_id: str, *, finished: bool = True) -> Iterator[dict[str, Any]]:
        """Fantasyland settings of a session, with the hand_id of each; `finished` as for `hands`."""
        query = (
            "SELECT h.hand_id, h.hand_number, f.* FROM fantasyland f JOIN hands h ON h.id = f.hand "
            "JOIN sessions s ON s.id = h.session WHERE s.session_id = ? AND (h.result IS NOT NULL OR NOT ?) "
            "ORDER BY h.hand_number, f.seat"
        )
        return iter_table(self.path, query, (session_id, finished))

    # ---------------------------------------------------------------- statements, for this package

    def time(self) -> str:
        """Now, as the log writes times."""
        return timestamp_text(self._clock())

    def _open_connection(self) -> sqlite3.Connection:
        if self._connection is None:
            raise ValueError(f"the log {self.path} is closed: open it again with Records(path)")
        return self._connection

    def insert(self, table: str, refusal: str, **columns: Any) -> None:
        """Add a row; `refusal` as for `write`."""
        self.write(_insertion(table, tuple(columns)), list(columns.values()), refusal)

    def write(self, statement: str, values: Sequence[Any], refusal: str) -> None:
        """Run one statement; a broken constraint is refused with the given sentence.

        One statement is all or nothing by itself, so inside a transaction it needs no further one.
        """
        with self._lock:
            try:
                self._open_connection().execute(statement, values)
            except sqlite3.IntegrityError as error:
                raise ValueError(f"{refusal} ({error})") from None

    def select(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Rows as they are now, what this transaction has written included."""
        with self._lock:
            return self._open_connection().execute(query, values).fetchall()

    def session_row(self, session_id: str) -> tuple[int, str]:
        """The number of a session, and its rules."""
        rows = self.select("SELECT id, rules FROM sessions WHERE session_id = ?", session_id)
        if not rows:
            raise ValueError(f"there is no session {session_id!r} in {self.path}: call start_session first")
        return int(rows[0][0]), str(rows[0][1])

    def _hand_row(self, hand_id: str) -> int:
        rows = self.select("SELECT id FROM hands WHERE hand_id = ?", hand_id)
        if not rows:
            raise ValueError(f"there is no hand {hand_id!r} in {self.path}: call start_hand first")
        return int(rows[0][0])

    def _save_session_snapshot(self, hand_row: int, state: str) -> None:
        query = "SELECT s.session_id FROM hands h JOIN sessions s ON s.id = h.session WHERE h.id = ?"
        row = self._open_connection().execute(query, (hand_row,)).fetchone()
        self.save_snapshot(row[0], state)
