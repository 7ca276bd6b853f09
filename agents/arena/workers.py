"""Chunks of a match spread over processes, with one thread of arithmetic each.

Workers are started afresh (not forked), build their own agents, and answer chunk by chunk through a pipe.
"""

from __future__ import annotations

import contextlib
import copy
import multiprocessing
import os
import pickle
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

import agents
from agents.arena.tables import Arrays
from agents.base import Agent
from ofc_env import Rules

THREAD_SETTINGS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
SECONDS_BETWEEN_REPORTS = 0.5

Players = tuple[Agent, Agent]
Chunk = tuple[int, int]  # first deal, number of deals
Play = Callable[[Players, int, int, Callable[[float], None]], Arrays]  # players, first, count, report


class WorkerError(RuntimeError):
    """A process that played part of a match has failed; what the others finished is kept."""


@dataclass(frozen=True)
class AgentSource:
    """How to get an agent: by its name, or the object itself."""

    name: str  # as reports show it
    builder: str | agents.Builder | None = None  # what the name is registered for, if it is
    agent: Agent | None = None
    rules: Rules | None = None  # what an agent made by its name is to play by
    values: tuple[float, ...] | None = None  # and what it takes fantasyland to be worth

    @staticmethod
    def of(
        agent: str | Agent, rules: Rules | None = None, values: tuple[float, ...] | None = None
    ) -> AgentSource:
        """The source of an agent given by name or as an object."""
        if isinstance(agent, str):
            short_name = agents.parse_name(agent)[0]
            return AgentSource(agent, agents._BUILDERS.get(short_name), rules=rules, values=values)
        if rules is not None and isinstance(agent, Agent):
            agent = agents.seated(agent, rules)
        return AgentSource(agent.name or type(agent).__name__, agent=agent)

    @staticmethod
    def of_two(
        first: str | Agent,
        second: str | Agent,
        rules: Rules | None = None,
        values: tuple[float, ...] | None = None,
    ) -> tuple[AgentSource, AgentSource]:
        """The sources of both sides; an object that plays itself is copied, so that sides never share one."""
        if first is second and not isinstance(first, str):
            try:
                second = copy.deepcopy(first)
            except Exception as error:
                raise ValueError(f"{first!r} cannot be copied ({error}): build a second one") from error
        return AgentSource.of(first, rules, values), AgentSource.of(second, rules, values)

    def build(self) -> Agent:
        """The agent, made by its name unless it was given as an object."""
        if self.agent is not None:
            return self.agent
        if self.builder is not None:  # a worker does not know what its parent registered
            agents.register(agents.parse_name(self.name)[0], self.builder)
        return agents.make_valued(self.name, self.rules, self.values)


@contextlib.contextmanager
def one_torch_thread() -> Iterator[None]:
    """One thread for torch, if it is loaded: two busy processes with two threads each are far slower."""
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def play_chunks(
    play: Play,
    sources: tuple[AgentSource, AgentSource],
    chunks: Sequence[Chunk],
    processes: int,
    on_result: Callable[[int, Arrays], None],
    on_progress: Callable[[float], None],
    players: Players | None = None,
) -> None:
    """Play chunks in this process, or in others.

    Args:
        play: plays one chunk; it must be picklable for several processes.
        processes: 1 plays here.
        on_result: given the first deal and the results of each finished chunk, in any order.
        on_progress: given the number of deals by which the work has advanced, fractions included.
        players: the agents, if they are built already; used when `processes` is 1.
    """
    if processes < 1:
        raise ValueError(f"{processes} processes cannot play: use 1 or more")
    if processes == 1 or len(chunks) <= 1:
        built = players or (sources[0].build(), sources[1].build())
        with one_torch_thread():
            for first, count in chunks:
                meter = _Meter(count, on_progress)
                results = play(built, first, count, meter)
                on_result(first, results)
                meter(1.0)
        return
    _play_in_processes(play, sources, chunks, min(processes, len(chunks)), on_result, on_progress)


class _Meter:
    """Turns the share of a chunk that is played into deals gained since the last report."""

    def __init__(self, count: int, on_progress: Callable[[float], None]) -> None:
        self.count = count
        self.on_progress = on_progress
        self.share = 0.0

    def __call__(self, share: float) -> None:
        self.on_progress((share - self.share) * self.count)
        self.share = share


def _play_in_processes(
    play: Play,
    sources: tuple[AgentSource, AgentSource],
    chunks: Sequence[Chunk],
    processes: int,
    on_result: Callable[[int, Arrays], None],
    on_progress: Callable[[float], None],
) -> None:
    try:
        payload = pickle.dumps((play, sources))
    except Exception as error:
        names = " and ".join(source.name for source in sources)
        raise ValueError(f"{names} cannot be sent to another process ({error}): use processes=1") from error
    context = multiprocessing.get_context("spawn")
    waiting = list(reversed(chunks))
    workers: dict[Connection, Any] = {}
    playing: dict[Connection, tuple[Chunk, _Meter]] = {}
    started: set[Connection] = set()
    try:
        for _ in range(processes):
            ours, theirs = context.Pipe()
            worker = context.Process(target=_serve, args=(theirs, payload), daemon=True)
            worker.start()
            theirs.close()
            workers[ours] = worker
            _hand_out(ours, waiting, playing, on_progress)
        while playing:
            for ready in wait(list(playing)):
                connection = _connection(ready)
                (first, count), meter = playing[connection]
                try:
                    kind, content = connection.recv()
                except (EOFError, ConnectionResetError):
                    workers[connection].join(5)
                    code = workers[connection].exitcode
                    last = first + count - 1
                    if connection not in started:
                        raise WorkerError(
                            f"a worker did not start (exit code {code}): play from a file whose main part is "
                            'under if __name__ == "__main__", or with processes=1'
                        ) from None
                    raise WorkerError(
                        f"a worker died on deals {first} to {last} (exit code {code}): "
                        "what is finished is kept, resume to go on"
                    ) from None
                started.add(connection)
                if kind == "progress":
                    meter(content)
                elif kind == "result":
                    on_result(first, content)
                    meter(1.0)
                    del playing[connection]
                    _hand_out(connection, waiting, playing, on_progress)
                elif kind == "refusal":
                    sentence, trace = content
                    raise ValueError(sentence) from RuntimeError(f"in a worker:\n{trace}")
                else:
                    raise WorkerError(f"a worker failed on deals {first} to {first + count - 1}:\n{content}")
    finally:
        for connection, worker in workers.items():
            connection.close()
            worker.terminate()
            worker.join()


def _connection(ready: Any) -> Connection:
    if not isinstance(ready, Connection):
        raise TypeError(f"{ready!r} is not a pipe")
    return ready


def _hand_out(
    connection: Connection,
    waiting: list[Chunk],
    playing: dict[Connection, tuple[Chunk, _Meter]],
    on_progress: Callable[[float], None],
) -> None:
    if not waiting:
        return
    chunk = waiting.pop()
    connection.send(chunk)
    playing[connection] = (chunk, _Meter(chunk[1], on_progress))


def _serve(connection: Connection, payload: bytes) -> None:
    """A worker: play the chunks that arrive until the pipe is closed."""
    for setting in THREAD_SETTINGS:
        os.environ.setdefault(setting, "1")  # before an agent imports anything that reads it
    last_report = time.perf_counter()

    def report(share: float) -> None:
        nonlocal last_report
        if time.perf_counter() - last_report > SECONDS_BETWEEN_REPORTS:
            connection.send(("progress", share))
            last_report = time.perf_counter()

    try:
        try:
            play, sources = pickle.loads(payload)
        except (ImportError, AttributeError) as error:
            raise ValueError(
                f"another process cannot import what is to play ({error}): "
                "put its class into a module of its own, or use processes=1"
            ) from error
        players = (sources[0].build(), sources[1].build())
        connection.send(("progress", 0.0))
        with one_torch_thread():
            while True:
                first, count = connection.recv()
                connection.send(("result", play(players, first, count, report)))
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        return
    except ValueError as refusal:
        connection.send(("refusal", (str(refusal), traceback.format_exc())))
    except Exception:
        connection.send(("failure", traceback.format_exc()))
