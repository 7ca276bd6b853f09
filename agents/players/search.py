"""What the search agents share: a seed from the observation, and a memory of the hand for the belief."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent, Observation
from agents.randomness import observation_keys
from ofc_env.layout import TURN


class SearchAgent(Agent):
    """Remembers its own decisions of the hand when a belief about the opponent's discards needs them.

    Args:
        seed: with the observation, fixes all randomness of a search.
        belief: weigh worlds by how likely the opponent's discards are, instead of evenly.
    """

    def __init__(self, seed: int = 0, belief: bool = False) -> None:
        self.seed = seed
        self.remembers = belief
        self._decisions: list[NDArray[np.float32]] = []

    def reset(self) -> None:
        """Forget the hand before."""
        self._decisions.clear()

    def history(self, observation: Observation) -> NDArray[np.float32]:
        """The seat's own decisions of this hand, this one last: (k, 490); k is 1 without a belief."""
        numbers = np.ascontiguousarray(observation["observation"], dtype=np.float32)
        if not self.remembers:
            return numbers[None]
        if self._decisions and numbers[TURN] < self._decisions[-1][TURN]:
            self.reset()  # an earlier turn than the last one: a new hand whose start was not announced
        if not self._decisions or not np.array_equal(self._decisions[-1], numbers):
            self._decisions.append(numbers.copy())
        return np.stack(self._decisions)

    def search_seed(self, numbers: NDArray[np.float32]) -> int:
        """A seed made of the agent's own and the observation (490,)."""
        return int(observation_keys(numbers[None], self.seed)[0])
