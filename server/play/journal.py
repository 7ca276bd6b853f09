"""What the server writes to the log database, and how it finds a session again after a crash.

A room is kept as a small snapshot: names, token hashes, its session's seed and which hand it is in. The turns
are the rows of the log itself. So a turn costs one row, and a restarted server plays on from exactly what was
acknowledged.

Nothing is ever taken out of the log. Where a move is taken back at a practice table, the hand is left as it
is, without a result, and the same deal begins again as the next hand of the session, with what stands of it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeVar

from ofc_env import Rules, Session, parse_cards
from ofc_env.records import Records, players
from ofc_env.records.lines import iter_lines, iter_table, iter_turns
from ofc_env.records.queue import Outcome, RecordsQueue, Work
from ofc_env.records.replay import decisions_of, key_of_turn
from server.play.table import Played, Table

Result = TypeVar("Result")
ROOM_KEY = "room:"
WATCHED = "watched"
"""Kind of a session in which machines play each other."""
COMMIT_SECONDS = 0.005
"""Time between two commits: a busy server does several rooms' turns in one, an idle one commits at once."""
_OF_SESSION = "JOIN sessions s ON s.id = h.session WHERE s.session_id = ?"
_DECKS = f"SELECT h.hand_number, h.deck FROM hands h {_OF_SESSION} ORDER BY h.hand_number"
# For readers: finished hands only, and never a deck or a seed.
_FINISHED = f"{_OF_SESSION} AND h.result IS NOT NULL ORDER BY h.hand_number"
_HANDS = f"""SELECT h.hand_id, h.hand_number, h.button, h.chips_0, h.chips_1, h.fantasyland_0,
    h.fantasyland_1, h.started_at, h.ended_at, h.result FROM hands h {_FINISHED}"""
_SETTINGS = f"""SELECT h.hand_id, f.seat, f.width, f.dealt_cards, f.board, f.discards, f.stays,
    f.think_time_ms, f.timestamp FROM fantasyland f JOIN hands h ON h.id = f.hand {_FINISHED}, f.seat"""
_SESSION = """SELECT session_id, player_0, player_1, rules, started_at, ended_at, winner, reason
    FROM sessions WHERE session_id = ?"""


@dataclass(frozen=True)
class GameState:
    """A session in play, as far as a snapshot has to know it."""

    session_id: str
    hand_id: str | None
    """None between two hands."""
    table: Table

    def to_body(self) -> dict[str, Any]:
        """For the snapshot; the log has the rest."""
        return {"session_id": self.session_id, "hand_id": self.hand_id, "seed": self.table.session.seed}


def lock(path: Path) -> IO[str] | None:
    """Hold a database for this process alone, to its end: two servers would play the same rooms."""
    try:
        import fcntl
    except ImportError:  # not on this system: trust the operator
        return None
    file = Path(f"{path}-lock").open("a")  # noqa: SIM115 - held for as long as the server runs
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise ValueError(f"another server plays from {path}: stop it, or give another --database") from None
    return file


class Journal:
    """The log database of one server: writes share commits, reads have connections of their own."""

    def __init__(self, path: str | Path, durable: bool = True) -> None:
        self.path = Path(path)
        self._lock = lock(self.path)
        self._queue = RecordsQueue(Records(self.path, durable=durable), COMMIT_SECONDS)
        self._asked: list[tuple[Work, asyncio.Future[Any]]] = []
        self._finished: deque[tuple[list[asyncio.Future[Any]], list[Outcome]]] = deque()
        self._is_waking = False

    def close(self) -> None:
        """Finish what was asked for and close the file."""
        self._submit()
        self._queue.close()
        if self._lock is not None:
            self._lock.close()

    async def write(self, work: Callable[[Records], Result]) -> Result:
        """Do something to the log; it is durable when this returns."""
        loop = asyncio.get_running_loop()
        waiting: asyncio.Future[Result] = loop.create_future()
        if not self._asked:
            loop.call_soon(self._submit)
        self._asked.append((work, waiting))
        return await waiting

    def _submit(self) -> None:
        """Hand over all that was asked for in one turn of the event loop: the thread is woken once for it."""
        asked, self._asked = self._asked, []
        if not asked:
            return
        loop, waiting = asked[0][1].get_loop(), [future for _, future in asked]
        try:
            self._queue.submit_all(
                [work for work, _ in asked], lambda outcomes: self._finish(loop, waiting, outcomes)
            )
        except ValueError as refusal:  # the file is closed
            self._tell(waiting, [(None, refusal)] * len(waiting))

    def _finish(
        self, loop: asyncio.AbstractEventLoop, waiting: list[asyncio.Future[Any]], outcomes: list[Outcome]
    ) -> None:
        """Called in the thread that writes; wakes the event loop once for all that a commit has finished."""
        self._finished.append((waiting, outcomes))
        if not self._is_waking:
            self._is_waking = True
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        self._is_waking = False
        while self._finished:
            self._tell(*self._finished.popleft())

    @staticmethod
    def _tell(waiting: list[asyncio.Future[Any]], outcomes: list[Outcome]) -> None:
        for future, (result, failure) in zip(waiting, outcomes, strict=True):
            if future.cancelled():
                continue
            if failure is None:
                future.set_result(result)
            else:
                future.set_exception(failure)

    # ---------------------------------------------------------------- rooms and sessions

    async def save_room(self, room_id: str, state: dict[str, Any]) -> None:
        """Keep a room as it stands."""
        text = json.dumps(state)
        await self.write(lambda records: records.save_snapshot(ROOM_KEY + room_id, text))

    async def drop_room(self, room_id: str, broken_off: GameState | None) -> None:
        """Forget a room; a session it was in the middle of is closed without a winner."""

        def work(records: Records) -> None:
            if broken_off is not None:
                session = broken_off.table.session
                records.end_session(
                    broken_off.session_id,
                    winner=None,
                    final_chips=session.chips,
                    hands_played=session.hands_played,
                    reason="abandoned",
                )
            records.drop_snapshot(ROOM_KEY + room_id)

        await self.write(work)

    async def start_session(
        self,
        room_id: str,
        state: dict[str, Any],
        game: GameState,
        names: tuple[str, str],
        owners: dict[int, str],
        kind: str = "live",
    ) -> None:
        """Open a session.

        Args:
            room_id: of the room.
            state: the room's snapshot with the session in it.
            game: the session.
            names: by seat.
            owners: hashes of the players' tokens, by seat.
            kind: `live`, `ofc_env.records.lines.PRACTICE`, or `WATCHED` where machines play each other.
        """
        text, session = json.dumps(state), game.table.session

        def work(records: Records) -> None:
            records.start_session(game.session_id, session.seed, names, session.rules, kind=kind)
            for seat, owner in owners.items():
                players.claim_seat(records, game.session_id, seat, owner)
            records.save_snapshot(ROOM_KEY + room_id, text)

        await self.write(work)

    async def start_hand(self, room_id: str, state: dict[str, Any], game: GameState) -> None:
        """Open the hand that is about to be dealt."""
        text, number = json.dumps(state), game.table.hand_number

        def work(records: Records) -> None:
            records.start_hand(game.session_id, number, game.table.hand, game.hand_id)
            records.save_snapshot(ROOM_KEY + room_id, text)

        await self.write(work)

    async def start_again(self, room_id: str, state: dict[str, Any], game: GameState) -> None:
        """Open another try at a deal, with the placements of it that stand; what was tried before stays."""
        text, table, hand_id = json.dumps(state), game.table, game.hand_id

        def work(records: Records) -> None:
            records.reopen_session(game.session_id)
            records.start_hand(game.session_id, table.hand_number, table.begun.hand, hand_id)
            for played, think_time_ms in table.line:
                _record(records, hand_id or "", played, think_time_ms)
            records.save_snapshot(ROOM_KEY + room_id, text)

        await self.write(work)

    async def record(
        self,
        room_id: str,
        game: GameState,
        played: Played,
        think_time_ms: int,
        state_after: dict[str, Any] | None,
    ) -> None:
        """Keep a turn; with the end of its hand and session, and the room's snapshot, if it was the last.

        Args:
            room_id: of the room.
            game: as it was before the turn.
            played: the turn.
            think_time_ms: -1 on time-out.
            state_after: the room's snapshot after a turn that ended its hand; None within a hand.
        """
        text = None if state_after is None else json.dumps(state_after)
        hand_id, after = game.hand_id, played.after
        if hand_id is None:
            raise ValueError("no hand is in play: start one before its turns")

        def work(records: Records) -> None:
            _record(records, hand_id, played, think_time_ms)
            if played.result is not None:
                records.end_hand(hand_id, played.result)
                players.add_links(records, game.session_id)
            if after.finished:
                records.end_session(
                    game.session_id,
                    winner=after.winner,
                    final_chips=after.chips,
                    hands_played=after.hands_played,
                    reason=after.reason or "",
                )
            if text is not None:
                records.save_snapshot(ROOM_KEY + room_id, text)

        await self.write(work)

    # ---------------------------------------------------------------- whose hands they are

    async def claim_seat(self, session_id: str, seat: int, player: str) -> None:
        """Write down whose a seat of a session is, if it is nobody's yet; `player` is the token's hash."""
        await self.write(lambda records: players.claim_seat(records, session_id, seat, player))

    async def set_shared(self, link: str, player: str, shared: bool) -> None:
        """Share a hand or session of the player's, or take that back."""
        await self.write(lambda records: players.set_shared(records, link, player, shared))

    async def forget_player(self, player: str) -> None:
        """Take a player out of the log and of every room's snapshot."""

        def work(records: Records) -> None:
            players.forget_player(records, player)
            for key, text in records.select("SELECT key, state FROM snapshots WHERE instr(state, ?)", player):
                state = json.loads(text)
                for number, seat in enumerate(state.get("seats", [])):
                    if seat.get("owner") == player:
                        seat |= {"owner": None, "name": players.unnamed(number)}
                records.save_snapshot(key, json.dumps(state))

        await self.write(work)

    def find_game(self, name: str, reader: players.Reader) -> players.Game | None:
        """The session or hand of a link or id, if the reader may see it."""
        return players.find_game(self.path, name, reader)

    # ---------------------------------------------------------------- after a restart

    def rooms(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Every room that was open when the server stopped: its id and its snapshot."""
        for key, text in self._queue.records.snapshots().items():
            if key.startswith(ROOM_KEY):
                yield key.removeprefix(ROOM_KEY), json.loads(text)

    def restore_game(self, body: dict[str, Any], rules: Rules) -> GameState:
        """The session of a snapshot, with every turn of the log played again."""
        session_id = body["session_id"]
        table = Table(Session(body["seed"], rules, auto_fantasyland=False))
        decisions = decisions_of(self.path, session_id)
        decks = {
            row["hand_number"]: parse_cards(row["deck"])
            for row in iter_table(self.path, _DECKS, (session_id,))
        }
        for number, deck in decks.items():  # a deal that comes again is another try at it
            if table.line and table.begun.hand.deck == deck:
                table = table.again(0)
            if (table.hand_number, table.hand.deck) != (number, deck):
                raise ValueError(f"hand {number} of session {session_id} was dealt otherwise than now")
            while table.player is not None and table.hand_number == number:
                decision = decisions.pop(key_of_turn(table.hand, number), None)
                if decision is None:
                    break
                table.accept(table.try_placement(decision.placement), decision.think_time_ms)
        if decisions:
            raise ValueError(f"{len(decisions)} turns of session {session_id} do not follow from the others")
        return GameState(session_id, body["hand_id"], table)

    # ---------------------------------------------------------------- for readers

    def session_log(self, session_id: str, hand_id: str | None = None) -> dict[str, Any] | None:
        """The finished hands of a session, or one of them, with every turn; None if there is no session."""
        session = _first(iter_table(self.path, _SESSION, (session_id,)))
        if session is None:
            return None
        hands: dict[str, dict[str, Any]] = {}
        for row in iter_table(self.path, _HANDS, (session_id,)):
            if hand_id not in (None, row["hand_id"]):
                continue
            hands[row["hand_id"]] = {
                "hand_id": row["hand_id"],
                "hand_number": row["hand_number"],
                "btn": row["button"],
                "chips": [row["chips_0"], row["chips_1"]],
                "fantasyland": [row["fantasyland_0"], row["fantasyland_1"]],
                "started_at": row["started_at"],
                "ended_at": row["ended_at"],
                "result": json.loads(row["result"]),
                "turns": [],
                "fantasyland_settings": [],
            }
        # The reads are not one transaction: a hand that ends in between is left to the next request.
        for line in iter_turns(self.path, session=session_id, hand=hand_id, finished=True, practice=True):
            if line["hand_id"] in hands:
                hands[line["hand_id"]]["turns"].append(line)
        for row in iter_table(self.path, _SETTINGS, (session_id,)):
            if row["hand_id"] in hands:
                top, middle, bottom = (row_text.split() for row_text in row.pop("board").split("/"))
                row |= {
                    "board": {"top": top, "middle": middle, "bottom": bottom},
                    "stays": bool(row["stays"]),
                }
                row |= {"dealt_cards": row["dealt_cards"].split(), "discards": row["discards"].split()}
                hands[row.pop("hand_id")]["fantasyland_settings"].append(row)
        names = [session.pop("player_0"), session.pop("player_1")]
        session["rules"] = Rules.parse(session["rules"]).name
        return {**session, "players": names, "hands": list(hands.values())}

    def export_chunks(self, **selection: Any) -> Generator[bytes, None, None]:
        """Every turn and fantasyland setting of finished hands as JSONL, some hundred lines at a time."""
        lines: list[str] = []
        with closing(iter_lines(self.path, finished=True, practice=True, **selection)) as found:  # type: ignore[type-var]
            for line in found:
                lines.append(json.dumps(line, separators=(",", ":")))
                if len(lines) == 400:
                    yield ("\n".join(lines) + "\n").encode()
                    lines.clear()
        if lines:
            yield ("\n".join(lines) + "\n").encode()


def _record(records: Records, hand_id: str, played: Played, think_time_ms: int) -> None:
    record = records.record_fantasyland if played.before.in_fantasyland else records.record_turn
    dealt = played.before.dealt_in_order
    record(hand_id, played.before, played.placement, think_time_ms=think_time_ms, dealt=dealt)


def _first(rows: Iterator[dict[str, Any]]) -> dict[str, Any] | None:
    with closing(rows):  # type: ignore[type-var]
        return next(rows, None)
