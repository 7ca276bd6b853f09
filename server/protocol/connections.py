"""One client's WebSocket: a bounded queue out, a rate limit in, and an end that always says why."""

from __future__ import annotations

import asyncio
import contextlib
import time

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from server.protocol.messages import Message, encode, error
from server.settings import Settings

REPLACED, BAD_TOKEN, NO_ROOM, TOO_SLOW, TOO_MUCH, RESTARTING = 4001, 4403, 4404, 4408, 4429, 1012
SEND_NOW = "ofc.send_now"
"""Extension of the scope of a WebSocket: a function that sends texts at once and says whether it could."""
# A client that goes on sending after so many refusals is not a person with a nervous finger.
REFUSALS_BEFORE_CLOSING = 200


class Bucket:
    """A rate limit: `burst` at once, `rate` per second on average."""

    def __init__(self, rate: float, burst: float) -> None:
        self.rate = rate
        self.burst = burst
        self.level = float(burst)
        self.filled_at = time.monotonic()

    def take(self) -> bool:
        """Whether one more is allowed now; it is counted if so."""
        now = time.monotonic()
        self.level = min(self.burst, self.level + (now - self.filled_at) * self.rate)
        self.filled_at = now
        if self.level < 1:
            return False
        self.level -= 1
        return True

    @property
    def full(self) -> bool:
        """Whether nothing has been taken lately, so that the bucket may be forgotten."""
        return self.level + (time.monotonic() - self.filled_at) * self.rate >= self.burst


class Connection:
    """A connected client. `seat` is None for a spectator.

    Messages leave in order, and a slow client holds nobody up: what it does not take at once is queued, and
    leaves from a task of its own.
    """

    def __init__(self, websocket: WebSocket, seat: int | None, settings: Settings) -> None:
        self.websocket = websocket
        self.seat = seat
        self.settings = settings
        self.bucket = Bucket(settings.message_rate, settings.message_burst)
        self.refusals = 0
        self.closed = False
        self._outgoing: asyncio.Queue[str | int] = asyncio.Queue()
        self._writer: asyncio.Task[None] | None = None
        self._is_writing = False
        self._send_now = websocket.scope.get("extensions", {}).get(SEND_NOW)

    def start(self) -> None:
        """Begin to send what is queued."""
        self._writer = asyncio.get_running_loop().create_task(self._write())

    def send(self, *messages: Message) -> None:
        """Queue messages; a client that lets too many wait is dropped."""
        self.send_text(*(encode(message) for message in messages))

    def send_text(self, *texts: str) -> None:
        """Send messages that are encoded already: at once if nothing waits, otherwise in their turn."""
        idle = self._send_now is not None and not self.closed and not self._is_writing
        if idle and self._outgoing.empty() and self._send_now(texts):
            return
        for text in texts:
            if self.closed:
                return
            if self._outgoing.qsize() >= self.settings.max_backlog:
                self.close(TOO_SLOW)
                return
            self._outgoing.put_nowait(text)

    def close(self, code: int, reason: Message | None = None) -> None:
        """End the connection after what is queued; a slow client's queue is dropped."""
        if self.closed:
            return
        if reason is not None:
            self.send(reason)
        self.closed = True
        if code == TOO_SLOW:
            while not self._outgoing.empty():
                self._outgoing.get_nowait()
        self._outgoing.put_nowait(code)

    def allow_message(self) -> bool:
        """Count an incoming message; a refusal is answered, and the worst offenders are cut off."""
        if self.bucket.take():
            return True
        self.refusals += 1
        if self.refusals >= REFUSALS_BEFORE_CLOSING:
            self.close(TOO_MUCH)
        elif self.refusals % 10 == 1:
            rate = self.settings.message_rate
            self.send(
                error(f"too many messages: at most {rate:g} a second are read, this one was not", "rate")
            )
        return False

    async def finish(self) -> None:
        """Wait until everything queued has left, after `close`."""
        if self._writer is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([self._writer], timeout=self.settings.send_seconds)
            self._writer.cancel()

    async def _write(self) -> None:
        try:
            while True:
                self._is_writing = False
                item = await self._outgoing.get()
                self._is_writing = True
                if isinstance(item, int):
                    await self._close_socket(item)
                    return
                async with asyncio.timeout(self.settings.send_seconds):
                    await self.websocket.send_text(item)
        except TimeoutError:
            self.closed = True
            await self._close_socket(TOO_SLOW)
        except (WebSocketDisconnect, RuntimeError, OSError):
            self.closed = True  # gone already: the reader notices too

    async def _close_socket(self, code: int) -> None:
        if self.websocket.application_state is WebSocketState.CONNECTED:
            with contextlib.suppress(Exception):
                await asyncio.wait_for(self.websocket.close(code), self.settings.send_seconds)
