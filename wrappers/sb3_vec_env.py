"""A Stable-Baselines3 `VecEnv` over the native batch, with the masks that sb3-contrib asks for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvObs, VecEnvStepReturn

import ofc_env
from ofc_env.episode_start import read_seed
from ofc_env.pettingzoo_env import ACTION_COUNT, observation_box
from wrappers.learner_batch import LearnerBatch, Opponents


class OFCPineappleVecEnv(VecEnv):
    """N tables for one learner, each starting its next episode in the step that ends the last.

    Args:
        num_envs: number of tables.
        opponent: an agent or a name; a sequence of them is dealt out over the tables in turn.
        seat: the learner's seat; None for 0 at even tables and 1 at odd ones.
        episode, reward, rules: as in `ofc_env.env`.
        seed: fixes all decks until `seed()` sets another.

    The info of a table whose hand ended holds `fouled`, `royalties` and `fantasyland` (the width won, 0 for
    none) of the learner, and `terminal_observation` if the episode ended with it. An illegal slot ends the
    episode at its table with -1, `terminal_observation` and `illegal_action`; the other tables go on.
    `set_options` fixes the `button`, `deck`, `chips` and `seat` of the next `reset`.
    """

    def __init__(
        self,
        num_envs: int,
        opponent: Opponents = "random",
        seat: int | None = None,
        episode: str = "hand",
        reward: ofc_env.RewardConfig | str | None = None,
        rules: ofc_env.Rules | str | None = None,
        seed: int = 0,
    ) -> None:
        self.learners = LearnerBatch(num_envs, opponent, seat, episode, reward, rules, seed)
        self.rules = self.learners.rules
        self._pending: NDArray[np.integer] | None = None
        super().__init__(num_envs, observation_box(self.rules), spaces.Discrete(ACTION_COUNT))

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal slots of every table in one array, (N, 150)."""
        return self.learners.action_masks.astype(np.bool_)

    def set_opponents(self, opponent: Opponents) -> None:
        """Seat other opponents from the next move on, such as newer copies of the learner."""
        self.learners.set_opponents(opponent)

    def reset(self) -> VecEnvObs:
        """Begin a new episode at every table, with the options set for each."""
        learners, tables = self.learners, np.arange(self.num_envs)
        starts = learners.read_starts(tables, self._options) if any(self._options) else None
        learners.reset(read_seed(self._seeds[0]), starts=starts)
        self._reset_seeds()
        self._reset_options()
        self._pending = None
        return self.learners.observations.copy()

    def step_async(self, actions: NDArray[np.integer]) -> None:
        """Take the actions (N,) for `step_wait`."""
        self._pending = np.asarray(actions)

    def step_wait(self) -> VecEnvStepReturn:
        """Play the actions taken: observations (N, 490), rewards (N,), dones (N,) and a list of N infos."""
        if self._pending is None:
            raise RuntimeError("step_wait() has no actions to play: call step_async(actions) first")
        learners, actions = self.learners, self._pending
        self._pending = None
        learners.step(actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for table in np.flatnonzero(learners.hand_ends):
            infos[table] = {
                "fouled": bool(learners.fouls[table]),
                "royalties": float(learners.royalties[table]),
                "fantasyland": int(learners.fantasyland[table]),
            }
        for table in np.flatnonzero(learners.dones):
            infos[table]["terminal_observation"] = learners.final_observations[table].copy()
            infos[table]["TimeLimit.truncated"] = False
        for table in np.flatnonzero(learners.illegal_actions):
            infos[table]["illegal_action"] = True
        return learners.observations.copy(), learners.rewards.copy(), learners.dones.copy(), infos

    def close(self) -> None:
        """Nothing is held open."""

    # SB3 asks sub-environments for attributes and methods. Tables are rows of one object: all answer alike.

    def _rows(self, indices: VecEnvIndices) -> Iterable[int]:
        return self._get_indices(indices)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """The attribute once for each table."""
        if attr_name == "render_mode":
            value: Any = None
        else:
            value = getattr(self, attr_name)
        return [value for _ in self._rows(indices)]

    def has_attr(self, attr_name: str) -> bool:
        """Whether the tables have the attribute."""
        return attr_name == "render_mode" or hasattr(self, attr_name)

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute of all tables at once."""
        if indices is not None:
            raise ValueError(f"cannot set {attr_name!r} at some tables only: they share one batch")
        setattr(self, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Only `action_masks` can be asked of single tables: one array, split by row."""
        if method_name != "action_masks":
            raise AttributeError(f"the tables have no method {method_name!r}: only 'action_masks'")
        masks = self.action_masks()
        return [masks[row] for row in self._rows(indices)]

    def env_is_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper], indices: VecEnvIndices = None
    ) -> list[bool]:
        """No table is wrapped."""
        return [False for _ in self._rows(indices)]

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """No pictures: render a single environment instead."""
        return [None] * self.num_envs
