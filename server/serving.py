"""How uvicorn runs the application: limits of the transport, and a log without secrets."""

from __future__ import annotations

import asyncio
import logging
import re

import uvicorn
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from server.app import create_app
from server.settings import Settings

READ_BYTES = 8192


class PatientProtocol(WebSocketsSansIOProtocol):
    """Reads a little at a time, so that a client that floods the server lets the others in."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Set how much one read may take; the event loop's own figure is a quarter of a megabyte."""
        if hasattr(transport, "max_size"):
            transport.max_size = READ_BYTES
        super().connection_made(transport)


class HideTokens(logging.Filter):
    """Keeps the secret of a seat out of the log of requests."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Replace every token in a line of the log."""
        record.msg = re.sub(r"token=[^&\s\"]*", "token=…", record.getMessage())
        record.args = ()
        return True


def uvicorn_config(settings: Settings, verbose: bool = False) -> uvicorn.Config:
    """How uvicorn is to run the application."""
    return uvicorn.Config(
        create_app(settings),
        ws=PatientProtocol,
        log_level="info" if verbose else "warning",
        access_log=verbose,
        ws_max_size=settings.max_message_bytes
        * 4,  # the application answers up to here, beyond it is cut off
        ws_ping_interval=20,
        ws_ping_timeout=20,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=5,
        server_header=False,
    )
