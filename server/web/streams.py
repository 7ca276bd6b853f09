"""Long answers: some at a time, sent in chunks, and their place given up however they end."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Generator, Iterator
from contextlib import contextmanager

from fastapi import HTTPException
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.types import Receive, Scope, Send


class Places:
    """So many at a time; whoever comes next is refused with a sentence."""

    def __init__(self, count: int, sentence: str) -> None:
        self.free = count
        self.sentence = sentence

    def take(self) -> None:
        """Take a place, to be given back by `leave`."""
        if self.free <= 0:
            raise HTTPException(503, self.sentence)
        self.free -= 1

    def leave(self) -> None:
        """Give a place back."""
        self.free += 1

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Hold a place for as long as the block runs."""
        self.take()
        try:
            yield
        finally:
            self.leave()


class Export(StreamingResponse):
    """An answer made of chunks; its place is given up however it ends, also when nobody reads it.

    Args:
        first: the first chunk.
        chunks: the others, read in a thread.
        finished: called at the end.
    """

    media_type = "application/jsonl"

    def __init__(
        self, first: bytes, chunks: Generator[bytes, None, None], finished: Callable[[], None]
    ) -> None:
        super().__init__(_stream(first, chunks))
        self.chunks = chunks
        self.finished = finished

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it, as far as it is read."""
        try:
            await super().__call__(scope, receive, send)
        finally:  # nothing is awaited here: a client that is gone cancels every wait
            self.finished()
            self.chunks.close()


async def _stream(first: bytes, chunks: Generator[bytes, None, None]) -> AsyncIterator[bytes]:
    yield first
    while chunk := await run_in_threadpool(next, chunks, b""):
        yield chunk
