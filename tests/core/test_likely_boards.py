"""Boards that the opponent of a fantasyland seat may end with, and settings chosen against them."""

from __future__ import annotations

import random

import numpy as np
import pytest

import agents
from agents.positions.ranking import play_out
from agents.turns import set_against
from ofc_env import Hand, InformationSet, Rules, _core, sample_boards, solve_fantasyland
from tests.rule_sets import RULE_SETS


def about_to_set(width: int, seed: int, opponent: int = 0, rules: Rules | None = None) -> InformationSet:
    hand = Hand(seed=seed, fantasyland=(width, opponent), rules=rules)
    return hand.information(hand.player or 0)


@pytest.mark.parametrize("widths", [(14, 0), (17, 0), (14, 17), (16, 14)])
def test_boards_are_of_unseen_cards_and_follow_from_the_seed(widths: tuple[int, int]) -> None:
    known = about_to_set(widths[0], 5, widths[1])
    boards = sample_boards(known, 20)
    assert len(boards) == 20
    for board in boards:
        cards = [*board.top, *board.middle, *board.bottom]
        assert len(set(cards)) == 13
        assert set(cards) <= set(known.unseen)
    assert boards == sample_boards(known, 20) == sample_boards(known, 40)[:20]
    assert boards != sample_boards(known, 20, seed=1)
    assert boards != sample_boards(about_to_set(widths[0], 6, widths[1]), 20)


def test_a_normal_opponent_plays_like_the_heuristic() -> None:
    """The quick way gives boards as good as hands that the agent plays against a fantasyland seat."""
    deals = 3000
    known = about_to_set(15, 8)
    rng = random.Random(9)
    hands = []
    for _ in range(deals):
        hand = Hand(deck=known.hand + rng.sample(known.unseen, len(known.unseen)), fantasyland=(15, 0))
        hand.set_fantasyland()
        hands.append(hand)
    play_out(agents.make("heuristic"), hands)
    samples = [
        np.array([[b.fouled, b.royalties.total, b.fantasyland_cards > 0, sum(b.top)] for b in boards], float)
        for boards in ([hand.board(1) for hand in hands], sample_boards(known, deals))
    ]
    for played, sampled in zip(samples[0].T, samples[1].T, strict=True):
        error = np.sqrt((played.var() + sampled.var()) / deals)
        assert abs(played.mean() - sampled.mean()) < 4 * error


def test_an_opponent_in_fantasyland_is_set_by_the_solver() -> None:
    """Of a deck so short that its cards are known, there is one board: the best by the solver."""
    cards = random.Random(3).sample(range(54), 28)
    nowhere = [card for card in range(54) if card not in cards]
    known = InformationSet(hand=cards[:14], opponent_fantasyland=14, nowhere=nowhere)
    assert sample_boards(known, 3) == [solve_fantasyland(cards[14:]).board] * 3


@pytest.mark.parametrize("widths", [(14, 0), (14, 15)])
def test_the_setting_is_the_best_of_all_against_the_same_boards(widths: tuple[int, int]) -> None:
    differ = 0
    for seed in range(8):
        known = about_to_set(widths[0], seed, widths[1])
        boards = sample_boards(known, 16)
        forced = _core.brute_force_fantasyland(known.hand, opponent=boards)
        solved = solve_fantasyland(known.hand, opponent=boards)
        assert solved.value == pytest.approx(forced.value, abs=1e-9)
        assert solved.board.row_names == forced.board.row_names
        assert set_against(known, 16) == solved.placement
        assert set_against(known, 0) == solve_fantasyland(known.hand).placement
        differ += set_against(known, 16) != set_against(known, 0)
    assert differ > 0


@pytest.mark.prove
@pytest.mark.parametrize("width", [14, 15])
def test_more_settings_are_the_best_of_all_against_the_same_boards(width: int) -> None:
    for seed in range(100, 160 if width == 14 else 115):
        known = about_to_set(width, seed, 14 * (seed % 2))
        boards = sample_boards(known, 24)
        forced = _core.brute_force_fantasyland(known.hand, opponent=boards)
        assert solve_fantasyland(known.hand, opponent=boards).value == pytest.approx(forced.value, abs=1e-9)


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=RULE_SETS)
def test_boards_by_any_rules(rules: Rules) -> None:
    """Also under rules for which nobody has measured what fantasyland is worth."""
    if not rules.widths:
        return
    for opponent in (0, rules.widths[0]):
        known = about_to_set(rules.widths[0], 2, opponent, rules)
        boards = sample_boards(known, 4)
        assert all(board.rules == rules for board in boards)
        hand = Hand(deck=known.hand + known.unseen, fantasyland=(rules.widths[0], 0), rules=rules)
        hand.place(set_against(known, 4))


@pytest.mark.parametrize(
    ("known", "boards", "sentence"),
    [
        (Hand(seed=1).information(0), 4, "the seat has no fantasyland hand to set"),
        (Hand(seed=1).information(1), 4, "the seat has no fantasyland hand to set"),
        (about_to_set(14, 1), 0, "cannot sample 0 boards: 1 to 4096 can be"),
        (about_to_set(14, 1), -3, "cannot sample -3 boards"),
        (about_to_set(14, 1), 4097, "cannot sample 4097 boards"),
    ],
)
def test_refusals_are_sentences(known: InformationSet, boards: int, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        sample_boards(known, boards)
