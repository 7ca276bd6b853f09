"""Positions of a log that a player lost: where self-play should look again.

A hand's loser is known from the next hand's chips, or from both final boards where it was the last of its
session. Every decision of the loser becomes a start: the hand as it stood, its unseen cards dealt anew each
time it is played from. Hands of other rules than the run's are another game and are left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from experiments.logs.hands import LoggedHand
from experiments.logs.lines import LineError
from experiments.logs.replay import (
    LAST_TURN,
    ROWS_OF_A_HAND,
    HandError,
    RowBuffer,
    final_board,
    replay_hand,
    set_board,
)
from experiments.logs.sources import logged_hands
from ofc_env import Hand, Rules, score_boards


@dataclass(frozen=True)
class LostHand:
    """A hand and who lost it."""

    hand: LoggedHand
    seat: int  # of the loser
    points: int  # that it lost, 1 or more
    loser: str | None  # names; None where the session has no turn of theirs
    winner: str | None

    def positions(self, rules: Rules) -> list[Hand]:
        """The decisions of the loser in the order of play, as hands of these rules."""
        rows = RowBuffer(ROWS_OF_A_HAND)
        try:
            replay_hand(self.hand.turns, rows, timeouts=True, settings=self.hand.settings)
        except HandError as error:
            if not error.unfinished:
                _refuse(self.hand.log, error.line, error)
        return [
            Hand.from_observation(state, seed=0, rules=rules)
            for state, decision in zip(rows.states, rows.decisions)
            if not decision.step and decision.turn.seat == self.seat
        ]


def lost_hands(logs: Sequence[Path]) -> list[LostHand]:
    """All hands of some logs that somebody lost, in the order of play, if the loser's turns are there.

    Args:
        logs: databases or JSONL, plain or gzipped. A line that no game wrote is refused with a sentence.
    """
    for log in logs:
        if not log.is_file():
            raise ValueError(f"there is no log {log}: name a database, or JSON lines of export_logs.py")
    sessions: dict[str, dict[int, LoggedHand]] = defaultdict(dict)
    for hand in logged_hands(logs, _refuse):
        try:
            hand.verify()
        except HandError as error:
            _refuse(hand.log, error.line, error)
        sessions[hand.first.session_id][hand.first.hand_number] = hand
    found = []
    for hands in sessions.values():
        names = {turn.seat: turn.player for hand in hands.values() for turn in hand.lines}
        for number, hand in sorted(hands.items()):
            points = _points(hand, hands.get(number + 1))
            seat = int(points > 0)
            if points and any(turn.seat == seat for turn in hand.turns):
                found.append(LostHand(hand, seat, abs(points), names.get(seat), names.get(1 - seat)))
    return found


def lost_positions(
    logs: Path | Sequence[Path],
    player: str | None = None,
    rules: Rules = Rules(),
    against: str | None = None,
    most: int | None = None,
) -> tuple[Hand, ...]:
    """The decisions of lost hands.

    Args:
        logs: databases or JSONL, plain or gzipped.
        player: only hands that this player lost; None: whoever lost.
        rules: only hands that were played by them, apart from chips and clocks.
        against: only hands that somebody lost to this player; None: to whomever.
        most: only so many hands, those that cost most points; None: all.
    """
    logs = [logs] if isinstance(logs, Path) else list(logs)
    lost = lost_hands(logs)
    chosen = [
        each
        for each in lost
        if each.hand.rules.same_hand(rules)
        and player in (None, each.loser)
        and against in (None, each.winner)
    ]
    if most is not None:
        worst = sorted(range(len(chosen)), key=lambda number: -chosen[number].points)[:most]
        chosen = [chosen[number] for number in sorted(worst)]
    starts = [start for each in chosen for start in each.positions(rules)]
    if not starts:
        others = {each.hand.rules.of_a_hand().name for each in lost if not each.hand.rules.same_hand(rules)}
        told = f" by the rules {rules.name!r} (it has {', '.join(sorted(others))})" if others else ""
        whom = "" if against is None else f" to {against!r}"
        files = ", ".join(map(str, logs))
        raise ValueError(
            f"{files} has no position that {player or 'anybody'} lost{whom}{told}: leave --starts out"
        )
    return tuple(starts)


def _refuse(log: Path | None, number: int, error: LineError | HandError) -> None:
    raise ValueError(
        f"line {number} of {log} is not a turn of a game log ({error}): export it again"
    ) from None


def _points(hand: LoggedHand, following: LoggedHand | None) -> int:
    """What seat 0 won in a hand; 0 if it was even or cannot be known."""
    if following:
        return following.first.chips[0] - hand.first.chips[0]
    boards = {turn.seat: final_board(turn) for turn in hand.turns if turn.turn == LAST_TURN}
    boards |= {setting.seat: set_board(setting) for setting in hand.settings}
    if len(boards) < 2:  # unfinished, or one board was never in the log
        return 0
    return score_boards(boards[0], boards[1]).raw_score[0]
