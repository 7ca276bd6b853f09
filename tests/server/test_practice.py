"""Practice tables: moves are taken back for good, hints know nothing hidden, and no other table has them."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from agents.live_player.view import place_message
from ofc_env import Board, Hand, Placement, Session, _core, card_names
from ofc_env.records.lines import PRACTICE, iter_table, iter_turns
from ofc_env.records.replay import steps_of_hand
from server.play.journal import GameState, Journal
from server.play.table import Table, automatic_placement
from server.thinking.client import Thinking
from tests.server.live import PATIENCE, Client, LiveServer, Message, begin, join, run, run_server
from tests.server.test_crash import Process

SEED = 5_000_000_000_000


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    with run_server(agent="random", turn_seconds=60.0) as server:
        yield server


def open_table(server: LiveServer, **body: Any) -> Message:
    return server.post("/api/rooms", **{"mode": "practice", "seed": SEED, **body})


def table_of(server: LiveServer, ticket: Message) -> Table:
    game = server.lobby.rooms[ticket["room_id"]].game.current
    assert game is not None
    return game.table


async def sit_down(server: LiveServer, ticket: Message) -> Client:
    """A person at the table whose session has just begun."""
    client = await join(server, ticket)
    await client.until("ready_to_start")
    await client.send({"type": "game_start"})
    return client


def as_dealt(deal: Message) -> Placement:
    return _core.first_free_slots(deal["cards"], Board(**deal["board"]))


async def place(client: Client, deal: Message) -> None:
    await client.send(place_message(as_dealt(deal), deal["sequence"]) | {"sure": True})


async def play_hand(client: Client, deal: Message) -> Message:
    """Place what is dealt until the hand ends: its `hand_end`."""
    while True:
        await place(client, deal)
        while (message := await client.next())["type"] not in ("deal", "hand_end"):
            assert message["type"] != "error", message
        if message["type"] == "hand_end":
            return message
        deal = message


# -------------------------------------------------------------------- taking back


def test_a_placement_is_taken_back_and_another_one_played(server: LiveServer) -> None:
    ticket = open_table(server)

    async def scenario() -> None:
        client = await sit_down(server, ticket)
        first = await client.until("deal")
        await place(client, first)
        second = await client.until("deal")
        assert second["board"] != first["board"]
        await client.send({"type": "take_back"})
        assert (await client.until("taken_back"))["hand_number"] == 2
        state, again = await client.until("state"), await client.until("deal")
        assert state["hand_number"] == 2
        assert (again["cards"], again["board"], again["opponent_board"]) == (
            first["cards"],
            first["board"],
            first["opponent_board"],
        )
        assert again["sequence"] == first["sequence"]
        cards = sorted(first["cards"])
        other = Placement(bottom=cards[:5])
        await client.send(place_message(other, again["sequence"]))
        placed = await client.until("placed")
        assert sorted(placed["board"]["bottom"]) == cards
        await client.socket.close()

    run(scenario)


def test_the_same_deal_is_replayed_after_the_hand_and_the_session_goes_on_from_the_last_try(
    server: LiveServer,
) -> None:
    ticket = open_table(server)

    async def scenario() -> None:
        client = await sit_down(server, ticket)
        deal = await client.until("deal")
        ended = await play_hand(client, deal)
        assert ended["next_hand_seconds"] is None  # nobody is pressed
        await client.send({"type": "replay"})
        again = await client.until("deal")
        assert again["cards"] == deal["cards"]
        assert again["opponent_board"] == deal["opponent_board"]  # equal agents answer equally
        second = await play_hand(client, again)
        assert (second["hand_number"], second["result"]) == (ended["hand_number"] + 1, ended["result"])
        await client.send({"type": "game_start"})
        start = await client.until("hand_start")
        assert start["hand_number"] == 3
        assert start["chips"] == second["result"]["chips"]
        await client.send({"type": "take_back"})
        assert (await client.until("error"))["code"] == "not_now"  # a hand that has been left is over
        await client.socket.close()

    run(scenario)


def test_a_session_that_has_ended_goes_on_when_its_last_move_is_taken_back(server: LiveServer) -> None:
    ticket = open_table(server, rules="chips=2 stop_gap=1")
    session_rows = "SELECT ended_at, winner, final_chips_0 FROM sessions WHERE session_id = ?"

    async def scenario() -> None:
        client = await sit_down(server, ticket)
        ended = await play_hand(client, await client.until("deal"))
        while ended["result"]["actual_score"][0] == 0:
            await client.send({"type": "game_start"})
            ended = await play_hand(client, await client.until("deal"))
        await client.until("session_end")
        session = server.lobby.rooms[ticket["room_id"]].game.current
        assert session is not None
        path, which = server.lobby.journal.path, (session.session_id,)
        assert next(iter_table(path, session_rows, which))["ended_at"] is not None
        await client.send({"type": "take_back"})
        state = await client.until("state")
        assert state["phase"] == "playing"
        assert set(next(iter_table(path, session_rows, which)).values()) == {None}
        await play_hand(client, await client.until("deal"))
        await client.until("session_end")
        assert next(iter_table(path, session_rows, which))["winner"] is not None
        await client.socket.close()

    run(scenario)


def test_nothing_is_taken_back_where_nothing_was_placed_or_two_people_play(server: LiveServer) -> None:
    ticket = open_table(server)

    async def scenario() -> None:
        client = await sit_down(server, ticket)
        await client.until("deal")
        for kind in ("take_back", "replay"):
            await client.send({"type": kind})
            refusal = await client.until("error")
            assert (refusal["code"], "nothing to take back" in refusal["message"]) == ("not_now", True)
        await client.socket.close()

    run(scenario)


@pytest.mark.parametrize("seed", range(3))
def test_another_try_is_the_position_that_it_goes_back_to(seed: int) -> None:
    table = Table(Session(seed, auto_fantasyland=False))
    seen: list[tuple[Hand, int]] = []
    for _ in range(25):
        if table.has_ended_hand or not table.line:
            seen = []
        seen.append((table.hand, table.sequence))
        table.accept(table.try_placement(automatic_placement(table.hand)), 7)
        if table.session.finished:
            break
        for kept in range(len(table.line)):
            again = table.again(kept)
            assert (again.hand, again.sequence) == seen[kept]
            assert again.retries == table.retries + 1
            assert [ms for _, ms in again.line] == [7] * kept


# -------------------------------------------------------------------- kill -9


def test_what_was_taken_back_stays_so_after_a_kill_and_the_log_keeps_every_try(tmp_path: Path) -> None:
    process = Process(tmp_path)
    process.start()
    ticket = process.post("/api/rooms", mode="practice", seed=SEED)
    address = f"/ws/{ticket['room_id']}?player_id={ticket['player_id']}&token={ticket['token']}"

    async def connected() -> Client:
        from websockets.asyncio.client import connect

        return Client(await connect(f"ws://127.0.0.1:{process.port}{address}"))

    async def before_the_kill() -> tuple[Message, Message]:
        client = await connected()
        await client.until("ready_to_start")
        await client.send({"type": "game_start"})
        await place(client, await client.until("deal"))
        second = await client.until("deal")
        await place(client, second)
        await client.until("deal")
        await client.send({"type": "take_back"})
        await client.until("taken_back")
        return second, await client.until("state")

    async def after_the_kill(second: Message, state: Message) -> str:
        client = await connected()
        restored = await client.until("state")
        same = ("boards", "hand", "discards", "hand_number", "hand_id", "sequence", "to_act", "chips")
        assert {name: restored[name] for name in same} == {name: state[name] for name in same}
        deal = await client.until("deal")
        assert (deal["cards"], deal["board"]) == (second["cards"], second["board"])
        await play_hand(client, deal)
        await client.send({"type": "replay"})
        deal = await client.until("deal")
        process.kill()
        process.start()
        client = await connected()
        assert (await client.until("deal"))["cards"] == deal["cards"]
        return str(restored["session_id"])

    try:
        told = asyncio.run(before_the_kill())
        process.kill()
        process.start()
        session = asyncio.run(after_the_kill(*told))
    finally:
        process.kill()
    path = process.database
    hands = list(
        iter_table(path, "SELECT hand_number, hand_id, deck, result FROM hands ORDER BY hand_number")
    )
    assert [hand["hand_number"] for hand in hands] == [1, 2, 3]
    assert len({hand["deck"] for hand in hands}) == 1
    assert [hand["result"] is None for hand in hands] == [True, False, True]
    assert list(iter_turns(path)) == []  # nobody learns from it by mistake
    lines = list(iter_turns(path, practice=True))
    assert all(line.get("practice") is True for line in lines)
    tries = {number: [line for line in lines if line["hand_number"] == number] for number in (1, 2)}
    assert len(tries[2]) == 10
    kept = [line for line in tries[2] if line["turn"] == 0]
    assert [each["action"] for each in kept] == [each["action"] for each in tries[1] if each["turn"] == 0]
    assert len(steps_of_hand(path, session, hands[1]["hand_id"])) == 10
    with pytest.raises(ValueError, match="not in the log to its end"):
        steps_of_hand(path, session, hands[0]["hand_id"])


@pytest.mark.parametrize("seed", range(4))
def test_whatever_was_taken_back_the_log_gives_the_table_back(tmp_path: Path, seed: int) -> None:
    """Random play with random going back, over several hands; after every step the log is read again."""
    chance = random.Random(seed)

    async def scenario() -> None:
        journal = Journal(tmp_path / "log.db", durable=False)
        table = Table(Session(seed, auto_fantasyland=False))
        game = GameState("s", None, table)
        await journal.start_session("r", {}, game, ("ann", "random"), {}, PRACTICE)
        went_back = 0
        for _ in range(60):
            table = game.table
            if game.hand_id is None and not table.session.finished and chance.random() < 0.7:
                game = GameState("s", f"s-{table.hand_number}", table)
                await journal.start_hand("r", {}, game)
            elif table.line and chance.random() < 0.3 and (game.hand_id is None or not table.has_ended_hand):
                kept = table.placements_before(chance.randrange(2), chance.random() < 0.3)
                if kept is None:
                    continue
                again = table.again(kept)
                game = GameState("s", f"s-{again.hand_number}", again)
                await journal.start_again("r", {}, game)
                went_back += 1
            elif game.hand_id is not None:
                hand = table.hand
                choice = (
                    automatic_placement(hand) if hand.in_fantasyland else chance.choice(hand.placements())
                )
                played = table.try_placement(choice)
                await journal.record("r", game, played, 9, {} if played.result is not None else None)
                table.accept(played, 9)
                if played.result is not None:
                    game = GameState("s", None, table)
            found = journal.restore_game(game.to_body(), table.session.rules).table
            now = game.table
            assert (found.session, found.hand, found.sequence) == (now.session, now.hand, now.sequence)
            assert (found.hand_number, found.has_ended_hand) == (now.hand_number, now.has_ended_hand)
            assert [ms for _, ms in found.line] == [ms for _, ms in now.line]
        assert went_back > 3
        journal.close()

    asyncio.run(scenario())


# -------------------------------------------------------------------- hints and chances


def test_a_hint_has_three_placements_with_value_and_chances(server: LiveServer) -> None:
    ticket = open_table(server)

    async def scenario() -> None:
        client = await sit_down(server, ticket)
        deal = await client.until("deal")
        await client.send({"type": "hint", "sequence": deal["sequence"]})
        hint = await client.until("hint")
        assert (hint["sequence"], hint["turn"], len(hint["options"])) == (deal["sequence"], deal["turn"], 3)
        for option in hint["options"]:
            assert sorted(card for card, _ in option["placement"]["placements"]) == sorted(deal["cards"])
            chances = option["chances"]
            assert 0 <= chances["foul"] <= 1
            assert len(chances["fantasyland"]) == 4
            assert 0 <= sum(chances["fantasyland"]) <= 1
            assert option["error"] >= 0
        assert hint["options"][0]["behind"] == 0
        best = hint["options"][0]
        await client.send({"type": "chances", "sequence": deal["sequence"], **best["placement"]})
        chances = await client.until("chances")
        assert chances["placement"] == best["placement"]
        assert chances["chances"] == best["chances"]  # one function answers both
        await client.send({"type": "chances"})
        assert (await client.until("chances"))["placement"] is None
        await client.socket.close()

    run(scenario)


def test_what_is_asked_of_the_thinking_process_names_no_hidden_card(
    server: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Message] = []
    ask = Thinking._ask

    async def listening(self: Thinking, question: Message) -> Message:
        asked.append(question)
        return await ask(self, question)

    monkeypatch.setattr(Thinking, "_ask", listening)
    ticket = open_table(server, seed=SEED + 4)

    async def scenario() -> None:
        client = await sit_down(server, ticket)
        checked = 0
        for _ in range(5):
            deal = await client.until("deal")
            asked.clear()
            for kind in ("hint", "chances"):
                await client.send({"type": kind})
                await client.until(kind)
            placement = place_message(as_dealt(deal), deal["sequence"])
            await client.send(placement | {"type": "chances"})
            await client.until("chances")
            hand = table_of(server, ticket).hand
            seen = [*deal["cards"], *card_names(hand.discards(0))]
            for board in (deal["board"], deal["opponent_board"]):
                seen += [card for row in board.values() for card in row]
            questions = [each for each in asked if {"hint", "chances"} & set(each)]
            assert len(questions) == 3
            for question in questions:
                named = set(re.findall(r"\b(?:[2-9TJQKA][hdcs]|X[12])\b", json.dumps(question)))
                assert named <= set(seen)
                assert set(deal["cards"]) <= named
                checked += 1
            await place(client, deal)
        assert checked == 15
        await client.socket.close()

    run(scenario)


def test_no_hint_and_no_chance_reaches_a_room_with_two_people_or_a_game_against_a_machine(
    server: LiveServer,
) -> None:
    messages: list[Message] = [
        {"type": "hint"},
        {"type": "chances"},
        {"type": "take_back"},
        {"type": "replay"},
    ]

    async def scenario() -> None:
        first, second, tickets = await begin(server, seed=SEED)
        watching = await join(server, tickets[0]["room_id"])
        alone = await sit_down(server, server.post("/api/rooms", mode="ai", seed=SEED))
        await watching.until("state")
        for client, sentence in (
            (first, "not a practice table"),
            (second, "not a practice table"),
            (alone, "not a practice table"),
            (watching, "spectators watch"),
        ):
            for message in messages:
                await client.send(message)
                refusal = await client.until("error")
                assert refusal["code"] == "refused"
                assert sentence in refusal["message"]
        # What fouls for certain is played there without a question, and costs what it costs.
        for client in (first, second):
            assert not {"hint", "chances", "certain_foul"} & {
                json.loads(text)["type"] for text in client.frames
            }
        for client in (first, second, watching, alone):
            await client.socket.close()

    run(scenario)


def test_a_practice_table_has_one_person_and_no_free_seat(server: LiveServer) -> None:
    ticket = open_table(server)
    room = server.get(f"/api/rooms/{ticket['room_id']}")
    assert (room["mode"], room["seats_free"], room["clock"]) == ("practice", 0, "none")
    assert (
        httpx.post(f"{server.url}/api/rooms/{ticket['room_id']}/join", json={}, timeout=PATIENCE).status_code
        == 409
    )


def test_hints_are_for_cards_in_hand_and_one_at_a_time(server: LiveServer) -> None:
    ticket = open_table(server)

    async def scenario() -> None:
        client = await join(server, ticket)
        await client.until("ready_to_start")
        await client.send({"type": "hint"})
        assert (await client.until("error"))["code"] == "not_now"
        await client.send({"type": "game_start"})
        deal = await client.until("deal")
        await client.send({"type": "hint", "sequence": deal["sequence"] + 1})
        assert (await client.until("error"))["code"] == "stale"
        await client.send({"type": "chances", "placements": [[deal["cards"][0], "top"]]})
        assert (await client.until("error"))["code"] == "illegal"
        await client.send({"type": "hint"})
        await client.send({"type": "hint"})
        assert (await client.until("error"))["code"] == "busy"
        await client.until("hint")
        for broken in ({"type": "hint", "sequence": "1"}, {"type": "place", "placements": [], "sure": 1}):
            await client.send(broken)
            assert (await client.until("error"))["code"] == "bad_message"
        await client.socket.close()

    run(scenario)


def test_a_certain_foul_is_asked_about_once(server: LiveServer) -> None:
    ticket = open_table(server)

    async def scenario() -> None:
        client = await sit_down(server, ticket)
        while True:
            deal = await client.until("deal")
            fouling = await asyncio.to_thread(fouling_placement, table_of(server, ticket).hand)
            if fouling is not None:
                break
            await place(client, deal)
        message = place_message(fouling, deal["sequence"])
        await client.send(message)
        assert (await client.until("certain_foul"))["sequence"] == deal["sequence"]
        await client.send(message | {"sure": True})
        placed = await client.until("placed")
        assert (placed["seat"], placed["sequence"]) == (0, deal["sequence"])
        await client.socket.close()

    run(scenario)


def fouling_placement(hand: Hand) -> Placement | None:
    """A placement of the seat to act that fouls for certain where another does not."""
    assert hand.player is not None
    known = hand.information(hand.player)
    return next((each for each in known.placements() if known.makes_foul_certain(each)), None)


# -------------------------------------------------------------------- clocks and machines to watch


@pytest.mark.parametrize(("clock", "seconds"), [("none", None), ("relaxed", 180.0), ("fast", 30.0)])
def test_a_table_keeps_the_clock_that_was_chosen(
    server: LiveServer, clock: str, seconds: float | None
) -> None:
    ticket = server.post("/api/rooms", mode="ai", clock=clock, seed=SEED)
    assert ticket["room"]["clock"] == clock

    async def scenario() -> None:
        client = await join(server, ticket)
        state = await client.until("state")
        assert (state["room"]["clock"], state["rules"]["turn_seconds"]) == (clock, seconds)
        await client.send({"type": "game_start"})
        await client.until("deal")
        timer = await client.until("timer_start")
        assert timer["limit"] == seconds
        assert (timer["seconds"] is None) == (seconds is None)
        await client.socket.close()

    run(scenario)


def test_without_a_clock_the_next_hand_waits_for_the_player() -> None:
    """However short the pause between hands is, and also for who comes back."""
    with run_server(hand_pause=0.01) as server:
        ticket = server.post("/api/rooms", mode="ai", agent="random", clock="none", seed=SEED)

        async def scenario() -> None:
            client = await sit_down(server, ticket)
            while (message := await client.next())["type"] != "hand_end":
                if message["type"] == "deal":
                    await client.send(place_message(as_dealt(message), message["sequence"]))
            assert message["next_hand_seconds"] is None
            await client.until("hand_over")
            await client.socket.close()
            again = await join(server, ticket)
            state = await again.until("state")
            assert (state["phase"], state["next_hand_seconds"]) == ("hand_over", None)
            with pytest.raises(TimeoutError):
                await again.until("hand_start", seconds=0.3)
            await again.send({"type": "game_start"})
            await again.until("hand_start")
            await again.socket.close()

        run(scenario)


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({"mode": "ai", "clock": "slow"}, "'relaxed'"),
        ({"mode": "practice", "clock": "fast"}, "has no clock"),
        ({"mode": "watch", "clock": "fast"}, "has no clock"),
        ({"mode": "ai", "opponent_level": "expert"}, "has one level"),
        ({"mode": "watch", "opponent_level": "perfect"}, "there is no level 'perfect'"),
        ({"mode": "solo"}, "'practice'"),
    ],
)
def test_what_does_not_go_together_is_refused(server: LiveServer, body: Message, sentence: str) -> None:
    answer = httpx.post(f"{server.url}/api/rooms", json=body, timeout=PATIENCE)
    assert answer.status_code == 422
    assert sentence in answer.json()["detail"]


def test_games_against_machines_are_listed_only_if_that_is_wished(server: LiveServer) -> None:
    def listed() -> set[str]:
        return {room["id"] for room in server.get("/api/rooms")["rooms"]}

    hidden = [server.post("/api/rooms", mode=mode)["room_id"] for mode in ("ai", "practice", "watch")]
    shown = [server.post("/api/rooms", mode=mode, private=False)["room_id"] for mode in ("ai", "watch")]
    shown.append(server.post("/api/rooms", mode="friend")["room_id"])
    assert not set(hidden) & listed()
    assert set(shown) <= listed()


def test_machines_play_each_other_while_somebody_watches(tmp_path: Path) -> None:
    with run_server(tmp_path / "log.db", watch_pause=0.02) as server:
        ticket = server.post("/api/rooms", mode="watch", level="novice", opponent_level="skilled", seed=SEED)
        assert (ticket["token"], ticket["seat"]) == (None, None)
        room = server.lobby.rooms[ticket["room_id"]]
        game = room.game

        async def scenario() -> None:
            assert game.phase == "ready"  # nobody watches yet
            client = await join(server, ticket["room_id"])
            state = await client.until("state")
            assert state["room"]["levels"] == ["novice", "skilled"]
            start = await client.until("session_start")
            assert start["your_seat"] is None
            for _ in range(3):
                assert (await client.until("placed"))["board"]
            assert (room.is_unused, game._is_paused) == (False, False)
            await client.send({"type": "game_start"})
            assert (await client.until("error"))["code"] == "refused"
            await client.socket.close()
            while not game._is_paused:
                await asyncio.sleep(0.02)
            assert game.current is not None
            stopped = game.current.table.sequence
            await asyncio.sleep(0.2)
            assert game.current.table.sequence == stopped
            assert room.is_unused  # and so it is closed when nobody comes back
            assert room.unused_since > room.opened_at
            client = await join(server, ticket["room_id"])
            await client.until("placed")
            await client.until("hand_end")
            await client.socket.close()

        run(scenario)
    assert [row["kind"] for row in iter_table(tmp_path / "log.db", "SELECT kind FROM sessions")] == [
        "watched"
    ]
    assert list(iter_turns(tmp_path / "log.db"))  # and what they played may be learned from
