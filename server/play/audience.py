"""Everybody connected to a room, two seats and any number of spectators, and how they are told things."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from server.play.seats import Seat
from server.protocol.connections import REPLACED, Connection
from server.protocol.messages import Message, encode, error


class Audience:
    """The seats of a room and its spectators."""

    def __init__(self, seats: list[Seat]) -> None:
        self.seats = seats
        self.spectators: set[Connection] = set()

    @property
    def people(self) -> list[Seat]:
        """The seats of persons."""
        return [seat for seat in self.seats if not seat.is_ai]

    @property
    def somebody_is_here(self) -> bool:
        """Whether a person is connected to one of the seats; where machines sit at both, whether any is."""
        return any(seat.connection is not None for seat in self.people) or (
            not self.people and bool(self.spectators)
        )

    @property
    def connections(self) -> list[Connection]:
        """Everybody connected, seats first."""
        return [seat.connection for seat in self.seats if seat.connection is not None] + list(self.spectators)

    def welcome(self, connection: Connection) -> None:
        """Let a connection in; a newer one on the same seat takes over from the older."""
        if connection.seat is None:
            self.spectators.add(connection)
            return
        seat = self.seats[connection.seat]
        if seat.connection is not None:
            reason = error("this seat was opened elsewhere, and that window plays on", "replaced")
            seat.connection.close(REPLACED, reason)
        seat.connection = connection
        seat.entered = True

    def forget(self, connection: Connection) -> None:
        """Let a connection go; its seat stays its own."""
        self.spectators.discard(connection)
        for seat in self.seats:
            if seat.connection is connection:
                seat.connection = None
                seat.ready = False

    def tell_seat(self, number: int, *messages: Message) -> None:
        """To one seat alone."""
        connection = self.seats[number].connection
        if connection is not None:
            connection.send(*messages)

    def tell_all(self, *messages: Message, besides: Connection | None = None) -> None:
        """The same to everybody: public things only."""
        texts = [encode(message) for message in messages]
        for connection in self.connections:
            if connection is not besides:
                connection.send_text(*texts)

    def tell_each(self, messages_for: Callable[[int | None], list[Message]]) -> None:
        """To each viewer what he may know; all spectators know the same."""
        for seat in self.seats:
            if seat.connection is not None:
                seat.connection.send(*messages_for(seat.number))
        if self.spectators:
            texts = [encode(message) for message in messages_for(None)]
            for connection in list(self.spectators):
                connection.send_text(*texts)

    def presence(self) -> Message:
        """Who is here."""
        return {
            "type": "presence",
            "connected": [seat.is_present for seat in self.seats],
            "names": [seat.name for seat in self.seats],
            "spectators": len(self.spectators),
        }


class Clock:
    """One deadline at a time, and the work that follows it.

    Nearly every deadline is put off by a placement long before it comes. So the timer of an earlier one is
    left running, and sets itself again when it rings too early: once in a turn's time instead of once a turn.
    """

    def __init__(self) -> None:
        self.deadline: float | None = None
        self._then: Callable[[], Coroutine[Any, Any, None]] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def after(self, seconds: float, then: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Do something when the time is up, instead of what was planned before."""
        loop = asyncio.get_running_loop()
        self.deadline, self._then = loop.time() + seconds, then
        if self._timer is not None:
            if self._timer.when() <= self.deadline:
                return
            self._timer.cancel()
        self._timer = loop.call_at(self.deadline, self._ring)

    def stop(self) -> None:
        """Plan nothing."""
        self.deadline = self._then = None

    def _ring(self) -> None:
        timer, self._timer = self._timer, None
        if timer is None or self.deadline is None or self._then is None:
            return
        if timer.when() < self.deadline:
            self._timer = asyncio.get_running_loop().call_at(self.deadline, self._ring)
        else:
            then, self._then = self._then, None
            self.run(then())

    def seconds_left(self) -> float | None:
        """Time to the deadline; None if there is none."""
        if self.deadline is None:
            return None
        return round(max(0.0, self.deadline - asyncio.get_running_loop().time()), 2)

    def run(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start work in the background, and keep hold of it until it is done."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def cancel_all(self) -> None:
        """Stop the deadline and all work in the background."""
        self.stop()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for task in list(self._tasks):
            task.cancel()
