"""All the rooms of a server: opened, found, restored after a restart, and closed when nobody comes."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from typing import Any

from agents import levels
from ofc_env import Rules
from server.play.journal import Journal
from server.play.reviews import Reviews
from server.play.room import Room
from server.play.seats import Seat, new_word
from server.protocol.connections import RESTARTING
from server.settings import CLOCKS, STANDARD_CLOCK, Settings
from server.thinking.client import TROUBLE, Thinking, candidates

logger = logging.getLogger("server")
MODES = ("ai", "friend", "practice", "watch")
UNCLOCKED = ("practice", "watch")
"""Modes without a clock: nobody is pressed at a practice table, nor machines that are watched."""
ROOM_ID = re.compile(r"[A-Za-z0-9_-]{1,32}")
SWEEP_SECONDS = 10.0


class Full(Exception):
    """The server has as many rooms as it may have."""


class TooMany(Exception):
    """One address has as many rooms as it may have."""


class Silent(Exception):
    """The thinking process does not answer."""


def verify_options(mode: str, clock: str | None, opponent_level: str | None) -> None:
    """Refuse what does not go together in a new room."""
    if mode not in MODES:
        raise ValueError(f"there is no mode {mode!r}: use one of {', '.join(MODES)}")
    if clock is not None and clock not in CLOCKS:
        raise ValueError(f"there is no clock {clock!r}: use one of {', '.join(CLOCKS)}")
    if mode in UNCLOCKED and clock not in (None, "none"):
        raise ValueError(f"a table of mode {mode!r} has no clock: leave out `clock`")
    if opponent_level is not None and mode != "watch":
        raise ValueError(f"a table of mode {mode!r} has one level: leave out `opponent_level`")


class Lobby:
    """The rooms, by id."""

    def __init__(self, settings: Settings, journal: Journal) -> None:
        self.settings = settings
        self.journal = journal
        self.thinking = Thinking(settings.thinking_threads)
        self.reviews = Reviews(journal, self.thinking)
        self.rooms: dict[str, Room] = {}
        self._opening: list[str | None] = []
        """The addresses of rooms that are being saved."""

    async def open(
        self,
        mode: str,
        *,
        level: str | None = None,
        opponent_level: str | None = None,
        agent: str | None = None,
        name: str | None = None,
        clock: str | None = None,
        private: bool | None = None,
        seed: int | None = None,
        rules: str | None = None,
        address: str | None = None,
        owner: str | None = None,
    ) -> tuple[Room, Seat | None, str | None]:
        """Open a room and sit its first person down: the room, the seat and the seat's token.

        Args:
            mode: one of `MODES`; where machines play each other there is no seat and no token.
            level: of the machine; of seat 0 where there are two.
            opponent_level: of seat 1 then.
            agent: plays instead of the level's own.
            name: the person's.
            clock: one of `CLOCKS`; the standard one by default, and none where nobody is pressed.
            private: whether it is left out of the list; None: only a room with a free seat is listed.
            seed: of the cards.
            rules: in their text form; None: the server's.
            address: where the request came from, for the limit of one address.
            owner: hash of the person's player token.
        """
        verify_options(mode, clock, opponent_level)
        chosen = self.settings.rules if rules is None else Rules.parse(rules)
        most = self.settings.max_rooms_per_address
        if address is not None and self._opened_from(address) >= most:
            raise TooMany(f"your address has {most} rooms open, as many as it may: play or wait in those")
        if len(self.rooms) + len(self._opening) >= self.settings.max_rooms:
            raise Full(f"all {self.settings.max_rooms} rooms of this server are in use: try again later")
        if seed is not None and not self.settings.allow_seeds:
            raise ValueError("this server chooses its own cards: leave out `seed`")
        seats = [Seat(0), Seat(1)]
        options: dict[str, Any] = {
            "clock": clock or ("none" if mode in UNCLOCKED else STANDARD_CLOCK),
            "practice": mode == "practice",
            "private": mode != "friend" if private is None else private,
            "seed": seed,
            "address": address,
            "rules": chosen,
        }
        self._opening.append(address)
        try:
            if mode == "watch":
                seats[0] = await self._machine(0, level, agent, chosen)
            if mode != "friend":
                seats[1] = await self._machine(1, opponent_level or level, agent, chosen)
            token = None if seats[0].is_ai else seats[0].sit(name, owner)
            room = Room(new_word(8), seats, self.settings, self.journal, self.thinking, **options)
            await self.journal.save_room(room.id, room.to_body(None, seed))
        finally:
            self._opening.remove(address)
        self.rooms[room.id] = room
        for player in dict.fromkeys(seat.agent for seat in seats if seat.agent is not None):
            await self.thinking.prepare(player, chosen)
        return room, None if token is None else seats[0], token

    async def _machine(self, number: int, level: str | None, agent: str | None, rules: Rules) -> Seat:
        level = levels.level_of(level or self.settings.level)
        agent = await self.opponent(level, agent or self.settings.agent, rules)
        name = f"AI ({level})" if agent == levels.agent_of(level) else f"AI ({agent})"[:40]
        return Seat(number, is_ai=True, name=name, agent=agent, level=level)

    async def opponent(self, level: str, agent: str | None, rules: Rules) -> str:
        """Who plays a level by these rules: the agent that is named, or the first of the level's that can.

        ValueError with a sentence if nobody can, `Silent` if nobody answers.
        """
        choices = candidates(level, agent)
        if rules.same_hand(Rules()):  # everybody plays those: nobody need wait for an agent to load
            return choices[0]
        try:
            return await self.thinking.cast(choices, rules)
        except TROUBLE:
            raise Silent("the machine did not answer: try again in a moment") from None

    async def warm(self) -> None:
        """Load who plays the levels by the server's rules, that of the default level first.

        ValueError with a sentence if somebody cannot play who has to: the agent that was named for all
        levels, or any level's by the house rules. Other rules may have no machine that plays them.
        """
        settings = self.settings
        await self.thinking.cast([levels.quick_agent(settings.rules)], settings.rules)
        for level in dict.fromkeys([settings.level, *levels.LEVELS]):
            try:
                await self.thinking.cast(candidates(level, settings.agent), settings.rules)
            except ValueError as refusal:
                if settings.agent is not None or settings.rules.same_hand(Rules()):
                    raise
                logger.warning("nobody plays the level %s: %s", level, refusal)

    def _opened_from(self, address: str) -> int:
        opened = [room.address for room in self.rooms.values()] + self._opening
        return opened.count(address)

    def find(self, room_id: str) -> Room | None:
        """The room of this id, if it is open."""
        return self.rooms.get(room_id) if ROOM_ID.fullmatch(room_id) else None

    def listed(self) -> list[Room]:
        """The rooms that everybody may see, newest first."""
        rooms = [room for room in self.rooms.values() if not room.private]
        return sorted(rooms, key=lambda room: room.created, reverse=True)

    async def forget(self, player: str) -> None:
        """Take a player's name and token out of every room and of the log; the hands stay, nobody's."""
        for room in list(self.rooms.values()):
            await room.forget(player)
        await self.journal.forget_player(player)

    def restore(self) -> int:
        """Take up every room of the log where it was left; returns how many."""
        for room_id, body in self.journal.rooms():
            try:
                self.rooms[room_id] = self._restored(room_id, body)
            except (
                ValueError,
                KeyError,
                TypeError,
            ) as error:  # the log of one room must not keep the others shut
                logger.error("room %s cannot be restored: %s", room_id, error)
        return len(self.rooms)

    def _restored(self, room_id: str, body: dict[str, Any]) -> Room:
        seats = [Seat(number, **seat) for number, seat in enumerate(body["seats"])]
        if "agent" in body:  # a snapshot of a version whose rooms had one machine at most
            for seat in seats:
                if seat.is_ai:
                    seat.agent, seat.level = body["agent"], body["level"]
        room = Room(
            room_id,
            seats,
            self.settings,
            self.journal,
            self.thinking,
            clock=body.get("clock", STANDARD_CLOCK),
            practice=body.get("practice", False),
            private=body["private"],
            seed=body["seed"],
            rules=Rules.parse(body["rules"]),
            created=body["created"],
        )
        if body["game"] is not None:
            room.game.resume(self.journal.restore_game(body["game"], room.game.rules))
        return room

    async def sweep_forever(self) -> None:
        """Close the rooms that nobody has come to for long, and free the seats that nobody has taken up."""
        shortest = min(self.settings.idle_seconds, self.settings.unused_seconds)
        while True:
            await asyncio.sleep(min(SWEEP_SECONDS, shortest / 2))
            try:
                await self.sweep()
            except Exception:
                logger.exception("idle rooms could not be closed")

    async def sweep(self) -> None:
        """Close the rooms that have been empty, and free the seats that have been unused, for too long."""
        now = time.monotonic()
        empty_before, unused_before = now - self.settings.idle_seconds, now - self.settings.unused_seconds
        for room in list(self.rooms.values()):
            idle = not room.audience.connections and room.empty_since < empty_before
            if idle or (room.is_unused and room.unused_since < unused_before):
                await room.close()
                self.rooms.pop(room.id, None)
            else:
                await room.free_unused_seats(unused_before)

    async def close(self) -> None:
        """Stop all play and tell everybody to come back: the rooms are in the log."""
        for room in self.rooms.values():
            room.game.clock.cancel_all()
            for connection in room.audience.connections:
                connection.close(RESTARTING)
        await self.reviews.close()
        await self.thinking.close()
