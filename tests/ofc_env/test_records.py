"""The log database: what is written, what is refused, and what is still there after a crash."""

import json
import random
import sqlite3
import threading
import time
from functools import partial
from typing import Any

import pytest

import ofc_env
from ofc_env import Hand, Placement, Rules, card_names
from ofc_env.records import Records
from ofc_env.records.lines import (
    _QUERY,
    FIELDS,
    action_of_placement,
    count_turns,
    iter_turns,
    placement_of_action,
)
from ofc_env.records.queue import RecordsQueue
from ofc_env.records.schema import VERSION, open_for_reading
from tests.logs import any_placement, log_hands, ticking_clock


@pytest.fixture
def records(tmp_path):
    with Records(tmp_path / "games.db", clock=ticking_clock()) as opened:
        yield opened


def started(records, session_id="s", **options):
    records.start_session(session_id, 5, ("ann", "bob"), **options)
    hand = Hand(seed=5, button=1)
    return records.start_hand(session_id, 1, hand), hand


def test_a_turn_comes_back_as_it_was_played(records):
    hand_id, hand = started(records)
    placement = Placement(top=hand.dealt[:1], middle=hand.dealt[1:2], bottom=hand.dealt[2:])
    records.record_turn(hand_id, hand, placement, think_time_ms=1234, dealt=hand.deck[:5])
    first = next(records.iter_turns())
    names = ofc_env.card_names(hand.dealt)
    assert tuple(first) == FIELDS
    assert first == {
        "session_id": "s",
        "hand_id": "s-1",
        "hand_number": 1,
        "turn": 0,
        "player": "bob",
        "btn": 1,
        "is_btn": True,
        "chips": [200, 200],
        "board_self": {"top": [], "middle": [], "bottom": []},
        "board_opponent": {"top": [], "middle": [], "bottom": []},
        "dealt_cards": ofc_env.card_names(hand.deck[:5]),
        "known_discards_self": [],
        "action": {
            "placements": [
                [names[0], "top"],
                [names[1], "middle"],
                *([name, "bottom"] for name in names[2:]),
            ],
            "discard": None,
        },
        "think_time_ms": 1234,
        "timestamp": "2031-01-02T03:04:08.000Z",
        "rules": "house",
    }


def test_later_turns_show_both_boards_and_the_discards(records):
    log_hands(records, "s", 3, seed=1)
    lines = list(records.iter_turns())
    assert len(lines) == 30
    last = lines[9]
    assert [len(last["board_self"][row]) for row in last["board_self"]] != [0, 0, 0]
    assert sum(len(row) for row in last["board_self"].values()) == 11
    assert sum(len(row) for row in last["board_opponent"].values()) == 13
    assert len(last["known_discards_self"]) == 3
    assert [line["turn"] for line in lines[:10]] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert [line["is_btn"] for line in lines[:10]] == [True, False] * 5


def test_a_fantasyland_board_stays_face_down(records):
    log_hands(records, "s", 2, seed=2, widths=((15, 0), (0, 16)))
    lines = list(records.iter_turns())
    assert [line["board_opponent"]["fantasyland"] for line in lines] == [16] * 5 + [15] * 5
    assert all(line["board_opponent"]["top"] == [] for line in lines)
    settings = list(records.fantasyland_settings("s"))
    assert [(row["seat"], row["width"]) for row in settings] == [(1, 16), (0, 15)]
    assert len(settings[0]["board"].replace("/", " ").split()) == 13
    assert len(settings[0]["discards"].split()) == 3


def test_filters(records):
    log_hands(records, "first", 4, seed=1)
    log_hands(records, "second", 4, seed=2, players=("cid", "bob"))
    path = records.path
    assert {line["player"] for line in iter_turns(path, player="cid")} == {"cid"}
    assert count_turns(path, player="bob") == 40 == len(list(iter_turns(path, player="bob")))
    assert {line["session_id"] for line in iter_turns(path, session="second")} == {"second"}
    middle = next(row["started_at"] for row in records.hands("second"))
    assert {line["session_id"] for line in iter_turns(path, since=middle)} == {"second"}
    assert {line["session_id"] for line in iter_turns(path, until=middle)} == {"first"}
    assert count_turns(path, since="2031-01-03") == 0
    assert count_turns(path, since="2031-01-02", until="2031-01-03") == 80
    with pytest.raises(ValueError, match="cannot read the date 'soon'"):
        count_turns(path, since="soon")


def test_unfinished_hands_can_be_left_out_and_hide_their_deck(records):
    log_hands(records, "s", 1, seed=1)
    hand = Hand(seed=9)
    hand_id = records.start_hand("s", 2, hand)
    records.record_turn(hand_id, hand, hand.placements()[0], think_time_ms=5)
    assert count_turns(records.path) == 11
    assert count_turns(records.path, finished=True) == 10
    assert [row["hand_number"] for row in records.hands("s")] == [1]
    assert [row["hand_number"] for row in records.hands("s", finished=False)] == [1, 2]


def test_sessions_and_results(records):
    rules = Rules(stop_gap=50)
    records.start_session("s", 2**64 - 1, ("ann", "bob"), rules, kind="arena")
    hand = Hand(seed=3, rules=rules)
    hand_id = records.start_hand("s", 1, hand, hand_id="my-own")
    rng = random.Random(1)
    while not hand.finished:
        placement = any_placement(hand, rng)
        records.record_turn(hand_id, hand, placement, think_time_ms=-1)
        hand.place(placement)
    records.end_hand(hand_id, hand.result())
    records.end_session("s", winner=1, final_chips=(150, 250), hands_played=1, reason="chip_gap")
    (session,) = records.sessions()
    assert (session["seed"], session["kind"], session["winner"]) == (str(2**64 - 1), "arena", 1)
    assert Rules.parse(session["rules"]) == rules
    (row,) = records.hands("s")
    assert json.loads(row["result"]) == hand.result().to_dict()
    assert ofc_env.parse_cards(row["deck"]) == hand.deck


def test_refusals_leave_nothing_behind(records):
    hand_id, hand = started(records)
    first, *_, last = hand.placements()
    records.record_turn(hand_id, hand, first, think_time_ms=1)
    other = Hand(seed=6).placements()[0]
    inside = hand.clone()
    inside.step(27)
    fantasyland = Hand(seed=1, fantasyland=(14, 0))
    solved = ofc_env.solve_fantasyland(fantasyland.dealt).placement
    for action, sentence in (
        (lambda: records.record_turn(hand_id, hand, last, think_time_ms=1), "is recorded already"),
        (lambda: records.record_turn(hand_id, hand, other, think_time_ms=1), "not in hand"),
        (lambda: records.record_turn("nothing", hand, first, think_time_ms=1), "call start_hand first"),
        (
            lambda: records.record_turn(hand_id, inside, first, think_time_ms=1),
            "before the first opening step",
        ),
        (
            lambda: records.record_turn(hand_id, fantasyland, solved, think_time_ms=1),
            "use record_fantasyland",
        ),
        (lambda: records.record_fantasyland(hand_id, hand, first, think_time_ms=1), "use record_turn"),
        (lambda: records.record_turn(hand_id, hand, first, think_time_ms=1, dealt=["Ah"]), "was dealt"),
        (lambda: records.start_session("s"), "exists already"),
        (lambda: records.start_session("t", players=("one",)), "two players"),
        (lambda: records.start_hand("nowhere", 1, hand), "call start_session first"),
        (lambda: records.start_hand("s", 1, hand), "exists already"),
        (lambda: records.end_session("s", winner=2, final_chips=(1, 2), hands_played=1, reason=""), "winner"),
    ):
        with pytest.raises(ValueError, match=sentence):
            action()
    hand.place(first)
    with pytest.raises(ValueError, match="below -1"):
        records.record_turn(hand_id, hand, hand.placements()[0], think_time_ms=-2)
    assert count_turns(records.path) == 1
    assert len(list(records.sessions())) == 1


def test_a_transaction_is_all_or_nothing(records):
    def break_off():
        with records.transaction():
            log_hands(records, "s", 1, seed=1)
            raise RuntimeError("power cut")

    with pytest.raises(RuntimeError, match="power"):
        break_off()
    assert count_turns(records.path) == 0
    with records.transaction():
        records.start_session("kept")
        with pytest.raises(ValueError, match="exists already"):
            records.start_session("kept")
        records.start_session("kept too")
    assert [row["session_id"] for row in records.sessions()] == ["kept", "kept too"]


def test_snapshots_are_replaced_with_their_turn(records):
    hand_id, hand = started(records)
    records.record_turn(hand_id, hand, hand.placements()[0], think_time_ms=1, snapshot="after one")
    assert records.snapshots() == {"s": "after one"}
    hand.place(hand.placements()[0])
    with pytest.raises(ValueError):
        records.record_turn(hand_id, hand, hand.placements()[0], think_time_ms=-7, snapshot="never")
    records.save_snapshot("room", "waiting")
    assert records.snapshots() == {"s": "after one", "room": "waiting"}
    records.end_session("s", winner=None, final_chips=(200, 200), hands_played=0, reason="left")
    records.drop_snapshot("not there")
    assert records.snapshots() == {"room": "waiting"}


def test_settings_of_the_file(records, tmp_path):
    with open_for_reading(records.path) as reader:
        assert reader.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert reader.execute("PRAGMA user_version").fetchone() == (VERSION,)
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            reader.execute("DELETE FROM turns")
    connection = records._open_connection()
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
        connection.execute("INSERT INTO fantasyland VALUES (1, 77, 0, 14, '', '', '', 0, 0, '')")
    with Records(tmp_path / "fast.db", durable=False) as fast:
        assert fast._open_connection().execute("PRAGMA synchronous").fetchone() == (1,)  # NORMAL


def test_strange_files_are_refused(tmp_path):
    newer, other, junk = tmp_path / "newer.db", tmp_path / "other.db", tmp_path / "junk.db"
    Records(newer).close()
    with sqlite3.connect(newer) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    junk.write_bytes(b"this is not a database " * 100)
    for path, sentence in (
        (newer, f"schema {VERSION + 1}"),
        (other, "another program"),
        (junk, "not a log database"),
    ):
        with pytest.raises(ValueError, match=sentence):
            Records(path)
        with pytest.raises(ValueError, match=sentence):
            next(iter_turns(path))
    assert junk.read_bytes().startswith(b"this is not")
    with pytest.raises(ValueError, match="is a file"):
        Records(":memory:")
    with pytest.raises(FileNotFoundError, match="no log database"):
        next(iter_turns(tmp_path / "nowhere.db"))


def test_a_closed_log_says_so(records):
    records.close()
    records.close()
    with pytest.raises(ValueError, match="is closed"):
        records.start_session("s")


def test_reading_needs_no_sort_of_the_whole_log(records):
    with open_for_reading(records.path) as reader:
        plan = " ".join(row[3] for row in reader.execute("EXPLAIN QUERY PLAN " + _QUERY.format(where="")))
    assert "FOR ORDER BY" not in plan
    assert plan.count("SEARCH") == 2


def test_readers_do_not_wait_for_a_writer(records):
    log_hands(records, "s", 2, seed=1)
    with records.transaction():
        records.start_session("t")
        assert count_turns(records.path) == 20
        assert len(list(records.sessions())) == 1


def test_threads_share_one_writer(records):
    failures = []

    def write(name):
        try:
            log_hands(records, name, 3, seed=7)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(f"s{index}",)) for index in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert count_turns(records.path) == 6 * 30


def test_two_writers_on_one_file(tmp_path):
    path = tmp_path / "games.db"
    with Records(path) as first, Records(path) as second:
        log_hands(first, "a", 1, seed=1)
        log_hands(second, "b", 1, seed=1)
        log_hands(first, "c", 1, seed=1)
    assert count_turns(path) == 30


def test_a_queue_commits_together_and_fails_apart(tmp_path):
    with RecordsQueue(Records(tmp_path / "games.db")) as queue:
        futures = [queue.submit(partial(Records.start_session, session_id=f"s{i % 40}")) for i in range(80)]
        refused = [future.exception() for future in futures]
        assert [error is None for error in refused] == [True] * 40 + [False] * 40
        assert all("exists already" in str(error) for error in refused[40:])
        assert queue.submit(lambda records: 7).result() == 7
        assert len(list(queue.records.sessions())) == 40
        last = queue.submit(lambda records: records.start_session("last"))
    assert last.done()
    with pytest.raises(ValueError, match="queue is closed"):
        queue.submit(lambda records: None)


def test_a_queue_keeps_its_commits_apart(tmp_path):
    begin = time.monotonic()
    with RecordsQueue(Records(tmp_path / "games.db"), spacing=0.2) as queue:
        for number in range(3):
            queue.submit(partial(Records.start_session, session_id=f"s{number}")).result()
    assert time.monotonic() - begin >= 0.4
    with Records(tmp_path / "games.db") as records:
        assert len(list(records.sessions())) == 3


def test_what_is_submitted_together_fails_apart(tmp_path):
    outcomes: list[Any] = []
    with RecordsQueue(Records(tmp_path / "games.db")) as queue:
        works = [partial(Records.start_session, session_id=f"s{i % 3}") for i in range(5)]
        queue.submit_all([*works, lambda records: 7], outcomes.extend)
    assert [failure is None for _, failure in outcomes] == [True] * 3 + [False] * 2 + [True]
    assert outcomes[-1] == (7, None)


def test_a_queue_reports_a_commit_that_failed(tmp_path, monkeypatch):
    with RecordsQueue(Records(tmp_path / "games.db")) as queue:
        queue.records._open_connection().execute("PRAGMA query_only = ON")  # as a full disk would refuse
        with pytest.raises(sqlite3.OperationalError):
            queue.submit(lambda records: records.start_session("s")).result()
        queue.records._open_connection().execute("PRAGMA query_only = OFF")
        queue.submit(lambda records: records.start_session("s")).result()


def test_actions_and_placements_are_each_other(tmp_path):
    with Records(tmp_path / "games.db", durable=False) as records, records.transaction():
        log_hands(records, "s", 3, 5)
    for line in iter_turns(tmp_path / "games.db"):
        placement = placement_of_action(line["action"])
        assert action_of_placement(placement) == line["action"]
        assert sorted(card_names(placement.discards)) == [
            name for name in [line["action"]["discard"]] if name
        ]
    setting = {"placements": [["Ah", "top"]], "discards": ["Kd", "Ks"]}
    assert placement_of_action(setting) == Placement(["Ah"], [], [], ["Kd", "Ks"])
    assert action_of_placement(placement_of_action(setting)) == setting
    shapes: list[Any] = [
        {},
        {"placements": [["Ah"]]},
        {"placements": [["Ah", "left"]]},
        {"placements": 3},
        [1],
    ]
    for wrong in shapes:
        with pytest.raises(ValueError, match="is not an action") as refusal:
            placement_of_action(wrong)
        assert "\n" not in str(refusal.value)
    with pytest.raises(ValueError, match="Zz"):
        placement_of_action({"placements": [["Zz", "top"]], "discard": None})
