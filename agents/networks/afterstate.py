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


def _stage_bits(features: Tensor) -> Tensor:
    """Which stage each state is in by its inputs, as `_core.network_stages` says: (N, stages) of 0 and 1."""
    turn_at, turns = _core.NETWORK_INPUTS["turn"]
    width_at, widths = _core.NETWORK_INPUTS["fantasyland"]
    turn = features[:, turn_at : turn_at + turns]
    away = features[:, width_at : width_at + widths].sum(dim=1, keepdim=True)
    return torch.stack([turn * (1 - away), turn * away], dim=2).flatten(1)


class AfterstateNetwork(RuledModule):
    """Features -> hidden -> second -> five heads, ReLU between.

    Args:
        hidden: units of the first layer, a multiple of 64 up to 1024.
        second: units of the second layer, at most 64.
        rules: that it is trained by; its inputs depend on them.
        staged: every stage of a hand (turn, opponent in fantasyland or not) has layers of its own above the
            first, which all share.
    """

    def __init__(
        self, hidden: int = HIDDEN, second: int = 32, rules: Rules = Rules(), staged: bool = False
    ) -> None:
        super().__init__(rules)
        self.hidden, self.second, self.staged = hidden, second, staged
        self.first = nn.Linear(_core.NETWORK_FEATURES, hidden)
        self.middle = nn.Linear(hidden, self.sets * second)  # set after set
        self.heads = nn.Linear(second, self.sets * len(HEADS))
        # About 100 inputs are on at a time: the first layer's weights may be larger than torch's default.
        nn.init.normal_(self.first.weight, std=(2.0 / 100.0) ** 0.5)
        # Chips say nothing to somebody who has only played single hands.
        nn.init.zeros_(self.first.weight[:, -_core.NETWORK_CHIP_FEATURES :])

    @property
    def sets(self) -> int:
        """How many sets of layers there are above the first."""
        return _core.NETWORK_STAGES if self.staged else 1

    def forward(self, features: Tensor) -> Tensor:
        """Heads of N states: float32 (N, features) -> (N, 5), foul and fantasyland as logits."""
        above = torch.relu(self.middle(torch.relu(self.first(features))))
        if not self.staged:
            heads: Tensor = self.heads(above)
            return heads
        weights, biases = self.heads.weight.chunk(self.sets), self.heads.bias.chunk(self.sets)
        parts = zip(above.chunk(self.sets, dim=1), weights, biases, strict=True)
        by_stage = torch.stack([functional.linear(*part) for part in parts], dim=1)
        return (by_stage * _stage_bits(features)[:, :, None]).sum(dim=1)

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
        units = torch.relu(_InputSums.apply(self.first.weight, inputs, begins) + self.first.bias)
        if not self.staged:
            heads: Tensor = self.heads(torch.relu(self.middle(units)))
            return heads
        stages = _core.network_stages(states)
        order = self.tensor(np.argsort(stages, kind="stable"))
        sizes = np.bincount(stages, minlength=self.sets).tolist()
        judged = [
            self._above(part, stage) for stage, part in enumerate(units[order].split(sizes)) if len(part)
        ]
        return torch.cat(judged)[order.argsort()]

    def _above(self, units: Tensor, stage: int) -> Tensor:
        """The layers of one stage."""
        middle = slice(stage * self.second, (stage + 1) * self.second)
        heads = slice(stage * len(HEADS), (stage + 1) * len(HEADS))
        above = torch.relu(functional.linear(units, self.middle.weight[middle], self.middle.bias[middle]))
        return functional.linear(above, self.heads.weight[heads], self.heads.bias[heads])

    def widened(self, hidden: int, staged: bool = False) -> AfterstateNetwork:
        """The same judgements from a first layer of more units, or from layers for every stage.

        New units have no say until they learn; the stages begin alike.
        """
        if hidden < self.hidden:
            raise ValueError(f"a network of {self.hidden} units cannot be made one of {hidden}: take more")
        wider = AfterstateNetwork(hidden, self.second, self.rules, staged or self.staged)
        copies = wider.sets // self.sets
        with torch.no_grad():
            wider.first.weight[: self.hidden] = self.first.weight
            wider.first.bias[: self.hidden] = self.first.bias
            wider.middle.weight[:, : self.hidden] = self.middle.weight.repeat(copies, 1)
            wider.middle.weight[:, self.hidden :] = 0.0
            wider.middle.bias.copy_(self.middle.bias.repeat(copies))
            wider.heads.weight.copy_(self.heads.weight.repeat(copies, 1))
            wider.heads.bias.copy_(self.heads.bias.repeat(copies))
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
    if network.staged:
        config["staged"] = True
    save_module(network, path, KIND, config, notes)


def load_network(path: Path | str) -> AfterstateNetwork:
    """The network of a file or a clone's folder, to train or to look into.

    To play one, `agents.networks.native.load_native` is enough.
    """

    def build(config: dict[str, Any]) -> AfterstateNetwork:
        shapes(config)  # the inputs must be those of this version
        return AfterstateNetwork(
            int(config["hidden"]), int(config["second"]), staged=bool(config.get("staged"))
        )

    return load_module(network_file(path), KIND, build)
