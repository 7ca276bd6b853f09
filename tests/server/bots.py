"""Bots that play over raw clients and keep every frame; the same agents in the engine, for comparison."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

import agents
from agents.live_player.view import SeatView, place_message
from agents.turns import choose_placement, play_turn, set_fantasyland
from ofc_env import Placement, Rules, parse_cards
from tests.server.live import PATIENCE, Client, Message
from tests.server.mirror import Mirror

Chooser = Callable[[SeatView, Message], Placement]


def agent_chooser(name: str, rules: str | None = None) -> Chooser:
    """Play as an agent does."""
    agent = agents.make(name, rules)

    def choose(view: SeatView, deal: Message) -> Placement:
        if len(deal["cards"]) > 5:
            return set_fantasyland(parse_cards(deal["cards"]), Rules.of(rules))
        return choose_placement(agent, view.information())

    return choose


class Bot:
    """Plays a seat; `acknowledged` are its placements that the server has confirmed, by sequence number."""

    def __init__(self, client: Client, choose: Chooser) -> None:
        self.client = client
        self.choose = choose
        self.view = SeatView()
        self.sent: list[str] = []
        self.acknowledged: dict[int, Placement] = {}
        self.results: list[Message] = []
        self.starts: list[str] = []
        self.ends: list[Message] = []
        self.agreed_to: int | None = None

    async def send(self, message: Message) -> None:
        """Send, and remember what was sent."""
        self.sent.append(json.dumps(message))
        await self.client.send(self.sent[-1])

    async def play(self, sessions: int = 1, seconds: float = PATIENCE) -> None:
        """Play until so many sessions have ended."""
        while len(self.ends) < sessions:
            await self.step(seconds)

    async def step(self, seconds: float = PATIENCE) -> Message:
        """Take one message in and do what it asks for."""
        message = await self.client.next(seconds)
        before, sent = self.view.deal, self.view.sent
        self.view.hear(message)
        kind = message["type"]
        assert kind != "error", message
        if kind == "deal":
            self.view.sent = self.choose(self.view, message)
            await self.send(place_message(self.view.sent, message["sequence"]))
        elif kind == "placed" and message["seat"] == self.view.seat and sent is not None:
            assert before is not None
            assert before["sequence"] == message["sequence"]
            self.acknowledged[message["sequence"]] = sent
        elif kind in ("ready_to_start", "session_ended_awaiting_restart"):
            assert self.view.seat is not None
            if not message["ready"][self.view.seat] and self.agreed_to != len(self.ends):
                self.agreed_to = len(self.ends)
                await self.send({"type": "game_start"})
        elif kind == "session_start":
            self.starts.append(message["session_id"])
        elif kind == "hand_end":
            self.results.append(message["result"])
            if message["next_hand_seconds"]:
                await self.send({"type": "game_start"})
        elif kind == "session_end":
            self.ends.append(message)
        return message


async def watch(client: Client) -> None:
    """Keep what a spectator is sent until the session has ended."""
    await client.until("session_end", seconds=4 * PATIENCE)


async def play_pair(bots: list[Bot], sessions: int = 1) -> None:
    """Play both seats to the end."""
    await asyncio.gather(*(bot.play(sessions) for bot in bots))


def play_in_engine(seed: int, names: tuple[str, str], rules: str | None = None) -> Mirror:
    """The session that these agents play where there is no server."""
    mirror = Mirror(seed, Rules.of(rules))
    players = [agents.make(name, rules) for name in names]
    while not mirror.session.finished:
        hand = mirror.session.hand
        assert hand.player is not None
        if hand.in_fantasyland:
            mirror.place(play_turn(players[hand.player], hand))
        else:
            mirror.place(choose_placement(players[hand.player], hand.information(hand.player)))
    return mirror
