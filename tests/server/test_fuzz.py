"""More than ten thousand malformed and misplaced messages: each is answered, and none changes a thing."""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any

import pytest

from agents.live_player.view import place_message
from ofc_env import Placement, card_names
from server.play.journal import GameState
from server.play.room import Room
from server.play.table import dealt_in_order
from server.protocol.messages import Place, read
from tests.server.live import PATIENCE, Client, LiveServer, begin, join, run, run_server
from tests.server.mirror import cards_in

SEED = 9_000_000_000_000
JUNK: list[Any] = [
    *(None, True, False, 0, -1, 7, 1e308, float("nan"), float("inf"), 10**300, "", "top", "Ah", "X3", "ah"),
    *([], {}, [[]], [[["Ah", "top"]]], {"type": "place"}, "\ud800", "\x00", "🂡", "A" * 500, ["Ah"] * 60),
    *([["Ah", "top", 1]], [["Ah"]], [[1, 2]], [["Ah", 0]], ["Ah", "top"], {"Ah": "top"}, [None], [{}]),
]
TYPES = ["place", "game_start", "Place", "deal", "state", "hand_end", "deck", "__class__", "", "ping", "auth"]
BROKEN = [
    *("", " ", "{", "}", "[", "nul", '{"type":', "\x00", "{}{}", "'", '{"type":"place"', "NaN", "-", "1e999"),
    *("[" * 3000, '{"a":' * 600, '"' + "\\" * 999 + '"', '{"type":"place","placements":' + "[" * 2000),
]


def mutated(message: dict[str, Any], chance: random.Random) -> Any:
    """A message with something wrong in it, most of the time."""
    body = json.loads(json.dumps(message))
    for _ in range(chance.randint(1, 3)):
        kind = chance.randrange(9)
        placements = body.get("placements")
        pairs = placements if isinstance(placements, list) and placements else [["Ah", "top"]]
        if kind == 0:
            body[chance.choice(["type", "placements", "discard", "discards", "sequence"])] = chance.choice(
                JUNK
            )
        elif kind == 1:
            body.pop(chance.choice(list(body)), None)
            if not body:
                body = {"type": "place"}
        elif kind == 2:
            pairs[chance.randrange(len(pairs))] = chance.choice(JUNK)
        elif kind == 3:
            pairs.append(chance.choice([["Ah", "top"], pairs[0], chance.choice(JUNK)]))
        elif kind == 4:
            pairs.pop()
        elif kind == 5:
            body["type"] = chance.choice(TYPES)
        elif kind == 6:
            body["sequence"] = chance.choice([-1, 0, 10**9, 2**70, "1", 1.5, True])
        elif kind == 7:
            return chance.choice(JUNK)
        else:
            body[chance.choice(["seat", "token", "player_id", "deck", "type"])] = chance.choice(JUNK)
    return body


def damaged(text: str, chance: random.Random) -> str | bytes:
    """The text of a message with characters lost, doubled or changed; sometimes not even text."""
    characters = list(text)
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(characters))
        characters[place] = chance.choice(
            ["", characters[place] * 2, chr(chance.randrange(32, 0x2FF)), '"', "{"]
        )
    result = "".join(characters)
    return result.encode("utf-8", "replace") if chance.random() < 0.1 else result


def fuzzed(message: dict[str, Any], chance: random.Random) -> str | bytes:
    """One bad message."""
    kind = chance.random()
    if kind < 0.1:
        return chance.choice(BROKEN)
    if kind < 0.45:
        return damaged(json.dumps(message), chance)
    return json.dumps(mutated(message, chance))


def legal_reading(text: str | bytes, server: LiveServer, room_id: str) -> Placement | None:
    """What the engine would accept of a fuzzed message, if it came out legal by accident."""
    table = server.lobby.rooms[room_id].game.current
    assert table is not None
    try:
        message = read(text) if isinstance(text, str) else None
        if not isinstance(message, Place) or message.sequence not in (None, table.table.sequence + 1):
            return None
        table.table.try_placement(message.placement)
    except ValueError:
        return None
    return message.placement


@pytest.fixture(scope="module")
def server():
    with run_server(turn_seconds=600.0, fantasyland_seconds=600.0) as running:
        yield running


def good_message(server: LiveServer, room_id: str) -> dict[str, Any]:
    """A legal placement for the seat to act."""
    current = server.lobby.rooms[room_id].game.current
    assert current is not None
    hand = current.table.hand
    return place_message(hand.placements()[0], current.table.sequence + 1)


def test_the_seat_to_act_sends_thousands_of_bad_messages(server: LiveServer):
    chance = random.Random(1)
    counts = {"error": 0, "placed": 0}

    async def scenario() -> None:
        first, second, tickets = await begin(server, seed=SEED)
        clients, room_id = [first, second], tickets[0]["room_id"]
        room = server.lobby.rooms[room_id]
        while counts["error"] < 6000:
            game = await settled(room)
            if game.table.session.finished:
                for client in clients:
                    await client.send({"type": "game_start"})
                    await client.until("session_start")
                continue
            table, before = game.table, game.table.session.clone()
            seat = table.player
            assert seat is not None
            for _ in range(60):
                bad = fuzzed(good_message(server, room_id), chance)
                accepted = legal_reading(bad, server, room_id)
                await clients[seat].send(bad)
                if accepted is not None:
                    before.place(accepted)
                    await clients[seat].until("placed")
                    counts["placed"] += 1
                    break
                answer = await clients[seat].until("error")
                assert answer["code"] in ("bad_message", "illegal", "stale", "not_now"), (bad, answer)
                counts["error"] += 1
            else:
                before.place(table.hand.placements()[0])  # before the server can play it
                await clients[seat].send(good_message(server, room_id))
                await clients[seat].until("placed")
            assert table.session == before  # what was accepted, and nothing else
        for client in clients:
            await client.socket.close()

    run(scenario, 30 * PATIENCE)
    assert counts["placed"] > 0


def test_who_is_not_to_act_and_who_watches_change_nothing(server: LiveServer):
    chance = random.Random(2)

    async def scenario() -> None:
        first, second, tickets = await begin(server, seed=SEED + 1)
        room = server.lobby.rooms[tickets[0]["room_id"]]
        spectator = await join(server, tickets[0]["room_id"])
        await spectator.until("state")
        table = (await settled(room)).table
        seat, before = table.player, table.session.clone()
        assert seat is not None
        waiting = (first, second)[1 - seat]
        for client in (waiting, spectator):
            for _ in range(25):
                batch = [fuzzed(good_message(server, room.id), chance) for _ in range(100)]
                for bad in batch:
                    await client.send(bad)
                for _ in batch:
                    answer = await client.until("error")
                    known = set(card_names(dealt_in_order(table.hand)))
                    assert not cards_in(answer["message"]) & known - cards_in("".join(map(str, batch)))
        assert table.session == before
        for client in (first, second, spectator):
            await client.socket.close()

    run(scenario, 30 * PATIENCE)


async def settled(room: Room) -> GameState:
    """The game, once the next hand has begun or the session is over."""
    while room.game.current is None or room.game.phase == "hand_over":
        await asyncio.sleep(0.001)
    return room.game.current


def test_a_refusal_says_the_same_of_every_card_that_cannot_be_seen(server: LiveServer):
    """Whether a card is still in the deck or was discarded by the opponent, the answer must not tell."""

    async def scenario() -> None:
        first, second, tickets = await begin(server, seed=SEED + 2)
        clients: list[Client] = [first, second]
        room = server.lobby.rooms[tickets[0]["room_id"]]
        table = (await settled(room)).table
        for _ in range(4):  # both openings, both first discards
            assert table.player is not None
            client = clients[table.player]
            await client.until("deal")
            await client.send(good_message(server, room.id))
            await client.until("placed")
        hand, seat = table.hand, table.player
        assert seat is not None
        board, other = hand.board(seat), hand.board(1 - seat)
        seen = {*hand.dealt, *hand.discards(seat), *board.top, *board.middle, *board.bottom}
        seen |= {*other.top, *other.middle, *other.bottom}
        assert set(hand.discards(1 - seat)) - seen, "the opponent has discarded"
        answers = set()
        names = card_names(dealt_in_order(hand))
        for card in card_names(sorted(set(range(54)) - seen)):
            placements = [[card, "bottom"], [names[1], "bottom"]]
            await clients[seat].send({"type": "place", "placements": placements, "discard": names[2]})
            answers.add((await clients[seat].until("error"))["message"].replace(card, "CARD"))
        assert len(answers) == 1, answers
        for client in clients:
            await client.socket.close()

    run(scenario)
