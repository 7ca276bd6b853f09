"""Opening fives that differ by the names of suits alone, or by which joker it is, are one class.

With two jokers in the deck there are 152,646. They are numbered by their ranks, highest first and a joker
above all, and those of the same ranks by how their suits fall. How suits can fall follows from how many cards
there are of each rank, so it is worked out once for each of those: a class is a row of ranks and a fall.

    openings = classes_of(2)
    number, cards = openings.find(parse_cards("Qs 7d X2 Qh 2s"))  # the five in the order of the class's own
    openings.cards(number)  # its own: X1 Qh Qd 7c 2h
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, permutations, product

import numpy as np
from numpy.typing import NDArray

from ofc_env import card_names
from ofc_env.layout import CARDS, FIRST_JOKER, RANKS, SUITS

FIVE = 5
JOKER = RANKS  # as a rank: above the ace
Suits = tuple[tuple[int, ...], ...]  # of each rank in turn; of a joker none


@dataclass(frozen=True)
class Fall:
    """One way in which the suits of five cards fall."""

    suits: Suits
    deals: int  # openings that fall like this
    shape: tuple[int, ...]  # cards of each suit, most first; jokers have none
    orders: tuple[tuple[int, ...], ...]  # of the five cards, under which they are the same five again


@lru_cache(maxsize=64)
def falls_of(counts: tuple[int, ...], jokers: int, deck_jokers: int) -> tuple[Fall, ...]:
    """How the suits of cards can fall.

    Args:
        counts: cards of each rank, highest rank first, without the jokers.
        jokers: that are among the five.
        deck_jokers: of the deck.
    """
    alike: dict[Suits, int] = {}  # the first of those that are the same up to names is the least
    met: set[Suits] = set()
    for suits in product(*(tuple(combinations(range(SUITS), count)) for count in counts)):
        if suits not in met:
            renamed = {_renamed(suits, order) for order in permutations(range(SUITS))}
            alike[suits] = len(renamed)
            met |= renamed
    choices = {0: 1, 1: deck_jokers, 2: 1}[jokers]  # which of the deck's jokers
    return tuple(
        Fall(suits, choices * many, _shape(suits), _orders(suits, jokers)) for suits, many in alike.items()
    )


def _renamed(suits: Suits, order: Sequence[int]) -> Suits:
    return tuple(tuple(sorted(order[suit] for suit in each)) for each in suits)


def _shape(suits: Suits) -> tuple[int, ...]:
    counts = [sum(suit in each for each in suits) for suit in range(SUITS)]
    return tuple(sorted((count for count in counts if count), reverse=True))


def _orders(suits: Suits, jokers: int) -> tuple[tuple[int, ...], ...]:
    """Every order in which the five cards stand after a renaming that leaves them the same five."""
    cards = [(rank, suit) for rank, each in enumerate(suits) for suit in each]
    found = set()
    for order in permutations(range(SUITS)):
        if _renamed(suits, order) != suits:
            continue
        moved = [jokers + cards.index((rank, order[suit])) for rank, suit in cards]
        found |= {(*swapped, *moved) for swapped in permutations(range(jokers))}
    return tuple(sorted(found))


class Classes:
    """All classes of openings of a deck with so many jokers."""

    def __init__(self, jokers: int) -> None:
        self.jokers = jokers
        patterns = combinations_with_replacement(range(JOKER if jokers else RANKS - 1, -1, -1), FIVE)
        self.patterns = [ranks for ranks in patterns if self._exists(ranks)]
        falls = [self.falls(ranks) for ranks in self.patterns]
        self.firsts = np.cumsum(
            [0, *map(len, falls)]
        )  # number of the first class of each pattern, and the end
        self.number_of = {ranks: number for number, ranks in enumerate(self.patterns)}
        each = np.repeat(np.arange(len(falls)), [len(found) for found in falls])
        counts = [[ranks.count(rank) for rank in range(JOKER + 1)] for ranks in self.patterns]
        self.rank_counts: NDArray[np.int8] = np.array(counts, dtype=np.int8)[each]  # (classes, 14)
        self.deals: NDArray[np.int64] = np.array([fall.deals for found in falls for fall in found])
        self.shapes = sorted({fall.shape for found in falls for fall in found}, reverse=True)
        place = {shape: number for number, shape in enumerate(self.shapes)}
        self.shape_of: NDArray[np.int8] = np.array(
            [place[fall.shape] for found in falls for fall in found], dtype=np.int8
        )

    def __len__(self) -> int:
        return int(self.firsts[-1])

    def _exists(self, ranks: tuple[int, ...]) -> bool:
        return all(ranks.count(rank) <= (self.jokers if rank == JOKER else SUITS) for rank in set(ranks))

    def falls(self, ranks: tuple[int, ...]) -> tuple[Fall, ...]:
        """How the suits of cards of these ranks, highest first, can fall."""
        natural = [rank for rank in ranks if rank != JOKER]
        counts = tuple(natural.count(rank) for rank in dict.fromkeys(natural))
        return falls_of(counts, len(ranks) - len(natural), self.jokers)

    def ranks(self, number: int) -> tuple[int, ...]:
        """The ranks of a class, highest first."""
        if not 0 <= number < len(self):
            raise ValueError(f"there is no opening {number}: give a number from 0 to {len(self) - 1}")
        return self.patterns[int(np.searchsorted(self.firsts, number, side="right")) - 1]

    def fall(self, number: int) -> Fall:
        """How the suits of a class fall."""
        ranks = self.ranks(number)
        return self.falls(ranks)[number - int(self.firsts[self.number_of[ranks]])]

    def cards(self, number: int) -> list[int]:
        """The five cards that stand for a class, highest rank first."""
        ranks = self.ranks(number)
        jokers = ranks.count(JOKER)
        suits = self.fall(number).suits
        natural = zip(dict.fromkeys(ranks[jokers:]), suits, strict=True)
        cards = [suit * RANKS + rank for rank, each in natural for suit in each]
        return [*range(FIRST_JOKER, FIRST_JOKER + jokers), *cards]

    def find(self, cards: Iterable[int]) -> tuple[int, list[int]]:
        """The class of five cards, and these in the order of the class's own."""
        five = list(cards)
        deck = FIRST_JOKER + self.jokers
        if len(five) != FIVE or len(set(five)) != FIVE or not all(0 <= card < deck for card in five):
            names = " ".join(card_names([card for card in five if 0 <= card < CARDS]))
            raise ValueError(f"{names!r} is no opening: give five different cards of the deck")
        jokers = sorted(card for card in five if card >= FIRST_JOKER)
        natural = sorted(set(five) - set(jokers), key=lambda card: (-(card % RANKS), card))
        ranks = (*[JOKER] * len(jokers), *(card % RANKS for card in natural))
        by_rank = [
            [card for card in natural if card % RANKS == rank] for rank in dict.fromkeys(ranks[len(jokers) :])
        ]
        suits = tuple(tuple(card // RANKS for card in each) for each in by_rank)
        least, order = min((_renamed(suits, order), order) for order in permutations(range(SUITS)))
        place = [fall.suits for fall in self.falls(ranks)].index(least)
        ordered = [card for each in by_rank for card in sorted(each, key=lambda card: order[card // RANKS])]
        return int(self.firsts[self.number_of[ranks]]) + place, [*jokers, *ordered]


@lru_cache(maxsize=3)
def classes_of(jokers: int) -> Classes:
    """Those of a deck with 0, 1 or 2 jokers; made once, a second."""
    if not 0 <= jokers <= CARDS - FIRST_JOKER:
        raise ValueError(f"no deck has {jokers} jokers: give 0, 1 or 2")
    return Classes(jokers)
