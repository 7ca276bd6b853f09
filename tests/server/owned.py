"""People with tokens, their requests, and sessions that they have played."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

import httpx

from tests.server.bots import Bot, agent_chooser, play_pair
from tests.server.live import PATIENCE, LiveServer, join, run

SEED = 5_000_000_000_000
ANN, BOB, EVE = (name + secrets.token_urlsafe(24) for name in ("ann", "bob", "eve"))


def ask(server: LiveServer, path: str, player: str | None = None, method: str = "GET", **headers: str) -> Any:
    """A request of somebody: the whole answer."""
    if player is not None:
        headers["X-Player-Token"] = player
    return httpx.request(method, server.url + path, headers=headers, timeout=PATIENCE)


def play_session(
    server: LiveServer, seed: int, players: tuple[str | None, str | None] = (ANN, BOB), sessions: int = 1
) -> list[str]:
    """Sessions between two people at one table, played to their ends: the ids."""
    ids: list[str] = []

    async def scenario() -> None:
        tickets = await asyncio.to_thread(server.open_pair, players, seed=seed, name="Ann")
        bots = [Bot(await join(server, ticket), agent_chooser("heuristic")) for ticket in tickets]
        await play_pair(bots, sessions)
        ids.extend(bots[0].starts)
        for bot in bots:
            await bot.client.socket.close()

    run(scenario)
    return ids
