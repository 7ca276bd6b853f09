"""Twenty thousand malformed and misplaced messages and requests: each is answered, and none changes a thing.

`make prove` sends a million.
"""

from __future__ import annotations

import asyncio
import copy
import http.client
import json
import logging
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import pytest

from agents.live_player.view import place_message
from ofc_env import Placement, card_names
from server.play.journal import GameState
from server.play.room import Room
from server.protocol.messages import Place, read
from tests.server.live import OPERATOR_KEY, PATIENCE, Client, LiveServer, begin, join, run, run_server, start
from tests.server.mirror import cards_in

SEED = 9_000_000_000_000
JUNK: list[Any] = [
    *(None, True, False, 0, -1, 7, 1e308, float("nan"), float("inf"), 10**300, "", "top", "Ah", "X3", "ah"),
    *([], {}, [[]], [[["Ah", "top"]]], {"type": "place"}, "\ud800", "\x00", "🂡", "A" * 500, ["Ah"] * 60),
    *([["Ah", "top", 1]], [["Ah"]], [[1, 2]], [["Ah", 0]], ["Ah", "top"], {"Ah": "top"}, [None], [{}]),
]
TYPES = [
    "place",
    "game_start",
    "wait",
    "identify",
    "take_back",
    "replay",
    "hint",
    "chances",
    "Place",
    "deal",
    "state",
    "hand_end",
    "deck",
    "__class__",
    "",
    "ping",
    "auth",
]
BROKEN = [
    *("", " ", "{", "}", "[", "nul", '{"type":', "\x00", "{}{}", "'", '{"type":"place"', "NaN", "-", "1e999"),
    *("[" * 3000, '{"a":' * 600, '"' + "\\" * 999 + '"', '{"type":"place","placements":' + "[" * 2000),
]


def junk(chance: random.Random) -> Any:
    """Something that belongs nowhere; its caller may change it."""
    return copy.deepcopy(chance.choice(JUNK))


def mutated(message: dict[str, Any], chance: random.Random) -> Any:
    """A message with something wrong in it, most of the time."""
    body = json.loads(json.dumps(message))
    for _ in range(chance.randint(1, 3)):
        kind = chance.randrange(9)
        placements = body.get("placements")
        pairs = placements if isinstance(placements, list) and placements else [["Ah", "top"]]
        if kind == 0:
            body[chance.choice(["type", "placements", "discard", "discards", "sequence"])] = junk(chance)
        elif kind == 1:
            body.pop(chance.choice(list(body)), None)
            if not body:
                body = {"type": "place"}
        elif kind == 2:
            pairs[chance.randrange(len(pairs))] = junk(chance)
        elif kind == 3:
            pairs.append(chance.choice([["Ah", "top"], pairs[0], junk(chance)]))
        elif kind == 4:
            pairs.pop()
        elif kind == 5:
            body["type"] = chance.choice(TYPES)
        elif kind == 6:
            body["sequence"] = chance.choice([-1, 0, 10**9, 2**70, "1", 1.5, True])
        elif kind == 7:
            return junk(chance)
        else:
            body[chance.choice(["seat", "token", "player_id", "deck", "type"])] = junk(chance)
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


def test_bad_messages_are_made_without_end():
    """No message leaves its marks on what the next is made of."""
    chance, before = random.Random(3), repr(JUNK)
    message = {"type": "place", "placements": [["Ah", "top"], ["Kd", "bottom"]], "discard": "2c"}
    for _ in range(20_000):
        fuzzed(message, chance)
    assert repr(JUNK) == before


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
    limits: dict[str, Any] = {"max_rooms_per_address": 60, "unused_seconds": 600.0}
    with run_server(turn_seconds=600.0, fantasyland_seconds=600.0, **limits) as running:
        yield running


@contextmanager
def no_complaints() -> Iterator[None]:
    """Nothing inside may make the server log an error or a traceback."""
    wrong: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: (  # type: ignore[method-assign]
        wrong.append(record.getMessage()) if record.exc_info or record.levelno >= logging.ERROR else None
    )
    loggers = [logging.getLogger(name) for name in ("uvicorn.error", "server", "asyncio")]
    for logger in loggers:
        logger.addHandler(handler)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeHandler(handler)
    assert wrong == []


def good_message(server: LiveServer, room_id: str) -> dict[str, Any]:
    """A legal placement for the seat to act; any, if the hand has just ended."""
    current = server.lobby.rooms[room_id].game.current
    assert current is not None
    placement = next(iter(current.table.hand.placements()), Placement(top="Ah"))
    return place_message(placement, current.table.sequence + 1)


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
                await start(clients)
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
                refused = answer["code"] == "refused" and "not a practice table" in answer["message"]
                assert refused or answer["code"] in ("bad_message", "illegal", "stale", "not_now"), (
                    bad,
                    answer,
                )
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
                    known = set(card_names(table.hand.dealt_in_order))
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
        names = card_names(hand.dealt_in_order)
        for card in card_names(sorted(set(range(54)) - seen)):
            placements = [[card, "bottom"], [names[1], "bottom"]]
            await clients[seat].send({"type": "place", "placements": placements, "discard": names[2]})
            answers.add((await clients[seat].until("error"))["message"].replace(card, "CARD"))
        assert len(answers) == 1, answers
        for client in clients:
            await client.socket.close()

    run(scenario)


# -------------------------------------------------------------------- many, of all kinds, from everybody

LIVE, REQUESTS = 5_000, 4_000  # beside the 11,000 above
PROVED_LIVE, PROVED_REQUESTS, PARTS = 80_000, 20_000, 10  # of each part


def send_from_everybody(server: LiveServer, count: int, seed: int) -> None:
    """Bad messages from both seats and a spectator, in bursts; every burst is answered to its end."""
    chance = random.Random(seed)

    async def scenario() -> None:
        first, second, tickets = await begin(server, seed=SEED + 100 + seed)
        room_id = tickets[0]["room_id"]
        room = server.lobby.rooms[room_id]
        clients = [first, second, await join(server, room_id)]
        for burst in range(count // 100):
            client = chance.choice(clients)
            if (await settled(room)).table.session.finished:
                for each in clients[:2]:
                    await each.send({"type": "game_start"})
                while (await settled(room)).table.session.finished:
                    await asyncio.sleep(0.001)
            for _ in range(100):
                await client.send(fuzzed(good_message(server, room_id), chance))
            await client.send({"type": f"end-{burst}"})
            while f"end-{burst}" not in (await client.until("error"))["message"]:
                pass
        for client in clients:
            await client.socket.close()

    with no_complaints():
        run(scenario, 60 * PATIENCE)


PATHS = [
    *(
        "/api/rooms",
        "/api/rooms/{}",
        "/api/rooms/{}/join",
        "/api/levels",
        "/api/games/{}/log",
        "/api/evaluate",
    ),
    *(
        "/api/reviews/{}",
        "/api/reviews/{}/progress",
        "/api/rating",
        "/api/export",
        "/api/player",
        "/api/history",
        "/api/sessions/{}",
        "/api/hands/{}",
        "/api/shares/{}",
        "/api/solve",
        "/api/positions",
        "/api/analyse",
        "/api/drills",
        "/api/drills/next",
        "/api/drills/answers",
        "/api/drills/mistakes",
        "/api/drills/mistakes/{}",
        "/api/drills/export",
        "/{}.html",
        "/",
        "/static/{}",
        "/{}",
        "/openapi.json",
        "/ws/{}",
    ),
]
BODIES: list[dict[str, Any]] = [
    {"mode": "friend", "name": "Ann", "private": True},
    {"mode": "ai", "agent": "random", "level": "weak", "seed": 5, "clock": "fast"},
    {"mode": "practice", "agent": "random", "level": "novice"},
    {"mode": "watch", "agent": "random", "level": "novice", "opponent_level": "expert", "clock": "none"},
    {"name": "Bob"},
    {"top": ["Qs", "Qh"], "middle": ["2c", "X1"], "bottom": ["9h", "9d", "9c"]},
    {"cards": ["Ah", "Ad", "Ac", "Kh", "Kd", "Qh", "Qd", "Jh", "Jd", "Th", "9h", "8h", "7h", "6h"]},
]
BODIES += [
    {"text": "top: Qs hand: 10c X1 5c opponent bottom: Ah Ac"},
    {"hand": "9h 4c X1", "top": "Qs Qh", "middle": "2d 2h 7c 7d", "bottom": "Kh Kd Ac Ad 3s", "played": None},
    {"id": "fantasyland-7", "placements": None, "discards": [], "think_time_ms": 5},
    {"id": "mistake-1", "placements": [["Ah", "top"]], "discards": [], "think_time_ms": 5},
    {"hand": "nothing", "decision": 0},
]
QUERIES = ["format", "player", "session", "since", "until", "seat", "hand", "token", "", "\x00", "é"]
QUERIES += ["link", "before", "kind"]


def random_request(chance: random.Random, room_id: str) -> tuple[str, str, str | bytes | None]:
    """Method, path and body."""
    names = [quote(name) for name in (room_id, "nothing", "../app.py", "é", "a" * 900)]
    names += ["%ED%A0%80", "%FF", "%00"]  # half a character, and bytes that are none
    path = chance.choice(PATHS).replace("{}", chance.choice(names))
    for _ in range(chance.choice([0, 0, 1, 3])):
        value = chance.choice([*names, "0", "1", "-1", "NaN", "2031-01-01", "jsonl", "9" * 30, "2031-13-45"])
        path += ("&" if "?" in path else "?") + f"{quote(chance.choice(QUERIES))}={value}"
    method = chance.choice(["GET", "POST", "POST", "POST", "PUT", "HEAD", "DELETE", "OPTIONS"])
    body = json.loads(json.dumps(chance.choice(BODIES)))
    kind = chance.random()
    if kind < 0.5:
        for _ in range(chance.randint(1, 2)):
            body[chance.choice([*body, "deck", "\ud800"])] = junk(chance)
    elif kind < 0.6:
        return method, path, chance.choice([*BROKEN, None])
    elif kind < 0.8:
        return method, path, damaged(json.dumps(body), chance)
    return method, path, json.dumps(body)


def random_headers(chance: random.Random) -> dict[str, str]:
    """With a token or key, good or bad, now and then."""
    headers = {"Content-Type": "application/json"}
    secrets = ["a" * 32, "b" * 22, "short", "a" * 5000, "' OR 1=1 --" * 3, OPERATOR_KEY, ""]
    for name in ("X-Player-Token", "X-Operator-Key"):
        if chance.random() < 0.3:
            headers[name] = chance.choice(secrets)
    return headers


def send_requests(server: LiveServer, count: int, seed: int) -> None:
    """Bad requests, one after the other: none is answered with a fault of the server."""
    chance = random.Random(seed)
    room_id = server.post("/api/rooms", mode="friend")["room_id"]
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=PATIENCE)
    statuses = set()
    with no_complaints():
        for _ in range(count):
            method, path, body = random_request(chance, room_id)
            content = body.encode("utf-8", "replace") if isinstance(body, str) else body
            try:
                connection.request(method, path, content, random_headers(chance))
                answer = connection.getresponse()
                text = answer.read()
            except (http.client.HTTPException, ConnectionError):  # the server may end a connection
                connection.close()
                continue
            assert answer.status < 500, (method, path, body, text)
            if (
                answer.status in (400, 401, 403, 404, 409, 413, 422, 429)
                and method != "HEAD"
                and path[:5] == "/api/"
            ):
                assert isinstance(json.loads(text)["detail"], str), (method, path, body, text)
            statuses.add(answer.status)
        connection.close()
    assert {200, 201, 404, 405, 422} <= statuses
    for room in [room for room in server.lobby.rooms if room != room_id]:  # make place for the next
        server.lobby.rooms.pop(room)
    assert server.get(f"/api/rooms/{room_id}")["id"] == room_id
    server.lobby.rooms.pop(room_id)


def test_everybody_sends_bad_messages_and_is_answered(server: LiveServer):
    send_from_everybody(server, LIVE, 11)


def test_bad_requests_are_refused_in_a_sentence(server: LiveServer):
    send_requests(server, REQUESTS, 12)


@pytest.mark.prove
@pytest.mark.parametrize("part", range(PARTS))
def test_a_million_bad_messages_and_requests(server: LiveServer, part: int):
    send_from_everybody(server, PROVED_LIVE, 1000 + part)
    send_requests(server, PROVED_REQUESTS, 2000 + part)
