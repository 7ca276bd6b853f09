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
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from types import TracebackType
from typing import Any, TypeVar

from ofc_env.records.database import Records

Result = TypeVar("Result")
Work = Callable[[Records], Any]
Outcome = tuple[Any, BaseException | None]
"""What a piece of work returned, or what it raised."""
_Job = tuple[Sequence[Work], Callable[[list[Outcome]], None]]

MOST_WORK_IN_A_COMMIT = 256


class RecordsQueue:
    """Runs work on a `Records` in the order it was submitted, many pieces to a commit.

    Each piece is all or nothing: one that raises is taken back alone and its outcome is the exception. A
    commit in which something failed is done again piece by piece, so work may be called twice; only what it
    writes to the records counts. What was submitted cannot be cancelled.
    The queue owns the `Records` and closes it.

    Args:
        records: written to by this queue's thread alone.
        spacing: least seconds from the beginning of a commit to that of the next: more pieces share one.
    """

    def __init__(self, records: Records, spacing: float = 0.0) -> None:
        self.records = records
        self.spacing = spacing
        self._next_commit = 0.0
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._closing = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="records", daemon=True)
        self._thread.start()

    def submit(self, work: Callable[[Records], Result]) -> Future[Result]:
        """Have `work` called with the `Records`; the future is done after its commit."""
        future: Future[Result] = Future()
        future.set_running_or_notify_cancel()

        def finish(outcomes: list[Outcome]) -> None:
            ((result, failure),) = outcomes
            if failure is None:
                future.set_result(result)
            else:
                future.set_exception(failure)

        self.submit_all([work], finish)
        return future

    def submit_all(self, works: Sequence[Work], finish: Callable[[list[Outcome]], None]) -> None:
        """Have several pieces of work done; `finish` is called in the queue's thread after their commit."""
        with self._closing:
            if self._closed:
                raise ValueError("the records queue is closed: make a new one")
            self._jobs.put((works, finish))

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
        last = False
        while not last:
            jobs, last = self._next_jobs()
            if jobs:
                self._commit(jobs)

    def _next_jobs(self) -> tuple[list[_Job], bool]:
        """All that waits when the next commit is due, at least one; and whether the queue was closed."""
        jobs: list[_Job] = []
        count = 0
        job = self._jobs.get()
        time.sleep(max(0.0, self._next_commit - time.monotonic()))
        while job is not None:
            jobs.append(job)
            count += len(job[0])
            if count >= MOST_WORK_IN_A_COMMIT or self._jobs.empty():
                return jobs, False
            job = self._jobs.get()
        return jobs, True

    def _commit(self, jobs: list[_Job]) -> None:
        self._next_commit = time.monotonic() + self.spacing
        works = [work for pieces, _ in jobs for work in pieces]
        try:
            outcomes = self._together(works)
        except Exception:  # one of them, most likely: find out which
            outcomes = self._one_by_one(works)
        begin = 0
        for pieces, finish in jobs:
            finish(outcomes[begin : begin + len(pieces)])
            begin += len(pieces)

    def _together(self, works: list[Work]) -> list[Outcome]:
        """All the work in one transaction; an exception takes all of it back."""
        with self.records.transaction():
            return [(work(self.records), None) for work in works]

    def _one_by_one(self, works: list[Work]) -> list[Outcome]:
        """The same with a savepoint for each, so that one that fails is taken back alone."""
        outcomes: list[Outcome] = []
        try:
            with self.records.transaction():
                for work in works:
                    try:
                        with self.records.transaction():
                            outcomes.append((work(self.records), None))
                    except Exception as error:
                        outcomes.append((None, error))
        except Exception as error:  # the commit itself failed: nothing of it is durable
            return [(None, error)] * len(works)
        return outcomes
