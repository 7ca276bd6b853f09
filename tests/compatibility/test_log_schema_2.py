"""A log database of schema 2 (`README.md` says how it was made) opens, and knows whose its hands are."""

from __future__ import annotations

import shutil
from pathlib import Path

from ofc_env.records import Records
from ofc_env.records.players import Reader, find_game, token_digest
from ofc_env.records.replay import steps_of_hand

SAMPLE = Path(__file__).parent / "schema_2" / "games.db"
ANN, BOB = (Reader(token_digest(name * 8)) for name in ("ann-", "bob-"))


def test_its_players_hands_and_shares_are_read(tmp_path: Path):
    path = Path(shutil.copy(SAMPLE, tmp_path / "games.db"))
    with Records(path) as records:
        assert [row["session_id"] for row in records.sessions()] == ["live-5"]
        assert len(list(records.iter_turns(owner=ANN.player))) == 20
    for seat, reader in enumerate((ANN, BOB)):
        games = [find_game(path, name, reader) for name in ("live-5", "live-5-1", "live-5-2")]
        assert [game and game.seats for game in games] == [(seat,)] * 3
    links = [game.link or "" for game in games if game is not None]
    assert [find_game(path, link, Reader()) is not None for link in links] == [False, True, False]
    assert len(steps_of_hand(path, "live-5", "live-5-2")) == 10
