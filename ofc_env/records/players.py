"""Whose the hands of live play are, by which links they are found, and who has shared them.

A name proves nothing, so nobody is known by one. A player is a long random token that only the player has;
the log keeps its hash. The token is random itself, so a plain SHA-256 is enough: there is no dictionary of
likely tokens to try, which is what salts and slow hashes are against, and a player must be found by it.

A finished hand and a session have a random link each. It is private: for the session's players alone, until
one of them shares it. Two players share by themselves, and each takes back only his own sharing.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from pathlib import Path

from ofc_env.records.database import Records
from ofc_env.records.lines import iter_table

LINK_BYTES = 16


@dataclass(frozen=True)
class Reader:
    """Who asks to read a log of live play."""

    player: str | None = None
    """Hash of the player's token; None for somebody who showed none."""
    is_operator: bool = False
    """Whether everything may be read."""


@dataclass(frozen=True)
class Game:
    """A session, or a finished hand of one, that the reader may see."""

    session_id: str
    hand_id: str | None
    """None: the whole session."""
    link: str | None
    """None where nobody has ever claimed a seat: matches, and logs of the first schema."""
    seats: tuple[int, ...]
    """Those that the reader held."""


def token_digest(token: str) -> str:
    """What is kept of a token: a log never holds one that could be used."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def unnamed(seat: int) -> str:
    """What somebody is called who gave no name, or is to be forgotten."""
    return f"Player {seat + 1}"


# -------------------------------------------------------------------- writing


def add_player(records: Records, player: str) -> None:
    """Know a player by the hash of the token from now on; nothing happens for one who is known."""
    records.write(
        "INSERT INTO players (token_hash, since) VALUES (?, ?) ON CONFLICT DO NOTHING",
        (player, records.time()),
        "the player cannot be added",
    )


def claim_seat(records: Records, session_id: str, seat: int, player: str) -> None:
    """Write down whose a seat of a session is; nothing happens if it is somebody's already."""
    session, _ = records.session_row(session_id)
    if records.select("SELECT 1 FROM seats WHERE session = ? AND seat = ?", session, seat):
        return
    refusal = f"seat {seat} of session {session_id!r} cannot be claimed"
    with records.transaction():
        add_player(records, player)
        records.write(
            "INSERT INTO seats (session, seat, player) SELECT ?, ?, id FROM players WHERE token_hash = ?",
            (session, seat, player),
            refusal,
        )
        add_links(records, session_id)


def add_links(records: Records, session_id: str) -> None:
    """Give a session and its finished hands their links, as far as they have none."""
    session, _ = records.session_row(session_id)
    bare: list[int | None] = [
        row[0]
        for row in records.select(
            "SELECT id FROM hands h WHERE session = ? AND result IS NOT NULL "
            "AND NOT EXISTS (SELECT 1 FROM links WHERE hand = h.id)",
            session,
        )
    ]
    if not records.select("SELECT 1 FROM links WHERE session = ? AND hand IS NULL", session):
        bare.append(None)
    for hand in bare:
        refusal = f"a link for session {session_id!r} cannot be made"
        records.insert("links", refusal, link=secrets.token_urlsafe(LINK_BYTES), session=session, hand=hand)


def set_shared(records: Records, link: str, player: str, shared: bool) -> None:
    """Share what a link leads to, or take one's own sharing back; nothing happens for others' links."""
    whose = (
        "FROM links l JOIN players p ON p.token_hash = ? WHERE l.link = ? "
        "AND EXISTS (SELECT 1 FROM seats WHERE session = l.session AND player = p.id)"
    )
    if shared:
        statement = f"INSERT INTO shares (link, player) SELECT l.id, p.id {whose} ON CONFLICT DO NOTHING"
    else:
        statement = f"DELETE FROM shares WHERE (link, player) IN (SELECT l.id, p.id {whose})"
    records.write(statement, (player, link), f"{link!r} cannot be shared")


def forget_player(records: Records, player: str) -> None:
    """Take a player out of the log: token, seats, name, shares and drills. The hands stay, nobody's.

    What stays: cards, placements, times and results of the hands, under `unnamed`; the other player's side.
    """
    refusal = "the player cannot be forgotten"
    own = "(SELECT id FROM players WHERE token_hash = ?)"
    with records.transaction():
        for seat in (0, 1):
            records.write(
                f"UPDATE sessions SET player_{seat} = ? WHERE id IN "
                f"(SELECT session FROM seats WHERE seat = ? AND player = {own})",
                (unnamed(seat), seat, player),
                refusal,
            )
        for table in ("shares", "seats", "drill_days", "drill_mistakes"):
            records.write(f"DELETE FROM {table} WHERE player = {own}", (player,), refusal)
        records.write("DELETE FROM players WHERE token_hash = ?", (player,), refusal)


# -------------------------------------------------------------------- reading

# A link leads to what was shared; an id, which many may know, only to one's own.
_FIND = """
WITH named (by_link, session, hand) AS (
    SELECT 1, session, hand FROM links WHERE link = :name
    UNION ALL SELECT 0, id, NULL FROM sessions WHERE session_id = :name
    UNION ALL SELECT 0, session, id FROM hands WHERE hand_id = :name AND result IS NOT NULL
)
SELECT s.session_id, h.hand_id,
    (SELECT l.link FROM links l WHERE l.session = n.session AND l.hand IS n.hand) AS link,
    (SELECT group_concat(o.seat, ' ') FROM seats o JOIN players p ON p.id = o.player
        WHERE o.session = n.session AND p.token_hash = :player) AS seats,
    n.by_link AND EXISTS (SELECT 1 FROM links l JOIN shares f ON f.link = l.id
        WHERE l.session = n.session AND (l.hand IS NULL OR l.hand = n.hand)) AS shared
FROM named n JOIN sessions s ON s.id = n.session LEFT JOIN hands h ON h.id = n.hand
LIMIT 1
"""


def find_game(path: str | Path, name: str, reader: Reader) -> Game | None:
    """What a link, a session's id or a finished hand's id leads the reader to.

    None as well where there is such a game that is not the reader's to see: who asks learns nothing of it.
    """
    for row in iter_table(path, _FIND, {"name": name, "player": reader.player}):
        seats = tuple(sorted(map(int, (row["seats"] or "").split())))
        if reader.is_operator or seats or row["shared"]:
            return Game(row["session_id"], row["hand_id"], row["link"], seats)
    return None
