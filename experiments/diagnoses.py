"""Two diagnoses of a network: whether it is undertrained, and whether its inputs hide the best placement.

    python experiments/diagnoses.py                                    # the champion that is shipped
    python experiments/diagnoses.py --run runs/alphazero/NAME          # the learner of a training run
    python experiments/diagnoses.py --only inputs --labels runs/regret/decisions.jsonl
    python experiments/diagnoses.py --decisions 400 --resume           # more of the same

Undertrained: errors against the search's values, and what decisions lose by the referee, on hands that the
network has learned from and on fresh ones of the same player and settings; then again after more passes over
the same hands. An error on fresh hands that falls with more passes: it was undertrained. One that grows while
that of training hands falls: it learns by heart, and wants more hands. Neither falls: more of the same does
not help. Without --run the network has seen neither hands, both are alike at first, and the passes are all
that it learns of them.

Inputs: placements of one decision with the very same inputs cannot be told apart. How often that happens,
how often to the best placement by the referee's labels, and what it costs.
"""

from __future__ import annotations

import copy
import hashlib
import sys
import time
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from experiments.common.packages import needed_by

with needed_by(__name__):
    import safetensors  # noqa: F401 - networks are kept with it
    import torch  # noqa: F401 - they learn with it

from agents.arena.progress import Progress
from agents.arena.store import MatchStore
from agents.arena.workers import AgentSource, one_torch_thread, play_chunks
from agents.networks.afterstate import AfterstateNetwork, load_network, save_network
from agents.networks.files import describe
from agents.players.alphazero import CHAMPION
from agents.randomness import seed_of
from experiments import regret
from experiments.alphazero import Run
from experiments.common.command_line import duration, folder_of, run_folder, write_json
from experiments.common.command_line import run as run_script
from experiments.common.options import (
    OUT,
    option,
    processes_option,
    read,
    resume_option,
    seed_option,
    values_option,
)
from experiments.referee.decisions import TURNS, Measurement
from experiments.referee.held_out import (
    Line,
    Lost,
    error_lines,
    errors_of,
    judge_positions,
    lines_text,
    lost_lines,
    sample,
)
from experiments.referee.inputs import hidden, hidden_text, inputs_by, judged_inputs, scan
from experiments.referee.positions import hands_of, positions_of
from experiments.selfplay.config import RUNS, stored_config
from experiments.selfplay.config import Config as Training
from experiments.selfplay.training import train_falling
from experiments.selfplay.workers import Decisions, Workers, joined, make_workers, weights_of

UNDERTRAINED, INPUTS = "training", "inputs"
SETS = ("training", "fresh")
APART = 20  # keeps the hands away from those of training runs, whose seeds are small numbers
JUDGED = regret.Config()  # how the referee judges where nothing else is said


@dataclass(frozen=True)
class Config:
    """What is diagnosed; the defaults take about four minutes on two cores."""

    checkpoint: Path | None = option(
        None, "network file", metavar="FILE", shown="the shipped champion, or the learner of --run"
    )
    run: str = option(
        "",
        "training run of experiments/alphazero.py: its learner, and the hands in its replay",
        metavar="NAME_OR_FOLDER",
        shown="none, hands are played for the purpose",
    )
    only: str = option("both", "one of the diagnoses alone", choices=("both", UNDERTRAINED, INPUTS))
    hands: int = option(
        2000, "hands of either kind that errors are measured on; more narrow their intervals", low=2
    )
    passes: float = option(
        8.0, "further passes over the hands learned from; more show better what is learned by heart", above=0
    )
    learning_rate: float = option(1e-3, "of these passes; falls to a tenth in the last 40 %", above=0)
    decisions: int = option(
        80,
        "decisions of either kind that the referee judges, or 0; four times as many halve the intervals",
        low=0,
    )
    sims: int = option(0, "simulations of the network's decisions; 0 is the network alone", low=0)
    worlds: int = option(JUDGED.worlds, "of the referee's race; more name the best better", low=2)
    fresh_worlds: int = option(JUDGED.fresh, "of the referee's verdict; more err less", low=2)
    judge: str = option("alphazero", "who plays placements on, as in experiments/regret.py", metavar="NAME")
    labels: Path | None = option(
        None,
        "decisions.jsonl of experiments/regret.py for the second diagnosis",
        metavar="FILE",
        shown="some are judged for the purpose",
    )
    label_decisions: int = option(
        60, "decisions that are judged where there are no labels; more err less", low=2 * TURNS
    )
    fantasyland_values: tuple[float, ...] | None = values_option()
    processes: int = processes_option(2)
    seed: int = seed_option("fixes everything; another one gives an independent measurement")
    out: str = option("runs/diagnoses", "folder of the results", metavar="FOLDER")
    resume: str = resume_option("its name in runs/", bare=OUT)

    def verify(self) -> None:
        """Refuse what says two things, or nothing."""
        if self.run and self.checkpoint:
            raise ValueError(
                f"--run {self.run} brings its own network: leave out --checkpoint {self.checkpoint}"
            )
        if self.run and self.fantasyland_values:
            raise ValueError(f"--run {self.run} has its own reward: leave out --fantasyland-values")
        if self.labels and self.only == UNDERTRAINED:
            raise ValueError(f"--only {UNDERTRAINED} wants no labels: leave out --labels {self.labels}")
        if 0 < self.decisions < 2 * TURNS:
            raise ValueError(
                f"--decisions is {self.decisions}: it must be {2 * TURNS} or more, or 0 to judge none"
            )


def measurement_of(config: Config, run: Run) -> Measurement:
    """How the referee judges; refuses what cannot before anything is played."""
    measurement = Measurement(
        judge=config.judge,
        rules=run.config.played_by,
        values=run.config.fantasyland_values,
        worlds=config.worlds,
        block=JUDGED.block,
        z=JUDGED.z,
        fresh=config.fresh_worlds,
        fantasyland=0.0,
        jokers=0.0,
        seed=config.seed,
    )
    measurement.identity("")  # the rules' values, and the judge
    return measurement


# ---------------------------------------------------------------- hands


def opened(config: Config, folder: Path) -> Run:
    """The training run whose learner is diagnosed; without --run one that has not begun."""
    if config.run:
        path = run_folder(config.run, RUNS)
        run = Run(stored_config(path), path, show=False)
        if not len(run.replay):
            raise ValueError(f"{path} has learned from nothing yet: let it finish a round first")
        return run
    file = config.checkpoint or CHAMPION
    values = config.fantasyland_values
    reward = f"equity fantasyland_values={','.join(map(str, values))}" if values else "equity"
    training = Training(
        init=str(file),
        rules=str(load_network(file).rules),
        reward=reward,
        hands=config.hands,
        seed=seed_of(config.seed, APART) >> 1,
        opponents="random",
        final_opponents="random",
    )
    return Run(training, folder / "run", show=False)


def first_hands(decisions: Decisions, hands: int) -> Decisions:
    """The decisions of so many hands."""
    end = int(np.searchsorted(hands_of(decisions), hands))
    return {name: array[:end] for name, array in decisions.items()}


def both_hands(run: Run, config: Config) -> tuple[Decisions, Decisions]:
    """Hands that the run learns from, evenly from its rounds, and as many that it would play next."""
    number = run.state.round
    with make_workers(config.processes if config.processes > 1 else 0) as workers:
        if not run.replay.parts:
            run.replay.parts[number] = play_round(run, workers, number)
            number += 1
        fresh: list[Decisions] = []
        while sum(int(hands_of(part)[-1]) + 1 for part in fresh) < config.hands:
            fresh.append(play_round(run, workers, number))
            number += 1
    parts = list(run.replay.parts.values())
    each = -(-config.hands // len(parts))
    training = joined([first_hands(part, each) for part in parts])
    return training, first_hands(joined(fresh), config.hands)


def play_round(run: Run, workers: Workers, number: int) -> Decisions:
    """A round of the run's self-play."""
    job = run.begin_round(workers, number, run.state.player)
    with Progress("self-play", sum(task.hands for task in job.tasks), unit="hands") as progress:
        return joined(job.results(lambda: progress.move_to(job.hands_done)))


def after_passes(run: Run, config: Config) -> AfterstateNetwork:
    """The learner after more passes over all that it learns from."""
    network = copy.deepcopy(run.state.learner)
    settings = replace(run.settings, learning_rate=config.learning_rate)
    steps = max(1, round(config.passes * len(run.replay) / settings.batch))
    generator = np.random.default_rng(config.seed)
    with Progress("passes", steps, unit="steps") as progress:
        for step, _ in train_falling(network, run.replay, steps, settings, generator, run.lessons):
            progress.move_to(step)
    return network


# ---------------------------------------------------------------- is it undertrained?


@dataclass(frozen=True)
class Undertrained:
    """The network as it is, after more passes, and what they changed."""

    passes: float
    as_it_is: list[Line]
    after: list[Line]
    change: list[Line]

    def text(self) -> str:
        """The tables for people."""
        return "\n\n".join(
            (
                lines_text("as it is", self.as_it_is),
                lines_text(f"after {self.passes:g} more passes", self.after),
                lines_text("what they changed", self.change, changes=True),
            )
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        blocks = {name: getattr(self, name) for name in ("as_it_is", "after", "change")}
        return {name: [line.to_dict() for line in lines] for name, lines in blocks.items()}


def undertrained(
    run: Run, hands: tuple[Decisions, Decisions], measurement: Measurement, config: Config, folder: Path
) -> Undertrained:
    """Errors on both kinds of hands and what decisions lose there, before and after more passes."""
    files = (folder / "as_it_is.safetensors", folder / "after.safetensors")
    save_network(run.state.learner, files[0])
    notes = {name: getattr(config, name) for name in ("run", "hands", "passes", "learning_rate", "seed")}
    notes["start"] = _digest(run.state.learner)
    if not (config.resume and files[1].is_file() and describe(files[1]).notes == notes):
        save_network(after_passes(run, config), files[1], notes)
    networks = [load_network(file) for file in files]
    training, fresh = hands
    early, late = ((errors_of(network, training), errors_of(network, fresh)) for network in networks)
    as_it_is, after, change = error_lines(early), error_lines(late), error_lines(late, before=early)
    if config.decisions:
        before, later = judged(hands, files, measurement, config, folder)
        as_it_is += lost_lines(*before)
        after += lost_lines(*later)
        change += lost_lines(later[0] - before[0], later[1] - before[1])
    return Undertrained(config.passes, as_it_is, after, change)


def judged(
    hands: tuple[Decisions, Decisions],
    files: tuple[Path, Path],
    measurement: Measurement,
    config: Config,
    folder: Path,
) -> list[tuple[Lost, Lost]]:
    """What decisions of two networks lose on both kinds of hands; what the folder has is not judged again."""
    rules, values = measurement.rules, measurement.values
    names = [f"alphazero:sims={config.sims},checkpoint={file}" for file in files]
    first, second = (AgentSource.of(name, rules, values) for name in names)
    found: list[list[Lost]] = [[], []]
    for which, decisions in zip(SETS, hands, strict=True):
        drawn = sample(positions_of(decisions), config.decisions, config.seed, rules)
        positions = [str(information) for information in drawn]
        identity = {
            **measurement.identity(f"alphazero:sims={config.sims}"),
            "kind": "held out",
            "networks": [_digest(load_network(file)) for file in files],
            "hands": hashlib.sha256(decisions["states"].tobytes()).hexdigest()[:16],
        }
        store = MatchStore(identity, folder / f"{which}.jsonl", bool(config.resume))
        missing = store.missing(len(positions), 1)
        title = f"referee, {which} hands"
        with Progress(title, len(positions), len(positions) - len(missing), "decisions") as progress:
            play_chunks(
                partial(judge_positions, positions=positions, measurement=measurement),
                (first, second),
                missing,
                config.processes,
                store.add,
                progress.advance,
            )
        store.close()
        arrays = store.arrays(len(positions))
        for index, lost in enumerate(found):
            bounds = (arrays[name][:, index] for name in ("at_least", "at_most"))
            lost.append(Lost(arrays["turn"], *bounds))
    return [(lost[0], lost[1]) for lost in found]


def _digest(network: AfterstateNetwork) -> str:
    """Of the weights alone: two files of the same ones may differ in the order of their parts."""
    return hashlib.sha256(b"".join(part.tobytes() for part in weights_of(network))).hexdigest()[:16]


# ---------------------------------------------------------------- do the inputs hide it?


def labels_of(config: Config, folder: Path, measurement: Measurement) -> Path:
    """The file of judged decisions, made here if none was given."""
    if config.labels:
        return config.labels
    asked = regret.Config(
        agent=measurement.player,
        judge=config.judge,
        decisions=config.label_decisions,
        worlds=config.worlds,
        fresh=config.fresh_worlds,
        rules=str(measurement.rules),
        fantasyland_values=measurement.values,
        processes=config.processes,
        seed=config.seed,
        resume=config.resume,
    )
    where = folder / "labels"
    regret.measure(asked, where)
    return where / "decisions.jsonl"


# ---------------------------------------------------------------- both


def report(config: Config) -> None:
    """Diagnose, print and write."""
    config.verify()
    start = time.perf_counter()
    folder = folder_of(config.out, config.resume)
    run = opened(config, folder)
    measurement = measurement_of(config, run)
    rules = measurement.rules
    folder.mkdir(parents=True, exist_ok=True)
    content: dict[str, Any] = {"config": {name: _plain(value) for name, value in asdict(config).items()}}
    texts, scanned = [], None
    with one_torch_thread():
        if config.only != INPUTS:
            hands = both_hands(run, config)
            positions = positions_of(hands[1])
            scanned = positions.turns, scan(positions, inputs_by(rules))
            found = undertrained(run, hands, measurement, config, folder)
            sizes = [int(hands_of(decisions)[-1]) + 1 for decisions in hands]
            content["hands"] = sizes
            content["learned_from"] = len(run.replay)
            content["undertrained"] = found.to_dict()
            texts += [
                f"is it undertrained? {sizes[0]:,} hands of training, {sizes[1]:,} fresh ones; points, root "
                f"mean square errors, 95 % intervals\n\n{found.text()}"
            ]
        if config.only != UNDERTRAINED:
            labels = labels_of(config, folder, measurement)
            lines = hidden(judged_inputs(labels), scanned)
            content["inputs"] = [line.to_dict() for line in lines]
            content["labels"] = str(labels)
            texts += [f"do the inputs hide it? placements alike, {labels}\n\n{hidden_text(lines)}"]
    print("\n\n".join(texts))
    out = folder / "diagnoses.json"
    write_json(out, content)
    print(f"\n{duration(time.perf_counter() - start)}; written to {out}")


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, Path) else value


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    return run_script(
        lambda: report(read(Config, arguments, __doc__)),
        when_stopped="stopped: the same command with --resume goes on from here",
    )


if __name__ == "__main__":
    sys.exit(main())
