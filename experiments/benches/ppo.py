"""Rows of `make bench` for PPO: collecting decisions and learning from them, one thread, 256 tables.

The network is the usual one, 490-512-256 for the policy and again for the value; the note of each row gives
the same figure for the network that is shipped. Opponents play at random, as the cheapest that there are.
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import Any

from experiments.benches.table import Bench, SkippedError, row

_PLAIN: dict[str, Any] = {
    "network": "raw",
    "policy_layers": (512, 256),
    "value_layers": (512, 256),
    "batch_size": 1024,
}


def _learner(network: str) -> tuple[Any, Any]:
    """A learner ready to collect, and a callback that does nothing."""
    try:
        import torch
        from stable_baselines3.common.callbacks import CallbackList
    except ImportError as missing:
        raise SkippedError(f"needs the train extra: pip install 'ofc-env[train]' ({missing})") from missing
    from experiments.masked_ppo.config import PpoConfig
    from experiments.ppo import build_environment, build_model

    torch.set_num_threads(1)
    config = PpoConfig(envs=256, rollout=32, epochs=4)
    if network == "plain":
        config = replace(config, **_PLAIN)
    model = build_model(config, build_environment(config))
    _, callback = model._setup_learn(0, CallbackList([]))
    return model, callback


def _collect(model: Any, callback: Any) -> int:
    model.collect_rollouts(model.env, callback, model.rollout_buffer, model.n_steps)
    return int(model.n_steps * model.n_envs)


@row("ppo_rollout", "PPO rollout, 256 tables, 490-512-256 policy and value, one thread", 15_000, "steps/s")
def bench_rollout(bench: Bench) -> float:
    """Masks, both networks, a draw, the native step with the opponent's moves, the buffer."""
    rates = {}
    for network in ("shipped", "plain"):
        model, callback = _learner(network)
        rates[network] = bench.rate(partial(_collect, model, callback))
    bench.note = f"{rates['shipped']:,.0f} with the shipped network"
    return rates["plain"]


@row("ppo_training", "PPO whole training, the same, 4 epochs in batches of 1,024", 2_500, "steps/s")
def bench_training(bench: Bench) -> float:
    """Rollout and update, at least one whole round of each."""
    rates = {}
    for network in ("shipped", "plain"):
        model, callback = _learner(network)
        steps: list[int] = []
        seconds: list[float] = []
        while sum(seconds) < bench.seconds:
            start = time.perf_counter()
            steps.append(_collect(model, callback))
            model.train()
            seconds.append(time.perf_counter() - start)
        bench.record_spread([done / spent for done, spent in zip(steps, seconds, strict=True)])
        rates[network] = sum(steps) / sum(seconds)
    bench.note = f"{rates['shipped']:,.0f} with the shipped network in batches of 2,048"
    return rates["plain"]
