"""Limits: sizes, rates, rooms, connections; and clients that are slow, deaf or gone."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

from tests.server.live import (
    PATIENCE,
    Client,
    LiveServer,
    begin,
    join,
    placement_message,
    run,
    run_server,
    start,
)


@pytest.fixture(scope="module")
def server():
    with run_server(turn_seconds=60.0) as running:
        yield running


# -------------------------------------------------------------------- limits


def test_long_messages_are_refused_and_very_long_ones_end_the_connection(server: LiveServer):
    async def scenario() -> None:
        client = await join(server, server.post("/api/rooms", mode="friend"))
        for text in ("a" * 5000, "あ" * 2000):  # what counts is bytes, not characters
            await client.send('{"type":"' + text + '"}')
            refusal = await client.until("error")
            assert refusal["code"] == "bad_message"
            assert refusal["message"] == "a message may have at most 4096 bytes"
        await client.send('{"type":"' + "a" * 20_000 + '"}')
        assert await client.close_code() == 1009

    run(scenario)


def test_who_sends_too_much_is_not_read_and_at_last_cut_off():
    with run_server(message_rate=0.01, message_burst=10) as server:

        async def scenario() -> None:
            client = await join(server, server.post("/api/rooms", mode="friend"))
            for _ in range(30):
                await client.send("junk")
            codes = [(await client.until("error"))["code"] for _ in range(11)]
            assert codes.count("bad_message") == 10
            assert codes.count("rate") == 1
            with contextlib.suppress(ConnectionClosed):
                for _ in range(300):
                    await client.send("junk")
            assert await client.close_code() == 4429

        run(scenario)


def test_requests_rooms_connections_and_spectators_are_limited():
    with run_server(max_rooms=3, max_connections=4, max_spectators=2) as server:

        async def scenario() -> None:
            rooms = [server.post("/api/rooms", mode="friend") for _ in range(3)]
            answer = httpx.post(f"{server.url}/api/rooms", json={"mode": "friend"}, timeout=PATIENCE)
            assert answer.status_code == 503
            assert "3 rooms" in answer.json()["detail"]
            clients = []
            for room in (0, 0, 1, 1):
                clients.append(await join(server, rooms[room]["room_id"]))
                await clients[-1].until("state")
                if len(clients) == 2:
                    third = await join(server, rooms[0]["room_id"])
                    assert await third.close_code() == 4429
            too_many = await join(server, rooms[2])
            assert await too_many.close_code() == 4429
            await clients[0].socket.close()
            while len(server.lobby.rooms[rooms[0]["room_id"]].audience.spectators) == 2:
                await asyncio.sleep(0.01)
            again = await join(server, rooms[2])
            assert (await again.until("state"))["your_seat"] == 0

        run(scenario)
    with run_server(request_rate=0.001, request_burst=5) as server:
        statuses = [httpx.get(f"{server.url}/api/rooms", timeout=PATIENCE).status_code for _ in range(8)]
        assert statuses == [200] * 5 + [429] * 3


def test_large_bodies_are_refused(server: LiveServer):
    assert (
        httpx.post(f"{server.url}/api/rooms", json={"name": "a" * 20_000}, timeout=PATIENCE).status_code
        == 413
    )

    def pieces():
        for _ in range(100):
            yield b" " * 1000

    headers = {"Content-Type": "application/json"}
    try:
        answer = httpx.post(f"{server.url}/api/rooms", content=pieces(), headers=headers, timeout=PATIENCE)
        assert answer.status_code >= 400
    except httpx.TransportError:
        pass  # the connection was cut


def test_idle_rooms_are_closed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("server.play.lobby.SWEEP_SECONDS", 0.05)
    with run_server(idle_seconds=3600.0, unused_seconds=86_400.0) as server:

        async def scenario() -> None:
            kept = server.post("/api/rooms", mode="friend")
            empty = server.post("/api/rooms", mode="friend")
            client = await join(server, kept)
            await client.until("state")
            for ticket in (kept, empty):  # in the order in which they are looked at
                server.lobby.rooms[ticket["room_id"]].empty_since -= 3601.0
            while (
                httpx.get(f"{server.url}/api/rooms/{empty['room_id']}", timeout=PATIENCE).status_code != 404
            ):
                await asyncio.sleep(0.02)
            # The time of the other was up too, but somebody is there.
            assert httpx.get(f"{server.url}/api/rooms/{kept['room_id']}", timeout=PATIENCE).status_code == 200
            await client.socket.close()

        run(scenario)


# -------------------------------------------------------------------- slow and vanished clients


def deaf_client(server: LiveServer, room_id: str) -> socket.socket:
    """A spectator that asks and asks and never reads an answer."""
    host, port = server.url.removeprefix("http://").split(":")
    deaf = socket.socket()
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    deaf.connect((host, int(port)))
    deaf.sendall(
        f"GET /ws/{room_id} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    return deaf


def ask_until_cut_off(deaf: socket.socket) -> None:
    """Send small text frames, masked with zeros, for as long as they are taken."""
    frame = b"\x81\x84\x00\x00\x00\x00junk"
    with contextlib.suppress(OSError):
        while True:
            deaf.sendall(frame * 100)


def test_a_client_that_does_not_read_is_dropped_and_holds_nobody_up():
    with run_server(turn_seconds=60.0, max_backlog=50, send_seconds=1.0) as server:

        async def scenario() -> None:
            tickets = server.open_pair()
            room_id = tickets[0]["room_id"]
            room = server.lobby.rooms[room_id]
            deaf = deaf_client(server, room_id)
            clients = [await join(server, ticket) for ticket in tickets]
            while len(room.audience.spectators) != 1:
                await asyncio.sleep(0.01)
            await start(clients)
            asking = asyncio.create_task(asyncio.to_thread(ask_until_cut_off, deaf))
            placed, deadline = 0, time.monotonic() + PATIENCE
            try:
                while room.audience.spectators:
                    assert time.monotonic() < deadline, "the deaf client was never dropped"
                    if room.game.phase == "session_over":
                        await start(clients)
                    elif room.game.phase == "playing" and room.game.current is not None:
                        seat = room.game.current.table.player
                        assert seat is not None
                        await clients[seat].send(placement_message(server, room_id))
                        await clients[seat].until("placed")
                        placed += 1
                    await asyncio.sleep(0.01)
            finally:
                deaf.shutdown(socket.SHUT_RDWR)
                deaf.close()
                await asking
            assert placed > 0
            for client in clients:
                await client.socket.close()

        run(scenario)


def test_a_client_that_is_silently_gone_is_noticed():
    with run_server(turn_seconds=60.0, ping_seconds=0.3) as server:

        async def scenario() -> None:
            room_id = server.post("/api/rooms", mode="friend")["room_id"]
            room = server.lobby.rooms[room_id]
            gone = deaf_client(server, room_id)
            while not room.audience.spectators:
                await asyncio.sleep(0.01)
            async with asyncio.timeout(PATIENCE):
                while room.audience.spectators:
                    await asyncio.sleep(0.01)
            gone.close()

        run(scenario)


def test_a_client_that_vanishes_loses_nothing_but_its_time(server: LiveServer):
    async def scenario() -> None:
        first, second, tickets = await begin(server)
        clients: list[Client] = [first, second]
        room = server.lobby.rooms[tickets[0]["room_id"]]
        assert room.game.current is not None
        seat = room.game.current.table.player
        assert seat is not None
        deal = await clients[seat].until("deal")
        deadline = room.game.clock.deadline
        clients[seat].socket.transport.abort()  # no goodbye
        presence = await clients[1 - seat].until("presence")
        while presence["connected"][seat]:
            presence = await clients[1 - seat].until("presence")
        back = await join(server, tickets[seat])
        state = await back.until("state")
        assert state["hand"] == deal["cards"]
        assert state["to_act"] == seat
        assert 0 < state["seconds"] <= 60
        again = await back.until("deal")
        assert again == deal
        assert (await back.until("timer_start"))["seconds"] <= state["seconds"]
        assert room.game.clock.deadline == deadline  # the clock went on
        await back.send(placement_message(server, room.id))
        assert (await back.until("placed"))["sequence"] == 1
        await back.socket.close()
        await clients[1 - seat].socket.close()

    run(scenario)
