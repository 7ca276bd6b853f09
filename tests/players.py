"""Small agents for tests, and ways to play an environment to its end."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from agents import Agent
from agents.base import Observation


class FirstSlot(Agent):
    """Plays the lowest legal slot; counts its resets."""

    def __init__(self) -> None:
        self.resets = 0

    def act(self, observation: Observation) -> int:
        return int(np.flatnonzero(observation["action_mask"])[0])

    def reset(self) -> None:
        self.resets += 1


class LastSlot(Agent):
    """Plays the highest legal slot."""

    def act(self, observation: Observation) -> int:
        return int(np.flatnonzero(observation["action_mask"])[-1])


def random_slot(mask: Any, generator: random.Random) -> int:
    """Any slot that the mask allows."""
    return int(generator.choice(np.flatnonzero(mask).tolist()))


def random_steps(environment: Any, generator: random.Random, count: int) -> None:
    """Play some random steps of an AEC environment, none of which may end the episode."""
    for _ in range(count):
        environment.step(random_slot(environment.last()[0]["action_mask"], generator))


def play_out(environment: Any, generator: random.Random) -> dict[str, float]:
    """Play an AEC environment to the end of its episode at random; the sum of rewards of each agent."""
    earned = dict.fromkeys(environment.possible_agents, 0.0)
    for agent in environment.agent_iter():
        observation, reward, termination, truncation, _ = environment.last()
        earned[agent] += reward
        ended = termination or truncation
        environment.step(None if ended else random_slot(observation["action_mask"], generator))
    return earned


def normalised(value: Any) -> Any:
    """A value that can be compared with ==."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.tolist()
    if isinstance(value, dict):
        return {key: normalised(entry) for key, entry in value.items()}
    if isinstance(value, tuple | list):
        return [normalised(entry) for entry in value]
    return value
