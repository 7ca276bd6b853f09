"""A second opinion on judged decisions: whether it says anything that the network's values do not.

Placements are those that the network or the second opinion puts first, and what they are worth comes from
worlds that had no part in choosing them. So nobody is flattered by luck, and differences between placements
may be regressed on what both opinions say.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.arena.estimates import Estimate, estimate
from agents.arena.tables import Arrays
from agents.arena.workers import Players
from agents.networks.native import load_native
from agents.randomness import seed_of
from experiments.referee.decisions import Measurement, referee_of
from experiments.referee.inputs import table_text
from experiments.referee.report import Share
from ofc_env import InformationSet, Placement, _core, completions

DOUBT = 0.5  # points, beside the error of a value: what two opinions cannot tell of it either
SHARES = (0.1, 0.3, 1.0)  # of hindsight beside the network that are tried as they are
GLANCE = 16  # every placement has this fraction of the futures, and those it puts first all of them
# Streams of chance of a decision: the futures of hindsight, and the worlds in which placements are played on.
_GLANCE, _FUTURES, _WORLDS, _LOOKS = 1, 2, 3, 4

# What the network's own value counts for beside worlds of its look-ahead: as much as where it plays.
PRIOR_WEIGHT: float = next(
    each.default for each in _core.NetworkSearch.fields() if each.name == "prior_weight"
)

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Weighing:
    """How decisions are weighed."""

    measurement: Measurement  # of the labels: who plays on, rules and what fantasyland is worth
    futures: int
    first: int  # placements of either opinion
    fresh: int  # worlds that judge them; 0 takes those of the labels
    look_ahead: int  # worlds in which the network looks ahead, 0 where it is asked for its own values
    foul: float | None  # what it costs; None as in the rules
    seed: int


@dataclass(frozen=True)
class Opinions:
    """What both say about some placements of a decision, and what these are worth: points, (placements,)."""

    turn: int
    network: Numbers
    hindsight: Numbers
    values: Numbers
    errors: Numbers  # standard errors of the values, less what the placements share
    agent: int  # the placement that the labels' agent chose

    def by(self, network: float, hindsight: float) -> int:
        """The choice by the sum of both at these weights; of equals the network's."""
        said = network * self.network + hindsight * self.hindsight
        best = np.flatnonzero(said == said.max())
        return int(best[np.argmax(self.network[best])])

    def gain(self, choice: int) -> float:
        """What a choice is worth above the network's."""
        return float(self.values[choice] - self.values[self.by(1, 0)])


# ---------------------------------------------------------------- weighing


def weigh_decisions(
    players: Players,
    first: int,
    count: int,
    report: Callable[[float], None],
    decisions: Sequence[dict[str, Any]],
    weighing: Weighing,
) -> Arrays:
    """Some of the decisions with both opinions, JSON-ready; the players have nothing to do.

    Args:
        decisions: as `read_decisions` reads them.
    """
    found = []
    for number in range(first, first + count):
        found.append(weigh(decisions[number], number, weighing))
        report((number + 1 - first) / count)
    return {
        "decision": np.array(found, dtype=object),
        "seconds": np.zeros(2),
        "decisions": np.array([count, 0]),
    }


def weigh(decision: dict[str, Any], number: int, weighing: Weighing) -> dict[str, Any]:
    """One decision: the placements that either opinion puts first, or those that the labels judged."""
    information = InformationSet.parse(decision["information"])
    placements = [Placement.parse(text) for text in decision["placements"]]

    def hindsight(asked: Sequence[int], futures: int, stream: int) -> Numbers:
        return completions(
            information,
            [placements[index] for index in asked],
            futures,
            seed_of(weighing.seed, number, stream),
            fantasyland_values=weighing.measurement.reward.fantasyland_values,
            foul=weighing.foul,
        ).astype(np.float64)

    if weighing.fresh:
        every = range(len(placements))
        glance = hindsight(every, max(2, weighing.futures // GLANCE), _GLANCE).mean(axis=1)
        liked = np.argsort(-glance, kind="stable")[: weighing.first].tolist()
        candidates = sorted({*every[: weighing.first], *liked, decision["chosen"]})
        played = referee_of(weighing.measurement).play(
            information,
            [placements[index] for index in candidates],
            weighing.fresh,
            seed_of(weighing.seed, number, _WORLDS),
        )
        values, errors = _apart(played[:, :, 0].astype(np.float64))
    else:
        candidates = decision["judged"]
        values, errors = (np.array(decision["fresh"][name]) for name in ("means", "errors"))
    means, doubts = _apart(hindsight(candidates, weighing.futures, _FUTURES))
    network = np.array([decision["priors"][index] for index in candidates])
    if weighing.look_ahead:
        looks = search_of(weighing.measurement).compare(
            information,
            [placements[index] for index in candidates],
            weighing.look_ahead,
            seed_of(weighing.seed, number, _LOOKS),
        )
        network = (PRIOR_WEIGHT * network + looks.sum(axis=1)) / (PRIOR_WEIGHT + weighing.look_ahead)
    return {
        "turn": decision["turn"],
        "placements": candidates,
        "network": _rounded(network),
        "hindsight": _rounded(means),
        "hindsight_errors": _rounded(doubts),
        "values": _rounded(values),
        "errors": _rounded(errors),
        "agent": candidates.index(decision["chosen"]),
    }


@lru_cache(maxsize=1)
def search_of(measurement: Measurement) -> _core.NetworkSearch:
    """The look-ahead of the judge's network."""
    if measurement.network is None:
        raise ValueError(f"{measurement.judge} has no network that could look ahead: leave --look-ahead out")
    return _core.NetworkSearch(load_native(measurement.network), reward=measurement.reward)


def _apart(worlds: Numbers) -> tuple[Numbers, Numbers]:
    """Means over worlds and the standard errors of what parts them from each other: (N, worlds) -> (N,)."""
    beyond = worlds - worlds.mean(axis=0)
    return worlds.mean(axis=1), beyond.std(axis=1, ddof=1) / math.sqrt(worlds.shape[1])


def _rounded(numbers: Numbers) -> list[float]:
    return [round(float(number), 4) for number in numbers]


def opinions_of(decision: dict[str, Any]) -> Opinions:
    """A decision that was weighed."""
    network, hindsight, values, errors = (
        np.array(decision[name], np.float64) for name in ("network", "hindsight", "values", "errors")
    )
    return Opinions(decision["turn"], network, hindsight, values, errors, decision["agent"])


# ---------------------------------------------------------------- what they say


def fit(decisions: Sequence[Opinions]) -> tuple[Estimate, Estimate]:
    """Weighted least squares of values on both opinions, within decisions: the coefficients of the two.

    A decision counts as one sample, whatever its placements share (the sandwich of clusters).
    """
    squares, products, parts = np.zeros((2, 2)), np.zeros(2), []
    for each in decisions:
        weights = 1 / (each.errors**2 + DOUBT**2)
        both = np.stack([each.network, each.hindsight])
        both = both - np.average(both, axis=1, weights=weights)[:, None]
        weighted = both * weights
        squares += weighted @ both.T
        products += weighted @ each.values
        parts.append((both, weighted, each.values - np.average(each.values, weights=weights)))
    inverse = np.linalg.pinv(squares)
    found = inverse @ products
    scores = np.array([weighted @ (values - found @ both) for both, weighted, values in parts])
    count = len(decisions)
    spread = inverse @ scores.T @ scores @ inverse * count / (count - 1)
    network, hindsight = (
        Estimate(float(mean), math.sqrt(square), count)
        for mean, square in zip(found, np.diag(spread), strict=True)
    )
    return network, hindsight


def held_out_choices(decisions: Sequence[Opinions], folds: int) -> list[int]:
    """The choice of every decision by a mixture that was fitted to the other folds."""
    choices = [0] * len(decisions)
    for fold in range(folds):
        network, hindsight = fit([each for index, each in enumerate(decisions) if index % folds != fold])
        for index in range(fold, len(decisions), folds):
            choices[index] = decisions[index].by(network.mean, hindsight.mean)
    return choices


@dataclass(frozen=True)
class Line:
    """What the second opinion is worth on some decisions; gains are points above the network's choice."""

    name: str
    agent: Estimate  # gain of the choice of the labels' agent
    hindsight: Estimate  # gain of hindsight's own choice
    network_weight: Estimate  # coefficients of the fit
    hindsight_weight: Estimate
    mixture: Estimate  # gain of the mixture on decisions that it was not fitted to
    above_agent: Estimate  # the same above the agent's choice
    changed: Share  # decisions in which that mixture chooses otherwise than the network
    shares: dict[float, Estimate]  # gains of network + share * hindsight

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        told = {
            item.name: getattr(self, item.name).to_dict()
            for item in fields(self)
            if item.name not in ("name", "shares")
        }
        shares = {str(share): gain.to_dict() for share, gain in self.shares.items()}
        return {"name": self.name, **told, "shares": shares}


def line_of(name: str, decisions: Sequence[Opinions], folds: int) -> Line:
    """All that is asked about decisions of a kind."""
    pairs = list(zip(decisions, held_out_choices(decisions, folds), strict=True))
    return Line(
        name,
        estimate([each.gain(each.agent) for each in decisions]),
        estimate([each.gain(each.by(0, 1)) for each in decisions]),
        *fit(decisions),
        estimate([each.gain(choice) for each, choice in pairs]),
        estimate([each.gain(choice) - each.gain(each.agent) for each, choice in pairs]),
        Share(sum(choice != each.by(1, 0) for each, choice in pairs), len(pairs)),
        {share: estimate([each.gain(each.by(1, share)) for each in decisions]) for share in SHARES},
    )


def lines_text(lines: Sequence[Line]) -> str:
    """The two tables for people."""
    shares = (f"{share:g} of it" for share in SHARES)
    choices = [["choice by", "decisions", "the agent", "hindsight", *shares]]
    choices += [
        [
            line.name,
            str(line.agent.count),
            *(each.text(3) for each in (line.agent, line.hindsight, *line.shares.values())),
        ]
        for line in lines
    ]
    fits = [["fitted", "network", "hindsight", "mixture gains", "above the agent", "chooses otherwise"]]
    fits += [
        [
            line.name,
            line.network_weight.text(2, sign=False),
            line.hindsight_weight.text(3),
            line.mixture.text(3),
            line.above_agent.text(3),
            line.changed.text(),
        ]
        for line in lines
    ]
    return table_text(choices) + "\n\n" + table_text(fits)
