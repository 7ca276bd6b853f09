"""A network on hands that it has learned from and on fresh ones: its errors, and what its decisions lose.

Errors are measured against the values of the search, which the network is taught: of the placements
themselves, and of their differences within a decision, which are what decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.arena.estimates import Estimate, estimate, ratio
from agents.arena.tables import Arrays
from agents.arena.workers import Players
from agents.networks.afterstate import VALUE, AfterstateNetwork
from agents.randomness import seed_of
from agents.turns import choose_placement
from experiments.referee.decisions import TURNS, Measurement, losses, referee_of
from experiments.referee.inputs import table_text
from experiments.referee.positions import Positions, hands_of, turns_of
from experiments.selfplay.workers import Decisions
from ofc_env import InformationSet, Rules

KINDS = ("value", "between placements")
_CHUNK = 4096  # decisions that a network judges together


@dataclass(frozen=True)
class Line:
    """A measure on hands that were learned from and on fresh ones; both in points."""

    name: str
    training: Estimate
    fresh: Estimate

    @property
    def gap(self) -> Estimate:
        """What fresh hands have above the others."""
        return difference(self.fresh, self.training)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        parts = {name: getattr(self, name).to_dict() for name in ("training", "fresh", "gap")}
        return {"name": self.name, **parts}


def difference(first: Estimate, second: Estimate) -> Estimate:
    """Of two independent estimates."""
    count = min(first.count, second.count)
    return Estimate(first.mean - second.mean, math.hypot(first.error, second.error), count)


# ---------------------------------------------------------------- errors


@dataclass(frozen=True)
class Errors:
    """Squared errors of some decisions, in points: those of its placements on average."""

    squares: NDArray[np.float64]  # (2, decisions), as KINDS names them
    turns: NDArray[np.int64]
    hands: NDArray[np.int64]  # decisions of a hand are not independent


Pair = tuple[Errors, Errors]  # on hands that were learned from, and on fresh ones


def errors_of(network: AfterstateNetwork, decisions: Decisions) -> Errors:
    """The errors of a network against the search's values."""
    counts, values = decisions["counts"], decisions["values"]
    squares = np.empty((len(KINDS), len(counts)))
    with torch.no_grad():
        for begin in range(0, len(counts), _CHUNK):
            part = slice(begin, begin + _CHUNK)
            filled = np.arange(values.shape[1]) < counts[part, None]
            beyond = np.zeros(filled.shape)
            said = network.judge(np.ascontiguousarray(decisions["states"][part][filled]))[:, VALUE]
            beyond[filled] = said.numpy() - values[part][filled]
            shared = beyond.sum(axis=1, keepdims=True) / counts[part, None]
            for kind, errors in enumerate((beyond, (beyond - shared) * filled)):
                squares[kind, part] = np.square(errors).sum(axis=1) / counts[part]
    return Errors(squares, turns_of(decisions["states"][:, 0]), hands_of(decisions))


def root_mean_square(
    errors: Errors, kind: int, turns: Sequence[int], before: Errors | None = None
) -> Estimate:
    """The error of decisions on some turns, or what it is above that of the same decisions before."""
    mine = np.isin(errors.turns, turns)
    hands = errors.hands[mine]
    counts = np.bincount(hands)

    def root(squares: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """It, and what each hand adds to it: the root is all but linear in means of so many."""
        mean = math.sqrt(squares.mean()) if len(squares) else math.nan
        return mean, np.bincount(hands, squares) / (2 * mean) if mean else np.zeros(len(counts))

    mean, shares = root(errors.squares[kind, mine])
    if before is not None:
        earlier, others = root(before.squares[kind, mine])
        mean, shares = mean - earlier, shares - others
    played = counts > 0
    found = ratio(shares[played], counts[played])
    return Estimate(mean, found.error, found.count)


def error_lines(errors: Pair, before: Pair | None = None) -> list[Line]:
    """Both kinds of errors by turn and in all, or how they changed."""
    training, fresh = errors
    early = before or (None, None)
    every = {f"turn {turn}": (turn,) for turn in range(TURNS + 1)} | {"all turns": tuple(range(TURNS + 1))}
    return [
        Line(
            f"error, {words}, {name}",
            root_mean_square(training, kind, turns, early[0]),
            root_mean_square(fresh, kind, turns, early[1]),
        )
        for kind, words in enumerate(KINDS)
        for name, turns in every.items()
    ]


# ---------------------------------------------------------------- what decisions lose


def sample(positions: Positions, count: int, seed: int, rules: Rules) -> list[InformationSet]:
    """Positions without an opponent in fantasyland, every turn that is not solved in its turn.

    Fewer are the first of more.
    """
    generator = np.random.default_rng(seed)
    there = [
        generator.permutation(np.flatnonzero((positions.turns == turn) & positions.plain))
        for turn in range(TURNS)
    ]
    if (least := min(map(len, there))) * TURNS < count:
        raise ValueError(
            f"there are {least} positions of a turn, and {count} of {TURNS} turns are to be judged: use more "
            "--hands, or fewer --decisions"
        )
    return [
        positions.information(int(there[number % TURNS][number // TURNS]), rules) for number in range(count)
    ]


def judge_positions(
    players: Players,
    first: int,
    count: int,
    report: Callable[[float], None],
    positions: Sequence[str],
    measurement: Measurement,
) -> Arrays:
    """What the decisions of two players lose at the same positions, by the same worlds.

    Args:
        positions: as `InformationSet.parse` reads them.
    """
    rows: dict[str, list[Any]] = {"turn": [], "at_least": [], "at_most": []}
    rollouts = 0
    for number in range(first, first + count):
        information = InformationSet.parse(positions[number])
        for player in players:
            player.reset()
        chosen = [choose_placement(player, information) for player in players]
        judgement = referee_of(measurement).judge(information, seed_of(measurement.seed, number), chosen)
        lost = [losses(judgement, judgement.placements.index(placement)) for placement in chosen]
        rows["turn"].append(information.turn)
        rows["at_least"].append([each[0] for each in lost])
        rows["at_most"].append([each[2] for each in lost])
        rollouts += judgement.rollouts
        report((number + 1 - first) / count)
    found: Arrays = {name: np.array(values) for name, values in rows.items()}
    return {**found, "seconds": np.zeros(2), "decisions": np.array([count, rollouts])}


@dataclass(frozen=True)
class Lost:
    """What decisions of a network lose at some positions, in points."""

    turns: NDArray[np.int64]
    at_least: NDArray[np.float64]
    at_most: NDArray[np.float64]

    def __sub__(self, other: Lost) -> Lost:
        """What it loses more than another at the same positions."""
        return Lost(self.turns, self.at_least - other.at_least, self.at_most - other.at_most)


def lost_lines(training: Lost, fresh: Lost) -> list[Line]:
    """Losses by turn; each seat decides once on each, so they add up to a hand."""
    lines = []
    for bound in ("at least", "at most"):
        name = bound.replace(" ", "_")
        turns = [
            Line(f"lost {bound}, turn {turn}", *(_of_turn(each, name, turn) for each in (training, fresh)))
            for turn in range(TURNS)
        ]
        total = (_sum([line.training for line in turns]), _sum([line.fresh for line in turns]))
        lines += [*turns, Line(f"lost {bound}, a hand", *total)]
    return lines


def _of_turn(lost: Lost, name: str, turn: int) -> Estimate:
    return estimate(getattr(lost, name)[lost.turns == turn])


def _sum(turns: Sequence[Estimate]) -> Estimate:
    error = math.sqrt(sum(turn.error**2 for turn in turns))
    return Estimate(sum(turn.mean for turn in turns), error, sum(turn.count for turn in turns))


# ---------------------------------------------------------------- for people


def lines_text(title: str, lines: Sequence[Line], changes: bool = False) -> str:
    """A table; of changes the gap says nothing."""
    rows = [[title, "training", "fresh", *([] if changes else ["fresh - training"])]]
    for line in lines:
        parts = (line.training, line.fresh, *(() if changes else (line.gap,)))
        signed = changes or line.name.startswith("lost")
        cells = [part.text(3, sign=signed or index == 2) for index, part in enumerate(parts)]
        rows.append([line.name, *cells])
    return table_text(rows)
