"""Boards completed with hindsight against trying everything, and their means over futures."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations, product
from math import comb
from typing import Any

import numpy as np
import pytest

from ofc_env import Board, Hand, InformationSet, Placement, Rules, complete_with_hindsight, completions
from tests import oracle
from tests.boards import random_pair
from tests.enumeration import fewest_undealt, short_position
from tests.rule_sets import RULE_SETS, oracle_rules

SIZES = (3, 5, 5)
VALUES = (8.25, 14.5, 20.75, 27.0)
Rows = tuple[list[int], list[int], list[int]]
Deals = list[list[int]]


def arrangements(rows: Rows, cards: tuple[int, ...]) -> Iterator[Rows]:
    """Every way to fill the free places of a board with just these cards."""
    if not cards:
        yield rows
        return
    for row in range(3):
        if len(rows[row]) < SIZES[row]:
            top, middle, bottom = (
                [*each, cards[0]] if number == row else each for number, each in enumerate(rows)
            )
            yield from arrangements((top, middle, bottom), cards[1:])


def board_of(rows: Rows, rules: Rules) -> Board:
    top, middle, bottom = rows
    return Board(top, middle, bottom, rules=rules)


def worth(rows: Rows, rules: oracle.OracleRules, foul: float) -> float:
    reading = oracle.read_board(rows, rules)
    if reading.fouled:
        return -foul
    return reading.total + (VALUES[reading.entry_cards - 14] if reading.entry_cards else 0.0)


def by_trying_all(rows: Rows, deals: Deals, rules: oracle.OracleRules, foul: float) -> float:
    return max(
        worth(full, rules, foul)
        for kept in product(*(combinations(deal, 2) for deal in deals))
        for full in arrangements(rows, tuple(card for pair in kept for card in pair))
    )


def promising(rng: random.Random, deals: int, jokers: int) -> tuple[Rows, Deals]:
    """A board that so many deals can finish, most often without a foul, and the deals."""
    boards = random_pair(rng, jokers=rng.random() < 0.7)
    deck = range(52 + jokers)
    top, middle, bottom = ([card for card in row if card in deck] for row in boards[0])
    rows = (top, middle, bottom)
    missing = [(card, row) for row, cards in enumerate(rows) for card in cards]
    spare = [card for card in deck if not any(card in row for row in rows)]
    rng.shuffle(missing)
    rng.shuffle(spare)
    for row, size in enumerate(SIZES):  # in place of jokers that the rules do not have
        while len(rows[row]) < size:
            rows[row].append(spare.pop())
    to_come = []
    for card, row in missing[: 2 * deals]:
        rows[row].remove(card)
        to_come.append(card)
    if deals and rng.random() < 0.5:
        to_come[0] = spare.pop()
    to_come += [spare.pop() for _ in range(deals)]
    rng.shuffle(to_come)
    return rows, [to_come[3 * deal : 3 * deal + 3] for deal in range(deals)]


def check(rows: Rows, deals: Deals, rules: Rules, foul: float) -> tuple[Board, float]:
    board = board_of(rows, rules)
    found, value = complete_with_hindsight(board, deals, fantasyland_values=VALUES, foul=foul)
    ruled = oracle_rules(rules)
    assert value == pytest.approx(by_trying_all(rows, deals, ruled, foul)), (rows, deals)
    full = (found.top, found.middle, found.bottom)
    assert all(set(before) <= set(after) for before, after in zip(rows, full, strict=True))
    placed = {card for row in full for card in row}
    assert all(len(placed & set(deal)) == 2 for deal in deals)
    assert len(placed) == 13
    assert worth(full, ruled, foul) == pytest.approx(value)
    assert found.rules == rules
    return found, value


@pytest.mark.parametrize("name", RULE_SETS)
@pytest.mark.parametrize(("deals", "boards"), [(0, 10), (1, 60), (2, 30), (3, 6)])
def test_nothing_is_better(name: str, deals: int, boards: int) -> None:
    rules = RULE_SETS[name]
    rng = random.Random(f"{name} {deals}")
    found = [
        check(*promising(rng, deals, rules.jokers), rules, foul=rng.choice((0.0, 6.0))) for _ in range(boards)
    ]
    assert len({round(value, 6) for _, value in found}) > 1
    if deals in (1, 2):
        assert any(board.fouled for board, _ in found)
    assert not all(board.fouled for board, _ in found)


@pytest.mark.parametrize("name", ["house", "standard", "odd_royalties"])
def test_nothing_is_better_after_an_opening(name: str) -> None:
    rules = RULE_SETS[name]
    rng = random.Random(f"opening {name}")
    for _ in range(2):
        check(*promising(rng, 4, rules.jokers), rules, foul=6.0)


@pytest.mark.prove
@pytest.mark.parametrize("name", RULE_SETS)
def test_nothing_is_better_on_many_boards(name: str) -> None:
    rules = RULE_SETS[name]
    rng = random.Random(f"many {name}")
    for deals, boards in ((1, 400), (2, 200), (3, 40), (4, 6)):
        for _ in range(boards):
            check(*promising(rng, deals, rules.jokers), rules, foul=rng.choice((0.0, 3.5)))


def test_by_hand() -> None:
    board = Board(top="Qh", middle="8h 8d 4c 2s", bottom="Kd Kc 9s 9d")
    deals = ["Qs 5h 8s", "3h 4s 7d"]
    # Queens on top and eights up in the middle: 7 points and 14 cards; three eights would foul on kings up.
    found, value = complete_with_hindsight(board, deals)
    assert found.fantasyland_cards == 14
    assert found.royalties.total == 7
    worth_of_14, *_ = Rules().fantasyland_values or []
    assert value == pytest.approx(7 + worth_of_14)
    assert sorted(set(found.middle) - set(board.middle)) == oracle.cards("4s")
    # A joker makes the bottom a full house, under which three eights do not foul: 7 + 2 + 6.
    found, value = complete_with_hindsight(board, ["Qs 5h 8s", "X1 2c 7d"], fantasyland_values=[0, 0, 0, 0])
    assert value == 15
    assert 52 in found.bottom


def test_a_foul_costs_what_is_said_and_nobody_fouls_on_purpose() -> None:
    lost = Board(top="Ah Ad Ac", middle="2h 3d 4c 6s 7h", bottom="8h 9d Jc")
    assert complete_with_hindsight(lost, ["Ks Kd 2s"])[1] == -6
    assert complete_with_hindsight(lost, ["Ks Kd 2s"], foul=11.5)[1] == -11.5
    even = Board(top="2h 3d 4c", middle="5h 6d 7c 9s Jh", bottom="8h 9d Qc")
    found, value = complete_with_hindsight(even, ["Ks 2d 8d"], foul=0)
    assert not found.fouled
    assert value == 0


@pytest.mark.parametrize(
    ("board", "deals", "options", "sentence"),
    [
        (Board(), ["Ah Kh Qh"], {}, "waits for 1 of the four deals has 11 cards, not 0"),
        (Board(), ["2h 3h 4h"] * 5, {}, "at most 4 deals of three, not 5"),
        (Board("2h 3h 4h"), ["Ah Kh"], {}, "of three cards, not of 2"),
        (Board("2h 3h 4h"), ["Ah Kh Qh", "Ah 5d 6d"], {}, "card Ah is in two deals"),
        (
            Board("2h 3h 4h", "5h 6h 7h 8h 9h", "Th Jh Qh"),
            ["Th Kh Ah"],
            {},
            "card Th is on the board and in a deal",
        ),
        (
            Board("2h 3h 4h", "5h 6h 7h 8h 9h", "Th Jh Qh", rules=Rules.preset("standard")),
            ["X1 Kh Ah"],
            {},
            "X1",
        ),
        (Board("2h 3h 4h", "5h 6h 7h 8h 9h", "Th Jh Qh"), ["Kh Ah 2d"], {"foul": -1}, "-1"),
        (Board("2h 3h 4h", "5h 6h 7h 8h 9h", "Th Jh Qh"), ["Kh Ah 2d"], {"foul": float("nan")}, "nan"),
        (
            Board("2h 3h 4h", "5h 6h 7h 8h 9h", "Th Jh Qh"),
            ["Kh Ah 2d"],
            {"fantasyland_values": [1, 2, 3, float("inf")]},
            "inf",
        ),
    ],
)
def test_refusals(board: Board, deals: list[str], options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence.replace("(", r"\(")):
        complete_with_hindsight(board, deals, **options)


# --- means over futures --------------------------------------------------------------------


def position(seed: int, decisions: int, rules: Rules | None = None, **options: Any) -> InformationSet:
    hand = Hand(seed=seed, button=0, rules=rules, **options)
    rng = random.Random(seed)
    for _ in range(decisions):
        hand.place(rng.choice(hand.placements()))
    return hand.information(hand.player or 0)


def test_placements_meet_the_same_futures() -> None:
    information = position(3, 0)
    placements = information.placements()[:40]
    values = completions(information, placements, 12, seed=5)
    assert values.shape == (40, 12)
    assert values.dtype == np.float32
    assert np.array_equal(completions(information, placements[7:9], 12, seed=5), values[7:9])
    assert np.array_equal(completions(information, placements, 5, seed=5), values[:, :5])
    assert not np.array_equal(completions(information, placements, 12, seed=6), values)
    assert len(np.unique(values)) > 10


@pytest.mark.parametrize("rules", [Rules(), Rules.preset("standard")])
def test_means_before_the_last_turn_are_those_of_all_draws(rules: Rules) -> None:
    """Of a short look: the mean over many futures is near that over every draw of three."""
    information = position(11, 7, rules)
    assert information.turn == 3
    placements = information.placements()[:3]
    worlds = 20_000
    sampled = completions(information, placements, worlds, seed=1)
    for placement, values in zip(placements, sampled, strict=True):
        rows = (
            [*information.top, *placement.top],
            [*information.middle, *placement.middle],
            [*information.bottom, *placement.bottom],
        )
        board = board_of(rows, rules)
        every = [complete_with_hindsight(board, [draw])[1] for draw in combinations(information.unseen, 3)]
        error = np.std(every) / np.sqrt(worlds)
        assert abs(values.mean() - np.mean(every)) < 4 * error + 1e-6


def test_later_turns_and_options() -> None:
    for decisions in range(10):
        information = position(2, decisions)
        placements = information.placements()[-2:]
        values = completions(information, placements, 6, seed=1, foul=50.0)
        assert values.shape == (len(placements), 6)
        if information.turn == 4:  # nothing to come
            assert np.all(values == values[:, :1])
    poorer = completions(position(2, 0), placements=[], worlds=6)
    assert poorer.shape == (0, 6)


def test_a_fantasyland_opponent_is_dead_cards() -> None:
    hand = Hand(seed=4, button=0, fantasyland=(0, 14))
    hand.set_fantasyland()
    information = hand.information(0)
    assert completions(information, information.placements()[:2], 3).shape == (2, 3)


def test_the_shortest_decks() -> None:
    """With all unseen cards to come but the opponent's, the futures are few."""
    rng = random.Random(7)
    information = short_position(rng, 3, False, fewest_undealt(3, False), Rules())
    placements = information.placements()
    values = completions(information, placements, 500, foul=6)
    assert values.shape == (len(placements), 500)
    assert len(np.unique(values, axis=1).T) <= comb(len(information.unseen), 3)


def test_refusals_of_means() -> None:
    information = position(3, 0)
    with pytest.raises(ValueError, match="is not a placement of this position"):
        completions(information, [Placement(top="Ah")], 3)
    with pytest.raises(ValueError, match="0 worlds"):
        completions(information, information.placements()[:1], 0)
    with pytest.raises(ValueError, match="too many"):
        completions(information, information.placements(), 1_000_000)
    with pytest.raises(ValueError, match="fantasyland"):
        completions(position(3, 0, Rules(fantasyland_trips=14)), [], 3)
