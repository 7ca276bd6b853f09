"""Who sits at a table: names, tokens and connections."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
import unicodedata
from dataclasses import dataclass, field
from typing import Any

from server.protocol.connections import Connection

LONGEST_NAME = 24


def new_word(size: int) -> str:
    """A random word of so many bytes that nobody guesses; not one that a command line takes for an option."""
    while (word := secrets.token_urlsafe(size)).startswith("-"):
        pass
    return word


def token_digest(token: str) -> str:
    """What is kept of a token: the database never holds one that could be used."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def clean_name(name: str | None, otherwise: str) -> str:
    """A person's name as it may be shown: printable, single-spaced, short."""
    kept = "".join(
        " " if c.isspace() else c for c in name or "" if c.isspace() or unicodedata.category(c)[0] not in "CZ"
    )
    return " ".join(kept.split())[:LONGEST_NAME].strip() or otherwise


@dataclass
class Seat:
    """One of the two chairs. An empty chair is a person's with no token yet."""

    number: int
    is_ai: bool = False
    name: str | None = None
    digest: str | None = None
    """Hash of the token that holds the seat."""
    connection: Connection | None = field(default=None, compare=False)
    ready: bool = False
    """Whether the seat has agreed to go on: to a session or to the next hand."""
    placed_itself: bool = False
    """Whether it has placed in this hand without the clock's help."""
    seated_at: float = field(default=0.0, compare=False)
    """When somebody sat down here (monotonic seconds)."""
    entered: bool = field(default=True, compare=False)
    """Whether the person has been connected since; one from before a restart is believed to have been."""

    @property
    def player_id(self) -> str:
        """The public name of the chair in the protocol; it proves nothing."""
        return f"p{self.number}"

    @property
    def is_free(self) -> bool:
        """Whether a person may still sit down."""
        return not self.is_ai and self.digest is None

    @property
    def is_present(self) -> bool:
        """Whether somebody sits there who can act: a connected person, or an AI."""
        return self.is_ai or self.connection is not None

    @property
    def agrees(self) -> bool:
        """Whether the game need not wait for this seat; an AI is always ready."""
        return self.is_ai or self.ready

    def sit(self, name: str | None) -> str:
        """Give the seat to a person; returns the secret token that holds it."""
        if not self.is_free:
            raise ValueError("this seat is taken: open a room of your own")
        token = new_word(24)
        self.name = clean_name(name, f"Player {self.number + 1}")
        self.digest = token_digest(token)
        self.seated_at, self.entered = time.monotonic(), False
        return token

    def free(self) -> None:
        """Take the seat away from whoever holds it: the token is worth nothing from now on."""
        self.name = self.digest = self.connection = None
        self.ready = False

    def holds(self, token: str) -> bool:
        """Whether a token is this seat's, compared in constant time."""
        return self.digest is not None and hmac.compare_digest(self.digest, token_digest(token))

    def to_body(self) -> dict[str, Any]:
        """For the room's snapshot."""
        return {"is_ai": self.is_ai, "name": self.name, "digest": self.digest}
