"""Every decision of a log as an agent sees it: what the choice cost, what was at stake, what it was about."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

import agents
from agents import levels
from agents.analysis import cost_of
from agents.arena.progress import Progress
from agents.base import Agent
from agents.positions.ranking import Candidate, rank
from agents.rewards import equity
from experiments.logs.hands import LoggedHand
from experiments.logs.lines import LoggedTurn
from experiments.logs.replay import ROWS_OF_A_HAND, HandError, RowBuffer, replay_hand
from ofc_env import InformationSet, Placement, RewardConfig, Rules
from ofc_env.layout import FIRST_JOKER, RANKS

SHOWN = 5  # placements of a decision in the report
CHANCE = 0.1  # difference of two chances from which a decision is said to be about fouls or fantasyland


# What a difference was about, in the order in which it is asked. Each has one kind, so that costs add up.
KINDS = {
    "opening": "the opening",
    "chasing fantasyland": f"a better chance of fantasyland by {CHANCE:.0%} or more, for less value",
    "foul taken": f"a higher risk of a foul by {CHANCE:.0%} or more, for nothing",
    "fantasyland passed up": f"a worse chance of fantasyland by {CHANCE:.0%} or more",
    "foul avoided": f"a lower risk of a foul by {CHANCE:.0%} or more, too dear",
    "discard": "another card thrown away",
    "row": "the same cards in other rows",
}


@dataclass(frozen=True)
class Difference:
    """A decision as the agent sees it; `cost` is what the choice lost against the best one, in points."""

    turn: LoggedTurn
    known: InformationSet
    candidates: list[Candidate]  # the best few, best first
    played: Candidate
    cost: float
    error: float  # standard error of the cost, NaN if the agent does not know it
    at_least: bool  # the played placement was not weighed: its cost is at least this
    stake: float = 0.0  # what a placement drawn from those weighed would have lost on average
    spreads: tuple[float, float] = (0.0, 0.0)  # of the chances of a foul and of fantasyland among the likely

    @property
    def agrees(self) -> bool:
        """Whether the player chose the agent's own placement."""
        return self.played.placement == self.candidates[0].placement

    @property
    def kind(self) -> str:
        """What the difference was about, a key of `KINDS`; "" where there is none."""
        if self.turn.turn == 0:
            return "opening"
        if self.agrees:
            return ""
        best, played = self.candidates[0], self.played
        fantasyland, foul = played.fantasyland - best.fantasyland, played.foul - best.foul
        for kind, so in (
            ("chasing fantasyland", fantasyland >= CHANCE),
            ("foul taken", foul >= CHANCE),
            ("fantasyland passed up", fantasyland <= -CHANCE),
            ("foul avoided", foul <= -CHANCE),
            ("discard", played.placement.discards != best.placement.discards),
        ):
            if so:  # False where the agent knows no chances
                return kind
        return "row"

    @cached_property
    def situations(self) -> list[str]:
        """What can be said of the position before anything is placed; names of groups in a profile."""
        turn = self.turn
        ranks = [card % RANKS for card in turn.dealt if card < FIRST_JOKER]
        first = turn.rules.first_to_act(turn.button) == turn.seat
        told = {
            f"turn {turn.turn}": True,
            "acting first": first,
            "acting second": not first,
            "a pair dealt": len(set(ranks)) < len(ranks),
            "a joker dealt": len(ranks) < len(turn.dealt),
            "a foul at risk": self.spreads[0] >= CHANCE,
            "fantasyland in reach": self.spreads[1] >= CHANCE,
            "against fantasyland": turn.opponent_fantasyland > 0,
        }
        return [name for name, so in told.items() if so]


@dataclass
class Review:
    """All decisions that were looked at, and what had to be left out."""

    player: str | None
    agent: str
    differences: list[Difference] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)  # a sentence for each line or hand left out
    rules: list[str] = field(default_factory=list)  # names of those that were met

    def by_turn(self) -> list[dict[str, float]]:
        """Decisions, agreement and cost for each turn from 0 to 4."""
        rows = []
        for turn in range(5):
            chosen = [each for each in self.differences if each.turn.turn == turn]
            rows.append(
                {
                    "turn": turn,
                    "decisions": len(chosen),
                    "agreement": mean([float(each.agrees) for each in chosen]),
                    "cost": mean([each.cost for each in chosen]),
                    "total": sum(each.cost for each in chosen),
                }
            )
        return rows

    def worst_hands(self) -> list[tuple[float, list[Difference]]]:
        """Hands with the sum of their costs, most expensive first."""
        hands: dict[tuple[str, str], list[Difference]] = {}
        for each in self.differences:
            hands.setdefault(each.turn.hand, []).append(each)
        costs = [(sum(each.cost for each in hand), hand) for hand in hands.values()]
        return sorted(costs, key=lambda entry: -entry[0])


def mean(values: Sequence[float]) -> float:
    """The mean, 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def compare(
    turn: LoggedTurn, known: InformationSet, candidates: list[Candidate], played: Placement | None = None
) -> Difference:
    """What the placement of a turn, or the part of it that was played, is worth beside the agent's best."""
    result = cost_of(candidates, played or turn.placement)
    weighed = [each for each in candidates if not math.isnan(each.mean)]
    return Difference(
        turn,
        known,
        weighed[:SHOWN],
        result.played,
        result.cost,
        result.error,
        result.at_least,
        max(0.0, weighed[0].mean - mean([each.mean for each in weighed])),
        (_spread([each.foul for each in weighed]), _spread([each.fantasyland for each in weighed])),
    )


def _spread(chances: list[float]) -> float:
    """How far a chance lies apart among the best few placements, 0 where nobody knows."""
    likely = [chance for chance in chances[:SHOWN] if not math.isnan(chance)]
    return max(likely) - min(likely) if likely else 0.0


class Judges:
    """The agent that judges, made anew for each of the rules that are met.

    Args:
        agent: by name; None: whoever looks at people's play by the rules (`agents.levels.REVIEWERS`).
        fantasyland_values: of 14 to 17 cards, for rules under which nobody has measured them.
    """

    def __init__(self, agent: str | None, fantasyland_values: tuple[float, ...] | None = None) -> None:
        self.agent, self.values = agent, fantasyland_values
        self.made: dict[Rules, tuple[Agent, RewardConfig | None]] = {}
        self.names: list[str] = []  # of the agents that were made

    def of(self, rules: Rules) -> tuple[Agent, RewardConfig | None]:
        """The agent for some rules, and what a hand is worth if it has to be played out."""
        rules = rules.of_a_hand()
        if rules not in self.made:
            name = self.agent or levels.reviewer(rules)
            reward = None if self.values is None else equity(rules, self.values)
            self.made[rules] = agents.make_valued(name, rules, self.values), reward
            self.names += [] if name in self.names else [name]
        return self.made[rules]


def review_hands(
    hands: Iterable[LoggedHand],
    judges: Judges,
    chosen: Callable[[LoggedTurn], bool],
    result: Review,
    *,
    most: int | None = None,
    worlds: int = 32,
    total: int | None = None,
    progress: bool = True,
) -> None:
    """Rank decisions of hands and add them to a review.

    Args:
        chosen: which turns are looked at; hands without any do not count.
        most: at most so many hands; all if None.
        worlds: deals for each placement, if the agent has to play on to know what it is worth.
        total: how many hands there are, where that is known.
    """
    rows = RowBuffer(ROWS_OF_A_HAND)
    reviewed = 0
    with Progress("review", total, unit="hands", shown=progress) as bar:
        for hand in hands:
            if most is not None and reviewed >= most:
                break
            rows.clear()
            try:
                hand.verify()
                replay_hand(hand.turns, rows, settings=hand.settings)
            except HandError as error:
                result.refused.append(f"line {error.line}: {error}; its hand is left out")
                continue
            mine = [row for row, decision in enumerate(rows.decisions) if chosen(decision.turn)]
            if mine:
                agent, reward = judges.of(hand.rules)
                result.differences += _judged(agent, rows, mine, worlds, reward)
            reviewed += bool(mine)
            bar.advance(bool(mine))
    result.rules = [rules.name for rules in judges.made]
    result.agent = ", ".join(judges.names) or result.agent


def _judged(
    agent: Agent, rows: RowBuffer, mine: list[int], worlds: int, reward: RewardConfig | None
) -> list[Difference]:
    """Some decisions of a hand, in the order of play; those that leave no choice are passed over.

    An opening is two steps, and an agent thinks again before the second. So where it would put the same cards
    on the bottom, that second thought judges the rest; where it would not, both whole openings are compared.
    """
    found: dict[int, Difference] = {}  # by line
    for seat in (0, 1):  # one after the other: an agent with a memory sits in one seat at a time
        agent.reset()
        same_bottom = False
        for row in mine:
            turn, step = rows.decisions[row].turn, rows.decisions[row].step
            if turn.seat != seat or np.count_nonzero(rows.masks[row]) == 1:
                continue
            if step and not same_bottom and not agent.remembers:
                continue
            known = InformationSet.from_observation(rows.states[row], turn.rules)
            candidates = rank(agent, known, worlds, reward=reward)
            if not step:
                same_bottom = candidates[0].actions[0] == rows.actions[row]
                found[turn.line] = compare(turn, known, candidates)
            elif same_bottom:
                rest = Placement(turn.placed[0], turn.placed[1])
                found[turn.line] = compare(turn, known, candidates, rest)
    return [found[line] for line in sorted(found)]
