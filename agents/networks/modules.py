"""Torch networks in weights files: tensors of torch become arrays of `agents.networks.files`, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from torch import nn

from agents.networks.files import Shapes, Tensors, read_weights, write_weights
from ofc_env import Rules


class RuledModule(nn.Module):
    """A network that knows the rules it is trained by; its file tells them.

    What networks look up about rows is their ranking, which no rule changes; nor does the number of jokers
    change what an open row can become, since some other card does whatever a joker does.
    """

    def __init__(self, rules: Rules = Rules()) -> None:
        super().__init__()
        self.rules = rules


Module = TypeVar("Module", bound=RuledModule)


def arrays_of(module: nn.Module) -> Tensors:
    """The weights of a network by name, float32."""
    return {
        name: np.ascontiguousarray(tensor.detach().cpu().numpy(), dtype=np.float32)
        for name, tensor in module.state_dict().items()
    }


def save_module(
    module: RuledModule,
    path: Path | str,
    kind: str,
    config: Mapping[str, Any],
    notes: Mapping[str, Any] | None = None,
) -> None:
    """Write a network to a file that appears when it is complete; arguments as for `write_weights`."""
    write_weights(path, kind, config, arrays_of(module), rules=module.rules, notes=notes)


def load_module(path: Path | str, kind: str, build: Callable[[dict[str, Any]], Module]) -> Module:
    """A network from a file, ready to play (not in training mode).

    Args:
        kind: what the file must hold.
        build: makes the network of a config; an exception refuses the config.
    """

    def shapes(config: dict[str, Any]) -> Shapes:
        with torch.device("meta"):  # shapes only: a wrong size is found before any memory is taken
            return {name: tuple(tensor.shape) for name, tensor in build(config).state_dict().items()}

    weights = read_weights(path, kind, shapes)
    module = build(weights.config)
    module.rules = weights.rules
    module.load_state_dict({name: torch.tensor(array) for name, array in weights.tensors.items()})
    return module.eval()
