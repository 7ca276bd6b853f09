"""Who sits at a table: names, tokens and connections."""

from __future__ import annotations

import hmac
import secrets
import time
import unicodedata
from dataclasses import dataclass, field
from typing import Any

from ofc_env.records.players import token_digest, unnamed
from server.protocol.connections import Connection

LONGEST_NAME = 24


def new_word(size: int) -> str:
    """A random word of so many bytes that nobody guesses; not one that a command line takes for an option."""
    while (word := secrets.token_urlsafe(size)).startswith("-"):
        pass
    return word


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
    agent: str | None = None
    """Who plays an AI seat, by its `agents.make` name."""
    level: str | None = None
    """The level that it was chosen for."""
    digest: str | None = None
    """Hash of the token that holds the seat."""
    owner: str | None = None
    """Hash of the lasting token of the player who holds it, if one was shown: whose the hands will be."""
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

    def sit(self, name: str | None, owner: str | None = None) -> str:
        """Give the seat to a person, perhaps a known player; returns the secret token that holds it."""
        if not self.is_free:
            raise ValueError("this seat is taken: open a room of your own")
        token = new_word(24)
        self.name = clean_name(name, unnamed(self.number))
        self.digest, self.owner = token_digest(token), owner
        self.seated_at, self.entered = time.monotonic(), False
        return token

    def free(self) -> None:
        """Take the seat away from whoever holds it: the token is worth nothing from now on."""
        self.name = self.digest = self.owner = self.connection = None
        self.ready = False

    def forget_owner(self) -> None:
        """Let nobody know who sits here; the seat stays theirs by its token."""
        self.owner, self.name = None, unnamed(self.number)

    def holds(self, token: str) -> bool:
        """Whether a token is this seat's, compared in constant time."""
        return self.digest is not None and hmac.compare_digest(self.digest, token_digest(token))

    def to_body(self) -> dict[str, Any]:
        """For the room's snapshot."""
        body = {"is_ai": self.is_ai, "name": self.name, "digest": self.digest, "owner": self.owner}
        return body | ({"agent": self.agent, "level": self.level} if self.is_ai else {})
