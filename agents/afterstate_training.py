"""Learning the network after a placement from decisions of self-play: replay, losses, optimiser steps."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from agents.afterstate_network import FANTASYLAND, FOUL, PREFERENCE, ROYALTIES, VALUE, AfterstateNetwork
from ofc_env import _core

Decisions = dict[str, NDArray[Any]]
FIELDS = ("states", "values", "policy", "chosen", "counts", "outcomes")
POINTS = 10.0  # losses of points are taken in tens, so that all heads pull alike


@dataclass(frozen=True)
class TrainingSettings:
    """How the network learns from one round of decisions."""

    batch: int = 1024  # decisions in a step
    learning_rate: float = 2e-3
    weight_decay: float = 1e-4
    outcome_share: float = (
        0.1  # of the hand's outcome in the target of the placement played; the rest is the search's value
    )
    policy_weight: float = 0.3
    heads_weight: float = 0.3  # foul, fantasyland, royalties
    augment: bool = True  # rename suits and jokers at random


class Replay:
    """The decisions of the last rounds, each round a file, so that a killed run loses nothing."""

    def __init__(self, folder: Path, rounds: int) -> None:
        self.folder, self.rounds = folder, rounds
        self.parts: dict[int, Decisions] = {}

    def path(self, number: int) -> Path:
        """File of one round."""
        return self.folder / f"round_{number:05d}.npz"

    def add(self, number: int, decisions: Decisions) -> None:
        """Write a round, whole or not at all, and forget the oldest."""
        self.folder.mkdir(parents=True, exist_ok=True)
        partial = self.path(number).with_suffix(".part")
        with partial.open("wb") as file:
            arrays: dict[str, Any] = {name: decisions[name] for name in FIELDS}
            np.savez(file, **arrays)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(self.path(number))
        self.parts[number] = decisions
        for old in [key for key in self.parts if key <= number - self.rounds]:
            del self.parts[old]
            self.path(old).unlink(missing_ok=True)

    def load(self, up_to: int) -> None:
        """Read the rounds still wanted after round `up_to`; later ones, of a killed run, are dropped."""
        self.parts.clear()
        for file in sorted(self.folder.glob("round_*.npz")):
            number = int(file.stem.split("_")[1])
            if up_to - self.rounds < number <= up_to:
                with np.load(file, allow_pickle=False) as arrays:
                    self.parts[number] = {name: arrays[name] for name in FIELDS}
            elif number > up_to:
                file.unlink()

    def __len__(self) -> int:
        return sum(len(part["chosen"]) for part in self.parts.values())

    def batches(self, size: int, steps: int, generator: np.random.Generator) -> Iterator[Decisions]:
        """`steps` batches drawn evenly over all rounds kept."""
        joined = {name: np.concatenate([part[name] for part in self.parts.values()]) for name in FIELDS}
        for _ in range(steps):
            rows = generator.integers(0, len(joined["chosen"]), size)
            yield {name: array[rows] for name, array in joined.items()}


def losses(
    network: AfterstateNetwork, batch: Decisions, settings: TrainingSettings, seed: int
) -> dict[str, Tensor]:
    """The losses of a batch of decisions: `value`, `policy`, `heads`, and their weighted `total`."""
    counts = torch.from_numpy(batch["counts"])
    size, most = batch["values"].shape
    filled = torch.arange(most)[None, :] < counts[:, None]  # (B, 8)
    flat = filled.flatten().numpy()
    states = np.ascontiguousarray(batch["states"].reshape(size * most, -1)[flat])
    features = torch.from_numpy(_core.network_features(states, seed if settings.augment else None))
    outputs = torch.zeros(size * most, 5)
    outputs = outputs.masked_scatter(torch.from_numpy(flat)[:, None], network(features)).view(size, most, 5)

    chosen = torch.from_numpy(batch["chosen"])
    played = functional.one_hot(chosen, most).bool()
    outcomes = torch.from_numpy(batch["outcomes"])
    values = torch.from_numpy(batch["values"])
    mixed = (1 - settings.outcome_share) * values + settings.outcome_share * outcomes[:, :1]
    targets = torch.where(played, mixed, values)
    error = (outputs[..., VALUE] - targets) / POINTS
    value = functional.huber_loss(error[filled], torch.zeros_like(error[filled]), delta=2.0)

    logits = outputs[..., PREFERENCE].masked_fill(~filled, -1e9)
    policy = torch.from_numpy(batch["policy"])
    policy_loss = -(policy * functional.log_softmax(logits, dim=1)).masked_fill(~filled, 0.0).sum(1).mean()

    seen = outputs[torch.arange(size), chosen]
    heads = (
        functional.binary_cross_entropy_with_logits(seen[:, FOUL], outcomes[:, 1])
        + functional.binary_cross_entropy_with_logits(seen[:, FANTASYLAND], outcomes[:, 2])
        + ((seen[:, ROYALTIES] - outcomes[:, 3]) / POINTS).square().mean()
    )
    total = value + settings.policy_weight * policy_loss + settings.heads_weight * heads
    return {"value": value, "policy": policy_loss, "heads": heads, "total": total}


def train(
    network: AfterstateNetwork,
    optimizer: torch.optim.Optimizer,
    replay: Replay,
    steps: int,
    settings: TrainingSettings,
    generator: np.random.Generator,
) -> dict[str, float]:
    """Take `steps` optimiser steps; returns the mean losses."""
    network.train()
    sums: dict[str, float] = {}
    for batch in replay.batches(settings.batch, steps, generator):
        parts = losses(network, batch, settings, int(generator.integers(1 << 62)))
        optimizer.zero_grad(set_to_none=True)
        parts["total"].backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 5.0)
        optimizer.step()
        for name, part in parts.items():
            sums[name] = sums.get(name, 0.0) + part.item()
    network.eval()
    return {name: total / steps for name, total in sums.items()}
