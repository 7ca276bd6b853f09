"""The network of the AlphaZero player: what a board is worth after a placement, before the next deal.

Inputs are the native features of a packed state (`ofc_env._core.network_inputs`), so the torch network that
learns and the native one that plays see the same numbers. One trunk has five heads: value in points of
equity, chance to foul, chance of fantasyland, royalties, and a preference (the policy is its softmax over the
placements of a turn).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from agents.networks.modules import RuledModule, arrays_of, load_module, save_module
from agents.networks.native import HEADS, KIND, native_network, network_file, shapes
from ofc_env import Rules, _core

VALUE, FOUL, FANTASYLAND, ROYALTIES, PREFERENCE = range(len(HEADS))
HIDDEN = 256  # units of a new network


class _InputSums(torch.autograd.Function):
    """The first layer's sums of the inputs that are on: some hundred of 1,663, so nothing else is touched."""

    @staticmethod
    def forward(ctx: Any, weight: Tensor, inputs: Tensor, starts: Tensor) -> Tensor:
        ctx.save_for_backward(inputs, starts)
        by_input = weight.t().contiguous()
        return functional.embedding_bag(
            inputs, by_input, starts.to(inputs.dtype), mode="sum", include_last_offset=True
        )

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        parts = [part.contiguous().cpu().numpy() for part in (gradients[0], *ctx.saved_tensors)]
        by_input = torch.from_numpy(_core.inputs_gradient(*parts)).to(gradients[0].device)
        return by_input.t().contiguous(), None, None


class AfterstateNetwork(RuledModule):
    """Features -> hidden -> second -> five heads, ReLU between.

    Args:
        hidden: units of the first layer, a multiple of 64 up to 1024.
        second: units of the second layer, at most 64.
        rules: that it is trained by; its inputs depend on them.
    """

    def __init__(self, hidden: int = HIDDEN, second: int = 32, rules: Rules = Rules()) -> None:
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

    def judge(
        self, states: NDArray[np.uint64], starts: NDArray[np.int64] | None = None, seed: int | None = None
    ) -> Tensor:
        """Heads of packed states (N, 8), as `forward` gives them, several times faster than by all inputs.

        Args:
            starts: which states belong to one decision (`_core.placement_states`).
            seed: rename suits and jokers at random, alike for the states of a decision.
        """
        found: tuple[NDArray[Any], ...] = _core.network_inputs(states, starts, seed, self.rules)
        inputs, begins = map(self.tensor, found)
        sums = _InputSums.apply(self.first.weight, inputs, begins) + self.first.bias
        heads: Tensor = self.heads(torch.relu(self.middle(torch.relu(sums))))
        return heads

    def widened(self, hidden: int) -> AfterstateNetwork:
        """The same judgements from a first layer of more units: the new ones have no say until they learn."""
        if hidden < self.hidden:
            raise ValueError(f"a network of {self.hidden} units cannot be made one of {hidden}: take more")
        wider = AfterstateNetwork(hidden, self.second, self.rules)
        with torch.no_grad():
            wider.first.weight[: self.hidden] = self.first.weight
            wider.first.bias[: self.hidden] = self.first.bias
            wider.middle.weight[:, : self.hidden] = self.middle.weight
            wider.middle.weight[:, self.hidden :] = 0.0
            wider.middle.bias.copy_(self.middle.bias)
        wider.heads.load_state_dict(self.heads.state_dict())
        return wider

    def tensor(self, array: NDArray[Any]) -> Tensor:
        """An array where the network is: on its device."""
        return torch.from_numpy(array).to(self.first.weight.device)

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
    """The network of a file or a clone's folder, to train or to look into.

    To play one, `agents.networks.native.load_native` is enough.
    """

    def build(config: dict[str, Any]) -> AfterstateNetwork:
        shapes(config)  # the inputs must be those of this version
        return AfterstateNetwork(int(config["hidden"]), int(config["second"]))

    return load_module(network_file(path), KIND, build)
