"""The application: REST, WebSocket and page around one lobby; `create_app(Settings(...))`."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

import ofc_env
from server.play.journal import Journal
from server.play.lobby import Lobby
from server.play.room import Room
from server.protocol.connections import BAD_TOKEN, NO_ROOM, TOO_MUCH, Connection
from server.protocol.messages import error, read
from server.settings import Settings
from server.web.addresses import client_address
from server.web.api import make_router
from server.web.drills import make_drills_router
from server.web.gate import Gate
from server.web.judging import Judging
from server.web.openings import make_openings_router
from server.web.own_hands import make_own_router
from server.web.positions import make_positions_router
from server.web.reviews import make_review_router
from server.web.streams import Places

LONGEST_SENTENCE = 300
STATIC = Path(__file__).parent / "static"
DESCRIPTION = """Rooms for OFC Pineapple, person against person or AI. Open or join a room here, then play
over the WebSocket `/ws/{room_id}?player_id=…&token=…`; without both
you watch. Its messages are in docs/server.md."""


def create_app(settings: Settings | None = None) -> FastAPI:
    """A server with its log database open; every room in it is taken up again when it starts."""
    settings = settings or Settings()
    journal = Journal(settings.database, settings.durable)
    lobby = Lobby(settings, journal)

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        lobby.restore()
        sweeper = asyncio.get_running_loop().create_task(lobby.sweep_forever())
        try:
            yield
        finally:
            sweeper.cancel()
            await lobby.close()
            journal.close()

    # The interactive documentation would load scripts from elsewhere; /openapi.json says the same.
    app = FastAPI(
        title="OFC Pineapple",
        version=ofc_env.__version__,
        description=DESCRIPTION,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    app.state.lobby = lobby
    exports = Places(settings.max_exports, "other logs are being exported: try again in a moment")
    app.include_router(make_router(lobby, exports))
    app.include_router(make_own_router(lobby))
    app.include_router(make_openings_router(settings))
    app.include_router(make_review_router(lobby, exports))
    judging = Judging(settings)
    app.include_router(make_positions_router(lobby, judging))
    app.include_router(make_drills_router(lobby, judging))
    app.add_exception_handler(RequestValidationError, _refuse_body)
    open_connections: dict[Connection, str] = {}  # with the address of each

    @app.websocket("/ws/{room_id}")
    async def play(websocket: WebSocket, room_id: str) -> None:
        await websocket.accept()
        if len(open_connections) >= settings.max_connections:
            await _turn_away(websocket, TOO_MUCH, "this server is full: try again later", "refused")
            return
        address = client_address(websocket.scope)
        if list(open_connections.values()).count(address) >= settings.max_connections_per_address:
            sentence = f"your address has {settings.max_connections_per_address} connections: close one"
            await _turn_away(websocket, TOO_MUCH, sentence, "refused")
            return
        room = lobby.find(room_id)
        if room is None:
            await _turn_away(websocket, NO_ROOM, "there is no such room: it may have been closed", "gone")
            return
        try:
            seat = _seat(room, websocket)
        except ValueError as refusal:
            await _turn_away(websocket, BAD_TOKEN, str(refusal), "refused")
            return
        if seat is None and len(room.audience.spectators) >= settings.max_spectators:
            await _turn_away(websocket, TOO_MUCH, "this room has all the spectators it can have", "refused")
            return
        connection = Connection(websocket, seat, settings)
        open_connections[connection] = address
        connection.start()
        try:
            await room.attach(connection)
            # A task of its own: what waits here would be woken through every layer of the application.
            await asyncio.get_running_loop().create_task(_listen(room, connection, settings))
        finally:
            open_connections.pop(connection, None)
            await room.detach(connection)
            connection.close(1000)
            await connection.finish()

    if STATIC.is_dir():
        pages = {file.stem for file in STATIC.glob("*.html")}

        @app.get("/", include_in_schema=False)
        async def index() -> Response:
            return FileResponse(STATIC / "index.html", headers={"Cache-Control": "no-cache"})

        @app.get("/{page}.html", include_in_schema=False)
        async def other_page(page: str) -> Response:
            if page not in pages:
                return JSONResponse({"detail": "there is no such page: begin at /"}, 404)
            return FileResponse(STATIC / f"{page}.html", headers={"Cache-Control": "no-cache"})

        app.mount("/static", StaticFiles(directory=STATIC), name="static")

    app.add_middleware(GZipMiddleware, minimum_size=1024)
    app.add_middleware(Gate, settings=settings)
    return app


def _seat(room: Room, websocket: WebSocket) -> int | None:
    """The seat that the query of a WebSocket proves to hold; None for a spectator."""
    player_id, token = websocket.query_params.get("player_id"), websocket.query_params.get("token")
    if player_id is None and token is None:
        return None
    for seat in room.audience.seats:
        if seat.player_id == player_id and seat.holds(token or ""):
            return seat.number
    raise ValueError(
        "player_id and token do not belong to a seat of this room: join it first, or leave both out to watch"
    )


async def _refuse_body(request: Request, error: Exception) -> Response:
    """A request that is not what it should be, in one sentence; nothing of what was sent is repeated."""
    first, *more = error.errors() if isinstance(error, RequestValidationError) else [{}]
    where = ".".join(str(part) for part in first.get("loc", ()))
    sentence = f"{where or 'request'}: {first.get('msg', 'cannot be read')}"
    if more:
        sentence += f" (and {len(more)} more)"
    text = sentence.encode("ascii", "backslashreplace").decode()[:LONGEST_SENTENCE]
    return JSONResponse({"detail": text}, 422)


async def _turn_away(websocket: WebSocket, code: int, sentence: str, kind: str) -> None:
    with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError):
        await websocket.send_json(error(sentence, kind))
        await websocket.close(code)


async def _listen(room: Room, connection: Connection, settings: Settings) -> None:
    """Read a client's messages until it goes or is sent away."""
    while not connection.closed:
        event = await connection.websocket.receive()
        if event["type"] == "websocket.disconnect":
            return
        if connection.closed or not connection.allow_message():
            continue
        text = event.get("text")
        if text is None:
            connection.send(error("binary messages are not read: send JSON as text", "bad_message"))
            continue
        if len(text.encode()) > settings.max_message_bytes:
            connection.send(
                error(f"a message may have at most {settings.max_message_bytes} bytes", "bad_message")
            )
            continue
        try:
            message = read(text)
        except ValueError as refusal:
            connection.send(error(str(refusal), "bad_message"))
            continue
        await room.receive(connection, message)
