"""People with tokens, their requests, and sessions that they have played."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from functools import cache
from typing import Any

import httpx

from agents.review import Effort, Judge, logged_hand, review_hands
from agents.review.report import VERSION
from ofc_env import Rules
from ofc_env.records import Records
from ofc_env.records.reviews import keep_review
from tests.server.bots import Bot, agent_chooser, play_pair
from tests.server.live import OPERATOR, PATIENCE, LiveServer, join, run

SEED = 5_000_000_000_000
QUICK = Effort(simulations=60, worlds=40, played_on=60, shown=3, boards=8, redeals=8, openings=16)
ANN, BOB, EVE = (name + secrets.token_urlsafe(24) for name in ("ann", "bob", "eve"))


def ask(server: LiveServer, path: str, player: str | None = None, method: str = "GET", **headers: str) -> Any:
    """A request of somebody: the whole answer."""
    if player is not None:
        headers["X-Player-Token"] = player
    return httpx.request(method, server.url + path, headers=headers, timeout=PATIENCE)


def play_session(
    server: LiveServer,
    seed: int,
    players: tuple[str | None, str | None] = (ANN, BOB),
    sessions: int = 1,
    agents: tuple[str, str] = ("heuristic", "heuristic"),
) -> list[str]:
    """Sessions between two people at one table who place as agents do, played to their ends: the ids."""
    ids: list[str] = []

    async def scenario() -> None:
        tickets = await asyncio.to_thread(server.open_pair, players, seed=seed, name="Ann")
        bots = [
            Bot(await join(server, ticket), agent_chooser(name))
            for ticket, name in zip(tickets, agents, strict=True)
        ]
        await play_pair(bots, sessions)
        ids.extend(bots[0].starts)
        for bot in bots:
            await bot.client.socket.close()

    run(scenario)
    return ids


def reviewed(
    server: LiveServer, game: str, player: str | None = None, seat: int | None = None
) -> dict[str, Any]:
    """Have a session or hand reviewed for a player, or else for the operator, and wait for it."""
    headers = OPERATOR if player is None else {}
    begun = ask(server, f"/api/reviews/{game}", player, "POST", **headers)
    assert begun.status_code == 202, begun.text
    wait_for_reviews(server, f"/api/reviews/{game}/progress", player)
    query = "" if seat is None else f"?seat={seat}"
    body: dict[str, Any] = server.get(f"/api/reviews/{game}{query}", player)
    return body


def review_quickly(server: LiveServer, session: str, but: tuple[int, ...] = ()) -> None:
    """Have the reviews of a session in its log, but of these hands, as if made with little effort."""
    log = server.lobby.journal.session_log(session)
    assert log is not None
    entries = [entry for entry in log["hands"] if entry["hand_number"] not in but]
    hands = [logged_hand(entry, Rules.parse(log["rules"])) for entry in entries]
    reviews = review_hands(hands, [0] * len(hands), quick_judge())
    with Records(server.lobby.journal.path, durable=False) as records:
        for entry, review in zip(entries, reviews, strict=True):
            keep_review(records, entry["hand_id"], VERSION, json.dumps(review.to_dict()))


@cache
def quick_judge() -> Judge:
    return Judge(effort=QUICK)


def wait_for_reviews(server: LiveServer, path: str, player: str | None = None) -> dict[str, Any]:
    """Wait until nothing is being reviewed any more; the progress, which never goes back."""
    limit, seen = time.monotonic() + 10 * PATIENCE, 0
    while time.monotonic() < limit:
        progress: dict[str, Any] = server.get(path, player)
        assert progress["reviewed"] >= seen
        seen = progress["reviewed"]
        if not progress["running"]:
            return progress
        time.sleep(0.2)
    raise AssertionError(f"still reviewing: {progress}")
