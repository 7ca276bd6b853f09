"""An agent at a live table: connects to a server that speaks the live protocol, plays, restarts, reconnects.

It sees what any client is sent, and nothing else. It answers within the time limit: when its agent has not
decided by then, a quick one answers.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import random
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

import agents
import ofc_env
from agents import levels
from agents.live_player.view import Message, SeatView, place_message
from agents.turns import agent_setting, choose_placement
from ofc_env import Rules

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

logger = logging.getLogger("live_player")
# After these codes coming back is useless: another window plays, the token is wrong, the room is gone.
FINAL_CODES = {
    4001: "another window plays this seat",
    4403: "the token is wrong",
    4404: "there is no such room",
}
FIRST_DELAY, LONGEST_DELAY = 0.5, 30.0
TURN_SECONDS = 20.0
# Share of the time limit that is left for a quick answer and the way to the server.
RESERVE = 0.3


@dataclass(frozen=True)
class Ticket:
    """A seat at a table: where it is and the secret that holds it."""

    server: str
    """Such as http://127.0.0.1:8000."""
    room_id: str
    player_id: str
    token: str

    @property
    def url(self) -> str:
        """The address of the WebSocket."""
        base = "ws" + self.server.removeprefix("http").rstrip("/")
        query = urlencode({"player_id": self.player_id, "token": self.token})
        return f"{base}/ws/{quote(self.room_id, safe='')}?{query}"


def take_seat(server: str, room_id: str | None, name: str) -> Ticket:
    """Join a room, or open one for two players if none is named."""
    if not server.startswith(("http://", "https://")):
        raise ValueError(f"{server!r} is no address of a server: write it like http://127.0.0.1:8000")
    path = "/api/rooms" if room_id is None else f"/api/rooms/{quote(room_id, safe='')}/join"
    body: dict[str, Any] = {"name": name, "mode": "friend"} if room_id is None else {"name": name}
    request = urllib.request.Request(
        server.rstrip("/") + path, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            answer = json.load(response)
    except urllib.error.HTTPError as error:
        raise ValueError(f"{server} refused: {_detail(error)}") from None
    except (OSError, ValueError) as error:
        raise ValueError(
            f"no server answers at {server} ({error}): start one with python -m server"
        ) from None
    return Ticket(server, answer["room_id"], answer["player_id"], answer["token"])


def _detail(error: urllib.error.HTTPError) -> str:
    try:
        return str(json.load(error)["detail"])
    except (ValueError, KeyError, TypeError):
        return f"HTTP {error.code}"


class LivePlayer:
    """Plays one seat until it has played its sessions.

    Args:
        ticket: the seat.
        agent: an `agents.make` name, or what gives one for the rules of the table.
        sessions: how many to play; 0 for no end.
    """

    def __init__(self, ticket: Ticket, agent: str | Callable[[Rules], str], sessions: int = 1) -> None:
        self.ticket = ticket
        self._agent_for = agent if callable(agent) else lambda rules: agent
        self.sessions = sessions
        self.results: list[Message] = []
        """The session_end message of every session played."""
        self.view = SeatView()
        self._made_for = TURN_SECONDS, self.view.rules
        self._make_agents(*self._made_for)
        self._search = ThreadPoolExecutor(1)
        self._quick = ThreadPoolExecutor(1)
        self._limit: asyncio.Future[float] | None = None
        self._answer: asyncio.Task[None] | None = None
        self._agreed_to: int | None = None
        self._wants_next_hand = False
        self._retried = False
        self._delay = FIRST_DELAY
        self._session: str | None = None
        """The session that is being played."""

    def _make_agents(self, turn_seconds: float, rules: Rules) -> None:
        """Build the agents; a turn so long has time for two searches, and some to spare."""
        self.quick_agent = levels.make_timed(levels.quick_agent(rules), 1.0, rules)
        self.agent_name = self._agent_for(rules)
        self.agent = levels.make_timed(self.agent_name, turn_seconds * (1 - RESERVE) / 2, rules)

    def is_finished(self) -> bool:
        """Whether all the sessions asked for are played."""
        return 0 < self.sessions <= len(self.results)

    async def run(self) -> list[Message]:
        """Play to the end, through lost connections; returns the session_end messages."""
        from websockets.asyncio.client import connect
        from websockets.exceptions import ConnectionClosed, InvalidHandshake

        while not self.is_finished():
            try:
                async with connect(self.ticket.url, open_timeout=20) as socket:
                    await self._play(socket)
            except (ConnectionClosed, InvalidHandshake, OSError, TimeoutError) as error:
                code = error.rcvd.code if isinstance(error, ConnectionClosed) and error.rcvd else None
                if code in FINAL_CODES:
                    raise ValueError(f"the server ended the game: {FINAL_CODES[code]}") from None
                if self.is_finished():
                    break
                wait = self._delay * random.uniform(0.5, 1.0)
                logger.warning("the connection was lost (%s), trying again in %.1f s", error, wait)
                await asyncio.sleep(wait)
                self._delay = min(2 * self._delay, LONGEST_DELAY)
            finally:
                if self._answer is not None:
                    self._answer.cancel()
        self._search.shutdown(wait=False, cancel_futures=True)
        self._quick.shutdown(wait=False, cancel_futures=True)
        return self.results

    async def _play(self, socket: ClientConnection) -> None:
        self._agreed_to, self._wants_next_hand = None, False  # a new connection has agreed to nothing
        async for text in socket:
            message = json.loads(text)
            if not isinstance(message, dict) or "type" not in message:
                continue
            if message["type"] != "error":
                self._delay = FIRST_DELAY  # let in, and not only to be turned away
            refused = message["type"] == "error" and self.view.sent is not None
            self.view.hear(message)
            if refused:
                await self._place_anything(socket, message)
            else:
                await self._react(socket, message)
            if self.is_finished():
                return

    async def _react(self, socket: ClientConnection, message: Message) -> None:
        kind = message["type"]
        if kind == "state":
            await self._take_up(socket, message)
        elif kind == "session_start":
            self._session = message.get("session_id")
        elif kind == "hand_start":
            self._wants_next_hand = False
            self._search.submit(lambda: self.agent.reset())
        elif kind == "deal":
            self._retried = False
            self._limit = asyncio.get_running_loop().create_future()
            if self._answer is not None:
                self._answer.cancel()
            self._answer = asyncio.get_running_loop().create_task(
                self._answer_deal(socket, message, self._limit)
            )
        elif kind == "timer_start" and message.get("seat", self.view.seat) == self.view.seat:
            if self._limit is not None and not self._limit.done() and message["seconds"] is not None:
                self._limit.set_result(float(message["seconds"]))
        elif (kind == "hand_end" and message.get("next_hand_seconds")) or kind == "hand_over":
            if not self._wants_next_hand:
                self._wants_next_hand = True
                await socket.send('{"type":"game_start"}')
        elif kind == "session_end":
            self._count(message)
        elif kind == "error":
            logger.warning("the server says: %s", message.get("message"))
        elif kind in ("ready_to_start", "session_ended_awaiting_restart"):
            await self._agree(socket, message)

    async def _take_up(self, socket: ClientConnection, state: Message) -> None:
        """Go on from the state that a server sends to whoever connects."""
        seconds = (state.get("rules") or {}).get("turn_seconds", self._made_for[0])
        wanted = TURN_SECONDS if seconds is None else seconds, self.view.rules  # a table may have no clock
        if wanted != self._made_for:
            self._made_for = wanted
            await asyncio.get_running_loop().run_in_executor(self._search, self._make_agents, *wanted)
        session, phase = state.get("session_id"), state.get("phase")
        if phase == "session_over" and session is not None and session == self._session:
            self._count(state["session_result"])  # it ended while the connection was lost
        elif phase in ("playing", "hand_over"):
            self._session = session
        if phase == "ready":  # a rematch is asked for when the server says that it may be
            await self._agree(socket, state)

    def _count(self, end: Message) -> None:
        """A session is over."""
        self._session = None
        self.results.append(end)
        logger.info("session %d: %s", len(self.results), end)

    async def _agree(self, socket: ClientConnection, message: Message) -> None:
        """Ask for the next session, once."""
        ready = message.get("ready")
        if ready is not None and self.view.seat is not None and ready[self.view.seat]:
            return
        if not self.is_finished() and self._agreed_to != len(self.results):
            self._agreed_to = len(self.results)
            await socket.send('{"type":"game_start"}')

    async def _answer_deal(
        self, socket: ClientConnection, deal: Message, limit: asyncio.Future[float]
    ) -> None:
        try:
            placement = await self._decide(deal, limit)
        except ValueError as error:  # an agent or a server that breaks the rules: answer all the same
            logger.warning("no agent can answer (%s); the first free slots instead", error)
            placement = self.view.anything()
        self.view.sent = placement
        await socket.send(json.dumps(place_message(placement, deal.get("sequence"))))

    async def _decide(self, deal: Message, limit: asyncio.Future[float]) -> ofc_env.Placement:
        """The agent's placement, or a quick one when its time is up or it fails."""
        loop = asyncio.get_running_loop()
        known = self.view.information()
        if len(deal["cards"]) > 5:
            return await loop.run_in_executor(self._quick, agent_setting, self.agent, known)
        started = loop.time()
        search = loop.run_in_executor(self._search, lambda: choose_placement(self.agent, known))
        either: list[asyncio.Future[Any]] = [search, limit]
        await asyncio.wait(either, timeout=0.5, return_when=asyncio.FIRST_COMPLETED)
        seconds = limit.result() if limit.done() else TURN_SECONDS
        remaining = seconds * (1 - RESERVE) - (loop.time() - started)
        await asyncio.wait([search], timeout=max(0.0, remaining))
        if search.done() and search.exception() is None:
            return search.result()
        why = search.exception() if search.done() else f"no answer in {seconds:.0f} s"
        logger.warning("%s: %s; a quick answer instead", self.agent_name, why)
        return await loop.run_in_executor(self._quick, choose_placement, self.quick_agent, known)

    async def _place_anything(self, socket: ClientConnection, message: Message) -> None:
        """A placement was refused: the first free slots will do, once."""
        logger.warning("the server refused a placement: %s", message.get("message"))
        deal = self.view.deal
        if self._retried or deal is None or message.get("code") in ("stale", "not_now"):
            return
        self._retried = True
        self.view.sent = self.view.anything()
        await socket.send(json.dumps(place_message(self.view.sent, deal.get("sequence"))))


def parse_arguments(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        "python -m agents.live_player",
        description="Seat an agent at a live table, as a client like any other.",
        epilog="examples:\n"
        "  python -m agents.live_player --room 5fXw0Lk-a3Q            join a room of this machine's server\n"
        "  python -m agents.live_player --agent pimc --level expert   open a room and wait there\n"
        "  python -m agents.live_player --server https://play.example.org --room 5fXw0Lk-a3Q --sessions 0",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--server", default="http://127.0.0.1:8000", help="address of the server (default %(default)s)")
    add("--room", help="room to join (default: open one and print its id)")
    add("--agent", help="who plays, by its agents.make name, my_module:MyAgent too (default: the level's)")
    add(
        "--level",
        default=levels.DEFAULT_LEVEL,
        type=levels.renamed,
        choices=list(levels.LEVELS),
        help="default %(default)s",
    )
    add("--name", help="name to show (default: the agent's)")
    add("--sessions", type=int, default=1, help="sessions to play, 0 for no end (default %(default)s)")
    add("--player-id", help="with --token: take up a seat that was given before")
    add("--token", help="the secret of that seat")
    add("--verbose", action="store_true", help="also log results as they come")
    return parser.parse_args(arguments)


def agent_for(options: argparse.Namespace, rules: Rules | None = None) -> str:
    """Who plays: the level's agent, the one that is named, or a class of one's own, for some rules."""
    if options.agent is not None and ":" in agents.parse_name(options.agent)[0]:
        agents.make(options.agent, rules)  # what is no class is refused before a seat is taken
        return str(options.agent)
    return levels.agent_of(options.level, options.agent, rules)


def main(arguments: list[str] | None = None) -> int:
    """Play as the command line says."""
    options = parse_arguments(arguments)
    logging.basicConfig(level=logging.INFO if options.verbose else logging.WARNING, format="%(message)s")
    try:
        import websockets  # noqa: F401 - so that nobody joins a room and cannot come
    except ModuleNotFoundError:
        sentence = "websockets is not installed: pip install 'ofc-env[server]'"
        print(f"python -m agents.live_player: {sentence}", file=sys.stderr)
        return 2
    try:
        agent = agent_for(options)  # until the table tells other rules
        if options.token is not None:
            if options.room is None or options.player_id is None:
                raise ValueError("--token holds a seat only together with --room and --player-id")
            ticket = Ticket(options.server, options.room, options.player_id, options.token)
        else:
            ticket = take_seat(options.server, options.room, options.name or agent)
        print(f"{agent} plays {ticket.player_id} of room {ticket.room_id} at {ticket.server}", flush=True)
        results = asyncio.run(LivePlayer(ticket, partial(agent_for, options), options.sessions).run())
    except ValueError as refusal:
        print(f"python -m agents.live_player: {refusal}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    for number, result in enumerate(results, 1):
        print(f"session {number}: seat {result['winner']} won {result['final_chips']} ({result['reason']})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
