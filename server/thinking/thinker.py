"""The process in which AI seats think: questions come in as JSON lines on stdin, answers leave on stdout.

A process of its own, so that no search, import or crash of an agent ever holds up a room; many threads in it,
so that a short search does not wait for a long one (the native searches share the cores by time). It ends
with the server, however the server ends, because its stdin then closes. Started by `server.thinking.client`.
"""

from __future__ import annotations

import base64
import json
import math
import os
import sys
import threading
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

import agents
from agents.levels import make_timed
from agents.positions.ranking import rank
from agents.turns import choose_placement, set_fantasyland
from ofc_env import Hand, Placement, Rules

MOST_REMEMBERING = 256
# A search that can keep a time limit ends by then, whatever its budget.
SEARCH_SECONDS = 5.0


class Player:
    """An agent at one seat of one room; it remembers the hand it is in, and nothing else."""

    def __init__(self, agent: agents.Agent) -> None:
        self.agent = agent
        self.hand_id: str | None = None
        self.lock = threading.Lock()

    def answer(self, question: dict[str, Any], rules: Rules) -> str:
        """The placement as text."""
        observation = _observation(question)
        with self.lock:
            if question["hand_id"] != self.hand_id:
                self.agent.reset()
                self.hand_id = question["hand_id"]
            return str(choose_placement(self.agent, observation, rules))

    def judge(self, question: dict[str, Any], rules: Rules) -> dict[str, Any]:
        """The agent's best placement, and what the one in question costs beside it, in points."""
        observation, played = _observation(question), Placement.parse(question["judge"])
        mask = Hand.from_observation(observation, seed=0, rules=rules).action_mask()
        with self.lock:
            self.agent.reset()
            self.hand_id = None
            ranked = rank(self.agent, {"observation": observation, "action_mask": mask}, rules=rules)
        known = [candidate for candidate in ranked if not math.isnan(candidate.mean)]
        best = known[0]
        own = next((candidate for candidate in known if candidate.placement == played), known[-1])
        cost = 0.0 if own is best else max(0.0, best.mean - own.mean)
        error = 0.0 if own is best else math.hypot(own.error, best.error)
        known_error = None if math.isnan(error) else round(error, 2)
        return {"best": str(best.placement), "cost": round(cost, 2), "error": known_error}


def _observation(question: dict[str, Any]) -> NDArray[np.float32]:
    return np.frombuffer(base64.b64decode(question["observation"]), dtype=np.float32).copy()


class Thinker:
    """Answers questions with as many searches at a time as it has threads."""

    def __init__(self, threads: int, output: IO[str]) -> None:
        self.searches = ThreadPoolExecutor(threads, thread_name_prefix="search", initializer=_be_nice)
        self.quick = ThreadPoolExecutor(1, thread_name_prefix="quick")
        # An agent that remembers nothing serves every room, one a thread; others have their own seat.
        self.own = threading.local()
        self.remembering: OrderedDict[tuple[str, str], Player] = OrderedDict()
        self.lock = threading.Lock()
        self.output = output
        self.output_lock = threading.Lock()

    def ask(self, question: dict[str, Any]) -> None:
        """Have a question answered, in its turn."""
        pool = self.quick if question.get("quick") or "cards" in question else self.searches
        pool.submit(self._answer, question)

    def _answer(self, question: dict[str, Any]) -> None:
        answer: dict[str, Any] = {"id": question["id"]}
        try:
            if "prepare" in question:
                self._player("", question["prepare"])
                return
            rules = Rules.parse(question["rules"])
            if "cards" in question:
                answer["placement"] = str(set_fantasyland(question["cards"], rules))
            elif "judge" in question:
                answer |= self._player("review", question["agent"]).judge(question, rules)
            else:
                answer["placement"] = self._player(question["seat"], question["agent"]).answer(
                    question, rules
                )
        except Exception as error:  # whatever an agent does wrong is an answer too: the server has a fallback
            answer["failure"] = f"{type(error).__name__}: {error}"
        with self.output_lock:
            print(json.dumps(answer), file=self.output, flush=True)

    def _player(self, seat: str, agent: str) -> Player:
        shared: dict[str, Player] = self.own.__dict__.setdefault("players", {})
        if agent in shared:
            return shared[agent]
        with self.lock:
            player = self.remembering.get((seat, agent))
            if player is not None:
                self.remembering.move_to_end((seat, agent))
                return player
        player = Player(make_timed(agent, SEARCH_SECONDS))
        if not getattr(player.agent, "remembers", False):
            shared[agent] = player
            return player
        with self.lock:
            player = self.remembering.setdefault((seat, agent), player)
            if len(self.remembering) > MOST_REMEMBERING:
                self.remembering.popitem(last=False)
            return player


def _be_nice() -> None:
    """Searches step back where the system can do that for a single thread: the rooms come first."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 5)


def main() -> None:
    """Answer until stdin closes."""
    threads = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    # What an agent prints must not be taken for an answer.
    output = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    thinker = Thinker(threads, output)
    for line in sys.stdin:
        thinker.ask(json.loads(line))
    os._exit(0)  # the server is gone: nobody waits for the searches still under way


if __name__ == "__main__":
    main()
