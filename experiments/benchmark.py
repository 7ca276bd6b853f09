"""Rank agents against each other: every agent meets every other on the same duplicate deals.

    python experiments/benchmark.py
    python experiments/benchmark.py --agents random heuristic pimc:rollouts=500 --deals 2000 --processes 2

Prints the ratings and the matches, and writes benchmark.json, benchmark.csv and benchmark.png into the folder
given by --out. The columns are explained in docs/arena.md.
"""

from __future__ import annotations

import itertools
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import agents
import ofc_env
from agents.arena import MatchSettings, SessionResult, play_sessions
from agents.arena.league import play_league, save_league
from experiments.common.command_line import add_match_options, duration, run, script_parser, write_json


@dataclass(frozen=True)
class Config:
    """What is measured; the defaults take about two minutes on two cores."""

    agents: tuple[str, ...] = (
        "random",
        "heuristic",
        "pimc:rollouts=500",
        "ismcts:simulations=500",
    )  # by name
    deals: int = 600  # decks a match; each is played twice, with the agents swapped
    sessions: int = 0  # whole sessions a match, each played twice; 0 for none
    processes: int = 2  # players at work side by side; the result does not depend on it
    seed: int = 0  # fixes every deal
    out: str = "runs/benchmark"  # folder of the results
    resume: bool = False  # go on with the matches that are in that folder
    rules: str = ""  # what differs from the standard rules, such as "scoop=2 chips=500"
    log: str | None = None  # a log database that keeps every game


def benchmark(config: Config) -> None:
    """Play, print and write."""
    start = time.perf_counter()
    folder = Path(config.out)
    rules = ofc_env.Rules.parse(config.rules)
    settings = MatchSettings(seed=config.seed, processes=config.processes, rules=rules, log=config.log)
    league = play_league(config.agents, config.deals, settings, folder / "matches", config.resume)
    paths = save_league(league, folder, "benchmark")
    print(league.text() + (f"\nrules: {config.rules}" if config.rules else ""))
    sessions = play_all_sessions(config, settings, folder) if config.sessions else []
    for result in sessions:
        print("\n" + result.text())
    spent = time.perf_counter() - start
    write_json(
        paths[0],
        {
            "config": asdict(config),
            "seconds": round(spent, 1),
            **league.to_dict(),
            "sessions": [result.to_dict() for result in sessions],
        },
    )
    print(f"\n{duration(spent)}; written to {', '.join(str(path) for path in paths)}")


def play_all_sessions(config: Config, settings: MatchSettings, folder: Path) -> list[SessionResult]:
    """Whole sessions between all pairs."""
    results = []
    for number, (first, second) in enumerate(itertools.combinations(config.agents, 2)):
        store = folder / "matches" / f"sessions_{number:02d}.jsonl"
        results.append(play_sessions(first, second, config.sessions, settings, store, config.resume))
    return results


def parse(arguments: list[str] | None) -> Config:
    """The configuration from the command line."""
    default = Config()
    parser = script_parser(__doc__)
    parser.add_argument(
        "--agents",
        nargs="+",
        metavar="NAME",
        default=list(default.agents),
        help=f"agents with their options, such as pimc:rollouts=500; known: {', '.join(agents.names())} "
        f"(default: {' '.join(default.agents)})",
    )
    parser.add_argument(
        "--sessions",
        type=int,
        default=default.sessions,
        help="also play so many whole sessions a match, each twice (default %(default)s)",
    )
    add_match_options(parser, default)
    parser.add_argument("--log", help="keep every game in this log database (docs/data.md)")
    options = vars(parser.parse_args(arguments))
    return Config(**{**options, "agents": tuple(options["agents"])})


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    config = parse(arguments)
    return run(
        lambda: benchmark(config), when_stopped="stopped: the same command with --resume goes on from here"
    )


if __name__ == "__main__":
    sys.exit(main())
