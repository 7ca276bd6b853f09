"""When the log cannot be written, or cannot be read, nothing is lost and nobody else is harmed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agents.live_player.view import place_message
from ofc_env.records import Records
from server.play.table import automatic_placement
from tests.server.bots import Bot, agent_chooser, play_in_engine, play_pair
from tests.server.live import Client, LiveServer, begin, join, run, run_server

SEED = 3_000_000_000_000


async def seat_to_act(server: LiveServer, room_id: str) -> int:
    """Wait for a hand to be in play; whose turn it is."""
    game = server.lobby.rooms[room_id].game
    while game.phase != "playing" or game.current is None:
        await asyncio.sleep(0.01)
    seat = game.current.table.player
    assert seat is not None
    return seat


def test_a_turn_that_cannot_be_saved_is_not_played(monkeypatch):
    with run_server(turn_seconds=60.0) as server:

        async def scenario() -> None:
            first, second, tickets = await begin(server, seed=SEED)
            clients: list[Client] = [first, second]
            seat = await seat_to_act(server, tickets[0]["room_id"])
            game = server.lobby.rooms[tickets[0]["room_id"]].game
            assert game.current is not None
            table = game.current.table
            before = table.session.clone()
            good = server.lobby.journal.write

            async def full_disk(work: object) -> None:
                raise OSError("no space left on device")

            monkeypatch.setattr(server.lobby.journal, "write", full_disk)
            message = place_message(automatic_placement(table.hand), 1)
            await clients[seat].send(message)
            assert (await clients[seat].until("error"))["code"] == "internal"
            assert table.session == before
            monkeypatch.setattr(server.lobby.journal, "write", good)
            await clients[seat].send(message)
            assert (await clients[seat].until("placed"))["sequence"] == 1
            for client in clients:
                await client.socket.close()

        run(scenario)


def test_a_time_out_that_cannot_be_saved_is_tried_again(monkeypatch):
    with run_server(turn_seconds=0.3) as server:

        async def scenario() -> None:
            good = server.lobby.journal.record
            failures = []

            async def fails_once(*arguments: object) -> None:
                monkeypatch.setattr(server.lobby.journal, "record", good)
                failures.append(arguments)
                raise OSError("no space left on device")

            monkeypatch.setattr(server.lobby.journal, "record", fails_once)
            first, second, _ = await begin(server, seed=SEED)
            seat = (await first.until("hand_start"))["btn"]
            client = (first, second)[seat]
            assert (await client.until("timeout"))["seat"] == seat
            assert len(failures) == 1

        run(scenario)


def test_sessions_go_on_after_an_orderly_stop_and_rooms_keep_their_tokens(tmp_path: Path):
    database = tmp_path / "log.db"
    mirror = play_in_engine(SEED + 1, ("heuristic", "heuristic"))
    with run_server(database, turn_seconds=60.0) as server:
        waiting = server.post("/api/rooms", mode="friend", name="Ann")

        async def begin_session() -> tuple[dict, dict]:
            first, second, tickets = await begin(server, seed=SEED + 1)
            clients: list[Client] = [first, second]
            for _ in range(3):
                seat = await seat_to_act(server, tickets[0]["room_id"])
                bot = Bot(clients[seat], agent_chooser("heuristic"))
                bot.view.seat = seat
                deal = await clients[seat].until("deal")
                turn = mirror.turns[deal["sequence"] - 1]
                await clients[seat].send(place_message(turn.placement, deal["sequence"]))
                await clients[seat].until("placed")
            return tickets

        tickets = asyncio.run(begin_session())
    with run_server(database, turn_seconds=60.0) as server:

        async def go_on() -> None:
            bots = [Bot(await join(server, ticket), agent_chooser("heuristic")) for ticket in tickets]
            await play_pair(bots)
            results = [result.to_dict() for result in mirror.session.history]
            for bot in bots:
                assert bot.results == results
                await bot.client.socket.close()
            state = await (await join(server, waiting)).until("state")
            assert state["room"]["names"] == ["Ann", None]

        run(go_on)


@pytest.mark.parametrize("damage", ["{}", '{"seats": 5}', "[]"])
def test_a_damaged_room_keeps_no_other_shut(tmp_path: Path, damage: str):
    database = tmp_path / "log.db"
    with run_server(database) as server:
        kept = server.post("/api/rooms", mode="friend")
    with Records(database) as records:
        records.save_snapshot("room:damaged", damage)
    with run_server(database) as server:
        assert server.get(f"/api/rooms/{kept['room_id']}")["id"] == kept["room_id"]
        assert "damaged" not in server.lobby.rooms


def test_a_log_that_does_not_fit_its_session_is_not_played_on(tmp_path: Path):
    database = tmp_path / "log.db"
    with run_server(database, turn_seconds=60.0) as server:
        tickets = asyncio.run(begin(server, seed=SEED + 2))[2]
    with Records(database) as records:
        state = records.snapshots()[f"room:{tickets[0]['room_id']}"]
        records.save_snapshot(f"room:{tickets[0]['room_id']}", state.replace(str(SEED + 2), str(SEED + 9)))
    with run_server(database) as server:
        assert tickets[0]["room_id"] not in server.lobby.rooms
