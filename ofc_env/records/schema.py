"""The tables of the log database, and how cards are written in them.

One SQLite file holds sessions, their hands, the turns and fantasyland settings of each hand, and snapshots
from which a live session goes on after a crash; beside them whose the hands of live play are, by which links
they are found, reviews of them, and what a player has drilled. Cards are names separated by blanks, a board
is its three rows separated by slashes: `"Qs Qh/Kd 2d/9h"`.
"""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

OLDEST_VERSION = 1
APPLICATION_ID = 0x4F464331  # "OFC1", so that another program's database is not taken for a log

# AUTOINCREMENT is not needed: snapshots are deleted, and players with all that refers to them.
TABLES_OF_GAMES = """
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,                 -- live, practice, watched, arena, teacher, ...
    seed TEXT,                          -- text: a seed has 64 bits without a sign
    player_0 TEXT NOT NULL,
    player_1 TEXT NOT NULL,
    rules TEXT NOT NULL,                -- str(Rules)
    started_at TEXT NOT NULL,           -- all times: UTC, 2031-01-02T03:04:05.678Z
    ended_at TEXT,
    winner INTEGER CHECK (winner IN (0, 1)),
    reason TEXT,
    final_chips_0 INTEGER,
    final_chips_1 INTEGER,
    hands_played INTEGER
) STRICT;
CREATE TABLE hands (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES sessions (id),
    hand_number INTEGER NOT NULL CHECK (hand_number >= 0),
    hand_id TEXT NOT NULL UNIQUE,
    button INTEGER NOT NULL CHECK (button IN (0, 1)),
    chips_0 INTEGER NOT NULL,           -- before the hand
    chips_1 INTEGER NOT NULL,
    fantasyland_0 INTEGER NOT NULL,     -- width, 0 for normal play
    fantasyland_1 INTEGER NOT NULL,
    deck TEXT NOT NULL,                 -- the rules' cards in the order of dealing: hidden from players
    started_at TEXT NOT NULL,
    ended_at TEXT,
    result TEXT,                        -- JSON, the body of a hand_end message
    UNIQUE (session, hand_number)
) STRICT;
CREATE TABLE turns (
    id INTEGER PRIMARY KEY,
    hand INTEGER NOT NULL REFERENCES hands (id),
    turn INTEGER NOT NULL CHECK (turn BETWEEN 0 AND 4),
    seat INTEGER NOT NULL CHECK (seat IN (0, 1)),
    board_self TEXT NOT NULL,           -- before the placement
    board_opponent TEXT,                -- NULL while it lies face down
    dealt_cards TEXT NOT NULL,
    known_discards_self TEXT NOT NULL,  -- of earlier turns
    placements TEXT NOT NULL,           -- "Ah>t Kd>b"
    discard TEXT,                       -- NULL on turn 0
    think_time_ms INTEGER NOT NULL CHECK (think_time_ms >= -1),  -- -1: timed out, the server placed
    timestamp TEXT NOT NULL,
    UNIQUE (hand, turn, seat)
) STRICT;
CREATE TABLE fantasyland (
    id INTEGER PRIMARY KEY,
    hand INTEGER NOT NULL REFERENCES hands (id),
    seat INTEGER NOT NULL CHECK (seat IN (0, 1)),
    width INTEGER NOT NULL CHECK (width BETWEEN 14 AND 17),
    dealt_cards TEXT NOT NULL,
    board TEXT NOT NULL,
    discards TEXT NOT NULL,
    stays INTEGER NOT NULL CHECK (stays IN (0, 1)),
    think_time_ms INTEGER NOT NULL CHECK (think_time_ms >= -1),
    timestamp TEXT NOT NULL,
    UNIQUE (hand, seat)
) STRICT;
CREATE TABLE snapshots (
    key TEXT PRIMARY KEY,               -- a session id, or any other name the caller resumes by
    state TEXT NOT NULL,
    saved_at TEXT NOT NULL
) STRICT;
"""
# Schema 2: whose hands they are.
TABLES_OF_PLAYERS = """
CREATE TABLE players (
    id INTEGER PRIMARY KEY,
    token_hash TEXT NOT NULL UNIQUE,    -- SHA-256: the token itself is with the player alone
    since TEXT NOT NULL
) STRICT;
CREATE TABLE seats (
    session INTEGER NOT NULL REFERENCES sessions (id),
    seat INTEGER NOT NULL CHECK (seat IN (0, 1)),
    player INTEGER NOT NULL REFERENCES players (id),
    PRIMARY KEY (session, seat)
) STRICT, WITHOUT ROWID;
CREATE INDEX seats_of_player ON seats (player, session);
CREATE TABLE links (
    id INTEGER PRIMARY KEY,
    link TEXT NOT NULL UNIQUE,          -- random: nobody guesses it, and it says nothing of other links
    session INTEGER NOT NULL REFERENCES sessions (id),
    hand INTEGER UNIQUE REFERENCES hands (id)  -- NULL: the link of the whole session
) STRICT;
CREATE INDEX links_of_session ON links (session);
CREATE UNIQUE INDEX link_of_whole_session ON links (session) WHERE hand IS NULL;
CREATE TABLE shares (
    link INTEGER NOT NULL REFERENCES links (id),
    player INTEGER NOT NULL REFERENCES players (id),
    PRIMARY KEY (link, player)
) STRICT, WITHOUT ROWID;
CREATE INDEX shares_of_player ON shares (player);
"""
# Schema 3: what a judge has said of a hand, so that nobody waits for it twice.
TABLES_OF_REVIEWS = """
CREATE TABLE reviews (
    hand INTEGER PRIMARY KEY REFERENCES hands (id),
    version INTEGER NOT NULL,           -- of the form; one of another version is made again
    review TEXT NOT NULL,               -- JSON, from the side of seat 0
    made_at TEXT NOT NULL
) STRICT;
"""
# Schema 4: what a player has drilled, and the mistakes that come back to them.
TABLES_OF_DRILLS = """
CREATE TABLE drill_days (
    player INTEGER NOT NULL REFERENCES players (id),
    kind TEXT NOT NULL,                 -- opening, fantasyland, foul, mistake
    day TEXT NOT NULL,                  -- UTC, 2031-01-02
    answered INTEGER NOT NULL,
    correct INTEGER NOT NULL,
    lost REAL NOT NULL,                 -- points, or of chances their distance, over those with an answer
    think_time_ms INTEGER NOT NULL,
    PRIMARY KEY (player, kind, day)
) STRICT, WITHOUT ROWID;
CREATE TABLE drill_mistakes (
    id INTEGER PRIMARY KEY,
    player INTEGER NOT NULL REFERENCES players (id),
    information TEXT NOT NULL,          -- what the seat knew, as InformationSet.parse reads it
    played TEXT NOT NULL,               -- as Placement.parse reads it
    source TEXT NOT NULL,               -- hand, or the kind of a drill
    link TEXT,                          -- of the hand
    added_at TEXT NOT NULL,
    box INTEGER NOT NULL CHECK (box >= 0),  -- how often it was answered well in a row
    due_at TEXT NOT NULL,
    answered INTEGER NOT NULL,
    correct INTEGER NOT NULL,
    UNIQUE (player, information)
) STRICT;
CREATE INDEX mistakes_due ON drill_mistakes (player, due_at);
"""
# By schema: a file of an earlier one is given what it lacks when it is opened for writing.
TABLES = (TABLES_OF_GAMES, TABLES_OF_PLAYERS, TABLES_OF_REVIEWS, TABLES_OF_DRILLS)
VERSION = len(TABLES)


def open_database(path: Path, *, durable: bool) -> sqlite3.Connection:
    """Open the log for writing, making it if there is none.

    Args:
        path: the SQLite file; its folder must exist.
        durable: whether a commit also survives a loss of power. If not, it still survives a killed process.
    """
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {path.parent} for the log {path.name}: make it first")
    connection = sqlite3.connect(path, timeout=30.0, isolation_level=None, check_same_thread=False)
    try:
        _enter_write_ahead_mode(connection)
        connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")  # who is forgotten is not left in unused pages
        # Asked inside a write transaction, so that two processes do not both make the tables.
        connection.execute("BEGIN IMMEDIATE")
        _create_or_check(connection, path)
        connection.execute("COMMIT")
    except sqlite3.DatabaseError as error:
        connection.close()
        if isinstance(error, sqlite3.OperationalError):
            raise
        raise ValueError(f"{path} is not a log database ({error}): give another file") from None
    except BaseException:
        connection.close()
        raise
    return connection


def open_for_reading(path: Path) -> sqlite3.Connection:
    """A connection of its own that can only read; it sees what was committed and never holds a writer up."""
    if not path.is_file():
        raise FileNotFoundError(f"there is no log database at {path}: give the file of an earlier run")
    connection = sqlite3.connect(
        f"{path.resolve().as_uri()}?mode=ro",
        uri=True,
        timeout=30.0,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        _check(connection, path)
    except sqlite3.DatabaseError as error:
        connection.close()
        if isinstance(error, sqlite3.OperationalError):
            raise
        raise ValueError(f"{path} is not a log database ({error}): give another file") from None
    except ValueError:
        connection.close()
        raise
    return connection


def _enter_write_ahead_mode(connection: sqlite3.Connection) -> None:
    """Changing the mode of a new file does not wait for another process that does the same: try again."""
    for attempt in range(100):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if attempt == 99:
                raise
            time.sleep(0.02)


def _create_or_check(connection: sqlite3.Connection, path: Path) -> None:
    version = 0
    if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        version = _check(connection, path)
        if version == VERSION:
            return
    else:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    for statement in "".join(TABLES[version:]).split(";\n"):
        if statement.strip():
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {VERSION}")


def _check(connection: sqlite3.Connection, path: Path) -> int:
    """The schema of a log; a database that is none, or of a newer version of this program, is refused."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION_ID:
        raise ValueError(f"{path} is a database of another program, not a log of hands: give another file")
    if not OLDEST_VERSION <= version <= VERSION:
        raise ValueError(
            f"{path} has log schema {version} and this program knows {OLDEST_VERSION} to {VERSION}: "
            "use the program that wrote it"
        )
    return int(version)
