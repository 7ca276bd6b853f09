"""An agent trained by masked PPO: `agents.make("ppo")` plays the shipped weights.

Weights are safetensors files with their configuration in the header: loading reads numbers and runs no code.
Two kinds of network are known: the placement network (shipped) and a plain policy over slots. Train one with
`python experiments/ppo.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from agents.base import Agent, Observation, checked
from agents.networks.files import describe, verify_trained_for
from agents.networks.modules import load_module, save_module
from agents.networks.observation import PolicyNetwork, load_network
from agents.networks.placement import PlacementConfig, PlacementNetwork
from agents.randomness import observation_keys
from agents.rewards import resolved
from agents.turns import solve_last_turns
from ofc_env import RewardConfig, Rules

WEIGHTS = Path(__file__).parent.parent / "weights" / "ppo.safetensors"

PlayingNetwork = PlacementNetwork | PolicyNetwork


class PpoAgent(Agent):
    """Plays what a policy trained by PPO likes best, or draws from it.

    Args:
        weights: a .safetensors file of `experiments/ppo.py`; the shipped one by default.
        temperature: 0 plays the likeliest slot; 1 draws as in training, fixed by seed and observation.
        exact: whether the last turn is solved exactly instead of being played by the network.
        seed: for the draws.
        network: a network to play instead of a file's.
        reward: what a hand is worth where the last turn is solved; `equity` by default.
        rules: what it plays by; those of its network by default.
    """

    def __init__(
        self,
        weights: str | Path | None = None,
        temperature: float = 0.0,
        exact: bool = False,
        seed: int = 0,
        network: PlayingNetwork | None = None,
        reward: RewardConfig | str = "equity",
        rules: Rules | str | None = None,
    ) -> None:
        if not 0 <= temperature < float("inf"):
            raise ValueError(f"a temperature of {temperature} is not possible: use 0 or more")
        if network is None:
            self.weights_files = (Path(weights or WEIGHTS),)
            network = load_policy(self.weights_files[0])
        self.network = network
        verify_trained_for(
            self.network.rules, None if rules is None else Rules.of(rules), weights or "this network"
        )
        self.rules = self.network.rules if rules is None else Rules.of(rules)
        self.reward = resolved(reward, self.rules) if exact else None
        self.temperature = temperature
        self.seed = seed

    def act(self, observation: Observation) -> int:
        """The slot to play."""
        slots = self.act_batch(observation["observation"][None], observation["action_mask"][None])
        return int(slots[0])

    def act_batch(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """The slots to play in N positions, shape (N,)."""
        observations, legal = checked(observations, masks, self.rules)
        logits = self.logits(observations, masks)
        slots = self._drawn(logits, observations) if self.temperature else logits.argmax(axis=1)
        return solve_last_turns(slots, observations, legal, self.reward, self.rules)

    def logits(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.float32]:
        """The policy's logits, (N, 150), very low or minus infinity where a slot is illegal."""
        with torch.inference_mode():
            return policy_logits(
                self.network, torch.from_numpy(observations), torch.from_numpy(np.ascontiguousarray(masks))
            ).numpy()

    def _drawn(self, logits: NDArray[np.float32], observations: NDArray[np.float32]) -> NDArray[np.int64]:
        """A slot drawn from each row, by a number that follows from the seed and the observation."""
        scaled = (logits - logits.max(axis=1, keepdims=True)).astype(np.float64) / self.temperature
        steps = np.cumsum(np.exp(scaled), axis=1)
        draws = observation_keys(observations, self.seed, self.rules) / 2.0**64 * steps[:, -1]
        # Illegal slots add nothing to the sum, so the first step above the draw is a legal slot.
        return np.argmax(steps > draws[:, None], axis=1).astype(np.int64)


def policy_logits(network: PlayingNetwork, observations: Tensor, masks: Tensor) -> Tensor:
    """Logits (N, 150) of either kind of network."""
    if isinstance(network, PlacementNetwork):
        return network.logits(observations, masks)
    logits: Tensor = network(observations, masks)
    return logits


def save_policy(network: PlayingNetwork, path: Path, notes: Mapping[str, Any] | None = None) -> None:
    """Write weights and configuration to a .safetensors file that appears when it is complete."""
    save_module(network, path, network.kind, asdict(network.config), notes)


def load_policy(path: Path) -> PlayingNetwork:
    """A network from a file of `save_policy`, ready to play; anything else is refused with a sentence."""
    if path.suffix == ".zip":
        raise ValueError(
            f"{path} is a zip of Stable-Baselines3, which can hold code: turn it into weights with "
            f"python experiments/ppo_zip.py {path} --out weights.safetensors"
        )
    if describe(path).kind != PlacementNetwork.kind:
        return load_network(path)

    def build(config: dict[str, Any]) -> PlacementNetwork:
        sizes = {"policy": tuple(config["policy"]), "value": tuple(config["value"])}
        return PlacementNetwork(PlacementConfig(units=int(config["units"]), **sizes))

    return load_module(path, PlacementNetwork.kind, build)
