"""A writer killed at any moment: what it acknowledged is there, and nothing is half-written."""

import json
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing

import pytest

from ofc_env import Hand, Session
from ofc_env.records import Records
from ofc_env.records.lines import iter_turns
from ofc_env.records.schema import open_for_reading

# Prints a line after each acknowledged turn. Its session goes on from the snapshot of the one killed before.
WRITER = """
import json, random, sys
from ofc_env import Placement, Session
from ofc_env.records import Records
from ofc_env.records.queue import RecordsQueue

path, seed, queued = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "queue"
rng = random.Random(seed)
records = Records(path)
queue = RecordsQueue(records) if queued else None

def commit(work):
    if queue is None:
        with records.transaction():
            work(records)
    else:
        queue.submit(work).result()

def start(name):
    session = Session(seed=seed, auto_fantasyland=False)
    def work(records):
        records.start_session(name, seed, ("ann", "bob"))
        records.start_hand(name, 1, session.hand)
        records.save_snapshot(name, json.dumps({"name": name, "turns": 0, "session": session.to_json()}))
    commit(work)
    return session

left = records.snapshots()
if left:
    ((name, state),) = left.items()
    state = json.loads(state)
    session, turns = Session.from_json(state["session"]), state["turns"]
else:
    name, turns = f"s{seed}", 0
    session = start(name)
print("ready", flush=True)
while True:
    hand, number = session.hand, session.hands_played + 1
    if hand.in_fantasyland:
        setting = hand.clone()
        setting.set_fantasyland()
        board = setting.board(hand.player)
        placement = Placement(board.top, board.middle, board.bottom, setting.discards(hand.player))
    else:
        placement = rng.choice(hand.placements())
    session.place(placement)
    turns += 1

    def work(records):
        record = records.record_fantasyland if hand.in_fantasyland else records.record_turn
        state = json.dumps({"name": name, "turns": turns, "session": session.to_json()})
        record(f"{name}-{number}", hand, placement, think_time_ms=turns, snapshot=state)
        if session.hands_played == number:
            records.end_hand(f"{name}-{number}", session.history[-1])
            if not session.finished:
                records.start_hand(name, number + 1, session.hand)
        if session.finished:
            records.end_session(name, winner=session.winner, final_chips=session.chips,
                                hands_played=session.hands_played, reason=session.reason)
    commit(work)
    print(json.dumps([name, turns]), flush=True)
    if session.finished:
        seed += 1_000
        name, turns = f"s{seed}", 0
        session = start(name)
"""


def run_and_kill(path, seed, mode, rng):
    """The turns a writer acknowledged before it was killed: (session, count) each."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), str(seed), mode], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "ready\n"
        rest = "".join(process.stdout.readline() for _ in range(rng.randrange(5)))
        time.sleep(rng.random() * 0.01)  # so that the kill may come at any point of a turn
        process.send_signal(signal.SIGKILL)
        rest += process.stdout.read()
        assert process.wait() == -signal.SIGKILL
    finally:
        process.kill()
        process.stdout.close()
    # A line that the kill cut off was not read by anybody, so it acknowledged nothing.
    return [json.loads(line) for line in rest.split("\n")[:-1]]


def turns_of_sessions(path):
    """Turns in the log by session; it is whole, and its snapshots are those of the last turn.

    The reader is closed at once. While it were open, SQLite would not look for what a killed writer had just
    committed: a later count would find a turn that this one had not.
    """
    with closing(open_for_reading(path)) as reader:
        assert reader.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert reader.execute("PRAGMA foreign_key_check").fetchone() is None
        counts = Counter(
            dict(
                reader.execute(
                    "SELECT s.session_id, (SELECT count(*) FROM turns t JOIN hands h ON h.id = t.hand WHERE "
                    "h.session = s.id) + (SELECT count(*) FROM fantasyland f JOIN hands h ON h.id = f.hand "
                    "WHERE h.session = s.id) FROM sessions s"
                )
            )
        )
        snapshots = {
            key: json.loads(state) for key, state in reader.execute("SELECT key, state FROM snapshots")
        }
        open_sessions = {
            row[0] for row in reader.execute("SELECT session_id FROM sessions WHERE ended_at IS NULL")
        }
    assert snapshots.keys() == open_sessions
    for name, state in snapshots.items():
        assert state["turns"] == counts[name]
        Session.from_json(state["session"])
    return counts


@pytest.mark.parametrize("mode", ["direct", "queue"])
def test_sixty_kills(tmp_path, mode):
    """After each kill the log has what it had before, what was acknowledged since, and at most one turn more.

    That one was committed when the kill came before its line. Nobody repeats it: the next writer goes on from
    the log, so its lines are counted from there, not from the last line that was read.
    """
    path, rng = tmp_path / "games.db", random.Random(mode)
    before: Counter[str] = Counter()
    acknowledged, kills = 0, 30
    for kill in range(kills):
        expected = before.copy()
        for name, turns in run_and_kill(path, kill, mode, rng):
            assert turns == expected[name] + 1, name
            expected[name] = turns
            acknowledged += 1
        found = turns_of_sessions(path)
        assert found >= expected
        assert found.total() - expected.total() in (0, 1)
        before = found
    assert acknowledged > kills
    lines = list(iter_turns(path))
    assert len({(line["hand_id"], line["turn"], line["player"]) for line in lines}) == len(lines)


def test_a_torn_log_file_loses_only_its_last_commits(tmp_path):
    """A machine that stops while it writes leaves a write-ahead log that ends anywhere."""
    rng = random.Random(4)
    source = tmp_path / "games.db"
    records = Records(source)
    records.start_session("s")
    hand = Hand(seed=1)
    records.start_hand("s", 1, hand)
    while not hand.finished:
        placement = rng.choice(hand.placements())
        records.record_turn("s-1", hand, placement, think_time_ms=1)
        hand.place(placement)
    database, log = source.read_bytes(), (tmp_path / "games.db-wal").read_bytes()
    records.close()
    found = set()
    for attempt in range(40):
        copy = tmp_path / f"copy{attempt}.db"
        copy.write_bytes(database)
        (tmp_path / f"copy{attempt}.db-wal").write_bytes(log[: rng.randrange(len(log))])
        connection = sqlite3.connect(copy)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        tables = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'turns'").fetchone()[0]
        if tables:
            turns = [row[0] for row in connection.execute("SELECT turn FROM turns ORDER BY id")]
            assert turns == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4][: len(turns)]
            found.add(len(turns))
        connection.close()
    assert len(found) > 3
