"""The course of play in a room: consent, deals, clocks, placements, hands and sessions.

Nothing is told to anybody before it is durable in the log. Every method but the clock's own expects the
caller to hold `lock`. What the rules are and what a viewer may see is the table's business.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable
from typing import Any

from ofc_env import Rules, Session
from ofc_env.records.lines import PRACTICE
from server.play.audience import Audience, Clock
from server.play.journal import WATCHED, GameState, Journal
from server.play.seats import Seat, new_word
from server.play.table import Played, Table, automatic_placement, hand_end_messages, played_messages
from server.protocol.messages import Message, Place, placement_body
from server.settings import CLOCKS, Settings
from server.thinking.client import Choice, Thinking

logger = logging.getLogger("server")
RETRY_SECONDS = 1.0
AUTOMATIC = "automatic"
"""Who placed when nobody chose: the first free slots."""
READY_MESSAGES = {
    "ready": "ready_to_start",
    "hand_over": "hand_over",
    "session_over": "session_ended_awaiting_restart",
}


class Refusal(Exception):
    """What a client asked cannot be done; it is told why, and nothing changes."""

    def __init__(self, sentence: str, code: str) -> None:
        super().__init__(sentence)
        self.code = code


class Game:
    """The sessions of one room. Phases: waiting, ready, playing, hand_over, session_over."""

    def __init__(
        self,
        room_id: str,
        audience: Audience,
        settings: Settings,
        journal: Journal,
        thinking: Thinking,
        *,
        clock: str,
        practice: bool,
        seed: int | None,
        rules: Rules,
        snapshot: Callable[[GameState | None, int | None], dict[str, Any]],
    ) -> None:
        self.room_id = room_id
        self.audience = audience
        self.settings = settings
        self.journal = journal
        self.thinking = thinking
        self.clock_choice = clock
        """One of `CLOCKS`."""
        self.practice = practice
        """Whether one person plays a machine here, who may take moves back."""
        self.seed = seed
        """Seed of the next session, for tests; None: the system's secret randomness."""
        self.rules = rules
        self.snapshot = snapshot
        """The room for the log, in this state of its game and with this seed for the next session."""
        self.lock = asyncio.Lock()
        self.clock = Clock()
        self.limit: float | None = 0.0
        """Seconds given for the turn in progress; None: any time."""
        self.current: GameState | None = None
        """The session in play or just played."""
        self._dealt_at = 0.0
        self._is_paused = False
        """Whether machines have stopped playing each other because nobody watches."""
        self._rematch_is_open = True
        """False for a moment after a session: what was meant for the next hand must not start a rematch."""

    @property
    def phase(self) -> str:
        """Where the room is in the course of play."""
        if self.current is None:
            return "ready" if all(seat.is_present for seat in self.audience.seats) else "waiting"
        if self.current.table.session.finished:
            return "session_over"
        return "hand_over" if self.current.hand_id is None else "playing"

    def resume(self, game: GameState) -> None:
        """Go on with a game from the log: a turn gets its whole time again, a pause waits for somebody."""
        self.current = game
        if self.phase == "playing":
            self.deal()

    def play_again(self, game: GameState) -> None:
        """Go back to where another try at the hand begins; `deal` has it go on."""
        self.clock.stop()
        self.current = game
        self._rematch_is_open = True
        for seat in self.audience.seats:
            seat.ready = seat.placed_itself = False

    async def wake(self) -> None:
        """Somebody has come to watch machines play each other: begin, or go on."""
        if self.phase == "ready":
            await self._start_session()
        elif self.phase == "playing" and self._is_paused:
            self.deal()

    def forget_session(self) -> None:
        """Go back to before the first session; the log keeps what was played."""
        self.clock.stop()
        self.current = None
        self._rematch_is_open = True

    # ---------------------------------------------------------------- what a client may ask

    async def consent(self, seat: Seat) -> None:
        """A seat agrees to begin: the first session, the next hand, or a rematch."""
        if self.phase == "playing":
            raise Refusal("a hand is being played: there is nothing to start", "not_now")
        if self.phase == "session_over" and not self._rematch_is_open:
            raise Refusal(
                "the session has just ended: wait for session_ended_awaiting_restart to ask for a rematch",
                "not_now",
            )
        seat.ready = True
        if self.phase == "waiting":  # kept until the opponent is here
            self.audience.tell_all({"type": "waiting_for_opponent"})
            return
        await self.go_on_if_agreed()
        if seat.ready:  # somebody else has not agreed yet
            self.tell_ready()

    def wait(self) -> None:
        """Have the next hand come only when it is asked for; not where another person would wait too."""
        if self.phase != "hand_over" or len(self.audience.people) > 1:
            raise Refusal("the next hand waits only after a hand with a machine", "not_now")
        self.clock.stop()
        self.tell_ready()

    async def place(self, seat: Seat, message: Place, arrived: float) -> None:
        """A seat places its turn; `arrived` is when the message came (monotonic seconds)."""
        current = self.current
        if current is None or self.phase != "playing":
            raise Refusal("no hand is being played: there is nothing to place", "not_now")
        table = current.table
        if table.player != seat.number:
            raise Refusal("it is not your turn: wait for a deal", "not_now")
        if message.sequence is not None and message.sequence != table.sequence + 1:
            raise Refusal(
                f"placement {message.sequence} is not the one waited for, which is {table.sequence + 1}: "
                "it was meant for another position",
                "stale",
            )
        try:
            played = table.try_placement(message.placement)
        except ValueError as refusal:
            raise Refusal(str(refusal), "illegal") from None
        await self._play(current, played, self._think_time(arrived))

    async def go_on_if_agreed(self) -> None:
        """Start what everybody who is needed has agreed to."""
        if self.phase in ("ready", "session_over"):
            if all(seat.agrees and seat.is_present for seat in self.audience.seats):
                await self._start_session()
        elif self.phase == "hand_over":
            waited_for = [seat for seat in self.audience.people if seat.connection is not None]
            if waited_for and all(seat.ready for seat in waited_for):
                await self._start_hand()

    def tell_ready(self) -> None:
        """Tell everybody who has agreed to what comes next."""
        self.audience.tell_all(self._ready_message())

    @property
    def goes_on_alone(self) -> bool:
        """Whether the next hand comes by itself: nobody is pressed at a table without a clock."""
        return not self.audience.people or CLOCKS[self.clock_choice] is not None

    def pause_before_hand(self) -> None:
        """Start the time after which the next hand comes by itself."""
        self.clock.after(self.settings.hand_pause, self._pause_is_over)

    def greeting(self, seat: int) -> list[Message]:
        """What a seat that comes back is told after the state, as if it had been there."""
        if self.current is None:
            return []
        if self.phase != "playing":
            return [self._ready_message()] if self._rematch_is_open else []
        deal = [self.current.table.deal()] if self.current.table.player == seat else []
        return [*deal, self._timer_message()]

    # ---------------------------------------------------------------- the course of play

    async def _start_session(self) -> None:
        seed = secrets.randbits(64) if self.seed is None else self.seed
        table = Table(Session(seed, self.rules, auto_fantasyland=False))
        game = GameState(new_word(9), None, table)
        names = [seat.name or "" for seat in self.audience.seats]
        players = [(seat.agent if seat.is_ai else seat.name) or "" for seat in self.audience.seats]
        kind = PRACTICE if self.practice else "live" if self.audience.people else WATCHED
        next_seed = None if self.seed is None else self.seed + 1
        state = self.snapshot(game, next_seed)
        owners = {seat.number: seat.owner for seat in self.audience.seats if seat.owner is not None}
        both = players[0], players[1]
        await self.journal.start_session(self.room_id, state, game, both, owners, kind)
        self.current, self.seed = game, next_seed
        start: Message = {
            "type": "session_start",
            "session_id": game.session_id,
            "chips": table.session.chips,
            "rules": self.rules.name,
        }
        self.audience.tell_each(lambda viewer: [{**start, "your_seat": viewer, "names": names}])
        await self._start_hand()

    async def _start_hand(self) -> None:
        if self.current is None:
            raise RuntimeError("a hand needs a session")
        self.clock.stop()
        table = self.current.table
        hand_id = f"{self.current.session_id}-{table.hand_number}"
        game = GameState(self.current.session_id, hand_id, table)
        try:
            await self.journal.start_hand(self.room_id, self.snapshot(game, self.seed), game)
        except Exception:
            logger.exception("room %s could not save the start of a hand", self.room_id)
            self.clock.after(RETRY_SECONDS, self._pause_is_over)
            return
        self.current = game
        for seat in self.audience.seats:
            seat.ready = seat.placed_itself = False
        self.audience.tell_each(lambda viewer: [table.hand_start(viewer, hand_id)])
        self.deal()

    def deal(self) -> None:
        """Give the seat to act its cards and start its clock."""
        game = self.current
        if game is None or game.table.player is None:
            return
        table, seat = game.table, self.audience.seats[game.table.player]
        sequence = table.sequence
        self._is_paused = False
        in_fantasyland = table.hand.in_fantasyland
        self.limit = self.settings.clock_limit(self.rules, in_fantasyland, self.clock_choice)
        if self.limit is None:
            self.clock.stop()
        else:
            self.clock.after(self.limit, lambda: self._time_is_up(game, sequence))
        self._dealt_at = time.monotonic()
        if seat.connection is not None:
            seat.connection.send(table.deal())
        self.audience.tell_all(self._timer_message())
        if seat.is_ai:
            self.clock.run(self._think(seat, game, sequence))

    def _timer_message(self) -> Message:
        seat, left = None if self.current is None else self.current.table.player, self.clock.seconds_left()
        return {"type": "timer_start", "seat": seat, "seconds": left, "limit": self.limit}

    def _ready_message(self) -> Message:
        agreed = [seat.agrees for seat in self.audience.seats]
        left = {"next_hand_seconds": self.clock.seconds_left()} if self.phase == "hand_over" else {}
        return {"type": READY_MESSAGES[self.phase], "ready": agreed, **left}

    async def _play(
        self,
        game: GameState,
        played: Played,
        think_time_ms: int,
        *,
        timed_out: bool = False,
        substitute: str | None = None,
    ) -> None:
        """Make a placement durable, then true, then known.

        Args:
            game: in which the seat was to act.
            played: the placement.
            think_time_ms: from the deal on; the log has -1 instead if it was not the seat's own choice.
            timed_out: whether the seat's time was up.
            substitute: who chose instead of the seat: `AUTOMATIC` or a quick agent's name.
        """
        if substitute is not None:
            think_time_ms = -1
        between_hands = GameState(game.session_id, None, game.table)
        state = None if played.result is None else self.snapshot(between_hands, self.seed)
        await self.journal.record(self.room_id, game, played, think_time_ms, state)
        self.clock.stop()
        game.table.accept(played, think_time_ms)
        if substitute is None:
            self.audience.seats[played.seat].placed_itself = True
        if timed_out:
            auto = placement_body(played.placement)
            self.audience.tell_seat(
                played.seat, {"type": "timeout", "seat": played.seat, "auto_placement": auto}
            )
        self.audience.tell_each(lambda viewer: played_messages(played, viewer, timed_out, substitute))
        if played.result is None:
            self.deal()
        else:
            self.current = between_hands
            await self._end_hand(game, played)

    async def _end_hand(self, game: GameState, played: Played) -> None:
        over = game.table.session.finished
        # The next hand comes by itself only if a person is here and one of them is awake.
        people = self.audience.people
        awake = self.audience.somebody_is_here and (not people or any(each.placed_itself for each in people))
        pause = self.settings.hand_pause if awake and not over and self.goes_on_alone else None
        number = game.table.hand_number - 1
        self.audience.tell_all(*hand_end_messages(played, game.hand_id or "", number, pause))
        if over:
            self.audience.tell_all(game.table.session_end())
            self._rematch_is_open = self.settings.rematch_pause == 0
            if self._rematch_is_open:
                self.tell_ready()
            else:
                self.clock.after(self.settings.rematch_pause, self._rematch_opens)
        elif pause == 0:
            await self._start_hand()
        elif pause is not None:
            self.pause_before_hand()
        elif not self.goes_on_alone:
            self.tell_ready()  # who goes on when asked is asked

    # ---------------------------------------------------------------- clocks and thoughts: they take the lock

    async def _pause_is_over(self) -> None:
        async with self.lock:
            if self.phase == "hand_over":
                self.clock.stop()
                if self.audience.somebody_is_here:
                    await self._start_hand()

    async def _rematch_opens(self) -> None:
        async with self.lock:
            self.clock.stop()
            self._rematch_is_open = True
            self.tell_ready()

    async def _time_is_up(self, game: GameState, sequence: int) -> None:
        async with self.lock:
            if self.current is not game or game.table.sequence != sequence:
                return  # placed in the last moment
            try:
                await self._play(game, self._automatic(game), -1, timed_out=True, substitute=AUTOMATIC)
            except Exception:
                logger.exception("room %s could not save an automatic placement", self.room_id)
                self.clock.after(RETRY_SECONDS, lambda: self._time_is_up(game, sequence))

    async def _think(self, seat: Seat, game: GameState, sequence: int) -> None:
        name = f"{self.room_id}/{seat.number}"
        hand_id, hand, began = game.hand_id or "", game.table.hand, time.monotonic()
        seconds = self.limit or self.settings.turn_limit(self.rules, hand.in_fantasyland)
        choice = await self.thinking.choose(name, seat.agent or "", hand_id, hand, seconds)
        if not self.audience.people:
            await asyncio.sleep(self.settings.watch_pause - (time.monotonic() - began))
        async with self.lock:
            if self.current is not game or game.table.sequence != sequence:
                return  # the clock was faster, or the move before was taken back
            if not self.audience.people and not self.audience.somebody_is_here:
                self._is_paused = True
                return
            try:
                played, substitute = self._try_choice(seat, game, choice)
                think_time = self._think_time(time.monotonic())
                await self._play(game, played, think_time, substitute=substitute)
            except Exception:  # the clock will place; where there is none, it thinks again
                logger.exception("room %s could not save a placement of %s", self.room_id, seat.agent)
                if self.limit is None:
                    self.clock.after(RETRY_SECONDS, lambda: self._think(seat, game, sequence))

    def _try_choice(self, seat: Seat, game: GameState, choice: Choice | None) -> tuple[Played, str | None]:
        """What an AI seat plays, and who chose it if it was not the seat's agent."""
        if choice is None:
            return self._automatic(game), AUTOMATIC
        try:
            return game.table.try_placement(choice.placement), choice.substitute
        except ValueError as refusal:
            logger.warning("%s answered with an illegal placement: %s", seat.agent, refusal)
            return self._automatic(game), AUTOMATIC

    def _automatic(self, game: GameState) -> Played:
        return game.table.try_placement(automatic_placement(game.table.hand))

    def _think_time(self, arrived: float) -> int:
        """Milliseconds from the deal to a moment."""
        return max(0, round((arrived - self._dealt_at) * 1000))
