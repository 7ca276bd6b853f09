"""The rules of OFC Pineapple once more, in the plainest Python that can be read against the rules page.

Nothing here is fast and nothing is shared with the native core: rows are judged by counting ranks, jokers by
trying every natural card, boards from the bottom row up. The tests hold the core against this file.

A row value is a tuple ``(category, rank, rank, ...)`` with ranks 1 (deuce) to 13 (ace), grouped ranks first
and named once. Python's own order of tuples is the order of the game, also between three and five cards: a
tuple that runs out while all is equal so far is the lower one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations

RANKS = "23456789TJQKA"
SUITS = "hdcs"
CARD_NAMES = [rank + suit for suit in SUITS for rank in RANKS] + ["X1", "X2"]
JOKERS = (52, 53)
NATURAL_CARDS = range(52)
TOP, MIDDLE, BOTTOM = range(3)
ROW_SIZES = (3, 5, 5)

HIGH_CARD, PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH = range(9)

RowValue = tuple[int, ...]
Rows = tuple[Sequence[int], Sequence[int], Sequence[int]]


def cards(text: str) -> list[int]:
    """Card indices of a text such as ``"Ah Kd X1"``, in the order written."""
    return [CARD_NAMES.index(name) for name in text.split()]


def names(indices: Iterable[int]) -> str:
    """The text of some cards, in the order given."""
    return " ".join(CARD_NAMES[index] for index in indices)


@dataclass(frozen=True)
class OracleRules:
    """What the rules page fixes in numbers; pairs and trips are indexed by rank (0 deuce .. 12 ace), rows by
    category with one more entry for the royal flush."""

    jokers: int = 2
    button_first: bool = True
    top_pairs: tuple[int, ...] = (0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
    top_trips: tuple[int, ...] = (10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22)
    middle: tuple[int, ...] = (0, 0, 0, 2, 4, 8, 12, 20, 30, 50)
    bottom: tuple[int, ...] = (0, 0, 0, 0, 2, 4, 6, 10, 15, 25)
    scoop: int = 3
    foul: int | None = None  # points that a foul costs beside royalties; None: three rows and the scoop
    fantasyland_pairs: tuple[int, ...] = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 14, 15, 16)
    fantasyland_trips: int = 17
    # The category from which on top, middle and bottom keep their player in fantasyland; None never.
    stay_from: tuple[int | None, int | None, int | None] = (TRIPS, None, QUADS)
    stay_cards: int = 14  # 0: as many as before
    chips: int = 200
    stop_gap: int = 40

    @property
    def deck(self) -> list[int]:
        """Every card of the game; a single joker is X1."""
        return [*NATURAL_CARDS, *JOKERS[: self.jokers]]

    @property
    def foul_points(self) -> int:
        return 3 + self.scoop if self.foul is None else self.foul

    def order(self, button: int) -> tuple[int, int]:
        """The seat that is dealt to and acts first on every turn, and the other."""
        return (button, 1 - button) if self.button_first else (1 - button, button)

    def stays(self, values: Iterable[RowValue]) -> bool:
        """Whether a board of these row values, top first, keeps a player in fantasyland."""
        kept = False
        for value, least in zip(values, self.stay_from, strict=True):
            if least is not None and value[0] >= least:
                kept = True
        return kept


RULES = OracleRules()


# --- rows -------------------------------------------------------------------------------


def natural_value(row: Iterable[int]) -> RowValue:
    """The value of three or five natural cards."""
    row = list(row)
    ranks = [card % 13 + 1 for card in row]
    suits = [card // 13 for card in row]
    counted = sorted(((count, rank) for rank, count in Counter(ranks).items()), reverse=True)
    counts = [count for count, _ in counted]
    by_count = tuple(rank for _, rank in counted)
    if len(row) == 5 and counts == [1, 1, 1, 1, 1]:
        flush = len(set(suits)) == 1
        straight_top = 0
        if max(ranks) - min(ranks) == 4:
            straight_top = max(ranks)
        if sorted(ranks) == [1, 2, 3, 4, 13]:
            straight_top = 4
        if flush and straight_top:
            return (STRAIGHT_FLUSH, straight_top)
        if flush:
            return (FLUSH, *by_count)
        if straight_top:
            return (STRAIGHT, straight_top)
    if counts[0] == 4:
        return (QUADS, *by_count)
    if counts[:2] == [3, 2]:
        return (FULL_HOUSE, *by_count)
    if counts[0] == 3:
        return (TRIPS, *by_count)
    if counts[:2] == [2, 2]:
        return (TWO_PAIR, *by_count)
    if counts[0] == 2:
        return (PAIR, *by_count)
    return (HIGH_CARD, *by_count)


def encode(value: RowValue) -> int:
    """The one integer that stands for a row value: category, then five ranks of four bits each."""
    padded = list(value[1:]) + [0] * (6 - len(value))
    number = value[0]
    for rank in padded:
        number = number * 16 + rank
    return number


def decode(number: int) -> RowValue:
    """The tuple that `encode` made a number of."""
    digits = [(number >> shift) & 15 for shift in (16, 12, 8, 4, 0)]
    return (number >> 20, *(digit for digit in digits if digit))


@cache
def _value_of_ranks(ranks: tuple[int, ...], suited: bool) -> RowValue:
    """The value of sorted ranks (0 deuce .. 12 ace), remembered: suits matter only by being all one."""
    suits = [0 if suited else place % 4 for place in range(len(ranks))]
    return natural_value(suit * 13 + rank for suit, rank in zip(suits, ranks, strict=True))


@lru_cache(maxsize=200_000)
def _readings(row: frozenset[int]) -> tuple[RowValue, ...]:
    natural = [card for card in row if card < 52]
    jokers = len(row) - len(natural)
    free = [card for card in NATURAL_CARDS if card not in row]
    values = set()
    for extra in combinations(free, jokers):
        full = (*natural, *extra)
        ranks = tuple(sorted(card % 13 for card in full))
        values.add(_value_of_ranks(ranks, len({card // 13 for card in full}) == 1))
    return tuple(sorted(values))


def readings(row: Iterable[int]) -> tuple[RowValue, ...]:
    """Every value a complete row can be read as, lowest first: each joker is any natural card not in the
    row, two jokers are two different cards."""
    return _readings(frozenset(row))


def best_reading(row: Iterable[int], limit: RowValue | None = None) -> RowValue | None:
    """The best reading that does not exceed `limit`; None where every reading does."""
    allowed = [value for value in readings(row) if limit is None or value <= limit]
    return allowed[-1] if allowed else None


# --- boards -----------------------------------------------------------------------------


def row_royalty(row: int, value: RowValue, rules: OracleRules = RULES) -> int:
    """Royalty of one row (0 top, 1 middle, 2 bottom) of a board that is not fouled."""
    category, rank = value[0], value[1] - 1
    if row == TOP:
        if category == PAIR:
            return rules.top_pairs[rank]
        return rules.top_trips[rank] if category == TRIPS else 0
    table = rules.middle if row == MIDDLE else rules.bottom
    royal = category == STRAIGHT_FLUSH and rank == 12
    return table[9 if royal else category]


@dataclass(frozen=True)
class Reading:
    """A complete board as the rules read it; `values` and `royalties` by row, values None where fouled."""

    values: tuple[RowValue | None, RowValue | None, RowValue | None]
    fouled: bool
    royalties: tuple[int, int, int]
    entry_cards: int
    stays: bool

    @property
    def total(self) -> int:
        return sum(self.royalties)


def read_board(rows: Rows, rules: OracleRules = RULES) -> Reading:
    """Bottom first as its best, then each row as its best that does not exceed the row below it."""
    bottom = best_reading(rows[BOTTOM])
    middle = best_reading(rows[MIDDLE], bottom)
    top = best_reading(rows[TOP], middle) if middle is not None else None
    if top is None or middle is None or bottom is None:
        return Reading((None, middle, bottom), True, (0, 0, 0), 0, False)
    royalties = (
        row_royalty(TOP, top, rules),
        row_royalty(MIDDLE, middle, rules),
        row_royalty(BOTTOM, bottom, rules),
    )
    entry = 0
    if top[0] == PAIR:
        entry = rules.fantasyland_pairs[top[1] - 1]
    if top[0] == TRIPS:
        entry = rules.fantasyland_trips
    return Reading((top, middle, bottom), False, royalties, entry, rules.stays((top, middle, bottom)))


# --- scoring ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Score:
    """What a hand is worth; pairs are by seat, line results by row from that seat's side."""

    readings: tuple[Reading, Reading]
    line_results: tuple[tuple[int, int, int], tuple[int, int, int]]
    scoop: int | None
    raw_score: tuple[int, int]
    actual_score: tuple[int, int]
    chips: tuple[int, int]
    entry: tuple[bool, bool]
    stay: tuple[bool, bool]
    next_cards: tuple[int, int]


def _lines(first: Reading, second: Reading) -> tuple[int, int, int]:
    if first.fouled and second.fouled:
        return (0, 0, 0)
    if first.fouled:
        return (-1, -1, -1)
    if second.fouled:
        return (1, 1, 1)
    results = []
    for mine, theirs in zip(first.values, second.values, strict=True):
        if mine is None or theirs is None:
            raise ValueError("a board that is not fouled has a value in every row")
        results.append((mine > theirs) - (mine < theirs))
    return (results[0], results[1], results[2])


def score_readings(
    first: Reading,
    second: Reading,
    chips: tuple[int, int] = (200, 200),
    fantasyland: tuple[int, int] = (0, 0),
    rules: OracleRules = RULES,
) -> Score:
    """Rows and scoop, or what a foul costs, and royalties; the transfer capped by the loser's chips; who is
    in fantasyland next."""
    lines = _lines(first, second)
    points = sum(lines)
    scoop = None
    if lines == (1, 1, 1):
        points, scoop = points + rules.scoop, 0
    if lines == (-1, -1, -1):
        points, scoop = points - rules.scoop, 1
    if first.fouled != second.fouled:
        points = -rules.foul_points if first.fouled else rules.foul_points
    points += first.total - second.total
    moved = min(points, chips[1]) if points >= 0 else -min(-points, chips[0])
    entry, stay, width = [], [], []
    for reading, played in zip((first, second), fantasyland, strict=True):
        entry.append(played == 0 and reading.entry_cards > 0)
        stay.append(played > 0 and reading.stays)
        width.append(reading.entry_cards if entry[-1] else (rules.stay_cards or played) if stay[-1] else 0)
    mirrored = (-lines[0], -lines[1], -lines[2])
    return Score(
        readings=(first, second),
        line_results=(lines, mirrored),
        scoop=scoop,
        raw_score=(points, -points),
        actual_score=(moved, -moved),
        chips=(chips[0] + moved, chips[1] - moved),
        entry=(entry[0], entry[1]),
        stay=(stay[0], stay[1]),
        next_cards=(width[0], width[1]),
    )


def score_rows(
    first: Rows,
    second: Rows,
    chips: tuple[int, int] = (200, 200),
    fantasyland: tuple[int, int] = (0, 0),
    rules: OracleRules = RULES,
) -> Score:
    """The score of two complete boards given as (top, middle, bottom)."""
    return score_readings(read_board(first, rules), read_board(second, rules), chips, fantasyland, rules)


# --- a session between two hands --------------------------------------------------------


def session_goes_on(chips: tuple[int, int], fantasyland: tuple[int, int], rules: OracleRules = RULES) -> bool:
    """Whether another hand is played with these chips and these fantasyland widths to come."""
    if min(chips) == 0:
        return False
    return any(fantasyland) or abs(chips[0] - chips[1]) < rules.stop_gap
