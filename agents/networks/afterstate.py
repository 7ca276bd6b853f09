"""The network of the AlphaZero player: what a board is worth after a placement, before the next deal.

Inputs are the native features of a packed state (`ofc_env._core.network_features`), so the torch network
that learns and the native one that plays see the same numbers. One trunk has five heads: value in points of
equity, chance to foul, chance of fantasyland, royalties, and a preference (the policy is its softmax over the
placements of a turn).
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from ofc_env import _core

HEADS = ("value", "foul", "fantasyland", "royalties", "preference")
VALUE, FOUL, FANTASYLAND, ROYALTIES, PREFERENCE = range(5)
KIND = "ofc-afterstate-1"


class AfterstateNetwork(nn.Module):
    """Features -> hidden -> second -> five heads, ReLU between.

    Args:
        hidden: units of the first layer, a multiple of 64 up to 1024.
        second: units of the second layer, at most 64.
    """

    def __init__(self, hidden: int = 256, second: int = 32) -> None:
        super().__init__()
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

        def numbers(parameter: Tensor) -> Any:
            return np.ascontiguousarray(parameter.detach().numpy(), dtype=np.float32)

        layers = (self.first, self.middle, self.heads)
        return _core.Network(*(numbers(part) for layer in layers for part in (layer.weight, layer.bias)))


def save_network(network: AfterstateNetwork, path: Path | str, notes: dict[str, Any] | None = None) -> None:
    """Write weights and sizes as safetensors, whole or not at all.

    Args:
        notes: what else a reader should know (command, date, results), JSON-ready.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    config = {"hidden": network.hidden, "second": network.second, "features": _core.NETWORK_FEATURES}
    metadata = {"kind": KIND, "config": json.dumps(config), "notes": json.dumps(notes or {})}
    partial = path.with_name(path.name + ".part")
    save_file({name: tensor.contiguous() for name, tensor in network.state_dict().items()}, partial, metadata)
    with partial.open("rb") as file:
        os.fsync(file.fileno())
    partial.replace(path)


def load_network(path: Path | str) -> AfterstateNetwork:
    """Read a network; nothing in the file is executed, and a file that does not fit is refused."""
    path = Path(path)
    if not path.is_file():
        raise ValueError(
            f"there is no network at {path}: train one with experiments/alphazero.py or give another path"
        )
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a dict
    except (SafetensorError, OSError) as error:
        raise ValueError(f"{path} is not a whole safetensors file: {error}") from None
    if metadata.get("kind") != KIND:
        raise ValueError(
            f"{path} holds {metadata.get('kind', 'something else')!r}, not a network of kind {KIND!r}"
        )
    try:
        config = json.loads(metadata["config"])
        network = AfterstateNetwork(int(config["hidden"]), int(config["second"]))
        network.load_state_dict(tensors)
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise ValueError(
            f"the network in {path} does not fit this version: {str(error).splitlines()[0]}"
        ) from None
    return network.eval()


def read_notes(path: Path | str) -> dict[str, Any]:
    """What was noted when a network was saved."""
    with safe_open(Path(path), framework="pt") as file:
        notes: dict[str, Any] = json.loads((file.metadata() or {}).get("notes", "{}"))
    return notes
