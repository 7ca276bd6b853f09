"""What a player has drilled: answers by day, and mistakes that come back when they are due.

Days are counted, not kept answer by answer, so that a player's progress stays small for ever. When a mistake
comes back is for the caller to say: the log keeps how often it went well in a row, and the time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ofc_env.records.database import Records
from ofc_env.records.lines import iter_table
from ofc_env.records.players import add_player

MOST_MISTAKES = 500
"""That a player may have; who wants another one has to drop one first."""
_OWN = "(SELECT id FROM players WHERE token_hash = ?)"
_OF_PLAYER = "player IN (SELECT id FROM players WHERE token_hash = :player)"
_COLUMNS = "id, information, played, source, link, added_at, box, due_at, answered, correct"


@dataclass(frozen=True)
class Mistake:
    """A position that comes back to a player."""

    id: int
    information: str
    played: str
    source: str
    link: str | None
    added_at: str
    box: int
    due_at: str
    answered: int
    correct: int


# -------------------------------------------------------------------- writing


def count_answer(
    records: Records, player: str, kind: str, *, correct: bool, lost: float | None, think_time_ms: int
) -> None:
    """Add an answer to the player's day; `lost` is None where none was given."""
    add_player(records, player)
    records.write(
        f"INSERT INTO drill_days (player, kind, day, answered, correct, lost, think_time_ms) "
        f"VALUES ({_OWN}, ?, ?, 1, ?, ?, ?) ON CONFLICT (player, kind, day) DO UPDATE SET "
        "answered = answered + 1, correct = correct + excluded.correct, lost = lost + excluded.lost, "
        "think_time_ms = think_time_ms + excluded.think_time_ms",
        (player, kind, records.time()[:10], int(correct), lost or 0.0, think_time_ms),
        "the answer cannot be counted",
    )


def add_mistake(
    records: Records, player: str, information: str, played: str, source: str, link: str | None, due_at: str
) -> Mistake:
    """Let a position come back to a player; one that is there already begins anew."""
    add_player(records, player)
    refusal = "the mistake cannot be kept"
    known = records.select(
        f"SELECT 1 FROM drill_mistakes WHERE player = {_OWN} AND information = ?", player, information
    )
    count = records.select(f"SELECT count(*) FROM drill_mistakes WHERE player = {_OWN}", player)[0][0]
    if not known and count >= MOST_MISTAKES:
        raise ValueError(f"{MOST_MISTAKES} mistakes are enough: drop some of them before adding others")
    records.write(
        "INSERT INTO drill_mistakes (player, information, played, source, link, added_at, box, due_at, "
        f"answered, correct) VALUES ({_OWN}, ?, ?, ?, ?, ?, 0, ?, 0, 0) "
        "ON CONFLICT (player, information) DO UPDATE SET played = excluded.played, box = 0, "
        "due_at = excluded.due_at",
        (player, information, played, source, link, records.time(), due_at),
        refusal,
    )
    rows = records.select(
        f"SELECT {_COLUMNS} FROM drill_mistakes WHERE player = {_OWN} AND information = ?",
        player,
        information,
    )
    return Mistake(*rows[0])


def reschedule(records: Records, player: str, number: int, *, box: int, due_at: str, correct: bool) -> None:
    """Keep how an answer to a mistake went, and when it comes back; nothing happens for others' mistakes."""
    records.write(
        "UPDATE drill_mistakes SET box = ?, due_at = ?, answered = answered + 1, correct = correct + ? "
        f"WHERE id = ? AND player = {_OWN}",
        (box, due_at, int(correct), number, player),
        "the mistake cannot be rescheduled",
    )


def drop_mistake(records: Records, player: str, number: int) -> None:
    """Let a mistake come back no more; nothing happens for others' mistakes."""
    records.write(
        f"DELETE FROM drill_mistakes WHERE id = ? AND player = {_OWN}",
        (number, player),
        "the mistake cannot be dropped",
    )


# -------------------------------------------------------------------- reading


def find_mistake(path: str | Path, player: str, number: int) -> Mistake | None:
    """A mistake of the player; None where there is none of this number, also if it is somebody else's."""
    return _first(path, f"WHERE {_OF_PLAYER} AND id = :id", {"player": player, "id": number})


def next_mistake(path: str | Path, player: str, now: str) -> Mistake | None:
    """The mistake that has been due for longest; None if none is due."""
    condition = f"WHERE {_OF_PLAYER} AND due_at <= :now ORDER BY due_at, id LIMIT 1"
    return _first(path, condition, {"player": player, "now": now})


def mistakes_of(path: str | Path, player: str) -> list[Mistake]:
    """All mistakes of a player, the next one first."""
    query = f"SELECT {_COLUMNS} FROM drill_mistakes WHERE {_OF_PLAYER} ORDER BY due_at, id"
    return [Mistake(**row) for row in iter_table(path, query, {"player": player})]


def days_of(path: str | Path, player: str) -> list[dict[str, Any]]:
    """What a player has answered, by day and kind, the earliest first."""
    query = (
        "SELECT day, kind, answered, correct, lost, think_time_ms FROM drill_days "
        f"WHERE {_OF_PLAYER} ORDER BY day, kind"
    )
    return list(iter_table(path, query, {"player": player}))


def _first(path: str | Path, condition: str, values: Mapping[str, Any]) -> Mistake | None:
    for row in iter_table(path, f"SELECT {_COLUMNS} FROM drill_mistakes {condition}", dict(values)):
        return Mistake(**row)
    return None
