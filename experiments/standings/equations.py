"""Chances to win a session from the outcomes of hands, over leads, fantasylands and the button."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ofc_env import Rules

STATES = (0, 14, 15, 16, 17)  # what a seat may hold: normal play, or that many cards

Pair = tuple[int, int]  # what seats 0 and 1 hold
Outcome = tuple[int, int, int]  # points of seat 0, and what seats 0 and 1 hold next
Block = dict[Outcome, float]  # shares, 1 in all
Chances = NDArray[np.float64]  # (5 widths of seat 0, 5 of seat 1, 2: seat 0 has the button or not, leads)


def mean_block(blocks: list[Block], weights: NDArray[np.float64]) -> Block:
    """The weighted mean of blocks; the weights add up to 1."""
    mean: Block = {}
    for block, weight in zip(blocks, weights, strict=True):
        if weight:
            for outcome, share in block.items():
                mean[outcome] = mean.get(outcome, 0.0) + weight * share
    return mean


def mirrored(block: Block) -> Block:
    """The same from the other seat."""
    return {(-points, u, w): share for (points, w, u), share in block.items()}


def outcomes_by_state(means: dict[Pair, Block]) -> dict[tuple[int, int, int], Block]:
    """Outcomes from seat 0's side for every `(width, other width, 0 with the button or 1)`."""
    found = {}
    for pair, block in means.items():
        other = mirrored(block)
        if pair == (0, 0):
            found[0, 0, 0], found[0, 0, 1] = block, other
            continue
        if pair[0] == pair[1]:
            block = other = mean_block([block, other], np.array([0.5, 0.5]))
        for button in (0, 1):  # there is no order of play in a fantasyland hand
            found[(*pair, button)] = block
            found[(*pair[::-1], button)] = other
    return found


def solve(means: dict[Pair, Block], rules: Rules, start: Chances | None = None) -> Chances:
    """The chances by value iteration, to a millionth; leads from `-chips` to `chips`."""
    chips = rules.chips
    leads = np.arange(-chips, chips + 1)
    steps = []
    for (w, u, button), block in outcomes_by_state(means).items():
        most = max(abs(points) for points, _, _ in block)
        shares: dict[Pair, NDArray[np.float64]] = {}
        for (points, next_w, next_u), share in block.items():
            by_points = shares.setdefault((next_w, next_u), np.zeros(2 * most + 1))
            by_points[most + points] += share
        steps.append(((STATES.index(w), STATES.index(u), button), most, shares))
    chances = np.full((len(STATES), len(STATES), 2, len(leads)), 0.5) if start is None else start.copy()
    over = np.abs(2 * leads) >= rules.stop_gap
    while True:
        chances[..., 0], chances[..., -1] = 0.0, 1.0  # nobody plays on without chips
        chances[0, 0, :, over] = (leads[over] > 0)[:, None]
        before = chances.copy()
        for (w, u, button), most, shares in steps:
            total = np.zeros(len(leads))
            for (next_w, next_u), by_points in shares.items():
                after = before[STATES.index(next_w), STATES.index(next_u), 1 - button]
                padded = np.concatenate([np.zeros(most), after, np.ones(most)])  # points are capped by chips
                total += np.convolve(padded, by_points[::-1], mode="valid")
            chances[w, u, button] = total
        chances[..., 0], chances[..., -1] = 0.0, 1.0
        chances[0, 0, :, over] = (leads[over] > 0)[:, None]
        if np.abs(chances - before).max() < 1e-6:
            return chances
