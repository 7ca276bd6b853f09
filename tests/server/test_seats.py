"""Seats and consent: who may be sent away, what is waited for, and what a `game_start` agrees to."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
import pytest

from agents.levels import quick_agent
from agents.live_player.view import place_message
from ofc_env import Hand, Placement, Session, solve_fantasyland
from server.play.game import AUTOMATIC
from server.play.seats import new_word
from server.play.table import Table, automatic_placement
from server.thinking.client import Choice
from tests.server.bots import Bot, agent_chooser, play_pair
from tests.server.live import PATIENCE, Client, LiveServer, begin, join, run, run_server
from tests.server.test_table import fantasyland_session

SEED = 1_500_000_000_000
GAME_START = {"type": "game_start"}
FREE_SEAT = {"type": "free_seat"}


@pytest.fixture(scope="module")
def server():
    with run_server(turn_seconds=60.0) as running:
        yield running


# -------------------------------------------------------------------- seats that are freed


def test_the_host_takes_a_seat_back(server: LiveServer):
    async def scenario() -> None:
        tickets = server.open_pair(name="Ann")
        room_id = tickets[0]["room_id"]
        host, guest = [await join(server, ticket) for ticket in tickets]
        await guest.until("ready_to_start")
        await guest.send(FREE_SEAT)
        assert (await guest.until("error"))["code"] == "refused"  # only who opened the room
        await host.send(FREE_SEAT)
        assert (await guest.until("error"))["code"] == "freed"
        assert await guest.close_code() == 4403
        await host.until("waiting_for_opponent")
        again = await join(server, tickets[1])
        assert await again.close_code() == 4403  # the token is worth nothing now
        assert server.get(f"/api/rooms/{room_id}")["names"] == ["Ann", None]
        await host.send(FREE_SEAT)
        assert (await host.until("error"))["code"] == "not_now"
        friend = await join(server, server.post(f"/api/rooms/{room_id}/join", name="Bob"))
        for client in (host, friend):
            await client.until("ready_to_start")
            await client.send(GAME_START)
        await friend.until("session_start")
        await host.send(FREE_SEAT)
        assert (await host.until("error"))["code"] == "not_now"  # not in the middle of a session
        for client in (host, friend):
            await client.socket.close()

    run(scenario)


@pytest.mark.parametrize("rematch_pause", [0.0, 0.3])
def test_a_seat_freed_after_a_session_begins_the_room_anew(tmp_path: Path, rematch_pause: float):
    async def scenario(server: LiveServer) -> None:
        tickets = server.open_pair(name="Ann", seed=SEED + 3)
        room_id = tickets[0]["room_id"]
        bots = [Bot(await join(server, ticket), agent_chooser("heuristic")) for ticket in tickets]
        await play_pair(bots)
        host, guest = (bot.client for bot in bots)
        await host.send(FREE_SEAT)
        assert (await guest.until("error"))["code"] == "freed"
        assert await guest.close_code() == 4403
        await host.until("waiting_for_opponent")
        await asyncio.sleep(2 * rematch_pause)  # nothing of the session that has ended comes any more
        friend = await join(server, server.post(f"/api/rooms/{room_id}/join", name="Bob"))
        state = await friend.until("state")
        assert (state["phase"], state["session_id"]) == ("ready", None)
        assert "last_result" not in state
        for client in (host, friend):
            await client.until("ready_to_start")
            await client.send(GAME_START)
        start = await friend.until("session_start")
        assert (start["names"], start["session_id"] != bots[0].starts[0]) == (["Ann", "Bob"], True)
        for client in (host, friend):
            await client.socket.close()

    database = tmp_path / "log.db"
    with run_server(database, hand_pause=0.0, rematch_pause=rematch_pause) as server:
        run(lambda: scenario(server))


def test_the_seat_of_the_machine_cannot_be_freed(server: LiveServer):
    async def scenario() -> None:
        client = await join(server, server.post("/api/rooms", mode="ai", agent="random"))
        await client.send(FREE_SEAT)
        assert (await client.until("error"))["code"] == "refused"
        await client.socket.close()

    run(scenario)


def test_rooms_and_seats_that_nobody_comes_to_are_freed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("server.play.lobby.SWEEP_SECONDS", 0.05)
    with run_server(tmp_path / "log.db", unused_seconds=3600.0) as server:

        def wait_an_hour() -> None:
            for room in list(server.lobby.rooms.values()):
                room.opened_at -= 3601.0
                for seat in room.audience.seats:
                    seat.seated_at -= 3601.0

        async def scenario() -> None:
            never = server.post("/api/rooms", mode="friend")
            kept = server.post("/api/rooms", mode="friend")
            host = await join(server, kept)
            await host.until("state")
            squatter = server.post(f"/api/rooms/{kept['room_id']}/join", name="Squatter")
            wait_an_hour()
            while server.get(f"/api/rooms/{kept['room_id']}")["seats_free"] == 0:
                await asyncio.sleep(0.05)
            assert never["room_id"] not in server.lobby.rooms
            assert (
                httpx.get(f"{server.url}/api/rooms/{never['room_id']}", timeout=PATIENCE).status_code == 404
            )
            late = await join(server, squatter)
            assert await late.close_code() == 4403
            friend = await join(server, server.post(f"/api/rooms/{kept['room_id']}/join"))
            await friend.until("ready_to_start")
            await friend.socket.close()
            never = server.post("/api/rooms", mode="friend")
            wait_an_hour()
            while never["room_id"] in server.lobby.rooms:
                await asyncio.sleep(0.02)
            # Who has been there keeps the seat.
            assert server.get(f"/api/rooms/{kept['room_id']}")["seats_free"] == 0
            await host.socket.close()

        run(scenario)
    with run_server(tmp_path / "log.db") as server:  # and the log knows it
        assert [room.audience.seats[1].name for room in server.lobby.rooms.values()] == ["Player 2"]


# -------------------------------------------------------------------- consent


def test_consent_given_while_a_seat_is_empty_is_kept(server: LiveServer):
    async def scenario() -> None:
        first = server.post("/api/rooms", mode="friend")
        host = await join(server, first)
        await host.until("waiting_for_opponent")
        await host.send(GAME_START)
        await host.until("waiting_for_opponent")  # heard
        friend = await join(server, server.post(f"/api/rooms/{first['room_id']}/join"))
        assert (await friend.until("ready_to_start"))["ready"] == [True, False]
        await friend.send(GAME_START)
        for client in (host, friend):
            await client.until("session_start")
            await client.socket.close()

    run(scenario)


def test_consent_to_another_hand_is_no_rematch():
    with run_server(turn_seconds=60.0, rematch_pause=3.0) as server:

        async def scenario() -> None:
            ticket = server.post("/api/rooms", mode="ai", agent="random", seed=SEED)
            bot = Bot(await join(server, ticket), agent_chooser("heuristic"))
            while (await bot.step())["type"] != "session_end":
                pass
            session = bot.starts[-1]
            await bot.send(GAME_START)  # as one who has seen only the hand_end
            assert (await bot.client.until("error"))["code"] == "not_now"
            room = server.lobby.rooms[ticket["room_id"]]
            assert room.game.current is not None
            assert room.game.current.session_id == session
            assert (await bot.client.until("session_ended_awaiting_restart"))["ready"] == [False, True]
            await bot.send(GAME_START)
            assert (await bot.client.until("session_start"))["session_id"] != session
            await bot.client.socket.close()

        run(scenario)


# -------------------------------------------------------------------- who really placed


def test_what_a_substitute_plays_is_said_at_the_table_and_in_the_log(server: LiveServer, monkeypatch):
    """The agent's own choice, a quick one's, none at all, and one that is illegal."""
    hand_number = [0]

    async def choose(seat: str, agent: str, hand_id: str, hand: Hand, seconds: float) -> Choice | None:
        hand_number[0] += 1
        good = automatic_placement(hand)
        answers = [Choice(good), Choice(good, quick_agent()), None, Choice(Placement(top="Ah"))]
        return answers[(hand_number[0] - 1) % 4]

    monkeypatch.setattr(server.lobby.thinking, "choose", choose)

    async def scenario() -> None:
        ticket = server.post("/api/rooms", mode="ai", agent="random", seed=SEED + 1)
        client = await join(server, ticket)
        await client.until("ready_to_start")
        await client.send(GAME_START)
        session = (await client.until("session_start"))["session_id"]
        told: list[str | None] = []
        while (message := await client.next())["type"] != "hand_end":
            if message["type"] == "deal":
                cards = server.lobby.rooms[ticket["room_id"]].game.current
                assert cards is not None
                await client.send(place_message(automatic_placement(cards.table.hand)))
            elif message["type"] == "opponent_placed":
                told.append(message["substitute"])
                assert message["timeout"] is False
            elif message["type"] == "placed":
                assert message["substitute"] is None
        assert told == [None, quick_agent(), AUTOMATIC, AUTOMATIC, None]
        log = server.get(f"/api/games/{session}/log")
        times = [line["think_time_ms"] for line in log["hands"][0]["turns"] if line["player"] == "random"]
        assert [time < 0 for time in times] == [name is not None for name in told]
        await client.socket.close()

    run(scenario)


# -------------------------------------------------------------------- what the state says between hands


def test_the_state_between_hands_is_that_of_the_hand_that_ended():
    table = Table(fantasyland_session())
    number, widths, button = table.session.hands_played + 1, table.hand.fantasyland, table.session.button
    assert any(widths)
    while table.session.hands_played < number:
        hand = table.hand
        placement = solve_fantasyland(hand.dealt).placement if hand.in_fantasyland else hand.placements()[-1]
        table.accept(table.try_placement(placement))
    view = table.view(0, between_hands=True)
    assert (view["hand_number"], view["fantasyland"], view["btn"]) == (number, widths, button)


def test_the_state_before_the_first_hand_shows_none():
    view = Table(Session(3, auto_fantasyland=False)).view(0, between_hands=True)
    assert (view["hand_number"], view["fantasyland"], view["last_result"]) == (0, [0, 0], None)


def test_a_session_that_ended_is_shown_to_who_comes_back(server: LiveServer):
    async def scenario() -> None:
        first, second, tickets = await begin(server, seed=SEED + 2)
        for client in (first, second):
            await client.socket.close()
        bots = [Bot(await join(server, ticket), agent_chooser("heuristic")) for ticket in tickets]
        await play_pair(bots)
        back: Client = await join(server, tickets[0])
        state = await back.until("state")
        assert state["session_result"] == bots[0].ends[0]
        assert state["last_result"]["scoop"] in (None, 0, 1)
        assert state["chips"] == state["last_result"]["chips"]
        for client in (back, bots[1].client):
            await client.socket.close()

    run(scenario)


def test_words_can_stand_on_a_command_line(monkeypatch):
    words = iter(["-begins-with-a-dash", "--", "good-word"])
    monkeypatch.setattr("secrets.token_urlsafe", lambda size: next(words))
    assert new_word(8) == "good-word"
