"""Many tables at once for one learner, straight over the native `BatchEnv`.

Both vector environments (Gymnasium's and SB3's) are shells around `LearnerBatch`. It keeps every table at a
point where the learner is to act: opponents move in batches, one `act_batch` call for all tables that wait
for the same opponent, and tables that do not wait are left alone (action -1).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ofc_env
from agents import Agent
from ofc_env.episode_start import EpisodeStart, read_options, read_seat, read_seed, read_start
from ofc_env.pettingzoo_env import ACTION_COUNT, ILLEGAL_REWARD
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
        observations, action_masks: (N, 490) float32 and (N, 150) int8 of the learner at each table: the
            native buffers themselves, overwritten by the next step.
        rewards: (N,) float32, what the learner earned from its last decision to its next.
        dones: (N,) bool, whether an episode ended in between (a new one has begun).
        illegal_actions: (N,) bool, whether it ended by an illegal slot of the learner, which pays -1.
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
        if seat is not None:
            seat = read_seat(seat, "seat")
        self.rules = ofc_env.Rules.of(rules)
        self.episode = episode
        self.batch = ofc_env.BatchEnv(
            num_envs,
            seed=read_seed(seed),
            episode=episode,
            reward=reward,
            rules=self.rules,
            terminal_observations=True,
        )
        # The native buffers stay where they are: their views are made once.
        self.observations: NDArray[np.float32] = self.batch.observations
        self.action_masks: NDArray[np.int8] = self.batch.action_masks
        self._players, self._rewards = self.batch.players, self.batch.rewards
        self._dones, self._hand_ends = self.batch.dones, self.batch.hand_ends
        self._last_hands = self.batch.fouls, self.batch.royalties, self.batch.fantasyland
        self._terminal_observations = self.batch.terminal_observations
        self.num_envs = num_envs
        self._own_seats = np.full(num_envs, seat, np.int8) if seat is not None else _alternating(num_envs)
        self.seats = self._own_seats.copy()
        self._tables = np.arange(num_envs)
        self.rewards = np.zeros(num_envs, dtype=np.float32)
        self.dones = np.zeros(num_envs, dtype=np.bool_)
        self.hand_ends = np.zeros(num_envs, dtype=np.bool_)
        self.illegal_actions = np.zeros(num_envs, dtype=np.bool_)
        self.final_observations = np.zeros_like(self.observations)
        self.fouls = np.zeros(num_envs, dtype=np.bool_)
        self.royalties = np.zeros(num_envs, dtype=np.float32)
        self.fantasyland = np.zeros(num_envs, dtype=np.int8)
        self._actions = np.full(num_envs, -1, dtype=np.int64)
        self.set_opponents(opponent)
        self._move_opponents()

    def set_opponents(self, opponent: Opponents) -> None:
        """Seat other opponents from the next move on; a sequence is dealt out over the tables in turn."""
        several: list[Agent | str]
        if isinstance(opponent, Iterable) and not isinstance(opponent, str):
            several = list(opponent)
        else:
            several = [opponent]
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

    def read_starts(
        self, tables: NDArray[np.intp], options: Sequence[Mapping[str, Any] | None]
    ) -> list[tuple[EpisodeStart, int]]:
        """How the next episodes begin at these tables, and the learner's seats, by the options of each.

        Options are those of a single environment: `button`, `deck`, `chips` and `seat`. Whatever is wrong
        with them is refused here, before anything moves.
        """
        starts = []
        for table, given in zip(tables, options, strict=True):
            try:
                choices = read_options(given)
                seat = choices.get("seat")
                seat = self._own_seats[table] if seat is None else read_seat(seat, "seat")
                starts.append((read_start(choices, self.episode, self.rules), int(seat)))
            except (TypeError, ValueError) as refusal:
                kind = TypeError if isinstance(refusal, TypeError) else ValueError
                raise kind(f"table {table}: {refusal}") from None
        return starts

    def reset(
        self,
        seed: int | None = None,
        tables: NDArray[np.intp] | None = None,
        starts: Sequence[tuple[EpisodeStart, int]] | None = None,
    ) -> None:
        """Begin a new episode at every table, or at those of the numbers `tables`.

        A seed fixes all that follows there; `starts` has an entry for each table, made by `read_starts`.
        """
        some = self._tables if tables is None else tables
        self.seats[some] = self._own_seats[some]
        if starts is not None:
            self.batch.reset(
                seed=seed,
                envs=some.tolist(),
                buttons=[start.button for start, _ in starts],
                chips=[start.chips for start, _ in starts],
                decks=[start.deck for start, _ in starts],
            )
            self.seats[some] = [seat for _, seat in starts]
        else:
            self.batch.reset(seed=seed, envs=None if tables is None else some.tolist())
        self._clear()
        for opponent in self.opponents:
            opponent.reset()
        self._move_opponents()

    def step(self, actions: NDArray[np.integer]) -> None:
        """Play the learner's slots (N,), and the opponents' up to the learner's next decision at every table.

        An illegal slot ends the episode at its table, as in a single environment, and the other tables go on.
        What is no slot at all raises `ValueError` and leaves every table as it was.
        """
        slots = np.asarray(actions)
        if slots.shape != (self.num_envs,) or slots.dtype.kind not in "iu":
            raise ValueError(
                f"the actions have shape {slots.shape} and type {slots.dtype}: give {self.num_envs} integers"
            )
        slots = slots.astype(np.int64, copy=False)
        try:
            legal = self.action_masks[self._tables, slots]
        except IndexError:
            _verify_slots(np.asarray(actions))
            raise
        if np.count_nonzero(legal) == self.num_envs:
            self.batch.step(slots)  # refuses a negative one that stands for a legal slot from the end
            self._clear()
            self._collect()
        else:
            _verify_slots(slots)
            illegal = np.flatnonzero(legal == 0)
            self.batch.step(np.where(legal, slots, -1))  # -1 leaves a table alone
            self._clear()
            self._collect()
            self._end_by_illegal_slot(illegal)
        self._move_opponents()

    def _end_by_illegal_slot(self, tables: NDArray[np.intp]) -> None:
        self.rewards[tables] = ILLEGAL_REWARD
        self.dones[tables] = self.illegal_actions[tables] = True
        self.final_observations[tables] = self.observations[tables]
        self.seats[tables] = self._own_seats[tables]
        self.batch.skip(tables.tolist())

    def _clear(self) -> None:
        self.rewards.fill(0)
        self.dones.fill(False)
        self.hand_ends.fill(False)
        self.illegal_actions.fill(False)

    def _collect(self) -> None:
        """Take the learner's part of what the last native step brought."""
        ended = np.flatnonzero(self._hand_ends)
        if len(ended) == 0:
            return
        seats = self.seats[ended]
        self.rewards[ended] += self._rewards[ended, seats]
        self.hand_ends[ended] = True
        fouls, royalties, fantasyland = self._last_hands
        self.fouls[ended] = fouls[ended, seats]
        self.royalties[ended] = royalties[ended, seats]
        self.fantasyland[ended] = fantasyland[ended, seats]
        done = np.flatnonzero(self._dones)
        self.dones[done] = True
        self.final_observations[done] = self._terminal_observations[done, self.seats[done]]
        self.seats[done] = self._own_seats[done]

    def _move_opponents(self) -> None:
        """Move the opponents wherever one is to act, until every table waits for the learner."""
        batch, actions = self.batch, self._actions
        while True:
            waiting = np.flatnonzero(self._players != self.seats)
            if len(waiting) == 0:
                return
            if len(self.opponents) == 1:
                actions[waiting] = self.opponents[0].act_batch(
                    self.observations[waiting], self.action_masks[waiting]
                )
            else:
                owners = self._opponent_of[waiting]
                for index in np.unique(owners):
                    tables = waiting[owners == index]
                    actions[tables] = self.opponents[index].act_batch(
                        self.observations[tables], self.action_masks[tables]
                    )
            batch.step(actions)
            actions[waiting] = -1
            self._collect()


def _verify_slots(slots: NDArray[np.integer]) -> None:
    if slots.min() < 0:
        raise ValueError(f"the action {slots.min()} is negative: the learner plays at every table")
    if slots.max() >= ACTION_COUNT:
        raise ValueError(f"the action {slots.max()} is not one of the slots 0 to {ACTION_COUNT - 1}")


def _alternating(num_envs: int) -> NDArray[np.int8]:
    """Seats 0, 1, 0, 1, … for the tables."""
    return (np.arange(num_envs) % 2).astype(np.int8)
