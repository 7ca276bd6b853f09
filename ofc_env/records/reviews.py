"""Reviews of finished hands, kept beside them; what they say is for who makes them to know."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ofc_env.records.database import Records
from ofc_env.records.lines import iter_table


@dataclass(frozen=True)
class ReviewedHand:
    """A finished hand, and what is kept of its review."""

    hand_id: str
    session_id: str
    hand_number: int
    link: str | None
    seat: int | None
    """Of the player who asks, the lower one if both are his; None for a hand of somebody else."""
    started_at: str
    result: str
    """JSON, the body of a hand_end message."""
    review: str | None
    """JSON from the side of seat 0; None if there is none of the version that was asked for."""


@dataclass(frozen=True)
class Judged:
    """By which rules a finished hand was played, and who has reviewed it."""

    rules: str
    judge: str | None
    """As the review names it; None if there is no review of the version that was asked for."""


_COLUMNS = """h.hand_id, s.session_id, h.hand_number, h.started_at, h.result,
    (SELECT l.link FROM links l WHERE l.hand = h.id) AS link,
    (SELECT min(o.seat) FROM seats o JOIN players p ON p.id = o.player
        WHERE o.session = s.id AND p.token_hash = :player) AS seat"""
_FINISHED = """FROM sessions s JOIN hands h ON h.session = s.id
    LEFT JOIN reviews r ON r.hand = h.id AND r.version = :version WHERE h.result IS NOT NULL"""
_OF_GAME = "AND s.session_id = :session AND (:hand IS NULL OR h.hand_id = :hand) ORDER BY h.hand_number"
# What was played with hints, or may be played again, is no measure of anybody.
_OF_PLAYER = """AND s.kind = 'live' AND s.id IN (SELECT o.session FROM seats o
    JOIN players p ON p.id = o.player WHERE p.token_hash = :player) ORDER BY h.id DESC LIMIT :most"""
_WHOLE = f"SELECT {_COLUMNS}, r.review {_FINISHED}"
_JUDGES = f"""SELECT h.hand_id, s.rules,
    CASE WHEN r.hand IS NOT NULL THEN coalesce(json_extract(r.review, '$.judge'), '') END AS judge
    {_FINISHED}"""
EVERYTHING = -1
"""A limit that is none."""


def keep_review(records: Records, hand_id: str, version: int, review: str) -> None:
    """Keep the review of a finished hand in place of an earlier one; a hand in play has none."""
    records.write(
        "INSERT INTO reviews (hand, version, review, made_at) "
        "SELECT id, ?, ?, ? FROM hands WHERE hand_id = ? AND result IS NOT NULL "
        "ON CONFLICT (hand) DO UPDATE SET version = excluded.version, review = excluded.review, "
        "made_at = excluded.made_at",
        (version, review, records.time(), hand_id),
        f"the review of hand {hand_id!r} cannot be kept",
    )


def session_of_hand(path: str | Path, hand_id: str) -> str:
    """The session_id of a hand; ValueError if there is no such hand."""
    query = "SELECT s.session_id FROM hands h JOIN sessions s ON s.id = h.session WHERE h.hand_id = ?"
    for row in iter_table(path, query, (hand_id,)):
        return str(row["session_id"])
    raise ValueError(f"there is no hand {hand_id!r} in {path}: give its id")


def hands_of_game(
    path: str | Path, version: int, session_id: str, hand_id: str | None = None, player: str | None = None
) -> Iterator[ReviewedHand]:
    """The finished hands of a session, or one of them, in the order of play.

    Args:
        path: of the log.
        version: that a review must have.
        session_id: of the session.
        hand_id: of the one hand that is wanted.
        player: hash of the token of who asks.
    """
    which = {"version": version, "session": session_id, "hand": hand_id, "player": player}
    return (ReviewedHand(**row) for row in iter_table(path, f"{_WHOLE} {_OF_GAME}", which))


def hands_of_player(
    path: str | Path, version: int, player: str, most: int = EVERYTHING
) -> Iterator[ReviewedHand]:
    """A player's finished hands of live play, the newest first, so many at most; else as `hands_of_game`."""
    which = {"version": version, "player": player, "most": most}
    return (ReviewedHand(**row) for row in iter_table(path, f"{_WHOLE} {_OF_PLAYER}", which))


def judges_of_game(
    path: str | Path, version: int, session_id: str, hand_id: str | None = None
) -> dict[str, Judged]:
    """Who has reviewed each finished hand of a session, or the one, in this version; by hand_id."""
    which = {"version": version, "session": session_id, "hand": hand_id}
    return _judges(path, f"{_JUDGES} {_OF_GAME}", which)


def judges_of_player(path: str | Path, version: int, player: str) -> dict[str, Judged]:
    """The same of a player's finished hands of live play, the newest first."""
    which = {"version": version, "player": player, "most": EVERYTHING}
    return _judges(path, f"{_JUDGES} {_OF_PLAYER}", which)


def _judges(path: str | Path, query: str, which: dict[str, object]) -> dict[str, Judged]:
    return {row["hand_id"]: Judged(row["rules"], row["judge"]) for row in iter_table(path, query, which)}
