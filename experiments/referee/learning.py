"""Teaching a network what the referee found: values and a policy over every placement of a decision."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from agents.networks.afterstate import PREFERENCE, VALUE, AfterstateNetwork
from experiments.cloning.training import POINTS, log_chances
from experiments.referee.labels import Labels, read_labels
from ofc_env import InformationSet, Rules

DOUBT = 0.5  # points, beside a label's own error: what its judge cannot know either
TEMPERATURE = 1.0  # points: the policy that is taught is a softmax of the labels' values


class Lessons:
    """The labels of one or several measurements.

    Args:
        files: `decisions.jsonl` of experiments/regret.py each.
        rules: that the network is trained by; labels of others are refused with a sentence.
    """

    def __init__(self, files: Sequence[Path], rules: Rules) -> None:
        self.sets: list[Labels] = []
        for file in files:
            labels = read_labels(file)
            played_by = InformationSet.parse(labels.informations[0]).rules
            if not played_by.same_hand(rules):
                raise ValueError(
                    f"the labels of {file} are by the rules {played_by.name!r}, and the network is for "
                    f"{rules.name!r}: judge decisions of those with experiments/regret.py --rules"
                )
            self.sets.append(labels)
        self.ends = np.cumsum([len(labels.informations) for labels in self.sets])

    def __len__(self) -> int:
        return int(self.ends[-1])

    def draw(self, size: int, generator: np.random.Generator) -> Labels:
        """So many decisions, drawn evenly."""
        numbers = generator.integers(0, len(self), size)
        owners = np.searchsorted(self.ends, numbers, side="right")
        parts = []
        for owner, number in zip(owners.tolist(), numbers.tolist(), strict=True):
            labels = self.sets[owner]
            first = number - (int(self.ends[owner]) - len(labels.informations))
            parts.append((labels, slice(int(labels.offsets[first]), int(labels.offsets[first + 1]))))

        offsets = np.cumsum([0, *(piece.stop - piece.start for _, piece in parts)])
        return Labels(
            np.concatenate([labels.states[piece] for labels, piece in parts]),
            np.concatenate([labels.values[piece] for labels, piece in parts]),
            np.concatenate([labels.errors[piece] for labels, piece in parts]),
            np.concatenate([labels.worlds[piece] for labels, piece in parts]),
            np.concatenate([labels.priors[piece] for labels, piece in parts]),
            offsets,
            [],
        )


def label_losses(
    network: AfterstateNetwork, labels: Labels, relative_weight: float, policy_weight: float, seed: int | None
) -> Tensor:
    """The loss of some decisions: values, differences between placements, policy.

    Placements count by what is known of them: those that left the race early have wide errors.
    """
    heads = network.judge(labels.states, labels.offsets, seed)
    starts, values = network.tensor(labels.offsets), network.tensor(labels.values)
    owners, decisions = torch.repeat_interleave(starts.diff()), len(starts) - 1
    weights = 1 / (network.tensor(labels.errors).square() + DOUBT**2)
    weights = weights / weights.new_zeros(decisions).index_add(0, owners, weights)[owners]  # 1 a decision
    beyond = (heads[:, VALUE] - values) / POINTS
    shared = beyond.new_zeros(decisions).index_add(0, owners, weights * beyond)
    apart = beyond - shared[owners]
    relative = (
        weights * functional.huber_loss(apart, torch.zeros_like(apart), reduction="none", delta=2.0)
    ).sum()
    wanted = log_chances(values / TEMPERATURE, starts).exp()
    policy = -(wanted * log_chances(heads[:, PREFERENCE], starts)).sum()
    value = functional.huber_loss(shared, torch.zeros_like(shared), reduction="sum", delta=2.0)
    total: Tensor = (value + relative_weight * relative + policy_weight * policy) / decisions
    return total
