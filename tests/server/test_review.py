"""The review of a finished session: it sees what the seat saw, and agrees with the agent that it asks."""

from __future__ import annotations

import httpx
import pytest

from agents.levels import REVIEWERS
from ofc_env import Rules
from server.play.journal import Journal
from server.thinking.review import seen
from tests.server.bots import Bot, agent_chooser, play_in_engine, play_pair
from tests.server.live import OPERATOR, PATIENCE, LiveServer, join, run, run_server

SEED = 2_000_000_000_000


@pytest.fixture(scope="module")
def server():
    with run_server(turn_seconds=60.0) as running:
        yield running


def play(server: LiveServer, tickets: list[dict], names: list[str]) -> str:
    """Play a session by these agents; its id."""
    session: list[str] = []

    async def scenario() -> None:
        bots = [
            Bot(await join(server, ticket), agent_chooser(name))
            for ticket, name in zip(tickets, names, strict=True)
        ]
        await play_pair(bots)
        session.append(bots[0].starts[0])
        for bot in bots:
            await bot.client.socket.close()

    run(scenario)
    return session[0]


def test_the_log_tells_what_the_seat_saw(server: LiveServer):
    names = ["heuristic", "random:seed=3"]
    fantasyland = 0
    for seed in range(SEED, SEED + 8):
        mirror = play_in_engine(seed, (names[0], names[1]))
        journal: Journal = server.lobby.journal
        log = journal.session_log(play(server, list(server.open_pair(seed=seed)), names))
        assert log is not None
        expected = [
            turn.before.information(seat)
            for seat in (0, 1)
            for turn in mirror.turns
            if turn.seat == seat and not turn.before.in_fantasyland
        ]
        found = [
            seen(line, seat, hand["fantasyland"][1 - seat], Rules.parse(log["rules"]))
            for seat in (0, 1)
            for hand in log["hands"]
            for line in hand["turns"]
            if line["is_btn"] == (hand["btn"] == seat)
        ]
        fantasyland += sum(any(hand["fantasyland"]) for hand in log["hands"])
        assert found == expected
    assert fantasyland > 0


def test_the_reviewer_finds_no_fault_with_its_own_play(server: LiveServer):
    session = play(server, list(server.open_pair(seed=SEED + 22)), ["random:seed=1", REVIEWERS[0]])
    log = server.get(f"/api/games/{session}/log")
    lines = [line for hand in log["hands"] for line in hand["turns"]]
    costs = []
    for seat in (0, 1):
        review = server.get(f"/api/games/{session}/review?seat={seat}")
        decisions = review["decisions"]
        assert review["agent"] == "alphazero:sims=500"
        assert len(decisions) == sum(line["player"] == log["players"][seat] for line in lines)
        assert all(each["cost"] >= 0 for each in decisions)
        assert all((each["cost"] == 0) or each["played"] != each["best"] for each in decisions)
        assert all(each["cost"] == 0 and not each["at_least"] for each in decisions if each["too_close"])
        costs.append(sum(each["cost"] for each in decisions) / len(decisions))
        if seat == 1:  # an opening is chosen in two searches, and may come out otherwise than in one
            assert all(each["played"] == each["best"] for each in decisions if each["turn"] > 0)
    assert costs[0] > 1.0 > costs[1]
    one = server.get(f"/api/games/{session}/review?seat=0&hand=1")["decisions"]
    assert {each["hand_number"] for each in one} == {1}


def test_what_cannot_be_reviewed_is_refused(server: LiveServer):
    for query, status in (("seat=0", 404), ("seat=2", 422), ("", 422), ("seat=0&hand=0", 422)):
        answer = httpx.get(
            f"{server.url}/api/games/nothing/review?{query}", headers=OPERATOR, timeout=PATIENCE
        )
        assert answer.status_code == status, query


def test_neither_a_hand_in_play_nor_a_turn_of_the_clock_is_reviewed():
    with run_server(turn_seconds=0.2) as server:

        async def scenario() -> None:
            ticket = server.post("/api/rooms", mode="ai", level="novice", seed=SEED, agent="random")
            client = await join(server, ticket)
            await client.until("ready_to_start")
            await client.send({"type": "game_start"})
            session = (await client.until("session_start"))["session_id"]
            path = f"/api/games/{session}/review?seat=0"
            assert server.get(path)["decisions"] == []
            await client.until("hand_end")
            assert server.get(path)["decisions"] == []

        run(scenario)
