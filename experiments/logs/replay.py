"""Replay logged hands through the engine: what does not follow from the rules is refused, never repaired.

A hand is the lines of one or both of its players. With both, every card dealt is known and the hand is played
again card by card. With one (a log filtered by player, or an opponent in fantasyland whose setting is not in
the log), the opponent's placements are read off its board as the player saw it; what nobody saw is filled
with cards that nobody saw, which no observation of the player shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from experiments.logs.lines import LoggedSetting, LoggedTurn
from ofc_env import NUM_ACTIONS, OBSERVATION_SIZE, Board, Hand, Placement, Rules, card_name

LAST_TURN = 4
ROWS_OF_A_HAND = 12  # at most: two seats, six decisions each


class HandError(ValueError):
    """A hand whose lines contradict the rules or each other.

    Attributes:
        line: the first line that cannot be.
        unfinished: whether the hand merely stops before its end.
        told: whether that line was refused for itself before.
    """

    def __init__(self, line: int, reason: str, unfinished: bool = False, told: bool = False) -> None:
        super().__init__(reason)
        self.line = line
        self.unfinished = unfinished
        self.told = told


@dataclass(frozen=True)
class Decision:
    """What belongs to a row beside its arrays."""

    turn: LoggedTurn
    step: int  # 1 for the second step of an opening


class RowBuffer:
    """Room for decisions, filled hand by hand.

    Attributes:
        states: (capacity, 490) float32, the observation of the seat to act.
        masks: (capacity, 150) int8, its legal slots.
        actions: (capacity,) int64, the slot played.
        royalties: (capacity,) float32, points of the mover's own board at the end of the hand.
        busted, fl_entry: (capacity,) bool, whether that board was fouled or won fantasyland.
        points: (capacity,) float32, what the hand brought the mover; NaN where the log does not show it.
        fl_won: (capacity, 2) int8, cards of the fantasyland that the mover and the opponent won; 0 for none.
        decisions: one for each filled row.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.states = np.zeros((capacity, OBSERVATION_SIZE), dtype=np.float32)
        self.masks = np.zeros((capacity, NUM_ACTIONS), dtype=np.int8)
        self.actions = np.zeros(capacity, dtype=np.int64)
        self.royalties = np.zeros(capacity, dtype=np.float32)
        self.busted = np.zeros(capacity, dtype=np.bool_)
        self.fl_entry = np.zeros(capacity, dtype=np.bool_)
        self.points = np.zeros(capacity, dtype=np.float32)
        self.fl_won = np.zeros((capacity, 2), dtype=np.int8)
        self.decisions: list[Decision] = []

    def __len__(self) -> int:
        return len(self.decisions)

    @property
    def has_room(self) -> bool:
        """Whether another hand fits in for sure."""
        return len(self) + ROWS_OF_A_HAND <= self.capacity

    def clear(self) -> None:
        """Forget all rows."""
        self.decisions.clear()


def replay_hand(
    turns: Sequence[LoggedTurn],
    rows: RowBuffer,
    timeouts: bool = False,
    player: str | None = None,
    settings: Sequence[LoggedSetting] = (),
) -> int:
    """Play a logged hand again, by its own rules, and add its decisions to `rows`.

    Args:
        turns: all turns of one hand in the order of the file; their rules are the same.
        rows: where its decisions go; unchanged if the hand is refused.
        timeouts: whether turns that the server placed because time ran out become rows too.
        player: only this player's decisions become rows; None: everybody's.
        settings: its fantasyland hands, as far as the log has them; they are no rows. A turn or one of these
            is there.

    Returns:
        How many turns, of the player, were left out as time-outs.
    """
    _check_header([*settings, *turns])
    _check_settings(turns, settings)
    if not turns:  # of a hand that was set in fantasyland there is nothing to decide
        return 0
    seats = _check_order(turns)
    before = len(rows)
    hand = dealt_hand(turns, seats, settings)
    try:
        return _play(turns, hand, rows, timeouts, player, is_known=len(seats) + len(settings) == 2)
    except BaseException:
        del rows.decisions[before:]
        raise


def _check_header(lines: Sequence[LoggedTurn | LoggedSetting]) -> None:
    """What the lines of a hand must agree on."""
    first = lines[0]
    names: dict[int, str] = {}
    for line in lines:
        for what, value, expected in (
            ("hand_number", line.hand_number, first.hand_number),
            ("btn", line.button, first.button),
            ("chips", line.chips, first.chips),
            ("player", line.player, names.setdefault(line.seat, line.player)),
        ):
            if value != expected:
                raise HandError(line.line, f"{what} is {value!r} and was {expected!r} earlier in the hand")


def _check_settings(turns: Sequence[LoggedTurn], settings: Sequence[LoggedSetting]) -> None:
    """Fantasyland hands are of different seats, of none that plays turns, and as wide as the others say."""
    widths = {turn.seat: 0 for turn in turns}
    lines: list[LoggedTurn | LoggedSetting] = [*turns, *settings]
    told = {1 - line.seat: line.opponent_fantasyland for line in lines}
    for setting in settings:
        if setting.seat in widths:
            did = "set its fantasyland hand already" if widths[setting.seat] else "played turns"
            raise HandError(setting.line, f"seat {setting.seat} sets a fantasyland hand and has {did}")
        widths[setting.seat] = setting.width
    for setting in settings:
        for seat in (0, 1):
            if widths.get(seat, told.get(seat)) != told.get(seat, widths.get(seat)):
                sentence = (
                    f"seat {seat} has {widths[seat]} cards of fantasyland and the other sees {told[seat]}"
                )
                raise HandError(setting.line, sentence)


def _check_order(turns: Sequence[LoggedTurn]) -> list[int]:
    """The seats that have lines; each must have turns 0 to 4, and the lines follow the order of play."""
    first = _first_to_act(turns[0])
    seats = sorted({turn.seat for turn in turns}, key=lambda seat: seat != first)
    expected = [(number, seat) for number in range(LAST_TURN + 1) for seat in seats]
    for turn, (number, seat) in zip(turns, expected):
        if (turn.turn, turn.seat) != (number, seat):
            there = f"turn {turn.turn} of seat {turn.seat}"
            raise HandError(turn.line, f"{there} stands where turn {number} of seat {seat} belongs")
    if len(turns) > len(expected):
        raise HandError(turns[len(expected)].line, "the hand has more lines than turns")
    if len(turns) < len(expected):
        number, seat = expected[len(turns)]
        raise HandError(
            turns[-1].line, f"the hand stops before turn {number} of seat {seat}", unfinished=True
        )
    width = turns[0].opponent_fantasyland
    for turn in turns:
        if turn.opponent_fantasyland != width:
            now = turn.opponent_fantasyland
            raise HandError(turn.line, f"the opponent's fantasyland has {now} cards and had {width}")
    if width and len(seats) == 2:
        raise HandError(turns[0].line, "both seats play turns, so neither can be in fantasyland")
    return seats


def _first_to_act(turn: LoggedTurn) -> int:
    """The seat that is dealt to and acts first in the hand of a turn."""
    return turn.rules.first_to_act(turn.button)


def hand_as_dealt(turns: Sequence[LoggedTurn], settings: Sequence[LoggedSetting] = ()) -> Hand:
    """The hand before its first placement, where the lines have all cards of both seats."""
    lines: list[LoggedTurn | LoggedSetting] = [*settings, *turns]
    first, rules = lines[0], lines[0].rules
    _dealt_once(lines)
    acting = rules.first_to_act(first.button)
    deck = [card for line in sorted(settings, key=lambda each: each.seat != acting) for card in line.dealt]
    deck += [card for turn in turns for card in turn.dealt]
    widths = {setting.seat: setting.width for setting in settings}
    return Hand(
        deck=_completed(deck, rules),
        button=first.button,
        chips=first.chips,
        fantasyland=(widths.get(0, 0), widths.get(1, 0)),
        rules=rules,
    )


def _dealt_once(lines: Sequence[LoggedTurn | LoggedSetting]) -> int:
    """All cards dealt, as a bit set."""
    seen = 0
    for line in lines:
        for card in line.dealt:
            if seen >> card & 1:
                raise HandError(line.line, f"{card_name(card)} was dealt already in this hand")
            seen |= 1 << card
    return seen


def dealt_hand(turns: Sequence[LoggedTurn], seats: list[int], settings: Sequence[LoggedSetting] = ()) -> Hand:
    """A hand that deals what the lines say, with the opponent's fantasyland hand already set."""
    first, rules = turns[0], turns[0].rules
    if len(seats) + len(settings) == 2:
        hand = hand_as_dealt(turns, settings)
        for setting in settings:
            hand.place(setting.placement)
        return hand
    seen = _dealt_once(turns)
    mine = [card for turn in turns for card in turn.dealt]
    other, width = 1 - first.seat, first.opponent_fantasyland
    if width:
        fillers = _unseen(seen, rules)
        deck = _completed(fillers[:width] + mine, rules)
        widths = (0, width) if other == 1 else (width, 0)
        hand = Hand(deck=deck, button=first.button, chips=first.chips, fantasyland=widths, rules=rules)
        hand.place(Placement(fillers[:3], fillers[3:8], fillers[8:13], fillers[13:width]))
        return hand
    shown = turns[-1].opponent_board
    for card in members((shown[0] | shown[1] | shown[2]) & seen):
        raise HandError(turns[-1].line, f"{card_name(card)} was dealt to both players")
    fillers = _unseen(seen | shown[0] | shown[1] | shown[2], rules)
    other_first = _first_to_act(first) == other
    deck = []
    for turn, placed in zip(turns, _opponent_turns(turns, other_first)):
        theirs = [card for row in placed for card in row]
        while len(theirs) < len(turn.dealt):
            theirs.append(fillers.pop())  # its discard, or a last turn that nobody saw
        deck += theirs + list(turn.dealt) if other_first else list(turn.dealt) + theirs
    return Hand(deck=_completed(deck, rules), button=first.button, chips=first.chips, rules=rules)


def _opponent_turns(turns: Sequence[LoggedTurn], other_first: bool) -> list[list[list[int]]]:
    """What the opponent placed in each turn, row by row, from how its board grew in the player's eyes."""
    boards = [(0, 0, 0), *(turn.opponent_board for turn in turns)]
    lines = [turns[0].line, *(turn.line for turn in turns)]
    if not other_first:  # what is seen on turn 0 is the board before its first turn
        if boards[1] != (0, 0, 0):
            raise HandError(turns[0].line, "the opponent's board holds cards before its first turn")
        boards, lines = boards[1:], lines[1:]
    placed = []
    for number, (before, after) in enumerate(pairwise(boards)):
        if any(old & ~new for old, new in zip(before, after)):
            raise HandError(lines[number + 1], "a card has gone from the opponent's board or changed its row")
        rows = [members(new & ~old) for old, new in zip(before, after)]
        count = sum(map(len, rows))
        if count != (2 if number else 5):
            raise HandError(lines[number + 1], f"the opponent placed {count} cards in its turn {number}")
        placed.append(rows)
    if not other_first:
        placed.append([[], [], []])
    return placed


def _play(
    turns: Sequence[LoggedTurn],
    hand: Hand,
    rows: RowBuffer,
    timeouts: bool,
    player: str | None,
    is_known: bool,
) -> int:
    """Play the hand, comparing what each line shows with the table; the number of time-outs.

    Args:
        is_known: whether all cards of fantasyland hands are the true ones.
    """
    boards = [(0, 0, 0), (0, 0, 0)]
    discards = [0, 0]
    single = all(turn.seat == turns[0].seat for turn in turns)
    opponent = None
    if single and not turns[0].opponent_fantasyland:
        other_first = _first_to_act(turns[0]) != turns[0].seat
        opponent = iter(_opponent_turns(turns, other_first))
    start, left_out = len(rows), 0
    for turn in turns:
        seat = turn.seat
        if opponent is not None and hand.player != seat:
            _place_for_opponent(hand, next(opponent), boards)
        if turn.own_board != boards[seat]:
            raise HandError(turn.line, "board_self does not follow from the player's turn before")
        if not turn.opponent_fantasyland and turn.opponent_board != boards[1 - seat]:
            raise HandError(turn.line, "board_opponent does not follow from the opponent's turn before")
        if turn.discards != discards[seat]:
            raise HandError(turn.line, "known_discards_self does not follow from the player's turns before")
        try:
            placement = turn.placement
            slots = hand.actions_of(placement)
        except ValueError as error:
            raise HandError(turn.line, str(error)) from None
        boards[seat] = _with(boards[seat], turn.placed)
        if turn.discard is not None:
            discards[seat] |= 1 << turn.discard
        of_others = player not in (None, turn.player)
        if of_others or (turn.think_time_ms < 0 and not timeouts):
            left_out += not of_others
            hand.place(placement)
            continue
        for step, slot in enumerate(slots):
            row = len(rows)
            hand.write_observation(seat, rows.states[row])
            hand.write_action_mask(rows.masks[row])
            rows.actions[row] = slot
            rows.decisions.append(Decision(turn, step))
            hand.step(slot)
    _write_outcomes(hand, rows, start, hand.finished and is_known)
    return left_out


def _write_outcomes(hand: Hand, rows: RowBuffer, start: int, is_known: bool) -> None:
    """How the hand ended for each mover, for all its rows from `start`.

    A log of one player may leave open how the opponent's board ended: then the points are not known.
    """
    result = hand.result() if is_known else None
    outcomes = {}
    for row in range(start, len(rows)):
        seat = rows.decisions[row].turn.seat
        if seat not in outcomes:
            board = hand.board(seat)
            outcomes[seat] = (board.royalties.total, board.fouled, board.fantasyland_cards > 0)
        rows.royalties[row], rows.busted[row], rows.fl_entry[row] = outcomes[seat]
        rows.points[row], rows.fl_won[row] = np.nan, 0
        if result is not None:
            rows.points[row] = result.raw_score[seat]
            rows.fl_won[row] = result.fl_card_count[seat], result.fl_card_count[1 - seat]


def _place_for_opponent(hand: Hand, placed: list[list[int]], boards: list[tuple[int, int, int]]) -> None:
    """Play the opponent's turn as the player saw it; what is left in its hand is the discard."""
    seat = hand.player
    if seat is None:
        raise ValueError("the hand is finished before its last line")
    rest = set(hand.dealt) - {card for row in placed for card in row}
    hand.place(Placement(placed[0], placed[1], placed[2], sorted(rest)))
    boards[seat] = _with(boards[seat], placed)


def _with(board: tuple[int, int, int], placed: Sequence[Sequence[int]]) -> tuple[int, int, int]:
    top, middle, bottom = board
    for card in placed[0]:
        top |= 1 << card
    for card in placed[1]:
        middle |= 1 << card
    for card in placed[2]:
        bottom |= 1 << card
    return top, middle, bottom


def final_board(turn: LoggedTurn) -> Board:
    """The player's board after its last turn."""
    top, middle, bottom = (
        [*members(before), *placed] for before, placed in zip(turn.own_board, turn.placed, strict=True)
    )
    return Board(top, middle, bottom, turn.rules)


def set_board(setting: LoggedSetting) -> Board:
    """What a player made of its fantasyland hand."""
    placed = setting.placement
    return Board(placed.top, placed.middle, placed.bottom, setting.rules)


def members(cards: int) -> list[int]:
    """The cards of a bit set, ascending."""
    members = []
    while cards:
        low = cards & -cards
        members.append(low.bit_length() - 1)
        cards ^= low
    return members


def _unseen(seen: int, rules: Rules) -> list[int]:
    return members(((1 << rules.num_cards) - 1) & ~seen)


def _completed(deck: list[int], rules: Rules) -> list[int]:
    """All cards of the rules: those of the deck first."""
    held = 0
    for card in deck:
        held |= 1 << card
    return deck + _unseen(held, rules)
