"""A first policy and value by imitation: watch an agent play itself, learn what it plays and what it earns.

PPO started from nothing spends its first million steps on learning not to foul. Any agent by name can be the
teacher; `heuristic` answers 100,000 positions a second, so data is never the limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

import ofc_env
from agents import Agent
from experiments.masked_ppo.policies import LeanPolicy

_TABLES = 1024
_STEPS = 36  # of both seats, about three hands a table between two rounds of learning
_LOOSE_MOVES = 0.05  # share of random moves, so that the learner also sees what follows a mistake
_VALUE_WEIGHT = 0.5  # of the value's loss, in units of the network's own scale


class Lessons(NamedTuple):
    """Positions of a teacher's games."""

    observations: NDArray[np.float32]  # (N, 490)
    masks: NDArray[np.int8]  # (N, 150)
    slots: NDArray[np.int64]  # (N,) what the teacher plays
    returns: NDArray[np.float32]  # (N,) what the seat to act earned in the rest of the episode


def watch(
    teacher: Agent, reward: ofc_env.RewardConfig, episode: str, rules: ofc_env.Rules, seed: int
) -> Iterator[Lessons]:
    """Endless lessons from the teacher's games against itself, in every seat."""
    batch = ofc_env.BatchEnv(_TABLES, seed=seed, episode=episode, reward=reward, rules=rules)
    generator = np.random.default_rng(seed)
    while True:
        seen, slots, seats, rewards, ends = [], [], [], [], []
        for _ in range(_STEPS):
            seen.append((batch.observations.copy(), batch.action_masks.copy()))
            seats.append(batch.players.copy())
            slots.append(teacher.act_batch(batch.observations, batch.action_masks))
            loose = generator.random(_TABLES) < _LOOSE_MOVES
            batch.step(np.where(loose, batch.random_actions(), slots[-1]))
            rewards.append(batch.rewards.copy())
            ends.append(batch.dones.copy())
        returns, known = _returns(np.stack(rewards), np.stack(ends), np.stack(seats))
        yield Lessons(
            np.stack([observations for observations, _ in seen])[known],
            np.stack([masks for _, masks in seen])[known],
            np.stack(slots)[known],
            returns[known],
        )


def _returns(
    rewards: NDArray[np.float32], ends: NDArray[np.bool_], seats: NDArray[np.int8]
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """What each seat to act earned up to its episode's end, (T, N), and whether that end was seen, (T, N)."""
    returns, known = np.zeros_like(rewards[..., 0]), np.zeros_like(ends)
    ahead = np.zeros_like(rewards[0])  # (N, 2) earned later in the same episode
    seen_end = np.zeros_like(ends[0])
    tables = np.arange(rewards.shape[1])
    for step in reversed(range(len(rewards))):
        ahead[ends[step]] = 0
        seen_end |= ends[step]
        ahead += rewards[step]
        returns[step] = ahead[tables, seats[step]]
        known[step] = seen_end
    return returns, known


def imitate(
    policy: LeanPolicy,
    lessons: Iterator[Lessons],
    positions: int,
    batch_size: int = 1024,
    learning_rate: float = 3e-3,
    value_scale: float = 20.0,
    report: Callable[[int, dict[str, float]], None] | None = None,
) -> None:
    """Fit policy and value to `positions` positions, each seen once; the learning rate falls to nothing.

    Args:
        policy: learns in place; its own optimiser is left alone.
        lessons: from `watch`.
        value_scale: points that count as 1 in the value's loss.
        report: given the positions learned so far and the losses of the last round.
    """
    optimizer = torch.optim.Adam(policy.parameters(), lr=learning_rate)
    policy.set_training_mode(True)
    learned = 0
    while learned < positions:
        lesson = next(lessons)
        sums = {"policy_loss": 0.0, "value_loss": 0.0, "agreement": 0.0}
        order = torch.randperm(len(lesson.slots))[: positions - learned]
        for chosen in order.split(batch_size):
            optimizer.param_groups[0]["lr"] = learning_rate * max(0.02, 1 - learned / positions)
            rows = chosen.numpy()
            slots = torch.from_numpy(lesson.slots[rows])
            logits, values = policy.logits_and_values(
                torch.from_numpy(lesson.observations[rows]), torch.from_numpy(lesson.masks[rows])
            )
            policy_loss = nn.functional.cross_entropy(logits, slots)
            errors = (values - torch.from_numpy(lesson.returns[rows])) / value_scale
            loss = policy_loss + _VALUE_WEIGHT * errors.square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            learned += len(rows)
            share = len(rows) / len(order)
            sums["policy_loss"] += policy_loss.item() * share
            sums["value_loss"] += errors.square().mean().item() * value_scale**2 * share
            sums["agreement"] += float((logits.argmax(dim=1) == slots).float().mean()) * share
        if report:
            report(learned, sums)
    policy.set_training_mode(False)
