"""Checkpoints of a PPO run: weights, optimiser and progress in one safetensors file, never a pickle.

No random state is kept. Every stretch of a run starts from a checkpoint with new seeds that follow from the
run's seed and the step, and with new hands, so a resumed run deals and draws what the uninterrupted one does.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from experiments.masked_ppo.config import PpoConfig
from experiments.masked_ppo.policies import LeanPPO
from ofc_env.files import new_file

FILE = "checkpoint.safetensors"
_FORMAT = "ofc-ppo-run-1"


@dataclass
class Progress:
    """Where a run stands."""

    steps: int = 0  # decisions learned from
    updates: int = 0  # passes over a rollout, as SB3 counts them
    pool: list[int] = field(default_factory=list)  # steps of the copies in the pool
    curve: list[dict[str, Any]] = field(default_factory=list)  # evaluations so far
    seconds: float = 0.0  # of training


def save(model: LeanPPO, config: PpoConfig, progress: Progress, folder: Path) -> None:
    """Write the checkpoint; the old one stays until the new one is complete."""
    tensors = {f"policy.{name}": tensor for name, tensor in model.policy.state_dict().items()}
    for index, state in model.policy.optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{index}.{name}": torch.as_tensor(value) for name, value in state.items()}
    tensors = {name: tensor.detach().clone().contiguous() for name, tensor in tensors.items()}
    metadata = {"format": _FORMAT, "config": config.to_json(), "progress": json.dumps(vars(progress))}
    with new_file(folder / FILE) as partial:
        save_file(tensors, partial, metadata)


def read(folder: Path) -> tuple[PpoConfig, Progress, dict[str, Tensor]]:
    """Settings, progress and tensors of a run's checkpoint."""
    path = folder / FILE
    if not path.is_file():
        raise FileNotFoundError(f"there is no checkpoint in {folder}: give the folder of a run to resume")
    try:
        with safe_open(path, framework="pt") as file:
            notes = dict(file.metadata() or {})
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        if notes.get("format") != _FORMAT:
            raise ValueError("it is not a checkpoint of experiments/ppo.py")
        return PpoConfig.from_json(notes["config"]), Progress(**json.loads(notes["progress"])), tensors
    except (SafetensorError, OSError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} cannot be read ({error}): resume from another run") from None


def restore(model: LeanPPO, progress: Progress, tensors: dict[str, Tensor]) -> None:
    """Put weights, optimiser and counters back into a model of the same settings."""
    restore_weights(model, tensors)
    moments: dict[int, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        if name.startswith("optimizer."):
            _, index, key = name.split(".")
            moments.setdefault(int(index), {})[key] = tensor
    groups = model.policy.optimizer.state_dict()["param_groups"]
    model.policy.optimizer.load_state_dict({"state": moments, "param_groups": groups})
    model.num_timesteps = progress.steps
    model._n_updates = progress.updates


def restore_weights(model: LeanPPO, tensors: dict[str, Tensor]) -> None:
    """Put the weights alone into a model of the same network."""
    weights = {
        name.removeprefix("policy."): tensor for name, tensor in tensors.items() if name.startswith("policy.")
    }
    try:
        model.policy.load_state_dict(weights)
    except RuntimeError as error:
        raise ValueError(f"these weights are of another network ({error}): use the same sizes") from None
