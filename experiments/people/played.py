"""A player's hands with their results, and the luck of the cards where all of them are known.

A database keeps the deck of every hand. JSON lines have the turns and fantasyland settings: so of them the
luck is known where both players' are there, and what a hand brought where both boards or the chips of the
next hand are.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from agents.arena.luck import Adjusting, LuckMeter
from agents.players.alphazero import shipped_champion
from agents.randomness import seed_of
from agents.rewards import equity
from agents.turns import seat_to_act
from experiments.logs.hands import LoggedHand
from experiments.logs.lines import LineError
from experiments.logs.replay import (
    LAST_TURN,
    ROWS_OF_A_HAND,
    HandError,
    RowBuffer,
    final_board,
    hand_as_dealt,
    replay_hand,
    set_board,
)
from experiments.logs.sources import LINES, logged_hands
from ofc_env import Board, Hand, HandResult, Placement, RewardConfig, Rules, score_boards
from ofc_env.records.lines import board_rows, iter_table, rules_of_text

_KEPT = """
SELECT s.session_id, s.rules, s.player_0, s.player_1, h.hand_id, h.hand_number, h.button,
       h.chips_0, h.chips_1, h.fantasyland_0, h.fantasyland_1, h.deck, h.started_at
FROM sessions s JOIN hands h ON h.session = s.id
WHERE h.result IS NOT NULL AND ? IN (s.player_0, s.player_1)
"""
_SETTINGS = """
SELECT s.session_id, h.hand_id, f.seat, f.board, f.discards
FROM sessions s JOIN hands h ON h.session = s.id JOIN fantasyland f ON f.hand = h.id
WHERE h.result IS NOT NULL AND ? IN (s.player_0, s.player_1)
"""

Refused = Callable[[str], object]


@dataclass(frozen=True)
class PlayedHand:
    """A hand from one player's side; None where the log does not tell."""

    session_id: str
    hand_id: str
    when: str  # it began, UTC
    rules: Rules
    seat: int
    opponent: str | None
    button: bool
    fantasyland: int  # cards of the player's own, 0 in normal play
    opponent_fantasyland: int
    points: int | None
    equity: float | None  # points, and the worth of the fantasyland that each won; normal hands alone
    luck: float | None  # of the player's deals less that of the opponent's, points
    boards: tuple[Board | None, Board | None]  # the player's, the opponent's
    logged: LoggedHand | None = field(repr=False)  # its turns, if there are any

    @property
    def normal(self) -> bool:
        """Whether neither seat was in fantasyland."""
        return not self.fantasyland and not self.opponent_fantasyland


def played_hands(logs: Sequence[Path], player: str, refused: Refused, luck: bool = True) -> list[PlayedHand]:
    """The hands of a player, in the order they began; those against itself count for each seat.

    Args:
        logs: databases or JSONL; a hand that stands in several counts once.
        refused: told a sentence for each line or hand that is left out.
        luck: whether to judge it; the network that is shipped for the rules does.
    """
    meters: dict[Rules, LuckMeter | None] | None = {} if luck else None
    found = []
    for hands in _sessions(logs, player, refused):
        names = {seat: name for hand in hands.values() for seat, name in hand.names.items()}
        for number, hand in sorted(hands.items()):
            seats = [seat for seat in (0, 1) if names.get(seat) == player]
            try:
                found += [_seen_from(hand, hands.get(number + 1), names, seat, meters) for seat in seats]
            except HandError as error:
                refused(f"{hand.log}, line {error.line}: {error}; its hand is left out")
    return sorted(found, key=lambda hand: hand.when)


def _sessions(logs: Sequence[Path], player: str, refused: Refused) -> list[dict[int, _Hand]]:
    """The hands of each session, by their numbers."""
    found: dict[tuple[str, str], _Hand] = {}

    def refuse(log: Path, number: int, error: LineError) -> None:
        refused(f"{log}, line {number}: {error}")

    for hand in logged_hands(logs, refuse):
        try:
            hand.verify()
        except HandError as error:
            refused(f"{hand.log}, line {error.line}: {error}; its hand is left out")
        else:
            found[hand.key] = _Hand(
                hand.log, hand, None, {each.seat: each.placement for each in hand.settings}
            )
    for log in logs:
        if log.suffix in LINES:
            continue
        for row in iter_table(log, _KEPT, (player,)):
            hand_of_row = found.setdefault((row["session_id"], row["hand_id"]), _Hand(log))
            hand_of_row.row = row
        for row in iter_table(log, _SETTINGS, (player,)):
            rows = board_rows(row["board"])
            setting = Placement(rows["top"], rows["middle"], rows["bottom"], row["discards"].split())
            found[row["session_id"], row["hand_id"]].settings[row["seat"]] = setting
    sessions: dict[str, dict[int, _Hand]] = defaultdict(dict)
    for (session_id, _), each in found.items():
        sessions[session_id][each.number] = each
    return list(sessions.values())


@dataclass
class _Hand:
    """A hand of a log: its turns, what a database keeps beside them, or both."""

    log: Path | None
    logged: LoggedHand | None = None
    row: dict[str, Any] | None = None
    settings: dict[int, Placement] = field(default_factory=dict)  # of fantasyland, by seat

    def _either(self, column: str, of_turn: Callable[[Any], Any]) -> Any:
        if self.row is not None:
            return self.row[column]
        if self.logged is None:
            raise ValueError("a hand has turns, a row of a database, or both")
        return of_turn(self.logged.first)

    @property
    def key(self) -> tuple[str, str]:
        """session_id and hand_id."""
        if self.logged is not None:
            return self.logged.key
        return self._either("session_id", str), self._either("hand_id", str)

    @property
    def number(self) -> int:
        """Of the hand in its session."""
        return int(self._either("hand_number", lambda turn: turn.hand_number))

    @property
    def names(self) -> dict[int, str]:
        """The players by seat, as far as the hand tells."""
        if self.row is not None:
            return {0: self.row["player_0"], 1: self.row["player_1"]}
        return {line.seat: line.player for line in self.logged.lines} if self.logged else {}

    @property
    def when(self) -> str:
        """It began, UTC."""
        return str(self._either("started_at", lambda turn: turn.timestamp))

    @property
    def chips(self) -> tuple[int, int]:
        """Before it, by seat."""
        first = self._either("chips_0", lambda turn: turn.chips[0])
        return int(first), int(self._either("chips_1", lambda turn: turn.chips[1]))

    @property
    def button(self) -> int:
        """Its seat."""
        return int(self._either("button", lambda turn: turn.button))

    @property
    def rules(self) -> Rules:
        """That it was played by."""
        return self.logged.rules if self.logged is not None else rules_of_text(self._either("rules", str))

    @cached_property
    def course(self) -> tuple[list[Hand], HandResult] | None:
        """The hand before each placement, and its result; None where not all cards are known."""
        turns = self.logged.turns if self.logged is not None else []
        if self.row is not None:
            start = Hand(
                deck=self.row["deck"],
                button=self.button,
                chips=self.chips,
                fantasyland=(self.row["fantasyland_0"], self.row["fantasyland_1"]),
                rules=rules_of_text(self.row["rules"]),
            )
        elif self.logged is not None and len({line.seat for line in self.logged.lines}) == 2:
            settings = self.logged.settings
            replay_hand(
                turns, RowBuffer(ROWS_OF_A_HAND), timeouts=True, settings=settings
            )  # refuses what cannot be
            start = hand_as_dealt(turns, settings)
        else:
            return None
        placed = {seat: iter([turn for turn in turns if turn.seat == seat]) for seat in (0, 1)}
        positions, hand = [], start
        try:
            while not hand.finished:
                seat = seat_to_act(hand)
                placement = self.settings[seat] if hand.in_fantasyland else next(placed[seat]).placement
                positions.append(hand.clone())
                hand.place(placement)
        except (KeyError, StopIteration):
            return None  # a turn or a setting is missing
        except ValueError as error:
            raise HandError(turns[0].line if turns else 0, str(error)) from None
        return positions, hand.result()

    def boards(self) -> list[Board | None]:
        """The final boards by seat, as far as they are known."""
        if self.course is not None:
            return list(self.course[1].boards)
        boards: list[Board | None] = [None, None]
        if self.logged is None:
            return boards
        settings = self.logged.settings
        replay_hand(self.logged.turns, RowBuffer(ROWS_OF_A_HAND), timeouts=True, settings=settings)
        for turn in self.logged.turns:
            if turn.turn == LAST_TURN:
                boards[turn.seat] = final_board(turn)
        for setting in settings:
            boards[setting.seat] = set_board(setting)
        return boards

    def widths(self) -> list[int]:
        """Cards of fantasyland by seat, 0 in normal play."""
        if self.row is not None:
            return [self.row["fantasyland_0"], self.row["fantasyland_1"]]
        widths = [0, 0]
        for line in self.logged.lines if self.logged is not None else []:
            widths[1 - line.seat] = line.opponent_fantasyland
        for setting in self.logged.settings if self.logged is not None else []:
            widths[setting.seat] = setting.width
        return widths


def _seen_from(
    hand: _Hand,
    following: _Hand | None,
    names: dict[int, str],
    seat: int,
    meters: dict[Rules, LuckMeter | None] | None,
) -> PlayedHand:
    boards, widths, rules = hand.boards(), hand.widths(), hand.rules
    first, second = boards
    result = score_boards(first, second) if first is not None and second is not None else None
    points = None
    if result is not None:
        points = result.raw_score[seat]
    elif following is not None:
        points = following.chips[seat] - hand.chips[seat]
    reward, worth = _reward(rules), None
    if reward is not None and hand.course is not None and not any(widths):
        worth = float(reward.hand_rewards(hand.course[1])[seat])
    luck = None
    if meters is not None and hand.course is not None and reward is not None:
        if rules.of_a_hand() not in meters:
            meters[rules.of_a_hand()] = _meter(rules, reward)
        luck = _luck(hand, seat, meters[rules.of_a_hand()])
    return PlayedHand(
        *hand.key,
        when=hand.when,
        rules=rules,
        seat=seat,
        opponent=names.get(1 - seat),
        button=hand.button == seat,
        fantasyland=widths[seat],
        opponent_fantasyland=widths[1 - seat],
        points=points,
        equity=worth,
        luck=luck,
        boards=(boards[seat], boards[1 - seat]),
        logged=hand.logged,
    )


def _reward(rules: Rules) -> RewardConfig | None:
    """Equity, where somebody has measured what fantasyland is worth."""
    return equity(rules) if rules.fantasyland_values is not None else None


def _meter(rules: Rules, reward: RewardConfig) -> LuckMeter | None:
    return Adjusting().meter(0, rules, reward) if shipped_champion(rules) is not None else None


def _luck(hand: _Hand, seat: int, meter: LuckMeter | None) -> float | None:
    """The luck of a seat's deals less that of the other's."""
    if meter is None or hand.course is None:
        return None
    positions = hand.course[0]
    number = zlib.crc32(" ".join(hand.key).encode())
    seeds = [
        seed_of(number, position.turn, int(seat_to_act(position) == position.button))
        for position in positions
    ]
    lucks = meter.judge.luck(positions, seeds).tolist()
    return sum(
        luck if seat_to_act(position) == seat else -luck
        for position, luck in zip(positions, lucks, strict=True)
    )
