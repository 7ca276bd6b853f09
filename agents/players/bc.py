"""An agent that plays like the player it was trained on: `agents.make("bc")`.

It plays the placement that the policy of its network prefers, or draws one; the last turn is solved exactly
unless told otherwise. Train one with `python experiments/behaviour_cloning.py`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent, Observation, checked
from agents.networks.files import verify_trained_for
from agents.networks.native import load_native, network_file
from agents.rewards import resolved
from agents.turns import solve_last_turns
from ofc_env import RewardConfig, Rules

WEIGHTS = Path(__file__).parent.parent / "weights" / "bc"


class BehaviourCloningAgent(Agent):
    """Plays the policy of a network that learned from a log.

    Args:
        folder: of a clone, or a network file of any origin; the shipped clone by default.
        temperature: 0 plays the likeliest placement; 1 draws as the player chose, fixed by seed and position.
        exact: whether the last turn is solved exactly, whatever the temperature is.
        seed: for the draws.
        reward: what a hand is worth where the last turn is solved; points and the value of fantasyland by
            default.
        rules: what it plays by; those of its network by default.
    """

    def __init__(
        self,
        folder: str | Path | None = None,
        temperature: float = 0.0,
        exact: bool = True,
        seed: int = 0,
        reward: RewardConfig | str = "equity",
        rules: Rules | str | None = None,
    ) -> None:
        if not 0 <= temperature < float("inf"):
            raise ValueError(f"a temperature of {temperature} is not possible: use 0 or more")
        path = Path(folder) if folder is not None else WEIGHTS
        self.network = load_native(path)
        self.weights_files = (network_file(path),)
        verify_trained_for(self.network.rules, None if rules is None else Rules.of(rules), path)
        self.rules = self.network.rules if rules is None else Rules.of(rules)
        self.temperature, self.seed = temperature, seed
        self.reward = resolved(reward, self.rules) if exact else None

    def act(self, observation: Observation) -> int:
        """The slot to play."""
        slots = self.act_batch(observation["observation"][None], observation["action_mask"][None])
        return int(slots[0])

    def act_batch(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """The slots to play in N positions, shape (N,)."""
        observations, legal = checked(observations, masks, self.rules)
        slots = self.network.preferred(observations, self.temperature, self.seed)
        return solve_last_turns(slots, observations, legal, self.reward, self.rules)
