"""What a clone is worth as a beginning: self-play from nothing and from clones, over hands and minutes.

    python experiments/pretraining.py
    python experiments/pretraining.py --starts nothing alphazero:sims=0 --minutes 3 --seeds 0

From each start and training seed one run of experiments/alphazero.py, which meets `heuristic` every few
rounds. `nothing` is a network that knows nothing; any other start is an agent whose log is cloned first
(experiments/behaviour_cloning.py), and the minutes of cloning count as the run's. Prints what each start has
reached in the end, with the interval over seeds, and draws all curves. A run that is complete in its folder
is not trained again, and one that was stopped goes on.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from experiments.common.packages import needed_by

with needed_by(__name__):
    import torch

from agents.arena.estimates import Estimate, estimate
from experiments import alphazero, behaviour_cloning
from experiments.common.command_line import picture, run, write_json
from experiments.common.options import option, processes_option, read
from experiments.selfplay.config import Config as Training
from ofc_env.files import new_file

NOTHING = "nothing"
OPPONENT = "heuristic"


@dataclass(frozen=True)
class Config:
    """What is compared; the defaults take an hour and a half on two cores."""

    starts: tuple[str, ...] = option(
        (NOTHING, "heuristic", "alphazero:sims=0"),
        "where runs begin: from nothing, or from the clone of an agent",
        metavar="NAME",
    )
    seeds: tuple[int, ...] = option((0, 1, 2), "of training, a run each; more say better what luck does")
    minutes: float = option(10.0, "of self-play in each run", above=0)
    log_hands: int = option(12_000, "of the log that is cloned; more make the clone truer, later", low=1)
    clone_rate: float = option(
        5e-4, "learning rate of runs that begin from a clone; higher forgets what it knew", above=0
    )
    hands: int = option(2000, "of self-play in a round; more are surer lessons, and fewer rounds", low=1)
    rounds: int = option(4, "between two evaluations; fewer draw a finer curve and take longer", low=1)
    deals: int = option(1000, "duplicate deals of an evaluation; more narrow its interval", low=2)
    processes: int = processes_option(2)
    out: Path = option(Path("runs/pretraining"), "folder of the runs and the plot", metavar="FOLDER")


@dataclass(frozen=True)
class Curve:
    """One run: how it stood against `heuristic`, network alone, in the end of each entry's minutes."""

    start: str
    seed: int
    clone_minutes: float
    minutes: list[float]
    hands: list[int]
    equity: list[float]
    margin: list[float]  # half the 95 % interval over deals


def curve_of(config: Config, start: str, seed: int) -> Curve:
    """Clone if there is something to clone, train, and read what the run measured."""
    folder = config.out / f"{start.replace(':', '-').replace('=', '-')}-{seed}"
    init, spent = None, 0.0
    if start != NOTHING:
        init = folder / "clone"
        if not (init / "evaluation.json").is_file():
            behaviour_cloning.clone(
                behaviour_cloning.Config(
                    teacher=start, hands=config.log_hands, processes=config.processes, seed=seed, out=init
                )
            )
        spent = json.loads((init / "evaluation.json").read_text())["seconds"]["training"] / 60
    training = Training(
        name="run",
        init=None if init is None else str(init),
        learning_rate=Training.learning_rate if init is None else config.clone_rate,
        seed=seed,
        minutes=config.minutes,
        hands=config.hands,
        processes=config.processes,
        evaluate_every=config.rounds,
        evaluation_deals=config.deals,
        opponents=OPPONENT,
        final_opponents=OPPONENT,
        final_sims=0,
    )
    results = folder / "run" / "curve.json"
    if not (results.is_file() and "seconds" in json.loads(results.read_text())):
        alphazero.run_training(training, folder / "run", f"pretraining: {start}, seed {seed}")
    entries: list[dict[str, Any]] = json.loads(results.read_text())["curve"]
    judged = [entry for entry in entries if "evaluation" in entry]
    matches = [entry["evaluation"][OPPONENT] for entry in judged]
    return Curve(
        start,
        seed,
        spent,
        [spent + entry["seconds"] / 60 for entry in judged],
        [entry["hands"] for entry in judged],
        [match["equity"] for match in matches],
        [match["margin"] for match in matches],
    )


def reached(curves: Sequence[Curve], minutes: float) -> Estimate | None:
    """Mean over seeds of the last evaluation within so many minutes; None before the first of a seed."""
    found = []
    for curve in curves:
        within = [equity for when, equity in zip(curve.minutes, curve.equity, strict=True) if when <= minutes]
        if not within:
            return None
        found.append(within[-1])
    return estimate(found)


def table(curves: Sequence[Curve], minutes: float) -> str:
    """A line for each start: equity against `heuristic` after some minutes, cloning included."""
    marks = [mark for mark in (1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 30.0) if mark <= minutes + 1e-9]
    lines = ["| start | " + " | ".join(f"{mark:g} min" for mark in marks) + " | in the end |"]
    lines.append("|---" * (len(marks) + 2) + "|")
    for start in dict.fromkeys(curve.start for curve in curves):
        mine = [curve for curve in curves if curve.start == start]
        cells = [reached(mine, mark) for mark in marks] + [reached(mine, float("inf"))]
        lines.append(
            f"| {start} | " + " | ".join("–" if cell is None else cell.text() for cell in cells) + " |"
        )
    return "\n".join(lines)


def plot(curves: Sequence[Curve], path: Path) -> None:
    """All curves, over minutes and over hands; a colour for each start."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(12, 4.5), sharey=True, constrained_layout=True)
    colours = {start: f"C{number}" for number, start in enumerate(dict.fromkeys(c.start for c in curves))}
    for curve in curves:
        label = curve.start if curve.start == NOTHING else f"clone of {curve.start}"
        label = label if curve.seed == min(other.seed for other in curves) else "_"
        style = {"color": colours[curve.start], "label": label, "alpha": 0.8, "linewidth": 1.4}
        axes[0].plot(curve.minutes, curve.equity, **style)
        axes[1].plot(curve.hands, curve.equity, **style)
    axes[0].set(xlabel="minutes, cloning included", ylabel="equity a hand v heuristic, network alone")
    axes[1].set(xlabel="hands of self-play", xscale="log")
    for axis in axes:
        axis.grid(alpha=0.3)
        axis.legend()
    with new_file(path) as partial:
        figure.savefig(partial, dpi=110)
    pyplot.close(figure)


def compare(config: Config) -> None:
    """Train from everywhere, and show what came of it."""
    torch.set_num_threads(1)
    config.out.mkdir(parents=True, exist_ok=True)
    curves = [curve_of(config, start, seed) for seed in config.seeds for start in config.starts]
    text = table(curves, config.minutes)
    print(f"equity a hand v {OPPONENT}, network alone, mean over {len(config.seeds)} seeds\n\n{text}")
    settings = {**asdict(config), "out": str(config.out)}
    write_json(config.out / "pretraining.json", {"config": settings, "curves": [*map(asdict, curves)]})
    image = config.out / "pretraining.png"
    print(f"\ncurves: {picture(lambda: plot(curves, image), image)}")


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    return run(
        lambda: compare(read(Config, arguments, __doc__)),
        when_stopped="stopped: the same command goes on with the runs that are not complete",
    )


if __name__ == "__main__":
    sys.exit(main())
