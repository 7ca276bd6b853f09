"""The shells for learners under other rules: opponents, decks, spaces and shaping follow them."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import agents
import ofc_env
from ofc_env import Rules
from tests.players import FirstSlot
from wrappers import OFCPineappleEnv, OFCPineappleVectorEnv
from wrappers.reward_shaping import PotentialShaping, RoyaltyPotential, VectorPotentialShaping

STANDARD = Rules.preset("standard")
VALUED = "heuristic:fantasyland_values=8/14/20/27"
RICH = Rules.parse("standard").replace(bottom=[0, 40, 40, 40, 40, 40, 40, 40, 40, 40])


@pytest.mark.parametrize("opponent", ["random", VALUED, agents.make("random", seed=4), FirstSlot()])
def test_whole_episodes_by_the_standard_rules(opponent):
    single = OFCPineappleEnv(opponent, rules="standard")
    assert single.rules == STANDARD
    for seed in range(6):
        _, info = single.reset(seed=seed)
        assert max(single.hand.deck) == 51
        over = False
        while not over:
            _, _, over, _, info = single.step(np.int64(np.flatnonzero(info["action_mask"])[-1]))
        assert len(info["results"]) == 1
        assert not info["illegal_action"]
    vector = OFCPineappleVectorEnv(8, opponent, rules="standard", episode="session")
    _, infos = vector.reset(seed=1)
    for _ in range(60):
        infos = vector.step(infos["action_mask"].argmax(axis=1))[4]
    assert vector.rules == STANDARD


def test_an_agent_that_plays_by_any_rules_is_not_changed():
    random = agents.make("random")
    OFCPineappleEnv(random, rules="standard").reset(seed=1)
    assert random.rules == Rules()
    same = OFCPineappleEnv(random)
    assert same.opponent is random


def test_opponents_by_name_need_values_where_nobody_measured_them():
    with pytest.raises(ValueError, match="nobody has measured what fantasyland is worth"):
        OFCPineappleEnv("heuristic", rules="standard scoop=6")
    with pytest.raises(ValueError, match="nobody has measured what fantasyland is worth"):
        OFCPineappleEnv("random", reward="equity", rules="standard scoop=6")
    paid = OFCPineappleEnv("random", reward="equity fantasyland_values=8,14,20,27", rules="standard scoop=6")
    paid.reset(seed=1)


def test_gymnasium_checks_it():
    check_env(OFCPineappleEnv("random", rules="standard"), skip_render_check=True)
    made: Any = gymnasium.make("wrappers:OFCPineapple-v0", rules="standard chips=77", render_mode="ansi")
    made.reset(seed=1)
    assert "button last" in made.render()
    assert made.observation_space.high[-1] == np.float32(2 * 77 / 200)


def test_the_learner_may_act_first_or_last():
    single = OFCPineappleEnv(FirstSlot(), seat=0, rules="standard")
    deck = list(range(52))
    single.reset(options={"deck": deck, "button": 1})
    assert single.hand.dealt == deck[:5]  # nobody before it
    single.reset(options={"deck": deck, "button": 0})
    assert single.hand.dealt == deck[5:10]
    with pytest.raises(ValueError):
        single.reset(options={"deck": list(range(54))})
    vector = OFCPineappleVectorEnv(2, FirstSlot(), seat=0, rules="standard")
    observations, _ = vector.reset(options={"deck": deck, "button": [1, 0]})
    held = [ofc_env.decode_observation(seen, STANDARD).hand for seen in observations]
    assert held == [deck[:5], deck[5:10]]


def test_sb3_tables_play_by_the_rules():
    pytest.importorskip("stable_baselines3")
    from wrappers.sb3_vec_env import OFCPineappleVecEnv

    tables = OFCPineappleVecEnv(8, [VALUED, "random"], rules="standard")
    seen: Any = tables.reset()
    for _ in range(20):
        assert not seen[:, 52 * 9 : 54 * 9].any()  # absent jokers are nowhere
        seen, *_ = tables.step(tables.action_masks().argmax(axis=1))
    assert tables.get_attr("rules") == [STANDARD] * 8


def test_shaping_pays_the_royalties_of_the_environment():
    """A pair on the bottom is worth 40 here: the potential knows unless it is told other rules."""
    hands = [ofc_env.Hand(seed=seed, rules=RICH) for seed in range(10)]
    for hand in hands:
        while not hand.finished:
            hand.step(hand.legal_actions()[-1])
    seen = np.stack([hand.observation(0) for hand in hands])
    own, house = RoyaltyPotential(2.0, RICH)(seen), RoyaltyPotential(2.0)(seen)
    assert (own != house).any()
    single = OFCPineappleEnv(rules=RICH)
    vector = OFCPineappleVectorEnv(2, rules=RICH)
    for shaped in (PotentialShaping(single), VectorPotentialShaping(vector)):
        assert (2 * shaped.potential(seen) == own).all()
    told = PotentialShaping(single, RoyaltyPotential(2.0))
    assert (told.potential(seen) == own).all()
    stubborn = PotentialShaping(single, RoyaltyPotential(2.0, "house"))
    assert (stubborn.potential(seen) == house).all()
