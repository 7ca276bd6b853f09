"""The server's log: no secrets in it, and no flood of one complaint."""

from __future__ import annotations

import logging
import re
import time

TOKEN = re.compile(r"token=[^&\s\"]*")
MOST_COMPLAINTS = 1000


class HideTokens(logging.Filter):
    """Keeps the secret of a seat out of the log of requests."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Replace every token in a line of the log; its parts stay, for formatters that look at them."""
        record.msg = _without_token(record.msg)
        if isinstance(record.args, tuple):
            record.args = tuple(_without_token(part) for part in record.args)
        return True


def _without_token(part: object) -> object:
    return TOKEN.sub("token=…", part) if isinstance(part, str) else part


class OnceASecond(logging.Filter):
    """Lets one complaint of a kind through each second: a client can provoke them as fast as it likes."""

    def __init__(self) -> None:
        super().__init__()
        self.said_at: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is no complaint, or the first of its kind for a second."""
        if record.levelno < logging.WARNING:
            return True
        now, kind = time.monotonic(), str(record.msg)
        if now - self.said_at.get(kind, now - 2.0) < 1.0:
            return False
        if len(self.said_at) >= MOST_COMPLAINTS:
            self.said_at.clear()
        self.said_at[kind] = now
        return True


def quieten() -> None:
    """Put the filters on every logger that a request can reach, once each."""
    for name in ("uvicorn.error", "uvicorn.access", "asyncio", "server"):
        logger = logging.getLogger(name)
        for kind in (HideTokens, OnceASecond):
            if not any(isinstance(each, kind) for each in logger.filters):
                logger.addFilter(kind())
