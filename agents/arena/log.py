"""Games between agents in the log database, through its one writer: matches of the arena and teachers' games.

Games are written once they are finished, by playing their moves again. Matches play many games side by side,
so what a single turn took is not known: its think time is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from agents.arena.tables import HandTable, SessionTable, Table
from agents.randomness import seed_of
from agents.turns import turn_slots
from ofc_env import Hand, HandResult, Placement, Rules, Session
from ofc_env.records.database import Records

Choice = tuple[Placement, int]  # what was placed, think time in ms


def record_session(
    records: Records,
    session_id: str,
    session: Session,
    players: tuple[str, str],
    choose: Callable[[Hand], Choice],
    kind: str,
) -> int:
    """Play a session again and keep it, in one commit.

    Args:
        session: as it began, with `auto_fantasyland=False`.
        players: names by seat.
        choose: what was placed in each position, asked in the order of play.
        kind: what made it, such as `arena` or `teacher`.

    Returns:
        How many hands it had.
    """
    with records.transaction():
        records.start_session(session_id, session.seed, players, session.rules, kind)
        while not session.finished:
            number = session.hands_played + 1
            hand_id = records.start_hand(session_id, number, session.hand)
            while session.hands_played < number:
                session.place(_recorded(records, hand_id, session.hand, choose))
            records.end_hand(hand_id, session.history[-1])
        records.end_session(
            session_id,
            winner=session.winner,
            final_chips=session.chips,
            hands_played=session.hands_played,
            reason=session.reason or "broken off",
        )
    return session.hands_played


def _record_single_hand(
    records: Records,
    session_id: str,
    seed: int,
    hand: Hand,
    players: tuple[str, str],
    choose: Callable[[Hand], Choice],
) -> None:
    """Keep a hand that was played for itself, as a session of one hand."""
    with records.transaction():
        records.start_session(session_id, seed, players, hand.rules, "arena")
        hand_id = records.start_hand(session_id, 1, hand)
        while not hand.finished:
            hand.place(_recorded(records, hand_id, hand, choose))
        result: HandResult = hand.result()
        records.end_hand(hand_id, result)
        records.end_session(
            session_id, winner=None, final_chips=result.chips, hands_played=1, reason="a single hand"
        )


def _recorded(records: Records, hand_id: str, hand: Hand, choose: Callable[[Hand], Choice]) -> Placement:
    placement, think_time = choose(hand)
    record = records.record_fantasyland if hand.in_fantasyland else records.record_turn
    record(hand_id, hand, placement, think_time_ms=think_time)
    return placement


@dataclass(frozen=True)
class MatchLog:
    """Where the games of one match of the arena go."""

    path: Path
    agents: tuple[str, str]
    kind: str  # hands or sessions
    seed: int
    rules: Rules
    resume: bool  # leave out games that the file has already

    def session_id(self, deal: int, game: int) -> str:
        """The name of one game of this match in the log."""
        rules = "" if self.rules == Rules() else f" by {self.rules.name}"
        return (
            f"{self.agents[0]} v {self.agents[1]}, {self.kind} of seed {self.seed}{rules}, "
            f"deal {deal}, game {game}"
        )

    def verify_new(self) -> None:
        """Refuse a file that holds this match already, unless it is to be resumed."""
        if not self.path.exists() or self.resume:
            return
        with Records(self.path) as records:
            if any(row["session_id"] == self.session_id(0, 0) for row in records.sessions()):
                raise ValueError(
                    f"{self.path} holds the match {' v '.join(self.agents)} of seed {self.seed} already: "
                    "choose another file, or resume the match"
                )

    def write(self, tables: Sequence[Table]) -> None:
        """Keep games that are finished, in one commit."""
        # A killed process loses nothing; what a loss of power might take can be played again.
        with Records(self.path, durable=False) as records:
            there = {row["session_id"] for row in records.sessions()} if self.resume else set()
            with records.transaction():
                for table in tables:
                    if self.session_id(table.deal, table.game) not in there:
                        self._write_table(records, table)

    def _write_table(self, records: Records, table: Table) -> None:
        seed, session_id = seed_of(self.seed, table.deal), self.session_id(table.deal, table.game)
        players = (self.agents[table.agents[0]], self.agents[table.agents[1]])
        slots = iter(table.slots)
        if isinstance(table, SessionTable):
            session = Session(seed=seed, rules=self.rules, auto_fantasyland=False)
            settings = iter(table.settings)
            record_session(
                records, session_id, session, players, lambda hand: _chosen(hand, slots, settings), "arena"
            )
        else:
            hand = HandTable(self.seed, table.deal, table.game, self.rules).hand
            _record_single_hand(
                records, session_id, seed, hand, players, lambda hand: _chosen(hand, slots, iter(()))
            )


def _chosen(hand: Hand, slots: Iterator[int], settings: Iterator[Placement]) -> Choice:
    """The next turn of a game, from the slots that were played and the fantasyland hands that were set."""
    if hand.in_fantasyland:
        return next(settings), 0
    return hand.placement_of(turn_slots(hand, lambda _: next(slots))), 0
