"""Deep Q-learning with tianshou: `PettingZooEnv`, a learner in one seat, random play in the other."""

import logging
from typing import Any

import numpy as np
import torch
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.utils.net.common import Net
from tianshou.utils.torch_utils import policy_within_training_step

import ofc_env
from agents import FunctionAgent
from agents.arena import MatchSettings, play_match
from wrappers.without_infos import WithoutInfos

DECISIONS = 12  # of a hand, both seats together: two steps of an opening and four turns each, at most


def make_table() -> PettingZooEnv:
    """A table that plays a hand an episode; tianshou finds the mask in the observation by itself."""
    return PettingZooEnv(WithoutInfos(ofc_env.env(reward="points")))


def train(
    updates: int = 300, hands: int = 64, batches: int = 6, tables: int = 8, seed: int = 1
) -> FunctionAgent:
    """Learn against random play; what it became, as an agent for the arena.

    A hand's points are mostly luck, and many batches on the same hands seem to learn that luck by heart.
    """
    # Its statistics of returns are meant for one agent, and say so for every collection.
    logging.getLogger("tianshou.data.stats").setLevel(logging.ERROR)
    torch.manual_seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - tianshou explores by numpy's global numbers
    one = make_table()
    network: Net = Net(state_shape=490, action_shape=150, hidden_sizes=[256])
    policy: Any = DiscreteQLearningPolicy(
        model=network,
        action_space=one.action_space,
        observation_space=one.observation_space,
        eps_training=0.2,
    )
    # Over a whole hand the return is the learner's own points, whoever acted in between.
    learner: DQN = DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=1e-3),
        gamma=1.0,
        n_step_return_horizon=DECISIONS,
        target_update_freq=200,
    )
    others = MARLRandomDiscreteMaskedOffPolicyAlgorithm(one.action_space)
    both = MultiAgentOffPolicyAlgorithm(algorithms=[learner, others], env=one)
    played = VectorReplayBuffer(40_000, tables)
    envs = DummyVectorEnv([make_table for _ in range(tables)])
    envs.seed(seed)
    collector: Collector = Collector(both, envs, played, exploration_noise=True)
    with policy_within_training_step(both.policy), policy_within_training_step(policy):
        for _ in range(updates):
            collector.collect(n_episode=hands, reset_before_collect=True)
            for _ in range(batches):
                both.update(played, 512)

    def choose(observations: Any, masks: Any) -> Any:
        with torch.no_grad():
            values = network(observations)[0]
        return values.masked_fill(torch.as_tensor(masks) == 0, -torch.inf).argmax(dim=-1).numpy()

    return FunctionAgent(choose, "tianshou")


if __name__ == "__main__":
    print(play_match(train(), "random", 600, MatchSettings(progress=False)).text())
