"""Whose the hands of a log are, who finds them, and hands played again from it."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from itertools import pairwise
from pathlib import Path

import pytest

from ofc_env import Session
from ofc_env.records import Records, players
from ofc_env.records.lines import _OWNED, _QUERY, count_turns, iter_turns
from ofc_env.records.players import Reader, find_game, token_digest
from ofc_env.records.replay import decisions_of, key_of_turn, steps_of_hand
from ofc_env.records.schema import VERSION, open_for_reading
from tests.logs import any_placement

OLD_LOG = Path(__file__).parents[1] / "compatibility" / "0.1" / "games.db"
ANN, BOB, EVE = (Reader(token_digest(name)) for name in ("ann", "bob", "eve"))
OPERATOR = Reader(is_operator=True)


def log_session(records: Records, session_id: str, hands: int = 2, unfinished: bool = False) -> None:
    """A live session of some hands, and perhaps one more that is in play."""
    session, choice = Session(seed=len(session_id), auto_fantasyland=False), random.Random(1)
    records.start_session(session_id, players=("ann", "bob"), rules=session.rules)
    for number in range(1, hands + 1 + unfinished):
        hand_id = records.start_hand(session_id, number, session.hand)
        turns = 0
        while session.hands_played < number and not (number > hands and turns == 3):
            hand = session.hand
            placement = any_placement(hand, choice)
            record = records.record_fantasyland if hand.in_fantasyland else records.record_turn
            record(hand_id, hand, placement, think_time_ms=turns - 1)
            session.place(placement)
            turns += 1
        if number <= hands:
            records.end_hand(hand_id, session.history[-1])
            players.add_links(records, session_id)


@pytest.fixture
def records(tmp_path: Path):
    with Records(tmp_path / "games.db") as opened:
        log_session(opened, "first", unfinished=True)
        log_session(opened, "second")
        for session_id, seat, reader in (("first", 0, ANN), ("first", 1, BOB), ("second", 1, ANN)):
            players.claim_seat(opened, session_id, seat, reader.player or "")
        yield opened


def link_of(records: Records, name: str) -> str:
    game = find_game(records.path, name, OPERATOR)
    assert game is not None
    assert game.link is not None
    return game.link


def test_a_seat_is_whose_it_was_first(records: Records):
    players.claim_seat(records, "first", 0, EVE.player or "")
    assert find_game(records.path, "first", EVE) is None
    assert records.select("SELECT count(*) FROM players") == [(2,)]  # nobody comes in by being refused
    game = find_game(records.path, "first", ANN)
    assert game is not None
    assert game.seats == (0,)
    players.claim_seat(records, "second", 0, ANN.player or "")
    both = find_game(records.path, "second", ANN)
    assert both is not None
    assert both.seats == (0, 1)
    with pytest.raises(ValueError, match="no session 'third'"):
        players.claim_seat(records, "third", 0, ANN.player or "")


def test_links_are_random_and_only_of_finished_hands(records: Records):
    links = [row[0] for row in records.select("SELECT link FROM links")]
    assert len(links) == len(set(links)) == 2 + 4
    assert all(len(link) == 22 for link in links)
    assert find_game(records.path, "first-2", ANN) is not None
    assert find_game(records.path, "first-3", ANN) is None  # in play
    assert find_game(records.path, "first-3", OPERATOR) is None


def test_who_finds_what(records: Records):
    path = records.path
    hand, whole = link_of(records, "first-1"), link_of(records, "first")
    for name in ("first", "first-1", hand, whole):
        assert [find_game(path, name, who) is not None for who in (ANN, BOB, EVE, Reader(), OPERATOR)] == [
            True,
            True,
            False,
            False,
            True,
        ]
    players.set_shared(records, hand, EVE.player or "", True)  # not hers to share
    assert find_game(path, hand, Reader()) is None
    players.set_shared(records, hand, ANN.player or "", True)
    names = (hand, "first-1", "first", whole, link_of(records, "first-2"))
    assert [find_game(path, name, EVE) is not None for name in names] == [True, *[False] * 4]
    players.set_shared(records, whole, BOB.player or "", True)
    assert [find_game(path, name, EVE) is not None for name in names] == [True, False, False, True, True]
    players.set_shared(records, hand, ANN.player or "", False)
    assert find_game(path, hand, EVE) is not None  # by the session, which Bob still shares
    players.set_shared(records, whole, ANN.player or "", False)
    assert find_game(path, whole, EVE) is not None
    players.set_shared(records, whole, BOB.player or "", False)
    assert [find_game(path, name, EVE) for name in names] == [None] * 5


def test_lines_of_a_player_stream_along_an_index(records: Records):
    assert {line["session_id"] for line in iter_turns(records.path, owner=BOB.player)} == {"first"}
    assert {line["player"] for line in iter_turns(records.path, owner=BOB.player)} == {"ann", "bob"}
    assert count_turns(records.path, owner=ANN.player) == count_turns(records.path)
    assert count_turns(records.path, owner=EVE.player) == 0
    one = list(iter_turns(records.path, hand="first-2"))
    assert {line["hand_id"] for line in one} == {"first-2"}
    connection = open_for_reading(records.path)
    plan = connection.execute(f"EXPLAIN QUERY PLAN {_QUERY.format(where=f'WHERE {_OWNED}')}", ("x",))
    steps = " / ".join(row[3] for row in plan)
    connection.close()
    assert "SEARCH s USING INTEGER PRIMARY KEY" in steps
    assert "SCAN" not in steps
    assert "USE TEMP B-TREE FOR ORDER BY" not in steps


def test_who_is_forgotten_is_nobody(records: Records):
    before = [dict(line) for line in records.iter_turns()]
    players.set_shared(records, link_of(records, "first"), ANN.player or "", True)
    players.forget_player(records, ANN.player or "")
    names = [(row["player_0"], row["player_1"]) for row in records.sessions()]
    assert names == [("Player 1", "bob"), ("ann", "Player 2")]  # the other ann of `second` is nobody known
    assert records.select("SELECT token_hash FROM players") == [(BOB.player,)]
    assert records.select("SELECT count(*) FROM shares") == [(0,)]
    assert find_game(records.path, "first", ANN) is None
    assert find_game(records.path, "first", BOB) is not None
    after = [dict(line) for line in records.iter_turns()]
    for line in (*before, *after):
        del line["player"]
    assert after == before
    players.forget_player(records, ANN.player or "")  # nobody is forgotten twice


def test_hands_are_played_again(records: Records):
    for hand_id in ("second-1", "second-2"):
        steps = steps_of_hand(records.path, "second", hand_id)
        (result,) = (row["result"] for row in records.hands("second") if row["hand_id"] == hand_id)
        assert steps[-1].after.finished
        assert steps[-1].after.result().to_dict()["boards"] == json.loads(result)["boards"]
        assert all(before.after == after.before for before, after in pairwise(steps))
        assert [step.decision.think_time_ms for step in steps] == list(range(-1, len(steps) - 1))
        assert [step.before.player for step in steps] == [step.seat for step in steps]
    assert len(decisions_of(records.path, "first")) == 23
    with pytest.raises(ValueError, match="not in the log to its end"):
        steps_of_hand(records.path, "first", "first-3")
    with pytest.raises(ValueError, match="no hand 'first-1' of session 'second'"):
        steps_of_hand(records.path, "second", "first-1")
    with pytest.raises(ValueError, match="nobody is to act"):
        key_of_turn(steps[-1].after, 2)


def test_a_log_of_the_first_schema_is_read_as_it_is_and_grows_when_written(tmp_path: Path):
    path = Path(shutil.copy(OLD_LOG, tmp_path / "games.db"))

    def version() -> int:
        with sqlite3.connect(path) as connection:
            found = int(connection.execute("PRAGMA user_version").fetchone()[0])
        connection.close()
        return found

    lines = list(iter_turns(path))
    assert version() == 1  # nothing was changed by reading
    with Records(path) as records:
        assert version() == VERSION == 4
        assert list(records.iter_turns()) == lines
        game = find_game(path, "live-5-1", OPERATOR)
        assert game is not None
        assert (game.link, game.seats) == (None, ())
        players.claim_seat(records, "live-5", 0, ANN.player or "")
        assert find_game(path, "live-5-1", ANN) is not None
        assert len(steps_of_hand(path, "live-5", "live-5-1")) == 10
        tables = records.select("SELECT type, name FROM sqlite_master ORDER BY name")
    with Records(tmp_path / "new.db") as new:
        assert new.select("SELECT type, name FROM sqlite_master ORDER BY name") == tables
    Records(path).close()  # and opens again
