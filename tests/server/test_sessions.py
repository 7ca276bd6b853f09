"""Sessions over WebSocket are the engine's sessions, and no client is sent a card it may not know."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from agents.levels import agent_of
from ofc_env import Placement
from tests.server.bots import Bot, agent_chooser, play_in_engine, play_pair
from tests.server.live import Client, join, run, run_server
from tests.server.mirror import Mirror, scan

# The seeds are large, so that a seed in a message could not be mistaken for another number.
BASE = 7_000_000_000_000
PAIRS = [("heuristic", "heuristic"), ("random:seed=3", "heuristic"), ("pimc:rollouts=50", "random:seed=4")]


@pytest.fixture(scope="module")
def server():
    """One server for all of these."""
    with run_server(turn_seconds=60.0) as running:
        yield running


@pytest.mark.parametrize("seed", range(12))
def test_a_session_over_the_wire_is_the_engines_and_leaks_nothing(server, seed: int):
    names = PAIRS[seed % 3]
    mirror = play_in_engine(BASE + seed, names)

    async def scenario() -> None:
        tickets = server.open_pair(seed=BASE + seed)
        bots = [
            Bot(await join(server, ticket), agent_chooser(name))
            for ticket, name in zip(tickets, names, strict=True)
        ]
        spectator = await join(server, tickets[0]["room_id"])
        await play_pair(bots)
        await spectator.until("session_end")

        results = [result.to_dict() for result in mirror.session.history]
        for seat, bot in enumerate(bots):
            assert bot.results == results
            assert bot.ends[0]["winner"] == mirror.session.winner
            assert bot.ends[0]["final_chips"] == mirror.session.chips
            assert bot.ends[0]["hands_played"] == mirror.session.hands_played
            assert bot.ends[0]["reason"] == mirror.session.reason
            own = {number: turn.placement for number, turn in enumerate(mirror.turns, 1) if turn.seat == seat}
            assert bot.acknowledged == own
            assert scan(bot.client.frames, seat, mirror, bot.sent) > len(own)
        assert scan(spectator.frames, None, mirror, []) > mirror.session.hands_played
        for client in (*(bot.client for bot in bots), spectator):
            await client.socket.close()

    run(scenario)
    assert_log_is(server, mirror)


def assert_log_is(server, mirror: Mirror) -> None:
    """The log of the newest room's session has every turn that was played."""
    session_id = server.get("/api/rooms")["rooms"][0]["session_id"]
    log = server.get(f"/api/games/{session_id}/log")
    assert [hand["result"] for hand in log["hands"]] == [r.to_dict() for r in mirror.session.history]
    lines = [line for hand in log["hands"] for line in hand["turns"]]
    settings = [setting for hand in log["hands"] for setting in hand["fantasyland_settings"]]
    played = [turn for turn in mirror.turns if not turn.before.in_fantasyland]
    assert len(settings) == len(mirror.turns) - len(played)
    logged = Counter((line["hand_number"], line["turn"], placement_of(line)) for line in lines)
    number, numbers = 1, []
    for turn in mirror.turns:
        numbers.append(number)
        number += turn.result is not None
    expected = Counter(
        (number, turn.before.turn, turn.placement)
        for number, turn in zip(numbers, mirror.turns, strict=True)
        if not turn.before.in_fantasyland
    )
    assert logged == expected


def placement_of(line: dict) -> Placement:
    """The placement of a line of the export."""
    rows: dict[str, list[str]] = {"top": [], "middle": [], "bottom": []}
    for card, row in line["action"]["placements"]:
        rows[row].append(card)
    discard = line["action"]["discard"]
    return Placement(**rows, discards=[discard] if discard else [])


def test_both_players_reach_fantasyland_in_these_sessions():
    """The scan above means little if no board ever lay face down."""
    widths = [
        tuple(turn.before.fantasyland)
        for seed in range(12)
        for turn in play_in_engine(BASE + seed, PAIRS[seed % 3]).turns
        if turn.before.in_fantasyland
    ]
    assert len(widths) >= 5


@pytest.mark.parametrize("level", ["novice", "expert"])
def test_an_ai_room_plays_the_levels_agent_and_hides_its_cards(server, level: str):
    seed = BASE + 100
    mirror = play_in_engine(seed, ("heuristic", agent_of(level)))

    async def scenario() -> None:
        ticket = server.post("/api/rooms", mode="ai", level=level, seed=seed, name="Ann")
        assert ticket["room"]["names"] == ["Ann", f"AI ({level})"]
        bot = Bot(await join(server, ticket), agent_chooser("heuristic"))
        await bot.play(1)
        assert bot.results == [result.to_dict() for result in mirror.session.history]
        scan(bot.client.frames, 0, mirror, bot.sent)
        await bot.client.socket.close()

    run(scenario)


def test_a_rematch_in_the_same_room_is_a_new_session(server):
    seeds = [BASE + 40, BASE + 41]  # a room with a seed counts on from it
    mirrors = [play_in_engine(seed, ("heuristic", "heuristic")) for seed in seeds]

    async def scenario() -> None:
        tickets = server.open_pair(seed=seeds[0])
        bots = [Bot(await join(server, ticket), agent_chooser("heuristic")) for ticket in tickets]
        await play_pair(bots, sessions=2)
        for bot in bots:
            starts = [json.loads(frame) for frame in bot.client.frames if '"session_start"' in frame]
            assert len({start["session_id"] for start in starts}) == 2
            assert [end["final_chips"] for end in bot.ends] == [m.session.chips for m in mirrors]
            assert bot.results == [r.to_dict() for mirror in mirrors for r in mirror.session.history]
            await bot.client.socket.close()

    run(scenario)


def test_sessions_without_a_seed_are_all_different(server):
    async def scenario() -> None:
        deals = set()
        for _ in range(5):
            tickets = server.open_pair()
            clients: list[Client] = [await join(server, ticket) for ticket in tickets]
            for client in clients:
                await client.until("ready_to_start")
                await client.send({"type": "game_start"})
            for client in clients:
                start = await client.until("hand_start")
                if start["btn"] == start["your_seat"]:
                    deals.add(tuple((await client.until("deal"))["cards"]))
                await client.socket.close()
        assert len(deals) == 5

    run(scenario)
