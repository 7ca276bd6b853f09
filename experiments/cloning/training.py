"""Training the two networks of a clone: early stopping, and a state on disk after every epoch."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from agents.arena.progress import Progress as ProgressBar
from agents.networks.observation import PolicyNetwork, ValueNetwork
from experiments.cloning.data import NO_ACTION, Batch, Split, TrainingSet, batches
from ofc_env.files import new_file


@dataclass(frozen=True)
class FitConfig:
    """How long and how hard to train."""

    learning_rate: float = 2e-3  # of AdamW at the start; it falls evenly to 0 over all epochs
    weight_decay: float = 1e-4
    batch_size: int = 256  # rows
    epochs: int = 10  # at most
    patience: int = 4  # epochs without a better validation loss before it stops
    augment: bool = True  # rename suits and jokers at random
    seed: int = 0


def policy_loss(network: PolicyNetwork, batch: Batch) -> Tensor:
    """Cross entropy of the slot that was played, on logits; the mean over the batch."""
    return nn.functional.cross_entropy(network(batch.states, batch.masks), batch.actions)


def value_loss(network: ValueNetwork, batch: Batch) -> Tensor:
    """Squared error of the royalties (in tens of points) and cross entropies of foul and fantasyland.

    The fourth head, the value of the hand, learns in self-play and has no part in it. A network by slot also
    learns which slots are played, since it takes means over them; that part is left out of evaluations.
    """
    heads, logits = network.raw_with_logits(batch.states)
    royalties = nn.functional.mse_loss(heads.royalty_ev / 10, batch.royalties / 10)
    bust = nn.functional.binary_cross_entropy_with_logits(heads.bust_prob, batch.busted)
    fantasyland = nn.functional.binary_cross_entropy_with_logits(heads.fl_prob, batch.fl_entry)
    loss = royalties + bust + fantasyland
    if logits is not None and network.training:
        played = (batch.actions != NO_ACTION).sum().clamp(min=1)
        loss = loss + nn.functional.cross_entropy(logits, batch.actions, reduction="sum") / played
    return loss


@dataclass
class Progress:
    """Where the training of one network stands."""

    epoch: int = 0  # epochs done
    best_loss: float = float("inf")
    best_epoch: int = 0
    curve: list[dict[str, float]] = field(default_factory=list)


class Fit:
    """Trains one network and keeps the weights that validate best.

    A state is written after every epoch, and every epoch draws its random numbers from the seed and its own
    number, so a run that was killed and resumed ends with the very weights of one that was not.
    """

    def __init__(
        self,
        network: PolicyNetwork | ValueNetwork,
        loss: Callable[[Any, Batch], Tensor],
        config: FitConfig,
        state_path: Path | None = None,
    ) -> None:
        self.network = network
        self.loss = loss
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
        data: TrainingSet,
        split: Split,
        on_epoch: Callable[[dict[str, float]], None] | None = None,
        show: bool = True,
    ) -> None:
        """Train to the end; the network then has its best weights and is in evaluation mode."""
        with ProgressBar(
            self.network.kind, self.config.epochs, self.progress.epoch, unit="epochs", shown=show
        ) as bar:
            while not self.finished:
                entry = self._epoch(data, split)
                bar.note = f"loss {entry['train']:.4f}, in validation {entry['validation']:.4f}"
                bar.advance()
                if on_epoch:
                    on_epoch(entry)
        self.network.load_state_dict(self.best)
        self.network.eval()

    def _epoch(self, data: TrainingSet, split: Split) -> dict[str, float]:
        config, progress = self.config, self.progress
        rng = np.random.default_rng((config.seed, progress.epoch))
        torch.manual_seed(int(rng.integers(1 << 62)))  # for dropout
        self.network.train()
        losses: list[tuple[float, int]] = []
        after = isinstance(self.network, ValueNetwork)
        steps = -(-len(split.train) // config.batch_size)
        for step, batch in enumerate(
            batches(data, split.train, config.batch_size, rng, config.augment, after)
        ):
            done = (progress.epoch + step / steps) / config.epochs
            for group in self.optimizer.param_groups:
                group["lr"] = config.learning_rate * (1 - done)
            loss = self.loss(self.network, batch)
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            self.optimizer.step()
            losses.append((loss.item(), len(batch.actions)))
        progress.epoch += 1
        entry = {
            "epoch": float(progress.epoch),
            "train": _mean(losses),
            "validation": self.mean_loss(data, split.validation),
            "learning_rate": self.optimizer.param_groups[0]["lr"],
        }
        progress.curve.append(entry)
        if entry["validation"] < progress.best_loss:
            progress.best_loss, progress.best_epoch = entry["validation"], progress.epoch
            self.best = copy.deepcopy(self.network.state_dict())
        self.save()
        return entry

    @torch.inference_mode()
    def mean_loss(self, data: TrainingSet, rows: np.ndarray[Any, Any]) -> float:
        """The loss over some rows, without dropout."""
        self.network.eval()
        return _mean(
            [
                (self.loss(self.network, batch).item(), len(batch.actions))
                for batch in batches(data, rows, 2048)
            ]
        )

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
            state = torch.load(self.state_path, weights_only=True)  # numbers only: nothing in it is run
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
    return sum(loss * rows for loss, rows in losses) / max(1, sum(rows for _, rows in losses))
