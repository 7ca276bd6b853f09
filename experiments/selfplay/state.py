"""Checkpoints of a training run: all of it in one folder that appears whole or not at all.

    checkpoint_00012/learner.safetensors      the network that learns
                     champion.safetensors     the best so far
                     player.safetensors       the one that plays the next round: champion when it was begun
                     previous.safetensors     the champion at the evaluation before
                     optimizer.safetensors    AdamW's moments, by parameter
                     state.json               round, seconds, curve

There are no random states to keep: every draw of round r follows from the seed and r.
"""

from __future__ import annotations

import copy
import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from agents.networks.afterstate import AfterstateNetwork, load_network, save_network
from agents.randomness import seed_of
from ofc_env.files import new_folder

NETWORKS = ("learner", "champion", "player", "previous")
NUMBERS = ("round", "hands", "seconds", "champion_round", "curve")
KEPT = 2  # checkpoints


@dataclass
class State:
    """Where a run stands between two rounds."""

    learner: AfterstateNetwork
    champion: AfterstateNetwork
    player: AfterstateNetwork
    previous: AfterstateNetwork
    optimizer: torch.optim.AdamW
    round: int = 0  # the next one
    hands: int = 0  # learned from so far
    seconds: float = 0.0  # spent so far
    champion_round: int = 0  # rounds the champion had learned from when it became champion
    curve: list[dict[str, Any]] = field(default_factory=list)  # an entry for each round


def first_state(network: AfterstateNetwork, weight_decay: float, device: torch.device | None = None) -> State:
    """The beginning of a run, with this network as learner, on the device, and as champion."""
    copies: dict[str, Any] = {name: copy.deepcopy(network) for name in NETWORKS}
    copies["learner"].to(device)
    return State(**copies, optimizer=make_optimizer(copies["learner"], weight_decay))


def make_optimizer(network: AfterstateNetwork, weight_decay: float) -> torch.optim.AdamW:
    """AdamW; the learning rate is set anew before every round."""
    return torch.optim.AdamW(network.parameters(), lr=1e-3, weight_decay=weight_decay)


def round_seed(seed: int, number: int, what: int, part: int = 0) -> int:
    """A seed for part `part` of what happens in a round: 0 self-play, 1 training, 2 gate, 3 evaluation."""
    return seed_of(seed, number, what, part) >> 1


# ---------------------------------------------------------------- on the disk


def save_state(state: State, folder: Path, notes: dict[str, Any] | None = None) -> Path:
    """Write a checkpoint and remove old ones; its folder."""
    path = folder / f"checkpoint_{state.round:05d}"
    for left_over in (*folder.glob(".checkpoint_*"), *folder.glob("checkpoint_*.part")):
        shutil.rmtree(left_over)  # of a run that was killed while it wrote one
    with new_folder(path, overwrite=True) as partial:
        for name in NETWORKS:
            save_network(getattr(state, name), partial / f"{name}.safetensors", notes)
        save_file(_moments(state.optimizer), partial / "optimizer.safetensors")
        numbers = {name: getattr(state, name) for name in NUMBERS}
        (partial / "state.json").write_text(json.dumps(numbers) + "\n")
    for old in checkpoints(folder)[:-KEPT]:
        shutil.rmtree(old)
    return path


def load_state(folder: Path, weight_decay: float, device: torch.device | None = None) -> State | None:
    """The newest checkpoint of a run, or None if there is none; the learner goes to the device."""
    found = checkpoints(folder)
    if not found:
        return None
    path = found[-1]
    try:
        networks: dict[str, Any] = {name: load_network(path / f"{name}.safetensors") for name in NETWORKS}
        numbers = json.loads((path / "state.json").read_text())
        optimizer = make_optimizer(networks["learner"].to(device), weight_decay)
        _restore_moments(optimizer, load_file(path / "optimizer.safetensors"))
        return State(**networks, optimizer=optimizer, **numbers)
    except (KeyError, TypeError, OSError, SafetensorError, json.JSONDecodeError) as error:
        raise ValueError(f"{path} is damaged ({error}): remove it to go on from the one before") from None


def checkpoints(folder: Path) -> list[Path]:
    """The whole checkpoints of a run, oldest first."""
    return sorted(path for path in folder.glob("checkpoint_*") if path.suffix != ".part")


def _moments(optimizer: torch.optim.AdamW) -> dict[str, torch.Tensor]:
    """AdamW's state as named tensors: parameter number and name of the part."""
    parts = optimizer.state_dict()["state"]
    return {
        f"{number}.{name}": tensor.cpu() for number, part in parts.items() for name, tensor in part.items()
    }


def _restore_moments(optimizer: torch.optim.AdamW, tensors: dict[str, torch.Tensor]) -> None:
    parts: dict[int, dict[str, torch.Tensor]] = {}
    for key, tensor in tensors.items():
        number, _, name = key.partition(".")
        parts.setdefault(int(number), {})[name] = tensor
    optimizer.load_state_dict({"state": parts, "param_groups": optimizer.state_dict()["param_groups"]})
