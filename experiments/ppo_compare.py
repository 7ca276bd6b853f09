"""What makes a difference in PPO: runs that differ in one thing, measured on the same duplicate deals.

    python experiments/ppo_compare.py reward
    python experiments/ppo_compare.py opponents network --seeds 0 1

Prints a row for each run: equity a hand with its 95 % interval against `heuristic`, against `random`, and
head to head against the first run of its comparison with the same seed. A run that is complete in its folder
is measured again and not trained again. docs/ppo.md tells what came out.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.common.packages import needed_by

with needed_by(__name__):
    import torch

from agents.arena import MatchSettings, play_match
from experiments.common.command_line import run
from experiments.common.options import option, read, rules_option
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


def trained(config: PpoConfig, folder: Path) -> str:
    """The agent, by name, of the run with these settings; trained now unless its folder holds it complete."""
    if (folder / ppo_checkpoints.FILE).exists():
        found = Run.resumed(folder)
        if found.config != config:
            raise ValueError(f"{folder} holds a run with other settings: remove it or give another --out")
    else:
        found = Run(config, folder)
    found.train()
    return f"ppo:weights={folder / 'policy.safetensors'}"


def rows(
    comparison: str, steps: int, seeds: Sequence[int], deals: int, out: Path, rules: str = ""
) -> Iterator[str]:
    """Train and measure the runs of a comparison; a row of a Markdown table each."""
    settings = MatchSettings(seed=1, chunk=250, rules=Rules.parse(rules), progress=False)
    yield f"| {comparison} | seed | v `heuristic` | v `random` | head to head | foul | FL entry |"
    yield "|---|---|---|---|---|---|---|"
    for seed in seeds:
        first = ""
        for variant in COMPARISONS[comparison]:
            agent = trained(settings_of(variant, steps, seed, rules), out / f"{variant}-{seed}")
            heuristic, plain = (play_match(agent, name, deals, settings) for name in ("heuristic", "random"))
            duel = play_match(agent, first, deals, settings).equity.text() if first else ""
            first = first or agent
            rates = heuristic.sides[0].overall
            yield (
                f"| {variant} | {seed} | {heuristic.equity.text()} | {plain.equity.text()} | {duel} "
                f"| {rates.foul.mean:.1%} | {rates.fantasyland.mean:.1%} |"
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
    seeds: tuple[int, ...] = option((0,), "a run for each; more tell luck from worth", low=0)
    deals: int = option(1000, "duplicate deals a match; four times as many halve the intervals", low=1)
    rules: str = rules_option()
    out: Path = option(RUNS / "compare", "folder of the runs", metavar="FOLDER", old=("--output",))


def compare(config: Config) -> None:
    """Print the tables, row by row."""
    torch.set_num_threads(1)
    for comparison in config.comparisons:
        for row in rows(comparison, config.steps, config.seeds, config.deals, config.out, config.rules):
            print(row, flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    return run(
        lambda: compare(read(Config, arguments, __doc__)),
        when_stopped="stopped: the same command goes on from the last checkpoint",
    )


if __name__ == "__main__":
    sys.exit(main())
