"""A policy over slots on the 490 numbers of a seat: what most libraries train, for PPO and comparison."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from agents.networks.modules import RuledModule, load_module, save_module
from ofc_env import NUM_ACTIONS, OBSERVATION_SIZE, Rules
from ofc_env.layout import (
    CARDS,
    FIRST_JOKER,
    IN_HAND,
    PLACES,
    RANKS,
    ROW_SIZES,
    SUITS,
    UNSEEN,
)

_ROW_SIZES = ROW_SIZES * 2  # own rows, then the opponent's
_MOST_UNITS, _MOST_LAYERS = 8192, 16


@dataclass(frozen=True)
class NetworkConfig:
    """Sizes of a network."""

    hidden: tuple[int, ...] = (512, 256)  # units of each hidden layer
    dropout: float = 0.2  # share of units left out in training
    counts: bool = False  # whether counts derived from the 490 numbers stand beside them

    def __post_init__(self) -> None:
        sizes_fit = 1 <= len(self.hidden) <= _MOST_LAYERS and all(
            type(units) is int and 1 <= units <= _MOST_UNITS for units in self.hidden
        )
        if not sizes_fit:
            raise ValueError(
                f"hidden layers {self.hidden!r} are not possible: give 1 to {_MOST_LAYERS} sizes, "
                f"each from 1 to {_MOST_UNITS}"
            )
        if not 0.0 <= self.dropout < 1.0:
            raise ValueError(f"a dropout of {self.dropout} is not possible: it is at least 0 and below 1")


def count_matrix() -> tuple[Tensor, Tensor]:
    """How counts follow from the 490 numbers: weight (K, 490) and bias (K,).

    In order: cards of each rank and suit in each of the six rows, in hand and unseen; jokers in each of the
    nine places; free slots of the six rows. Counts of unseen cards and free slots are scaled to 0 - 1.
    """
    weights: list[Tensor] = []
    biases: list[float] = []

    def add(cards: list[int], place: int, scale: float, bias: float = 0.0) -> None:
        row = torch.zeros(OBSERVATION_SIZE)
        row[[card * PLACES + place for card in cards]] = scale
        weights.append(row)
        biases.append(bias)

    for place in (*range(len(_ROW_SIZES)), IN_HAND, UNSEEN):
        unseen = place == UNSEEN
        for rank in range(RANKS):
            cards = [suit * RANKS + rank for suit in range(SUITS)]
            add(cards, place, 1 / SUITS if unseen else 1.0)
        for suit in range(SUITS):
            cards = [suit * RANKS + rank for rank in range(RANKS)]
            add(cards, place, 1 / RANKS if unseen else 1.0)
    for place in range(PLACES):
        add([FIRST_JOKER, FIRST_JOKER + 1], place, 1.0)
    for place, size in enumerate(_ROW_SIZES):
        add(list(range(CARDS)), place, -1 / size, bias=1.0)
    return torch.stack(weights), torch.tensor(biases)


class CountLayer(nn.Module):
    """The 490 numbers and the counts that follow from them: (N, 490) to (N, 490 + K). Nothing is learned."""

    def __init__(self) -> None:
        super().__init__()
        weight, bias = count_matrix()
        # Not part of the saved weights: they follow from the meaning of the observation.
        self.register_buffer("weight", weight, persistent=False)
        self.register_buffer("bias", bias, persistent=False)
        self.width = OBSERVATION_SIZE + len(weight)

    def forward(self, observations: Tensor) -> Tensor:
        counts = nn.functional.linear(observations, self.get_buffer("weight"), self.get_buffer("bias"))
        return torch.cat([observations, counts], dim=1)


def _trunk(config: NetworkConfig) -> tuple[nn.Sequential, int]:
    """Hidden layers on the observation, and the width of the last."""
    layers: list[nn.Module] = []
    width = OBSERVATION_SIZE
    if config.counts:
        counts = CountLayer()
        layers.append(counts)
        width = counts.width
    for units in config.hidden:
        layers += [nn.Linear(width, units), nn.ReLU(), nn.Dropout(config.dropout)]
        width = units
    return nn.Sequential(*layers), width


class PolicyNetwork(RuledModule):
    """Which slot to play: 490 numbers to 150 logits.

    Args:
        config: its sizes.
        rules: that it is trained by.
    """

    kind = "policy"

    def __init__(self, config: NetworkConfig | None = None, rules: Rules = Rules()) -> None:
        super().__init__(rules)
        self.config = config or NetworkConfig()
        self.trunk, width = _trunk(self.config)
        self.head = nn.Linear(width, NUM_ACTIONS)

    def forward(self, observations: Tensor, masks: Tensor) -> Tensor:
        """Logits (N, 150), minus infinity where a slot is illegal.

        Args:
            observations: (N, 490) float32.
            masks: (N, 150), 0 where a slot is illegal; at least one slot of each row is legal.
        """
        logits: Tensor = self.head(self.trunk(observations))
        return logits.masked_fill(masks == 0, -math.inf)

    def probabilities(self, observations: Tensor, masks: Tensor) -> Tensor:
        """The chance of each slot, (N, 150), 0 where it is illegal."""
        return torch.softmax(self(observations, masks), dim=1)


def save_network(network: PolicyNetwork, path: Path, notes: Mapping[str, Any] | None = None) -> None:
    """Write weights and configuration to a file that appears when it is complete.

    Args:
        network: what to keep.
        path: a name that ends in .safetensors.
        notes: kept beside the configuration, such as the command that trained it; JSON-ready.
    """
    save_module(network, path, network.kind, asdict(network.config), notes)


def load_network(path: Path) -> PolicyNetwork:
    """A network from a file, ready to play (not in training mode).

    Args:
        path: what `save_network` wrote; anything else is refused with a sentence.
    """

    def build(config: dict[str, Any]) -> PolicyNetwork:
        sizes = {**config, "hidden": tuple(config["hidden"])}
        if sizes.pop("by_slot", False):  # of version 0.1
            raise ValueError("policies that judge slots are no longer played: clone the log again")
        return PolicyNetwork(NetworkConfig(**sizes))

    return load_module(path, PolicyNetwork.kind, build)
