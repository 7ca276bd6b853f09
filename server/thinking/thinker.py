"""The process in which AI seats think: questions come in as JSON lines on stdin, answers leave on stdout.

A process of its own, so that no search, import or crash of an agent ever holds up a room; many threads in it,
so that a short search does not wait for a long one (the native searches share the cores by time). It ends
with the server, however the server ends, because its stdin then closes. Started by `server.thinking.client`.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict
from typing import IO, Any

import agents
from agents import levels
from agents.chances import chances, hint
from agents.drills import Drill, judge_foul, judge_placement
from agents.review.hands import logged_hand
from agents.review.positions import analysed
from agents.review.report import plain
from agents.review.review import review_hand
from agents.turns import choose_placement, set_against
from ofc_env import Hand, InformationSet, Placement, Rules
from server.thinking.reviews import rate

MOST_REMEMBERING = 256
# Agents kept for the next question, by the rules they play by: people may write any rules.
MOST_KEPT = 64
# A search that can keep a time limit ends by then, whatever its budget.
SEARCH_SECONDS = 5.0


class Player:
    """An agent at one seat of one room; it remembers the hand it is in, and nothing else."""

    def __init__(self, agent: agents.Agent) -> None:
        self.agent = agent
        self.hand_id: str | None = None
        self.lock = threading.Lock()

    def answer(self, question: dict[str, Any]) -> str:
        """The placement as text."""
        known = InformationSet.parse(question["information"])
        with self.lock:
            if question["hand_id"] != self.hand_id:
                self.agent.reset()
                self.hand_id = question["hand_id"]
            return str(choose_placement(self.agent, known))


class Thinker:
    """Answers questions with as many searches at a time as it has threads."""

    def __init__(self, threads: int, output: IO[str]) -> None:
        self.searches = ThreadPoolExecutor(threads, thread_name_prefix="search", initializer=_be_nice)
        self.quick = ThreadPoolExecutor(1, thread_name_prefix="quick")
        # One review at a time; the threads that it starts are as nice as itself.
        self.reviews = ThreadPoolExecutor(1, thread_name_prefix="review", initializer=_be_nice)
        # An agent that remembers nothing serves every room of its rules, one search at a time; others have
        # their own seat. Agents go by their name and the text of their rules.
        self.idle: OrderedDict[tuple[str, str], list[Player]] = OrderedDict()
        self.remembering: OrderedDict[tuple[str, str, str], Player] = OrderedDict()
        self.lock = threading.Lock()
        self.output = output
        self.output_lock = threading.Lock()

    def ask(self, question: dict[str, Any]) -> None:
        """Have a question answered, in its turn."""
        pool = self.searches
        if question.get("quick") or "boards" in question:
            pool = self.quick
        elif "review" in question or "rate" in question:
            pool = self.reviews
        pool.submit(self._answer, question)

    def _answer(self, question: dict[str, Any]) -> None:
        answer: dict[str, Any] = {"id": question["id"]}
        try:
            answer |= self._result(question)
        except Exception as error:  # whatever an agent does wrong is an answer too: the server has a fallback
            kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
            answer["failure"] = f"{kind}{error}"
        with self.output_lock:
            print(json.dumps(answer), file=self.output, flush=True)

    def _result(self, question: dict[str, Any]) -> dict[str, Any]:
        if "rate" in question:
            return rate(question["rate"], question["player"])
        rules = Rules.parse(question["rules"])
        if "review" in question:
            return {"review": review_hand(logged_hand(question["review"], rules), 0).to_dict()}
        if "boards" in question:
            known = InformationSet.parse(question["information"])
            return {"placement": str(set_against(known, question["boards"]))}
        if "hint" in question:
            return {"options": [asdict(option) for option in hint(_known(question))]}
        if "chances" in question:
            text = question["chances"]
            return {"chances": asdict(chances(_known(question), text and Placement.parse(text)))}
        if "analyse" in question:
            known, played = InformationSet.parse(question["information"]), question["analyse"]
            return dict(plain(analysed(known, played and Placement.parse(played))))
        if "drill" in question:
            return _judged_answer(Drill(**question["drill"]), question["answer"])
        seat = question.get("seat", "")
        with self._player(seat, question["agents"], rules) as player:
            answer: dict[str, Any] = {"agent": player.agent.name}
            if "warm" in question:
                choose_placement(player.agent, _last_turn(rules))
            else:
                answer["placement"] = player.answer(question)
            return answer

    @contextmanager
    def _player(self, seat: str, names: Sequence[str], rules: Rules) -> Iterator[Player]:
        """A player of the first of these agents that can play by the rules.

        Nobody else asks it meanwhile; an agent that remembers is the seat's own.
        """
        player = self._first(seat, names, rules)
        agent = player.agent.name, rules.name
        if player.agent.remembers:
            with self.lock:
                player = self.remembering.setdefault((seat, *agent), player)
                if len(self.remembering) > MOST_REMEMBERING:
                    self.remembering.popitem(last=False)
            yield player
            return
        try:
            yield player
        finally:
            with self.lock:
                self.idle.setdefault(agent, []).append(player)
                self.idle.move_to_end(agent)
                if len(self.idle) > MOST_KEPT:
                    self.idle.popitem(last=False)

    def _first(self, seat: str, names: Sequence[str], rules: Rules) -> Player:
        """A player of the first agent that can play, the sentence of the last one if none can."""
        for name in names[:-1]:
            with suppress(ValueError):
                return self._kept(seat, name, rules) or _player(name, rules)
        return self._kept(seat, names[-1], rules) or _player(names[-1], rules)

    def _kept(self, seat: str, name: str, rules: Rules) -> Player | None:
        """A player that was made for an earlier question."""
        own, agent = (seat, name, rules.name), (name, rules.name)
        with self.lock:
            if own in self.remembering:
                self.remembering.move_to_end(own)
                return self.remembering[own]
            return self.idle[agent].pop() if self.idle.get(agent) else None


def _known(question: dict[str, Any]) -> InformationSet:
    return InformationSet.parse(question["information"])


def _player(name: str, rules: Rules) -> Player:
    return Player(levels.make_timed(name, SEARCH_SECONDS, rules))


def _judged_answer(drill: Drill, answer: str | int | None) -> dict[str, Any]:
    """An answer to a drill judged: a placement as text, the number of a band, or None for giving up."""
    if drill.placement is not None:
        return dict(plain(judge_foul(drill, None if answer is None else int(answer))))
    return dict(plain(judge_placement(drill, None if answer is None else Placement.parse(str(answer)))))


def _last_turn(rules: Rules) -> InformationSet:
    """A position that every agent answers at once."""
    hand = Hand(seed=1, rules=rules)
    while hand.turn < 4 and hand.player is not None:
        hand.place(hand.placements()[0])
    return hand.information(hand.player or 0)


def _be_nice() -> None:
    """Searches step back where the system can do that for a single thread: the rooms come first."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)


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
