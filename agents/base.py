"""What every agent is: a choice of slot from what its seat may see, and nothing else."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Observation = Mapping[str, NDArray[Any]]


class Agent(ABC):
    """Chooses slots. Its randomness comes from its seed and the observation, so equal agents answer equally.

    Attributes:
        name: the text that `agents.make` built it from, such as `"pimc:rollouts=200"`.
    """

    name: str = ""
    remembers: bool = False  # whether earlier observations of the hand change its choices
    needs_true_hand: bool = False  # whether it looks at hidden cards; such an agent cannot be ranked
    any_rules: bool = False  # whether its choices do not depend on the rules, so that it need not know them

    @abstractmethod
    def act(self, observation: Observation) -> int:
        """The slot to play.

        Args:
            observation: the environment's own dict: `observation` (490,) float32, `action_mask` (150,) int8.
        """

    def act_batch(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """The slots to play in N independent positions.

        Args:
            observations: (N, 490) float32.
            masks: (N, 150) int8, at least one slot allowed in each row.

        Returns:
            (N,) int64 slots, the same as `act` would give one by one.
        """
        slots = [
            self.act({"observation": observation, "action_mask": mask})
            for observation, mask in zip(observations, masks, strict=True)
        ]
        return np.array(slots, dtype=np.int64)

    def reset(self) -> None:  # noqa: B027 - most agents remember nothing
        """Forget what was remembered of the last hand; called at the start of each."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>" if self.name else f"<{type(self).__name__}>"
