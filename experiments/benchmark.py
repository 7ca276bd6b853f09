"""Rank agents against each other: every agent meets every other on the same duplicate deals.

    python experiments/benchmark.py
    python experiments/benchmark.py --agents random heuristic pimc:rollouts=500 --deals 2000 --processes 2
    python experiments/benchmark.py --agents alphazero:sims=200 heuristic --width 0.15
    python experiments/benchmark.py --agents heuristic my_module:MyAgent
    python experiments/benchmark.py --rules "standard scoop=6" --fantasyland-values 8 14 20 27
    python experiments/benchmark.py --protocol v1 --agents my_module:MyAgent

Prints the ratings and the matches, and writes benchmark.json, benchmark.csv and benchmark.png into the folder
given by --out. The columns are explained in docs/arena.md. An agent of your own is named by its module, which
is looked for in the current folder first, and its class.

With --protocol each agent meets fixed opponents on fixed deals and sessions instead, and its report is
comparable with everybody's: docs/benchmark.md.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import agents
import ofc_env
from agents.arena import Adjusting, MatchSettings, SessionResult, play_sessions
from agents.arena.league import play_league, save_league
from agents.arena.protocol import PROTOCOLS, file_name, measure
from experiments.common.command_line import duration, folder_of, run, write_json
from experiments.common.options import (
    OUT,
    given,
    option,
    processes_option,
    resume_option,
    rules_option,
    seed_option,
    values_option,
    verify,
)
from experiments.common.protocols import report_of, text_of, write_tables
from ofc_env.files import write_whole


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
    width: float | None = option(
        None,
        "play on until the interval of every match's equity, less luck where that is judged, is ± so much; "
        "--deals are then the fewest, and tell how many it takes",
        above=0,
        metavar="POINTS",
        shown="--deals, no more",
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
    adjust: str = option(
        "auto",
        "take luck out, each deal compared with so many others (24 do): 7 to 9 times fewer deals for an "
        "interval of the same width between good players; 0: plain results alone; auto: 24, or 0 where more "
        "deals are cheaper, such as for networks alone, by the time that some deals take",
        metavar="N|auto",
    )
    judge: Path | None = option(
        None,
        "network that judges luck; another one leaves more or less noise, the same mean",
        metavar="FILE",
        shown="the champion shipped for the rules",
    )
    log: str | None = option(None, "keep every game in this log database (docs/data.md)", metavar="FILE")
    protocol: str = option(
        "",
        "measure each agent by this fixed protocol, which sets deals, sessions, seeds and rules",
        choices=("", *PROTOCOLS),
        metavar="|".join(PROTOCOLS),
        shown="none: a league",
        group="a protocol instead of a league (docs/benchmark.md)",
    )
    rehearsal: bool = option(False, "two deals and a session against each opponent, to see that all works")
    table: Path | None = option(
        None,
        "play nothing: write the tables of all reports in the folder beside this page into it",
        metavar="PAGE",
        shown="play",
    )

    def adjusting(self) -> Adjusting | None:
        """How luck is taken out, if it is."""
        if self.adjust == "auto":
            return Adjusting(judge=self.judge, always=False)
        if not self.adjust.isdecimal():
            raise ValueError(f"--adjust is {self.adjust!r}: it must be auto, or a number of deals, 0 or more")
        if int(self.adjust) == 0:
            if self.judge is not None:
                raise ValueError("--judge has nothing to judge with --adjust 0: leave one of them out")
            return None
        return Adjusting(int(self.adjust), self.judge)


WITH_PROTOCOL = {"agents", "processes", "out", "resume", "protocol", "rehearsal", "table"}
ONLY_WITH_PROTOCOL = {"rehearsal", "table"}


def read_config(words: list[str] | None) -> Config:
    """The configuration; what a protocol fixes cannot be set beside it."""
    found = given((Config,), words, __doc__)[0]
    config = Config(**found)
    verify(config)
    for name in found:
        if config.protocol and name not in WITH_PROTOCOL:
            raise ValueError(
                f"--{name.replace('_', '-')} is fixed by protocol {config.protocol}: leave it out"
            )
        if not config.protocol and name in ONLY_WITH_PROTOCOL:
            raise ValueError(
                f"--{name} belongs to a protocol: give --protocol {next(reversed(PROTOCOLS))} too"
            )
    return config


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
        adjust=config.adjusting(),
        width=config.width,
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
            "config": {**asdict(config), "judge": config.judge and str(config.judge)},
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
    """Whole sessions between all pairs, as many as were asked for: a width is one of hands."""
    settings = replace(settings, width=None)
    results = []
    for number, (first, second) in enumerate(itertools.combinations(config.agents, 2)):
        store = folder / "matches" / f"sessions_{number:02d}.jsonl"
        results.append(play_sessions(first, second, config.sessions, settings, store, bool(config.resume)))
    return results


def follow_protocol(config: Config) -> None:
    """Measure each agent by the protocol, print and write."""
    if config.table is not None:
        write_tables(config.table, config.protocol)
        print(f"the tables of protocol {config.protocol} are written to {config.table}")
        return
    folder = folder_of(config.out, config.resume) / config.protocol
    if config.rehearsal:
        folder /= "rehearsal"
    for agent in config.agents:
        measured = measure(
            PROTOCOLS[config.protocol],
            agent,
            folder / "matches",
            bool(config.resume),
            config.processes,
            config.rehearsal,
        )
        report = report_of(measured)
        path = folder / f"{file_name(agent, measured.weights)}.json"
        write_whole(path, json.dumps(report, indent=1, allow_nan=False) + "\n")
        write_whole(path.with_suffix(".md"), text_of(report))
        print(f"{text_of(report)}\nwritten to {path} and {path.with_suffix('.md').name}\n", flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""

    def work() -> None:
        config = read_config(arguments)
        if config.protocol:
            follow_protocol(config)
        else:
            benchmark(config)

    return run(
        work,
        when_stopped="stopped: the same command with --resume goes on from here",
    )


if __name__ == "__main__":
    sys.exit(main())
