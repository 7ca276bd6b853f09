"""The SB3 environment: its contract, masks in one call, and MaskablePPO on it."""

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecMonitor

from agents.randomness import choose_evenly
from wrappers.learner_batch import LearnerBatch
from wrappers.sb3_vec_env import OFCPineappleVecEnv

pytestmark = pytest.mark.usefixtures("one_thread")


def random_actions(masks, generator):
    return choose_evenly(masks, generator.integers(2**63, size=len(masks), dtype=np.uint64))


def test_masks_come_in_one_array():
    environment = OFCPineappleVecEnv(6, seed=1)
    environment.reset()
    assert is_masking_supported(environment)
    masks = environment.action_masks()
    assert masks.shape == (6, 150)
    assert masks.dtype == np.bool_
    assert (get_action_masks(environment) == masks).all()
    assert (np.stack(environment.env_method("action_masks", indices=[4, 1])) == masks[[4, 1]]).all()
    assert (get_action_masks(VecMonitor(environment)) == masks).all()


def test_steps_equal_the_learner_batch():
    environment, learners = OFCPineappleVecEnv(7, seat=1, seed=4), LearnerBatch(7, seat=1, seed=4)
    environment.seed(11)
    observations = environment.reset()
    learners.reset(seed=11)
    generator = np.random.default_rng(2)
    for _ in range(40):
        assert np.array_equal(np.asarray(observations), learners.observations)
        actions = random_actions(learners.action_masks, generator)
        observations, rewards, dones, infos = environment.step(actions)
        learners.step(actions)
        assert (rewards == learners.rewards).all()
        assert (dones == learners.dones).all()
        for table, info in enumerate(infos):
            assert ("terminal_observation" in info) == dones[table]
            if dones[table]:
                assert (info["terminal_observation"] == learners.final_observations[table]).all()
                assert info["TimeLimit.truncated"] is False
                assert set(info) >= {"fouled", "royalties", "fantasyland"}


def test_returned_arrays_belong_to_the_caller():
    environment = OFCPineappleVecEnv(3)
    observations = np.asarray(environment.reset())
    before = observations.copy()
    masks = environment.action_masks()
    masks_before = masks.copy()
    environment.step(random_actions(masks, np.random.default_rng(0)))
    assert (observations == before).all()
    assert (masks == masks_before).all()


def test_attributes_of_tables():
    environment = OFCPineappleVecEnv(3)
    assert environment.get_attr("render_mode") == [None] * 3
    assert environment.get_attr("num_envs", indices=[0]) == [3]
    assert environment.has_attr("action_masks")
    assert not environment.has_attr("colour")
    assert environment.env_is_wrapped(Monitor) == [False] * 3
    with pytest.raises(AttributeError, match="no method 'dance'"):
        environment.env_method("dance")
    with pytest.raises(ValueError, match="at some tables only"):
        environment.set_attr("note", 1, indices=[0])
    environment.set_attr("note", 1)
    assert environment.get_attr("note") == [1, 1, 1]
    with pytest.raises(RuntimeError, match="call step_async"):
        environment.step_wait()


def test_options_fix_the_next_reset():
    environment = OFCPineappleVecEnv(3, seat=0, seed=1)
    deck = list(range(54))
    environment.set_options([{"deck": deck, "seat": 1}, {"button": 1}, {"chips": (150, 250)}])
    environment.reset()
    hands = [environment.learners.batch.hand(table) for table in range(3)]
    assert [hand.player for hand in hands] == [1, 0, 0]
    assert (hands[0].deck, hands[1].button, hands[2].chips) == (deck, 1, [150, 250])
    environment.reset()
    assert environment.learners.batch.hand(0).deck != deck
    environment.set_options({"button": 7})
    before = np.asarray(environment.learners.observations).copy()
    with pytest.raises(ValueError, match="table 0: the button 7 is not 0 or 1"):
        environment.reset()
    assert (environment.learners.observations == before).all()


def test_an_illegal_slot_ends_its_table():
    environment = OFCPineappleVecEnv(3, seed=1)
    observations = np.asarray(environment.reset())
    actions = environment.action_masks().argmax(axis=1)
    actions[1] = 149
    _, rewards, dones, infos = environment.step(actions)
    assert rewards.tolist() == [0, -1, 0]
    assert dones.tolist() == [False, True, False]
    assert [info.get("illegal_action") for info in infos] == [None, True, None]
    assert (infos[1]["terminal_observation"] == observations[1]).all()
    assert environment.action_masks().any(axis=1).all()


class NoIllegalSlots(OFCPineappleVecEnv):
    """Refuses what the environment itself would end an episode for."""

    def step_wait(self):
        result = super().step_wait()
        assert not self.learners.illegal_actions.any()
        return result


@pytest.mark.parametrize("seat", [None, 1])
def test_maskable_ppo_learns_2000_steps(seat):
    """No illegal action in 2,000 steps, finite losses, and hands of the expected length."""
    environment = VecMonitor(NoIllegalSlots(16, opponent="random", seat=seat, seed=3))
    model = MaskablePPO(
        "MlpPolicy", environment, n_steps=32, batch_size=128, n_epochs=2, seed=1, device="cpu"
    )
    model.learn(2000)
    assert model.num_timesteps >= 2000
    assert np.isfinite(model.logger.name_to_value["train/loss"])
    lengths = [episode["l"] for episode in model.ep_info_buffer or ()]
    assert lengths
    assert set(lengths) <= {5, 6}
