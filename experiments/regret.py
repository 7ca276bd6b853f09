"""What a player's decisions lose, turn by turn: how far it is from the best that its judge can see.

    python experiments/regret.py                                      # the champion with 200 simulations
    python experiments/regret.py --agent heuristic --decisions 400 --processes 2
    python experiments/regret.py --decisions 1000 --resume            # more of the same
    python experiments/regret.py --openings 0.7 --out runs/openings   # most of them openings
    python experiments/regret.py --rules no_fantasyland --agent pimc --judge heuristic

Positions come from games of the judge against itself. At each the agent decides, and the referee plays every
legal placement on, with the judge in both seats. All race in the same deals of the unseen cards; what falls
clearly behind drops out. The best by the race is judged by fresh deals, so that luck flatters nobody: that is
at least what is lost. The best by all deals is in part the luckiest: that is at most what is lost. Each seat
decides once on each turn, so the turns add up to a hand. Turn 4 is left out: searching players solve it.

Every decision is kept in decisions.jsonl, with what each placement is worth: labels that
experiments.referee.labels.read_labels reads (docs/arena.md).
"""

from __future__ import annotations

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
from experiments.common.options import (
    OUT,
    option,
    processes_option,
    read,
    resume_option,
    rules_option,
    seed_option,
    values_option,
    verify,
)
from experiments.referee.decisions import TURNS, Measurement, judge_decisions
from experiments.referee.report import Decision, losses_of, outside_of, text_of
from ofc_env import Rules, _core

_DEFAULT: dict[str, Any] = {field.name: field.default for field in _core.Referee.fields()}
_HELP = {field.name: field.help for field in _core.Referee.fields()}


@dataclass(frozen=True)
class Config:
    """What is measured; the defaults take about three minutes of processor time."""

    agent: str = option("alphazero:sims=200", "whose decisions are judged", metavar="NAME")
    judge: str = option(
        "alphazero",
        "who plays the games and plays placements on: the network alone of alphazero or of "
        "alphazero:checkpoint=FILE, or heuristic; a stronger one sees more losses",
        metavar="NAME",
        shown="alphazero, the network that is shipped for the rules",
    )
    decisions: int = option(
        240,
        "positions in all; four times as many halve the intervals",
        low=2 * TURNS,
    )
    worlds: int = option(_DEFAULT["worlds"], _HELP["worlds"], low=2, old=("--deals",))
    block: int = option(_DEFAULT["block"], _HELP["block"], low=2)
    z: float = option(_DEFAULT["z"], _HELP["z"], low=0)
    fresh: int = option(_DEFAULT["fresh"], _HELP["fresh"], low=2)
    fantasyland: float = option(
        0.25,
        "share of positions against a fantasyland opponent; none where the rules have no fantasyland",
        low=0,
        high=1,
    )
    jokers: float = option(
        0.2,
        "share of the others that are drawn with a joker in hand, for the lines about jokers alone; none "
        "where the rules have no jokers",
        low=0,
        high=1,
    )
    openings: float | None = option(
        None,
        "share of the positions that are openings, the later turns alike",
        low=0,
        high=1,
        shown="every turn alike",
    )
    rules: str = rules_option()
    fantasyland_values: tuple[float, ...] | None = values_option()
    processes: int = processes_option(2)
    seed: int = seed_option("fixes everything; another one gives an independent measurement")
    out: str = option("runs/regret", "folder of the results", metavar="FOLDER", old=("--output",))
    resume: str = resume_option("its name in runs/", bare=OUT)


@dataclass(frozen=True)
class Found:
    """Judged decisions and what they took."""

    decisions: list[Decision]
    seconds: tuple[float, float]  # of processor: the agent's, the referee's
    rollouts: int  # hands played on


def measurement_of(config: Config) -> Measurement:
    """What the decisions follow from; refuses what cannot be measured before anything is played."""
    verify(config)
    measurement = Measurement(
        judge=config.judge,
        rules=Rules.parse(config.rules),
        values=config.fantasyland_values,
        **{
            name: getattr(config, name)
            for name in ("worlds", "block", "z", "fresh", "fantasyland", "jokers", "seed", "openings")
        },
    )
    measurement.identity(config.agent)  # the rules' values, and the judge
    return measurement


def measure(config: Config, folder: Path | None = None) -> Found:
    """Judge what is not in the folder yet, with its progress."""
    measurement = measurement_of(config)
    rules, values = measurement.rules, measurement.values
    sources = (AgentSource.of(config.agent, rules, values), AgentSource.of(measurement.player, rules, values))
    players = (sources[0].build(), sources[1].build())  # what cannot be made is refused here
    path = folder / "decisions.jsonl" if folder else None
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
    store = MatchStore(measurement.identity(config.agent), path, bool(config.resume))
    missing = store.missing(config.decisions, 1)
    done = config.decisions - len(missing)
    try:
        with Progress("regret", config.decisions, done, "decisions") as progress:
            play_chunks(
                partial(judge_decisions, measurement=measurement),
                sources,
                missing,
                config.processes,
                store.add,
                progress.advance,
                players,
            )
    finally:
        store.close()
    arrays = store.arrays(config.decisions)
    decisions: list[Decision] = list(arrays["decision"])
    agent, referee = np.asarray(arrays["seconds"]).tolist()
    return Found(decisions, (agent, referee), int(arrays["decisions"][1]))


def report(config: Config) -> None:
    """Measure, print and write."""
    start = time.perf_counter()
    folder = folder_of(config.out, config.resume)
    found = measure(config, folder)
    losses, outside = losses_of(found.decisions), outside_of(found.decisions)
    print(f"what {config.agent} loses, judged by {config.judge}: points of equity a decision, 95 % intervals")
    print(f"rules: {Rules.parse(config.rules).name}\n")
    print(text_of(losses, outside))
    rate = found.rollouts / found.seconds[1]
    print(f"\n{found.rollouts:,} hands played on, {rate:,.0f} a second of processor time")
    out = folder / "regret.json"
    write_json(
        out,
        {
            "config": asdict(config),
            "seconds": {"agent": found.seconds[0], "referee": found.seconds[1]},
            "rollouts": found.rollouts,
            "losses": [loss.to_dict() for loss in losses],
            "outside": [
                {
                    "of": each.name,
                    "first": each.first,
                    "named": each.named.to_dict(),
                    "clear": each.clear.to_dict(),
                }
                for each in outside
                if each.named.count
            ],
        },
    )
    spent = duration(time.perf_counter() - start)
    print(f"{spent}; written to {out} and {folder / 'decisions.jsonl'}")


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    return run(
        lambda: report(read(Config, arguments, __doc__)),
        when_stopped="stopped: the same command with --resume goes on from here",
    )


if __name__ == "__main__":
    sys.exit(main())
