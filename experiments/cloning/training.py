"""Training a clone: losses, early stopping, and a state on disk after every epoch."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from agents.arena.progress import Progress as ProgressBar
from agents.networks.afterstate import FANTASYLAND, FOUL, PREFERENCE, ROYALTIES, VALUE, AfterstateNetwork
from experiments.cloning.data import Batch, Split, Turns, batches
from ofc_env.files import new_file

POINTS = 10.0  # losses of points are taken in tens, so that all heads pull alike
DOUBT = 1.0  # points: how sharply the value is taught to prefer what was played


@dataclass(frozen=True)
class FitConfig:
    """How long and how hard to train."""

    learning_rate: float = 2e-3  # of AdamW at the start; it falls evenly to 0 over all epochs
    weight_decay: float = 1e-4
    batch_size: int = 256  # turns
    epochs: int = 10  # at most
    patience: int = 4  # epochs without a better validation loss before it stops
    augment: bool = True  # rename suits and jokers at random
    seed: int = 0


def log_chances(preferences: Tensor, starts: Tensor) -> Tensor:
    """The logarithms of the chances of placements, (P,): a softmax over those of each turn.

    Args:
        preferences: (P,).
        starts: (B + 1,) where those of each turn begin.
    """
    turns, owners = len(starts) - 1, torch.repeat_interleave(starts.diff())
    highest = preferences.new_full((turns,), -torch.inf)
    highest = highest.scatter_reduce(0, owners, preferences.detach(), "amax")
    above = preferences - highest[owners]
    total = preferences.new_zeros(turns).index_add(0, owners, above.exp())
    return above - total.log()[owners]


def clone_losses(network: AfterstateNetwork, batch: Batch) -> dict[str, Tensor]:
    """`policy` (cross entropy of the placement played among all of its turn), `ranking`, `value` and `heads`.

    Value, fouls, fantasyland and royalties are learned from how the hand ended, of the placement played. Of
    those that were not, results tell nothing: the ranking asks of the value what the policy asks of the
    preference, so that a search on the clone begins with the player's own order.
    """
    heads = network.judge(batch.states, batch.starts, batch.seed)
    batch = batch.to(heads.device)
    starts = network.tensor(batch.starts)
    chances = log_chances(heads[:, PREFERENCE], starts)
    ranks = log_chances(heads[:, VALUE] / DOUBT, starts)
    seen, known = heads[batch.played], torch.isfinite(batch.values)
    errors = ((seen[:, VALUE] - batch.values) / POINTS)[known]
    return {
        "policy": -chances[batch.played].mean(),
        "ranking": -ranks[batch.played].mean(),
        "value": functional.huber_loss(errors, torch.zeros_like(errors), delta=2.0, reduction="sum")
        / max(1, len(errors)),
        "heads": functional.binary_cross_entropy_with_logits(seen[:, FOUL], batch.busted)
        + functional.binary_cross_entropy_with_logits(seen[:, FANTASYLAND], batch.fl_entry)
        + ((seen[:, ROYALTIES] - batch.royalties) / POINTS).square().mean(),
    }


def clone_loss(network: AfterstateNetwork, batch: Batch) -> Tensor:
    """What is minimised: the sum of the losses."""
    return torch.stack(list(clone_losses(network, batch).values())).sum()


@dataclass
class Progress:
    """Where the training stands."""

    epoch: int = 0  # epochs done
    best_loss: float = float("inf")
    best_epoch: int = 0
    curve: list[dict[str, float]] = field(default_factory=list)


class Fit:
    """Trains a network and keeps the weights that validate best.

    A state is written after every epoch, and every epoch draws its random numbers from the seed and its own
    number, so a run that was killed and resumed ends with the very weights of one that was not.
    """

    def __init__(
        self,
        network: AfterstateNetwork,
        config: FitConfig,
        state_path: Path | None = None,
    ) -> None:
        self.network = network
        self.config = config
        self.state_path = state_path
        self.progress = Progress()
        self.best = copy.deepcopy(network.state_dict())
        self.optimizer = torch.optim.AdamW(
            network.parameters(), lr=config.learning_rate, weight_decay=config.weight_decay
        )

    @property
    def finished(self) -> bool:
        """Whether another epoch would be in vain."""
        waited = self.progress.epoch - self.progress.best_epoch
        return self.progress.epoch >= self.config.epochs or waited >= self.config.patience

    def run(
        self,
        turns: Turns,
        split: Split,
        on_epoch: Callable[[dict[str, float]], None] | None = None,
        show: bool = True,
    ) -> None:
        """Train to the end; the network then has its best weights and is in evaluation mode."""
        with ProgressBar("clone", self.config.epochs, self.progress.epoch, unit="epochs", shown=show) as bar:
            while not self.finished:
                entry = self._epoch(turns, split)
                bar.note = f"loss {entry['train']:.4f}, in validation {entry['validation']:.4f}"
                bar.advance()
                if on_epoch:
                    on_epoch(entry)
        self.network.load_state_dict(self.best)
        self.network.eval()

    def _epoch(self, turns: Turns, split: Split) -> dict[str, float]:
        config, progress = self.config, self.progress
        rng = np.random.default_rng((config.seed, progress.epoch))
        self.network.train()
        losses: list[tuple[float, int]] = []
        steps = -(-len(split.train) // config.batch_size)
        for step, batch in enumerate(batches(turns, split.train, config.batch_size, rng, config.augment)):
            done = (progress.epoch + step / steps) / config.epochs
            for group in self.optimizer.param_groups:
                group["lr"] = config.learning_rate * (1 - done)
            loss = clone_loss(self.network, batch)
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            self.optimizer.step()
            losses.append((loss.item(), len(batch.played)))
        progress.epoch += 1
        entry = {
            "epoch": float(progress.epoch),
            "train": _mean(losses),
            "validation": self.mean_loss(turns, split.validation),
            "learning_rate": self.optimizer.param_groups[0]["lr"],
        }
        progress.curve.append(entry)
        if entry["validation"] < progress.best_loss:
            progress.best_loss, progress.best_epoch = entry["validation"], progress.epoch
            self.best = copy.deepcopy(self.network.state_dict())
        self.save()
        return entry

    @torch.inference_mode()
    def mean_loss(self, turns: Turns, numbers: np.ndarray[Any, Any]) -> float:
        """The loss over some turns."""
        self.network.eval()
        losses = [
            (clone_loss(self.network, batch).item(), len(batch.played))
            for batch in batches(turns, numbers, 512)
        ]
        return _mean(losses)

    def save(self) -> None:
        """Write the state, if it has a place."""
        if self.state_path is None:
            return
        state = {
            "network": self.network.state_dict(),
            "best": self.best,
            "optimizer": self.optimizer.state_dict(),
            "progress": vars(self.progress),
        }
        with new_file(self.state_path) as partial, partial.open("wb") as file:
            torch.save(state, file)

    def resume(self) -> bool:
        """Go on from the state on disk; False if there is none."""
        if self.state_path is None or not self.state_path.exists():
            return False
        try:
            # Numbers only: nothing in it is run. Where they go is for the network to say.
            state = torch.load(self.state_path, map_location="cpu", weights_only=True)
            self.network.load_state_dict(state["network"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.best = state["best"]
            self.progress = Progress(**state["progress"])
        except Exception as error:
            raise ValueError(
                f"{self.state_path} does not fit this run ({error}): resume with the options it was started "
                "with, or delete it"
            ) from None
        return True


def _mean(losses: list[tuple[float, int]]) -> float:
    return sum(loss * turns for loss, turns in losses) / max(1, sum(turns for _, turns in losses))
