"""Reviews kept beside hands: one a hand, of the version that is asked for, for who asks."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from ofc_env import Rules, Session
from ofc_env.records import Records, players
from ofc_env.records.players import token_digest
from ofc_env.records.reviews import (
    Judged,
    hands_of_game,
    hands_of_player,
    judges_of_game,
    judges_of_player,
    keep_review,
    session_of_hand,
)
from tests.logs import any_placement

ANN, BOB, EVE = (token_digest(name) for name in ("ann", "bob", "eve"))


@pytest.fixture
def records(tmp_path: Path):
    """Two finished hands and one in play; the seats are Ann's and Bob's."""
    with Records(tmp_path / "games.db") as opened:
        log_session(opened, "one", "live")
        yield opened


def log_session(records: Records, session_id: str, kind: str) -> None:
    session, choice = Session(seed=3, auto_fantasyland=False), random.Random(1)
    records.start_session(session_id, players=("ann", "bob"), rules=session.rules, kind=kind)
    for seat, player in enumerate((ANN, BOB)):
        players.claim_seat(records, session_id, seat, player)
    for number in (1, 2, 3):
        hand_id = records.start_hand(session_id, number, session.hand)
        while number < 3 and session.hands_played < number:
            placement = any_placement(session.hand, choice)
            record = records.record_fantasyland if session.hand.in_fantasyland else records.record_turn
            record(hand_id, session.hand, placement, think_time_ms=5)
            session.place(placement)
        if number < 3:
            records.end_hand(hand_id, session.history[-1])
            players.add_links(records, session_id)


def reviewed_of_game(*which: Any) -> dict[str, bool]:
    return {hand_id: each.judge is not None for hand_id, each in judges_of_game(*which).items()}


def reviewed_of_player(*which: Any) -> dict[str, bool]:
    return {hand_id: each.judge is not None for hand_id, each in judges_of_player(*which).items()}


def test_who_has_reviewed_a_hand_and_by_which_rules_it_was_played(records: Records):
    keep_review(records, "one-1", 1, '{"judge": "somebody 17"}')
    house = str(Rules())
    assert judges_of_game(records.path, 1, "one") == {
        "one-1": Judged(house, "somebody 17"),
        "one-2": Judged(house, None),
    }


def test_a_review_is_kept_replaced_and_of_its_version(records: Records):
    assert reviewed_of_game(records.path, 1, "one") == {"one-1": False, "one-2": False}
    keep_review(records, "one-1", 1, '{"a": 1}')
    assert reviewed_of_game(records.path, 1, "one") == {"one-1": True, "one-2": False}
    assert reviewed_of_game(records.path, 1, "one", "one-2") == {"one-2": False}
    assert [hand.review for hand in hands_of_game(records.path, 1, "one")] == ['{"a": 1}', None]
    # Of another version there is none, until one is made.
    assert reviewed_of_game(records.path, 2, "one") == {"one-1": False, "one-2": False}
    keep_review(records, "one-1", 2, '{"a": 2}')
    assert [hand.review for hand in hands_of_game(records.path, 2, "one", "one-1")] == ['{"a": 2}']
    assert reviewed_of_game(records.path, 1, "one")["one-1"] is False
    assert records.select("SELECT count(*) FROM reviews") == [(1,)]


def test_a_hand_in_play_has_no_review(records: Records):
    keep_review(records, "one-3", 1, "{}")
    keep_review(records, "nothing", 1, "{}")
    assert records.select("SELECT count(*) FROM reviews") == [(0,)]
    assert "one-3" not in reviewed_of_game(records.path, 1, "one")


def test_the_hands_of_a_player_newest_first_and_whose_seat(records: Records):
    keep_review(records, "one-1", 1, "{}")
    for seat, player in enumerate((ANN, BOB)):
        hands = list(hands_of_player(records.path, 1, player))
        assert [(hand.hand_id, hand.seat) for hand in hands] == [("one-2", seat), ("one-1", seat)]
        assert [hand.review for hand in hands] == [None, "{}"]
        assert all(hand.link and '"raw_score"' in hand.result for hand in hands)
        assert reviewed_of_player(records.path, 1, player) == {"one-2": False, "one-1": True}
        assert [hand.hand_id for hand in hands_of_player(records.path, 1, player, most=1)] == ["one-2"]
    assert list(hands_of_player(records.path, 1, EVE)) == []
    assert [hand.seat for hand in hands_of_game(records.path, 1, "one", player=BOB)] == [1, 1]
    assert [hand.seat for hand in hands_of_game(records.path, 1, "one")] == [None, None]


def test_only_live_play_says_how_well_somebody_plays(records: Records):
    log_session(records, "learned", "practice")
    assert list(reviewed_of_player(records.path, 1, ANN)) == ["one-2", "one-1"]
    assert [hand.hand_id for hand in hands_of_player(records.path, 1, ANN)] == ["one-2", "one-1"]
    keep_review(records, "learned-1", 1, "{}")
    assert reviewed_of_game(records.path, 1, "learned") == {"learned-1": True, "learned-2": False}


def test_the_session_of_a_hand(records: Records):
    assert session_of_hand(records.path, "one-2") == "one"
    with pytest.raises(ValueError, match="no hand 'two-1'"):
        session_of_hand(records.path, "two-1")


def test_forgetting_a_player_leaves_the_review_to_others(records: Records):
    keep_review(records, "one-1", 1, "{}")
    players.forget_player(records, ANN)
    assert reviewed_of_player(records.path, 1, ANN) == {}
    assert reviewed_of_player(records.path, 1, BOB) == {"one-2": False, "one-1": True}
