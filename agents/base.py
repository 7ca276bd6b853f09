"""What every agent is: a choice of slot from what its seat may see, and nothing else."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ofc_env import NUM_ACTIONS, InformationSet, Rules, _core

Observation = Mapping[str, NDArray[Any]]


class Agent(ABC):
    """Chooses slots. Its randomness comes from its seed and the observation, so equal agents answer equally.

    Attributes:
        name: the text that `agents.make` built it from, such as `"pimc:rollouts=200"`.
        rules: that it plays by; observations are read by them.
        fantasyland_boards: boards that the opponent may end with, against which the solver sets the agent's
            fantasyland hands; 0 sets them for themselves alone. An option of every name.
    """

    name: str = ""
    rules: Rules = Rules()  # that it plays by
    fantasyland_boards: int = 0
    remembers: bool = False  # whether earlier observations of the hand change its choices
    needs_true_hand: bool = False  # whether it looks at hidden cards; such an agent cannot be ranked
    weights_files: tuple[Path, ...] = ()  # that it plays by, if any: reports tell their digests
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


class FunctionAgent(Agent):
    """An agent from a function, so that a network of any framework can be measured in the arena.

    Args:
        choose: from observations (N, 490) float32 and masks (N, 150) int8 to N slots, the same ones for the
            same position.
        name: what results call it.
        rules: that it plays by.
    """

    def __init__(
        self,
        choose: Callable[[NDArray[np.float32], NDArray[np.int8]], Any],
        name: str = "function",
        rules: Rules | str | None = None,
    ) -> None:
        self._choose = choose
        self.name = name
        self.rules = Rules.of(rules)

    def act(self, observation: Observation) -> int:
        """The slot to play for the environment's own dict."""
        return int(self.act_batch(observation["observation"][None], observation["action_mask"][None])[0])

    def act_batch(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """The slots to play in N positions, (N,)."""
        slots = np.asarray(self._choose(observations, masks))
        if slots.shape != (len(observations),) or slots.dtype.kind not in "iu":
            wanted = f"it should give {len(observations)} slots"
            raise ValueError(f"{self!r} answered {slots.dtype} of shape {slots.shape}: {wanted}")
        return slots.astype(np.int64)


class InformedAgent(Agent):
    """An agent that speaks `InformationSet`: the 490 numbers of an environment are read once, at its door."""

    @abstractmethod
    def choose(self, information: InformationSet) -> int:
        """The slot to play for a seat that knows this."""

    def choose_batch(self, informations: Sequence[InformationSet]) -> NDArray[np.int64]:
        """The slots to play in N independent positions, (N,)."""
        return np.array([self.choose(information) for information in informations], dtype=np.int64)

    def act(self, observation: Observation) -> int:
        """The slot to play for the environment's own dict."""
        return self.choose(information_of(observation, self.rules))

    def act_batch(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """The slots to play in N positions, (N,); with a memory they are decisions of one hand, in order."""
        numbers = np.ascontiguousarray(observations, dtype=np.float32)
        return self.choose_batch(_core.decode_observations(numbers, self.rules))


def information_of(observation: Observation, rules: Rules) -> InformationSet:
    """What the seat of an environment's observation knows, playing by these rules."""
    numbers = np.ascontiguousarray(observation["observation"], dtype=np.float32)
    return InformationSet.from_observation(numbers, rules)


def checked(
    observations: NDArray[np.float32], masks: NDArray[np.int8], rules: Rules
) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
    """Observations (N, 490) that some seat can have, and how many slots each row of the masks allows, (N,).

    For agents that look numbers up in tables: what is no observation is refused with a sentence.
    """
    numbers = np.ascontiguousarray(observations, dtype=np.float32)
    _core.decode_observations(numbers, rules)
    if masks.shape != (len(numbers), NUM_ACTIONS):
        raise ValueError(f"masks of shape {masks.shape} do not fit {len(numbers)} observations")
    legal = np.count_nonzero(masks, axis=1)
    if not legal.all():
        row = int(np.argmin(legal))
        raise ValueError(f"row {row} of the masks allows no slot: ask only a seat that is to act")
    return numbers, legal
