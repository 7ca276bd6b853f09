"""How uvicorn runs the application: what a connection may cost, and a start that refuses in one sentence."""

from __future__ import annotations

import asyncio
import gc
import logging
import socket
import sys
from collections.abc import Callable
from typing import Any

import uvicorn

from server.play.lobby import Lobby
from server.settings import Settings
from server.thinking.client import TROUBLE
from server.web.app import create_app
from server.web.logs import quieten
from server.web.transport import Doors, http_protocol, websocket_protocol

SWITCH_SECONDS = 0.0005
# A message makes hundreds of short-lived objects, and the standard 700 would look for garbage after each.
COLLECTION_THRESHOLDS = (20_000, 20, 20)


def listen(host: str, port: int) -> socket.socket:
    """A socket that holds its port; port 0 takes any free one. Nobody gets in before the server is ready.

    It says that it speaks TCP, for only then does the event loop send small messages at once: otherwise each
    may wait 40 ms for the acknowledgement of the one before.
    """
    listener = socket.socket(
        socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP
    )
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except (OSError, OverflowError):  # the latter for a port that no machine has
        listener.close()
        raise
    return listener


def uvicorn_config(settings: Settings, verbose: bool = False) -> uvicorn.Config:
    """How uvicorn is to run the application."""
    doors = Doors(settings)
    config = uvicorn.Config(
        create_app(settings),
        http=http_protocol(settings, doors),
        ws=websocket_protocol(doors),
        # The process's own logging carries uvicorn's lines: its standard configuration would close every
        # handler of whoever runs the server in their process.
        log_config=None,
        log_level="info" if verbose else "warning",
        access_log=verbose,
        # The application answers messages up to here; beyond it the connection is cut off.
        ws_max_size=settings.max_message_bytes * 4,
        ws_ping_interval=settings.ping_seconds,
        ws_ping_timeout=settings.ping_seconds,
        ws_per_message_deflate=False,
        proxy_headers=settings.trusted_proxy is not None,
        forwarded_allow_ips=settings.trusted_proxy,
        timeout_graceful_shutdown=5,
        server_header=False,
    )
    quieten()
    return config


class Server(uvicorn.Server):
    """A server that lets nobody in before its agents are loaded, and does not start if one cannot play.

    Args:
        config: of `uvicorn_config`.
        opened: called once when the port is open.
    """

    def __init__(self, config: uvicorn.Config, opened: Callable[[], None] = lambda: None) -> None:
        super().__init__(config)
        self.opened = opened
        self.refusal: str | None = None
        """Why it did not start."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Load the agents, take up the rooms of the log, open the port."""
        asyncio.get_running_loop().set_exception_handler(_report)
        lobby: Lobby = self.config.app.state.lobby  # type: ignore[union-attr]
        if lobby.settings.warm:
            try:
                await lobby.warm()
            except (ValueError, *TROUBLE) as refusal:
                self.refusal = str(refusal) or "the agents did not load in time"
                self.should_exit = True
                await lobby.thinking.close()
                lobby.journal.close()
                return
        await super().startup(sockets)
        self.opened()


def _report(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log what went wrong in the event loop; that no connection can be taken is a line, not a traceback."""
    if "socket.accept()" in context["message"]:
        logging.getLogger("server").error("no connection can be taken: %s", context.get("exception"))
    else:
        loop.default_exception_handler(context)


def serve(config: uvicorn.Config, listener: socket.socket, opened: Callable[[], None] = lambda: None) -> None:
    """Run the server until it is stopped; ValueError with a sentence if it cannot start."""
    # What was imported stays for good: looking through it again would stop all rooms for 50 ms each time.
    gc.collect()
    gc.freeze()
    thresholds = gc.get_threshold()
    gc.set_threshold(*COLLECTION_THRESHOLDS)
    # The thread that writes the log must not keep the rooms waiting for the interpreter, 5 ms each time.
    interval = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    server = Server(config, opened)
    try:
        server.run(sockets=[listener])
    finally:
        sys.setswitchinterval(interval)
        gc.set_threshold(*thresholds)
        gc.unfreeze()
        listener.close()
    if server.refusal is not None:
        raise ValueError(server.refusal)
