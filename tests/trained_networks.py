"""Small networks for tests: ones that know nothing, one that learned for two seconds, one of known answer."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

import numpy as np
import torch

from agents.arena.workers import one_torch_thread
from agents.networks.afterstate import PREFERENCE, VALUE, AfterstateNetwork
from experiments.selfplay.training import Replay, TrainingSettings, train
from ofc_env import _core


def random_network(
    seed: int = 0, hidden: int = 64, second: int = 32, *, staged: bool = False
) -> AfterstateNetwork:
    """Weights as they are before training, but for those of chips, which are as large as the others."""
    torch.manual_seed(seed)
    network = AfterstateNetwork(hidden, second, staged=staged).eval()
    torch.nn.init.normal_(network.first.weight[:, -_core.NETWORK_CHIP_FEATURES :], std=0.2)
    return network


def constant_network(value: float) -> AfterstateNetwork:
    """Answers the same value, in points, to every state."""
    network = random_network()
    with torch.no_grad():
        for head in (VALUE, PREFERENCE):
            network.heads.weight[head] = 0.0
            network.heads.bias[head] = value if head == VALUE else 0.0
    return network


@functools.cache
def trained_network() -> AfterstateNetwork:
    """Learned from 200 hands that heuristic rollouts judged: better than nothing, and quick to make."""
    network = random_network(1)
    decisions = _core.self_play(None, 200, 5, simulations=16, by_rollouts=True)
    with tempfile.TemporaryDirectory() as folder, one_torch_thread():
        replay = Replay(Path(folder), 1)
        replay.add(0, decisions)
        optimizer = torch.optim.AdamW(network.parameters(), lr=3e-3)
        train(network, optimizer, replay, 120, TrainingSettings(batch=256), np.random.default_rng(0))
    return network
