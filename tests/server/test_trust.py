"""Nobody is trusted: seats, tabs, origins, hosts and spectators."""

from __future__ import annotations

import asyncio
import contextlib
import logging

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from server.play.seats import Seat, clean_name
from server.web.gate import origin_is_allowed
from server.web.logs import HideTokens
from tests.server.live import PATIENCE, Client, LiveServer, begin, join, placement_message, run, run_server

GAME_START = {"type": "game_start"}


@pytest.fixture(scope="module")
def server():
    with run_server(turn_seconds=60.0) as running:
        yield running


# -------------------------------------------------------------------- seats


def test_a_stolen_player_id_is_worth_nothing_without_the_token(server: LiveServer):
    async def scenario() -> None:
        first, second, tickets = await begin(server)
        room_id = tickets[0]["room_id"]
        room = server.lobby.rooms[room_id]
        wrong = [
            "",
            "x",
            tickets[1]["token"],  # the opponent's own
            tickets[0]["token"][:-1],
            tickets[0]["token"] + "A",
            room.audience.seats[0].digest or "",  # what the database holds
            "%00",
            "é" * 10,
        ]
        for token in wrong:
            url = server.ws_url(room_id) + f"?player_id=p0&token={token}"
            async with connect(url) as stranger:
                frames = [str(frame) async for frame in Client(stranger).rest()]
                assert len(frames) == 1
                assert '"refused"' in frames[0]
                assert stranger.close_code == 4403
        for query in (
            "player_id=p0",
            "token=" + tickets[0]["token"],
            "player_id=p2&token=" + tickets[0]["token"],
        ):
            async with connect(server.ws_url(room_id) + "?" + query) as stranger:
                await stranger.wait_closed()
                assert stranger.close_code == 4403
        assert room.audience.seats[0].connection is not None  # the owner was not thrown out
        await first.send({"type": "nonsense"})
        assert (await first.until("error"))["code"] == "bad_message"
        await first.socket.close()
        await second.socket.close()

    run(scenario)


def test_tokens_are_long_random_and_kept_only_as_hashes(server: LiveServer):
    tokens = {server.post("/api/rooms", mode="friend")["token"] for _ in range(20)}
    assert len(tokens) == 20
    assert min(map(len, tokens)) >= 32
    content = b"".join(path.read_bytes() for path in server.lobby.journal.path.parent.glob("log.db*"))
    assert not any(token.encode() in content for token in tokens)


def test_a_taken_seat_cannot_be_joined_again(server: LiveServer):
    ticket, _ = server.open_pair()
    answer = httpx.post(f"{server.url}/api/rooms/{ticket['room_id']}/join", json={}, timeout=PATIENCE)
    assert answer.status_code == 409
    ai_room = server.post("/api/rooms", mode="ai", level="expert")
    assert (
        httpx.post(f"{server.url}/api/rooms/{ai_room['room_id']}/join", timeout=PATIENCE).status_code == 409
    )


def test_two_joins_at_once_get_one_seat(server: LiveServer):
    async def scenario() -> None:
        room_id = server.post("/api/rooms", mode="friend")["room_id"]
        async with httpx.AsyncClient() as client:
            url = f"{server.url}/api/rooms/{room_id}/join"
            answers = await asyncio.gather(*(client.post(url, json={}) for _ in range(8)))
        assert sorted(answer.status_code for answer in answers) == [200] + [409] * 7

    run(scenario)


def test_a_seat_needs_its_own_token():
    seat = Seat(0)
    assert not seat.holds("")
    token = seat.sit("Ann")
    assert seat.holds(token)
    assert not seat.holds(seat.digest or "")
    with pytest.raises(ValueError, match="taken"):
        seat.sit("Eve")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("  Ann\t Lee ", "Ann Lee"),
        ("", "otherwise"),
        (None, "otherwise"),
        ("a" * 100, "a" * 24),
        ("\u202egnp\x00\x1b[31m", "gnp[31m"),
        ("\ud800", "otherwise"),
        ("花子", "花子"),
    ],
)
def test_names_are_short_and_printable(name: str | None, shown: str):
    assert clean_name(name, "otherwise") == shown


# -------------------------------------------------------------------- two tabs


def test_a_second_tab_takes_over_and_the_first_is_told(server: LiveServer):
    async def scenario() -> None:
        first, second, tickets = await begin(server)
        room = server.lobby.rooms[tickets[0]["room_id"]]
        newer = await join(server, tickets[0])
        state = await newer.until("state")
        assert state["phase"] == "playing"
        assert (await first.until("error"))["code"] == "replaced"
        assert await first.close_code() == 4001
        assert room.audience.seats[0].connection is not None
        assert room.game.current is not None
        client = newer if room.game.current.table.player == 0 else second
        await client.send(placement_message(server, room.id))
        await client.until("placed")
        await newer.socket.close()
        await second.socket.close()

    run(scenario)


def test_what_the_older_tab_sends_too_late_is_not_played(server: LiveServer):
    async def scenario() -> None:
        first, second, tickets = await begin(server)
        room = server.lobby.rooms[tickets[0]["room_id"]]
        clients = [first, second]
        assert room.game.current is not None
        seat = room.game.current.table.player
        assert seat is not None
        message = placement_message(server, room.id)
        newer = await join(server, tickets[seat])
        await newer.until("state")
        with contextlib.suppress(ConnectionClosed):
            await clients[seat].send(message)
        await clients[seat].close_code()
        assert room.game.current.table.sequence == 0
        await newer.send(message)
        assert (await newer.until("placed"))["sequence"] == 1
        # The same once more, as after a lost acknowledgement: stale, and nothing happens.
        await newer.send(message)
        assert (await newer.until("error"))["code"] in ("stale", "not_now")
        assert room.game.current.table.sequence == 1

    run(scenario)


# -------------------------------------------------------------------- spectators and strangers


def test_spectators_can_only_watch(server: LiveServer):
    async def scenario() -> None:
        first, second, tickets = await begin(server)
        spectator = await join(server, tickets[0]["room_id"])
        state = await spectator.until("state")
        assert state["your_seat"] is None
        assert state["hand"] == []
        assert state["discards"] == []
        for message in (GAME_START, placement_message(server, tickets[0]["room_id"])):
            await spectator.send(message)
            assert (await spectator.until("error"))["code"] == "refused"
        for client in (first, second, spectator):
            await client.socket.close()

    run(scenario)


@pytest.mark.parametrize("room_id", ["nothing", "../../etc", "%2e%2e", "a" * 200, "é"])
def test_unknown_rooms_are_refused(server: LiveServer, room_id: str):
    async def scenario() -> None:
        with contextlib.suppress(InvalidStatus):
            async with connect(f"{server.url.replace('http', 'ws')}/ws/{room_id}") as stranger:
                await stranger.wait_closed()
                assert stranger.close_code == 4404

    run(scenario)


def test_pages_of_other_origins_are_refused(server: LiveServer):
    async def scenario() -> None:
        ticket = server.post("/api/rooms", mode="friend")
        for origin in ("https://evil.example", "null", "http://127.0.0.1:1", server.url + ".evil.example"):
            with pytest.raises(InvalidStatus):
                await join(server, ticket, additional_headers={"Origin": origin})
            answer = httpx.post(
                f"{server.url}/api/rooms", json={}, headers={"Origin": origin}, timeout=PATIENCE
            )
            assert answer.status_code == 403
        client = await join(server, ticket, additional_headers={"Origin": server.url})
        await client.until("state")
        await client.socket.close()

    run(scenario)


def test_an_origin_can_be_allowed():
    assert origin_is_allowed("https://a.example", "b.example", ["https://a.example/"])
    assert origin_is_allowed("null", "b.example", ["*"])
    assert not origin_is_allowed("https://a.example", "b.example", ["https://c.example"])
    assert not origin_is_allowed("http://[", "b.example", [])
    assert not origin_is_allowed("", "", [])


def test_a_server_answers_only_to_its_own_names():
    with run_server(allow_hosts=("127.0.0.1", "localhost")) as server:
        for host, status in (("127.0.0.1:80", 200), ("localhost", 200), ("evil.example", 400), ("", 400)):
            assert (
                httpx.get(f"{server.url}/api/rooms", headers={"Host": host}, timeout=PATIENCE).status_code
                == status
            )


def test_tokens_are_kept_out_of_the_log_of_requests():
    record = logging.LogRecord(
        "uvicorn", 20, "", 1, '"WebSocket %s" [accepted]', ("/ws/a?player_id=p0&token=se-cret",), None
    )
    assert HideTokens().filter(record)
    assert "se-cret" not in record.getMessage()
    assert "player_id=p0" in record.getMessage()
