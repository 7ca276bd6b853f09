"""Improve the heuristic's seven weights by hill climbing through matches.

    python -m experiments.tune_heuristic --steps 200 --deals 1000

A step changes one or two weights at random, by a factor, and plays the changed heuristic against the present
one over duplicate deals, fresh ones each time. A change that wins by more than its standard error is played
once more, and taken if it wins again; the size of the changes follows the luck of the climb. At the end the
weights found meet those of the start on deals that no step has seen.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import agents
from agents.arena.estimates import Estimate
from agents.arena.match import MatchSettings, play_match, progress_bar
from ofc_env import _core

# In the order of HeuristicWeights in core/heuristic.hpp.
NAMES = ("contention", "new_pair", "steering", "spread", "foul_cost", "strength", "fantasyland")
LARGEST = (1.0, 1.0, *[np.inf] * 5)  # the first two are chances
GROW, SHRINK = 1.3, 0.96  # of the size of changes, after a success and after a failure

Weights = tuple[float, ...]


def changed(weights: Weights, size: float, generator: np.random.Generator) -> Weights:
    """One or two weights times a random factor, about 1 ± `size`."""
    factors = np.ones(len(weights))
    chosen = generator.choice(len(weights), size=generator.integers(1, 3), replace=False)
    factors[chosen] = np.exp(size * generator.standard_normal(len(chosen)))
    return tuple(float(value) for value in np.minimum(np.array(weights) * factors, LARGEST))


def equity_gain(challenger: Weights, champion: Weights, deals: int, seed: int) -> Estimate:
    """Equity a hand of the challenger against the champion."""
    players = (agents.make("heuristic", weights=challenger), agents.make("heuristic", weights=champion))
    settings = MatchSettings(seed=seed, chunk=256, progress=False)
    return play_match(*players, deals=deals, settings=settings).equity


def climb(start: Weights, steps: int, deals: int, seed: int) -> tuple[Weights, list[dict[str, Any]]]:
    """The weights after some steps, and what was taken on the way."""
    generator = np.random.default_rng(seed)
    champion, size = start, 0.2
    taken: list[dict[str, Any]] = []
    with progress_bar("climbing", steps * deals, 0, True) as advance:
        for step in range(steps):
            challenger = changed(champion, size, generator)
            gain = equity_gain(challenger, champion, deals, seed=2 * step + 2)
            better = gain.mean > gain.error
            if better:
                again = equity_gain(challenger, champion, deals, seed=2 * step + 3)
                better = again.mean > 0
            if better:
                champion = challenger
                taken.append(
                    {"step": step, "gain": gain.to_dict(), "again": again.to_dict(), "weights": champion}
                )
                print(f"step {step}: {gain.text()}, again {again.text()}  {text(champion)}", flush=True)
            size = min(1.0, max(0.02, size * (GROW if better else SHRINK)))
            advance(deals)
    return champion, taken


def text(weights: Weights) -> str:
    """The weights with their names."""
    return ", ".join(f"{name} {value:.3f}" for name, value in zip(NAMES, weights, strict=True))


def main(arguments: list[str] | None = None) -> int:
    """Climb, compare with the start, print and write JSON."""
    parser = argparse.ArgumentParser(description="Hill climbing of the heuristic's weights through matches.")
    add = parser.add_argument
    add(
        "--start",
        type=float,
        nargs=len(NAMES),
        metavar="W",
        help=f"{', '.join(NAMES)} (default: the shipped ones)",
    )
    add("--steps", type=int, default=200, help="changes to try (default %(default)s)")
    add("--deals", type=int, default=1000, help="duplicate deals for each (default %(default)s)")
    add("--final-deals", type=int, default=5000, help="of the last comparison (default %(default)s)")
    add("--seed", type=int, default=0)
    add("--out", type=Path, default=Path("runs/heuristic_weights.json"), help="JSON (default %(default)s)")
    options = parser.parse_args(arguments)
    for name in ("steps", "deals", "final_deals"):
        if getattr(options, name) < 1:
            parser.error(f"--{name.replace('_', '-')} is {getattr(options, name)}: it must be 1 or more")
    start = tuple(options.start or _core.Heuristic.default_weights)
    print(f"start: {text(start)}", flush=True)
    began = time.perf_counter()
    found, taken = climb(start, options.steps, options.deals, options.seed)
    gain = equity_gain(found, start, options.final_deals, seed=1)  # seeds from 2 on were used by the climb
    print(f"found: {text(found)}\nagainst the start: {gain.text()} equity a hand")
    content = {
        "command": "python -m experiments.tune_heuristic " + shlex.join(arguments or sys.argv[1:]),
        "date": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "seconds": time.perf_counter() - began,
        "start": start,
        "found": found,
        "names": NAMES,
        "gain": gain.to_dict(),
        "taken": taken,
    }
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(content, indent=2) + "\n")
    print(f"written to {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
