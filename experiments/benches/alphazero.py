"""Rows of `make bench` for the AlphaZero player: search in self-play and live, beside its bare network.

The network is the shipped champion; without it one of the same size that knows nothing, which is as fast.
"""

from __future__ import annotations

import functools
import time
from functools import partial

import numpy as np
from numpy.typing import NDArray

from agents.networks import native
from agents.networks.files import Weights, read_weights
from agents.players.alphazero import CHAMPION, AlphaZeroAgent
from experiments.benches.search import _decisions, _observation
from experiments.benches.table import Bench, row
from ofc_env import _core

SIMULATIONS = 200  # of a decision in self-play
LIVE_SIMULATIONS = 500
CORES = 2


@functools.cache
def _champion() -> Weights:
    """The network that is measured."""
    return read_weights(CHAMPION, native.KIND, native.shapes)


def _network() -> _core.Network:
    return native.native_network(_champion().tensors)


def _observations(turns: range) -> NDArray[np.float32]:
    """Decisions of these turns as observations, (N, 490)."""
    hands = [hand for hand in _decisions() if hand.turn in turns and not hand.opening_step]
    return np.stack([_observation(hand) for hand in hands])


# ---------------------------------------------------------------- self-play


@functools.cache
def _self_play(seconds: float) -> NDArray[np.float64]:
    """Hands, simulations and seconds of three stretches of self-play in two processes, (3, 3)."""
    from experiments.selfplay.workers import Shared, joined, make_workers, split

    options = {"simulations": SIMULATIONS, "candidates": 8, "opening_width": 48}
    parts = (f"{layer}.{part}" for layer in native.LAYERS for part in ("weight", "bias"))
    shared = Shared(tuple(_champion().tensors[part] for part in parts))
    with make_workers(CORES) as workers:
        workers.start(split(2 * CORES, 1, int, options), shared).results()  # until all have started
        start = time.perf_counter()
        workers.start(split(8 * CORES, 8, int, options), shared).results()
        each = max(8, round(seconds / 3 * 8 / (time.perf_counter() - start)))
        hands = CORES * each  # one task a process, as long as those of training
        stretches = []
        for stretch in range(3):
            seeds = partial(int.__add__, 1000 * (stretch + 1))
            start = time.perf_counter()
            played = joined(workers.start(split(hands, each, seeds, options), shared).results())
            spent = time.perf_counter() - start
            turns = played["states"][:, 0, 7] & 255
            searched = int(((turns < 4) & (played["counts"] > 1)).sum())  # the last turn is solved instead
            stretches.append((hands, SIMULATIONS * searched, spent))
    return np.array(stretches)


def _self_play_rate(bench: Bench, what: int) -> float:
    stretches = _self_play(bench.seconds)
    bench.record_spread((stretches[:, what] / stretches[:, 2]).tolist())
    return float(stretches[:, what].sum() / stretches[:, 2].sum())


@row("az_hands", f"self-play at {SIMULATIONS} simulations a decision, two processes", 30, "hands/s")
def bench_hands(bench: Bench) -> float:
    """Whole hands, last turns solved, decisions gathered."""
    sizes = _champion().config
    bench.note = f"champion, {sizes['hidden']}-{sizes['second']} units"
    return _self_play_rate(bench, 0)


@row("az_simulations", "simulations of that self-play, two processes", 65_000, "simulations/s")
def bench_simulations(bench: Bench) -> float:
    """A world dealt, the opponent's answer and one's own next turn judged, some 40 placements in all."""
    return _self_play_rate(bench, 1)


@row("az_share", "search v the bare network: placements judged, alternating in one process", 60, "%")
def bench_share(bench: Bench) -> float:
    """A simulation judges all placements of two decisions; bare, the network judges such decisions only."""
    network = _network()
    roots, leaves = _observations(range(3)), _observations(range(1, 4))
    search = _core.NetworkSearch(network, sims=SIMULATIONS)

    def searching() -> int:
        search.actions(roots[:40])
        return 2 * SIMULATIONS * 40

    def bare() -> int:
        network.placements_per_second(leaves, 4)
        return 4 * len(leaves)

    within, alone = bench.rates_in_turn(searching, bare)
    judged = network.placements_per_second(leaves) / len(leaves)
    bench.note = f"{within * judged:,.0f} of {alone * judged:,.0f} placements/s on one core"
    return 100 * within / alone


# ---------------------------------------------------------------- live play


@row("az_live", f"one live decision, {LIVE_SIMULATIONS} simulations, one core", 50, "ms", most=True)
def bench_live(bench: Bench) -> float:
    """From an observation to a slot; turns 0 to 3, as often as they come."""
    from agents.positions.position import with_mask

    agent = AlphaZeroAgent(sims=LIVE_SIMULATIONS, network=_network())
    positions = [with_mask(numbers) for numbers in _observations(range(4))[:40]]
    times = []

    def work() -> int:
        for position in positions:
            start = time.perf_counter()
            agent.act(position)
            times.append(time.perf_counter() - start)
        return len(positions)

    rate = bench.rate(work)
    bench.note = f"slowest {1000 * max(times):.1f} ms"
    return 1000 / rate
