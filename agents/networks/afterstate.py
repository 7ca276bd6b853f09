"""The network of the AlphaZero player: what a board is worth after a placement, before the next deal.

Inputs are the native features of a packed state (`ofc_env._core.network_features`), so the torch network
that learns and the native one that plays see the same numbers. One trunk has five heads: value in points of
equity, chance to foul, chance of fantasyland, royalties, and a preference (the policy is its softmax over the
placements of a turn).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from agents.networks.modules import RuledModule, arrays_of, load_module, save_module
from agents.networks.native import HEADS, KIND, native_network, shapes
from ofc_env import Rules, _core

VALUE, FOUL, FANTASYLAND, ROYALTIES, PREFERENCE = range(len(HEADS))


class AfterstateNetwork(RuledModule):
    """Features -> hidden -> second -> five heads, ReLU between.

    Args:
        hidden: units of the first layer, a multiple of 64 up to 1024.
        second: units of the second layer, at most 64.
        rules: that it is trained by; its inputs depend on them.
    """

    def __init__(self, hidden: int = 256, second: int = 32, rules: Rules = Rules()) -> None:
        super().__init__(rules)
        self.hidden, self.second = hidden, second
        self.first = nn.Linear(_core.NETWORK_FEATURES, hidden)
        self.middle = nn.Linear(hidden, second)
        self.heads = nn.Linear(second, len(HEADS))
        # About 100 inputs are on at a time: the first layer's weights may be larger than torch's default.
        nn.init.normal_(self.first.weight, std=(2.0 / 100.0) ** 0.5)
        # Chips say nothing to somebody who has only played single hands.
        nn.init.zeros_(self.first.weight[:, -_core.NETWORK_CHIP_FEATURES :])

    def forward(self, features: Tensor) -> Tensor:
        """Heads of N states: float32 (N, features) -> (N, 5), foul and fantasyland as logits."""
        return self.heads(torch.relu(self.middle(torch.relu(self.first(features)))))

    def native(self) -> _core.Network:
        """The same network, evaluated natively."""
        return native_network(arrays_of(self), self.rules)


def save_network(
    network: AfterstateNetwork, path: Path | str, notes: Mapping[str, Any] | None = None
) -> None:
    """Write weights and sizes, whole or not at all.

    Args:
        notes: what else a reader should know (command, date, results), JSON-ready.
    """
    config = {"hidden": network.hidden, "second": network.second, "features": _core.NETWORK_FEATURES}
    save_module(network, path, KIND, config, notes)


def load_network(path: Path | str) -> AfterstateNetwork:
    """A network to train or to look into; to play one, `agents.networks.native.load_native` is enough."""

    def build(config: dict[str, Any]) -> AfterstateNetwork:
        shapes(config)  # the inputs must be those of this version
        return AfterstateNetwork(int(config["hidden"]), int(config["second"]))

    return load_module(path, KIND, build)
