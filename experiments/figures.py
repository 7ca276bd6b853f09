"""Measure every figure of README.md and write them into its marked blocks.

    make figures                                             # everything, under 20 minutes on two cores
    python -m experiments.figures --only strength --deals 0.1

A block stands between `<!-- figures: NAME -->` and `<!-- end of figures -->`; nothing else of the page is
touched. Speeds come from the rows of `make bench`, strengths from duplicate deals of the arena with a fixed
seed, so that anybody who runs this at the same commit gets the same strengths.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agents.arena import MatchSettings, play_match, play_sessions
from experiments.bench import ROWS
from experiments.benches.table import commit, figure, measure
from experiments.common.command_line import duration, machine

SPEEDS = (
    *("playouts", "batch", "raw_env", "env"),
    *("fantasyland14", "fantasyland17", "last_turn_second", "last_turn_first"),
    *("az_hands", "az_simulations", "az_live", "ppo_rollout", "ppo_training", "import"),
)
# First player, second player, duplicate deals.
MATCHES = (
    ("heuristic", "random", 2000),
    ("ppo", "heuristic", 2000),
    ("bc", "heuristic", 2000),
    ("pimc:rollouts=500", "heuristic", 500),
    ("alphazero:sims=0", "random", 2000),
    ("alphazero:sims=0", "heuristic", 2000),
    ("alphazero:sims=100", "heuristic", 500),
    ("alphazero:sims=100", "pimc:rollouts=300", 500),
)
SESSIONS = ("alphazero:sims=0", "heuristic", 200)
SEED = 1
BLOCK = "<!-- figures: {name} -->\n{body}\n<!-- end of figures -->"


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
        "| player | against | deals | equity per hand | foul | fantasyland | ms per decision |",
        "|---|---|---|---|---|---|---|",
    ]
    settings = MatchSettings(seed=SEED, processes=budget.processes, progress=False)
    for first, second, wanted in MATCHES:
        deals = max(2, round(wanted * budget.deals))
        print(f"playing {first} v {second}, {deals} deals …", file=sys.stderr, flush=True)
        result = play_match(first, second, deals, settings)
        side = result.sides[0]
        lines.append(
            f"| `{first}` | `{second}` | {deals:,} | {result.equity.mean:+.2f} ± {result.equity.margin:.2f} "
            f"| {100 * side.overall.foul.mean:.0f} % | {100 * side.overall.fantasyland.mean:.0f} % "
            f"| {figure(1000 * side.seconds_per_decision)} |"
        )
    first, second, wanted = SESSIONS
    sessions = max(2, round(wanted * budget.deals))
    print(f"playing {first} v {second}, {sessions} sessions …", file=sys.stderr, flush=True)
    wins = play_sessions(first, second, sessions, settings).wins
    rate = (
        f"Win rate of `{first}` against `{second}` over {sessions:,} duplicate sessions of 200 chips: "
        f"**{100 * wins.mean:.0f} ± {100 * wins.margin:.0f} %**."
    )
    return "\n".join([*lines, "", rate, "", budget.made(f"seed {SEED}, 95 % intervals")])


BLOCKS: dict[str, Callable[[Budget], str]] = {"speed": speed, "strength": strength}


def replace_block(text: str, name: str, body: str) -> str:
    """The page with a block's content exchanged."""
    start, end = BLOCK.format(name=name, body="\0").split("\n\0\n")
    pattern = re.compile(re.escape(start) + r"(?:(?!<!--).)*?" + re.escape(end), flags=re.DOTALL)
    if len(pattern.findall(text)) != 1:
        raise ValueError(f"the page has no block of the form {start} … {end}: write one into it, once")
    return pattern.sub(lambda _: BLOCK.format(name=name, body=body), text)


def write_figures(page: Path, names: tuple[str, ...], budget: Budget) -> None:
    """Measure these blocks and write them into the page."""
    for name in names:
        replace_block(page.read_text(encoding="utf-8"), name, "")  # refused before minutes are spent
    for name in names:
        body = BLOCKS[name](budget)
        page.write_text(replace_block(page.read_text(encoding="utf-8"), name, body), encoding="utf-8")
        print(body, flush=True)


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="experiments.figures", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--only", choices=sorted(BLOCKS), help="one block (default: all)")
    parser.add_argument("--page", type=Path, default=Path("README.md"), help="default %(default)s")
    parser.add_argument("--seconds", type=float, default=3.0, help="of each speed (default %(default)s)")
    parser.add_argument(
        "--deals", type=float, default=1.0, help="share of the deals to play (default %(default)s)"
    )
    parser.add_argument("--processes", type=int, default=2, help="of the matches (default %(default)s)")
    given = parser.parse_args(arguments)
    names = (given.only,) if given.only else tuple(BLOCKS)
    start = time.perf_counter()
    try:
        # Asked once, before the page itself becomes a file that differs from the commit.
        budget = Budget(given.seconds, given.deals, given.processes, commit() or "unknown")
        write_figures(given.page, names, budget)
    except (ValueError, OSError) as refusal:
        print(f"figures: {refusal}", file=sys.stderr)
        return 2
    print(f"\nwritten to {given.page} in {duration(time.perf_counter() - start)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
