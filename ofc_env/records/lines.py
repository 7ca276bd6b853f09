"""A logged turn or fantasyland setting as the JSON object of the export: a line of JSONL is one of these."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from heapq import merge
from itertools import repeat
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from ofc_env._core import Board, Placement, Rules, card_names
from ofc_env.layout import ROWS
from ofc_env.records.schema import open_for_reading
from ofc_env.refusals import shown

PRACTICE = "practice"
"""Kind of a session at a practice table, where moves may be taken back and hints asked for: its hands are no
sample of anybody's play. A line of such a session has a field of this name, true."""
_ROW_OF_LETTER = {row[0]: row for row in ROWS}


class Action(TypedDict):
    """What a player did in a turn."""

    placements: list[list[str]]  # [card, row] each
    discard: str | None  # None on turn 0


class TurnLine(TypedDict):
    """A turn from the side of the player who made it; `ofc_env.records.lines.FIELDS` in this order.

    The seat of the player is `btn` if `is_btn` else `1 - btn`. A fantasyland opponent's board lies face down:
    `board_opponent` then has empty rows and a fourth entry, `fantasyland`, the number of its cards.
    """

    session_id: str
    hand_id: str
    hand_number: int
    turn: int
    player: str
    btn: int  # seat of the button
    is_btn: bool
    chips: list[int]  # before the hand, by seat
    board_self: dict[str, list[str]]
    board_opponent: dict[str, Any]
    dealt_cards: list[str]
    known_discards_self: list[str]
    action: Action
    think_time_ms: int  # -1: timed out
    timestamp: str  # UTC
    rules: str  # `Rules.name`; lines of version 0.1 do not have it and mean the house rules
    practice: NotRequired[bool]  # true in lines of a practice table, not there in others


class SettingLine(TypedDict):
    """A fantasyland hand as its player set it, before the turns of its hand; `SETTING_FIELDS` in this order.

    The fields are those of a turn, and `fantasyland`: a reader that knows turns alone refuses the line for
    it, and finds the turns as they ever were.
    """

    session_id: str
    hand_id: str
    hand_number: int
    turn: None  # it is none
    player: str
    btn: int
    is_btn: bool
    chips: list[int]
    board_self: dict[str, list[str]]  # empty rows
    board_opponent: dict[str, Any]  # empty rows, face down if the opponent is in fantasyland, too
    dealt_cards: list[str]  # 14 to 17
    known_discards_self: list[str]  # none
    action: dict[str, Any]  # 13 placements, and `discard`, or where there are several the list `discards`
    think_time_ms: int
    timestamp: str
    rules: str
    fantasyland: int  # number of cards dealt
    practice: NotRequired[bool]


FIELDS = tuple(name for name in TurnLine.__annotations__ if name != PRACTICE)
SETTING_FIELDS = tuple(name for name in SettingLine.__annotations__ if name != PRACTICE)

# Every loop runs along an index, so that a log of any length streams without being sorted in memory.
_QUERY = """
SELECT s.session_id, h.hand_id, h.hand_number, t.turn, CASE t.seat WHEN 0 THEN s.player_0 ELSE s.player_1 END,
       h.button, t.seat, h.chips_0, h.chips_1, t.board_self,
       t.board_opponent, CASE t.seat WHEN 0 THEN h.fantasyland_1 ELSE h.fantasyland_0 END,
       t.dealt_cards, t.known_discards_self, t.placements, t.discard, t.think_time_ms, t.timestamp, s.rules,
       s.kind, s.id
FROM sessions s CROSS JOIN hands h ON h.session = s.id CROSS JOIN turns t ON t.hand = h.id
{where}
ORDER BY s.id, h.hand_number, t.turn, t.id
"""
_SETTINGS = """
SELECT s.session_id, h.hand_id, h.hand_number, t.width,
       CASE t.seat WHEN 0 THEN s.player_0 ELSE s.player_1 END, h.button, t.seat, h.chips_0, h.chips_1,
       t.board, CASE t.seat WHEN 0 THEN h.fantasyland_1 ELSE h.fantasyland_0 END,
       t.dealt_cards, t.discards, t.think_time_ms, t.timestamp, s.rules, s.kind, s.id
FROM sessions s CROSS JOIN hands h ON h.session = s.id CROSS JOIN fantasyland t ON t.hand = h.id
{where}
ORDER BY s.id, h.hand_number, t.id
"""
_OWNED = (
    """s.id IN (SELECT o.session FROM seats o JOIN players p ON p.id = o.player WHERE p.token_hash = ?)"""
)


@lru_cache(maxsize=256)
def rules_of_text(text: str) -> Rules:
    """Rules as a log writes them: the database every field, a line the short name. A log has few of them."""
    return Rules.parse(text)


@lru_cache(maxsize=256)
def _name_of_rules(text: str) -> str:
    return Rules.parse(text).name


def cards_text(cards: Sequence[int]) -> str:
    """Names separated by blanks, in the order given."""
    return " ".join(card_names(cards))


def board_text(board: Board) -> str:
    """`"Qs Qh/Kd 2d/9h"`: top, middle, bottom."""
    return "/".join(" ".join(card_names(row)) for row in (board.top, board.middle, board.bottom))


def placements_text(placement: Placement) -> str:
    """`"Ah>t Kd>b"`: the cards placed, without the discard."""
    return " ".join(f"{name}>{row[0]}" for name, row in action_of_placement(placement)["placements"])


def action_of_placement(placement: Placement) -> dict[str, Any]:
    """A placement as logs and live messages write it; several discards stand in a list `discards`."""
    placements = [[name, row] for row in ROWS for name in card_names(getattr(placement, row))]
    discards = card_names(placement.discards)
    if len(discards) > 1:
        return {"placements": placements, "discards": discards}
    return {"placements": placements, "discard": discards[0] if discards else None}


def placement_of_action(action: Mapping[str, Any]) -> Placement:
    """The placement of a logged action; also of one with several `discards`, as fantasyland settings have."""
    rows: dict[str, list[str]] = {row: [] for row in ROWS}
    try:
        for card, row in action["placements"]:
            rows[row].append(card)
        single = action.get("discard")
        discards = list(action.get("discards", [] if single is None else [single]))
    except (KeyError, TypeError, ValueError, AttributeError):
        raise ValueError(
            f"{shown(action)} is not an action: write placements as [card, row] pairs, and the discard"
        ) from None
    return Placement(rows["top"], rows["middle"], rows["bottom"], discards)


def timestamp_text(moment: datetime) -> str:
    """A time as the log writes it: UTC, to the millisecond, so that text order is time order."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parse_date(text: str) -> str:
    """A date or time given by a person, such as `2031-05-01` (UTC), in the form of the log's own times."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"cannot read the date {text!r}: write 2031-05-01 or 2031-05-01T18:30") from None
    return timestamp_text(moment if moment.tzinfo else moment.replace(tzinfo=UTC))


def board_rows(text: str) -> dict[str, list[str]]:
    """`"Qs Qh/Kd 2d/9h"` as `{"top": ["Qs", "Qh"], ...}`."""
    top, middle, bottom = text.split("/")
    return {"top": top.split(), "middle": middle.split(), "bottom": bottom.split()}


def _face_down(width: int) -> dict[str, Any]:
    """A fantasyland board of so many cards that nobody but its player sees."""
    return {**board_rows("//"), "fantasyland": width}


def _line(row: tuple[Any, ...]) -> TurnLine:
    opponent = _face_down(row[11]) if row[10] is None else board_rows(row[10])
    line: TurnLine = {
        "session_id": row[0],
        "hand_id": row[1],
        "hand_number": row[2],
        "turn": row[3],
        "player": row[4],
        "btn": row[5],
        "is_btn": row[6] == row[5],
        "chips": [row[7], row[8]],
        "board_self": board_rows(row[9]),
        "board_opponent": opponent,
        "dealt_cards": row[12].split(),
        "known_discards_self": row[13].split(),
        "action": {
            "placements": [[card[:2], _ROW_OF_LETTER[card[3]]] for card in row[14].split()],
            "discard": row[15],
        },
        "think_time_ms": row[16],
        "timestamp": row[17],
        "rules": _name_of_rules(row[18]),
    }
    if row[19] == PRACTICE:
        line["practice"] = True
    return line


def _setting_line(row: tuple[Any, ...]) -> SettingLine:
    top, middle, bottom = row[9].split("/")
    line: SettingLine = {
        "session_id": row[0],
        "hand_id": row[1],
        "hand_number": row[2],
        "turn": None,
        "player": row[4],
        "btn": row[5],
        "is_btn": row[6] == row[5],
        "chips": [row[7], row[8]],
        "board_self": board_rows("//"),
        "board_opponent": _face_down(row[10]) if row[10] else board_rows("//"),
        "dealt_cards": row[11].split(),
        "known_discards_self": [],
        "action": action_of_placement(Placement(top, middle, bottom, row[12])),
        "think_time_ms": row[13],
        "timestamp": row[14],
        "rules": _name_of_rules(row[15]),
        "fantasyland": row[3],
    }
    if row[16] == PRACTICE:
        line["practice"] = True
    return line


def _conditions(
    player: str | None = None,
    session: str | None = None,
    since: str | None = None,
    until: str | None = None,
    finished: bool = False,
    hand: str | None = None,
    owner: str | None = None,
    practice: bool = False,
) -> tuple[str, list[str]]:
    """The WHERE clause of a selection of turns, and its values."""
    clauses: list[str] = []
    values: list[str] = []

    def add(clause: str, value: str | None) -> None:
        if value is not None:
            clauses.append(clause)
            values.append(value)

    add("CASE t.seat WHEN 0 THEN s.player_0 ELSE s.player_1 END = ?", player)
    add("s.session_id = ?", session)
    add("h.hand_id = ?", hand)
    add(_OWNED, owner)
    add("h.started_at >= ?", since and parse_date(since))
    add("h.started_at < ?", until and parse_date(until))
    if finished:
        clauses.append("h.result IS NOT NULL")
    if not practice:
        clauses.append(f"s.kind <> '{PRACTICE}'")
    return ("WHERE " + " AND ".join(clauses) if clauses else ""), values


def iter_turns(
    path: str | Path,
    *,
    player: str | None = None,
    session: str | None = None,
    since: str | None = None,
    until: str | None = None,
    finished: bool = False,
    hand: str | None = None,
    owner: str | None = None,
    practice: bool = False,
) -> Iterator[TurnLine]:
    """The turns of a log in the order of play, session by session and hand by hand, in constant memory.

    Args:
        path: the SQLite file.
        player: only turns of the player of this name.
        session: only this session.
        since: only hands that began at this date or time (UTC) or later.
        until: only hands that began before it.
        finished: only hands that were played to their end.
        hand: only the hand of this id.
        owner: only hands in which the player of this token's hash held a seat (`ofc_env.records.players`).
        practice: also hands of practice tables, which are nobody's to learn from; their lines say so.
    """
    where, values = _conditions(player, session, since, until, finished, hand, owner, practice)
    connection = open_for_reading(Path(path))
    try:
        for row in connection.execute(_QUERY.format(where=where), values):
            yield _line(row)
    finally:
        connection.close()


def iter_lines(path: str | Path, **selection: Any) -> Iterator[TurnLine | SettingLine]:
    """What an export holds: the turns of `iter_turns`, before those of a hand its fantasyland settings."""
    where, values = _conditions(**selection)
    connection = open_for_reading(Path(path))
    try:
        settings = connection.execute(_SETTINGS.format(where=where), values)
        turns = connection.execute(_QUERY.format(where=where), values)
        for is_turn, row in merge(zip(repeat(False), settings), zip(repeat(True), turns), key=_place_in_log):
            yield _line(row) if is_turn else _setting_line(row)
    finally:
        connection.close()


def _place_in_log(found: tuple[bool, tuple[Any, ...]]) -> tuple[int, int]:
    """Of a row: the session, by the order of starting, and the number of the hand."""
    return found[1][-1], found[1][2]


def count_turns(path: str | Path, **selection: Any) -> int:
    """How many lines `iter_turns` gives for the same selection."""
    return _count(path, _QUERY, selection)


def count_lines(path: str | Path, **selection: Any) -> int:
    """How many `iter_lines` gives."""
    return _count(path, _QUERY, selection) + _count(path, _SETTINGS, selection)


def _count(path: str | Path, query: str, selection: Mapping[str, Any]) -> int:
    where, values = _conditions(**selection)
    chosen = query[query.index("FROM") : query.index("ORDER BY")].format(where=where)
    connection = open_for_reading(Path(path))
    try:
        return int(connection.execute(f"SELECT count(*) {chosen}", values).fetchone()[0])
    finally:
        connection.close()


def iter_table(
    path: str | Path, query: str, values: tuple[Any, ...] | dict[str, Any] = ()
) -> Iterator[dict[str, Any]]:
    """Rows of a query on the log as dicts, over a connection that can only read."""
    connection = open_for_reading(Path(path))
    connection.row_factory = sqlite3.Row
    try:
        for row in connection.execute(query, values):
            yield dict(row)
    finally:
        connection.close()
