"""A Gymnasium `VectorEnv` over the native batch: what `gymnasium.make_vec("OFCPineapple-v0", ...)` gives."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

import ofc_env
from ofc_env.pettingzoo_env import ACTION_COUNT, observation_box
from wrappers.learner_batch import LearnerBatch, Opponents


class OFCPineappleVectorEnv(VectorEnv[NDArray[np.float32], NDArray[np.int64], NDArray[Any]]):
    """N tables for one learner; a table whose episode ends begins the next one in the same step.

    Where `terminations` is True, the observation returned belongs to the new episode, `infos["final_obs"]`
    holds the last one of the old, and `infos["final_info"]` what the learner's last hand came to. Masks of
    all tables come in `infos["action_mask"]` (N, 150) and from `action_masks()`. An illegal slot raises
    `ValueError` and leaves every table as it was.

    Args:
        num_envs: number of tables.
        opponent: an agent or a name; a sequence of them is dealt out over the tables in turn.
        seat: the learner's seat; None for 0 at even tables and 1 at odd ones.
        episode, reward, rules: as in `ofc_env.env`.
        render_mode: only None: render a single environment instead.
    """

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(
        self,
        num_envs: int = 1,
        opponent: Opponents = "random",
        seat: int | None = None,
        episode: str = "hand",
        reward: ofc_env.RewardConfig | str | None = None,
        rules: ofc_env.Rules | str | None = None,
        render_mode: None = None,
    ) -> None:
        if render_mode is not None:
            raise ValueError(
                f"a vector of tables has no render_mode {render_mode!r}: render a single environment"
            )
        self.num_envs = num_envs
        seed = int(self.np_random.integers(2**63))
        self._learners = LearnerBatch(num_envs, opponent, seat, episode, reward, rules, seed)
        self.single_observation_space = observation_box(self._learners.rules)
        self.single_action_space = spaces.Discrete(ACTION_COUNT)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def action_masks(self) -> NDArray[np.int8]:
        """The legal slots of every table, (N, 150)."""
        return self._learners.action_masks.copy()

    def set_opponents(self, opponent: Opponents) -> None:
        """Seat other opponents from the next move on."""
        self._learners.set_opponents(opponent)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin a new episode at every table."""
        super().reset(seed=seed)
        self._learners.reset(seed=int(self.np_random.integers(2**63)))
        return self._learners.observations.copy(), self._mask_info()

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[
        NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]
    ]:
        """Play the learner's slots (N,); every return but the infos is an array of N rows of its own."""
        learners = self._learners
        learners.step(actions)
        dones = learners.dones.copy()
        infos = self._mask_info()
        if dones.any():
            final = np.full(self.num_envs, None, dtype=object)
            for table in np.flatnonzero(dones):
                final[table] = learners.final_observations[table].copy()
            infos["final_obs"], infos["_final_obs"] = final, dones.copy()
            last_hand: dict[str, Any] = {}
            for key in ("fouls", "royalties", "fantasyland"):
                last_hand[key], last_hand[f"_{key}"] = getattr(learners, key).copy(), dones.copy()
            infos["final_info"], infos["_final_info"] = last_hand, dones.copy()
        truncations = np.zeros(self.num_envs, dtype=np.bool_)
        return learners.observations.copy(), learners.rewards.copy(), dones, truncations, infos

    def _mask_info(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks(), "_action_mask": np.ones(self.num_envs, dtype=np.bool_)}
