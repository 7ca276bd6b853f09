"""Rows of `make bench` for the solvers and for the players that need no training.

Positions come from hands that the heuristic plays: random boards leave few choices and foul early.
"""

from __future__ import annotations

import functools
import random
import time
from collections.abc import Callable

import numpy as np

import agents
import ofc_env
from agents.turns import seat_to_act
from experiments.benches.table import Bench, row
from ofc_env import Hand, _core

FANTASYLAND_HANDS = 500
PLAYED_HANDS = 100


@functools.cache
def _decisions() -> tuple[Hand, ...]:
    """Every decision of some hands played by the heuristic in both seats."""
    player = agents.make("heuristic")
    found = []
    for number in range(PLAYED_HANDS):
        hand = Hand(seed=number, button=number % 2)
        while hand.player is not None:
            found.append(hand.clone())
            hand.step(player.act({"observation": _observation(hand), "action_mask": hand.action_mask()}))
    return tuple(found)


def _observation(hand: Hand) -> np.ndarray:
    """What the seat to act sees, (490,) float32."""
    return hand.observation(seat_to_act(hand))


# ---------------------------------------------------------------- fantasyland


@functools.cache
def _fantasyland_times(width: int) -> np.ndarray:
    """Milliseconds for each of 500 random hands in three runs, (3, 500)."""
    rng = random.Random(width)
    hands = [rng.sample(range(54), width) for _ in range(FANTASYLAND_HANDS)]
    times = np.empty((3, FANTASYLAND_HANDS))
    for run in range(3):
        for index, cards in enumerate(hands):
            start = time.perf_counter()
            ofc_env.solve_fantasyland(cards)
            times[run, index] = time.perf_counter() - start
    return times * 1000


def _fantasyland_row(width: int) -> Callable[[Bench], float]:
    def measure(bench: Bench) -> float:
        runs = _fantasyland_times(width)
        bench.record_spread(runs.mean(axis=1).tolist())
        times = runs.min(axis=0)
        bench.note = f"median {np.median(times):.2f}, worst {times.max():.2f} ms"
        return float(times.mean())

    return measure


for _width in (14, 15, 16, 17):
    _title = f"fantasyland of {_width} cards solved exactly, mean of {FANTASYLAND_HANDS} random hands"
    row(f"fantasyland{_width}", _title, 2, "ms", most=True)(_fantasyland_row(_width))


@row("fantasyland_worst", "fantasyland, the slowest of all those hands", 50, "ms", most=True)
def bench_fantasyland_worst(bench: Bench) -> float:
    """Over the four widths together."""
    times = np.concatenate([_fantasyland_times(width) for width in (14, 15, 16, 17)], axis=1)
    bench.record_spread(times.max(axis=1).tolist())
    return float(times.min(axis=0).max())


# ---------------------------------------------------------------- last turns


def _last_turn_time(bench: Bench, first_to_act: bool) -> float:
    hands = [hand for hand in _decisions() if hand.turn == 4 and (hand.player == hand.button) == first_to_act]
    slots = np.mean([len(hand.legal_actions()) for hand in hands])
    bench.note = f"{len(hands)} positions of {slots:.1f} legal slots"

    def work() -> int:
        for hand in hands:
            ofc_env.solve_last_turn(hand)
        return len(hands)

    return 1000 / bench.rate(work)


@row("last_turn_second", "last turn solved, second to act", 0.05, "ms", most=True)
def bench_last_turn_second(bench: Bench) -> float:
    """Every legal slot scored against the finished board."""
    return _last_turn_time(bench, first_to_act=False)


@row("last_turn_first", "last turn solved, first to act, all draws of the opponent", 2, "ms", most=True)
def bench_last_turn_first(bench: Bench) -> float:
    """Every legal slot against about 2,600 draws, each with its best answer."""
    return _last_turn_time(bench, first_to_act=True)


# ---------------------------------------------------------------- players


@row(
    "heuristic", "heuristic decisions on turns 1 to 4, from observations, in batches", 100_000, "decisions/s"
)
def bench_heuristic(bench: Bench) -> float:
    """Observations decoded, every placement judged, the best one numbered."""
    heuristic = _core.Heuristic()
    observations = np.stack([_observation(hand) for hand in _decisions() if hand.turn > 0])

    def work() -> int:
        heuristic.actions(observations)
        return len(observations)

    return bench.rate(work)


@row(
    "rollouts", "heuristic rollouts of both seats, from after the opening to the score", 15_000, "rollouts/s"
)
def bench_rollouts(bench: Bench) -> float:
    """A world dealt, eight placements by the heuristic (the last one exact), scored."""
    heuristic = _core.Heuristic()
    hands = [hand for hand in _decisions() if hand.turn == 1 and hand.player == hand.button]

    def work() -> int:
        for hand in hands[:20]:
            heuristic.play_out(hand, 50)
        return 1000

    return bench.rate(work)


def _simulations(bench: Bench, leaf: str) -> float:
    """Simulations a second at the decisions of turns 0 to 3, as many at each."""
    hands = [hand for hand in _decisions() if hand.turn < 4 and not hand.opening_step][:64]
    positions = [hand.information(seat_to_act(hand)) for hand in hands]
    search = _core.Ismcts(simulations=1000, leaf=leaf)

    def work() -> int:
        for position in positions:
            search.choose(position, 1)
        return 1000 * len(positions)

    return bench.rate(work)


@row("ismcts", "ismcts simulations, turns 0 to 3, random playouts at the leaves", 100_000, "simulations/s")
def bench_ismcts(bench: Bench) -> float:
    """A world dealt, the tree walked and grown by a node, the rest of the hand played at random."""
    return _simulations(bench, "random")


@row("ismcts_heuristic", "the same with heuristic playouts at the leaves", 15_000, "simulations/s")
def bench_ismcts_heuristic(bench: Bench) -> float:
    """Slower and far stronger; the target is that of the rollouts alone."""
    return _simulations(bench, "heuristic")
