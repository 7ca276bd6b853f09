"""The chance to win a session: the core's table, and the reward that pays what a hand changes in it."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import numpy as np
import pytest

import ofc_env
from ofc_env import Hand, RewardConfig, Rules, Session, _core
from tests.play import seat_to_act
from tests.players import random_slot
from tests.trained_networks import random_network

RULES = Rules()
WIN = RewardConfig.preset("win")
WIDTHS = (0, 14, 15, 16, 17)
OTHER = Rules(chips=300)  # a table that nobody has measured


def chance(lead: int, mine: int = 0, theirs: int = 0) -> float:
    return RULES.win_chance((200 + lead, 200 - lead), (mine, theirs))


# ---------------------------------------------------------------- the table


def test_what_one_seat_wins_the_other_loses() -> None:
    for mine, theirs in product(WIDTHS, WIDTHS):
        for lead in range(-200, 201):
            assert chance(lead, mine, theirs) + chance(-lead, theirs, mine) == pytest.approx(1.0, abs=1e-6)
    assert chance(0) == 0.5


def test_a_session_that_is_over_is_won_or_lost() -> None:
    for lead in range(-200, 201):
        for mine, theirs in product(WIDTHS, WIDTHS):
            over = abs(lead) == 200 or (abs(lead) >= 20 and not mine and not theirs)
            assert (chance(lead, mine, theirs) in (0.0, 1.0)) >= over
            if over:
                assert chance(lead, mine, theirs) == (lead > 0)


def test_chips_and_fantasyland_are_good_to_have() -> None:
    """A chip more is never worse by more than noise; a fantasyland, and a larger one, is better."""
    for mine, theirs in product(WIDTHS, WIDTHS):
        chances = [chance(lead, mine, theirs) for lead in range(-60, 61)]
        assert np.diff(chances).min() > -0.002, (mine, theirs)
    for lead in range(-15, 16):
        by_width = [chance(lead, mine) for mine in WIDTHS]
        assert by_width == sorted(by_width)
        assert by_width[-1] > by_width[0] + 0.1
    assert chance(-30, 17) < chance(-10, 17) < 1.0  # a fantasyland goes on behind the limit


def test_what_is_no_standing_is_refused() -> None:
    for chips, widths in (
        ((-1, 401), (0, 0)),
        ((200, 10**9), (0, 0)),
        ((0, 0), (0, 0)),
        ((200, 200), (13, 0)),
    ):
        with pytest.raises(ValueError) as refusal:
            RULES.win_chance(chips, widths)
        assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: OTHER.win_chance((300, 300)),
        lambda: RewardConfig.preset("win", OTHER),
        lambda: RewardConfig.parse("win foul=1", OTHER),
        lambda: ofc_env.env(episode="session", reward="win", rules=OTHER),
        lambda: ofc_env.env(episode="session", reward=WIN, rules=OTHER),
        lambda: ofc_env.BatchEnv(2, reward=WIN, rules=OTHER),
        lambda: _core.Pimc(reward=WIN, rules=OTHER),
        lambda: WIN.by_hand(OTHER),
    ],
)
def test_rules_that_nobody_measured_are_refused(ask: Any) -> None:
    with pytest.raises(ValueError, match=r"^nobody has measured the chance to win .*win_table\.py --rules"):
        ask()


def test_clocks_make_no_difference() -> None:
    assert Rules(turn_seconds=5).win_chance((210, 190)) == chance(10)


# ---------------------------------------------------------------- the reward


def random_session(seed: int) -> Session:
    session, generator = Session(seed=seed), random.Random(seed)
    while not session.finished:
        session.step(generator.choice(session.hand.legal_actions()))
    return session


def test_a_hand_pays_what_it_changes() -> None:
    for seed in range(20):
        session = random_session(seed)
        chips, widths = [200, 200], [0, 0]
        for result in session.history:
            before = RULES.win_chance(chips, widths)
            chips, widths = list(result.chips), list(result.fl_card_count)
            wanted = 2 * (RULES.win_chance(chips, widths) - before)
            for in_session in (False, True):
                assert WIN.hand_rewards(result, in_session) == pytest.approx([wanted, -wanted], abs=1e-12)
        assert list(WIN.session_rewards(session.chips)) == [0.0, 0.0]


def test_a_session_pays_its_winner_one() -> None:
    environment, generator = ofc_env.env(episode="session", reward="win"), random.Random(5)
    winners = set()
    for seed in range(8):
        environment.reset(seed=seed)
        earned = [0.0, 0.0]
        for agent in environment.agent_iter():
            _, reward, over, _, info = environment.last()
            earned[environment.possible_agents.index(agent)] += reward
            environment.step(None if over else random_slot(info["action_mask"], generator))
        winner = environment.unwrapped.session.winner
        winners.add(winner)
        assert earned == pytest.approx([1.0, -1.0] if winner == 0 else [-1.0, 1.0], abs=1e-6)
    assert winners == {0, 1}


def test_a_batch_pays_its_winners_one() -> None:
    batch = ofc_env.BatchEnv(32, seed=4, episode="session", reward="win")
    plain = ofc_env.BatchEnv(32, seed=4, episode="session", reward="points")
    moved, earned, ends = np.zeros((32, 2)), np.zeros((32, 2)), 0
    for _ in range(300):
        actions = batch.random_actions()
        batch.step(actions)
        plain.step(actions)
        moved += plain.rewards
        earned += batch.rewards
        np.testing.assert_allclose(earned[batch.dones], np.sign(moved[batch.dones]), atol=1e-5)
        ends += int(batch.dones.sum())
        moved[batch.dones] = earned[batch.dones] = 0
    assert ends > 20


def test_by_hand_it_counts_in_points() -> None:
    """A chip at even chips is worth a point, whatever the weight, and asking twice changes nothing."""
    for reward in (WIN, RewardConfig(points=0.0, win=0.25)):
        hand = reward.by_hand(RULES)
        assert hand.by_hand(RULES) == hand
        assert hand.win * 2 * (chance(10) - chance(-10)) == pytest.approx(20.0, rel=1e-6)
    mixed = RewardConfig(points=0.0, session=0.5, win=0.5).by_hand(RULES)
    assert mixed.points / mixed.win == pytest.approx(0.5 / 200 / 0.5)
    assert mixed.capped


def test_presets_and_text() -> None:
    assert RewardConfig.parse(str(WIN)) == WIN
    assert WIN.of_sessions
    assert RewardConfig.preset("session").of_sessions
    assert not RewardConfig.preset("equity").of_sessions
    with pytest.raises(ValueError, match="session, mixed or win"):
        RewardConfig.preset("victory")


# ---------------------------------------------------------------- who takes it


def last_turns(count: int) -> list[Hand]:
    """Hands before their last placement, with chips at which it may end the session."""
    hands = []
    for seed in range(count):
        generator = random.Random(seed)
        lead = generator.choice((-18, -12, 12, 18))
        hand = Hand(seed=seed, chips=(200 + lead, 200 - lead))
        while hand.turn < 4 or hand.player == hand.button:
            hand.step(generator.choice(hand.legal_actions()))
        hands.append(hand)
    return hands


PLAYERS = {
    "pimc": lambda: _core.Pimc(reward="win", rollouts=64),
    "ismcts": lambda: _core.Ismcts(reward="win", simulations=64),
    "halving": lambda: _core.NetworkSearch(random_network().native(), reward="win", sims=16),
    "tree": lambda: _core.NetworkSearch(random_network().native(), reward="win", sims=16, root="tree"),
}


@pytest.mark.parametrize("name", PLAYERS)
def test_searches_play_for_the_session(name: str) -> None:
    """The last placement of a hand is the best by the reward, in the searches' own unit."""
    player: Any = PLAYERS[name]()
    for hand in last_turns(12):
        seat = seat_to_act(hand)
        paid = {}
        for placement in hand.placements():
            ended = hand.clone()
            ended.place(placement)
            paid[str(placement)] = WIN.hand_rewards(ended.result())[seat]
        found = player.search(hand.information(seat))
        assert paid[str(found[0].placement)] == pytest.approx(max(paid.values()), abs=1e-6)


def test_the_referee_counts_by_it() -> None:
    referee = _core.Referee(random_network().native(), reward="win", worlds=8, block=4, fresh=4)
    scale = WIN.by_hand(RULES).win
    for hand in last_turns(3):
        seat = seat_to_act(hand)
        judgement = referee.judge(hand.information(seat), 1)
        for placement, race in zip(judgement.placements, judgement.race, strict=True):
            ended = hand.clone()
            ended.place(placement)
            wanted = scale * WIN.hand_rewards(ended.result())[seat]
            assert race[0] == pytest.approx(wanted, abs=1e-3)


def test_fantasyland_is_worth_something_before_the_hand_is_over() -> None:
    """A look ahead that counts no fantasyland would never put queens on top for it."""
    hands = [Hand(seed=seed) for seed in range(60)]
    positions = [hand.information(seat_to_act(hand)) for hand in hands]
    by_chance, by_equity, by_points, by_session = (
        _core.Heuristic(reward=reward).actions(positions) for reward in ("win", "equity", "points", "session")
    )
    assert (by_chance == by_equity).all()
    assert (by_session == by_equity).all()
    assert (by_chance != by_points).any()


def test_self_play_tells_who_won() -> None:
    """With the standing before a hand, every decision of a session says the same winner."""
    scale = WIN.by_hand(RULES).win
    ends = set()
    for seed in range(6):
        found = _core.self_play(random_network().native(), 1, seed, simulations=8, reward=WIN)
        words = found["states"][:, 0, 7].astype(np.int64)
        chips, others, widths = words >> 32 & 0xFFFF, words >> 48 & 0xFFFF, words >> 16 & 255
        before = [
            2 * RULES.win_chance((int(mine), int(theirs)), (0, int(width))) - 1
            for mine, theirs, width in zip(chips, others, widths, strict=True)
        ]
        won = found["outcomes"][:, 0] / scale + before
        np.testing.assert_allclose(np.abs(won), 1.0, atol=1e-4)
        ends.add(bool(won[0] > 0))
    assert len(ends) == 2
