"""Random boards for tests: from hopeless to rich, always two boards of 26 different cards."""

from __future__ import annotations

import random

from tests import oracle


def _take(rng: random.Random, deck: list[int], wanted: list[int], size: int) -> list[int]:
    """The wanted cards that the deck still has, filled up to `size` with random ones; they leave the deck."""
    chosen = [card for card in wanted if card in deck][:size]
    rest = [card for card in deck if card not in chosen]
    chosen += rng.sample(rest, size - len(chosen))
    for card in chosen:
        deck.remove(card)
    return chosen


def _wanted(rng: random.Random, kind: str) -> list[int]:
    """Cards that make a row of some kind, were they all there."""
    suits = rng.sample(range(4), 4)
    high, low = rng.sample(range(13), 2)
    if kind == "pair":
        return [suit * 13 + high for suit in suits[:2]]
    if kind == "two pair":
        return [suit * 13 + rank for rank in (high, low) for suit in suits[:2]]
    if kind == "trips":
        return [suit * 13 + high for suit in suits[:3]]
    if kind == "full house":
        return [suit * 13 + high for suit in suits[:3]] + [suit * 13 + low for suit in suits[:2]]
    if kind == "quads":
        return [suit * 13 + high for suit in suits]
    if kind == "flush":
        return [suits[0] * 13 + rank for rank in rng.sample(range(13), 5)]
    if kind in ("straight", "straight flush", "royal"):
        start = 8 if kind == "royal" else rng.randrange(-1, 9)
        ranks = [rank % 13 for rank in range(start, start + 5)]
        if kind == "straight":
            return [rng.randrange(4) * 13 + rank for rank in ranks]
        return [suits[0] * 13 + rank for rank in ranks]
    return []


FIVE_CARD_KINDS = (
    *("", "pair", "pair", "two pair", "two pair", "trips", "trips", "straight", "straight", "flush", "flush"),
    *("full house", "full house", "quads", "straight flush", "royal"),
)
THREE_CARD_KINDS = ("", "", "pair", "pair", "pair", "trips")


def _random_rows(rng: random.Random, deck: list[int]) -> list[list[int]]:
    if rng.random() < 0.2:
        return [_take(rng, deck, [], 3), _take(rng, deck, [], 5), _take(rng, deck, [], 5)]
    middle = _take(rng, deck, _wanted(rng, rng.choice(FIVE_CARD_KINDS)), 5)
    if rng.random() < 0.1:
        bottom = _twins(rng, deck, middle)
    else:
        bottom = _take(rng, deck, _wanted(rng, rng.choice(FIVE_CARD_KINDS)), 5)
    top = _take(rng, deck, _wanted(rng, rng.choice(THREE_CARD_KINDS)), 3)
    if rng.random() < 0.9 and oracle.natural_value(middle) > oracle.natural_value(bottom):
        middle, bottom = bottom, middle
    return [top, middle, bottom]


def _twins(rng: random.Random, deck: list[int], row: list[int]) -> list[int]:
    """A row of the same ranks in other suits, as far as the deck has them; they leave the deck."""
    wanted: list[int] = []
    for card in row:
        twins = [twin for twin in range(card % 13, 52, 13) if twin in deck and twin not in wanted]
        wanted += [rng.choice(twins)] if twins else []
    return _take(rng, deck, wanted, len(row))


def _put_jokers(rng: random.Random, boards: list[list[list[int]]], in_deck: int) -> None:
    """Puts one or both jokers of the deck in place of random cards, often into one row."""
    board, row = rng.choice(boards), rng.randrange(3)
    for joker in rng.sample(oracle.JOKERS[:in_deck], min(rng.choice((1, 1, 2)), in_deck)):
        if rng.random() < 0.6:
            board, row = rng.choice(boards), rng.randrange(3)
        natural = [place for place, card in enumerate(board[row]) if card < 52]
        board[row][rng.choice(natural)] = joker


def random_pair(rng: random.Random, jokers: bool, in_deck: int = 2) -> tuple[oracle.Rows, oracle.Rows]:
    """Two complete boards of 26 different cards, with jokers of the deck among them or with none."""
    deck = list(oracle.NATURAL_CARDS)
    boards = [_random_rows(rng, deck)]
    if rng.random() < 0.1:
        boards.append([_twins(rng, deck, row) for row in boards[0]])
    else:
        boards.append(_random_rows(rng, deck))
    rng.shuffle(boards)
    if jokers:
        _put_jokers(rng, boards, in_deck)
    first, second = boards
    return (first[0], first[1], first[2]), (second[0], second[1], second[2])


def disjoint_opponents(rng: random.Random, dealt: list[int], count: int) -> list[oracle.Rows]:
    """Boards that hold none of the dealt cards (they may hold each other's: they are guesses)."""
    found: list[oracle.Rows] = []
    while len(found) < count:
        for rows in random_pair(rng, jokers=False):
            if not {card for row in rows for card in row} & set(dealt):
                found.append(rows)
        if rng.random() < 0.3:
            rest = rng.sample([card for card in range(52) if card not in dealt], 13)
            found.append((rest[:3], rest[3:8], rest[8:]))
    return found[:count]
