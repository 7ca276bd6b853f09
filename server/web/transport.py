"""Connections as uvicorn sees them: how many there may be, and how long a client may take for anything."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, OrderedDict
from collections.abc import Iterable
from typing import Any, Protocol, cast

import h11
from uvicorn._types import ASGIReceiveEvent
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request
from websockets.protocol import State
from websockets.utils import apply_mask

from server.protocol.connections import SEND_NOW
from server.settings import Settings
from server.web.addresses import address_group

logger = logging.getLogger("server")
READ_BYTES = 8192
MOST_UNREAD = 4
"""Messages of a client that wait to be looked at before the next ones are left in its socket."""
FAREWELL_SECONDS = 15.0
# What may come in beside the WebSockets that the settings allow: pages, REST, and those refused in words.
SPARE_CONNECTIONS, SPARE_PER_ADDRESS = 500, 50
# Files that the log, the thinking process and the page need besides connections.
SPARE_FILES = 100


class Guest(Protocol):
    """A connection that can be asked to go."""

    def give_way(self) -> None:
        """Go at once."""


class Doors:
    """Counts all connections, whether or not they have asked for anything yet.

    When there are too many, the one whose request has been waited for longest makes way for the newcomer: who
    opens connections and leaves them open shuts nobody out.
    """

    def __init__(self, settings: Settings) -> None:
        self.most = _affordable(settings.max_connections + SPARE_CONNECTIONS)
        # A proxy has every client's connections: what one client may have is counted where it is known.
        by_address = settings.trusted_proxy is None
        allowed = settings.max_connections_per_address + SPARE_PER_ADDRESS
        self.most_per_address = allowed if by_address else self.most
        self.by_address: Counter[str] = Counter()
        self.count = 0
        self.waiting: dict[str, OrderedDict[Guest, None]] = {}
        """By address, the connections whose next request is waited for, longest first."""

    def enter(self, address: str) -> bool:
        """Whether one more may come in from an address; it is counted if so."""
        crowd = None
        if self.by_address[address] >= self.most_per_address:
            crowd = self.waiting.get(address)
        elif self.count >= self.most:
            crowd = max(self.waiting.values(), key=len, default=None)
        else:
            self._count(address, 1)
            return True
        logger.warning("too many connections: %d, and one more from %s", self.count, address)
        if not crowd:
            return False
        next(iter(crowd)).give_way()
        self._count(address, 1)
        return True

    def leave(self, address: str) -> None:
        """One that was let in is gone."""
        self._count(address, -1)

    def wait(self, guest: Guest, address: str) -> None:
        """The next request of a connection is waited for from now on."""
        crowd = self.waiting.setdefault(address, OrderedDict())
        crowd[guest] = None
        crowd.move_to_end(guest)

    def wait_no_more(self, guest: Guest, address: str) -> None:
        """Its request is here, or it is gone."""
        crowd = self.waiting.get(address)
        if crowd is not None:
            crowd.pop(guest, None)
            if not crowd:
                del self.waiting[address]

    def _count(self, address: str, change: int) -> None:
        self.count += change
        self.by_address[address] += change
        if not self.by_address[address]:
            del self.by_address[address]


def _affordable(connections: int) -> int:
    """So many connections, or as many as this process can have open; its limit is raised if that helps."""
    try:
        import resource
    except ImportError:  # not on this system
        return connections
    wanted = connections + SPARE_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return connections
    return max(1, soft - SPARE_FILES)


def _address(client: tuple[str, int] | None) -> str:
    return address_group(client[0]) if client else ""


def http_protocol(settings: Settings, doors: Doors) -> type[H11Protocol]:
    """HTTP with an end to everything that a client can make the server wait for."""

    class PatientHttp(H11Protocol):
        """One connection: a timer runs while a request is waited for, another while nothing can be sent."""

        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self._admitted = False
            self._address = ""
            self._request_timer: asyncio.TimerHandle | None = None
            self._write_timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._address = _address(self.client)
            self._admitted = doors.enter(self._address)
            if self._admitted:
                self._wait_for_request(settings.request_seconds)
            else:
                transport.abort()

        def connection_lost(self, exc: Exception | None) -> None:
            self._leave()
            super().connection_lost(exc)

        def give_way(self) -> None:
            """Make room for somebody else."""
            self._leave()
            self.transport.abort()

        def handle_events(self) -> None:
            super().handle_events()
            # A request that is here in full needs no timer until it is answered.
            if self.cycle is not None and not self.cycle.more_body and not self.cycle.response_complete:
                self._wait_no_more()

        def handle_websocket_upgrade(self, event: h11.Request) -> None:
            self._wait_no_more()  # the WebSocket has its own timers, and is counted on as the same one
            super().handle_websocket_upgrade(event)

        def on_response_complete(self) -> None:
            # From now on the next request is waited for, or the rest of this answer to be read.
            self._wait_for_request(max(settings.request_seconds, settings.send_seconds))
            super().on_response_complete()

        def pause_writing(self) -> None:
            super().pause_writing()
            self._stop_timer("_write_timer")
            self._write_timer = self.loop.call_later(settings.send_seconds, self.transport.abort)

        def resume_writing(self) -> None:
            self._stop_timer("_write_timer")
            super().resume_writing()

        def _wait_for_request(self, seconds: float) -> None:
            self._wait_no_more()
            if self._admitted:
                doors.wait(self, self._address)
                self._request_timer = self.loop.call_later(seconds, self.transport.abort)

        def _wait_no_more(self) -> None:
            self._stop_timer("_request_timer")
            doors.wait_no_more(self, self._address)

        def _leave(self) -> None:
            self._wait_no_more()
            self._stop_timer("_write_timer")
            if self._admitted:
                self._admitted = False
                doors.leave(self._address)

        def _stop_timer(self, name: str) -> None:
            timer = getattr(self, name)
            if timer is not None:
                timer.cancel()
                setattr(self, name, None)

    return PatientHttp


class CorkedTransport:
    """Writes once for all that a client is sent in one turn of the event loop: three messages a placement."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._waiting: list[bytes] = []

    def write(self, data: bytes) -> None:
        """Keep data for the end of this turn."""
        if not self._waiting:
            self._loop.call_soon(self._flush)
        self._waiting.append(data)

    def close(self) -> None:
        """Write what waits, then close."""
        self._flush()
        self._transport.close()

    def _flush(self) -> None:
        data = b"".join(self._waiting)
        self._waiting.clear()
        if data:
            self._transport.write(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


def _text_frame(payload: bytes) -> bytes:
    """A text message as a server frames it: in one part, not masked, not compressed (RFC 6455, 5.2)."""
    size = len(payload)
    if size < 126:
        return b"\x81" + bytes((size,)) + payload
    if size < 1 << 16:
        return b"\x81\x7e" + size.to_bytes(2, "big") + payload
    return b"\x81\x7f" + size.to_bytes(8, "big") + payload


def _whole_text(data: bytes) -> bytes | None:
    """The text of data that is one whole message of a client, masked and in one part; None if it is not."""
    if len(data) < 6 or data[0] != 0x81 or data[1] < 0x80:
        return None
    size, begin = data[1] - 0x80, 2
    if size > 125:
        if size == 127:
            return None
        size, begin = int.from_bytes(data[2:4], "big"), 4
    if len(data) != begin + 4 + size:
        return None
    return apply_mask(data[begin + 4 :], data[begin : begin + 4])


def _is_whole_control(data: bytes) -> bool:
    """Whether data is one whole ping, pong or close: such frames are short, and never in parts."""
    return len(data) >= 6 and data[0] >= 0x88 and 0x80 <= data[1] <= 0xFD and len(data) == data[1] - 0x80 + 6


def websocket_protocol(doors: Doors) -> type[WebSocketsSansIOProtocol]:
    """WebSocket connections that went in through these doors."""

    class PatientWebSocket(WebSocketsSansIOProtocol):
        """Reads a little at a time, so that a client that floods the server lets the others in.

        A client that is gone or takes nothing any more is let go of: an ordinary close would wait for it.
        """

        comes_whole = True
        """Whether nothing but whole messages has come so far, as nearly all clients send them. From the first
        one in parts on, the library alone knows where a message begins."""

        def data_received(self, data: bytes) -> None:
            """Read a message that comes whole without the library's parser, which takes much longer."""
            is_open = self.conn.state is State.OPEN
            text = _whole_text(data) if self.comes_whole and is_open else None
            if text is not None and len(text) <= self.config.ws_max_size:
                self.curr_msg_data_type, self.frames = "text", [text]
                self.send_receive_event_to_app()
                return
            if self.handshake_initiated and not _is_whole_control(data):
                self.comes_whole = False
            super().data_received(data)

        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            """Set how much one read may take; the event loop's own figure is a quarter of a megabyte."""
            if hasattr(transport, "max_size"):
                transport.max_size = READ_BYTES
            super().connection_made(cast(asyncio.Transport, CorkedTransport(cast(Any, transport), self.loop)))

        def connection_lost(self, exc: Exception | None) -> None:
            doors.leave(_address(self.client))
            super().connection_lost(exc)

        def handle_connect(self, event: Request) -> None:
            """Begin to serve; the application may send through `send_now` instead of one call a message."""
            super().handle_connect(event)
            if hasattr(self, "scope"):
                cast(Any, self.scope)["extensions"][SEND_NOW] = self.send_now

        def send_now(self, texts: Iterable[str]) -> bool:
            """Send texts at once, unless the client lets earlier ones wait or is on its way out."""
            if not self.writable.is_set() or self.close_sent or self.conn.state is not State.OPEN:
                return False
            self.transport.write(b"".join(_text_frame(text.encode()) for text in texts))
            return True

        async def receive(self) -> ASGIReceiveEvent:
            """The next event; between two that wait already the others have their turn."""
            if not self.queue.empty():
                await asyncio.sleep(0)
            return await super().receive()

        def send_receive_event_to_app(self) -> None:
            """Pass a message on; bytes that are no text end the connection, as the protocol says."""
            data = b"".join(self.frames)
            self.frames = []
            if self.close_sent:
                return  # the application is done with this client
            if self.curr_msg_data_type == "bytes":
                self.queue.put_nowait({"type": "websocket.receive", "bytes": data})
            else:
                try:
                    self.queue.put_nowait({"type": "websocket.receive", "text": data.decode()})
                except UnicodeDecodeError:
                    self.conn.send_close(1007)
                    self.handle_parser_exception()
                    return
            # To pause after every message would cost two system calls each.
            if self.queue.qsize() >= MOST_UNREAD and not self.read_paused:
                self.read_paused = True
                self.transport.pause_reading()

        def keepalive_timeout(self) -> None:
            """No answer to a ping."""
            super().keepalive_timeout()
            self.transport.abort()

        async def run_asgi(self) -> None:
            """Serve the connection, and see that it ends."""
            await super().run_asgi()
            self.loop.call_later(FAREWELL_SECONDS, self.transport.abort)

    return PatientWebSocket
