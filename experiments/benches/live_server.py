"""Clients of a live server, and what is measured with them: the parts of `experiments/bench_server.py`."""

from __future__ import annotations

import asyncio
import json
import os
import random
import secrets
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

import ofc_env
from agents import levels
from agents.arena.progress import Progress
from agents.live_player import Ticket, take_seat
from agents.live_player.view import SeatView, place_message

Message = dict[str, Any]


@dataclass(frozen=True)
class Figure:
    """One line of the table."""

    name: str
    value: float
    unit: str
    target: float | None = None
    """At most this, if there is a target."""


@dataclass(frozen=True)
class Server:
    """The measured server."""

    url: str
    pid: int

    def resident_megabytes(self) -> float:
        """Memory that the server occupies, without the thinking process."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        raise ValueError(f"process {self.pid} is gone: look at its messages above")

    def cpu_seconds(self) -> tuple[float, float, float]:
        """Processor time used by the server, by its thinking process, and by this process, its clients."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        thinking = sum(_cpu_seconds(int(child)) for child in children)
        return _cpu_seconds(self.pid), thinking, time.process_time()


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def run_server(folder: Path | None) -> Iterator[Server]:
    """A server with the settings it has for everybody, but without the limits for one address."""
    program = (
        "import sys\n"
        "from server.web.serving import listen, serve, uvicorn_config\n"
        "from server.settings import Settings\n"
        "listener = listen('127.0.0.1', 0)\n"
        "settings = Settings(database=sys.argv[1], hand_pause=0.0, rematch_pause=0.0, message_rate=1e6,\n"
        "                    message_burst=10**6, request_rate=1e6, request_burst=10**6,\n"
        "                    max_rooms_per_address=10**6, max_connections_per_address=10**6)\n"
        "opened = lambda: print(listener.getsockname()[1], flush=True)\n"
        "serve(uvicorn_config(settings), listener, opened)\n"
    )
    with tempfile.TemporaryDirectory(dir=folder) as place:
        command = [sys.executable, "-c", program, str(Path(place, "log.db"))]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            port = process.stdout.readline().strip() if process.stdout is not None else ""
            if not port:
                raise ValueError("the server did not start: its own words are above")
            yield Server(f"http://127.0.0.1:{port}", process.pid)
        finally:
            process.terminate()
            process.wait(30)


def open_room(server: Server, level: str | None = None) -> list[Ticket]:
    """The seats of a new room: two, or one against the AI of a level."""
    if level is not None:
        return [_open_ai_room(server, json.dumps({"mode": "ai", "level": level}).encode())]
    first = take_seat(server.url, None, "a")
    return [first, take_seat(server.url, first.room_id, "b")]


def high_cards_below(cards: list[str], board: dict[str, list[str]]) -> ofc_env.Placement:
    """A turn by a rule that costs nothing: high cards fill the bottom first, the lowest are discarded."""
    ordered = sorted(cards, key=lambda card: "23456789TJQKAX".index(card[0]), reverse=True)
    placed, discards = (
        ordered[: {5: 5, 3: 2}.get(len(cards), 13)],
        ordered[{5: 5, 3: 2}.get(len(cards), 13) :],
    )
    rows: dict[str, list[str]] = {}
    for row, size in (("bottom", 5), ("middle", 5), ("top", 3)):
        free = size - len(board[row])
        rows[row], placed = placed[:free], placed[free:]
    return ofc_env.Placement(**rows, discards=discards)


class Seat:
    """A client that places by a cheap rule, at a pace, and notes how long each acknowledgement took."""

    def __init__(self, ticket: Ticket, pace: float, start: float) -> None:
        self.ticket = ticket
        self.pace = pace
        """Seconds between two placements; 0 for none."""
        self.next_at = start
        self.view = SeatView()
        self.sent_at = 0.0
        self.latencies: list[float] = []
        self.asked_at = 0.0
        self.answers: list[float] = []
        """Seconds that an AI opponent took."""
        self.hands = 0
        self.stopping = False

    async def play(self) -> None:
        """Play session after session until told to stop."""
        async with connect(self.ticket.url, compression=None, open_timeout=60) as socket:
            while not self.stopping:
                message = json.loads(await socket.recv())
                kind = message["type"]
                if kind == "placed" and self.view.sent is not None:
                    self.latencies.append(time.perf_counter() - self.sent_at)
                self.view.hear(message)
                if kind == "deal":
                    await self.place(socket, message)
                elif kind in ("ready_to_start", "session_ended_awaiting_restart"):
                    if self.view.seat is not None and not message["ready"][self.view.seat]:
                        await socket.send('{"type":"game_start"}')
                elif kind == "timer_start" and message["seat"] != self.view.seat:
                    self.asked_at = time.perf_counter()
                elif kind == "opponent_placed":
                    self.answers.append(time.perf_counter() - self.asked_at)
                elif kind == "hand_end":
                    self.hands += 1

    async def place(self, socket: ClientConnection, deal: Message) -> None:
        """Answer a deal, at the seat's pace."""
        placement = high_cards_below(deal["cards"], self.view.board)
        if self.pace:
            now = time.monotonic()
            if self.next_at > now:
                await asyncio.sleep(self.next_at - now)
            self.next_at = max(self.next_at, time.monotonic() - self.pace) + self.pace
        self.view.sent = placement
        text = json.dumps(place_message(placement, deal["sequence"]))
        self.sent_at = time.perf_counter()
        await socket.send(text)


def percentile(values: list[float], share: float) -> float:
    """The value that this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


async def measure_load(server: Server, rooms: int, seconds: float, ai_share: float = 0.0) -> list[Figure]:
    """Many rooms at once, each person placing once a second: time from `place` to its acknowledgement.

    Args:
        server: to be measured.
        rooms: in all.
        seconds: of the measurement.
        ai_share: of the rooms are against the AI of the default level.
    """
    ai_rooms = round(rooms * ai_share)
    chosen = [levels.DEFAULT_LEVEL if number < ai_rooms else None for number in range(rooms)]
    tickets = [await asyncio.to_thread(open_room, server, level) for level in chosen]
    chance = random.Random(1)
    begin = time.monotonic() + 3.0 + rooms / 100
    seats = [Seat(ticket, 1.0, begin + chance.random()) for pair in tickets for ticket in pair]
    tasks = [asyncio.create_task(seat.play()) for seat in seats]
    await asyncio.sleep(begin + 2.0 - time.monotonic())
    for seat in seats:
        seat.latencies.clear()
        seat.answers.clear()
    before, started = server.cpu_seconds(), time.monotonic()
    await asyncio.sleep(seconds)
    used = [after - earlier for after, earlier in zip(server.cpu_seconds(), before, strict=True)]
    duration = time.monotonic() - started
    latencies = [latency for seat in seats for latency in seat.latencies]
    answers = [answer for seat in seats[:ai_rooms] for answer in seat.answers]
    failed = [task for task in tasks if task.done()]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    if failed:
        raise RuntimeError(f"{len(failed)} clients ended early: {failed[0].exception()}")
    ai_figures = []
    if answers:
        ai_figures = [
            Figure("AI answers a second", len(answers) / duration, "1/s"),
            Figure("AI answer, median", 1000 * percentile(answers, 0.5), "ms"),
            Figure("AI answer, 99th percentile", 1000 * percentile(answers, 0.99), "ms"),
        ]
    return [
        Figure("rooms at once", rooms, "rooms"),
        Figure("of these against the AI", ai_rooms, "rooms"),
        Figure("persons' placements a second", len(latencies) / duration, "1/s"),
        Figure("place to acknowledgement, median", 1000 * percentile(latencies, 0.5), "ms"),
        Figure("place to acknowledgement, 99th percentile", 1000 * percentile(latencies, 0.99), "ms", 150.0),
        Figure("place to acknowledgement, longest", 1000 * max(latencies), "ms"),
        Figure("server's share of one core", 100 * used[0] / duration, "%"),
        Figure("thinking process's share of one core", 100 * used[1] / duration, "%"),
        Figure("clients' share of one core", 100 * used[2] / duration, "%"),
        Figure("server's time for a person's placement", 1000 * used[0] / max(1, len(latencies)), "ms"),
        *ai_figures,
    ]


async def measure_memory(server: Server, hands: int, rooms: int) -> list[Figure]:
    """Memory of the server after a warm-up of one tenth of the hands, and at the end."""
    tickets = [await asyncio.to_thread(open_room, server) for _ in range(rooms)]
    seats = [Seat(ticket, 0.0, 0.0) for pair in tickets for ticket in pair]
    tasks = [asyncio.create_task(seat.play()) for seat in seats]

    async def play_until(count: int) -> None:
        while (played := sum(seat.hands for seat in seats) // 2) < count:
            for task in tasks:
                if task.done():
                    raise RuntimeError(f"a client ended early: {task.exception()}")
            progress.move_to(played)
            await asyncio.sleep(0.25)

    started = time.monotonic()
    with Progress("memory", hands, unit="hands") as progress:
        await play_until(hands // 10)
        before = server.resident_megabytes()
        await play_until(hands // 2)
        middle = server.resident_megabytes()
        await play_until(hands)
        after = server.resident_megabytes()
    duration = time.monotonic() - started
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return [
        Figure("hands played", hands, "hands"),
        Figure("hands a second, as fast as it goes", hands / duration, "1/s"),
        Figure(f"memory after {hands // 10} hands", before, "MB"),
        Figure(f"memory after {hands // 2} hands", middle, "MB"),
        Figure(f"memory after {hands} hands", after, "MB"),
        Figure("growth from the first to the second half", after - middle, "MB", 5.0),
    ]


async def measure_ai(server: Server, decisions: int) -> list[Figure]:
    """Time from one's own acknowledgement to the AI's placement, level by level, one room at a time."""
    figures = []
    for level in levels.LEVELS:
        body = json.dumps({"mode": "ai", "level": level}).encode()
        ticket = await asyncio.to_thread(_open_ai_room, server, body)
        times: list[float] = []
        player = Seat(ticket, 0.0, 0.0)
        asked = 0.0
        async with connect(ticket.url, compression=None) as socket:
            while len(times) < decisions:
                message = json.loads(await socket.recv())
                player.view.hear(message)
                kind = message["type"]
                if kind == "deal":
                    await player.place(socket, message)
                elif kind == "timer_start" and message["seat"] == 1:
                    asked = time.perf_counter()
                elif kind == "opponent_placed":
                    times.append(time.perf_counter() - asked)
                elif kind in ("ready_to_start", "session_ended_awaiting_restart"):
                    await socket.send('{"type":"game_start"}')
        name = f"AI answer, {level} ({levels.agent_of(level)})"
        target = 1000.0 if level == "strongest" else None
        figures.append(Figure(f"{name}, first", 1000 * times[0], "ms", 1000.0))
        figures.append(Figure(f"{name}, median", 1000 * percentile(times, 0.5), "ms"))
        figures.append(Figure(f"{name}, longest", 1000 * max(times), "ms", target))
    return figures


async def measure_reviews(server: Server, hands: int) -> list[Figure]:
    """Time until some hands of a player are reviewed: of the thinking process, and by the clock."""
    player = {"X-Player-Token": secrets.token_urlsafe(24)}
    body = json.dumps({"mode": "ai", "level": "novice"}).encode()
    seat = Seat(await asyncio.to_thread(_open_ai_room, server, body, player), 0.0, 0.0)
    task = asyncio.create_task(seat.play())
    while seat.hands < hands:
        if task.done():
            raise RuntimeError(f"the client ended early: {task.exception()}")
        await asyncio.sleep(0.05)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    before, started = server.cpu_seconds()[1], time.monotonic()
    progress = await asyncio.to_thread(_ask, server, "/api/rating", b"", player)
    with Progress("reviews", hands, unit="hands") as shown:
        while progress["running"]:
            await asyncio.sleep(0.25)
            progress = await asyncio.to_thread(_ask, server, "/api/rating/progress", None, player)
            shown.move_to(min(hands, progress["reviewed"]))
    used, count = server.cpu_seconds()[1] - before, progress["reviewed"]
    if progress["problem"] or not count:
        raise RuntimeError(f"the hands could not be reviewed: {progress['problem']}")
    return [
        Figure("hands reviewed", count, "hands"),
        Figure("processor time", used, "s", float(count)),
        Figure("by the clock", time.monotonic() - started, "s"),
    ]


def _open_ai_room(server: Server, body: bytes, headers: dict[str, str] | None = None) -> Ticket:
    answer = _ask(server, "/api/rooms", body, headers or {})
    return Ticket(server.url, answer["room_id"], answer["player_id"], answer["token"])


def _ask(server: Server, path: str, body: bytes | None, headers: dict[str, str]) -> Any:
    """A request; with a body a POST."""
    request = urllib.request.Request(server.url + path, body, {"Content-Type": "application/json", **headers})
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)
