"""Self-play as Ray actors, on one machine or on a cluster: the second kind of `experiments.selfplay.workers`.

Plain actors that are given tasks one by one. A dead actor is replaced by a new one and its unfinished tasks
are handed out again; nothing else is lost.
"""

from __future__ import annotations

import contextlib
import os
from collections import Counter, deque
from collections.abc import Sequence
from typing import Any

from agents.arena.workers import WorkerError
from experiments.selfplay.workers import MOST_FAILURES, Decisions, Job, Shared, Task, Workers, play

TASKS_AHEAD = 2  # given to an actor at a time, so that it never waits for the next one


class RayWorkers(Workers):
    """Ray actors on this machine or on a cluster; weights travel once a node, through Ray's object store.

    Args:
        processes: number of actors, a core each.
        address: `"local"` starts Ray on this machine; otherwise the address of a cluster, or `"auto"`.
    """

    def __init__(self, processes: int, address: str) -> None:
        try:
            import ray
        except ImportError:
            raise ValueError(
                "Ray is not installed: pip install 'ofc-env[ray]', or leave --ray out to use processes"
            ) from None
        self.ray: Any = ray
        self.started_ray = not ray.is_initialized()
        if self.started_ray:
            self._connect(processes, address)
        self.actor_class: Any = ray.remote(num_cpus=1)(_Actor)
        self.queue: deque[tuple[RayJob, int]] = deque()
        self.playing: dict[Any, tuple[Any, RayJob, int]] = {}  # result to come -> actor, job, task
        self.failures = 0  # in a row
        self.actors: list[Any] = [self.actor_class.remote() for _ in range(processes)]

    def _connect(self, processes: int, address: str) -> None:
        # Workers import this package as it is installed; Ray's own copy of the folder would be megabytes.
        settings: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
        if address == "local":
            settings |= {"num_cpus": processes, "include_dashboard": False}
        try:
            self.ray.init(address=address, **settings)
        except (ConnectionError, RuntimeError) as error:
            reason = (str(error).splitlines() or ["no answer"])[0]
            raise ValueError(
                f"no Ray cluster answers at {address!r} ({reason}): start one, or use --ray local"
            ) from None

    def start(self, tasks: Sequence[Task], shared: Shared) -> Job:
        """Queue the tasks; the weights are in the object store when this returns."""
        job = RayJob(self, tasks, shared)
        self.queue.extend((job, index) for index in range(len(job.tasks)))
        self.collect(0.0)
        return job

    def collect(self, seconds: float) -> None:
        """Take results, replace dead actors, hand out tasks."""
        self._hand_out()
        if not self.playing:
            return
        ready, _ = self.ray.wait(list(self.playing), num_returns=1, timeout=seconds)
        if ready:  # and whatever else is there
            ready, _ = self.ray.wait(list(self.playing), num_returns=len(self.playing), timeout=0)
        for reference in ready:
            actor, job, index = self.playing.pop(reference)
            try:
                job.finished[index] = self.ray.get(reference)
                self.failures = 0
            except self.ray.exceptions.RayActorError:
                self.queue.appendleft((job, index))
                self._replace(actor)
            except self.ray.exceptions.RayTaskError as error:
                reason = (str(error.cause).splitlines() or ["no reason given"])[0]
                raise WorkerError(f"a Ray worker failed: {reason}") from error
        self._hand_out()

    def _hand_out(self) -> None:
        held = Counter(id(actor) for actor, _, _ in self.playing.values())
        for _ in range(TASKS_AHEAD):
            for actor in self.actors:
                if self.queue and held[id(actor)] < TASKS_AHEAD:
                    job, index = self.queue.popleft()
                    self.playing[actor.play.remote(job.tasks[index], job.reference)] = (actor, job, index)
                    held[id(actor)] += 1

    def _replace(self, actor: Any) -> None:
        if actor not in self.actors:  # its other task has told already
            return
        self.failures += 1
        if self.failures > MOST_FAILURES * len(self.actors):
            raise WorkerError(
                f"Ray workers died {self.failures} times in a row: install this package on every node"
            )
        self.actors[self.actors.index(actor)] = self.actor_class.remote()

    def close(self) -> None:
        """Stop the actors, and Ray if it was started here."""
        for actor in self.actors:
            with contextlib.suppress(Exception):  # it may be dead already
                self.ray.kill(actor)
        self.actors, self.playing = [], {}
        self.queue.clear()
        if self.started_ray:
            self.ray.shutdown()


class _Actor:
    """What runs on a cluster."""

    def play(self, task: Task, shared: Shared) -> Decisions:
        """Play a task."""
        return play(task, shared)

    def process_id(self) -> int:
        """Of this worker, for those who watch it."""
        return os.getpid()


class RayJob(Job):
    """Tasks in the queue of a set of actors."""

    def __init__(self, workers: RayWorkers, tasks: Sequence[Task], shared: Shared) -> None:
        super().__init__(tasks, shared)
        self.workers = workers
        self.reference = workers.ray.put(shared)

    def poll(self, seconds: float = 0.0) -> None:
        """See `Job.poll`. A dead actor costs the hands it had not finished, and no others."""
        self.workers.collect(seconds)
