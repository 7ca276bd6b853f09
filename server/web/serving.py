"""How uvicorn runs the application: limits of the transport, and a log without secrets."""

from __future__ import annotations

import asyncio
import gc
import logging
import re
import socket
from typing import Any, cast

import uvicorn
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from server.settings import Settings
from server.web.app import create_app

READ_BYTES = 8192
FAREWELL_SECONDS = 15.0


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


class PatientProtocol(WebSocketsSansIOProtocol):
    """Reads a little at a time, so that a client that floods the server lets the others in.

    A client that is gone or takes nothing any more is let go of: an ordinary close would wait for it to read.
    """

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Set how much one read may take; the event loop's own figure is a quarter of a megabyte."""
        if hasattr(transport, "max_size"):
            transport.max_size = READ_BYTES
        super().connection_made(cast(asyncio.Transport, CorkedTransport(cast(Any, transport), self.loop)))

    def keepalive_timeout(self) -> None:
        """No answer to a ping."""
        super().keepalive_timeout()
        self.transport.abort()

    async def run_asgi(self) -> None:
        """Serve the connection, and see that it ends."""
        await super().run_asgi()
        self.loop.call_later(FAREWELL_SECONDS, self.transport.abort)


class HideTokens(logging.Filter):
    """Keeps the secret of a seat out of the log of requests."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Replace every token in a line of the log."""
        record.msg = re.sub(r"token=[^&\s\"]*", "token=…", record.getMessage())
        record.args = ()
        return True


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes any free one.

    It says that it speaks TCP, for only then does the event loop send small messages at once: otherwise each
    may wait 40 ms for the acknowledgement of the one before.
    """
    listener = socket.socket(
        socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP
    )
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(1024)
    except (OSError, OverflowError):  # the latter for a port that no machine has
        listener.close()
        raise
    return listener


def uvicorn_config(settings: Settings, verbose: bool = False) -> uvicorn.Config:
    """How uvicorn is to run the application."""
    return uvicorn.Config(
        create_app(settings),
        ws=PatientProtocol,
        log_level="info" if verbose else "warning",
        access_log=verbose,
        ws_max_size=settings.max_message_bytes
        * 4,  # the application answers up to here, beyond it is cut off
        ws_ping_interval=settings.ping_seconds,
        ws_ping_timeout=settings.ping_seconds,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=5,
        server_header=False,
    )


def serve(config: uvicorn.Config, listener: socket.socket) -> None:
    """Run the server until it is stopped."""
    for name in ("uvicorn.error", "uvicorn.access"):
        logging.getLogger(name).addFilter(HideTokens())
    # What was imported stays for good: looking through it again would stop all rooms for 50 ms each time.
    gc.collect()
    gc.freeze()
    try:
        uvicorn.Server(config).run(sockets=[listener])
    finally:
        gc.unfreeze()
