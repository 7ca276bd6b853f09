"""One room: who may come in, what they may ask, and what a page is shown that has just been opened."""

from __future__ import annotations

import logging
import time
from typing import Any

from ofc_env import Rules
from server.play.audience import Audience
from server.play.game import Game, Refusal
from server.play.journal import GameState, Journal
from server.play.practice import Practice
from server.play.seats import Seat
from server.protocol.connections import BAD_TOKEN, NO_ROOM, Connection
from server.protocol.messages import (
    FreeSeat,
    GameStart,
    Identify,
    Message,
    Place,
    Request,
    TakeBack,
    Wait,
    error,
)
from server.protocol.rules import rules_body
from server.settings import STANDARD_CLOCK, Settings
from server.thinking.client import Thinking

logger = logging.getLogger("server")
NO_PRACTICE = (
    "this is not a practice table: moves are taken back, and hints and chances given, at such a table alone"
)
CLOSED = error("this room has been closed: open another", "gone")
FREED = error("this seat has been freed by who opened the room: open one of your own", "freed")


class Room:
    """A game with a door."""

    def __init__(
        self,
        room_id: str,
        seats: list[Seat],
        settings: Settings,
        journal: Journal,
        thinking: Thinking,
        *,
        clock: str = STANDARD_CLOCK,
        practice: bool = False,
        private: bool = False,
        seed: int | None = None,
        rules: Rules | None = None,
        created: float | None = None,
        address: str | None = None,
    ) -> None:
        self.id = room_id
        self.settings = settings
        self.journal = journal
        self.clock = clock
        self.private = private
        self.created = round(time.time(), 3) if created is None else created
        self.address = address
        """Who opened the room, for the limit of one address; not kept over a restart."""
        self.opened_at = self.empty_since = time.monotonic()
        self.closed = False
        self.audience = Audience(seats)
        self.game = Game(
            room_id,
            self.audience,
            settings,
            journal,
            thinking,
            clock=clock,
            practice=practice,
            seed=seed,
            rules=rules or Rules(),
            snapshot=self.to_body,
        )
        self.practice = Practice(self.game) if practice else None

    # ---------------------------------------------------------------- what can be known

    @property
    def mode(self) -> str:
        """What this room is for: one of `server.play.lobby.MODES`."""
        machines = sum(seat.is_ai for seat in self.audience.seats)
        return "practice" if self.practice is not None else ("friend", "ai", "watch")[machines]

    def summary(self) -> dict[str, Any]:
        """The room as the lobby lists it."""
        current, phase, seats = self.game.current, self.game.phase, self.audience.seats
        session = current.table.session if current is not None else None
        number = 0 if current is None else current.table.hand_number - (phase != "playing")
        return {
            "id": self.id,
            "mode": self.mode,
            "level": seats[1].level,
            "levels": [seat.level for seat in seats],
            "agent": seats[1].agent,
            "clock": self.clock,
            "rules": self.game.rules.name,
            "private": self.private,
            "phase": phase,
            "names": [seat.name for seat in seats],
            "seats_free": sum(seat.is_free for seat in seats),
            "session_id": current.session_id if current is not None else None,
            "hand_number": number,
            "chips": session.chips if session is not None else [self.game.rules.chips] * 2,
            "spectators": len(self.audience.spectators),
            "created": self.created,
        }

    def state(self, viewer: int | None) -> Message:
        """All that a viewer may know."""
        current, phase, seats = self.game.current, self.game.phase, self.audience.seats
        left = self.game.clock.seconds_left()
        message: Message = {
            "type": "state",
            "phase": phase,
            "room": {
                "id": self.id,
                "mode": self.mode,
                "level": seats[1].level,
                "levels": [seat.level for seat in seats],
                "clock": self.clock,
                "names": [seat.name for seat in seats],
                "private": self.private,
            },
            "rules": rules_body(self.game.rules, self.settings, self.clock),
            "your_seat": viewer,
            "connected": [seat.is_present for seat in seats],
            "ready": [seat.agrees for seat in seats],
            "spectators": len(self.audience.spectators),
            "session_id": current.session_id if current is not None else None,
            "hand_id": current.hand_id if current is not None else None,
            "seconds": left if phase == "playing" else None,
            "limit": self.game.limit if phase == "playing" else None,
            "next_hand_seconds": left if phase == "hand_over" else None,
            "session_result": None,
        }
        if current is not None:
            message |= current.table.view(viewer, between_hands=current.hand_id is None)
            if phase == "session_over":
                message["session_result"] = current.table.session_end()
        return message

    def to_body(self, game: GameState | None, next_seed: int | None) -> dict[str, Any]:
        """The room as the log keeps it, in a state of its game that is about to be reached."""
        return {
            "created": self.created,
            "clock": self.clock,
            "practice": self.practice is not None,
            "private": self.private,
            "seed": next_seed,
            "rules": str(self.game.rules),  # every field: a preset may change
            "seats": [seat.to_body() for seat in self.audience.seats],
            "game": None if game is None else game.to_body(),
        }

    # ---------------------------------------------------------------- the door

    async def attach(self, connection: Connection) -> None:
        """Let a connection in and tell it all it may know."""
        async with self.game.lock:
            if self.closed:
                connection.close(NO_ROOM, CLOSED)
                return
            self.audience.welcome(connection)
            connection.send(self.state(connection.seat))
            self.audience.tell_all(self.audience.presence(), besides=connection)
            if connection.seat is None and self.audience.people:
                return
            if connection.seat is None:
                await self.game.wake()
            else:
                connection.send(*self.game.greeting(connection.seat))
                self._tell_waiting()
            waits = self.game.phase == "hand_over" and self.game.clock.deadline is None
            if waits and self.game.goes_on_alone:
                self.game.pause_before_hand()

    async def detach(self, connection: Connection) -> None:
        """Let a connection go."""
        async with self.game.lock:
            self.audience.forget(connection)
            if not self.audience.connections:
                self.empty_since = time.monotonic()
            self.audience.tell_all(self.audience.presence())
            if connection.seat is not None and not self.closed:
                self._tell_waiting()
                if self.game.phase == "hand_over":  # perhaps it was the only one waited for
                    await self.game.go_on_if_agreed()

    def _tell_waiting(self) -> None:
        """Before the first session: is everybody here?"""
        if self.game.phase == "ready":
            self.game.tell_ready()
        elif self.game.phase == "waiting":
            self.audience.tell_all({"type": "waiting_for_opponent"})

    async def join(self, name: str | None, owner: str | None = None) -> tuple[Seat, str]:
        """Give a free seat to a person, with the hash of the player's token: the seat and its token."""
        async with self.game.lock:
            seat = next((seat for seat in self.audience.seats if seat.is_free), None)
            if seat is None or self.closed:
                raise ValueError("this room has no free seat: watch it, or open one of your own")
            token = seat.sit(name, owner)
            try:
                await self._save(self.game.current)
            except Exception:
                seat.free()
                raise
            self.audience.tell_all(self.audience.presence())
            return seat, token

    async def free_unused_seats(self, seated_before: float) -> None:
        """Free the seats of persons who sat down before a moment and have never connected."""

        def is_unused(seat: Seat) -> bool:
            return seat.digest is not None and not seat.entered and seat.seated_at < seated_before

        if not any(map(is_unused, self.audience.people)):
            return
        async with self.game.lock:
            for seat in filter(is_unused, self.audience.people):
                if not self._is_in_session:
                    await self._free(seat)

    @property
    def is_unused(self) -> bool:
        """Whether nobody who has a seat has ever come; nobody's seat is lost where machines play."""
        if not self.audience.people:
            return not self.audience.connections
        return not any(seat.digest is not None and seat.entered for seat in self.audience.people)

    @property
    def unused_since(self) -> float:
        """When somebody should have come (monotonic seconds)."""
        return self.opened_at if self.audience.people else max(self.opened_at, self.empty_since)

    @property
    def _is_in_session(self) -> bool:
        return self.game.current is not None and not self.game.current.table.session.finished

    async def _free(self, seat: Seat) -> None:
        """Free a seat; whoever comes next was not in the session that has ended, so the room begins anew."""
        held = seat.name, seat.digest, seat.connection, seat.ready, seat.owner
        seat.free()
        try:
            await self._save(None)
        except Exception:
            seat.name, seat.digest, seat.connection, seat.ready, seat.owner = held
            raise
        self.game.forget_session()
        if held[2] is not None:
            held[2].close(BAD_TOKEN, FREED)
        self.audience.tell_all(self.audience.presence())
        self._tell_waiting()

    async def _free_other_seat(self, host: Seat) -> None:
        """The host takes the other seat back, between sessions."""
        seat = self.audience.seats[1 - host.number]
        if host.number != 0 or seat.is_ai:
            raise Refusal("only who opened a room for two persons may free its other seat", "refused")
        if self._is_in_session:
            raise Refusal("a session is being played: a seat is freed before it or after it", "not_now")
        if seat.is_free:
            raise Refusal("the other seat is free already", "not_now")
        await self._free(seat)

    async def _identify(self, seat: Seat, player: str) -> None:
        """A seat says whose it is: what it plays from now on, and this session if that is nobody's yet."""
        if seat.owner == player:
            return
        before, seat.owner = seat.owner, player
        try:
            await self._save(self.game.current)
            if self.game.current is not None:
                await self.journal.claim_seat(self.game.current.session_id, seat.number, player)
        except Exception:
            seat.owner = before
            raise

    async def forget(self, player: str) -> None:
        """Let nobody here know a player any more; who comes after in the log is the journal's business."""
        async with self.game.lock:
            seats = [seat for seat in self.audience.people if seat.owner == player]
            for seat in seats:
                seat.forget_owner()
            if seats:
                self.audience.tell_all(self.audience.presence())

    async def _save(self, game: GameState | None) -> None:
        await self.journal.save_room(self.id, self.to_body(game, self.game.seed))

    async def close(self) -> None:
        """End the room for good; a session in the middle is broken off."""
        async with self.game.lock:
            self.closed = True
            self.game.clock.cancel_all()
            for connection in self.audience.connections:
                connection.close(NO_ROOM, CLOSED)
            current = self.game.current
            unfinished = current is not None and not current.table.session.finished
            await self.journal.drop_room(self.id, current if unfinished else None)

    # ---------------------------------------------------------------- messages

    async def receive(self, connection: Connection, message: Request) -> None:
        """Do what a client asks, or answer with an error and change nothing."""
        arrived = time.monotonic()
        if connection.seat is None:
            connection.send(error("spectators watch: join a room to play", "refused"))
            return
        seat = self.audience.seats[connection.seat]
        async with self.game.lock:
            if seat.connection is not connection or self.closed:
                return
            try:
                if isinstance(message, GameStart):
                    await self.game.consent(seat)
                elif isinstance(message, Wait):
                    self.game.wait()
                elif isinstance(message, FreeSeat):
                    await self._free_other_seat(seat)
                elif isinstance(message, Identify):
                    await self._identify(seat, message.player)
                    connection.send({"type": "identified"})
                elif isinstance(message, Place):
                    await self._place(seat, connection, message, arrived)
                elif self.practice is None:
                    raise Refusal(NO_PRACTICE, "refused")
                elif isinstance(message, TakeBack):
                    await self._take_back(seat, self.practice, message.whole_hand)
                else:
                    self.practice.ask(seat, connection, message)
            except Refusal as refusal:
                connection.send(error(str(refusal), refusal.code))
            except Exception:
                logger.exception("room %s could not do what seat %d asked", self.id, seat.number)
                connection.send(
                    error("the server could not save this: nothing has changed, try again", "internal")
                )

    async def _place(self, seat: Seat, connection: Connection, message: Place, arrived: float) -> None:
        """Place, or first ask whether a foul that could be avoided is meant."""
        if self.practice is not None and not message.sure and self.practice.fouls_for_certain(seat, message):
            connection.send({"type": "certain_foul", "sequence": message.sequence})
        else:
            await self.game.place(seat, message, arrived)

    async def _take_back(self, seat: Seat, practice: Practice, whole_hand: bool) -> None:
        """Go back, and show everybody the table as it stands now."""
        news = await practice.take_back(seat, whole_hand)
        self.audience.tell_all(news)
        self.audience.tell_each(lambda viewer: [self.state(viewer)])
        self.game.deal()
