"""One thread that writes for many: what is asked for while a commit is under way shares the next one.

A commit waits for the disk, so 400 turns a second from 200 rooms cannot each have their own. Here a caller
gets a future that is done once its own work is durable:

    queue = RecordsQueue(Records("games.db"))
    future = queue.submit(lambda records: records.record_turn(hand_id, hand, placement, think_time_ms=900))
    future.result()                          # or: await asyncio.wrap_future(future)
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from types import TracebackType
from typing import Any, TypeVar

from ofc_env.records.database import Records

Result = TypeVar("Result")
_Job = tuple[Callable[[Records], Any], "Future[Any]"]
_Done = tuple["Future[Any]", Any, BaseException | None]

MOST_JOBS_IN_A_COMMIT = 256


class RecordsQueue:
    """Runs work on a `Records` in the order it was submitted, many pieces to a commit.

    Each piece is all or nothing: one that raises is taken back alone and its future holds the exception. A
    commit in which something failed is done again piece by piece, so work may be called twice; only what it
    writes to the records counts.
    The queue owns the `Records` and closes it.
    """

    def __init__(self, records: Records) -> None:
        self.records = records
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._closing = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="records", daemon=True)
        self._thread.start()

    def submit(self, work: Callable[[Records], Result]) -> Future[Result]:
        """Have `work` called with the `Records`; the future is done after its commit."""
        future: Future[Result] = Future()
        with self._closing:
            if self._closed:
                raise ValueError("the records queue is closed: make a new one")
            self._jobs.put((work, future))
        return future

    def close(self) -> None:
        """Finish what was submitted, then close the file; a second call does nothing."""
        with self._closing:
            if not self._closed:
                self._closed = True
                self._jobs.put(None)
        self._thread.join()
        self.records.close()

    def __enter__(self) -> RecordsQueue:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _run(self) -> None:
        while True:
            jobs, last = self._next_jobs()
            if jobs:
                self._commit(jobs)
            if last:
                return

    def _next_jobs(self) -> tuple[list[_Job], bool]:
        """All that waits now, at least one; and whether the queue was closed after it."""
        jobs: list[_Job] = []
        job = self._jobs.get()
        while job is not None:
            jobs.append(job)
            if len(jobs) == MOST_JOBS_IN_A_COMMIT or self._jobs.empty():
                return jobs, False
            job = self._jobs.get()
        return jobs, True

    def _commit(self, jobs: list[_Job]) -> None:
        waiting = [(work, future) for work, future in jobs if future.set_running_or_notify_cancel()]
        try:
            done = self._together(waiting)
        except Exception:  # one of them, most likely: find out which
            done = self._one_by_one(waiting)
        for future, result, failure in done:
            if failure is None:
                future.set_result(result)
            else:
                future.set_exception(failure)

    def _together(self, jobs: list[_Job]) -> list[_Done]:
        """All the work in one transaction; an exception takes all of it back."""
        with self.records.transaction():
            return [(future, work(self.records), None) for work, future in jobs]

    def _one_by_one(self, jobs: list[_Job]) -> list[_Done]:
        """The same with a savepoint for each, so that one that fails is taken back alone."""
        done: list[_Done] = []
        try:
            with self.records.transaction():
                for work, future in jobs:
                    try:
                        with self.records.transaction():
                            done.append((future, work(self.records), None))
                    except Exception as error:
                        done.append((future, None, error))
        except Exception as error:  # the commit itself failed: nothing of it is durable
            return [(future, None, error) for _, future in jobs]
        return done
