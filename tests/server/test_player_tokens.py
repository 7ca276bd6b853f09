"""Players by their tokens: what is kept of one, what is no token, and being forgotten."""

from __future__ import annotations

import asyncio
import json
import secrets
import sqlite3
from pathlib import Path

import httpx
import pytest

from ofc_env.records.players import token_digest
from server.protocol.identity import player_of
from tests.server.bots import Bot, agent_chooser, play_pair
from tests.server.live import LiveServer, Message, join, run, run_server
from tests.server.owned import ANN, BOB, EVE, SEED, ask, play_session


@pytest.fixture(scope="module")
def server():
    with run_server(turn_seconds=60.0) as running:
        yield running


# -------------------------------------------------------------------- the token


def test_the_log_keeps_the_hash_of_a_token_and_nobody_is_sent_it(tmp_path: Path):
    with run_server(tmp_path / "log.db") as server:
        frames: list[str] = []

        async def scenario() -> None:
            tickets = server.open_pair((ANN, None), seed=SEED)
            bots = [Bot(await join(server, ticket), agent_chooser("heuristic")) for ticket in tickets]
            await bots[1].send({"type": "identify", "player_token": BOB})
            await play_pair(bots)
            for bot in bots:
                frames.extend(bot.client.frames)
                await bot.client.socket.close()

        run(scenario)
        answers = "".join(ask(server, path).text for path in ("/api/rooms", "/openapi.json"))
        for token in (ANN, BOB):
            assert token_digest(token) not in "".join(frames) + answers
            assert token not in "".join(frames) + answers
            assert server.get("/api/player", token)["sessions"] == 1
    content = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    for token in (ANN, BOB):
        assert token.encode() not in content
        assert token_digest(token).encode() in content


def test_a_seat_taken_without_a_token_is_claimed_over_its_websocket(server: LiveServer):
    token = secrets.token_urlsafe(24)

    async def scenario() -> None:
        ticket = server.post("/api/rooms", mode="ai", agent="random", seed=SEED)
        client = await join(server, ticket)
        await client.until("ready_to_start")
        await client.send({"type": "game_start"})
        session_id = (await client.until("session_start"))["session_id"]
        assert ask(server, f"/api/games/{session_id}/log", token).status_code == 404
        await client.send({"type": "identify", "player_token": token})
        await client.until("identified")
        assert ask(server, f"/api/games/{session_id}/log", token).status_code == 200
        # Somebody else at the same seat later: what was begun stays whose it is.
        await client.send({"type": "identify", "player_token": EVE})
        await client.until("identified")
        assert ask(server, f"/api/games/{session_id}/log", EVE).status_code == 404
        watcher = await join(server, ticket["room_id"])
        await watcher.send({"type": "identify", "player_token": EVE})
        assert (await watcher.until("error"))["code"] == "refused"
        for each in (client, watcher):
            await each.socket.close()

    run(scenario)


BAD_TOKENS = [
    "",
    "short",
    "a" * 21,
    "a" * 129,
    "a" * 3000,
    "' OR 1=1; DROP TABLE players; --",
    "x' UNION SELECT token_hash FROM players --aaaa",
    "a" * 30 + "\x00",
    "a" * 30 + " a",
    "é" * 30,
    "%" * 30,
    "../" * 10,
]


@pytest.mark.parametrize("token", BAD_TOKENS, ids=range(len(BAD_TOKENS)))
def test_what_is_no_token_is_refused_and_not_repeated(server: LiveServer, token: str):
    with pytest.raises(ValueError, match="22 to 128") as refusal:
        player_of(token)
    assert len(token) < 22 or token not in str(refusal.value)

    async def scenario() -> None:
        ticket = server.post("/api/rooms", mode="friend")
        client = await join(server, ticket)
        await client.send({"type": "identify", "player_token": token})
        error = await client.until("error")
        assert error["code"] == "bad_message"
        assert len(error["message"]) < 200
        await client.socket.close()
        assert server.lobby.rooms[ticket["room_id"]].audience.seats[0].owner is None

    run(scenario)
    if not token.isascii() or not token.isprintable():
        return  # no client can send it in a header
    for method, path in (("GET", "/api/history"), ("GET", "/api/export"), ("DELETE", "/api/player")):
        answer = ask(server, path, token, method)
        assert answer.status_code == 422
        assert "22 to 128" in answer.json()["detail"]


def test_a_huge_token_is_not_even_read(server: LiveServer):
    for size in (30_000, 200_000):
        try:
            answer = ask(server, "/api/history", "a" * size)
        except httpx.TransportError:  # the server may end the connection
            continue
        assert 400 <= answer.status_code < 500
        assert len(answer.content) < 300

    async def scenario() -> None:
        client = await join(server, server.post("/api/rooms", mode="friend"))
        await client.send({"type": "identify", "player_token": "a" * 30_000})
        assert await client.close_code() == 1009

    run(scenario)
    assert server.get("/api/rooms")


@pytest.mark.parametrize("value", [None, 5, True, [], {"a": ANN}, [ANN]])
def test_a_token_is_text(server: LiveServer, value: object):
    with pytest.raises(ValueError, match="no text"):
        player_of(value)


def test_a_player_without_a_token_is_told_what_to_send(server: LiveServer):
    for method, path in (
        *(("GET", "/api/history"), ("GET", "/api/player"), ("DELETE", "/api/player")),
        *(("PUT", "/api/shares/x"), ("DELETE", "/api/shares/x"), ("GET", "/api/export")),
    ):
        answer = ask(server, path, method=method)
        assert answer.status_code == 401, path
        assert "X-Player-Token" in answer.json()["detail"]


# -------------------------------------------------------------------- forget me


def test_who_is_forgotten_leaves_hands_and_no_name(tmp_path: Path):
    database = tmp_path / "log.db"
    with run_server(database) as server:
        (session_id,) = play_session(server, SEED, (ANN, BOB))
        seen = server.get(f"/api/games/{session_id}/log", BOB)
        link = server.get(f"/api/sessions/{session_id}", ANN)["link"]
        ask(server, f"/api/shares/{link}", ANN, "PUT")
        room_id = next(iter(server.lobby.rooms))

        async def scenario() -> None:
            watcher = await join(server, room_id)
            await watcher.until("state")
            answer = await asyncio.to_thread(ask, server, "/api/player", ANN, "DELETE")
            assert (answer.status_code, answer.text) == (204, "")
            assert (await watcher.until("presence"))["names"] == ["Player 1", "Player 2"]
            await watcher.socket.close()

        run(scenario)
        assert server.get("/api/player", ANN) == {"since": None, "sessions": 0, "hands": 0}
        assert server.get("/api/history", ANN)["sessions"] == []
        assert ask(server, "/api/export", ANN).text == ""
        assert ask(server, f"/api/games/{session_id}/log", ANN).status_code == 404
        assert ask(server, f"/api/sessions/{link}").status_code == 404  # what Ann shared is private again
        after = server.get(f"/api/games/{session_id}/log", BOB)  # Bob's side is as it was, but for the name
        assert after["players"] == ["Player 1", "Player 2"]
        assert json.dumps(after).replace("Player 1", "Ann") == json.dumps(seen)
        assert ask(server, "/api/player", ANN, "DELETE").status_code == 204  # nobody is forgotten twice
    with sqlite3.connect(database) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    content = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert token_digest(ANN).encode() not in content
    assert b"Ann" not in content
    assert token_digest(BOB).encode() in content
    with run_server(database) as server:  # rooms are restored without the name, too
        assert server.get(f"/api/rooms/{room_id}")["names"] == ["Player 1", "Player 2"]


def test_who_is_forgotten_in_play_plays_on_as_nobody(server: LiveServer):
    token = secrets.token_urlsafe(24)

    async def scenario() -> None:
        ticket = server.post("/api/rooms", token, mode="ai", agent="random", seed=SEED, name="Zoe")
        bot = Bot(await join(server, ticket), agent_chooser("heuristic"))
        while not bot.acknowledged:
            await bot.step()
        answer = await asyncio.to_thread(ask, server, "/api/player", token, "DELETE")
        assert answer.status_code == 204
        await bot.play(2)
        for session_id in bot.starts[:2]:
            assert ask(server, f"/api/games/{session_id}/log", token).status_code == 404
            assert server.get(f"/api/games/{session_id}/log")["players"][0] == "Player 1"
        await bot.client.socket.close()

    run(scenario)
    assert server.get("/api/player", token)["sessions"] == 0


def test_a_table_of_the_first_schema_goes_on_and_can_be_claimed(tmp_path: Path):
    """A table of the schema before players: it goes on, and its sessions become whoever's holds the seat."""
    database = tmp_path / "log.db"

    async def begin(server: LiveServer) -> tuple[Message, str]:
        ticket = server.post("/api/rooms", mode="ai", agent="random", seed=SEED)
        bot = Bot(await join(server, ticket), agent_chooser("heuristic"))
        while not bot.results:
            await bot.step()
        await bot.client.socket.close()
        return ticket, bot.starts[0]

    with run_server(database) as server:
        ticket, session_id = asyncio.run(begin(server))
    with sqlite3.connect(database) as connection:  # as version 0.1 left it
        connection.executescript(
            "DROP TABLE shares; DROP TABLE links; DROP TABLE seats; DROP TABLE players; DROP TABLE reviews;"
        )
        rows = connection.execute("SELECT key, state FROM snapshots").fetchall()
        connection.executescript("DROP TABLE drill_days; DROP TABLE drill_mistakes;")
        for key, text in rows:
            state = json.loads(text)
            for seat in state["seats"]:
                del seat["owner"]
            connection.execute("UPDATE snapshots SET state = ? WHERE key = ?", (json.dumps(state), key))
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    with run_server(database) as server:
        assert server.get(f"/api/games/{session_id}/log")["hands"]

        async def go_on() -> None:
            bot = Bot(await join(server, ticket), agent_chooser("heuristic"))
            await bot.send({"type": "identify", "player_token": ANN})
            await bot.client.until("identified")
            await bot.client.socket.close()

        run(go_on)
        hands = server.get(f"/api/sessions/{session_id}", ANN)["hands"]
        assert [hand["hand_number"] for hand in hands] == list(range(1, len(hands) + 1))
        assert server.get(f"/api/hands/{hands[0]['link']}", ANN)["steps"]
