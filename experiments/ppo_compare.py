"""What makes a difference in PPO: runs that differ in one thing, measured on the same duplicate deals.

    python experiments/ppo_compare.py reward
    python experiments/ppo_compare.py opponents network --seeds 0 1 2 --processes 2

Prints a row for each run: equity a hand with its 95 % interval against `heuristic`, against `random`, and
head to head against the first run of its comparison with the same seed. With several training seeds, a row
for each variant's mean over them follows, whose interval is over seeds: what another training would change.
A run that is complete in its folder is measured again and not trained again. docs/ppo.md tells what came out.
"""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from experiments.common.packages import needed_by

with needed_by(__name__):
    import torch

from agents.arena import MatchSettings, play_match
from agents.arena.estimates import Estimate, estimate
from experiments.common.command_line import run
from experiments.common.options import option, processes_option, read, rules_option
from experiments.masked_ppo import checkpoints as ppo_checkpoints
from experiments.masked_ppo.config import PRESETS, PpoConfig
from experiments.ppo import RUNS, Run
from ofc_env import Rules

# Lessons by the heuristic, then PPO against it for equity; a copy for the pool every 32,768 decisions.
_BASELINE: dict[str, Any] = {"lessons": 100_000, "opponents": ("heuristic",), "stretch": 4, "deals": 0}
_PLAIN: dict[str, Any] = {"policy_layers": (512, 256), "value_layers": (512, 256)}

VARIANTS: dict[str, dict[str, Any]] = {
    "baseline": {},
    "points": {"reward": "points"},
    "shaped": {"reward": "shaped"},
    "pool": {"opponents": ("pool",)},
    "raw": {"network": "raw", **_PLAIN},
    "slots": {"network": "slots", **_PLAIN},
    "raw-from-nothing": PRESETS["raw"],
    "slots-from-nothing": PRESETS["slots"],
}
COMPARISONS = {
    "reward": ("baseline", "points", "shaped"),
    "opponents": ("baseline", "pool"),
    "network": ("raw", "slots", "baseline"),
    "from-nothing": ("raw-from-nothing", "slots-from-nothing"),
}


def settings_of(variant: str, steps: int, seed: int, rules: str = "") -> PpoConfig:
    """The settings of a run."""
    return PpoConfig(**{**_BASELINE, **VARIANTS[variant], "steps": steps, "seed": seed, "rules": rules})


def trained(config: PpoConfig, folder: Path, quiet: bool = False) -> str:
    """The agent, by name, of the run with these settings; trained now unless its folder holds it complete."""
    if (folder / ppo_checkpoints.FILE).exists():
        found = Run.resumed(folder, quiet=quiet)
        if found.config != config:
            raise ValueError(f"{folder} holds a run with other settings: remove it or give another --out")
    else:
        found = Run(config, folder, quiet)
    found.train()
    return f"ppo:weights={folder / 'policy.safetensors'}"


def train_all(runs: Sequence[tuple[PpoConfig, Path]], processes: int) -> Iterator[str]:
    """The agents of these runs, by name and in order; a run is one process's work, with one thread."""
    if processes == 1:
        yield from (trained(config, folder) for config, folder in runs)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context, torch.set_num_threads, (1,)) as pool:
        yield from pool.map(partial(trained, quiet=True), *zip(*runs))


def rows(
    comparison: str,
    steps: int,
    seeds: Sequence[int],
    deals: int,
    out: Path,
    rules: str = "",
    processes: int = 1,
) -> Iterator[str]:
    """Train and measure the runs of a comparison; a row of a Markdown table each, then the mean over seeds.

    The interval of a run is over deals; that of a mean over training seeds, whose runs are its samples.
    """
    settings = MatchSettings(seed=1, processes=processes, chunk=250, rules=Rules.parse(rules), progress=False)
    variants = COMPARISONS[comparison]
    runs = [(variant, seed) for seed in seeds for variant in variants]
    work = [(settings_of(variant, steps, seed, rules), out / f"{variant}-{seed}") for variant, seed in runs]
    yield f"| {comparison} | seed | v `heuristic` | v `random` | head to head | foul | FL entry |"
    yield "|---|---|---|---|---|---|---|"
    found: dict[str, list[list[Estimate]]] = {variant: [] for variant in variants}
    first = ""
    for (variant, seed), agent in zip(runs, train_all(work, processes)):
        if variant == variants[0]:
            first = agent
        opponents = ("heuristic", "random") if agent == first else ("heuristic", "random", first)
        results = [play_match(agent, name, deals, settings) for name in opponents]
        rates = results[0].sides[0].overall
        measured = [*(result.equity for result in results), rates.foul, rates.fantasyland]
        found[variant].append(measured)
        foul, fantasyland = (f"{rate.mean:.1%}" for rate in measured[-2:])
        yield _row(variant, str(seed), [result.text() for result in measured[:-2]], foul, fantasyland)
    if len(seeds) > 1:
        for variant, measurements in found.items():
            means = [estimate([each.mean for each in column]) for column in zip(*measurements)]
            foul, fantasyland = (f"{rate.scaled(100).text(1, sign=False)} %" for rate in means[-2:])
            title = f"mean of {len(seeds)}"
            yield _row(variant, title, [mean.text() for mean in means[:-2]], foul, fantasyland)


def _row(variant: str, seed: str, equities: Sequence[str], foul: str, fantasyland: str) -> str:
    """A line of the table; the first run of a comparison has not met itself."""
    return (
        "| " + " | ".join([variant, seed, *equities, *[""] * (3 - len(equities)), foul, fantasyland]) + " |"
    )


@dataclass(frozen=True)
class Config:
    """What is compared; a run of the defaults takes some minutes on one core."""

    comparisons: tuple[str, ...] = option(
        ("reward",),
        f"what to compare: {', '.join(COMPARISONS)}",
        positional=True,
        metavar="COMPARISON",
        choices=tuple(COMPARISONS),
    )
    steps: int = option(200_000, "decisions a run; more show what lasts", low=1)
    seeds: tuple[int, ...] = option(
        (0,), "a training run for each; three or more tell luck from worth", low=0
    )
    deals: int = option(1000, "duplicate deals a match; four times as many halve the intervals", low=1)
    rules: str = rules_option()
    processes: int = processes_option(1)
    out: Path = option(RUNS / "compare", "folder of the runs", metavar="FOLDER", old=("--output",))


def compare(config: Config) -> None:
    """Print the tables, row by row."""
    torch.set_num_threads(1)
    if len(set(config.seeds)) < len(config.seeds):
        raise ValueError(f"--seeds {' '.join(map(str, config.seeds))} has one twice: give each once")
    for comparison in config.comparisons:
        shared = (config.steps, config.seeds, config.deals, config.out, config.rules, config.processes)
        for row in rows(comparison, *shared):
            print(row, flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    return run(
        lambda: compare(read(Config, arguments, __doc__)),
        when_stopped="stopped: the same command goes on from the last checkpoint",
    )


if __name__ == "__main__":
    sys.exit(main())
