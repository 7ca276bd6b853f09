"""An agent that plays any legal slot, evenly: the floor that every other agent is measured from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent, Observation
from agents.randomness import choose_evenly, observation_keys


class RandomAgent(Agent):
    """Plays each legal slot with equal chance, fixed by its seed and the observation."""

    any_rules = True

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def act(self, observation: Observation) -> int:
        """A legal slot."""
        slots = self.act_batch(observation["observation"][None], observation["action_mask"][None])
        return int(slots[0])

    def act_batch(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """A legal slot for each row, shape (N,)."""
        return choose_evenly(masks, observation_keys(observations, self.seed))
