"""The network after a placement as the core plays it, read from its weights file without torch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from agents.networks.files import Shapes, Tensors, read_weights
from ofc_env import Rules, _core

KIND = "afterstate"
HEADS = ("value", "foul", "fantasyland", "royalties", "preference")
LAYERS = ("first", "middle", "heads")
CLONE = "clone.safetensors"  # in the folder of experiments/behaviour_cloning.py


def shapes(config: dict[str, Any]) -> Shapes:
    """The shape of every tensor of a network with these sizes (`hidden`, `second`, `features`, `staged`)."""
    features = config.get("features", _core.NETWORK_FEATURES)
    if features != _core.NETWORK_FEATURES:
        raise ValueError(f"it takes {features} inputs and this version gives {_core.NETWORK_FEATURES}")
    hidden, second = int(config["hidden"]), int(config["second"])
    sets = _core.NETWORK_STAGES if config.get("staged") else 1
    units = ((hidden, features), (sets * second, hidden), (sets * len(HEADS), second))
    return {
        f"{layer}.{part}": size
        for layer, (outputs, inputs) in zip(LAYERS, units, strict=True)
        for part, size in (("weight", (outputs, inputs)), ("bias", (outputs,)))
    }


def network_file(path: Path | str) -> Path:
    """The file of a network that is named by itself or by the folder of its clone."""
    path = Path(path)
    if not path.is_dir():
        return path
    if (path / CLONE).is_file():
        return path / CLONE
    old = " but a policy of an earlier version" if (path / "policy.safetensors").is_file() else ""
    raise ValueError(
        f"the folder {path} holds no {CLONE}{old}: make one with experiments/behaviour_cloning.py"
    )


def load_native(path: Path | str) -> _core.Network:
    """The network of a weights file or a clone's folder; one that does not fit is refused with a sentence."""
    weights = read_weights(network_file(path), KIND, shapes)
    try:
        return native_network(weights.tensors, weights.rules)
    except ValueError as refusal:
        raise ValueError(f"the network in {path} cannot be played ({refusal}): train it again") from None


def native_network(tensors: Tensors, rules: Rules | None = None) -> _core.Network:
    """The network with these weights, by the names of `shapes`; it looks at rows as the rules score them."""
    numbers = {name: np.ascontiguousarray(tensor, dtype=np.float32) for name, tensor in tensors.items()}
    return _core.Network(
        numbers["first.weight"],
        numbers["first.bias"],
        numbers["middle.weight"],
        numbers["middle.bias"],
        numbers["heads.weight"],
        numbers["heads.bias"],
        rules,
    )
