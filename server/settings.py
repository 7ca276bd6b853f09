"""Everything an operator may set, in one frozen value; the command line of `python -m server` fills it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from agents.levels import DEFAULT_LEVEL
from ofc_env import Rules

STANDARD_CLOCK = "standard"
CLOCKS: Mapping[str, float | None] = MappingProxyType(
    {"none": None, "relaxed": 3.0, STANDARD_CLOCK: 1.0, "fast": 0.5}
)
"""How much of the usual time a table gives for a turn, by the name that who opens it chooses."""


@dataclass(frozen=True)
class Settings:
    """Settings of one server. Times are seconds, sizes are bytes, rates are per second."""

    database: str = "ofc.db"
    """File of the log database; it is made if it does not exist."""
    openings: str = "data/openings.bin"
    """File of the table of openings that experiments/openings.py builds; without it there is no explorer."""
    durable: bool = True
    """Whether a turn is acknowledged only once the disk has it: then not only a killed server but also a loss
    of power leaves it there."""
    agent: str | None = None
    """Agent that plays AI seats at every level, by its `agents.make` name; None: the table in `levels.py`."""
    level: str = DEFAULT_LEVEL
    """Level of an AI room that names none."""
    rules: Rules = field(default_factory=Rules)
    """Rules of a table that names none; the house rules by default."""
    turn_seconds: float | None = None
    """Time for a turn at every table; None: as its rules say (20)."""
    fantasyland_seconds: float | None = None
    """Time for setting a fantasyland hand at every table; None: as its rules say (90)."""
    hand_pause: float = 10.0
    """Longest pause between two hands, for reading the result; 0: the next hand is dealt at once."""
    watch_pause: float = 2.0
    """Shortest time between two placements of machines that play each other to be watched."""
    rematch_pause: float = 1.0
    """Time after a session in which nobody can ask for a rematch: a `game_start` that comes so soon was meant
    for another hand of it."""
    warm: bool = True
    """Whether the agents of all levels are loaded before the port opens."""
    allow_seeds: bool = False
    """Whether a room may name the seed of its cards. For tests only: who knows the seed knows the deck."""

    operator_key: str | None = field(default=None, repr=False)
    """Who sends it may read every finished hand; None: nobody may."""
    allow_origins: tuple[str, ...] = ()
    """Origins besides the server's own that may connect, such as "https://example.org"; "*" allows all."""
    allow_hosts: tuple[str, ...] = ()
    """Host names the server answers to; empty: any. A server on loopback is given the loopback names."""

    trusted_proxy: str | None = None
    """Address of a reverse proxy whose X-Forwarded-For is believed; None: an address is where a connection
    comes from. Limits for one address count all of an IPv6 network of 64 bits as one."""
    max_rooms: int = 1000
    max_rooms_per_address: int = 20
    max_connections: int = 2500
    """WebSockets at once. There may be some hundred connections of other kinds beside them, not more."""
    max_connections_per_address: int = 200
    max_spectators: int = 50
    """Spectators of one room."""
    max_message_bytes: int = 4096
    max_body_bytes: int = 16384
    """Largest REST request."""
    message_rate: float = 20.0
    """Messages a connection may send per second, on average."""
    message_burst: int = 60
    request_rate: float = 20.0
    """REST requests an address may make per second, on average."""
    request_burst: int = 200
    analysis_rate: float = 2.0
    """Positions and drills that an address may have judged per second, on average."""
    analysis_burst: int = 40
    max_analyses: int = 4
    """Positions and drills being judged at the same time."""
    max_backlog: int = 256
    """Messages that may wait for a slow client before it is dropped; it may come back."""
    send_seconds: float = 20.0
    """Longest time one message may take to leave for a client, or an answer to make any progress."""
    ping_seconds: float = 20.0
    """Time between pings, and the time in which a client must answer one."""
    request_seconds: float = 10.0
    """Longest time in which a client must have sent a whole request."""
    unused_seconds: float = 60.0
    """A room that nobody has entered for this long is closed; so long a seat is kept for who joined it."""
    idle_seconds: float = 6 * 3600.0
    """A room that nobody has been connected to for this long is closed."""
    max_exports: int = 2
    """Exports and hand logs being streamed at the same time."""
    thinking_threads: int = 8
    """Searches that share the processor; the next one waits for a free place."""

    def clock_limit(self, rules: Rules, fantasyland: bool, clock: str) -> float | None:
        """Seconds that a clock of `CLOCKS` gives for a turn, or for a fantasyland hand; None: any time."""
        share = CLOCKS[clock]
        return None if share is None else share * self.turn_limit(rules, fantasyland)

    def turn_limit(self, rules: Rules, fantasyland: bool) -> float:
        """Seconds for a turn, or for setting a fantasyland hand, by the standard clock."""
        if fantasyland:
            return (
                self.fantasyland_seconds
                if self.fantasyland_seconds is not None
                else rules.fantasyland_seconds
            )
        return self.turn_seconds if self.turn_seconds is not None else rules.turn_seconds
