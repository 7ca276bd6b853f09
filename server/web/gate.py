"""The outermost layer of the server: which requests come in at all, and the headers that go out.

Refuses unknown hosts (a page elsewhere cannot reach a loopback server through a name of its own), requests
and WebSockets from pages of other origins, bodies that are too large, and addresses that ask too often.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.settings import Settings
from server.web.addresses import AddressLimit, client_address
from server.web.readers import OPERATOR_HEADER, PLAYER_HEADER

SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
# The page of the interactive documentation loads its scripts from elsewhere, which this server never does.


def host_name(netloc: str) -> str:
    """The host of `host`, `host:port` or `[::1]:port`, in small letters."""
    try:
        return (urlsplit(f"//{netloc}").hostname or "").lower()
    except ValueError:
        return ""


def origin_is_allowed(origin: str | None, host: str, allowed: Iterable[str]) -> bool:
    """Whether a page of this origin may talk to the server. No origin: not a browser's page."""
    if origin is None:
        return True
    allowed = tuple(allowed)
    if "*" in allowed or origin.lower().rstrip("/") in (name.lower().rstrip("/") for name in allowed):
        return True
    try:
        return bool(host) and urlsplit(origin).netloc.lower() == host.lower()
    except ValueError:
        return False


class Gate:
    """ASGI middleware around the whole application."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.settings = settings
        self.hosts = {name.lower() for name in settings.allow_hosts}
        self.limit = AddressLimit(settings.request_rate, settings.request_burst)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await _refuse(scope, send, *refusal)
        elif scope["type"] == "websocket":
            await self.app(scope, receive, send)
        else:
            await self._pass_request(scope, receive, send)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if self.hosts and host_name(host) not in self.hosts:
            return 400, "this server does not answer to that host name: start it with --allow-host"
        # What anybody may read, a page elsewhere may have fetched; what a token or key opens, never.
        secret = any(header in headers for header in (PLAYER_HEADER, OPERATOR_HEADER))
        reads = scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and not secret
        if not reads and not origin_is_allowed(headers.get("origin"), host, self.settings.allow_origins):
            return 403, "pages of other origins may not use this server: start it with --allow-origin"
        if not self.limit.allows(client_address(scope)):
            return 429, "too many requests from your address: wait a moment"
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self.settings.max_body_bytes:
            return 413, f"a request may have at most {self.settings.max_body_bytes} bytes"
        return None

    async def _pass_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        received = 0

        async def limited_receive() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self.settings.max_body_bytes:  # a body sent in pieces, with no length
                return {"type": "http.disconnect"}
            return message

        async def guarded_send(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
                if scope["path"].startswith(
                    "/api/"
                ):  # the same address has another answer for another player
                    headers["Cache-Control"] = "no-store"
            await send(message)

        await self.app(scope, limited_receive, guarded_send)


async def _refuse(scope: Scope, send: Send, status: int, sentence: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": sentence})  # before accept: HTTP 403
        return
    body = json.dumps({"detail": sentence}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    headers += [(name.lower().encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
