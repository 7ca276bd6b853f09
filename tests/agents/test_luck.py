"""Luck taken out of matches: the right pool, a mean of 0, and equal players at exactly 0."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agents
from agents.arena import Adjusting, MatchSettings, play_match, play_sessions, tables
from agents.arena.luck import TURNS
from agents.networks.native import load_native
from agents.players.alphazero import CHAMPION
from agents.randomness import seed_of
from agents.turns import play_turn, seat_to_act
from ofc_env import Hand, RewardConfig, Rules, Session, _core, solve_fantasyland
from tests.enumeration import fewest_undealt, short_position

EQUITY = RewardConfig.preset("equity")
SETTINGS = MatchSettings(seed=3, progress=False, adjust=Adjusting(redeals=4))
ACES, JOKERS = {12, 25, 38, 51}, {52, 53}


@cache
def judge(redeals: int = 8) -> _core.LuckJudge:
    return _core.LuckJudge(load_native(CHAMPION), redeals=redeals)


def decisions(seed: int, fantasyland: tuple[int, int] = (0, 0)) -> list[Hand]:
    """A hand at each of its deals, played by the heuristic."""
    player = agents.make("heuristic")
    hand, found = Hand(seed=seed, button=seed % 2, fantasyland=fantasyland), []
    while not hand.finished:
        found.append(hand.clone())
        hand.place(play_turn(player, hand))
    return found


# ---------------------------------------------------------------- the pool


@pytest.mark.parametrize("fantasyland", [(0, 0), (14, 0), (0, 17), (15, 16)])
def test_deals_come_from_what_nobody_was_dealt(fantasyland: tuple[int, int]) -> None:
    seen: set[int] = set()
    for hand in decisions(5, fantasyland):
        pool = {card for card in range(54) if card not in seen}
        others = judge(2000).redeals(hand, 1)
        assert all(len(set(cards)) == len(hand.dealt) for cards in others)
        assert {card for cards in others for card in cards} == pool
        counts = np.bincount([card for cards in others for card in cards], minlength=54)[sorted(pool)]
        expected = 2000 * len(hand.dealt) / len(pool)
        assert np.abs(counts - expected).max() < 6 * expected**0.5
        seen |= set(hand.dealt)


def uniform_statistic(places: np.ndarray, size: int) -> float:
    """Chi squared of places 0 to `size` of equal chance, over its degrees of freedom."""
    counts = np.bincount(places, minlength=size + 1)
    expected = len(places) / (size + 1)
    return float(((counts - expected) ** 2 / expected).sum() / size)


def places_of_deals(deals: int, redeals: int) -> dict[tuple[bool, int, str], list[int]]:
    """The place of each deal among those that might have come, by seat, turn and what is compared."""
    generator = np.random.default_rng(0)
    found: dict[tuple[bool, int, str], list[int]] = {}
    for deal in range(deals):
        for hand in decisions(1000 + deal):
            others = judge(redeals).redeals(hand, seed_of(7, deal, hand.turn, seat_to_act(hand)))
            for name, number in {
                "ranks": lambda cards: sum(card % 13 for card in cards if card < 52),
                "aces": lambda cards: len(ACES & set(cards)),
                "jokers": lambda cards: len(JOKERS & set(cards)),
            }.items():
                mine = number(hand.dealt)
                values = np.array([number(cards) for cards in others])
                ties = int((values == mine).sum())
                place = int((values < mine).sum()) + int(generator.integers(ties + 1))
                found.setdefault((seat_to_act(hand) == hand.button, hand.turn, name), []).append(place)
    return found


@pytest.mark.parametrize(
    ("deals", "limit"),
    [pytest.param(600, 2.6), pytest.param(20_000, 2.2, marks=pytest.mark.prove)],
)
def test_the_deal_is_one_of_those_that_might_have_come(deals: int, limit: float) -> None:
    """Its place among them is uniform for each seat and turn; by a wrong pool it would not be."""
    redeals = 11
    found = places_of_deals(deals, redeals)
    assert len(found) == 2 * TURNS * 3
    for key, places in found.items():
        assert uniform_statistic(np.array(places), redeals) < limit, key


def test_a_wrong_pool_would_be_found() -> None:
    """Deals from what a seat has not seen hold what the opponent threw away: never a joker."""
    player, more = agents.make("heuristic"), []
    for deal in range(8000):
        hand = Hand(seed=deal, button=0)
        while hand.turn < 4:
            hand.place(play_turn(player, hand))
        unseen = {*hand.information(seat_to_act(hand)).unseen, *hand.dealt}
        more.append(len(JOKERS & set(hand.dealt)) - 3 * len(JOKERS & unseen) / len(unseen))
    assert np.mean(more) > 3 * np.std(more) / len(more) ** 0.5


# ---------------------------------------------------------------- what cards are worth


def test_cards_are_worth_the_best_placement_of_them() -> None:
    """By the network, an opening as one choice, the last turn solved, for all cards alike."""
    player: Any = agents.make("alphazero:sims=0,opening_width=32")
    for hand in decisions(6):
        actual, others = judge().judge(hand, 3)
        worlds = [hand, *(dealt(hand, tuple(cards)) for cards in judge().redeals(hand, 3))]
        for worth, world in zip([actual, *others], worlds, strict=True):
            assert judge().judge(world, 8)[0] == worth
            seat = seat_to_act(world)
            best = max(candidate.mean for candidate in player.rank(world.information(seat)))
            assert worth == pytest.approx(best, abs=1e-5)


# ---------------------------------------------------------------- the mean


def test_every_deal_of_a_short_deck_enumerated() -> None:
    """Two seats' last turns on a short deck: plain and adjusted results have the same mean, exactly."""
    generator = random.Random(4)
    player = agents.make("heuristic")
    before = after = 0.0
    for _ in range(3):
        start = short_position(generator, 4, True, fewest_undealt(4, True) + 1, Rules())
        hand = Hand.from_observation(start, seed=1)
        first_pool = [*hand.dealt, *undealt(hand)]
        assert {card for cards in judge(200).redeals(hand, 1) for card in cards} == set(first_pool)
        draws = list(combinations(sorted(first_pool), 3))
        first = [dealt(hand, draw) for draw in draws]
        worth = np.array([judge(1).judge(each, 0)[0] for each in first])
        plain, adjusted = [], []
        for world, value in zip(first, worth, strict=True):
            luck = value - worth.mean()
            world.place(play_turn(player, world))
            second_draws = combinations(sorted([*world.dealt, *undealt(world)]), 3)
            second = [dealt(world, draw) for draw in second_draws]
            answers = np.array([judge(1).judge(each, 0)[0] for each in second])
            for answer, each in zip(answers, second, strict=True):
                each.place(play_turn(player, each))
                result = EQUITY.hand_rewards(each.result())[0]
                plain.append(result)
                adjusted.append(result - luck + (answer - answers.mean()))
        assert np.mean(adjusted) == pytest.approx(np.mean(plain), abs=1e-9)
        before, after = before + float(np.var(plain)), after + float(np.var(adjusted))
    assert after < before / 2


def undealt(hand: Hand) -> list[int]:
    """The cards of a hand that nobody has been dealt."""
    out = {card for seat in (0, 1) for card in (*hand.discards(seat), *board_cards(hand, seat))}
    return [card for card in hand.deck if card not in out | set(hand.dealt)]


def board_cards(hand: Hand, seat: int) -> list[int]:
    """The cards on a seat's board."""
    board = hand.board(seat)
    return [*board.top, *board.middle, *board.bottom]


def dealt(hand: Hand, cards: tuple[int, ...]) -> Hand:
    """The same hand with other cards for the seat to act."""
    state: list[Any] = list(hand.__getstate__())
    held, want = hand.dealt, list(cards)
    swap = dict(zip([card for card in want if card not in held], [card for card in held if card not in want]))
    swap |= {mine: other for other, mine in swap.items()}
    changed = Hand.__new__(Hand)
    state[1] = [swap.get(card, card) for card in state[1]]
    state[4] = sum(1 << card for card in cards)
    changed.__setstate__(tuple(state))
    return changed


@pytest.mark.parametrize(
    ("deals", "pair"),
    [
        pytest.param(150, ("heuristic", "random")),
        pytest.param(20_000, ("heuristic", "random"), marks=pytest.mark.prove),
        pytest.param(20_000, ("alphazero:sims=0", "heuristic"), marks=pytest.mark.prove),
    ],
)
def test_mean_luck_is_zero(deals: int, pair: tuple[str, str]) -> None:
    result = play_match(*pair, deals, replace(SETTINGS, processes=2 if deals > 1000 else 1))
    assert result.luck is not None
    assert result.adjusted is not None
    for seat in result.luck:
        assert len(seat) == TURNS
        for turn in seat:
            assert abs(turn.mean) < 4 * turn.error
    assert abs(result.adjusted.mean - result.equity.mean) < 4 * result.equity.error


def test_less_noise_between_good_players() -> None:
    result = play_match("alphazero:sims=0", "heuristic", 150, replace(SETTINGS, adjust=Adjusting()))
    assert result.adjusted is not None
    assert result.equity.error**2 > 4 * result.adjusted.error**2
    assert "with luck taken out: equity a hand" in result.text()


# ---------------------------------------------------------------- matches


def test_equal_players_stay_at_zero() -> None:
    for result in (
        play_match("heuristic", "heuristic", 6, SETTINGS),
        play_sessions("heuristic", "heuristic", 3, SETTINGS),
    ):
        assert result.adjusted_samples is not None
        assert not result.adjusted_samples.any()


def test_plain_results_do_not_change(tmp_path: Path) -> None:
    """Luck is judged beside the match: by processes, with a store, and resumed, the numbers are the same."""
    plain = play_match("heuristic", "random", 12, replace(SETTINGS, adjust=None))
    whole = play_match("heuristic", "random", 12, SETTINGS)
    assert plain.adjusted is None
    assert (plain.equity, plain.sides[0].overall) == (whole.equity, whole.sides[0].overall)
    store = tmp_path / "match.jsonl"
    play_match("heuristic", "random", 5, SETTINGS, store)
    resumed = play_match("heuristic", "random", 12, replace(SETTINGS, processes=2), store, resume=True)
    assert resumed.adjusted == whole.adjusted
    assert resumed.to_dict()["luck"] == whole.to_dict()["luck"]
    with pytest.raises(ValueError, match="holds another match"):
        play_match("heuristic", "random", 12, replace(SETTINGS, adjust=None), store, resume=True)


def test_sessions_with_fantasyland_set_by_the_table() -> None:
    """Tables that set fantasyland themselves play the sessions that the core plays by itself."""
    rules, values = Rules(fantasyland_pairs=[14] * 13), (8.0, 14.0, 20.0, 27.0)
    heuristic, luckless = (agents.make_valued(name, rules, values) for name in ("heuristic", "random"))
    found = tables.play_sessions((heuristic, luckless), 3, 0, 3, rules)
    widths = 0
    for deal in range(3):
        for game in (0, 1):
            session = Session(seed=seed_of(3, deal), rules=rules)
            seat = session.button if game == 0 else 1 - session.button
            players = (heuristic, luckless) if seat == 0 else (luckless, heuristic)
            while not session.finished:
                session.place(play_turn(players[seat_to_act(session.hand)], session.hand))
            assert session.chips[seat] == found["chips"][deal, game]
            assert session.hands_played == found["hands"][deal, game]
            widths += sum(sum(result.fantasyland) for result in session.history)
    assert widths


def test_luck_in_sessions_is_judged_in_fantasyland_too() -> None:
    settings = replace(SETTINGS, adjust=Adjusting(redeals=2))
    result = play_sessions("heuristic", "random", 4, settings)
    assert result.adjusted is not None
    assert result.adjusted.mean != result.chips.mean
    assert "with luck taken out: chips a session" in result.text()
    assert result.luck is not None
    mine, others = (sum(turn.mean for turn in agent) for agent in result.luck)
    assert result.adjusted.mean == pytest.approx(result.chips.mean - mine + others)
    assert "luck" in result.to_dict()
    assert "luck" not in play_sessions("heuristic", "random", 2, replace(SETTINGS, adjust=None)).to_dict()


@pytest.mark.parametrize(
    ("sessions", "pair"),
    [
        pytest.param(40, ("heuristic", "random")),
        pytest.param(2000, ("alphazero:sims=0", "heuristic"), marks=pytest.mark.prove),
    ],
)
def test_mean_luck_of_sessions_is_zero(sessions: int, pair: tuple[str, str]) -> None:
    """Of hands in fantasyland too, and whatever the stacks cut off."""
    result = play_sessions(*pair, sessions, replace(SETTINGS, processes=2 if sessions > 100 else 1))
    assert result.luck is not None
    assert result.adjusted is not None
    for agent in result.luck:
        assert len(agent) == TURNS
        for turn in agent:
            assert abs(turn.mean) < 4 * turn.error
    assert abs(result.adjusted.mean - result.chips.mean) < 4 * result.chips.error


@pytest.mark.parametrize("fantasyland", [(16, 0), (0, 14), (15, 14)])
def test_luck_of_fantasyland_is_judged_by_the_solver(fantasyland: tuple[int, int]) -> None:
    """From the whole deck, or from what is left of it; by the best setting, staying included."""
    rules = Rules()
    assert rules.fantasyland_values is not None
    for hand in decisions(9, fantasyland):
        if not hand.in_fantasyland:
            break
        values = [
            solve_fantasyland(cards, stay_value=rules.fantasyland_values[0]).value
            for cards in (hand.dealt, *judge().redeals(hand, 4))
        ]
        actual, others = judge().judge(hand, 4)
        assert [actual, *others] == pytest.approx(values)
        assert judge().luck([hand], [4])[0] == pytest.approx(values[0] - np.mean(values[1:]))


# ---------------------------------------------------------------- refusals


def test_refusals() -> None:
    with pytest.raises(ValueError, match="an agent sees the deck"):
        play_match("mcts-open:simulations=5", "random", 2, replace(SETTINGS, allow_open=True))
    unknown = replace(SETTINGS, rules=Rules.preset("fixed14"), fantasyland_values=(8, 0, 0, 0))
    with pytest.raises(ValueError, match="no champion is shipped for the rules 'fixed14'"):
        play_match("random", "random", 2, unknown)
    hand = Hand(seed=1)
    hand.step(27)
    with pytest.raises(ValueError, match="judge it before that"):
        judge().luck([hand], [0])
    with pytest.raises(ValueError, match="played by the rules 'standard'"):
        judge().luck([Hand(seed=1, rules="standard")], [0])
    with pytest.raises(ValueError, match="2 hands need as many seeds, not 1"):
        judge().luck([Hand(seed=1), Hand(seed=2)], [0])
    with pytest.raises(ValueError, match="luck: redeals is 0, outside 1 to 100000"):
        _core.LuckJudge(load_native(CHAMPION), redeals=0)
