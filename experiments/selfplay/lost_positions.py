"""Positions of a log that the player lost: where self-play should look again.

A hand's loser is known from the next hand's chips, or from both final boards where it was the last of its
session. Every decision of the loser becomes a start: the hand as it stood, its unseen cards dealt anew each
time it is played from.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from agents.positions.position import observation_of, position_of_line
from experiments.logs.lines import LineError, read_lines
from ofc_env import Board, Hand, score_boards

Line = dict[str, Any]


def lost_positions(path: Path, player: str | None = None) -> tuple[Hand, ...]:
    """The decisions of lost hands of a JSONL log, plain or gzipped.

    Args:
        player: only hands that this player lost; None: whoever lost.
    """
    if not path.is_file():
        raise ValueError(
            f"there is no log {path}: name a file of JSON lines, such as experiments/export_logs.py writes"
        )
    sessions: dict[str, dict[int, list[Line]]] = defaultdict(lambda: defaultdict(list))
    for number, text in read_lines(path):
        try:
            if isinstance(text, LineError):
                raise text
            line = json.loads(text)
            sessions[line["session_id"]][line["hand_number"]].append(line)
        except (LineError, ValueError, KeyError, TypeError):
            raise ValueError(
                f"line {number} of {path} is not a turn of a game log: export it again"
            ) from None
    starts: list[Hand] = []
    for hands in sessions.values():
        for number, lines in sorted(hands.items()):
            loser = _loser(lines, hands.get(number + 1))
            for line in lines:
                if _seat(line) == loser and player in (None, line["player"]):
                    starts.append(Hand.from_observation(observation_of(position_of_line(line)), seed=0))
    if not starts:
        raise ValueError(f"{path} has no position that {player or 'anybody'} lost: leave --starts out")
    return tuple(starts)


def _seat(line: Line) -> int:
    return int(line["btn"] if line["is_btn"] else 1 - line["btn"])


def _loser(lines: list[Line], following: list[Line] | None) -> int | None:
    """The seat that lost a hand; None if it was even or cannot be known."""
    if following:
        change = following[0]["chips"][0] - lines[0]["chips"][0]
    else:
        boards = {_seat(line): _final_board(line) for line in lines if line["turn"] == 4}
        if len(boards) < 2:  # unfinished, or one board was never in the log
            return None
        change = score_boards(boards[0], boards[1]).raw_score[0]
    return None if change == 0 else int(change > 0)


def _final_board(line: Line) -> Board:
    """The board after the last turn."""
    rows: dict[str, Any] = {row: list(line["board_self"][row]) for row in ("top", "middle", "bottom")}
    for card, row in line["action"]["placements"]:
        rows[row].append(card)
    return Board(**rows)
