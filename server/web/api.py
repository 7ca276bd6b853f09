"""The REST side: rooms, levels, logs of finished hands for who may read them, and help for the page."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool

from agents import levels
from ofc_env import Rules
from server.play.lobby import Full, Lobby, Silent, TooMany
from server.play.room import Room
from server.play.seats import Seat
from server.protocol.rules import offered, rules_body
from server.thinking import hints
from server.web.addresses import client_address
from server.web.bodies import (
    FantasylandCards,
    GameLog,
    Level,
    Levels,
    NewPlayer,
    NewRoom,
    Problem,
    RoomList,
    RoomSummary,
    Rows,
    RulesList,
    Ticket,
)
from server.web.own_hands import NO_GAME, readable
from server.web.readers import NOBODY, AnyReader
from server.web.streams import Export, Places

MOST_LISTED = 200
Filter = Annotated[str | None, Query(max_length=64)]


def _problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    return {status: {"model": Problem} for status in statuses}


def _ticket(room: Room, seat: Seat | None, token: str | None) -> Ticket:
    return Ticket(
        room_id=room.id,
        player_id=None if seat is None else seat.player_id,
        token=token,
        seat=None if seat is None else seat.number,
        ws_path=f"/ws/{room.id}",
        room=RoomSummary(**room.summary()),
    )


def make_router(lobby: Lobby, exports: Places) -> APIRouter:
    """The routes under /api that are about rooms and logs; `exports` are made so many at a time."""
    router = APIRouter(prefix="/api")
    logs = Places(lobby.settings.max_exports, "other logs are being read: try again in a moment")

    def found(room_id: str) -> Room:
        room = lobby.find(room_id)
        if room is None:
            raise HTTPException(404, f"there is no room {room_id[:40]!r}: it may have been closed")
        return room

    def rules_of(room_id: str | None) -> Rules:
        return lobby.settings.rules if room_id is None else found(room_id).game.rules

    async def player_of(level: str) -> str | None:
        try:
            return await lobby.opponent(level, lobby.settings.agent, lobby.settings.rules)
        except (ValueError, Silent):
            return None

    @router.post("/rooms", status_code=201, responses=_problems(422, 429, 503))
    async def open_room(body: NewRoom, request: Request, reader: AnyReader) -> Ticket:
        """Open a room and take its first seat; with a player token the hands will be that player's."""
        if body.agent is not None and body.agent not in levels.playable():
            raise HTTPException(
                422, f"there is no agent {body.agent!r}: use one of {', '.join(levels.playable())}"
            )
        try:
            address = client_address(request.scope)
            room, seat, token = await lobby.open(**body.model_dump(), address=address, owner=reader.player)
        except (Full, Silent) as trouble:
            raise HTTPException(503, str(trouble)) from None
        except TooMany as too_many:
            raise HTTPException(429, str(too_many)) from None
        except ValueError as refusal:
            raise HTTPException(422, str(refusal)) from None
        return _ticket(room, seat, token)

    @router.get("/rooms")
    async def list_rooms() -> RoomList:
        """The newest rooms that are not private."""
        return RoomList(rooms=[RoomSummary(**room.summary()) for room in lobby.listed()[:MOST_LISTED]])

    @router.get("/rooms/{room_id}", responses=_problems(404, 422))
    async def show_room(room_id: str) -> RoomSummary:
        """One room."""
        return RoomSummary(**found(room_id).summary())

    @router.post("/rooms/{room_id}/join", responses=_problems(404, 409, 422))
    async def join_room(room_id: str, reader: AnyReader, body: NewPlayer | None = None) -> Ticket:
        """Take the free seat of a room; with a player token as for opening one."""
        room = found(room_id)
        try:
            seat, token = await room.join(body.name if body is not None else None, reader.player)
        except ValueError as refusal:
            raise HTTPException(409, str(refusal)) from None
        return _ticket(room, seat, token)

    @router.get("/levels")
    async def list_levels() -> Levels:
        """The levels of AI rooms and who plays them here, at a table that names no rules."""
        playing = [Level(name=name, agent=await player_of(name)) for name in levels.LEVELS]
        return Levels(
            levels=playing,
            default=levels.level_of(lobby.settings.level),
            agents=levels.playable(lobby.settings.rules),
        )

    @router.get("/rules")
    async def list_rules() -> RulesList:
        """The rules that a table can be opened with by name, as data."""
        settings = lobby.settings
        bodies = [rules_body(rules, settings) for rules in offered(settings)]
        return RulesList(rules=bodies, default=settings.rules.name)

    @router.get("/games/{session_id}/log", responses=_problems(403, 404, 422, 503))
    async def game_log(session_id: str, reader: AnyReader) -> GameLog:
        """The finished hands of a session, or one of them, turn by turn. A hand in play is never shown.

        `session_id` is that of a session of one's own, or the link of a session or hand instead.
        """
        with logs.taken():
            found = await readable(lobby, session_id, reader)
            log = await run_in_threadpool(lobby.journal.session_log, found.session_id, found.hand_id)
        if log is None:
            raise HTTPException(404, NO_GAME)
        return GameLog(**log)

    @router.get("/export", response_class=StreamingResponse, responses=_problems(401, 403, 404, 422, 503))
    async def export(
        reader: AnyReader,
        format: Literal["jsonl"] = "jsonl",
        player: Filter = None,
        session: Filter = None,
        since: Filter = None,
        until: Filter = None,
        link: Annotated[str | None, Query(max_length=64, description="of a shared session or hand")] = None,
    ) -> StreamingResponse:
        """Every turn of one's own finished hands, or of those that a link leads to, a JSON object per line.

        All hands for the operator.
        """
        selection = {"player": player, "session": session, "since": since, "until": until}
        if link is not None:
            found = await readable(lobby, link, reader)
            if session not in (None, found.session_id):
                raise HTTPException(422, "the link does not lead to that session: give one of the two")
            selection |= {"session": found.session_id, "hand": found.hand_id}
        elif not reader.is_operator:
            if reader.player is None:
                raise HTTPException(401, NOBODY)
            selection["owner"] = reader.player
        exports.take()
        chunks = lobby.journal.export_chunks(**selection)
        try:
            first = await run_in_threadpool(next, chunks, b"")
        except BaseException as error:
            exports.leave()
            if isinstance(error, ValueError):
                raise HTTPException(422, str(error)) from None
            raise
        return Export(first, chunks, exports.leave)

    @router.post("/evaluate", responses=_problems(404, 422))
    async def evaluate(rows: Rows) -> dict[str, Any]:
        """How a board stands, full or not: names, royalties, danger of a foul."""
        try:
            return hints.evaluate_rows(rows.top, rows.middle, rows.bottom, rules_of(rows.room))
        except ValueError as refusal:
            raise HTTPException(422, str(refusal)) from None

    @router.post("/solve", responses=_problems(404, 422))
    async def solve(body: FantasylandCards) -> dict[str, Any]:
        """The exact best setting of a fantasyland hand."""
        try:
            return await run_in_threadpool(hints.solve_rows, body.cards, rules_of(body.room))
        except ValueError as refusal:
            raise HTTPException(422, str(refusal)) from None

    return router
