"""The mixed reward counts in the starting stacks of its rules: by the hand and by the session alike."""

import random

import numpy as np
import pytest

import ofc_env
from tests.players import random_slot

# Sessions of several hands, in the last of them some in fantasyland.
RULES = [
    ofc_env.Rules(),
    ofc_env.Rules(chips=500, stop_gap=60),
    ofc_env.Rules(chips=60, stop_gap=1000, fantasyland_pairs=[14] * 13),
]


def expected_of(history, final, chips):
    """What seat 0 is paid for these hands and for the session, exactly as the default rules always paid."""
    by_hand = sum(0.7 / chips * result.actual_score[0] for result in history)
    return by_hand + 0.3 * (final - chips) / chips


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: f"chips={rules.chips}")
def test_a_mixed_session_pays_in_starting_stacks(rules):
    """0.7 of the chips a hand moves and 0.3 of the final change, both over the chips at the start."""
    environment, generator = ofc_env.env(episode="session", reward="mixed", rules=rules), random.Random(5)
    for seed in range(6):
        environment.reset(seed=seed)
        earned = [0.0, 0.0]
        for agent in environment.agent_iter():
            _, reward, over, _, info = environment.last()
            earned[environment.possible_agents.index(agent)] += reward
            environment.step(None if over else random_slot(info["action_mask"], generator))
        session = environment.unwrapped.session
        wanted = expected_of(session.history, session.chips[0], rules.chips)
        assert earned == pytest.approx([wanted, -wanted], abs=1e-12)
        assert wanted == pytest.approx((session.chips[0] - rules.chips) / rules.chips, abs=1e-12)


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: f"chips={rules.chips}")
def test_a_batch_pays_the_same(rules):
    batch = ofc_env.BatchEnv(32, seed=4, episode="session", reward="mixed", rules=rules)
    plain = ofc_env.BatchEnv(32, seed=4, episode="session", reward="points", rules=rules)
    moved, earned, ends = np.zeros((32, 2)), np.zeros((32, 2)), 0
    for _ in range(300):
        actions = batch.random_actions()
        batch.step(actions)
        plain.step(actions)
        moved += plain.rewards
        earned += batch.rewards
        open_tables = batch.hand_ends & ~batch.dones
        np.testing.assert_allclose(
            batch.rewards[open_tables], 0.7 * plain.rewards[open_tables] / rules.chips, atol=1e-6
        )
        # A session is worth the change of its chips: 0.7 of it hand by hand, 0.3 at its end.
        np.testing.assert_allclose(earned[batch.dones], moved[batch.dones] / rules.chips, atol=1e-5)
        ends += int(batch.dones.sum())
        moved[batch.dones] = earned[batch.dones] = 0
    assert ends > 5


def test_the_default_rules_pay_what_they_always_did():
    """To the bit: 0.7 / 200 times the chips of a hand, and 0.3 of the session's return."""
    mixed = ofc_env.RewardConfig.preset("mixed")
    session = ofc_env.Session(seed=3)
    generator = random.Random(1)
    while not session.finished:
        session.step(generator.choice(session.hand.legal_actions()))
    for result in session.history:
        moved = (0.7 / 200.0) * result.actual_score[0]
        assert list(mixed.hand_rewards(result, True)) == [moved, -moved]
    final = 0.3 * (session.chips[0] - 200) / 200.0
    assert list(mixed.session_rewards(session.chips, ofc_env.Rules())) == [final, -final]
