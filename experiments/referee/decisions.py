"""Decisions of an agent, judged one by one: every legal placement is played on by the judge.

The number of a decision fixes its position and all chance in judging it, whoever decides and however many
others are judged. Positions come from games of the judge against itself. Most are taken as they come, each
turn and each seat in its turn; some are drawn with a joker in hand, and some against a fantasyland opponent.
"""

from __future__ import annotations

import base64
import hashlib
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import agents
from agents.arena.tables import Arrays
from agents.arena.workers import Players
from agents.base import Agent
from agents.networks.native import load_native
from agents.players.alphazero import champion_for
from agents.randomness import seed_of
from agents.rewards import equity
from agents.turns import choose_placement, needs_true_hand, seat_to_act
from ofc_env import Hand, InformationSet, RewardConfig, Rules, _core
from ofc_env.layout import FIRST_JOKER

TURNS = 4  # those with something to come: searching players solve the last one
PLAIN, JOKER, FANTASYLAND = "plain", "joker", "fantasyland"  # how a position was drawn


@dataclass(frozen=True)
class Measurement:
    """All that the judged decisions of an agent follow from, but for the agent."""

    judge: str
    rules: Rules
    values: tuple[float, ...] | None  # what fantasyland is worth, where nobody measured it
    worlds: int
    block: int
    z: float
    fresh: int
    fantasyland: float  # share of positions
    jokers: float  # share of the others
    seed: int
    openings: float | None = None  # share of each kind; None: every turn alike

    @property
    def reward(self) -> RewardConfig:
        """What a hand is worth."""
        return equity(self.rules, self.values)

    @property
    def player(self) -> str:
        """The judge as an agent, which plays the games that positions come from."""
        name, options = agents.parse_name(self.judge)
        if name == "heuristic" and not options:
            return name
        if name == "alphazero" and set(options) <= {"sims", "checkpoint"} and not options.get("sims"):
            return ",".join(["alphazero:sims=0", *(f"checkpoint={path}" for path in self._checkpoint)])
        raise ValueError(
            f"{self.judge} cannot judge, because it would have to play thousands of hands for a decision: "
            "use alphazero or alphazero:checkpoint=FILE, whose network plays alone, or heuristic"
        )

    @property
    def network(self) -> Path | None:
        """The file of the judge's network; None for the heuristic."""
        if self.player == "heuristic":
            return None
        return Path(self._checkpoint[0]) if self._checkpoint else champion_for(self.rules)

    @property
    def _checkpoint(self) -> list[str]:
        """The file that the judge's name gives, if it does."""
        path = agents.parse_name(self.judge)[1].get("checkpoint")
        return [] if path is None else [str(path)]

    def identity(self, agent: str) -> dict[str, Any]:
        """What makes two measurements the same, JSON-ready."""
        path = self.network
        return {
            "kind": "regret",
            "agent": agent,
            "judge": hashlib.sha256(path.read_bytes()).hexdigest()[:16] if path else self.judge,
            "rules": str(self.rules),
            "reward": str(self.reward),
            **{
                name: getattr(self, name)
                for name in ("worlds", "block", "z", "fresh", "fantasyland", "jokers", "seed")
            },
            **({} if self.openings is None else {"openings": self.openings}),
        }


@lru_cache(maxsize=2)
def referee_of(measurement: Measurement) -> _core.Referee:
    """The referee, kept for the next decision."""
    path = measurement.network
    return _core.Referee(
        load_native(path) if path else None,
        reward=measurement.reward,
        rules=measurement.rules,
        worlds=measurement.worlds,
        block=measurement.block,
        z=measurement.z,
        fresh=measurement.fresh,
    )


# ---------------------------------------------------------------- positions


def position(judge: Agent, measurement: Measurement, number: int) -> tuple[Hand, str]:
    """The position of a decision, at the start of a seat's turn, and how it was drawn."""
    rules, widths = measurement.rules, measurement.rules.widths
    taken, index = _share(number, measurement.fantasyland if widths else 0.0)
    if taken:
        width = widths[index // TURNS % len(widths)]
        hand = Hand(seed=_seed(measurement, number), button=0, rules=rules, fantasyland=(0, width))
        return _play(judge, hand, _decisions_before(index, 1, measurement.openings)), FANTASYLAND
    taken, index = _share(index, measurement.jokers if rules.jokers else 0.0)
    # A joker is among the cards of a turn in one deal of nine, and of eighteen where there is but one.
    for attempt in range(10_000):
        hand = Hand(seed=_seed(measurement, number, attempt), button=0, rules=rules)
        _play(judge, hand, _decisions_before(index, 2, measurement.openings))
        if not taken or jokers_in(hand.dealt):
            break
    return hand, JOKER if taken else PLAIN


def jokers_in(cards: list[int]) -> int:
    """How many of some cards are jokers."""
    return sum(card >= FIRST_JOKER for card in cards)


def _share(number: int, share: float) -> tuple[bool, int]:
    """Whether a number is among an evenly spread share of all, and its place among those or the rest."""
    before, until = math.floor(number * share), math.floor((number + 1) * share)
    return until > before, before if until > before else number - before


def _decisions_before(index: int, seats: int, openings: float | None) -> int:
    """How many decisions of so many seats come before that of a position, by its place among its kind.

    Each turn and each seat in its turn; with a share of openings that one first, the later turns alike.
    """
    if openings is None:
        return index % (seats * TURNS)
    opening, place = _share(index, openings)
    return place % seats if opening else seats + place % (seats * (TURNS - 1))


def _seed(measurement: Measurement, number: int, attempt: int = 0) -> int:
    """Of a decision's deck and, in a stream of their own, of the referee's worlds."""
    return seed_of(measurement.seed, number, attempt)


def _play(judge: Agent, hand: Hand, decisions: int) -> Hand:
    """Let the judge make so many decisions, of both seats together; the solver sets fantasyland."""
    while decisions or hand.in_fantasyland:
        if hand.in_fantasyland:
            hand.set_fantasyland()
        else:
            hand.place(choose_placement(judge, hand.information(seat_to_act(hand))))
            decisions -= 1
    return hand


# ---------------------------------------------------------------- judging


def losses(judgement: _core.Judgement, chosen: int) -> tuple[float, float, float]:
    """What a placement loses: at least, with the standard error of that, and at most.

    The race's leader was named before the fresh worlds were dealt: what it gains in them is, on average, no
    more than the best placement would. The best by all worlds that both were played in is in part luckiest.
    """
    race, fresh = judgement.race.astype(np.float64), judgement.fresh.astype(np.float64)
    gain = fresh[judgement.leader] - fresh[chosen]
    together = np.concatenate([race, fresh], axis=1)[[*judgement.left, chosen]]
    gaps = np.nanmean(together - together[-1], axis=1)
    return float(gain.mean()), float(gain.std(ddof=1) / math.sqrt(len(gain))), float(gaps.max())


def judge_decision(
    agent: Agent, information: InformationSet, measurement: Measurement, seed: int
) -> tuple[dict[str, Any], float, float, int]:
    """A decision and what it loses, JSON-ready; seconds of the agent and of the referee; hands played on."""
    begun = time.process_time()
    chosen = choose_placement(agent, information)
    decided = time.process_time()
    judgement = referee_of(measurement).judge(information, seed, [chosen])
    ended = time.process_time()
    at_least, error, at_most = losses(judgement, judgement.placements.index(chosen))
    fresh = judgement.fresh[:, 0] == judgement.fresh[:, 0]
    decision = {
        "information": str(information),
        "placements": [str(placement) for placement in judgement.placements],
        "states": base64.b64encode(judgement.states.tobytes()).decode(),
        "priors": _rounded(judgement.priors),
        "race": _summary(judgement.race),
        "judged": np.flatnonzero(fresh).tolist(),
        "fresh": _summary(judgement.fresh[fresh]),
        "left": judgement.left,
        "leader": judgement.leader,
        "chosen": judgement.placements.index(chosen),
        "at_least": at_least,
        "at_least_error": error,
        "at_most": at_most,
    }
    return decision, decided - begun, ended - decided, judgement.rollouts


def _rounded(numbers: NDArray[np.floating[Any]]) -> list[float]:
    return [round(float(number), 4) for number in numbers]


def _summary(values: NDArray[np.float32]) -> dict[str, list[Any]]:
    """Mean, standard error and number of worlds of each placement, from its values with NaN at their end."""
    counts = np.count_nonzero(~np.isnan(values), axis=1)
    numbers = values.astype(np.float64)
    errors = np.nanstd(numbers, axis=1, ddof=1) / np.sqrt(counts)
    return {
        "means": _rounded(np.nanmean(numbers, axis=1)),
        "errors": _rounded(errors),
        "worlds": counts.tolist(),
    }


def judge_decisions(
    players: Players, first: int, count: int, report: Callable[[float], None], measurement: Measurement
) -> Arrays:
    """Some decisions of the first player, at positions that the second one, the judge, has played to."""
    agent, judge = players
    if needs_true_hand(agent):
        raise ValueError(f"{agent.name} looks at the true deck: judge an agent that sees what its seat sees")
    decisions: list[dict[str, Any]] = []
    seconds, rollouts = np.zeros(2), 0
    for number in range(first, first + count):
        hand, drawn = position(judge, measurement, number)
        seat = seat_to_act(hand)
        agent.reset()
        decision, own, judging, played = judge_decision(
            agent, hand.information(seat), measurement, _seed(measurement, number)
        )
        decision |= {
            "drawn": drawn,
            "turn": hand.turn,
            "first": seat == hand.rules.first_to_act(button=hand.button),
            "jokers": jokers_in(hand.dealt),
        }
        decisions.append(decision)
        seconds += (own, judging)
        rollouts += played
        report((number + 1 - first) / count)
    return {
        "decision": np.array(decisions, dtype=object),
        "seconds": seconds,
        "decisions": np.array([count, rollouts]),
    }
