"""What a seat knows: the observation, its inverse, and worlds dealt to fit it."""

from __future__ import annotations

import pickle
import random
from itertools import product

import numpy as np
import pytest

from ofc_env import Hand, decode_observation
from tests import oracle
from tests.oracle_play import MY_DISCARD, UNSEEN
from tests.play import (
    WIDTHS,
    cards_at,
    cards_of,
    check_observation,
    play_randomly,
    random_position,
    rows_of,
    seat_to_act,
)


@pytest.mark.parametrize("widths", sorted(set(WIDTHS)))
def test_observations_at_every_state(widths: tuple[int, int]) -> None:
    rng = random.Random(sum(widths) + 1)
    for _ in range(150 if widths == (0, 0) else 40):
        hand, naive = random_position(rng, 0, widths)
        while True:
            for seat in (0, 1):
                check_observation(hand, naive, seat)
            if naive.finished:
                break
            play_randomly(rng, hand, naive)


def test_hidden_cards_leave_no_trace() -> None:
    """Two worlds that differ only in what a seat cannot see give that seat the same numbers."""
    rng = random.Random(11)
    for _ in range(300):
        hand, naive = random_position(rng, rng.randrange(12), rng.choice(WIDTHS))
        if naive.finished:
            continue
        for seat in (0, 1):
            world = hand.determinize(seat, rng.randrange(2**32))
            np.testing.assert_array_equal(world.observation(seat), hand.observation(seat))
            hidden = set(cards_at(naive, seat, UNSEEN))
            seen = set(range(54)) - hidden
            opponent = 1 - seat
            exposed = set(cards_of(hand.board(opponent))) if not naive.fantasyland[opponent] else set()
            assert exposed <= seen
            assert not set(naive.discarded[opponent]) & seen
            assert not set(naive.undealt) & seen


def test_afterstate_has_nothing_in_hand_and_the_turn_just_played() -> None:
    hand = Hand(seed=2, button=0)
    hand.step(27 + 3)
    assert hand.observation(0)[486] == np.float32(0.125)
    hand.step(59 + 1)
    for _ in range(3):
        seat = 1 - seat_to_act(hand)
        observation = hand.observation(seat)
        known = decode_observation(observation)
        assert known.hand == []
        assert not known.to_act
        assert observation[486] == 0.0
        if hand.player == 0:
            break
        hand.step(hand.legal_actions()[0])
        if hand.player == 1:
            hand.step(hand.legal_actions()[0])


# --- renamed ------------------------------------------------------------------------------


def test_renamed_cards_are_the_same_hand_with_other_cards() -> None:
    """Every pile has the new names, and renaming back gives the hand back."""
    rng = random.Random(12)
    for _ in range(60):
        hand, _ = random_position(rng, rng.randrange(12), (0, 0))
        cards = rng.sample(hand.deck, rng.randrange(2, len(hand.deck)))
        names = rng.sample(cards, len(cards))
        new = dict(zip(cards, names, strict=True))
        other = hand.renamed(cards, names)
        assert other.deck == [new.get(card, card) for card in hand.deck]
        assert other.dealt == sorted(new.get(card, card) for card in hand.dealt)
        for seat in (0, 1):
            assert other.discards(seat) == sorted(new.get(card, card) for card in hand.discards(seat))
            for row, before in zip(rows_of(other.board(seat)), rows_of(hand.board(seat)), strict=True):
                assert sorted(row) == sorted(new.get(card, card) for card in before)
        assert pickle.loads(pickle.dumps(other)) == other  # a hand that play can reach
        assert other.renamed(names, cards) == hand
        assert hand.renamed([], []) == hand


def test_cards_are_renamed_among_themselves() -> None:
    hand = Hand(seed=1, rules="standard")
    for cards, names, offender in (
        ([1, 2], [2, 3], "5h"),
        ([1, 1], [1, 1], "3h"),
        ([1], [], "3h"),
        ([52, 0], [0, 52], "X1"),
        ([54], [54], "54"),
    ):
        with pytest.raises(ValueError, match=offender) as refusal:
            hand.renamed(cards, names)
        assert "\n" not in str(refusal.value)


# --- determinize --------------------------------------------------------------------------


def public_state(hand: Hand) -> tuple:
    return (
        hand.turn,
        hand.player,
        hand.button,
        tuple(hand.chips),
        tuple(hand.fantasyland),
        hand.opening_step,
    )


def test_determinize_moves_only_what_is_unseen() -> None:
    rng = random.Random(12)
    for number in range(600):
        hand, naive = random_position(rng, rng.randrange(12), WIDTHS[number % len(WIDTHS)])
        if naive.finished:
            continue
        untouched = hand.clone()
        for seat in (0, 1):
            seed = rng.randrange(2**63)
            world = hand.determinize(seat, seed)
            assert hand == untouched
            assert world == hand.determinize(seat, seed)
            assert public_state(world) == public_state(hand)
            np.testing.assert_array_equal(world.observation(seat), hand.observation(seat))
            assert rows_of(world.board(seat)) == rows_of(hand.board(seat))
            assert list(world.discards(seat)) == list(hand.discards(seat))
            assert sorted(world.deck) == list(range(54))
            if not naive.fantasyland[1 - seat]:
                assert rows_of(world.board(1 - seat)) == rows_of(hand.board(1 - seat))
            if naive.player == seat:
                assert list(world.dealt) == naive.in_hand
            # the world goes on like any other hand, and conserves its cards
            while not world.finished:
                if world.in_fantasyland:
                    world.set_fantasyland()
                else:
                    world.step(rng.choice(world.legal_actions()))
            used: list[int] = []
            for each in (0, 1):
                used += cards_of(world.board(each)) + list(world.discards(each))
            assert len(set(used)) == len(used) == 26 + sum(4 if w == 0 else w - 13 for w in naive.fantasyland)


def chi_square(counts: np.ndarray, expected: float, inflation: float = 1.0) -> float:
    return float(((counts - expected) ** 2 / expected).sum() * inflation)


def close_to_chi_square(statistic: float, freedom: int) -> bool:
    """Within 4.5 standard deviations of the mean of a chi-square variable."""
    return abs(statistic - freedom) < 4.5 * (2 * freedom) ** 0.5


@pytest.mark.parametrize("decisions", [5, 8, 10, 11])
def test_determinize_is_uniform_over_the_unseen(decisions: int) -> None:
    """Counts of each unseen card among the opponent's discards, as its next draw, and as both together."""
    worlds = 12_000
    hand, naive = random_position(random.Random(decisions), decisions)
    seat = seat_to_act(naive)
    opponent = 1 - seat
    unseen = cards_at(naive, seat, UNSEEN)
    number = {card: place for place, card in enumerate(unseen)}
    in_discards = np.zeros(len(unseen))
    first_drawn, last = np.zeros(len(unseen)), np.zeros(len(unseen))
    pairs = np.zeros((len(unseen), len(unseen)))
    discards = len(naive.discarded[opponent])
    assert discards >= 1
    undealt_from = 54 - len(naive.undealt)
    for seed in range(worlds):
        world = hand.determinize(seat, seed)
        hidden = [number[card] for card in world.discards(opponent)]
        deck = [number[card] for card in world.deck[-len(naive.undealt) :]]
        assert undealt_from + len(deck) == 54
        in_discards[hidden] += 1
        first_drawn[deck[0]] += 1
        last[deck[-1]] += 1
        pairs[hidden[0], deck[0]] += 1
    size = len(unseen)
    # a draw without replacement spreads less than independent draws: scale the statistic up to chi-square
    share = discards / size
    statistic = chi_square(in_discards, worlds * share, inflation=(size - 1) / (size * (1 - share)))
    assert close_to_chi_square(statistic, size - 1), statistic
    for counts in (first_drawn, last):
        statistic = chi_square(counts, worlds / size)
        assert close_to_chi_square(statistic, size - 1), statistic
    if discards == 1:
        off_diagonal = pairs[~np.eye(size, dtype=bool)]
        assert np.trace(pairs) == 0
        statistic = chi_square(off_diagonal, worlds / (size * (size - 1)))
        assert close_to_chi_square(statistic, size * (size - 1) - 1), statistic


def test_determinize_deals_a_fantasyland_board_from_the_unseen() -> None:
    """Behind a face-down board any unseen card may lie, equally often."""
    hand, naive = random_position(random.Random(3), 4, (15, 0))
    assert naive.player == 1
    unseen = cards_at(naive, 1, UNSEEN)
    counts = dict.fromkeys(unseen, 0)
    worlds = 2_000
    for seed in range(worlds):
        world = hand.determinize(1, seed)
        held = cards_of(world.board(0)) + list(world.discards(0))
        assert len(held) == len(set(held)) == 15
        for card in held:
            counts[card] += 1
    share = 15 / len(unseen)
    statistic = chi_square(
        np.array(list(counts.values())),
        worlds * share,
        inflation=(len(unseen) - 1) / (len(unseen) * (1 - share)),
    )
    assert close_to_chi_square(statistic, len(unseen) - 1), statistic


# --- worlds from an observation -----------------------------------------------------------


def test_from_observation_gives_the_same_observation_back() -> None:
    rng = random.Random(14)
    met = set()
    for number in range(600):
        hand, naive = random_position(rng, rng.randrange(13), WIDTHS[number % len(WIDTHS)])
        if naive.finished or hand.in_fantasyland:
            continue
        seat = seat_to_act(naive)
        observation = hand.observation(seat)
        world = Hand.from_observation(observation, rng.randrange(2**32))
        assert world.player is not None
        np.testing.assert_array_equal(world.observation(world.player), observation)
        assert list(world.legal_actions()) == naive.legal_slots()
        assert sorted(world.deck) == list(range(54))
        assert (world.turn, world.opening_step) == (naive.turn, naive.step)
        while not world.finished:
            world.step(rng.choice(world.legal_actions()))
        assert sum(world.result().raw_score) == 0
        met.add((naive.turn, naive.step, naive.button == seat, naive.fantasyland[1 - seat]))
    assert len(met) >= 30


def test_from_observation_of_every_view() -> None:
    """Also a seat that waits, that is in fantasyland itself, or that looks at a finished hand."""
    rng = random.Random(17)
    for number in range(1500):
        hand, _ = random_position(rng, rng.randrange(14), WIDTHS[number % len(WIDTHS)])
        for seat in (0, 1):
            observation = hand.observation(seat)
            world = Hand.from_observation(observation, number)
            assert sorted(world.deck) == list(range(54))
            assert any(np.array_equal(world.observation(each), observation) for each in (0, 1))


def test_from_observation_differs_by_seed_alone() -> None:
    hand, naive = random_position(random.Random(15), 7)
    observation = hand.observation(seat_to_act(naive))
    assert Hand.from_observation(observation, 1) == Hand.from_observation(observation, 1)
    worlds = {tuple(Hand.from_observation(observation, seed).deck) for seed in range(50)}
    assert len(worlds) == 50


def refuse_observation(observation: np.ndarray) -> None:
    for function in (decode_observation, lambda each: Hand.from_observation(each, 1)):
        with pytest.raises(ValueError) as refusal:
            function(observation)
        assert "\n" not in str(refusal.value)


def test_impossible_observations_are_refused() -> None:
    hand, naive = random_position(random.Random(16), 7)
    seat = seat_to_act(naive)
    good = hand.observation(seat)
    decode_observation(good)
    nowhere = good.copy()
    nowhere[0:9] = 0
    refuse_observation(nowhere)
    twice = good.copy()
    twice[0:9] = [1, 1, 0, 0, 0, 0, 0, 0, 0]
    refuse_observation(twice)
    half = good.copy()
    half[int(np.argmax(good[0:9]))] = 0.5
    refuse_observation(half)
    for place, value in product((486, 487, 488), (np.nan, -1.0)):
        wrong = good.copy()
        wrong[place] = value
        refuse_observation(wrong)
    crowded = good.copy()
    for card in range(54):
        crowded[card * 9 : card * 9 + 9] = np.eye(9)[0]
    refuse_observation(crowded)
    for shape in ((489,), (491,), (1, 490), ()):
        with pytest.raises((ValueError, TypeError)):
            decode_observation(np.zeros(shape, dtype=np.float32))
    too_many = good.copy()
    unseen = cards_at(naive, seat, UNSEEN)
    too_many[unseen[0] * 9 : unseen[0] * 9 + 9] = np.eye(9)[MY_DISCARD]
    with pytest.raises(ValueError):
        Hand.from_observation(too_many, 1)


def test_all_places_have_their_number() -> None:
    """card * 9 + place for one hand-made position."""
    order = "2h 9h Kd 4c As  3d 3c 3s 7h 8h  5d Tc X1"
    deck = oracle.cards(order)
    deck += [card for card in range(54) if card not in deck]
    hand = Hand(deck=deck, button=0, chips=(150, 250))
    hand.step(27 + 0b10100)
    hand.step(59 + 0b010)
    hand.step(27 + 0b00001)
    hand.step(59 + 0b0001)
    hand.step(1 * 9 + 2 * 3 + 0)
    wanted = np.zeros((54, 9), dtype=np.float32)
    places = {0: "9h X1", 1: "2h 4c", 2: "5d Kd As", 3: "8h", 4: "3d 3c 3s", 5: "7h", 7: "Tc"}
    for place, text in places.items():
        wanted[oracle.cards(text), place] = 1
    wanted[wanted.sum(axis=1) == 0, 8] = 1
    observation = hand.observation(0)
    np.testing.assert_array_equal(observation[:486].reshape(54, 9), wanted)
    np.testing.assert_array_equal(observation[486:], np.array([0.25, 1.0, 0.75, 1.25], dtype=np.float32))
