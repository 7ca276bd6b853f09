"""Whether completions with hindsight say more about placements than the network does.

    python experiments/regret.py --decisions 800 --fantasyland 0 --jokers 0     # labels first
    python experiments/hindsight.py                                             # then this
    python experiments/hindsight.py --labels FILE --turns 0 --futures 2000      # openings alone
    python experiments/hindsight.py --look-ahead 32                             # beside the network's search
    python experiments/hindsight.py --fresh 0                                   # by the labels' own worlds

Hindsight values a placement as if the seat could see all its cards to come: futures are drawn from the unseen
cards, each is completed in the best way, and royalties, fantasyland and fouls are averaged. The opponent's
cards are merely dead. At the decisions of experiments/regret.py the placements that the network or hindsight
puts first are played on in fresh worlds by the judge of the labels. By turn:

what the choice by hindsight gains over the network's, alone and beside it at some fixed shares;
least squares of what placements are worth on what both say, within decisions, with intervals by decisions;
what the choice by that mixture gains on decisions that it was not fitted to.
"""

from __future__ import annotations

import hashlib
import sys
import time
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from agents.arena.progress import Progress
from agents.arena.store import MatchStore
from agents.arena.workers import AgentSource, play_chunks
from experiments.common.command_line import duration, folder_of, run, write_json
from experiments.common.options import OUT, option, processes_option, read, resume_option, seed_option, verify
from experiments.referee.decisions import PLAIN, TURNS, Measurement
from experiments.referee.labels import read_decisions, read_measurement
from experiments.referee.second_opinion import (
    GLANCE,
    Opinions,
    Weighing,
    line_of,
    lines_text,
    opinions_of,
    search_of,
    weigh_decisions,
)
from ofc_env import RewardConfig, Rules


@dataclass(frozen=True)
class Config:
    """What is asked; 200 openings take about four minutes of processor time."""

    labels: Path = option(
        Path("runs/regret/decisions.jsonl"), "decisions.jsonl of experiments/regret.py", metavar="FILE"
    )
    judge: str = option(
        "alphazero",
        "who plays placements on: the judge of the labels, as experiments/regret.py was told",
        metavar="NAME",
        shown="alphazero, the network that is shipped for the rules",
    )
    turns: tuple[int, ...] = option(
        tuple(range(TURNS)), "turns whose decisions are asked about", low=0, high=TURNS - 1, metavar="TURN"
    )
    futures: int = option(
        800, f"futures of these placements, and a {GLANCE}th of them of all others; more err less", low=2
    )
    foul: float | None = option(
        None, "what a foul costs in them, points", low=0, shown="all rows and the scoop, or as the rules say"
    )
    first: int = option(
        12, "placements that either opinion puts first, which are played on; more see more of both", low=2
    )
    fresh: int = option(
        512,
        "worlds in which they are played on, more err less; 0 takes the fresh worlds of the labels, and asks "
        "about the placements alone that were judged there",
        low=0,
    )
    look_ahead: int = option(
        0,
        "worlds in which the network looks ahead by a decision before it is asked; 0 asks for its own values",
        low=0,
    )
    folds: int = option(10, "parts of the decisions, each chosen by a fit to the others", low=2)
    processes: int = processes_option(2)
    seed: int = seed_option("fixes all chance; another one gives an independent measurement")
    out: str = option("runs/hindsight", "folder of the results", metavar="FOLDER")
    resume: str = resume_option("its name in runs/", bare=OUT)


def weighing_of(config: Config) -> Weighing:
    """How the labels are weighed; refuses a judge that is not theirs."""
    verify(config)
    if config.fresh == 1:
        raise ValueError("--fresh is 1: one world says nothing of its error, give 2 or more, or 0")
    said = read_measurement(config.labels)
    reward = RewardConfig.parse(said["reward"])
    measurement = Measurement(
        judge=config.judge,
        rules=Rules.parse(said["rules"]),
        values=tuple(reward.fantasyland_values),
        **{name: said[name] for name in ("worlds", "block", "z", "fresh", "fantasyland", "jokers", "seed")},
    )
    judge = measurement.identity(said["agent"])["judge"]
    if judge != said["judge"]:
        raise ValueError(
            f"{config.labels} was judged by {said['judge']}, and --judge {config.judge} is {judge}: give the "
            "judge of the labels"
        )
    weighing = Weighing(
        measurement,
        config.futures,
        config.first,
        config.fresh,
        config.look_ahead,
        config.foul,
        config.seed,
    )
    if weighing.look_ahead:
        search_of(measurement)  # what cannot look ahead is refused here
    return weighing


def weigh(config: Config, folder: Path) -> list[dict[str, Any]]:
    """Both opinions about the labels' decisions of normal hands; what the folder has is not done again."""
    weighing = weighing_of(config)
    listed = sorted(read_decisions(config.labels), key=lambda numbered: numbered[0])
    decisions = [each for _, each in listed if each["drawn"] == PLAIN and each["turn"] in config.turns]
    if not decisions:
        raise ValueError(
            f"{config.labels} has no decision of normal hands on turns {', '.join(map(str, config.turns))}: "
            "let experiments/regret.py judge some"
        )
    measurement = weighing.measurement
    identity = {
        **measurement.identity(read_measurement(config.labels)["agent"]),
        "kind": "hindsight",
        "labels": hashlib.sha256(config.labels.read_bytes()).hexdigest()[:16],
        "turns": sorted(config.turns),
        "futures": weighing.futures,
        "first": weighing.first,
        "played": weighing.fresh,
        "look_ahead": weighing.look_ahead,
        "foul": weighing.foul,
        "chance": weighing.seed,
    }
    folder.mkdir(parents=True, exist_ok=True)
    store = MatchStore(identity, folder / "opinions.jsonl", bool(config.resume))
    missing = store.missing(len(decisions), 1)
    source = AgentSource.of("random", measurement.rules)
    try:
        with Progress("hindsight", len(decisions), len(decisions) - len(missing), "decisions") as progress:
            play_chunks(
                partial(weigh_decisions, decisions=decisions, weighing=weighing),
                (source, source),
                missing,
                config.processes,
                store.add,
                progress.advance,
            )
    finally:
        store.close()
    return list(store.arrays(len(decisions))["decision"])


def report(config: Config) -> None:
    """Weigh, print and write."""
    start = time.perf_counter()
    folder = folder_of(config.out, config.resume)
    weighed = weigh(config, folder)
    opinions: list[Opinions] = [opinions_of(each) for each in weighed]
    lines, errors = [], {}
    for turn in sorted(set(config.turns)):
        mine = [each for each in opinions if each.turn == turn]
        if len(mine) >= 2 * config.folds:
            lines.append(line_of(f"turn {turn}", mine, config.folds))
        parts = [each["hindsight_errors"] for each in weighed if each["turn"] == turn]
        if parts:
            errors[f"turn {turn}"] = float(np.sqrt(np.mean(np.square(np.concatenate(parts)))))
    if not lines:
        raise ValueError(f"no turn has {2 * config.folds} decisions: give more labels, or fewer --folds")
    print("points of equity a decision above the network's own choice, 95 % intervals")
    print(f"rules: {weighing_of(config).measurement.rules.name}\n")
    print(lines_text(lines))
    told = ", ".join(f"{name} {error:.2f}" for name, error in errors.items())
    print(f"\nstandard error of hindsight's differences: {told}")
    out = folder / "hindsight.json"
    write_json(
        out,
        {
            "config": {**asdict(config), "labels": str(config.labels)},
            "lines": [line.to_dict() for line in lines],
            "hindsight_errors": errors,
        },
    )
    spent = duration(time.perf_counter() - start)
    print(f"{spent}; written to {out} and {folder / 'opinions.jsonl'}")


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    return run(
        lambda: report(read(Config, arguments, __doc__)),
        when_stopped="stopped: the same command with --resume goes on from here",
    )


if __name__ == "__main__":
    sys.exit(main())
