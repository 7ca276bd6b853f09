"""Reward shaping that cannot change what is best: a potential is added on the way and taken back at the end.

A step from board A to board B earns `discount * potential(B) - potential(A)` more, and an ended episode has
potential 0, so that with a discount of 1 an episode's return changes only by its first potential. To change
the reward itself (fouls, fantasyland, the session), give the environment another `RewardConfig`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import VectorEnv, VectorWrapper
from numpy.typing import NDArray

import ofc_env
from ofc_env._core import row_royalties

Potential = Callable[[NDArray[np.float32]], NDArray[np.floating]]


class RoyaltyPotential:
    """The royalties of the learner's finished rows less the opponent's, rows taken one by one.

    Args:
        weight: factor on the points.
        rules: whose royalty tables; None for those of the environment that it shapes, and of the house alone.
    """

    def __init__(self, weight: float = 1.0, rules: ofc_env.Rules | str | None = None) -> None:
        self.weight = weight
        self.rules = None if rules is None else ofc_env.Rules.of(rules)

    def by(self, rules: ofc_env.Rules | None) -> RoyaltyPotential:
        """The same by these rules, unless it has its own."""
        return self if self.rules else RoyaltyPotential(self.weight, rules)

    def __call__(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        """Potentials (N,) of observations (N, 490)."""
        numbers = np.ascontiguousarray(observations, dtype=np.float32)
        mine, theirs = row_royalties(numbers, self.rules).reshape(-1, 2, 3).sum(axis=2).T
        return self.weight * (mine - theirs).astype(np.float32)


def _potential_of(
    env: gymnasium.Env | VectorEnv, potential: Potential | RoyaltyPotential | None
) -> Potential:
    """The potential to shape an environment by: royalties by its own rules if nothing else is said."""
    chosen = RoyaltyPotential() if potential is None else potential
    rules = getattr(env.unwrapped, "rules", None)
    return chosen.by(rules) if isinstance(chosen, RoyaltyPotential) else chosen


class PotentialShaping(gymnasium.Wrapper[NDArray[np.float32], np.int64, NDArray[np.float32], np.int64]):
    """Adds the shaping to a single-agent environment; `info["unshaped_reward"]` keeps the reward under it."""

    def __init__(self, env: gymnasium.Env, potential: Potential | None = None, discount: float = 1.0) -> None:
        super().__init__(env)
        self.potential = _potential_of(env, potential)
        self.discount = discount
        self._before = 0.0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Start an episode and note its first potential."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._before = float(self.potential(observation[None])[0])
        info["unshaped_reward"] = 0.0
        return observation, info

    def step(self, action: np.int64) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Play on; the reward holds the change of potential."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        after = 0.0 if terminated else float(self.potential(observation[None])[0])
        info["unshaped_reward"] = reward
        shaped = float(reward) + self.discount * after - self._before
        self._before = after
        return observation, shaped, terminated, truncated, info


class VectorPotentialShaping(VectorWrapper):
    """The same for a vector of tables that begin their next episode in the same step."""

    def __init__(self, env: VectorEnv, potential: Potential | None = None, discount: float = 1.0) -> None:
        super().__init__(env)
        self.potential = _potential_of(env, potential)
        self.discount = discount
        self._before = np.zeros(env.num_envs, dtype=np.float32)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin new episodes and note their first potentials."""
        observations, infos = self.env.reset(seed=seed, options=options)
        self._before = self.potential(observations).astype(np.float32)
        infos["unshaped_reward"] = np.zeros(self.num_envs, dtype=np.float32)
        return observations, infos

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[
        NDArray[np.float32], NDArray[np.floating], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]
    ]:
        """Play on; the rewards (N,) hold the changes of potential."""
        observations, rewards, terminations, truncations, infos = self.env.step(actions)
        now = self.potential(observations).astype(np.float32)
        after = np.where(terminations, 0.0, now)
        infos["unshaped_reward"] = rewards
        shaped = rewards + self.discount * after - self._before
        self._before = now
        return observations, shaped, terminations, truncations, infos
