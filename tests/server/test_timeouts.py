"""Clocks: the automatic placement, pauses between hands, sleeping rooms, and agents that are too slow."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import httpx

from agents.live_view import place_message
from ofc_env import Hand, Placement, solve_fantasyland
from server.messages import placement_body
from server.table import automatic_placement
from server.thinking import Thinking
from tests.server.live import Client, begin, join, run, run_server
from tests.server.mirror import Mirror, scan

SEED = 6_000_000_000_000


def fantasyland_seed() -> int:
    """A seed whose first hand, played as `lead_to_fantasyland` does, gives the button fantasyland."""
    for seed in range(SEED, SEED + 5000):
        mirror = Mirror(seed)
        while mirror.session.hands_played == 0:
            mirror.place(lead_to_fantasyland(mirror.session.hand))
        if any(mirror.session.fantasyland) and not all(mirror.session.fantasyland):
            return seed
    raise AssertionError("no seed leads to fantasyland")


def lead_to_fantasyland(hand: Hand) -> Placement:
    """A placement that likes high cards on top, the rest below."""

    def worth(placement: Placement) -> tuple[int, int]:
        return sum(card % 13 >= 10 or card >= 52 for card in placement.top), len(placement.bottom)

    return max(hand.placements(), key=worth)


def test_time_out_in_every_turn_of_a_hand_plays_the_prescribed_placements():
    with run_server(turn_seconds=0.15) as server:

        async def scenario() -> None:
            first, second, tickets = await begin(server, seed=SEED)
            mirror = Mirror(SEED)
            while mirror.session.hands_played == 0:
                mirror.place(automatic_placement(mirror.session.hand))
            clients = [first, second]
            for turn in mirror.turns:
                told = await clients[turn.seat].until("timeout")
                assert told["auto_placement"] == placement_body(turn.placement)
                assert (await clients[turn.seat].until("placed"))["timeout"] is True
                news = await clients[1 - turn.seat].until("opponent_placed")
                assert news["timeout"] is True
            for seat, client in enumerate(clients):
                end = await client.until("hand_end")
                assert end["result"] == mirror.session.history[0].to_dict()
                assert end["next_hand_seconds"] is None  # nobody is awake: the room waits
                scan(client.frames, seat, mirror, [])
            await asyncio.sleep(0.4)
            room = server.lobby.rooms[tickets[0]["room_id"]]
            assert room.game.phase == "hand_over"
            for client in clients:
                await client.send({"type": "game_start"})
            assert (await first.until("hand_start"))["hand_number"] == 2
            lines = [json.loads(line) for line in export_lines(server)]
            assert {line["think_time_ms"] for line in lines} == {-1}
            assert len(lines) == 10

        run(scenario)


def export_lines(server: Any) -> list[str]:
    """The export of a server."""
    return httpx.get(f"{server.url}/api/export?format=jsonl").text.splitlines()


def test_time_out_in_fantasyland_has_its_own_limit_and_shows_nothing():
    seed = fantasyland_seed()
    with run_server(turn_seconds=20.0, fantasyland_seconds=0.5) as server:

        async def scenario() -> None:
            first, second, _ = await begin(server, seed=seed)
            clients = [first, second]
            mirror = Mirror(seed)
            while mirror.session.hands_played == 0:
                hand = mirror.session.hand
                assert hand.player is not None
                placement = lead_to_fantasyland(hand)
                await clients[hand.player].until("deal")
                await clients[hand.player].send(place_message(placement))
                mirror.place(placement)
            hand = mirror.session.hand
            seat = hand.player
            assert seat is not None
            assert hand.in_fantasyland
            start = await clients[seat].until("hand_start")
            assert start["fantasyland"] == hand.fantasyland
            deal = await clients[seat].until("deal")
            assert len(deal["cards"]) == deal["fantasyland"] == hand.fantasyland[seat]
            assert (await clients[seat].until("timer_start"))["limit"] == 0.5
            told = await clients[seat].until("timeout")
            mirror.place(automatic_placement(hand))
            assert told["auto_placement"] == placement_body(mirror.turns[-1].placement)
            await clients[1 - seat].until("hand_start")
            news = await clients[1 - seat].until("opponent_placed")
            assert news["hidden"] is True
            assert news["opponent_board"] == {"top": [], "middle": [], "bottom": []}
            for viewer, client in enumerate(clients):
                scan(client.frames, viewer, mirror, [])

        run(scenario)


def test_the_next_hand_waits_for_consent_or_the_pause():
    with run_server(hand_pause=1.0, turn_seconds=30.0) as server:

        async def play_hand(clients: list[Client]) -> list[dict[str, Any]]:
            ends: list[dict[str, Any]] = []
            room = next(iter(server.lobby.rooms.values()))
            while room.game.phase == "playing":
                assert room.game.current is not None
                table = room.game.current.table
                assert table.player is not None
                client = clients[table.player]
                hand = table.hand
                placement = (
                    solve_fantasyland(hand.dealt).placement
                    if hand.in_fantasyland
                    else automatic_placement(hand)
                )
                await client.send(place_message(placement, table.sequence + 1))
                await client.until("placed")
            for client in clients:
                ends.append(await client.until("hand_end"))
            return ends

        async def scenario() -> None:
            first, second, _ = await begin(server, seed=SEED)
            clients = [first, second]
            for client in clients:
                await client.until("hand_start")
            ends = await play_hand(clients)
            assert {end["next_hand_seconds"] for end in ends} == {1.0}
            started = time.monotonic()
            await first.send({"type": "game_start"})
            assert sum((await second.until("hand_over"))["ready"]) == 1
            await first.until("hand_start")  # the other says nothing: the pause decides
            assert time.monotonic() - started > 0.5
            await second.until("hand_start")
            await play_hand(clients)
            started = time.monotonic()
            for client in clients:
                await client.send({"type": "game_start"})
            await first.until("hand_start")
            assert time.monotonic() - started < 0.8

        run(scenario)


def test_a_room_that_everybody_left_finishes_its_hand_and_sleeps():
    with run_server(turn_seconds=0.1) as server:

        async def scenario() -> None:
            first, second, tickets = await begin(server, seed=SEED)
            room = server.lobby.rooms[tickets[0]["room_id"]]
            await first.socket.close()
            await second.socket.close()
            while room.game.phase != "hand_over":
                await asyncio.sleep(0.05)
            await asyncio.sleep(0.5)
            assert room.game.phase == "hand_over"
            back = await join(server, tickets[0])
            assert (await back.until("state"))["phase"] == "hand_over"
            assert (await back.until("hand_start"))["hand_number"] == 2

        run(scenario)


# -------------------------------------------------------------------- agents that fail


def test_an_agent_that_fails_is_answered_for():
    """Unknown, broken, or with the thinking process gone: a quick one answers, and the next is heard."""

    async def scenario() -> None:
        thinking = Thinking(2)
        hand = Hand(seed=4)
        for name in ("no such agent", "pimc:rollouts=bad", "mcts-open"):
            placement = await thinking.choose("room/1", name, "hand", hand, seconds=20.0)
            assert placement in hand.placements()
        good = await thinking.choose("room/1", "random:seed=1", "hand", hand, seconds=20.0)
        assert good in hand.placements()
        assert thinking._process is not None
        thinking._process.kill()
        await thinking._process.wait()
        assert await thinking.choose("room/1", "random:seed=1", "hand", hand, seconds=20.0) == good
        await thinking.close()
        assert await thinking.choose("room/1", "random:seed=1", "hand", hand, seconds=20.0) == good
        await thinking.close()

    run(scenario)


def test_a_search_that_takes_too_long_is_not_waited_for():
    async def scenario() -> None:
        thinking = Thinking(2)
        hand = Hand(seed=4)
        await thinking.choose("warm", "heuristic", "hand", hand, seconds=30.0)
        started = time.monotonic()
        slow = "pimc:rollouts=100000000,seconds=20"
        placement = await thinking.choose("room/1", slow, "hand", hand, seconds=2.0)
        assert time.monotonic() - started < 2.0
        assert placement in hand.placements()
        # and nobody else waits for it
        started = time.monotonic()
        await thinking.choose("room/2", "heuristic", "hand", hand, seconds=10.0)
        assert time.monotonic() - started < 1.5
        await thinking.close()

    run(scenario)
