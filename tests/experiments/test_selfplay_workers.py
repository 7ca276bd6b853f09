"""Self-play by workers: the same hands whoever plays them, also when workers die."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from agents.arena.workers import WorkerError
from experiments.selfplay.workers import (
    Decisions,
    ProcessWorkers,
    Shared,
    Task,
    joined,
    make_workers,
    split,
    weights_of,
)
from tests.processes import children
from tests.self_play import decisions
from tests.trained_networks import random_network

OPTIONS = {"candidates": 3, "simulations": 6, "opening_width": 16}


def tasks(hands: int = 40, chunk: int = 10) -> list[Task]:
    return split(hands, chunk, lambda number: 100 + number, OPTIONS)


def shared() -> Shared:
    starts = tuple(position.hand for position in decisions(1, seed=2) if position.hand.turn == 2)
    return Shared(weights_of(random_network()), starts)


def inline(hands: int = 40, chunk: int = 10) -> Decisions:
    with make_workers(0) as workers:
        return joined(workers.start(tasks(hands, chunk), shared()).results())


def assert_equal(first: Decisions, second: Decisions) -> None:
    assert first.keys() == second.keys()
    for name in first:
        assert np.array_equal(first[name], second[name]), name


def test_hands_are_cut_into_chunks() -> None:
    assert [(task.hands, task.seed) for task in tasks(25)] == [(10, 100), (10, 101), (5, 102)]
    for hands, chunk in ((0, 10), (10, 0)):
        with pytest.raises(ValueError, match="1 or more"):
            tasks(hands, chunk)


def test_weights_are_copies() -> None:
    network = random_network()
    weights = weights_of(network)
    before = [part.copy() for part in weights]
    for parameter in network.parameters():
        parameter.data.add_(1.0)
    assert all((part == old).all() for part, old in zip(weights, before, strict=True))


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="workers are found through /proc")
def test_processes_play_the_same_hands_and_are_replaced() -> None:
    """Two workers, one of them killed in the middle of a job: nothing changes but the time."""
    wanted = inline(400, 10)
    before = children(os.getpid())
    with make_workers(2) as workers:
        assert_equal(joined(workers.start(tasks(40), shared()).results()), inline(40))
        mine = children(os.getpid()) - before
        job = workers.start(tasks(400, 10), shared())
        while not job.finished:
            job.poll(0.05)
        for process in mine:  # the resource tracker of the standard library may be among them
            if b"spawn_main" in Path(f"/proc/{process}/cmdline").read_bytes():
                os.kill(process, signal.SIGKILL)
                break
        assert_equal(joined(job.results()), wanted)
    assert job.hands_done == 400


def test_workers_that_cannot_live_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("experiments.selfplay.workers._prepare_process", _die)
    monkeypatch.setattr("experiments.selfplay.workers.MOST_FAILURES", 0)  # each new process takes a second
    with ProcessWorkers(1) as workers, pytest.raises(WorkerError, match="in a row"):
        workers.start([Task(1, 1, {"by_rollouts": True})], Shared()).results()


def _die() -> None:
    os._exit(3)


def test_an_error_in_a_hand_is_told() -> None:
    for processes in (0, 1):
        with (
            make_workers(processes) as workers,
            pytest.raises(ValueError, match="candidates is 99, outside 1 to 8"),
        ):
            workers.start([Task(1, 1, {"candidates": 99})], shared()).results()


def test_refusals() -> None:
    with pytest.raises(ValueError, match="-1 processes"):
        make_workers(-1)


def test_ray_missing_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ValueError, match="Ray is not installed") as refusal:
        make_workers(2, "local")
    assert "\n" not in str(refusal.value)


# ---------------------------------------------------------------- Ray


RAY_SCRIPT = """
import os, signal
import numpy as np
from experiments.selfplay.workers import joined, make_workers
from tests.experiments.test_selfplay_workers import inline, shared, tasks

wanted = inline(300, 10)
with make_workers(2, "local") as workers:
    job = workers.start(tasks(300, 10), shared())
    while len(job.finished) < 4:
        job.poll(0.2)
    victim = workers.ray.get(workers.actors[0].process_id.remote())
    unfinished = len(job.tasks) - len(job.finished)
    assert unfinished > 10, unfinished
    os.kill(victim, signal.SIGKILL)
    found = joined(job.results())
    replacement = workers.ray.get(workers.actors[0].process_id.remote())
    assert replacement != victim
for name in wanted:
    assert np.array_equal(found[name], wanted[name]), name
print("the same", len(found["chosen"]))
"""


# Seconds in which Ray's own processes must have started: a busy machine takes longer than it grants.
RAY_PATIENCE = {
    f"RAY_{name}": "900"
    for name in (
        "gcs_server_port_wait_time_s",
        "gcs_server_request_timeout_seconds",
        "raylet_start_wait_time_s",
        "worker_register_timeout_seconds",
    )
}


@pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: pip install 'ofc-env[ray]'")
def test_ray_workers_play_the_same_hands_and_are_replaced() -> None:
    """Two local actors, one killed: only its unfinished hands are played again."""
    environment = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0", **RAY_PATIENCE}
    ran = subprocess.run(
        [sys.executable, "-c", RAY_SCRIPT],
        capture_output=True,
        text=True,
        timeout=1800,
        cwd=Path(__file__).parents[2],
        env=environment,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    assert "the same" in ran.stdout
