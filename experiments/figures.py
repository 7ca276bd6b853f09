"""Measure every figure of README.md and write them into its marked blocks.

    make figures                                             # everything, under 20 minutes on two cores
    python experiments/figures.py --only strength --deals 0.1

A block stands between `<!-- figures: NAME -->` and `<!-- end of figures -->`; nothing else of the page is
touched. Speeds come from the rows of `make bench`, strengths from duplicate deals of the arena with a fixed
seed, so that anybody who runs this at the same commit gets the same strengths.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from agents.arena import Adjusting, MatchSettings, play_match, play_sessions
from experiments.bench import ROWS
from experiments.benches.table import commit, figure, measure
from experiments.common.command_line import duration, machine, run
from experiments.common.options import option, processes_option, read
from experiments.common.pages import replace_block
from ofc_env import Rules

SPEEDS = (
    *("playouts", "batch", "raw_env", "env"),
    *("fantasyland14", "fantasyland17", "last_turn_second", "last_turn_first"),
    *("az_hands", "az_simulations", "az_live", "ppo_rollout", "ppo_training", "import"),
)
# First player, second player, duplicate deals; by the rules before them.
MATCHES = {
    "house": (
        ("heuristic", "random", 1000),
        ("ppo", "heuristic", 1000),
        ("bc", "heuristic", 1000),
        ("pimc:rollouts=500", "heuristic", 400),
        ("alphazero:sims=0", "random", 1000),
        ("alphazero:sims=0", "heuristic", 2000),
        ("alphazero:sims=100", "heuristic", 1000),
        ("alphazero:sims=100", "pimc:rollouts=300", 400),
    ),
    "standard": (
        ("alphazero:sims=0", "random", 1000),
        ("alphazero:sims=0", "heuristic", 2000),
        ("alphazero:sims=100", "heuristic", 1000),
        ("alphazero:sims=100", "pimc:rollouts=300", 400),
    ),
}
SESSIONS = ("alphazero:sims=0", "heuristic", 150)
SEED = 1


@dataclass(frozen=True)
class Budget:
    """How long to measure."""

    seconds: float = 3.0  # of each speed
    deals: float = 1.0  # share of the deals above that is played
    processes: int = 2
    commit: str = "unknown"  # that is measured

    def made(self, how: str) -> str:
        """The line under a table that says where its figures come from."""
        return f"*`make figures` at commit {self.commit}, {time.strftime('%Y-%m-%d')}; {how}.*"


def speed(budget: Budget) -> str:
    """The table of speeds."""
    lines = ["| speed | measured | |", "|---|---|---|"]
    rows = sorted((row for row in ROWS if row.name in SPEEDS), key=lambda row: SPEEDS.index(row.name))
    for item in measure(rows, budget.seconds):
        measured = item.note if item.value is None else f"{figure(item.value)} {item.unit}"
        lines.append(f"| {item.title} | {measured} | {item.note if item.value is not None else ''} |")
    here = machine()
    return "\n".join(
        [*lines, "", budget.made(f"{here['processor']}, {here['cores']} cores; one core where not said")]
    )


def strength(budget: Budget) -> str:
    """The table of matches."""
    lines = [
        "| rules | player | against | deals | equity per hand | luck taken out | foul | fantasyland "
        "| ms per decision |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    settings = MatchSettings(seed=SEED, processes=budget.processes, progress=False, adjust=Adjusting())
    for name, matches in MATCHES.items():
        ruled = replace(settings, rules=Rules.preset(name))
        for first, second, wanted in matches:
            lines.append(strength_line(name, first, second, max(2, round(wanted * budget.deals)), ruled))
    settings = replace(settings, adjust=None)
    first, second, wanted = SESSIONS
    sessions = max(2, round(wanted * budget.deals))
    print(f"playing {first} v {second}, {sessions} sessions …", file=sys.stderr, flush=True)
    wins = play_sessions(first, second, sessions, settings).wins
    rate = (
        f"Win rate of `{first}` against `{second}` over {sessions:,} duplicate sessions of 200 chips: "
        f"**{100 * wins.mean:.0f} ± {100 * wins.margin:.0f} %**."
    )
    return "\n".join([*lines, "", rate, "", budget.made(f"seed {SEED}, 95 % intervals")])


def strength_line(rules: str, first: str, second: str, deals: int, settings: MatchSettings) -> str:
    """A match as a line of the table."""
    print(f"playing {first} v {second}, {rules}, {deals} deals …", file=sys.stderr, flush=True)
    result = play_match(first, second, deals, settings)
    side = result.sides[0]
    adjusted = result.adjusted.text() if result.adjusted else "-"
    return (
        f"| {rules} | `{first}` | `{second}` | {deals:,} | {result.equity.text()} | {adjusted} "
        f"| {100 * side.overall.foul.mean:.0f} % | {100 * side.overall.fantasyland.mean:.0f} % "
        f"| {figure(1000 * side.seconds_per_decision)} |"
    )


BLOCKS: dict[str, Callable[[Budget], str]] = {"speed": speed, "strength": strength}


def write_figures(page: Path, names: tuple[str, ...], budget: Budget) -> None:
    """Measure these blocks and write them into the page."""
    for name in names:
        replace_block(page.read_text(encoding="utf-8"), name, "")  # refused before minutes are spent
    for name in names:
        body = BLOCKS[name](budget)
        page.write_text(replace_block(page.read_text(encoding="utf-8"), name, body), encoding="utf-8")
        print(body, flush=True)


@dataclass(frozen=True)
class Config:
    """What is measured, and for how long."""

    only: str = option("", "one block of the page", choices=("", *sorted(BLOCKS)), shown="all of them")
    page: Path = option(Path("README.md"), "the page whose marked blocks are written", metavar="FILE")
    seconds: float = option(3.0, "time for each speed; longer ones are steadier", above=0)
    deals: float = option(1.0, "share of the deals that is played; fewer are less sure", above=0, high=1)
    processes: int = processes_option(2)


def figures(config: Config) -> None:
    """Measure and write."""
    start = time.perf_counter()
    # Asked once, before the page itself becomes a file that differs from the commit.
    budget = Budget(config.seconds, config.deals, config.processes, commit() or "unknown")
    write_figures(config.page, (config.only,) if config.only else tuple(BLOCKS), budget)
    print(f"\nwritten to {config.page} in {duration(time.perf_counter() - start)}")


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    return run(lambda: figures(read(Config, arguments, __doc__)))


if __name__ == "__main__":
    sys.exit(main())
