"""Rows of `make bench` for the game itself: playouts, batches, PettingZoo, sessions, start and size."""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ofc_env
from experiments.benches.table import Bench, SkippedError, row

# ---------------------------------------------------------------- the game


@row("playouts", "random playouts, whole two-player hands scored", 1_000_000, "hands/s")
def bench_playouts(bench: Bench) -> float:
    """Native loop: shuffle, deal, 10 random placements, score."""
    seeds = iter(range(1_000_000_000))

    def work() -> int:
        ofc_env.random_playouts(20_000, next(seeds))
        return 20_000

    return bench.rate(work)


def _recorded_play(tables: int, steps: int) -> tuple[ofc_env.BatchEnv, NDArray[np.int64]]:
    """Random legal play written down, (steps, tables): when it is replayed, only the environment is timed."""
    batch = ofc_env.BatchEnv(tables, seed=1)
    actions = np.empty((steps, tables), dtype=np.int64)
    for step in range(steps):
        actions[step] = batch.random_actions()
        batch.step(actions[step])
    return batch, actions


@row(
    "batch",
    "BatchEnv, 1024 tables, observations and masks written, recorded actions",
    1_500_000,
    "decisions/s",
)
def bench_batch(bench: Bench) -> float:
    """`step` alone: play, score, deal again, write 490 numbers and a mask a table; no choosing of actions."""
    batch, actions = _recorded_play(1024, 400)

    def work() -> int:
        batch.reset(seed=1)
        for slots in actions:
            batch.step(slots)
        return int(actions.size)

    return bench.rate(work)


@row("sessions", "random sessions through Session, fantasyland set by the solver", 200, "sessions/s")
def bench_sessions(bench: Bench) -> float:
    """Whole sessions; a slot is drawn from the legal ones, in Python, at each decision."""
    seeds = iter(range(1_000_000_000))
    draw = random.Random(1).random

    def work() -> int:
        session = ofc_env.Session(seed=next(seeds))
        while not session.finished:
            legal = session.hand.legal_actions()
            session.step(legal[int(draw() * len(legal))])
        return 1

    return bench.rate(work)


# ---------------------------------------------------------------- PettingZoo


def _random_play(environment: Any) -> Callable[[], int]:
    """One episode by the usual loop, actions drawn evenly from the mask; counts every `step` call."""
    draw = random.Random(1).random

    def work() -> int:
        steps = 0
        environment.reset()
        for _ in environment.agent_iter():
            observation, _reward, termination, truncation, _info = environment.last()
            if termination or truncation:
                action = None
            else:
                legal = observation["action_mask"].nonzero()[0]
                action = int(legal[int(draw() * len(legal))])
            environment.step(action)
            steps += 1
        return steps

    return work


def _poker() -> Any:
    try:
        from pettingzoo.classic import texas_holdem_v4
    except ImportError as missing:
        raise SkippedError(f"needs the bench extra: pip install 'ofc-env[bench]' ({missing})") from missing
    return texas_holdem_v4


def _against_poker(bench: Bench, ours: Any, poker: Any) -> float:
    own_rate, poker_rate = bench.rates_in_turn(_random_play(ours), _random_play(poker))
    bench.note = f"{own_rate:,.0f} against {poker_rate:,.0f} steps/s"
    return own_rate / poker_rate


@row("raw_env", "raw_env random play against texas_holdem_v4.raw_env, same loop", 6, "times")
def bench_raw_env(bench: Bench) -> float:
    """`agent_iter`, `last`, a draw from the mask, `step`; both in alternating slices of one run."""
    return _against_poker(bench, ofc_env.raw_env(), _poker().raw_env())


@row("env", "env() random play against texas_holdem_v4.env(), same loop", 4, "times")
def bench_env(bench: Bench) -> float:
    """The same with each one's checks around it."""
    return _against_poker(bench, ofc_env.env(), _poker().env())


# ---------------------------------------------------------------- start and size

_IMPORT_SCRIPT = (
    "import sys, time; start = time.perf_counter(); import ofc_env; seconds = time.perf_counter() - start;"
    "sys.exit('torch was imported') if 'torch' in sys.modules else print(seconds)"
)


@row("import", "import ofc_env in a fresh process, without torch (median of 7)", 0.3, "s", most=True)
def bench_import(bench: Bench) -> float:
    """Fails if torch comes along."""
    times = []
    for _ in range(7):
        run = subprocess.run(
            [sys.executable, "-c", _IMPORT_SCRIPT], capture_output=True, text=True, check=True
        )
        times.append(float(run.stdout))
    bench.note = f"{min(times):.2f} to {max(times):.2f} s"
    bench.record_spread(sorted(times)[1:-1])
    return statistics.median(times)


@row("tables", "lookup tables, ready at import", 16, "MB", most=True)
def bench_tables(bench: Bench) -> float:
    """Bytes held by the native core's tables."""
    from ofc_env import _core

    return _core.table_bytes() / 1e6
