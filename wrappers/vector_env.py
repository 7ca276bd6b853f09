"""A Gymnasium `VectorEnv` over the native batch: what `gymnasium.make_vec("OFCPineapple-v0", ...)` gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

import ofc_env
from ofc_env.episode_start import read_options, read_seed
from ofc_env.pettingzoo_env import ACTION_COUNT, observation_box
from ofc_env.refusals import shown
from wrappers.learner_batch import LearnerBatch, Opponents


class OFCPineappleVectorEnv(VectorEnv[NDArray[np.float32], NDArray[np.int64], NDArray[Any]]):
    """N tables for one learner; a table whose episode ends begins the next one in the same step.

    Where `terminations` is True, the observation returned belongs to the new episode, `infos["final_obs"]`
    holds the last one of the old, and `infos["final_info"]` what the learner's last hand came to. Masks of
    all tables come in `infos["action_mask"]` (N, 150) and from `action_masks()`. An illegal slot ends the
    episode at its table with a reward of -1 and `infos["illegal_action"]`; the other tables go on. The infos
    of every `reset` and `step` have the same keys, with None, 0 or False where nothing ended.

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
        self.rules = self._learners.rules
        self.single_observation_space = observation_box(self.rules)
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
        """Begin a new episode at every table, or where `options["reset_mask"]` (N,) is True.

        The other options are those of the single environment, `button`, `deck`, `chips` and `seat`: one value
        for all tables, or a sequence of N with one for each (None leaves it open). A refused seed or option
        leaves everything as it was.
        """
        learners, seed = self._learners, read_seed(seed)
        tables, starts = None, None
        if choices := read_options(options):
            tables = _read_mask(choices, self.num_envs)
            by_table = _options_by_table(choices, self.num_envs)
            if by_table is not None:
                some = np.arange(self.num_envs) if tables is None else tables
                starts = learners.read_starts(some, [by_table[table] for table in some])
        super().reset(seed=seed)
        learners.reset(int(self.np_random.integers(2**63)), tables, starts)
        return learners.observations.copy(), self._infos()

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[
        NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]
    ]:
        """Play the learner's slots (N,); every return but the infos is an array of N rows of its own."""
        learners = self._learners
        learners.step(actions)
        truncations = np.zeros(self.num_envs, dtype=np.bool_)
        return (
            learners.observations.copy(),
            learners.rewards.copy(),
            learners.dones.copy(),
            truncations,
            self._infos(),
        )

    def _infos(self) -> dict[str, Any]:
        """The infos of the last step, each with the mask of tables it is of, in arrays of their own."""
        learners, everywhere = self._learners, np.ones(self.num_envs, dtype=np.bool_)
        ended, illegal = learners.dones.copy(), learners.illegal_actions.copy()
        final = np.empty(self.num_envs, dtype=object)  # of None
        for table in ended.nonzero()[0]:
            final[table] = learners.final_observations[table].copy()
        settled = ended & learners.hand_ends  # an illegal slot broke its hand off: that came to nothing
        last_hand = {
            "fouls": learners.fouls & settled,
            "_fouls": ended,
            "royalties": learners.royalties * settled,
            "_royalties": ended,
            "fantasyland": learners.fantasyland * settled,
            "_fantasyland": ended,
            "illegal_action": illegal,
            "_illegal_action": ended,
        }
        return {
            "action_mask": self.action_masks(),
            "_action_mask": everywhere,
            "illegal_action": illegal,
            "_illegal_action": everywhere,
            "final_obs": final,
            "_final_obs": ended,
            "final_info": last_hand,
            "_final_info": ended,
        }


def _read_mask(options: Mapping[str, Any], num_envs: int) -> NDArray[np.intp] | None:
    """The numbers of the tables to reset, None for all."""
    mask = options.get("reset_mask")
    if mask is None:
        return None
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        raise TypeError(f"the reset_mask {shown(mask)} is not a numpy array of {num_envs} bools")
    if mask.shape != (num_envs,) or not mask.any():
        raise ValueError(
            f"the reset_mask has shape {mask.shape} and {int(mask.sum())} tables to reset: "
            f"give an array of {num_envs} bools, at least one of them True"
        )
    return np.flatnonzero(mask)


def _options_by_table(options: Mapping[str, Any], num_envs: int) -> list[dict[str, Any]] | None:
    """The options of each table, of which a value may be one for all or a sequence of one for each."""
    columns = {}
    for key in ("button", "seat", "chips", "deck"):
        value = options.get(key)
        if value is None:
            continue
        if not _one_for_each(key, value):
            columns[key] = [value] * num_envs
        elif len(value) == num_envs:
            columns[key] = value
        else:
            raise ValueError(
                f"{len(value)} values of {key} for {num_envs} tables: give one for all, or one each"
            )
    if not columns:
        return None
    return [{key: column[table] for key, column in columns.items()} for table in range(num_envs)]


def _one_for_each(key: str, value: Any) -> bool:
    """Whether an option is a sequence over tables; a pair of chips and a list of cards are one value."""
    if not _is_sequence(value) or key in ("button", "seat"):
        return _is_sequence(value)
    return any(one is None or _is_sequence(one) or (isinstance(one, str) and " " in one) for one in value)


def _is_sequence(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Sequence) and not isinstance(value, str)
