"""Placements of a decision that a network cannot tell apart, because their inputs are the very same.

Two states that are one and the same game under other names of suits or jokers are no loss to anybody and do
not count.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.arena.estimates import Estimate, estimate
from experiments.referee.decisions import TURNS
from experiments.referee.labels import read_decisions, read_labels
from experiments.referee.positions import Positions
from experiments.referee.report import Share
from ofc_env import InformationSet, Rules, _core
from ofc_env.layout import FIRST_JOKER

States = NDArray[np.uint64]
# Inputs that are on, of packed states (N, 8), and where those of each state start: `_core.network_inputs`.
Inputs = Callable[[States], tuple[NDArray[np.int32], NDArray[np.int64]]]

_RANKS = 13
_CHUNK = 500  # positions whose placements are looked at together, some 100 MB


@dataclass(frozen=True)
class Hidden:
    """Decisions of a kind, and what their inputs hide."""

    name: str
    scanned: Share  # positions of self-play with any two placements alike, nobody judged
    alike: Share  # judged decisions with any two placements alike
    best: Share  # those where the best is like a worse one
    clear: Share  # those where the race dropped one that the best is like
    cost: Estimate  # points a decision: the best, less the mean of all that look like it

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        shares = {name: getattr(self, name).to_dict() for name in ("scanned", "alike", "best", "clear")}
        return {"name": self.name, **shares, "cost": self.cost.to_dict()}


@dataclass(frozen=True)
class _Judged:
    """A judged decision."""

    turn: int
    alike: bool
    best: bool
    clear: bool
    cost: float


def inputs_by(rules: Rules) -> Inputs:
    """The inputs of networks that play by these rules."""
    return lambda states: _core.network_inputs(states, rules=rules)


# ---------------------------------------------------------------- alike


def looks_of(states: States, inputs: Inputs) -> NDArray[np.uint64]:
    """A number for the inputs of each state, equal where they are, in whatever order: uint64 (N,)."""
    numbers, starts = inputs(states)
    # Sums of random 64-bit numbers: different inputs come to the same sum once in 2 ^ 64.
    names = np.random.default_rng(0).integers(0, 1 << 64, _core.NETWORK_FEATURES, np.uint64)
    sums = np.cumsum(np.append(np.uint64(0), names[numbers]), dtype=np.uint64)
    return sums[starts[1:]] - sums[starts[:-1]]


def game_of(state: States) -> tuple[int, ...]:
    """A packed state (8,) by names of suits and jokers that all its renamings have in common."""
    *cards, table = (int(word) for word in state)

    def renamed(suits: Sequence[int], jokers: Sequence[int]) -> tuple[int, ...]:
        return tuple(
            sum((each >> _RANKS * suit & 0x1FFF) << _RANKS * new for suit, new in enumerate(suits))
            | sum((each >> FIRST_JOKER + joker & 1) << FIRST_JOKER + new for joker, new in enumerate(jokers))
            for each in cards
        )

    return (*min(renamed(*names) for names in _names()), table)


def _names() -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    return [(suits, jokers) for suits in permutations(range(4)) for jokers in ((0, 1), (1, 0))]


def alike_in(states: States, looks: NDArray[np.uint64]) -> list[list[int]]:
    """The placements of one decision that look alike and are not the same game, group by group."""
    _, groups, sizes = np.unique(looks, return_inverse=True, return_counts=True)
    found = []
    for group in np.flatnonzero(sizes > 1):
        members = np.flatnonzero(groups == group).tolist()
        if len({game_of(states[member]) for member in members}) > 1:
            found.append(members)
    return found


def scan(positions: Positions, inputs: Inputs) -> NDArray[np.bool_]:
    """Whether each position has two placements alike: bool (positions,)."""
    found = np.zeros(len(positions.packed), bool)
    for begin in range(0, len(found), _CHUNK):
        states, starts = _core.placement_states(positions.packed[begin : begin + _CHUNK])
        looks = looks_of(states, inputs)
        for index, piece in enumerate(map(slice, starts[:-1], starts[1:])):
            found[begin + index] = bool(alike_in(states[piece], looks[piece]))
    return found


# ---------------------------------------------------------------- judged decisions


def judged_inputs(path: Path, inputs: Inputs | None = None) -> list[_Judged]:
    """What the inputs hide in the decisions of a `decisions.jsonl` of experiments/regret.py.

    Args:
        inputs: those of networks that play by the labels' rules, unless others are given.
    """
    labels = read_labels(path)
    inputs = inputs or inputs_by(InformationSet.parse(labels.informations[0]).rules)
    looks = looks_of(labels.states, inputs)
    found = []
    listed = sorted(read_decisions(path), key=lambda numbered: numbered[0])
    for (_, decision), piece in zip(listed, map(slice, labels.offsets, labels.offsets[1:]), strict=False):
        groups = alike_in(labels.states[piece], looks[piece])
        leader, values = decision["leader"], labels.values[piece].astype(np.float64)
        game = game_of(labels.states[piece][leader])
        group = next((group for group in groups if leader in group), [leader])
        others = [member for member in group if game_of(labels.states[piece][member]) != game]
        found.append(
            _Judged(
                decision["turn"],
                bool(groups),
                any(values[member] < values[leader] for member in others),
                any(member not in decision["left"] for member in others),
                float(values[leader] - values[group].mean()) if others else 0.0,
            )
        )
    return found


def hidden(
    judged: Sequence[_Judged], scanned: tuple[NDArray[np.int64], NDArray[np.bool_]] | None = None
) -> list[Hidden]:
    """By turn and in all.

    Args:
        scanned: turns of positions of self-play, and what `scan` found in them.
    """

    def line(name: str, turns: Sequence[int]) -> Hidden:
        chosen = [each for each in judged if each.turn in turns]

        def share(what: str) -> Share:
            return Share(sum(getattr(each, what) for each in chosen), len(chosen))

        seen = scanned[1][np.isin(scanned[0], turns)] if scanned else np.zeros(0, bool)
        return Hidden(
            name,
            Share(int(seen.sum()), len(seen)),
            share("alike"),
            share("best"),
            share("clear"),
            estimate([each.cost for each in chosen]),
        )

    every = range(TURNS + 1)
    lines = [line(f"turn {turn}", (turn,)) for turn in every] + [line("all", every)]
    return [each for each in lines if each.scanned.count or each.alike.count]


def hidden_text(lines: Sequence[Hidden]) -> str:
    """The table for people."""
    titles = ("self-play", "any two alike", "judged", "any two alike", "best like a worse", "clearly worse")
    rows = [["", *titles, "costs"]]
    rows += [
        [
            each.name,
            f"{each.scanned.count:,}",
            _fine(each.scanned),
            f"{each.alike.count:,}",
            *(_fine(share) for share in (each.alike, each.best, each.clear)),
            each.cost.text(3),
        ]
        for each in lines
    ]
    return table_text(rows)


def _fine(share: Share) -> str:
    """A share that may be far below 1 %."""
    if not share.count:
        return "-"
    low, high = share.interval
    return f"{100 * share.hits / share.count:.2f} % ({100 * low:.2f} to {100 * high:.2f})"


def table_text(rows: Sequence[Sequence[str]]) -> str:
    """Rows of equal length as columns, the first to the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]
        ).rstrip()
        for row in rows
    )
