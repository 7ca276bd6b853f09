"""The PettingZoo environment: its contract, its observations, rewards and copies."""

import copy
import pickle
import random
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, bombardment_test, render_test, seed_test
from pettingzoo.utils.wrappers import (
    BaseWrapper,
)

import ofc_env
from tests.players import play_out, random_slot, random_steps

MAKERS = [ofc_env.env, ofc_env.raw_env]


# ---------------------------------------------------------------- PettingZoo's own tests


@pytest.mark.parametrize("make", MAKERS)
def test_pettingzoo_api(make):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # all-zero masks and dict observations are meant
        api_test(make(), num_cycles=300)


@pytest.mark.parametrize("make", MAKERS)
def test_pettingzoo_seed(make):
    seed_test(make, num_cycles=500)


def test_pettingzoo_render(capsys):
    render_test(ofc_env.env, custom_tests={"ansi": lambda text: "bottom" in text})
    assert "to act" in capsys.readouterr().out


class Bombarded(BaseWrapper):
    """What the bombardment test can take: plain arrays, observations from `step`, legal unmasked samples."""

    def observe(self, agent):
        return self.env.observe(agent)["observation"]

    def observation_space(self, agent):
        return self.env.observation_space(agent)["observation"]

    def action_space(self, agent):
        space, mask = self.env.action_space(agent), self.env.infos[agent]["action_mask"]

        class Legal:
            def sample(self):
                return space.sample(mask)

        return Legal()

    def step(self, action):
        self.env.step(action)
        return self.observe(self.env.agent_selection)


@pytest.mark.parametrize("make", MAKERS)
def test_pettingzoo_bombardment(make):
    bombardment_test(Bombarded(make()), cycles=300)


# ---------------------------------------------------------------- names, spaces, registry


def test_public_names():
    assert ofc_env.ofc_pineapple_v0.env is ofc_env.env
    assert ofc_env.ofc_pineapple_v0.raw_env is ofc_env.raw_env
    environment = ofc_env.env()
    assert environment.possible_agents == ["player_0", "player_1"]
    assert str(environment) == str(environment.unwrapped) == "ofc_pineapple_v0"
    assert isinstance(environment.unwrapped, ofc_env.raw_env)


FROM_THE_REGISTRY = """
import pettingzoo, ofc_env
ofc_env.{name}
environment = pettingzoo.make("aec", "ofc_pineapple_v0", render_mode="ansi")
assert isinstance(environment.unwrapped, ofc_env.raw_env)
assert environment.render_mode == "ansi"
"""


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="this PettingZoo has no registry")
@pytest.mark.parametrize("name", ["ofc_pineapple_v0", "env", "raw_env"])
def test_registry(name):
    """In a process of its own: any of these names, touched first, puts the environment in the registry."""
    subprocess.run([sys.executable, "-c", FROM_THE_REGISTRY.format(name=name)], check=True)


def test_spaces():
    environment = ofc_env.env()
    space = environment.observation_space("player_0")
    assert space["observation"].shape == (490,)
    assert space["observation"].dtype == np.float32
    assert space["action_mask"].shape == (150,)
    assert space["action_mask"].dtype == np.int8
    assert environment.action_space("player_1").n == 150
    assert space["observation"].high.max() == 2.0
    rich = ofc_env.env(rules=ofc_env.Rules(chips=500)).observation_space("player_0")
    assert rich["observation"].high.max() == 5.0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"episode": "match"}, "unknown episode 'match'"),
        ({"render_mode": "paper"}, "unknown render_mode 'paper'"),
        ({"reward": "gold"}, "gold"),
    ],
)
def test_bad_arguments_get_a_sentence(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        ofc_env.env(**arguments)


# ---------------------------------------------------------------- observations and masks


@pytest.mark.parametrize("make", MAKERS)
def test_masks_are_mirrored_and_idle_seats_have_none(make):
    environment = make()
    for seed in range(20):
        environment.reset(seed=seed)
        for agent in environment.agent_iter():
            observation, _, termination, _, info = environment.last()
            hand = environment.unwrapped.hand
            for other in environment.agents:
                seen = environment.observe(other)
                assert seen["action_mask"].dtype == np.int8
                assert seen["action_mask"].tobytes() == environment.infos[other]["action_mask"].tobytes()
                seat = environment.possible_agents.index(other)
                assert (seen["observation"] == hand.observation(seat)).all()
                if other != agent or termination:
                    assert not seen["action_mask"].any()
            assert observation["action_mask"].tobytes() == info["action_mask"].tobytes()
            if termination:
                environment.step(None)
                continue
            assert np.flatnonzero(info["action_mask"]).tolist() == hand.legal_actions()
            environment.step(environment.action_space(agent).sample(info["action_mask"]))
        assert environment.agents == []


def test_kept_observations_do_not_change():
    environment, generator = ofc_env.env(), random.Random(0)
    environment.reset(seed=1)
    kept = []
    for _ in environment.agent_iter():
        observation, _, termination, _, info = environment.last()
        assert observation is not None
        kept.append((observation, info, copy.deepcopy(observation), copy.deepcopy(info)))
        environment.step(None if termination else random_slot(observation["action_mask"], generator))
    for observation, info, observation_then, info_then in kept:
        assert (observation["observation"] == observation_then["observation"]).all()
        assert (observation["action_mask"] == observation_then["action_mask"]).all()
        assert (info["action_mask"] == info_then["action_mask"]).all()


def test_state_holds_both_seats():
    environment = ofc_env.env()
    environment.reset(seed=3)
    both = [environment.observe(agent)["observation"] for agent in environment.possible_agents]
    assert (environment.state() == np.concatenate(both)).all()
    assert environment.state_space.shape == (980,)
    for agent, half in zip(environment.possible_agents, np.split(np.arange(980), 2), strict=True):
        box = environment.observation_space(agent)["observation"]
        assert (environment.state_space.low[half] == box.low).all()
        assert (environment.state_space.high[half] == box.high).all()


# ---------------------------------------------------------------- rewards


@pytest.mark.parametrize("make", MAKERS)
def test_rewards_are_the_points_of_each_seat(make):
    environment, generator = make(), random.Random(2)
    seen = set()
    for seed in range(60):
        environment.reset(seed=seed)
        earned = dict.fromkeys(environment.possible_agents, 0.0)
        result: Any = None
        for agent in environment.agent_iter():
            observation, reward, termination, _, info = environment.last()
            earned[agent] += reward
            if termination:
                result = environment.unwrapped.hand.result()
                assert info["results"] == [result]
            environment.step(None if termination else random_slot(observation["action_mask"], generator))
        assert [earned["player_0"], earned["player_1"]] == list(result.raw_score)
        assert sum(earned.values()) == 0
        seen.add(np.sign(earned["player_0"]))
    assert seen == {-1, 0, 1}


@pytest.mark.parametrize("preset", ["points", "equity", "shaped"])
def test_reward_presets(preset):
    config = ofc_env.RewardConfig.preset(preset)
    by_name, by_value = ofc_env.env(reward=preset), ofc_env.env(reward=config)
    for seed in range(30):
        by_name.reset(seed=seed)
        by_value.reset(seed=seed)
        earned = play_out(by_name, random.Random(seed))
        assert earned == play_out(by_value, random.Random(seed))
        expected = config.hand_rewards(by_name.unwrapped.hand.result())
        assert [earned["player_0"], earned["player_1"]] == pytest.approx(list(expected))


def test_several_hands_under_one_seed():
    """Many episodes after one seeded reset are the same again, rewards and all."""

    def play(environment):
        generator = random.Random(3)
        environment.reset(seed=12)
        history = []
        for _ in range(30):
            history.append((environment.unwrapped.hand, play_out(environment, generator)))
            environment.reset()
        return history

    assert play(ofc_env.env()) == play(ofc_env.raw_env())


# ---------------------------------------------------------------- copies


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_continue_the_same_hand(make, duplicate):
    for count in range(12):
        environment = make()
        environment.reset(seed=count)
        random_steps(environment, random.Random(count), min(count, 9))
        twin = duplicate(environment)
        assert twin.unwrapped.hand == environment.unwrapped.hand
        for _ in range(3):  # the same hand, and the same hands after it
            assert play_out(twin, random.Random(1)) == play_out(environment, random.Random(1))
            assert twin.unwrapped.hand == environment.unwrapped.hand
            twin.reset()
            environment.reset()


def test_a_copy_does_not_share_the_hand():
    environment = ofc_env.env()
    environment.reset(seed=1)
    twin = copy.deepcopy(environment)
    before = environment.unwrapped.hand
    random_steps(twin, random.Random(1), 5)
    assert environment.unwrapped.hand == before


def test_copy_before_reset():
    twin = pickle.loads(pickle.dumps(ofc_env.env()))
    with pytest.raises(AssertionError, match="needs to be called before step"):
        twin.step(0)
    twin.reset(seed=0)
    assert play_out(twin, random.Random(0))
