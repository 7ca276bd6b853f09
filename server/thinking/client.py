"""The server's side of the thinking process: ask for a placement, wait for it without holding anybody up."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents import fantasyland_boards, levels
from agents.drills import Drill
from agents.review.report import plain
from ofc_env import Hand, InformationSet, Placement, Rules

logger = logging.getLogger("server")
# Part of a turn's time that is kept for the quick answer and the way back.
RESERVE = 0.25
QUICK_SECONDS = 2.0
ANALYSIS_SECONDS = 60.0
"""Longest wait for a position to be judged; a free core does it in half a second."""
LOADING_SECONDS = 60.0
"""Longest wait for an agent to be made: the process may have to start, and may be busy."""
LONGEST_ANSWER = 2**24
"""Bytes: a review of a hand has some ten thousand."""
Answer = dict[str, Any]
TROUBLE = (TimeoutError, RuntimeError, OSError)
"""What a question can end with: no answer in time, a failure, no process."""


class Failure(RuntimeError):
    """What an agent could not do, in its own words."""


@dataclass(frozen=True)
class Choice:
    """A placement for a seat, and who chose it if it was not the agent that was asked."""

    placement: Placement
    substitute: str | None = None
    """Name of the quick agent that answered instead."""


def candidates(level: str, agent: str | None = None) -> list[str]:
    """Who may play a level, best first: the agent that is named, or the level's own but for `random`.

    Where nobody better can play by a table's rules, an opponent that knows nothing is none.
    """
    chosen = levels.agent_of(level, agent)  # refuses what there is not
    if agent is not None:
        return [chosen]
    choices = levels.LEVELS[levels.level_of(level)]
    return [each for each in choices[: choices.index("random")] if levels.is_playable(each)] or [chosen]


def _about(information: InformationSet) -> dict[str, Any]:
    return {"rules": information.rules.name, "information": str(information)}


class Thinking:
    """Asks the thinking process, which is started with the first question and again if it should die."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._process: asyncio.subprocess.Process | None = None
        self._reader: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()
        self._waiting: dict[int, tuple[asyncio.subprocess.Process, asyncio.Future[Answer]]] = {}
        self._count = 0

    async def choose(self, seat: str, agent: str, hand_id: str, hand: Hand, seconds: float) -> Choice | None:
        """A placement for the seat to act, in time: from the agent, or failing that from a quick one.

        Args:
            seat: a name of the seat, so that its agent can remember the hand.
            agent: its `agents.make` name.
            hand_id: changes when a new hand begins.
            hand: in which the seat is to act; only what the seat knows is passed on.
            seconds: time left for the turn.

        Returns:
            None if nobody could answer.
        """
        if hand.player is None:
            raise ValueError("nobody is to act: the hand is over")
        question: dict[str, Any] = {"rules": hand.rules.name}
        question["information"] = str(hand.information(hand.player))
        if hand.in_fantasyland:  # the exact solver sets it, whoever plays
            question["boards"] = fantasyland_boards(agent)
        else:
            question |= {"seat": seat, "agents": [agent], "hand_id": hand_id}
        patience = seconds - min(QUICK_SECONDS + RESERVE, seconds / 2)
        attempts = [(question, patience)]
        if not hand.in_fantasyland:
            quick = {**question, "agents": [levels.quick_agent(hand.rules)], "quick": True}
            attempts.append((quick, min(QUICK_SECONDS, seconds / 4)))
        for attempt, limit in attempts:
            who = " or ".join(attempt.get("agents", ["the solver"]))
            try:
                answer = await asyncio.wait_for(self._ask(attempt), limit)
                substitute = answer["agent"] if "quick" in attempt else None
                return Choice(Placement.parse(answer["placement"]), substitute)
            except TimeoutError:
                logger.warning("%s did not answer within %.1f s", who, limit)
            except (RuntimeError, OSError) as error:
                logger.warning("%s could not answer: %s", who, error)
        return None

    async def hint(self, information: InformationSet) -> Answer:
        """The placements worth most: `options`, each an `agents.review.report.Option` as a dict."""
        return await self._ask(_about(information) | {"hint": True})

    async def chances(self, information: InformationSet, placement: Placement | None) -> Answer:
        """How the hand will end after a placement, or after the best one: `chances`, of the same report."""
        question = {"chances": None if placement is None else str(placement)}
        return await self._ask(_about(information) | question)

    async def review(self, entry: dict[str, Any], rules: Rules) -> Answer:
        """A finished hand of a log looked at again, from the side of seat 0: `HandReview.to_dict()`.

        `Failure` with a sentence if nobody can judge by the rules.
        """
        answer = await self._ask({"review": entry, "rules": rules.name})
        return dict(answer["review"])

    async def judge(self, rules: Rules) -> str:
        """The name of who reviews hands by some rules, as reviews have it."""
        return str((await self._ask({"judge": True, "rules": rules.name}))["judge"])

    async def rate(self, path: Path, player: str) -> Answer:
        """`rating`, `statistics`, `profile` and `rated` of a player whose reviewed hands are in a log."""
        answer = await self._ask({"rate": str(path), "player": player})
        return {name: answer[name] for name in ("rated", "rating", "statistics", "profile")}

    async def analyse(self, information: InformationSet, played: Placement | None = None) -> Answer:
        """A position judged: `agents.review.report.Decision`, every option with its chances.

        `Failure` with a sentence if it cannot be judged, other `TROUBLE` if the process does not answer.
        """
        question: dict[str, Any] = {"information": str(information), "rules": information.rules.name}
        question["analyse"] = None if played is None else str(played)
        return _without_id(await asyncio.wait_for(self._ask(question), ANALYSIS_SECONDS))

    async def judge_drill(self, drill: Drill, answer: Placement | int | None) -> Answer:
        """An answer to a drill judged, as `agents.drills` does; failures as of `analyse`."""
        question: dict[str, Any] = {"drill": plain(drill), "rules": drill.position.rules.name}
        question["answer"] = str(answer) if isinstance(answer, Placement) else answer
        return _without_id(await asyncio.wait_for(self._ask(question), ANALYSIS_SECONDS))

    async def start(self) -> None:
        """Start the process, if it is not running."""
        async with self._starting:
            if self._process is not None and self._process.returncode is None:
                return
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                *("-m", "server.thinking.thinker", str(self.threads)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=LONGEST_ANSWER,
                start_new_session=True,  # an interrupt from the keyboard is for the server, which ends it
                # One thread per search: many searches share the cores better than one search does.
                env={
                    "OMP_NUM_THREADS": "1",
                    "OPENBLAS_NUM_THREADS": "1",
                    "MKL_NUM_THREADS": "1",
                    **os.environ,
                },
            )
            self._reader = asyncio.get_running_loop().create_task(self._read(self._process))

    async def cast(self, agents: Sequence[str], rules: Rules) -> str:
        """The first of these agents that can play by the rules, loaded and asked once.

        ValueError with the sentence of the last one if none can, `TROUBLE` if the process does not answer.
        """
        try:
            question = {"agents": agents, "rules": rules.name, "warm": True}
            answer = await asyncio.wait_for(self._ask(question), LOADING_SECONDS)
        except Failure as failure:
            raise ValueError(f"the agent {agents[-1]!r} cannot play: {failure}") from None
        return str(answer["agent"])

    async def prepare(self, agent: str, rules: Rules) -> None:
        """Start the process and have it load an agent, so that the first question need not wait for that."""
        await self.start()
        if self._process is not None and self._process.stdin is not None:
            question = {"id": 0, "agents": [agent], "rules": rules.name, "warm": True}
            self._process.stdin.write(json.dumps(question).encode() + b"\n")

    async def close(self) -> None:
        """End the process."""
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
        if self._reader is not None:
            await self._reader

    async def _ask(self, question: dict[str, Any]) -> Answer:
        await self.start()
        process = self._process
        if process is None or process.stdin is None:
            raise RuntimeError("the thinking process could not be started")
        self._count += 1
        number = self._count
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[number] = process, future
        try:
            process.stdin.write(json.dumps({**question, "id": number}).encode() + b"\n")
            await process.stdin.drain()
            return await future
        finally:
            self._waiting.pop(number, None)

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        if process.stdout is None:
            return
        async for line in process.stdout:
            answer = json.loads(line)
            _, future = self._waiting.get(answer["id"], (process, None))
            if future is None or future.done():
                continue  # too late
            if "failure" in answer:
                future.set_exception(Failure(answer["failure"]))
            else:
                future.set_result(answer)
        await process.wait()
        for asked, future in self._waiting.values():
            if asked is process and not future.done():
                future.set_exception(RuntimeError("the thinking process ended"))


def _without_id(answer: Answer) -> Answer:
    return {name: value for name, value in answer.items() if name != "id"}
