"""The exact last turn against a naive enumeration of everything that can happen."""

from __future__ import annotations

import random
from functools import partial

import numpy as np
import pytest

from ofc_env import (
    Hand,
    RewardConfig,
    Rules,
    decode_observation,
    score_boards,
    solve_fantasyland,
    solve_last_turn,
)
from tests import oracle
from tests.boards import random_pair
from tests.oracle_play import NaiveHand, Pay, Setting, equity, last_turn_values, setting_of, shaped
from tests.play import placement_of, rows_of, seat_to_act

POSITIONS = 60
VALUES = {14: 11.5, 15: 18.25, 16: 25.5, 17: 31.75}
EQUITY = RewardConfig(fantasyland_values=[VALUES[width] for width in (14, 15, 16, 17)])

# What the core is told and what the oracle pays.
REWARDS: list[tuple[RewardConfig, Pay]] = [
    (EQUITY, partial(equity, fantasyland_values=VALUES)),
    (RewardConfig.preset("points"), partial(equity, fantasyland_values={})),
    (RewardConfig.preset("shaped"), shaped),
]


def promising_hand(rng: random.Random, turns: int, fewest_chips: int = 1) -> tuple[Hand, NaiveHand]:
    """A hand some turns old in the core and in plain Python, on the way to boards of which one at least need
    not foul; on the last turn one of the cards that would finish it may be missing."""
    while True:
        boards = random_pair(rng, jokers=rng.random() < 0.5)
        if not all(oracle.read_board(rows).fouled for rows in boards):
            break
    spare = [card for card in range(54) if not any(card in row for rows in boards for row in rows)]
    rng.shuffle(spare)
    button, chips = rng.randrange(2), rng.randint(fewest_chips, 400 - fewest_chips)
    settings: list[Setting] = []
    arrivals = [rng.sample([(c, row) for row in range(3) for c in rows[row]], 13) for rows in boards]
    for turn in range(5):
        for seat in (button, 1 - button):
            count = 5 if turn == 0 else 2
            placed = [arrivals[seat].pop() for _ in range(count)]
            if turn == 4 and rng.random() < 0.5:
                placed[0] = (spare.pop(), placed[0][1])
            placed += [(spare.pop(), 3)] if turn else []
            settings.append(setting_of([card for card, _ in placed], tuple(place for _, place in placed)))
    deck = [card for setting in settings for pile in setting for card in pile]
    deck += [card for card in range(54) if card not in deck]
    hand = Hand(deck=deck, button=button, chips=(chips, 400 - chips))
    naive = NaiveHand(deck, button, (chips, 400 - chips))
    for setting in settings[:turns]:
        hand.place(placement_of(setting))
        naive.play(setting)
    return hand, naive


def check_values(hand: Hand, naive: NaiveHand, reward: RewardConfig, pay: Pay) -> set:
    wanted = last_turn_values(naive, pay)
    found = solve_last_turn(hand, reward=reward)
    assert sorted(found) == sorted(wanted) == list(hand.legal_actions())
    for slot, value in wanted.items():
        assert found[slot] == pytest.approx(value, abs=1e-4), (slot, str(hand))
    seen = solve_last_turn(hand.observation(seat_to_act(hand)), reward=reward)
    assert seen == pytest.approx(found, abs=1e-9)
    return {round(value, 6) for value in wanted.values()}


def test_second_to_act_is_exact() -> None:
    rng = random.Random(41)
    choices = 0
    for number in range(POSITIONS * 5):
        hand, naive = promising_hand(rng, 9)
        assert hand.player == 1 - hand.button
        choices += len(check_values(hand, naive, *REWARDS[number % 3])) > 1
    assert choices > POSITIONS * 2


def test_first_to_act_is_exact() -> None:
    rng = random.Random(42)
    choices = 0
    for number in range(POSITIONS):
        hand, naive = promising_hand(rng, 8)
        assert hand.player == hand.button
        choices += len(check_values(hand, naive, *REWARDS[number % 3])) > 1
    assert choices > POSITIONS // 2


def change_of_chance(score: oracle.Score, seat: int) -> float:
    """What a hand brings in 2 * chance - 1 of winning the session, by the core's own table."""
    before = tuple(after - moved for after, moved in zip(score.chips, score.actual_score, strict=True))
    sides = (0, 1) if seat == 0 else (1, 0)
    chances = [
        Rules().win_chance([chips[side] for side in sides], [widths[side] for side in sides])
        for chips, widths in ((score.chips, score.next_cards), (before, (0, 0)))
    ]
    return 2.0 * (chances[0] - chances[1])


def test_the_chance_to_win_the_session_is_exact() -> None:
    """With chips at which a hand may end its session or not."""
    rng = random.Random(47)
    win = RewardConfig.preset("win")
    for turns, positions in ((9, POSITIONS), (8, POSITIONS // 4)):
        choices = 0
        for _ in range(positions):
            hand, naive = promising_hand(rng, turns, fewest_chips=175)
            choices += len(check_values(hand, naive, win, change_of_chance)) > 1
        assert choices > positions // 3


def test_chances_and_points_may_be_mixed() -> None:
    rng = random.Random(48)
    for _ in range(POSITIONS // 4):
        hand, naive = promising_hand(rng, 9)
        mixed = RewardConfig(points=0.5, win=30.0, capped=True, foul=2.0)
        check_values(
            hand,
            naive,
            mixed,
            lambda score, seat: (
                0.5 * score.actual_score[seat]
                + 30.0 * change_of_chance(score, seat)
                - 2.0 * score.readings[seat].fouled
            ),
        )


def test_against_fantasyland_the_chance_to_win_is_found() -> None:
    """The mean over the same boards of what the whole hand pays."""
    win, samples = RewardConfig.preset("win"), 400
    hand = Hand(seed=46, button=0, chips=(185, 215), fantasyland=(0, 14))
    hand.set_fantasyland()
    while hand.turn < 4:
        hand.step(hand.legal_actions()[-1])
    found = solve_last_turn(hand, reward=win, samples=samples, seed=1)
    unseen = decode_observation(hand.observation(0)).unseen
    rng = random.Random(46)
    boards = [solve_fantasyland(rng.sample(unseen, 14)).board for _ in range(samples)]
    for slot, value in found.items():
        ended = hand.clone()
        ended.step(slot)
        results = [
            score_boards(ended.board(0), board, chips=(185, 215), fantasyland=(0, 14)) for board in boards
        ]
        worth = np.array([win.hand_rewards(result)[0] for result in results])
        error = worth.std() / samples**0.5 * 2**0.5
        assert abs(worth.mean() - value) < 4.5 * error + 1e-6, (slot, value, worth.mean())


def test_what_the_seat_cannot_see_does_not_matter() -> None:
    rng = random.Random(43)
    for turns in (8, 9):
        for _ in range(5):
            hand, _ = promising_hand(rng, turns)
            values = solve_last_turn(hand, reward=EQUITY)
            before = hand.clone()
            for seed in range(3):
                assert solve_last_turn(hand.determinize(seat_to_act(hand), seed), reward=EQUITY) == values
            assert hand == before


def test_the_default_reward_is_equity() -> None:
    hand, _ = promising_hand(random.Random(44), 9)
    assert solve_last_turn(hand) == solve_last_turn(hand, reward=RewardConfig.preset("equity"))


def test_against_fantasyland_the_mean_over_boards_is_found() -> None:
    """Boards dealt here from the unseen cards and set by the solver give the same mean, within its error."""
    samples = 1500
    hand = Hand(seed=46, button=0, fantasyland=(0, 14))
    hand.set_fantasyland()
    while hand.turn < 4:
        hand.step(hand.legal_actions()[-1])
    found = solve_last_turn(hand, reward=EQUITY, samples=samples, seed=1)
    assert found == solve_last_turn(hand, reward=EQUITY, samples=samples, seed=1)
    assert found == solve_last_turn(hand.determinize(0, 5), reward=EQUITY, samples=samples, seed=1)
    rng = random.Random(46)
    unseen = decode_observation(hand.observation(0)).unseen
    replies = []
    for _ in range(samples):
        placement = solve_fantasyland(rng.sample(unseen, 14), stay_value=VALUES[14]).placement
        replies.append(oracle.read_board((placement.top, placement.middle, placement.bottom)))
    for slot, value in found.items():
        ended = hand.clone()
        ended.step(slot)
        mine = oracle.read_board(rows_of(ended.board(0)))
        worth = np.array(
            [equity(oracle.score_readings(mine, r, fantasyland=(0, 14)), 0, VALUES) for r in replies]
        )
        error = worth.std() / samples**0.5 * 2**0.5
        assert abs(worth.mean() - value) < 4.5 * error + 1e-6, (slot, value, worth.mean())


def test_only_the_last_turn_is_solved() -> None:
    for turns in (0, 3, 7):
        hand, _ = promising_hand(random.Random(45), turns)
        for position in (hand, hand.observation(seat_to_act(hand))):
            with pytest.raises(ValueError) as refusal:
                solve_last_turn(position)
            assert "\n" not in str(refusal.value)
    finished, _ = promising_hand(random.Random(45), 10)
    for position in (finished, np.zeros(490, np.float32)):
        with pytest.raises(ValueError):
            solve_last_turn(position)
