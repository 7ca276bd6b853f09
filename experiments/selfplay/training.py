"""Learning the network after a placement from decisions of self-play: replay, losses, optimiser steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from agents.networks.afterstate import FANTASYLAND, FOUL, PREFERENCE, ROYALTIES, VALUE, AfterstateNetwork
from experiments.cloning.training import POINTS
from experiments.referee.learning import Lessons, label_losses
from experiments.selfplay.state import make_optimizer
from ofc_env.files import new_file

Decisions = dict[str, NDArray[Any]]
FIELDS = ("states", "values", "policy", "chosen", "counts", "outcomes")


@dataclass(frozen=True)
class TrainingSettings:
    """How the network learns from one round of decisions."""

    batch: int = 1024  # decisions in a step
    learning_rate: float = 2e-3
    weight_decay: float = 1e-4
    outcome_share: float = (
        0.1  # of the hand's outcome in the target of the placement played; the rest is the search's value
    )
    # Differences between the placements of one decision: they are what decides, and as these met the same
    # worlds, differences are known better than the values themselves.
    relative_weight: float = 5.0
    policy_weight: float = 0.3
    heads_weight: float = 0.3  # foul, fantasyland, royalties
    augment: bool = True  # rename suits and jokers at random
    label_batch: int = 128  # decisions of the referee in a step, if there are any
    label_weight: float = 1.0


class Replay:
    """The decisions of the last rounds, each round a file, so that a killed run loses nothing.

    Args:
        folder: of the files.
        rounds: how many rounds are learned from; may be changed between rounds, by one at a time.
    """

    def __init__(self, folder: Path, rounds: int) -> None:
        self.folder, self.rounds = folder, rounds
        self.parts: dict[int, Decisions] = {}

    def path(self, number: int) -> Path:
        """File of one round."""
        return self.folder / f"round_{number:05d}.npz"

    def add(self, number: int, decisions: Decisions) -> None:
        """Write a round, whole or not at all, and forget the oldest.

        The file of the round that was forgotten last stays: a run that is killed before its next checkpoint
        goes on from the one before, which still wants it.
        """
        arrays: dict[str, Any] = {name: decisions[name] for name in FIELDS}
        for left_over in self.folder.glob(".partial-*"):  # of a run that was killed while it wrote one
            left_over.unlink()
        with new_file(self.path(number)) as partial:
            np.savez_compressed(partial, **arrays)  # a tenth of the size
        self.parts[number] = decisions
        self.parts = {key: part for key, part in self.parts.items() if key > number - self.rounds}
        for old in self.folder.glob("round_*.npz"):
            if _round_of(old) < number - self.rounds:
                old.unlink()

    def read(self, number: int) -> Decisions | None:
        """A round that is on the disk, or None."""
        if not self.path(number).is_file():
            return None
        with np.load(self.path(number), allow_pickle=False) as arrays:
            return {name: arrays[name] for name in FIELDS}

    def load(self, up_to: int) -> None:
        """Read the rounds that are still wanted after round `up_to`.

        The next one, if a killed run finished it, stays on the disk; files of later ones are removed.
        """
        self.parts.clear()
        for file in sorted(self.folder.glob("round_*.npz")):
            number = _round_of(file)
            decisions = self.read(number) if up_to - self.rounds < number <= up_to else None
            if decisions is not None:
                self.parts[number] = decisions
            elif number > up_to + 1:
                file.unlink()

    def __len__(self) -> int:
        return sum(len(part["chosen"]) for part in self.parts.values())

    def batches(self, size: int, steps: int, generator: np.random.Generator) -> Iterator[Decisions]:
        """`steps` batches drawn evenly over all rounds kept."""
        parts = list(self.parts.values())
        ends = np.cumsum([len(part["chosen"]) for part in parts])
        for _ in range(steps):
            rows = generator.integers(0, ends[-1], size)
            owners = np.searchsorted(ends, rows, side="right")
            batch = {name: np.empty((size, *kind.shape[1:]), kind.dtype) for name, kind in parts[0].items()}
            # Gathered round by round: joining the rounds would copy the whole replay.
            for owner in np.unique(owners):
                mine = owners == owner
                begin = ends[owner] - len(parts[owner]["chosen"])
                for name, array in batch.items():
                    array[mine] = parts[owner][name][rows[mine] - begin]
            yield batch


def _round_of(file: Path) -> int:
    return int(file.stem.split("_")[1])


def _huber(errors: Tensor) -> Tensor:
    """The mean Huber loss of errors in tens of points."""
    return functional.huber_loss(errors, torch.zeros_like(errors), delta=2.0)


def losses(
    network: AfterstateNetwork, batch: Decisions, settings: TrainingSettings, seed: int
) -> dict[str, Tensor]:
    """The losses of a batch: `value`, `relative`, `policy`, `heads`, and their weighted sum `total`."""
    counts = network.tensor(batch["counts"])
    size, most = batch["values"].shape
    filled = torch.arange(most, device=counts.device)[None, :] < counts[:, None]  # (B, 8)
    flat = filled.flatten().cpu().numpy()
    states = np.ascontiguousarray(batch["states"].reshape(size * most, -1)[flat])
    # The placements of a decision are renamed alike: what is learned is how they differ in the same game.
    starts = np.concatenate([[0], np.cumsum(batch["counts"], dtype=np.int64)])
    judged = network.judge(states, starts, seed if settings.augment else None)
    outputs = judged.new_zeros(size * most, 5)
    outputs = outputs.masked_scatter(filled.flatten()[:, None], judged).view(size, most, 5)

    chosen = network.tensor(batch["chosen"])
    played = functional.one_hot(chosen, most).bool()
    outcomes = network.tensor(batch["outcomes"])
    values = network.tensor(batch["values"])
    mixed = (1 - settings.outcome_share) * values + settings.outcome_share * outcomes[:, :1]
    targets = torch.where(played, mixed, values)
    value = _huber((outputs[..., VALUE] - targets)[filled] / POINTS)
    beyond_search = (outputs[..., VALUE] - values) / POINTS
    shared = (beyond_search * filled).sum(1, keepdim=True) / counts[:, None]
    relative = _huber((beyond_search - shared)[filled])

    logits = outputs[..., PREFERENCE].masked_fill(~filled, -1e9)
    policy = network.tensor(batch["policy"])
    policy_loss = -(policy * functional.log_softmax(logits, dim=1)).masked_fill(~filled, 0.0).sum(1).mean()

    seen = outputs[torch.arange(size, device=chosen.device), chosen]
    heads = (
        functional.binary_cross_entropy_with_logits(seen[:, FOUL], outcomes[:, 1])
        + functional.binary_cross_entropy_with_logits(seen[:, FANTASYLAND], outcomes[:, 2])
        + ((seen[:, ROYALTIES] - outcomes[:, 3]) / POINTS).square().mean()
    )
    total = (
        value
        + settings.relative_weight * relative
        + settings.policy_weight * policy_loss
        + settings.heads_weight * heads
    )
    return {"value": value, "relative": relative, "policy": policy_loss, "heads": heads, "total": total}


def train(
    network: AfterstateNetwork,
    optimizer: torch.optim.Optimizer,
    replay: Replay,
    steps: int,
    settings: TrainingSettings,
    generator: np.random.Generator,
    on_step: Callable[[], object] | None = None,
    lessons: Lessons | None = None,
) -> dict[str, float]:
    """Take `steps` optimiser steps; returns the mean losses.

    Args:
        on_step: called after every step, to look after other work meanwhile.
        lessons: labels of the referee, taught beside.
    """
    network.train()
    sums: dict[str, float] = {}
    for batch in replay.batches(settings.batch, steps, generator):
        parts = losses(network, batch, settings, int(generator.integers(1 << 62)))
        if lessons is not None:
            parts["labels"] = label_losses(
                network,
                lessons.draw(settings.label_batch, generator),
                settings.relative_weight,
                settings.policy_weight,
                int(generator.integers(1 << 62)) if settings.augment else None,
            )
            parts["total"] = parts["total"] + settings.label_weight * parts["labels"]
        optimizer.zero_grad(set_to_none=True)
        parts["total"].backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 5.0)
        optimizer.step()
        for name, part in parts.items():
            sums[name] = sums.get(name, 0.0) + part.item()
        if on_step:
            on_step()
    network.eval()
    return {name: total / steps for name, total in sums.items()}


def train_falling(
    network: AfterstateNetwork,
    replay: Replay,
    steps: int,
    settings: TrainingSettings,
    generator: np.random.Generator,
    lessons: Lessons | None = None,
) -> Iterator[tuple[int, dict[str, float]]]:
    """Take `steps` optimiser steps with a learning rate that falls to a tenth in their last 40 %.

    Yields the steps so far and the mean losses of the latest ones, some 50 at a time.
    """
    optimizer = make_optimizer(network, settings.weight_decay)
    begin = 0
    while begin < steps:
        count = min(50, steps - begin)
        rate = settings.learning_rate * min(1.0, max(0.1, (steps - begin) / (0.4 * steps)))
        for group in optimizer.param_groups:
            group["lr"] = rate
        found = train(network, optimizer, replay, count, settings, generator, lessons=lessons)
        begin += count
        yield begin, found
