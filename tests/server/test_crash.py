"""The server is killed at random moments: nothing acknowledged is lost, and every session goes on."""

from __future__ import annotations

import asyncio
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from ofc_env import Placement, parse_cards
from ofc_env.records.lines import iter_table
from tests.server.bots import Bot, agent_chooser
from tests.server.live import PATIENCE, Client, Message
from tests.server.mirror import Mirror

KILLS, MANY_KILLS = 30, 300
SEED = 8_000_000_000_000


class Process:
    """A server in a process of its own, always on the same port and file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.database = folder / "log.db"
        self.port = 0
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start it and wait until it listens."""
        options = [
            "--port",
            str(self.port),
            "--database",
            str(self.database),
            "--hand-pause",
            "0",
            "--allow-seeds",
            "--agent",
            "random",
        ]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "server", *options, "--turn-seconds", "60"],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert "http://127.0.0.1:" in line, line
        self.port = int(line.split("http://127.0.0.1:")[1].split()[0])

    def kill(self) -> None:
        """kill -9: no handler runs, nothing is flushed."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def post(self, path: str, **body: Any) -> Message:
        """A REST request, from the moment the server answers."""
        patience = time.monotonic() + PATIENCE
        while time.monotonic() < patience:
            try:
                answer: Message = httpx.post(
                    f"http://127.0.0.1:{self.port}{path}", json=body, timeout=PATIENCE
                ).json()
                return answer
            except httpx.TransportError:
                time.sleep(0.05)
        raise AssertionError("the server does not answer")


class Player:
    """A seat whose player comes back after every crash, and remembers what was acknowledged before."""

    def __init__(self, server: Process, ticket: Message, choose: Callable[..., Placement]) -> None:
        self.server = server
        self.ticket = ticket
        self.choose = choose
        self.acknowledged: dict[str, dict[int, Placement]] = {}
        self.resumed_in_play = 0
        self.stopped = False  # beside the cancellation, which a time-out at the same moment can swallow

    async def play(self) -> None:
        """Play until stopped, through crashes."""
        query = f"player_id={self.ticket['player_id']}&token={self.ticket['token']}"
        url = f"ws://127.0.0.1:{self.server.port}/ws/{self.ticket['room_id']}?{query}"
        while not self.stopped:
            try:
                async with connect(url, open_timeout=PATIENCE) as socket:
                    await self._play(Bot(Client(socket), self.choose))
            except (ConnectionClosed, InvalidHandshake, OSError, TimeoutError):
                await asyncio.sleep(0.05)

    async def _play(self, bot: Bot) -> None:
        state = await bot.client.next(20)
        bot.view.hear(state)
        bot.agreed_to = None
        session_id = state["session_id"]
        if session_id is not None:
            known = self.acknowledged.setdefault(session_id, {})
            bot.acknowledged = known
            assert state["sequence"] >= max(known, default=0), "an acknowledged placement was lost"
            self.resumed_in_play += state["phase"] == "playing"
        while not self.stopped:
            # One message at a time, so that a crash between two of them loses no knowledge of what came.
            sent = len(bot.sent)
            await bot.step(20)
            if len(bot.sent) > sent:
                await asyncio.sleep(0.06)  # the server reads 20 messages a second from one client
            for new_session in [start for start in bot.starts if start not in self.acknowledged]:
                self.acknowledged[new_session] = bot.acknowledged = {}


@pytest.fixture
def server(tmp_path: Path):
    process = Process(tmp_path)
    process.start()
    yield process
    process.kill()


@pytest.mark.parametrize("part", range(2))
def test_kills_at_random_moments_lose_nothing(server: Process, part: int):
    kill_and_go_on(server, KILLS // 2, random.Random(5 + 10 * part))


@pytest.mark.prove
def test_many_more_kills_lose_nothing(server: Process):
    kill_and_go_on(server, MANY_KILLS, random.Random(6))


def kill_and_go_on(server: Process, count: int, generator: random.Random) -> None:
    """Play in four rooms, kill the server so many times, and look at every acknowledgement and at the log."""
    tickets = []
    for room in range(3):
        first = server.post("/api/rooms", mode="friend", seed=SEED + 1000 * room)
        tickets += [first, server.post(f"/api/rooms/{first['room_id']}/join")]
    tickets.append(server.post("/api/rooms", mode="ai", level="expert", seed=SEED + 9000))
    players = [Player(server, ticket, agent_chooser("random:seed=1")) for ticket in tickets]

    async def scenario() -> None:
        try:
            await kills()
        finally:
            for player in players:
                player.stopped = True

    async def kills() -> None:
        tasks = [asyncio.create_task(player.play()) for player in players]
        for kill in range(count):
            before = acknowledged_count(players)
            patience = time.monotonic() + PATIENCE
            # The sessions do go on, and more than two players have found theirs in play.
            while acknowledged_count(players) < before + 6 or resumed_count(players) < 3 * kill:
                assert time.monotonic() < patience, f"the sessions do not go on after kill {kill}"
                for task in tasks:
                    assert not task.done(), task.exception()
                await asyncio.sleep(0.02)
            await asyncio.sleep(generator.uniform(0.0, 0.25))
            server.kill()
            await asyncio.to_thread(server.start)
        await asyncio.sleep(1.5)
        for task, player in zip(tasks, players, strict=True):
            assert not task.done(), task.exception()
            player.stopped = True
            task.cancel()

    asyncio.run(asyncio.wait_for(scenario(), PATIENCE * (1 + count)))
    assert resumed_count(players) > 2 * count
    assert acknowledged_count(players) > 5 * count
    server.kill()
    check_log(server.database, players)


def acknowledged_count(players: list[Player]) -> int:
    """Placements that any player was told are accepted."""
    return sum(len(placements) for player in players for placements in player.acknowledged.values())


def resumed_count(players: list[Player]) -> int:
    """How often a player came back to a hand in play."""
    return sum(player.resumed_in_play for player in players)


def check_log(database: Path, players: list[Player]) -> None:
    """The log is one legal course of play per session, and has every acknowledged placement at its place."""
    acknowledged: dict[str, dict[int, Placement]] = {}
    for player in players:
        for session_id, placements in player.acknowledged.items():
            assert not acknowledged.setdefault(session_id, {}).keys() & placements.keys()
            acknowledged[session_id].update(placements)
    sessions = list(iter_table(database, "SELECT * FROM sessions"))
    assert set(acknowledged) <= {row["session_id"] for row in sessions}
    for row in sessions:
        mirror = replay(database, int(row["seed"]), row["session_id"])
        for sequence, placement in acknowledged.get(row["session_id"], {}).items():
            assert mirror.turns[sequence - 1].placement == placement
        assert (row["ended_at"] is not None) == mirror.session.finished


def replay(database: Path, seed: int, session_id: str) -> Mirror:
    """Play a session of the log in the engine, to its last row; fails on a row that does not fit."""
    query = "SELECT h.* FROM hands h JOIN sessions s ON s.id = h.session WHERE s.session_id = ?"
    hands = list(iter_table(database, f"{query} ORDER BY h.hand_number", (session_id,)))
    mirror = Mirror(seed)
    for number, hand in enumerate(hands, 1):
        assert hand["hand_number"] == number
        assert parse_cards(hand["deck"]) == mirror.session.hand.deck
        rows = {}
        for turn in iter_table(database, "SELECT * FROM turns WHERE hand = ?", (hand["id"],)):
            discard = f" {turn['discard']}>x" if turn["discard"] else ""
            rows[turn["turn"], turn["seat"]] = Placement.parse(turn["placements"] + discard)
        for setting in iter_table(database, "SELECT * FROM fantasyland WHERE hand = ?", (hand["id"],)):
            top, middle, bottom = setting["board"].split("/")
            rows[-1, setting["seat"]] = Placement(top, middle, bottom, setting["discards"])
        while mirror.session.hands_played < number:
            current = mirror.session.hand
            placement = rows.pop((-1 if current.in_fantasyland else current.turn, current.player), None)
            if placement is None:
                break
            mirror.place(placement)
        assert not rows
        finished = mirror.session.hands_played == number
        assert finished == (hand["result"] is not None)
        assert finished or number == len(hands)
    return mirror
