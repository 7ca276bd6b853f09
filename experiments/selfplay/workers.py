"""Self-play spread over processes, or over Ray actors (`ray_workers`): the same hands either way.

    with make_workers(2) as workers:
        job = workers.start(tasks, Shared(weights_of(network)))    # returns at once
        decisions = joined(job.results())                          # in the order of the tasks

What a task returns follows from the task and `Shared` alone. The number of workers, the order in which they
finish, and workers that die and are replaced therefore change nothing. Workers get the weights as arrays and
play natively; torch is for the learner.
"""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
import signal
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.arena.workers import THREAD_SETTINGS, WorkerError
from ofc_env import Hand, _core

Weights = tuple[Any, ...]  # float32 arrays: weight and bias of each layer, in order
Decisions = dict[str, NDArray[Any]]

MOST_FAILURES = 3  # replacements in a row without a finished task, before a job is given up


@dataclass(frozen=True)
class Shared:
    """What all tasks of a job need."""

    weights: Weights | None = None  # of the network that plays; None where rollouts judge
    starts: tuple[Hand, ...] = ()  # positions that some of the hands begin from


@dataclass(frozen=True)
class Task:
    """Hands for one worker."""

    hands: int
    seed: int
    options: Mapping[str, Any] = field(default_factory=dict)  # of `_core.self_play`


def weights_of(network: Any) -> Weights:
    """Copies of a torch network's weights, which further training leaves alone."""
    return tuple(np.array(part.detach().cpu().numpy(), dtype=np.float32) for part in network.parameters())


def split(hands: int, chunk: int, seeds: Callable[[int], int], options: Mapping[str, Any]) -> list[Task]:
    """Hands in chunks; chunk `i` has the seed `seeds(i)`, whoever plays it."""
    if hands < 1 or chunk < 1:
        raise ValueError(f"cannot play {hands} hands in chunks of {chunk}: both must be 1 or more")
    return [
        Task(min(chunk, hands - first), seeds(number), options)
        for number, first in enumerate(range(0, hands, chunk))
    ]


def joined(parts: Sequence[Decisions]) -> Decisions:
    """The decisions of several tasks as one, in order."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def play(task: Task, shared: Shared) -> Decisions:
    """Play the hands of a task; fields and shapes as `_core.self_play` says."""
    network = None
    if shared.weights is not None:  # copied where they lie in memory that may only be read
        first, bias, second, second_bias, heads, heads_bias = (
            np.require(part, np.float32, ["C", "W"]) for part in shared.weights
        )
        rules = task.options.get("rules")
        network = _core.Network(first, bias, second, second_bias, heads, heads_bias, rules)
    return _core.self_play(network, task.hands, task.seed, starts=shared.starts, **task.options)


# ---------------------------------------------------------------- the interface


class Job(ABC):
    """Tasks that are being played.

    Attributes:
        tasks: in the order of the results.
    """

    def __init__(self, tasks: Sequence[Task], shared: Shared) -> None:
        self.tasks = list(tasks)
        self.shared = shared
        self.finished: dict[int, Decisions] = {}

    @property
    def done(self) -> bool:
        """Whether every task is finished."""
        return len(self.finished) == len(self.tasks)

    @property
    def hands_done(self) -> int:
        """Hands of the tasks that are finished."""
        return sum(self.tasks[index].hands for index in self.finished)

    @abstractmethod
    def poll(self, seconds: float = 0.0) -> None:
        """Take what is finished and replace workers that died; waits at most so long for something to do."""

    def results(self, on_progress: Callable[[], object] | None = None) -> list[Decisions]:
        """Wait for all tasks; `on_progress` is called now and then."""
        while not self.done:
            self.poll(0.2)
            if on_progress:
                on_progress()
        return [self.finished[index] for index in range(len(self.tasks))]


class FinishedJob(Job):
    """Decisions that are there already."""

    def __init__(self, decisions: Decisions) -> None:
        super().__init__([Task(0, 0)], Shared())
        self.finished[0] = decisions

    def poll(self, seconds: float = 0.0) -> None:
        """Nothing to wait for."""


class Workers(ABC):
    """Whoever plays tasks; also a context that closes them at its end."""

    @abstractmethod
    def start(self, tasks: Sequence[Task], shared: Shared) -> Job:
        """Have tasks played, after those of earlier jobs."""

    @abstractmethod
    def close(self) -> None:
        """Stop playing; what is unfinished is dropped."""

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def make_workers(processes: int, ray: str | None = None) -> Workers:
    """Workers of either kind.

    Args:
        processes: how many; 0 plays in this process, when the results are asked for.
        ray: None for processes of this machine; `"local"` for Ray actors on it, or a cluster's address.
    """
    if processes < 0:
        raise ValueError(f"{processes} processes cannot play: use 1 or more, or 0 to play in this one")
    if ray is not None:
        from experiments.selfplay.ray_workers import RayWorkers

        return RayWorkers(max(1, processes), ray)
    return ProcessWorkers(processes) if processes else InlineWorkers()


# ---------------------------------------------------------------- this process


class InlineJob(Job):
    """Played when somebody waits for it."""

    def poll(self, seconds: float = 0.0) -> None:
        """Play the next task, if waiting is allowed."""
        if seconds > 0 and not self.done:
            index = len(self.finished)
            self.finished[index] = play(self.tasks[index], self.shared)


class InlineWorkers(Workers):
    """No workers: for tests and for looking inside with a debugger."""

    def start(self, tasks: Sequence[Task], shared: Shared) -> Job:
        """Note the tasks."""
        return InlineJob(tasks, shared)

    def close(self) -> None:
        """Nothing to stop."""


# ---------------------------------------------------------------- processes


def _prepare_process() -> None:
    """Leave Ctrl-C to the parent, and follow it when it is killed: nobody would ask for the results."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent,), daemon=True).start()


def _follow(parent: Any) -> None:
    parent.join()
    os._exit(1)


class ProcessWorkers(Workers):
    """Processes of this machine, started afresh (not forked), with one thread of arithmetic each."""

    def __init__(self, processes: int) -> None:
        self.processes = processes
        self.failures = 0  # in a row
        for setting in THREAD_SETTINGS:
            os.environ.setdefault(setting, "1")  # the workers inherit it
        self.executor = self._executor()

    def _executor(self) -> ProcessPoolExecutor:
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self.processes, context, initializer=_prepare_process)

    def start(self, tasks: Sequence[Task], shared: Shared) -> Job:
        """Queue the tasks."""
        return ProcessJob(self, tasks, shared)

    def submit(self, task: Task, shared: Shared) -> Future[Decisions]:
        """Queue one task."""
        try:
            return self.executor.submit(play, task, shared)
        except BrokenProcessPool:
            self.replace(self.executor)
            return self.executor.submit(play, task, shared)

    def replace(self, broken: ProcessPoolExecutor) -> None:
        """New processes for those of an executor that lost one."""
        if broken is not self.executor:  # another job was faster
            return
        self.failures += 1
        if self.failures > MOST_FAILURES:
            raise WorkerError(
                f"workers died {self.failures} times in a row and finished nothing: run a file whose main "
                'part is under if __name__ == "__main__", or with --processes 0 to see why'
            )
        broken.shutdown(wait=False, cancel_futures=True)
        self.executor = self._executor()

    def close(self) -> None:
        """Stop the processes, as soon as the tasks in their hands are finished."""
        self.executor.shutdown(wait=True, cancel_futures=True)


class ProcessJob(Job):
    """Tasks in the queue of an executor."""

    def __init__(self, workers: ProcessWorkers, tasks: Sequence[Task], shared: Shared) -> None:
        super().__init__(tasks, shared)
        self.workers = workers
        self.waiting: dict[Future[Decisions], int] = {}
        self._submit(range(len(self.tasks)))

    def _submit(self, indices: Iterable[int]) -> None:
        for index in indices:
            self.waiting[self.workers.submit(self.tasks[index], self.shared)] = index
        self.executor = self.workers.executor

    def poll(self, seconds: float = 0.0) -> None:
        """See `Job.poll`. A dead process takes its executor along: all that is unfinished is played again."""
        done, _ = concurrent.futures.wait(self.waiting, seconds, concurrent.futures.FIRST_COMPLETED)
        broken = False
        for future in done:
            try:
                result = future.result()
            except (BrokenProcessPool, concurrent.futures.CancelledError):
                broken = True
                continue
            self.finished[self.waiting.pop(future)] = result
            self.workers.failures = 0
        if broken:
            self.workers.replace(self.executor)
            unfinished = sorted(self.waiting.values())
            self.waiting.clear()
            self._submit(unfinished)
