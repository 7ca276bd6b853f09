"""A real server on a loopback port in a thread, and raw clients for it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from agents.live_player.view import place_message
from server.play.lobby import Lobby
from server.play.table import automatic_placement
from server.settings import Settings
from server.web.serving import Server, listen, uvicorn_config

Message = dict[str, Any]
# Seconds after which a test that still waits has failed, however busy the machine is.
PATIENCE = 240.0
# Fast and generous: what the limits do is tested where they are the subject.
OPERATOR_KEY = "the-key-of-the-tests-operator"
OPERATOR = {"X-Operator-Key": OPERATOR_KEY}
QUIET = {
    "operator_key": OPERATOR_KEY,
    "hand_pause": 0.0,
    "rematch_pause": 0.0,
    "warm": False,
    "max_rooms_per_address": 10**6,
    "max_connections_per_address": 10**6,
    "durable": False,
    "ping_seconds": PATIENCE,
    "request_seconds": PATIENCE,
    "allow_seeds": True,
    "message_rate": 1e9,
    "message_burst": 10**9,
    "request_rate": 1e9,
    "request_burst": 10**9,
    "analysis_rate": 1e9,
    "analysis_burst": 10**9,
}


@dataclass
class LiveServer:
    """A server that runs in a thread of this process."""

    url: str
    settings: Settings
    lobby: Lobby
    server: Server

    def ws_url(self, ticket: Message | str) -> str:
        """Where a seat's ticket leads; a room id alone leads to the spectators."""
        base = self.url.replace("http", "ws", 1)
        if isinstance(ticket, str):
            return f"{base}/ws/{ticket}"
        return f"{base}/ws/{ticket['room_id']}?player_id={ticket['player_id']}&token={ticket['token']}"

    def post(self, path: str, player: str | None = None, **body: Any) -> Message:
        """A REST request, of the player with this token if one is given, that must succeed."""
        headers = {} if player is None else {"X-Player-Token": player}
        response = httpx.post(self.url + path, json=body, headers=headers, timeout=PATIENCE)
        assert response.is_success, response.text
        answer: Message = response.json()
        return answer

    def get(self, path: str, player: str | None = None) -> Any:
        """A REST request, of a player or else of the operator, that must succeed."""
        headers = OPERATOR if player is None else {"X-Player-Token": player}
        response = httpx.get(self.url + path, headers=headers, timeout=PATIENCE)
        assert response.is_success, response.text
        return response.json()

    def open_pair(
        self, players: tuple[str | None, str | None] = (None, None), **body: Any
    ) -> tuple[Message, Message]:
        """A room for two persons, both seats taken: their tickets."""
        first = self.post("/api/rooms", players[0], mode="friend", **body)
        return first, self.post(f"/api/rooms/{first['room_id']}/join", players[1])


@contextmanager
def run_server(database: str | Path | None = None, **settings: Any) -> Iterator[LiveServer]:
    """Run a server on a free loopback port until the block ends."""
    with tempfile.TemporaryDirectory() as folder:
        chosen = Settings(**{**QUIET, "database": str(database or Path(folder, "log.db")), **settings})
        config = uvicorn_config(chosen)
        server = Server(config)
        listener = listen("127.0.0.1", 0)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            time.sleep(0.01)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        try:
            yield LiveServer(url, chosen, config.app.state.lobby, server)  # type: ignore[union-attr]
        finally:
            server.should_exit = True
            thread.join(PATIENCE)
            assert not thread.is_alive(), "the server does not stop"


@dataclass
class Client:
    """A raw client that keeps every frame it was sent."""

    socket: ClientConnection
    frames: list[str] = field(default_factory=list)

    async def send(self, message: Any) -> None:
        """Send a message, or any text as it is."""
        await self.socket.send(message if isinstance(message, (str, bytes)) else json.dumps(message))

    async def next(self, seconds: float = PATIENCE) -> Message:
        """The next message."""
        text = await asyncio.wait_for(self.socket.recv(), seconds)
        assert isinstance(text, str)
        self.frames.append(text)
        message: Message = json.loads(text)
        return message

    async def until(self, kind: str, seconds: float = PATIENCE) -> Message:
        """The next message of a type; those before it are only kept."""
        async with asyncio.timeout(seconds):
            while (message := await self.next(seconds))["type"] != kind:
                pass
        return message

    async def rest(self) -> AsyncIterator[str]:
        """Everything until the server ends the connection."""
        with contextlib.suppress(ConnectionClosed):
            while True:
                yield str(await asyncio.wait_for(self.socket.recv(), PATIENCE))

    async def close_code(self, seconds: float = PATIENCE) -> int | None:
        """Read on until the server ends the connection."""
        async with asyncio.timeout(seconds):
            async for _ in self.rest():
                pass
            await self.socket.wait_closed()
        return self.socket.close_code


async def join(server: LiveServer, ticket: Message | str, **options: Any) -> Client:
    """Connect a raw client; a room id alone makes a spectator."""
    options = {"open_timeout": PATIENCE, "ping_timeout": PATIENCE, **options}
    return Client(await connect(server.ws_url(ticket), **options))


async def begin(server: LiveServer, **body: Any) -> tuple[Client, Client, tuple[Message, Message]]:
    """Two connected clients whose session has just started, and their tickets."""
    tickets = await asyncio.to_thread(lambda: server.open_pair(**body))
    clients = [await join(server, ticket) for ticket in tickets]
    for client in clients:
        await client.until("ready_to_start")
    for client in clients:
        await client.send({"type": "game_start"})
    for client in clients:
        await client.until("session_start")
    return clients[0], clients[1], tickets


def run(scenario: Callable[[], Awaitable[None]], seconds: float = 10 * PATIENCE) -> None:
    """Run a scenario to its end, or fail."""
    asyncio.run(asyncio.wait_for(scenario(), seconds))


def placement_message(server: LiveServer, room_id: str, sequence: bool = True) -> Message:
    """A legal placement of the seat to act."""
    game = server.lobby.rooms[room_id].game.current
    assert game is not None
    table = game.table
    return place_message(automatic_placement(table.hand), table.sequence + 1 if sequence else None)


async def start(clients: list[Client]) -> None:
    """Let both seats agree to a session."""
    for client in clients:
        await client.send({"type": "game_start"})
    for client in clients:
        await client.until("session_start")
