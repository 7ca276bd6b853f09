"""The agent as a client: the same observations, in time, through lost connections and refusals."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from websockets.asyncio.server import ServerConnection, serve

import agents
from agents.base import Agent, Observation
from agents.live_player import LivePlayer, Ticket, take_seat
from agents.live_player import player as live_player
from agents.live_player.view import SeatView, place_message
from ofc_env import Placement, Rules
from tests.server.bots import Bot, agent_chooser, play_in_engine, play_pair
from tests.server.live import PATIENCE, LiveServer, join, run, run_server

SEED = 4_000_000_000_000


@pytest.fixture(scope="module")
def server():
    with run_server(turn_seconds=600.0) as running:
        yield running


def ticket_of(server: LiveServer, body: dict[str, Any]) -> Ticket:
    """A seat from the answer of the server."""
    return Ticket(server.url, body["room_id"], body["player_id"], body["token"])


def test_the_view_from_messages_is_the_engines_observation(server: LiveServer):
    mirror = play_in_engine(SEED, ("heuristic", "random:seed=1"))
    expected: list[list[np.ndarray]] = [[], []]
    for turn in mirror.turns:
        if not turn.before.in_fantasyland:
            expected[turn.seat].append(turn.before.observation(turn.seat))
    seen: list[list[np.ndarray]] = [[], []]

    def recording(seat: int, name: str) -> Callable[..., Placement]:
        choose = agent_chooser(name)

        def choose_and_record(view: SeatView, deal: dict[str, Any]) -> Placement:
            if len(deal["cards"]) <= 5:
                seen[seat].append(view.information().observation())
            return choose(view, deal)

        return choose_and_record

    async def scenario() -> None:
        tickets = server.open_pair(seed=SEED)
        names = ("heuristic", "random:seed=1")
        bots = [
            Bot(await join(server, ticket), recording(seat, names[seat]))
            for seat, ticket in enumerate(tickets)
        ]
        await play_pair(bots)
        for bot in bots:
            await bot.client.socket.close()

    run(scenario)
    for seat in (0, 1):
        assert len(seen[seat]) == len(expected[seat])
        for mine, engine in zip(seen[seat], expected[seat], strict=True):
            np.testing.assert_array_equal(mine, engine)


def test_two_live_players_play_the_engines_sessions(server: LiveServer):
    seeds = (SEED + 10, SEED + 11)
    mirrors = [play_in_engine(seed, ("heuristic", "pimc:rollouts=30")) for seed in seeds]

    async def scenario() -> None:
        tickets = server.open_pair(seed=seeds[0])
        players = [
            LivePlayer(ticket_of(server, body), agent, sessions=2)
            for body, agent in zip(tickets, ("heuristic", "pimc:rollouts=30"), strict=True)
        ]
        results = await asyncio.gather(*(player.run() for player in players))
        for result in results:
            assert [end["final_chips"] for end in result] == [mirror.session.chips for mirror in mirrors]

    run(scenario)


def test_live_players_play_at_a_table_without_a_clock(server: LiveServer):
    mirror = play_in_engine(SEED + 12, ("heuristic", "random:seed=1"))

    async def scenario() -> None:
        tickets = server.open_pair(seed=SEED + 12, clock="none")
        players = [
            LivePlayer(ticket_of(server, body), agent)
            for body, agent in zip(tickets, ("heuristic", "random:seed=1"), strict=True)
        ]
        for result in await asyncio.gather(*(player.run() for player in players)):
            assert [end["final_chips"] for end in result] == [mirror.session.chips]

    run(scenario)


def test_a_live_player_sets_fantasyland_against_boards(server: LiveServer):
    """As the option of its name says: the chips at the end are those of the engine's session."""
    names = ("heuristic:fantasyland_boards=16", "heuristic")

    def final_chips(seed: int, players: tuple[str, str]) -> list[int]:
        return list(play_in_engine(seed, players).session.chips)

    seeds = range(SEED + 100, SEED + 200)
    seed = next(seed for seed in seeds if final_chips(seed, names) != final_chips(seed, (names[1],) * 2))

    async def scenario() -> None:
        players = [
            LivePlayer(ticket_of(server, body), agent)
            for body, agent in zip(server.open_pair(seed=seed), names, strict=True)
        ]
        for result in await asyncio.gather(*(player.run() for player in players)):
            assert [end["final_chips"] for end in result] == [final_chips(seed, names)]

    run(scenario)


def test_live_players_wait_until_a_rematch_can_be_asked_for():
    with run_server(turn_seconds=600.0, rematch_pause=0.5) as server:

        async def scenario() -> None:
            tickets = server.open_pair(seed=SEED + 12)
            players = [LivePlayer(ticket_of(server, body), "random", sessions=2) for body in tickets]
            for results in await asyncio.gather(*(player.run() for player in players)):
                assert len(results) == 2

        run(scenario)


def test_a_live_player_comes_back_after_lost_connections(server: LiveServer, monkeypatch):
    monkeypatch.setattr(live_player, "FIRST_DELAY", 0.05)
    mirror = play_in_engine(SEED + 24, ("heuristic", "heuristic"))
    assert len(mirror.turns) > 20

    async def scenario() -> None:
        tickets = server.open_pair(seed=SEED + 24)
        room = server.lobby.rooms[tickets[0]["room_id"]]
        players = [LivePlayer(ticket_of(server, body), "heuristic") for body in tickets]
        tasks = [asyncio.create_task(player.run()) for player in players]
        for cut in range(6):
            seat = room.audience.seats[cut % 2]
            while room.game.current is None or room.game.current.table.sequence < 3 * cut:
                await asyncio.sleep(0.001)
            while (connection := seat.connection) is None:
                await asyncio.sleep(0.001)
            assert room.game.phase != "session_over"
            assert connection._writer is not None
            connection._writer.get_loop().call_soon_threadsafe(connection.close, 1012)
            while seat.connection is connection:
                await asyncio.sleep(0.001)
        for task in tasks:
            assert (await task)[0]["final_chips"] == mirror.session.chips

    run(scenario)


def test_a_session_that_ends_while_the_connection_is_lost_is_counted(monkeypatch):
    monkeypatch.setattr(live_player, "FIRST_DELAY", 0.01)
    end = {"winner": 1, "final_chips": [160, 240], "hands_played": 3, "reason": "chip_gap"}
    connections: list[ServerConnection] = []
    received: list[dict[str, Any]] = []

    async def forgetful_server(socket: ServerConnection) -> None:
        connections.append(socket)
        state = {"type": "state", "your_seat": 0, "session_id": "s", "ready": [False, False]}
        if len(connections) == 1:
            await socket.send(json.dumps({**state, "phase": "playing"}))
            await socket.close(1012)
            return
        await socket.send(json.dumps({**state, "phase": "session_over", "session_result": end}))
        received.extend([json.loads(text) async for text in socket])

    async def scenario() -> None:
        async with serve(forgetful_server, "127.0.0.1", 0) as running:
            port = next(iter(running.sockets)).getsockname()[1]
            player = LivePlayer(Ticket(f"http://127.0.0.1:{port}", "r", "p0", "t"), "heuristic")
            assert await player.run() == [end]

    run(scenario)
    assert received == []  # no rematch was asked for


def test_who_is_turned_away_again_and_again_comes_back_less_and_less(monkeypatch):
    monkeypatch.setattr(live_player, "FIRST_DELAY", 0.01)
    connections: list[ServerConnection] = []

    async def full_server(socket: ServerConnection) -> None:
        connections.append(socket)
        await socket.send(json.dumps({"type": "error", "message": "this server is full", "code": "refused"}))
        await socket.close(4404 if len(connections) == 5 else 4429)

    async def scenario() -> None:
        async with serve(full_server, "127.0.0.1", 0) as running:
            port = next(iter(running.sockets)).getsockname()[1]
            player = LivePlayer(Ticket(f"http://127.0.0.1:{port}", "r", "p0", "t"), "heuristic")
            with pytest.raises(ValueError, match="no such room"):
                await player.run()
            assert player._delay == pytest.approx(16 * 0.01)  # doubled each time

    run(scenario)


def test_the_search_is_given_the_time_that_the_server_gives(monkeypatch):
    asked: list[float] = []
    make_timed = live_player.levels.make_timed

    def make(name: str, seconds: float, rules: Rules) -> Agent:
        if seconds != 1.0:  # the quick agent's
            asked.append(seconds)
        return make_timed(name, seconds, rules)

    monkeypatch.setattr(live_player.levels, "make_timed", make)
    with run_server(turn_seconds=6.0) as server:

        async def scenario() -> None:
            tickets = server.open_pair(seed=SEED + 50)
            players = [LivePlayer(ticket_of(server, body), "heuristic") for body in tickets]
            asked.clear()
            await asyncio.gather(*(player.run() for player in players))
            assert asked == pytest.approx([2.1, 2.1])  # two choices, and 30 % to spare

        run(scenario)


class SlowAgent(Agent):
    """Thinks longer than the time limit allows."""

    def act(self, observation: Observation) -> int:
        """A legal slot, much too late."""
        time.sleep(4.4)
        return int(np.flatnonzero(observation["action_mask"])[0])


def test_a_slow_agent_is_answered_for_in_time(monkeypatch):
    monkeypatch.setattr(live_player.levels, "make_timed", lambda name, seconds, rules: make(name))
    monkeypatch.setattr(live_player, "RESERVE", 0.75)  # of four seconds, so that a busy machine keeps it

    def make(name: str) -> Agent:
        return SlowAgent() if name == "slow" else agents.make(name)

    with run_server(turn_seconds=4.0, hand_pause=0.0) as server:

        async def scenario() -> None:
            tickets = server.open_pair(seed=SEED + 30)
            names = ("slow", "random")
            players = [LivePlayer(ticket_of(server, body), name) for body, name in zip(tickets, names)]
            tasks = [asyncio.create_task(player.run()) for player in players]
            room = server.lobby.rooms[tickets[0]["room_id"]]
            while room.game.current is None or room.game.current.table.session.hands_played < 1:
                await asyncio.sleep(0.05)
            for task in tasks:
                task.cancel()
            log = server.get(f"/api/games/{room.game.current.session_id}/log")
            times = [turn["think_time_ms"] for turn in log["hands"][0]["turns"]]
            assert len(times) == 10
            assert -1 not in times

        run(scenario)


def test_a_wrong_token_ends_the_player_at_once(server: LiveServer):
    async def scenario() -> None:
        first, _ = server.open_pair()
        with pytest.raises(ValueError, match="token"):
            await LivePlayer(Ticket(server.url, first["room_id"], "p0", "wrong"), "random").run()

    run(scenario)


def test_a_plain_server_of_the_protocol_is_enough():
    """No acknowledgement, no state, no sequence numbers: only the messages of the contract, one a refusal."""
    received: list[dict[str, Any]] = []
    boards: list[dict[str, list[str]]] = [
        {"top": [], "middle": [], "bottom": []},
        {"top": [], "middle": [], "bottom": ["4h", "4d", "4c", "4s", "5c"]},
        {"top": [], "middle": ["6h", "6d"], "bottom": ["4h", "4d", "4c", "4s", "5c"]},
        {"top": [], "middle": ["6h", "6d", "6c", "7c"], "bottom": ["4h", "4d", "4c", "4s", "5c"]},
    ]
    deals = [["Ah", "Kd", "2c", "7s", "X1"], ["3h", "3d", "9c"], ["5h", "Jd", "Qc"]]

    async def plain_server(socket: ServerConnection) -> None:
        async def send(kind: str, **fields: Any) -> None:
            await socket.send(json.dumps({"type": kind, **fields}))

        await send("waiting_for_opponent")
        await send("ready_to_start")
        received.append(json.loads(await socket.recv()))
        await send("session_start", session_id="s", chips=[200, 200])
        await send("hand_start", hand_id="h", hand_number=1, btn=0, your_seat=0, chips=[200, 200])
        for turn, cards in enumerate(deals):
            fields = {
                "opponent_board": boards[turn],
                "is_btn": True,
                "chips_self": 200,
                "chips_opponent": 200,
            }
            await send("deal", turn=turn, cards=cards, **fields)
            await send("timer_start", seconds=20)
            received.append(json.loads(await socket.recv()))
            if turn == 1:
                await send("error", message="try another")
                received.append(json.loads(await socket.recv()))
            await send("opponent_placed", opponent_board=boards[turn + 1])
        await send("session_end", winner=0, final_chips=[240, 160], hands_played=1, reason="chip_gap")
        await socket.wait_closed()

    async def scenario() -> None:
        async with serve(plain_server, "127.0.0.1", 0) as running:
            port = next(iter(running.sockets)).getsockname()[1]
            player = LivePlayer(Ticket(f"http://127.0.0.1:{port}", "r", "p0", "t"), "heuristic")
            assert (await player.run())[0]["winner"] == 0
            placed = sum(len(row) for row in player.view.board.values())
            assert placed == 9  # five and two and two: it kept account without being told
            assert len(player.view.discards) == 2

    run(scenario)
    assert [message["type"] for message in received] == ["game_start"] + ["place"] * 4


def test_messages_of_placements_use_one_discard_or_a_list():
    turn = place_message(Placement(top="Ah", bottom="Kd", discards="2c"), 7)
    assert turn["discard"] == "2c"
    assert turn["sequence"] == 7
    opening = place_message(Placement(bottom="Ah Kd 2c 3c 4c"))
    assert opening["discard"] is None
    assert "sequence" not in opening
    assert place_message(Placement(top="Ah", discards="2c 3c"))["discards"] == ["2c", "3c"]


def test_the_command_line_plays_and_refuses_in_one_sentence(server: LiveServer):
    room = server.post("/api/rooms", mode="friend", seed=SEED + 40)
    command = [sys.executable, "-m", "agents.live_player", "--server", server.url]

    async def scenario() -> None:
        bot = Bot(await join(server, room), agent_chooser("random"))
        arguments = ["--room", room["room_id"], "--agent", "random", "--name", "Robot"]
        process = subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, text=True)
        await bot.play(1)
        output = await asyncio.to_thread(process.communicate, None, PATIENCE)
        assert "session 1: seat" in output[0]
        assert server.get(f"/api/rooms/{room['room_id']}")["names"][1] == "Robot"
        await bot.client.socket.close()

    run(scenario)
    refused = subprocess.run([*command, "--room", "nothing"], capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert "no room" in refused.stderr
    with pytest.raises(ValueError, match="no server answers"):
        take_seat("http://127.0.0.1:9", "room", "x")
    with pytest.raises(ValueError, match="no address of a server"):
        take_seat("127.0.0.1:8000", "room", "x")
