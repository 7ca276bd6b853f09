"""A hand of OFC Pineapple played by the letter: deal, legal placements, action slots, observation.

The companion of `oracle.py`, equally naive. `NaiveHand` keeps plain lists and works all out when asked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations, product

import numpy as np

from tests.oracle import (
    BOTTOM,
    MIDDLE,
    ROW_SIZES,
    RULES,
    TOP,
    OracleRules,
    Reading,
    Rows,
    RowValue,
    Score,
    encode,
    read_board,
    readings,
    row_royalty,
    score_readings,
    score_rows,
)

DISCARD = 3
SLOTS = 150
OBSERVATION_SIZE = 490
IN_HAND, MY_DISCARD, UNSEEN = 6, 7, 8

# A setting of one turn: (top, middle, bottom, discards), each a sorted tuple of cards.
Setting = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]


def setting_of(cards: list[int], places: tuple[int, ...]) -> Setting:
    """The setting that puts each card where `places` says (0 top, 1 middle, 2 bottom, 3 discard)."""
    piles: list[list[int]] = [[], [], [], []]
    for card, place in zip(cards, places, strict=True):
        piles[place].append(card)
    top, middle, bottom, discards = (tuple(sorted(pile)) for pile in piles)
    return (top, middle, bottom, discards)


def legal_settings(in_hand: list[int], rows: Rows) -> set[Setting]:
    """Every way to place five cards, or two of three with the third discarded, that fits the free places."""
    wanted_discards = 0 if len(in_hand) == 5 else 1
    settings = set()
    for places in product(range(4), repeat=len(in_hand)):
        fits = all(len(rows[row]) + places.count(row) <= ROW_SIZES[row] for row in range(3))
        if fits and places.count(DISCARD) == wanted_discards:
            settings.add(setting_of(in_hand, places))
    return settings


def slot_setting(in_hand: list[int], slot: int, step: int) -> Setting | None:
    """What a slot means for the sorted cards in hand, fitting or not; None where it means nothing now.
    After the first opening step only the bottom cards are placed; the others stay in hand."""
    in_hand = sorted(in_hand)
    if len(in_hand) == 3 and 0 <= slot <= 26 and step == 0:
        discard, first_row, second_row = slot // 9, slot // 3 % 3, slot % 3
        kept = [place for place in range(3) if place != discard]
        places = [DISCARD] * 3
        places[kept[0]], places[kept[1]] = first_row, second_row
        return setting_of(in_hand, tuple(places))
    if len(in_hand) == 5 and 27 <= slot <= 58 and step == 0:
        bits = slot - 27
        chosen = [card for place, card in enumerate(in_hand) if bits >> place & 1]
        return ((), (), tuple(chosen), ())
    if step == 1 and 59 <= slot <= 90:
        bits = slot - 59
        if bits >> len(in_hand):
            return None
        chosen = [card for place, card in enumerate(in_hand) if bits >> place & 1]
        rest = [card for card in in_hand if card not in chosen]
        return (tuple(chosen), tuple(rest), (), ())
    return None


@dataclass
class NaiveHand:
    """One hand from a whole deck, dealt from the front, seats in fantasyland (width per seat) first."""

    deck: list[int]
    button: int = 0
    chips: tuple[int, int] = (200, 200)
    fantasyland: tuple[int, int] = (0, 0)
    rules: OracleRules = RULES
    rows: list[list[list[int]]] = field(default_factory=lambda: [[[], [], []], [[], [], []]])
    discarded: list[list[int]] = field(default_factory=lambda: [[], []])
    turns_played: list[int] = field(default_factory=lambda: [0, 0])
    step: int = 0

    def __post_init__(self) -> None:
        assert sorted(self.deck) == self.rules.deck
        order = self.rules.order(self.button)
        self.agenda: list[tuple[int, int, list[int]]] = []
        front = 0
        deals = [(seat, 0, self.fantasyland[seat]) for seat in order if self.fantasyland[seat]]
        deals += [
            (seat, turn, 5 if turn == 0 else 3)
            for turn in range(5)
            for seat in order
            if not self.fantasyland[seat]
        ]
        for seat, turn, count in deals:
            self.agenda.append((seat, turn, sorted(self.deck[front : front + count])))
            front += count
        self.undealt = self.deck[front:]
        self.in_hand = list(self.agenda[0][2])

    @property
    def finished(self) -> bool:
        return not self.agenda

    @property
    def player(self) -> int | None:
        return self.agenda[0][0] if self.agenda else None

    @property
    def turn(self) -> int:
        return self.agenda[0][1] if self.agenda else 4

    def board(self, seat: int) -> Rows:
        top, middle, bottom = (sorted(row) for row in self.rows[seat])
        return (top, middle, bottom)

    def legal_slots(self) -> list[int]:
        """The slots that mean something now and fit the free places; none for a fantasyland hand."""
        if self.player is None or self.fantasyland[self.player]:
            return []
        legal = []
        for slot in range(SLOTS):
            setting = slot_setting(self.in_hand, slot, self.step)
            if setting is not None and self._fits(setting):
                legal.append(slot)
        return legal

    def _fits(self, setting: Setting) -> bool:
        assert self.player is not None
        return all(len(self.rows[self.player][row]) + len(setting[row]) <= ROW_SIZES[row] for row in range(3))

    def play(self, setting: Setting) -> None:
        """Puts the cards of a setting down; the turn ends when nothing is left in hand."""
        assert self.player is not None
        seat = self.player
        for row in range(3):
            self.rows[seat][row].extend(setting[row])
        self.discarded[seat].extend(setting[3])
        self.in_hand = [card for card in self.in_hand if not any(card in pile for pile in setting)]
        if self.in_hand:
            self.step = 1
            return
        self.step = 0
        self.turns_played[seat] += 1
        self.agenda.pop(0)
        self.in_hand = list(self.agenda[0][2]) if self.agenda else []

    def play_slot(self, slot: int) -> None:
        setting = slot_setting(self.in_hand, slot, self.step)
        assert setting is not None
        self.play(setting)

    def places_seen(self, seat: int) -> list[int]:
        """For each card of the deck, where `seat` knows it to be (the nine places of the observation)."""
        places = [UNSEEN] * len(self.deck)
        opponent = 1 - seat
        for row in range(3):
            for card in self.rows[seat][row]:
                places[card] = row
            for card in self.rows[opponent][row]:
                if not self.fantasyland[opponent] or self.finished:
                    places[card] = 3 + row
        for card in self.discarded[seat]:
            places[card] = MY_DISCARD
        if self.player == seat:
            for card in self.in_hand:
                places[card] = IN_HAND
        return places

    def observation(self, seat: int) -> np.ndarray:
        """The 490 numbers of one seat, float32; a joker that the deck lacks is in no place."""
        numbers = np.zeros(OBSERVATION_SIZE, dtype=np.float32)
        for card, place in enumerate(self.places_seen(seat)):
            numbers[card * 9 + place] = 1.0
        opponent = 1 - seat
        if self.player == seat:
            turn = self.turn / 4 if self.step == 0 else 0.125
        elif self.fantasyland[seat]:
            turn = float(self.turns_played[seat])  # all turns at once
        else:
            turn = max(0, self.turns_played[seat] - 1) / 4
        numbers[486] = turn
        width = self.fantasyland[opponent]
        numbers[487] = 0.2 * (width - 13) if width else float(seat == self.button)
        numbers[488] = self.chips[seat] / 200
        numbers[489] = self.chips[opponent] / 200
        return numbers

    def score(self) -> Score:
        return score_rows(self.board(0), self.board(1), self.chips, self.fantasyland, self.rules)


# --- the last turn, by trying everything ------------------------------------------------

FantasylandValues = dict[int, float]


def equity(score: Score, seat: int, fantasyland_values: FantasylandValues) -> float:
    """Points of one seat plus the value of the fantasyland it has won minus that of the other's."""
    values = [fantasyland_values.get(width, 0.0) for width in score.next_cards]
    return score.raw_score[seat] + values[seat] - values[1 - seat]


Pay = Callable[[Score, int], float]  # what a seat is paid for a score


def shaped(score: Score, seat: int) -> float:
    """The chips that moved, 15 for winning fantasyland and -20 for an own foul: not zero-sum."""
    return score.actual_score[seat] + 15.0 * score.entry[seat] - 20.0 * score.readings[seat].fouled


def finished_boards(rows: Rows, in_hand: list[int], rules: OracleRules) -> dict[Setting, Reading]:
    """Every placement of the last three cards and the board it finishes."""
    boards = {}
    for setting in legal_settings(in_hand, rows):
        full = tuple(list(rows[row]) + list(setting[row]) for row in range(3))
        boards[setting] = read_board((full[0], full[1], full[2]), rules)
    return boards


def last_turn_values(hand: NaiveHand, pay: Pay) -> dict[int, float]:
    """`last_placement_values` for the seat to act in a hand, against an opponent that plays normally."""
    seat = hand.player
    assert seat is not None
    assert hand.turn == 4
    assert hand.fantasyland == (0, 0)
    unseen = [card for card, place in enumerate(hand.places_seen(seat)) if place == UNSEEN]
    boards = hand.board(seat), hand.board(1 - seat)
    chips = hand.chips[seat], hand.chips[1 - seat]
    return last_placement_values(boards, hand.in_hand, unseen, pay, chips, hand.rules)


def last_placement_values(
    boards: tuple[Rows, Rows],
    in_hand: list[int],
    unseen: list[int],
    pay: Pay,
    chips: tuple[int, int] = (200, 200),
    rules: OracleRules = RULES,
) -> dict[int, float]:
    """Slot -> what a seat is paid that holds its last three cards; its own board and chips come first.

    Against a complete board it is the pay itself; else the mean over every draw of three unseen cards, the
    opponent answering each with the placement that is best for the opponent, and of several equally good
    ones with that which is worst for the seat.
    """

    def paid(mine: Reading, theirs: Reading) -> tuple[float, float]:
        """What the opponent loses and what the seat gets."""
        score = score_readings(mine, theirs, chips, rules=rules)
        return -pay(score, 1), pay(score, 0)

    finished = finished_boards(boards[0], in_hand, rules)
    if sum(len(row) for row in boards[1]) == 13:
        theirs = read_board(boards[1], rules)
        values = {setting: paid(mine, theirs)[1] for setting, mine in finished.items()}
    else:
        values = _expected_values(finished, boards[1], unseen, paid, rules)
    slots = {slot: slot_setting(in_hand, slot, 0) for slot in range(27)}
    return {slot: values[setting] for slot, setting in slots.items() if setting in values}


def _expected_values(boards, opponent_rows, unseen, paid, rules):
    """Mean over all draws of the opponent; boards that end equal are judged once."""
    free = [row for row in range(3) for _ in range(ROW_SIZES[row] - len(opponent_rows[row]))]
    replies = {}
    for pair in combinations(unseen, 2):
        endings = []
        for ordered in (pair, pair[::-1]):
            full = [list(row) for row in opponent_rows]
            for row, card in zip(free, ordered, strict=True):
                full[row].append(card)
            endings.append(read_board((full[0], full[1], full[2]), rules))
        replies[pair] = endings
    means = {}
    for setting, mine in boards.items():
        answers = {pair: min(paid(mine, ending) for ending in endings) for pair, endings in replies.items()}
        draws = [min(answers[pair] for pair in combinations(draw, 2))[1] for draw in combinations(unseen, 3)]
        means[setting] = sum(draws) / len(draws)
    return means


# --- fantasyland, by trying everything --------------------------------------------------


def best_fantasyland(
    dealt: list[int], stay_value: float, rules: OracleRules = RULES
) -> tuple[float, tuple[int, ...]]:
    """Over every setting that does not foul: the highest royalties + stay value, and the encoded row values
    of its setting as (bottom, middle, top): the stronger bottom wins a tie, then the middle, then the top."""
    dealt = sorted(dealt)
    fives = {row: readings(row) for row in combinations(dealt, 5)}
    threes = {row: readings(row) for row in combinations(dealt, 3)}
    best: tuple[float, tuple[RowValue, ...]] = (float("-inf"), ())
    for bottom, bottom_readings in fives.items():
        bottom_value = bottom_readings[-1]
        rest = [card for card in dealt if card not in bottom]
        for middle in combinations(rest, 5):
            middle_value = next((value for value in reversed(fives[middle]) if value <= bottom_value), None)
            if middle_value is None:
                continue
            for top in combinations([card for card in rest if card not in middle], 3):
                top_value = next((value for value in reversed(threes[top]) if value <= middle_value), None)
                if top_value is None:
                    continue
                value = float(
                    row_royalty(TOP, top_value, rules)
                    + row_royalty(MIDDLE, middle_value, rules)
                    + row_royalty(BOTTOM, bottom_value, rules)
                )
                if rules.stays((top_value, middle_value, bottom_value)):
                    value += stay_value
                if value >= best[0]:
                    best = max(best, (value, (bottom_value, middle_value, top_value)))
    return best[0], tuple(encode(value) for value in best[1])
