"""Many tables at once for one learner, straight over the native `BatchEnv`.

Both vector environments (Gymnasium's and SB3's) are shells around `LearnerBatch`. It keeps every table at a
point where the learner is to act: opponents move in batches, one `act_batch` call for all tables that wait
for the same opponent, and tables that do not wait are left alone (action -1).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

import ofc_env
from agents import Agent
from ofc_env.pettingzoo_env import resolve_reward, resolve_rules
from wrappers.gymnasium_env import make_opponent

Opponents = Agent | str | Sequence[Agent | str]


class LearnerBatch:
    """N tables, each with the learner in one seat and an opponent in the other.

    Args:
        num_envs: number of tables.
        opponent: an agent or a name; a sequence of them is dealt out over the tables in turn. One agent plays
            many hands at once, so those that remember their hand are refused.
        seat: the learner's seat at every table; None puts it in seat 0 at even tables and in seat 1 at odd
            ones. The button alternates at each table: the learner is first to act half of the time.
        episode, reward, rules: as in `ofc_env.env`; opponents made by name play by these rules.
        seed: fixes all decks.

    Attributes:
        rewards: (N,) float32, what the learner earned from its last decision to its next.
        dones: (N,) bool, whether an episode ended in between (a new one has begun).
        final_observations: (N, 490) float32, valid where `dones`: what the learner saw at the end.
        fouls, royalties, fantasyland: (N,) of the learner in the hand that ended, valid where `hand_ends`.
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
        if seat not in (None, 0, 1):
            raise ValueError(f"the seat {seat!r} is not 0, 1 or None")
        self.rules = resolve_rules(rules)
        self.batch = ofc_env.BatchEnv(
            num_envs,
            seed=seed,
            episode=episode,
            reward=resolve_reward(reward),
            rules=self.rules,
            terminal_observations=True,
        )
        self.num_envs = num_envs
        self.seats = np.full(num_envs, seat, dtype=np.int8) if seat is not None else _alternating(num_envs)
        self._tables = np.arange(num_envs)
        self.rewards = np.zeros(num_envs, dtype=np.float32)
        self.dones = np.zeros(num_envs, dtype=np.bool_)
        self.hand_ends = np.zeros(num_envs, dtype=np.bool_)
        self.final_observations = np.zeros((num_envs, self.batch.observations.shape[1]), dtype=np.float32)
        self.fouls = np.zeros(num_envs, dtype=np.bool_)
        self.royalties = np.zeros(num_envs, dtype=np.float32)
        self.fantasyland = np.zeros(num_envs, dtype=np.int8)
        self._actions = np.full(num_envs, -1, dtype=np.int64)
        self.set_opponents(opponent)
        self._move_opponents()

    def set_opponents(self, opponent: Opponents) -> None:
        """Seat other opponents from the next move on; a sequence is dealt out over the tables in turn."""
        several = [opponent] if isinstance(opponent, Agent | str) else list(opponent)
        if not several:
            raise ValueError("no opponent given: name at least one, such as 'random'")
        opponents = [make_opponent(one, self.rules) for one in several]
        for one in opponents:
            if one.remembers:
                raise ValueError(
                    f"{one!r} remembers the hand it plays and cannot sit at many tables at once: "
                    "turn its belief off, or play it in a single OFCPineapple-v0"
                )
        self.opponents = opponents
        self._opponent_of = self._tables % len(self.opponents)

    @property
    def observations(self) -> NDArray[np.float32]:
        """What the learner sees at each table, (N, 490); the native buffer, overwritten by the next step."""
        return self.batch.observations

    @property
    def action_masks(self) -> NDArray[np.int8]:
        """The learner's legal slots at each table, (N, 150); the native buffer itself, as above."""
        return self.batch.action_masks

    def reset(self, seed: int | None = None) -> None:
        """Begin a new episode at every table; a seed fixes all that follows."""
        self.batch.reset(seed=seed)
        self._clear()
        for opponent in self.opponents:
            opponent.reset()
        self._move_opponents()

    def step(self, actions: NDArray[np.integer]) -> None:
        """Play the learner's slots (N,), and the opponents' up to the learner's next decision at every table.

        An illegal slot raises `ValueError` and leaves every table as it was.
        """
        slots = np.asarray(actions)
        if slots.shape != (self.num_envs,) or slots.dtype.kind not in "iu":
            raise ValueError(
                f"the actions have shape {slots.shape} and type {slots.dtype}: give {self.num_envs} integers"
            )
        if (slots < 0).any():
            raise ValueError(f"the action {int(slots.min())} is negative: the learner plays at every table")
        self.batch.step(slots.astype(np.int64, copy=False))
        self._clear()
        self._collect()
        self._move_opponents()

    def _clear(self) -> None:
        self.rewards.fill(0)
        self.dones.fill(False)
        self.hand_ends.fill(False)

    def _collect(self) -> None:
        """Take the learner's part of what the last native step brought."""
        batch = self.batch
        ended = np.flatnonzero(batch.hand_ends)
        if len(ended) == 0:
            return
        seats = self.seats[ended]
        self.rewards[ended] += batch.rewards[ended, seats]
        self.hand_ends[ended] = True
        self.fouls[ended] = batch.fouls[ended, seats]
        self.royalties[ended] = batch.royalties[ended, seats]
        self.fantasyland[ended] = batch.fantasyland[ended, seats]
        done = np.flatnonzero(batch.dones)
        self.dones[done] = True
        self.final_observations[done] = batch.terminal_observations[done, self.seats[done]]

    def _move_opponents(self) -> None:
        """Move the opponents wherever one is to act, until every table waits for the learner."""
        batch, actions = self.batch, self._actions
        while True:
            waiting = np.flatnonzero(batch.players != self.seats)
            if len(waiting) == 0:
                return
            if len(self.opponents) == 1:
                actions[waiting] = self.opponents[0].act_batch(
                    batch.observations[waiting], batch.action_masks[waiting]
                )
            else:
                owners = self._opponent_of[waiting]
                for index in np.unique(owners):
                    tables = waiting[owners == index]
                    actions[tables] = self.opponents[index].act_batch(
                        batch.observations[tables], batch.action_masks[tables]
                    )
            batch.step(actions)
            actions[waiting] = -1
            self._collect()


def _alternating(num_envs: int) -> NDArray[np.int8]:
    """Seats 0, 1, 0, 1, … for the tables."""
    return (np.arange(num_envs) % 2).astype(np.int8)
