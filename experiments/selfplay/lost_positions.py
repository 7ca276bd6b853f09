"""Positions of a log that the player lost: where self-play should look again.

A hand's loser is known from the next hand's chips, or from both final boards where it was the last of its
session. Every decision of the loser becomes a start: the hand as it stood, its unseen cards dealt anew each
time it is played from. Hands of other rules than the run's are another game and are left out.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from experiments.logs.hands import hands_of
from experiments.logs.lines import LineError, LoggedTurn, read_lines
from experiments.logs.replay import LAST_TURN, ROWS_OF_A_HAND, HandError, RowBuffer, members, replay_hand
from ofc_env import Board, Hand, Rules, score_boards


def lost_positions(path: Path, player: str | None = None, rules: Rules = Rules()) -> tuple[Hand, ...]:
    """The decisions of lost hands of a JSONL log, plain or gzipped.

    Args:
        player: only hands that this player lost; None: whoever lost.
        rules: only hands that were played by them, apart from chips and clocks.
    """
    if not path.is_file():
        raise ValueError(
            f"there is no log {path}: name a file of JSON lines, such as experiments/export_logs.py writes"
        )

    def refuse(number: int, error: LineError | HandError) -> None:
        raise ValueError(
            f"line {number} of {path} is not a turn of a game log ({error}): export it again"
        ) from None

    sessions: dict[str, dict[int, list[LoggedTurn]]] = defaultdict(dict)
    for hand in hands_of(read_lines(path), refuse):
        try:
            hand.verify()
        except HandError as error:
            refuse(error.line, error)
        sessions[hand.turns[0].session_id][hand.turns[0].hand_number] = hand.turns
    starts: list[Hand] = []
    others: set[str] = set()
    rows = RowBuffer(ROWS_OF_A_HAND)
    for hands in sessions.values():
        for number, turns in sorted(hands.items()):
            played_by = turns[0].rules
            if not played_by.same_hand(rules):
                others.add(played_by.of_a_hand().name)
                continue
            loser = _loser(turns, hands.get(number + 1))
            rows.clear()
            try:
                replay_hand(turns, rows, timeouts=True)
            except HandError as error:
                if not error.unfinished:
                    refuse(error.line, error)
            for state, decision in zip(rows.states, rows.decisions):
                turn = decision.turn
                if not decision.step and turn.seat == loser and player in (None, turn.player):
                    starts.append(Hand.from_observation(state, seed=0, rules=rules))
    if not starts:
        told = f" by the rules {rules.name!r} (it has {', '.join(sorted(others))})" if others else ""
        raise ValueError(f"{path} has no position that {player or 'anybody'} lost{told}: leave --starts out")
    return tuple(starts)


def _loser(turns: list[LoggedTurn], following: list[LoggedTurn] | None) -> int | None:
    """The seat that lost a hand; None if it was even or cannot be known."""
    if following:
        change = following[0].chips[0] - turns[0].chips[0]
    else:
        boards = {turn.seat: _final_board(turn) for turn in turns if turn.turn == LAST_TURN}
        if len(boards) < 2:  # unfinished, or one board was never in the log
            return None
        change = score_boards(boards[0], boards[1]).raw_score[0]
    return None if change == 0 else int(change > 0)


def _final_board(turn: LoggedTurn) -> Board:
    """The board after the last turn."""
    top, middle, bottom = (
        [*members(before), *placed] for before, placed in zip(turn.own_board, turn.placed, strict=True)
    )
    return Board(top, middle, bottom, turn.rules)
