"""Rank agents against each other: every agent meets every other on the same duplicate deals.

    python experiments/benchmark.py
    python experiments/benchmark.py --agents random heuristic pimc:rollouts=500 --deals 2000 --processes 2
    python experiments/benchmark.py --agents heuristic my_module:MyAgent
    python experiments/benchmark.py --rules "standard scoop=6" --fantasyland-values 8 14 20 27

Prints the ratings and the matches, and writes benchmark.json, benchmark.csv and benchmark.png into the folder
given by --out. The columns are explained in docs/arena.md. An agent of your own is named by its module, which
is looked for in the current folder first, and its class.
"""

from __future__ import annotations

import itertools
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import agents
import ofc_env
from agents.arena import Adjusting, MatchSettings, SessionResult, play_sessions
from agents.arena.league import play_league, save_league
from experiments.common.command_line import duration, folder_of, run, write_json
from experiments.common.options import (
    OUT,
    option,
    processes_option,
    read,
    resume_option,
    rules_option,
    seed_option,
    values_option,
)


@dataclass(frozen=True)
class Config:
    """What is measured; the defaults take about two minutes on two cores."""

    agents: tuple[str, ...] = option(
        ("random", "heuristic", "pimc:rollouts=500", "ismcts:simulations=500"),
        f"who plays, each against every other: {', '.join(agents.names())} with options such as "
        "pimc:rollouts=500, or my_module:MyAgent",
        metavar="NAME",
    )
    deals: int = option(
        600,
        "decks a match, each played twice with the agents swapped; four times as many halve the intervals",
        low=1,
    )
    sessions: int = option(
        0, "also play so many whole sessions a match, each twice, with chips and fantasyland", low=0
    )
    processes: int = processes_option(2)
    seed: int = seed_option()
    out: str = option("runs/benchmark", "folder of the results", metavar="FOLDER", old=("--output",))
    resume: str = resume_option("its name in runs/", bare=OUT)
    rules: str = rules_option()
    fantasyland_values: tuple[float, ...] | None = values_option()
    adjust: int = option(
        0,
        "take luck out, each deal compared with so many others (24 do): 7 to 9 times fewer deals for an "
        "interval of the same width between good players; networks alone are quicker with more deals",
        low=0,
        shown="0, plain results alone",
    )
    judge: Path | None = option(
        None,
        "network that judges luck; another one leaves more or less noise, the same mean",
        metavar="FILE",
        shown="the champion shipped for the rules",
    )
    log: str | None = option(None, "keep every game in this log database (docs/data.md)", metavar="FILE")


def benchmark(config: Config) -> None:
    """Play, print and write."""
    start = time.perf_counter()
    folder = folder_of(config.out, config.resume)
    rules = ofc_env.Rules.parse(config.rules)
    settings = MatchSettings(
        seed=config.seed,
        processes=config.processes,
        rules=rules,
        fantasyland_values=config.fantasyland_values,
        adjust=Adjusting(config.adjust, config.judge) if config.adjust else None,
        log=config.log,
    )
    league = play_league(config.agents, config.deals, settings, folder / "matches", bool(config.resume))
    print(f"rules: {rules.name}\n\n{league.text()}")
    sessions = play_all_sessions(config, settings, folder) if config.sessions else []
    for result in sessions:
        print("\n" + result.text())
    paths = save_league(league, folder, "benchmark")
    spent = time.perf_counter() - start
    write_json(
        paths[0],
        {
            "config": asdict(config),
            "rules": str(rules),
            "seconds": round(spent, 1),
            **league.to_dict(),
            "sessions": [result.to_dict() for result in sessions],
        },
    )
    print(f"\n{duration(spent)}; written to {', '.join(str(path) for path in paths)}")
    if len(paths) < 3:
        print("no picture: this needs matplotlib, which is not installed: pip install 'ofc-env[train]'")


def play_all_sessions(config: Config, settings: MatchSettings, folder: Path) -> list[SessionResult]:
    """Whole sessions between all pairs."""
    results = []
    for number, (first, second) in enumerate(itertools.combinations(config.agents, 2)):
        store = folder / "matches" / f"sessions_{number:02d}.jsonl"
        results.append(play_sessions(first, second, config.sessions, settings, store, bool(config.resume)))
    return results


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    return run(
        lambda: benchmark(read(Config, arguments, __doc__)),
        when_stopped="stopped: the same command with --resume goes on from here",
    )


if __name__ == "__main__":
    sys.exit(main())
