"""Clocks: the automatic placement, pauses between hands, sleeping rooms, and agents that are too slow."""

from __future__ import annotations

import asyncio
import json
import signal
from typing import Any

import httpx
import pytest

from agents.levels import quick_agent
from agents.live_player.view import place_message
from agents.turns import set_against
from ofc_env import Hand, Placement
from server.play.audience import Clock
from server.play.table import automatic_placement
from server.protocol.messages import placement_body
from server.thinking.client import Thinking
from tests.server.live import (
    OPERATOR,
    PATIENCE,
    Client,
    LiveServer,
    begin,
    join,
    placement_message,
    run,
    run_server,
)
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
            lines = [line for line in lines if line["hand_number"] == 1]
            assert {line["think_time_ms"] for line in lines} == {-1}
            assert len(lines) == 10

        run(scenario)


def export_lines(server: Any) -> list[str]:
    """The export of a server."""
    return httpx.get(
        f"{server.url}/api/export?format=jsonl", headers=OPERATOR, timeout=PATIENCE
    ).text.splitlines()


def test_time_out_in_fantasyland_has_its_own_limit_and_shows_nothing():
    seed = fantasyland_seed()
    with run_server(turn_seconds=600.0, fantasyland_seconds=0.5) as server:

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


async def play_hand(server: LiveServer, **body: Any) -> list[Client]:
    """Play the first hand of a room with a person at each seat, to its end."""
    first, second, tickets = await begin(server, **body)
    clients = [first, second]
    for client in clients:
        await client.until("hand_start")
    room = server.lobby.rooms[tickets[0]["room_id"]]
    while room.game.phase == "playing":
        assert room.game.current is not None
        table = room.game.current.table
        assert table.player is not None
        client = clients[table.player]
        await client.send(place_message(automatic_placement(table.hand), table.sequence + 1))
        await client.until("placed")
    for client in clients:
        assert (await client.until("hand_end"))["next_hand_seconds"] == server.settings.hand_pause
    return clients


def test_the_next_hand_comes_after_the_pause_without_consent_of_all():
    with run_server(hand_pause=3.0, turn_seconds=600.0) as server:

        async def scenario() -> None:
            first, second = await play_hand(server, seed=SEED)
            await first.send({"type": "game_start"})
            assert sum((await second.until("hand_over"))["ready"]) == 1  # told that this is not enough
            for client in (first, second):
                assert (await client.until("hand_start"))["hand_number"] == 2

        run(scenario)


def test_the_next_hand_comes_at_once_when_all_consent():
    with run_server(hand_pause=600.0, turn_seconds=600.0) as server:

        async def scenario() -> None:
            clients = await play_hand(server, seed=SEED)
            for client in clients:
                await client.send({"type": "game_start"})
            for client in clients:
                assert (await client.until("hand_start"))["hand_number"] == 2

        run(scenario)


def test_the_next_hand_waits_for_who_reads_but_not_for_one_of_two() -> None:
    with run_server(hand_pause=0.5, turn_seconds=600.0) as server:

        async def against_a_machine() -> None:
            ticket = server.post("/api/rooms", mode="ai", agent="random", seed=SEED)
            client = await join(server, ticket)
            await client.send({"type": "wait"})
            assert (await client.until("error"))["code"] == "not_now"  # nothing to wait with
            await client.send({"type": "game_start"})
            while (message := await client.next())["type"] != "hand_end":
                if message["type"] == "deal":
                    await client.send(placement_message(server, ticket["room_id"]))
            assert message["next_hand_seconds"] == server.settings.hand_pause
            await client.send({"type": "wait"})
            assert (await client.until("hand_over"))["next_hand_seconds"] is None
            with pytest.raises(TimeoutError):
                await client.until("hand_start", seconds=1.5)
            await client.send({"type": "game_start"})
            assert (await client.until("hand_start"))["hand_number"] == 2

        async def against_a_person() -> None:
            first, _ = await play_hand(server, seed=SEED)
            await first.send({"type": "wait"})
            assert (await first.until("error"))["code"] == "not_now"
            assert (await first.until("hand_start"))["hand_number"] == 2

        run(against_a_machine)
        run(against_a_person)


def test_a_room_that_everybody_left_finishes_its_hand_and_sleeps():
    with run_server(turn_seconds=0.1) as server:

        async def scenario() -> None:
            first, second, tickets = await begin(server, seed=SEED)
            room = server.lobby.rooms[tickets[0]["room_id"]]
            await first.until("hand_start")  # before it the room is between hands, too
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


def test_a_clock_rings_once_at_the_last_deadline_that_it_was_given():
    async def scenario() -> None:
        clock, rung = Clock(), asyncio.Queue[tuple[str, float]]()

        def after(seconds: float, name: str) -> float:
            async def ring() -> None:
                rung.put_nowait((name, asyncio.get_running_loop().time()))

            clock.after(seconds, ring)
            assert clock.deadline is not None
            return clock.deadline

        after(0.05, "put off")
        after(600.0, "brought forward")
        await asyncio.sleep(0.2)
        deadline = after(0.05, "sooner")
        name, moment = await rung.get()
        assert (name, moment >= deadline - 1e-6) == ("sooner", True)
        after(0.05, "stopped")
        clock.stop()
        assert clock.seconds_left() is None
        await asyncio.sleep(0.2)
        after(0.05, "put off")
        deadline = after(0.2, "later")
        name, moment = await rung.get()
        assert (name, moment >= deadline - 1e-6) == ("later", True)
        after(0.05, "cancelled")
        clock.cancel_all()
        await asyncio.sleep(0.2)
        assert rung.empty()

    run(scenario)


# -------------------------------------------------------------------- agents that fail


def test_an_agent_that_fails_is_answered_for():
    """Unknown, broken, or with the thinking process gone: a quick one answers, and the next is heard."""

    async def scenario() -> None:
        thinking = Thinking(2)
        hand = Hand(seed=4)
        for name in ("no such agent", "pimc:rollouts=bad", "mcts-open"):
            choice = await thinking.choose("room/1", name, "hand", hand, seconds=PATIENCE)
            assert choice is not None
            assert choice.placement in hand.placements()
            assert choice.substitute == quick_agent()  # and it says who answered
        good = await thinking.choose("room/1", "random:seed=1", "hand", hand, seconds=PATIENCE)
        assert good is not None
        assert good.placement in hand.placements()
        assert good.substitute is None
        assert thinking._process is not None
        thinking._process.kill()
        await thinking._process.wait()
        assert await thinking.choose("room/1", "random:seed=1", "hand", hand, seconds=PATIENCE) == good
        await thinking.close()
        assert await thinking.choose("room/1", "random:seed=1", "hand", hand, seconds=PATIENCE) == good
        await thinking.close()

    run(scenario)


def test_a_fantasyland_is_set_as_the_seat_of_the_agent_wants_it():
    """By the option of its name, for the same boards that the agent would sample itself."""
    hand = next(
        hand
        for hand in (Hand(seed=seed, fantasyland=(14, 0)) for seed in range(50))
        if set_against(hand.information(0), 16) != set_against(hand.information(0), 0)
    )

    async def scenario() -> None:
        thinking = Thinking(2)
        for name, boards in (("heuristic", 0), ("heuristic:fantasyland_boards=16", 16), ("", 0)):
            choice = await thinking.choose("room/1", name, "hand", hand, seconds=PATIENCE)
            assert choice is not None
            assert choice.placement == set_against(hand.information(0), boards)
            assert choice.substitute is None
        await thinking.close()

    run(scenario)


def test_a_search_that_takes_too_long_is_not_waited_for():
    async def scenario() -> None:
        thinking = Thinking(3)
        hand = Hand(seed=4)
        await thinking.choose("warm", "heuristic", "hand", hand, seconds=PATIENCE)
        slow = "pimc:rollouts=100000000,seconds=6000"
        whole = asyncio.create_task(thinking.choose("room/1", slow, "hand", hand, seconds=6000.0))
        choice = await thinking.choose("room/2", slow, "hand", hand, seconds=2.0)
        assert choice is not None
        assert choice.placement in hand.placements()
        assert choice.substitute == quick_agent()
        # and nobody else waits for it
        quick = await thinking.choose("room/3", "heuristic", "hand", hand, seconds=PATIENCE)
        assert quick == await thinking.choose("room/4", "heuristic", "hand", hand, seconds=PATIENCE)
        assert not whole.done()
        whole.cancel()
        await thinking.close()

    run(scenario)


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="processes cannot be stopped on this system")
def test_no_answer_waits_for_the_machine_of_another_room():
    """While the thinking process does not answer at all, persons play and rooms open; then it goes on."""
    with run_server(turn_seconds=600.0, hand_pause=600.0) as server:

        async def scenario() -> None:
            ticket = await asyncio.to_thread(lambda: server.post("/api/rooms", mode="ai", agent="random"))
            person = await join(server, ticket)
            await person.until("ready_to_start")
            process = server.lobby.thinking._process
            assert process is not None
            process.send_signal(signal.SIGSTOP)
            try:
                await person.send({"type": "game_start"})
                await person.until("hand_start")
                game = server.lobby.rooms[ticket["room_id"]].game
                if (await person.until("timer_start"))["seat"] == 0:
                    await person.send(placement_message(server, ticket["room_id"]))
                    await person.until("timer_start")
                assert game.current is not None
                waited_for = game.current.table.sequence
                clients = await play_hand(server, seed=SEED)
                assert game.current.table.sequence == waited_for  # the machine has not answered
                await person.send(placement_message(server, ticket["room_id"]))
                assert (await person.until("error"))["code"] == "not_now"  # and its own room answers as well
                for client in clients:
                    await client.socket.close()
            finally:
                process.send_signal(signal.SIGCONT)
            assert (await person.until("opponent_placed"))["substitute"] is None
            await person.socket.close()

        run(scenario)
