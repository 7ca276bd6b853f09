"""Improve the heuristic's seven weights by hill climbing through matches.

    python experiments/tune_heuristic.py --steps 200 --deals 1000
    python experiments/tune_heuristic.py --rules standard

A step changes one or two weights at random, by a factor, and plays the changed heuristic against the present
one over duplicate deals, fresh ones each time. A change that wins by more than its standard error is played
once more, and taken if it wins again; the size of the changes follows the luck of the climb. At the end the
weights found meet those of the start on deals that no step has seen.
"""

from __future__ import annotations

import json
import shlex
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import agents
from agents.arena.estimates import Estimate
from agents.arena.match import MatchSettings, play_match
from agents.arena.progress import Progress
from agents.rewards import equity
from experiments.common.command_line import run
from experiments.common.options import option, read, rules_option, seed_option, values_option
from ofc_env import Rules, _core

# In the order of HeuristicWeights in core/heuristic.hpp.
NAMES = ("contention", "new_pair", "steering", "spread", "foul_cost", "strength", "fantasyland")
LARGEST = (1.0, 1.0, *[np.inf] * 5)  # the first two are chances
GROW, SHRINK = 1.3, 0.96  # of the size of changes, after a success and after a failure

Weights = tuple[float, ...]


@dataclass(frozen=True)
class Config:
    """How long to climb; the defaults take some minutes."""

    start: tuple[float, ...] | None = option(
        None,
        f"weights to begin with: {', '.join(NAMES)}",
        metavar="W",
        count=len(NAMES),
        shown="the shipped ones",
    )
    steps: int = option(200, "changes to try; more climb further", low=1)
    deals: int = option(
        1000, "duplicate deals for each change; more see smaller gains, and take fewer lucky ones", low=1
    )
    final_deals: int = option(5000, "duplicate deals of the last comparison with the start", low=1)
    rules: str = rules_option()
    fantasyland_values: tuple[float, ...] | None = values_option()
    seed: int = seed_option("fixes the changes that are tried")
    out: Path = option(
        Path("runs/heuristic_weights.json"), "JSON file of what was found", metavar="FILE", old=("--output",)
    )


def changed(weights: Weights, size: float, generator: np.random.Generator) -> Weights:
    """One or two weights times a random factor, about 1 ± `size`."""
    factors = np.ones(len(weights))
    chosen = generator.choice(len(weights), size=generator.integers(1, 3), replace=False)
    factors[chosen] = np.exp(size * generator.standard_normal(len(chosen)))
    return tuple(float(value) for value in np.minimum(np.array(weights) * factors, LARGEST))


def equity_gain(
    challenger: Weights,
    champion: Weights,
    deals: int,
    seed: int,
    rules: Rules = Rules(),
    values: tuple[float, ...] | None = None,
) -> Estimate:
    """Equity a hand of the challenger against the champion."""
    reward = equity(rules, values)
    first, second = (
        agents.make("heuristic", rules=rules, weights=weights, reward=reward)
        for weights in (challenger, champion)
    )
    settings = MatchSettings(seed=seed, chunk=256, rules=rules, reward=reward, progress=False)
    return play_match(first, second, deals=deals, settings=settings).equity


def climb(
    start: Weights,
    steps: int,
    deals: int,
    seed: int,
    rules: Rules = Rules(),
    values: tuple[float, ...] | None = None,
) -> tuple[Weights, list[dict[str, Any]]]:
    """The weights after some steps, and what was taken on the way."""
    generator = np.random.default_rng(seed)
    champion, size = start, 0.2
    taken: list[dict[str, Any]] = []
    with Progress("climbing", steps, unit="steps") as progress:
        for step in range(steps):
            challenger = changed(champion, size, generator)
            gain = equity_gain(challenger, champion, deals, 2 * step + 2, rules, values)
            better = gain.mean > gain.error
            if better:
                again = equity_gain(challenger, champion, deals, 2 * step + 3, rules, values)
                better = again.mean > 0
            if better:
                champion = challenger
                taken.append(
                    {"step": step, "gain": gain.to_dict(), "again": again.to_dict(), "weights": champion}
                )
                progress.say(f"step {step}: {gain.text()}, again {again.text()}  {text(champion)}")
            size = min(1.0, max(0.02, size * (GROW if better else SHRINK)))
            progress.advance()
    return champion, taken


def text(weights: Weights) -> str:
    """The weights with their names."""
    return ", ".join(f"{name} {value:.3f}" for name, value in zip(NAMES, weights, strict=True))


def tune(config: Config, command: str) -> None:
    """Climb, compare with the start, print and write JSON."""
    start = tuple(config.start or _core.Heuristic.default_weights)
    rules, values = Rules.parse(config.rules), config.fantasyland_values
    print(f"rules: {rules.name}\nstart: {text(start)}", flush=True)
    began = time.perf_counter()
    found, taken = climb(start, config.steps, config.deals, config.seed, rules, values)
    # Seeds from 2 on were used by the climb.
    gain = equity_gain(found, start, config.final_deals, 1, rules, values)
    print(f"found: {text(found)}\nagainst the start: {gain.text()} equity a hand")
    content = {
        "command": command,
        "rules": str(rules),
        "date": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "seconds": time.perf_counter() - began,
        "start": start,
        "found": found,
        "names": NAMES,
        "gain": gain.to_dict(),
        "taken": taken,
    }
    config.out.parent.mkdir(parents=True, exist_ok=True)
    config.out.write_text(json.dumps(content, indent=2) + "\n")
    print(f"written to {config.out}")


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    command = shlex.join(["python", "experiments/tune_heuristic.py", *words])
    return run(lambda: tune(read(Config, words, __doc__), command))


if __name__ == "__main__":
    sys.exit(main())
