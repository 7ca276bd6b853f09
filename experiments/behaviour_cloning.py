"""From a log to a player: a network that imitates whoever was logged and knows the risk.

    python experiments/behaviour_cloning.py --log games.db --player ann --out runs/ann
    python experiments/behaviour_cloning.py --teacher heuristic --hands 5000 --out runs/bc
    python experiments/behaviour_cloning.py --teacher heuristic --rules standard --out runs/bc-standard
    python experiments/behaviour_cloning.py --resume runs/ann --log games.db --player ann
    python experiments/behaviour_cloning.py --init runs/ann --log a.db --log b.jsonl.gz --out runs/further
    python experiments/behaviour_cloning.py --evaluate runs/ann --log other.db --player ann

Logs are databases or their JSONL exports (plain or .gz), one or several, or a folder of
experiments/preprocess.py; with --teacher a named agent plays the games first; with neither it is the shipped
sample. The folder of --out holds the data, `clone.safetensors`, `evaluation.json`, `report.png` and
TensorBoard events. --evaluate judges a clone on logs and trains nothing.

The clone is a network like the champion's: `agents.make("bc:folder=runs/ann")` plays its policy,
`agents.make("alphazero:checkpoint=runs/ann")` searches on it, and `experiments/alphazero.py --init runs/ann`
lets self-play carry it further. Its file says the rules of the log; other rules are refused. --init goes on
from a network that there is, --resume from where a run stopped, if the other options are the same. --ship
copies the clone to where `agents.make("bc")` looks for it.
"""

from __future__ import annotations

import json
import shlex
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from experiments.common.packages import needed_by

with needed_by(__name__):
    import torch

import agents
from agents.networks.afterstate import AfterstateNetwork, load_network, save_network
from agents.networks.files import verify_trained_for
from agents.networks.native import CLONE
from agents.players import bc
from experiments.cloning.ceiling import ceiling, ceiling_text
from experiments.cloning.data import Split, TrainingSet, Turns, split_by_session
from experiments.cloning.metrics import evaluation, evaluation_table, plot_report, predict
from experiments.cloning.training import Fit, FitConfig
from experiments.common.command_line import folder_of, run, write_json
from experiments.common.devices import device_of
from experiments.common.options import (
    OUT,
    SAMPLE,
    config_option,
    device_option,
    given,
    option,
    processes_option,
    resume_option,
    rules_option,
    seed_option,
    values_option,
    verify,
)
from experiments.common.stored import plain_settings, stored_settings
from experiments.generate_log import Games, generate_log
from experiments.preprocess import preprocess
from ofc_env import Rules
from ofc_env.files import new_file

FIT = FitConfig()
FIRST_WEIGHTS = 0.2  # of those that self-play begins with
JUDGING = {"evaluate", "log", "player", "rules"}  # options that --evaluate has a use for


@dataclass(frozen=True)
class Config:
    """One run."""

    log: tuple[Path, ...] = option(
        (),
        "databases or JSONL (plain or .gz), one or several, or a folder of arrays",
        shown="the shipped sample",
        metavar="FILE",
    )
    evaluate: Path | None = option(
        None,
        "only judge this clone, a folder or a network file, on every turn of the log",
        metavar="PATH",
        shown="train one",
    )
    teacher: str | None = option(
        None,
        "an agent that plays the games first, such as pimc:rollouts=50",
        metavar="NAME",
        shown="nobody, a log is read",
    )
    player: str | None = option(None, "imitate only this player of the log", shown="everybody")
    hands: int = option(5000, "hands the teacher plays; more make the copy truer", low=1)
    processes: int = processes_option(1)
    rules: str = rules_option("those of the log; house for a teacher")
    fantasyland_values: tuple[float, ...] | None = values_option()
    out: Path = option(Path("runs/bc"), "folder of the run", metavar="FOLDER", old=("--output",))
    config: Path | None = config_option()
    resume: str = resume_option("its name in runs/", bare=OUT)
    init: Path | None = option(
        None,
        "network to begin from: a file, or the folder of a clone",
        metavar="PATH",
        shown="one that knows nothing",
        group="network",
    )
    hidden: int = option(
        256, "units of the first layer, a multiple of 64; more learn more of a long log; --init has its own"
    )
    augment: bool = option(True, "rename suits and jokers at random", group="learning")
    learning_rate: float = option(
        FIT.learning_rate, "of AdamW at the start; higher is faster, until it is unsteady", above=0
    )
    weight_decay: float = option(FIT.weight_decay, "of AdamW; more keeps weights small", low=0)
    batch_size: int = option(FIT.batch_size, "rows a step; more are steadier steps, and fewer", low=1)
    epochs: int = option(FIT.epochs, "passes over the data at most", low=1)
    patience: int = option(FIT.patience, "epochs without gain before the end", low=1)
    ceiling: int = option(
        0, "test positions on which to measure what can be foreseen at all; needs --teacher", low=0
    )
    device: str = device_option()
    seed: int = seed_option("fixes games, split, weights and order")
    ship: bool = option(False, 'make it what agents.make("bc") plays')

    def __post_init__(self) -> None:
        _ = self.asked_rules, device_of(self.device)  # what cannot be is refused before anything is played
        if self.hidden < 64 or self.hidden % 64 or self.hidden > 1024:
            raise ValueError(f"--hidden {self.hidden} is not possible: use a multiple of 64 up to 1024")

    @property
    def asked_rules(self) -> Rules | None:
        """The rules that a teacher plays by, or whose hands of a log are taken; None: what there is."""
        return Rules.parse(self.rules) if self.rules else None

    @property
    def folder(self) -> Path:
        """Where the run is."""
        return folder_of(self.out, self.resume)

    @property
    def fit(self) -> FitConfig:
        """How long and how hard to train."""
        return FitConfig(
            learning_rate=self.learning_rate,
            weight_decay=self.weight_decay,
            batch_size=self.batch_size,
            epochs=self.epochs,
            patience=self.patience,
            augment=self.augment,
            seed=self.seed,
        )


def prepare(config: Config) -> TrainingSet:
    """The training set of the run, by the rules that were asked for."""
    data = _made_or_found(config)
    if config.asked_rules is not None and not config.asked_rules.same_hand(data.rules):
        raise ValueError(
            f"the training set {data.metadata['source']} was played by the rules {data.rules.name!r}, not by "
            f"{config.asked_rules.name!r}: leave --rules out, or preprocess another log"
        )
    return data


def _made_or_found(config: Config) -> TrainingSet:
    """The training set: made from the logs or by the teacher, and kept in the output folder."""
    folders = [log for log in config.log if log.is_dir()]
    if folders:
        if len(config.log) > 1 or config.player is not None:
            raise ValueError(
                f"{folders[0]} is a folder of arrays, which is taken whole: give it alone, or the logs that "
                "it was made of"
            )
        return TrainingSet.load(folders[0])
    data = config.folder / "data"
    if config.resume and data.is_dir():
        return TrainingSet.load(data)
    logs = config.log or (SAMPLE,)
    if config.teacher is not None:
        logs = (config.folder / "games.db",)
        games = Games(
            config.teacher,
            hands=config.hands,
            seed=config.seed,
            processes=config.processes,
            rules=config.asked_rules or Rules(),
            fantasyland_values=config.fantasyland_values,
        )
        generate_log(games, logs[0])
    metadata = preprocess(logs, data, rules=config.asked_rules, player=config.player, overwrite=True)
    if not metadata["counts"]["rows"]:
        whose = f" of {config.player!r}" if config.player else ""
        raise ValueError(
            f"there is no turn{whose} in {', '.join(map(str, logs))}: check the log and the name"
        )
    return TrainingSet.load(data)


def begin(config: Config, rules: Rules) -> AfterstateNetwork:
    """The network of --init, or one that knows nothing."""
    if config.init is None:
        torch.manual_seed(config.seed)
        network = AfterstateNetwork(config.hidden, rules=rules)
        with torch.no_grad():  # a log is small: what an input starts with, it keeps where it is rare
            network.first.weight.mul_(FIRST_WEIGHTS)
        return network
    network = load_network(config.init)
    verify_trained_for(network.rules, rules, config.init)
    return network


def train(config: Config, turns: Turns, split: Split) -> tuple[AfterstateNetwork, list[dict[str, float]]]:
    """Train the clone; the network and its learning curve."""
    from torch.utils.tensorboard import SummaryWriter

    network = begin(config, turns.rules).to(device_of(config.device))
    fit = Fit(network, config.fit, config.folder / "clone_state.pt")
    if config.resume and fit.resume():
        print(f"resumed at epoch {fit.progress.epoch}", flush=True)
    elif fit.state_path is not None:
        fit.state_path.unlink(missing_ok=True)
    with SummaryWriter(str(config.folder / "tensorboard")) as board:

        def report(entry: dict[str, float]) -> None:
            for name in ("train", "validation", "learning_rate"):
                board.add_scalar(f"clone/{name}", entry[name], int(entry["epoch"]))

        fit.run(turns, split, report)
    return fit.network, fit.progress.curve


def clone(config: Config, command: str = "") -> dict[str, Any]:
    """The whole way from a log to a clone, an evaluation and a picture; the evaluation."""
    started = time.perf_counter()
    if config.log and config.teacher is not None:
        raise ValueError("--log and --teacher are two sources: give one of them")
    if config.ceiling and config.teacher is None:
        raise ValueError("only a teacher can be asked to play on: use --ceiling together with --teacher")
    if config.fantasyland_values is not None and config.teacher is None:
        raise ValueError(
            "only a teacher asks what fantasyland is worth: use --fantasyland-values with --teacher"
        )
    if config.asked_rules is not None:
        verify_shippable(config, config.asked_rules)
    teacher = None
    if config.ceiling and config.teacher:
        teacher = agents.make_valued(config.teacher, config.asked_rules or Rules(), config.fantasyland_values)
    config.folder.mkdir(parents=True, exist_ok=True)
    settings = plain_settings(replace(config, resume="", config=None, ship=False))
    write_json(config.folder / "config.json", {"config": settings, "command": command})
    data = prepare(config)
    verify_shippable(config, data.rules)
    turns = data.turns()
    split = split_by_session(turns.session_index, config.seed)
    prepared = time.perf_counter()
    network, curve = train(config, turns, split)
    trained = time.perf_counter()
    report = evaluation(predict(network, turns, split.test))
    if config.init is not None:  # what it knew of these turns before
        report["init"] = evaluation(predict(begin(config, data.rules), turns, split.test))["overall"]
    report |= {
        "teacher": config.teacher or config.player or data.metadata["players"],
        "command": command,
        "rules": data.rules.name,
        "turns": {part: len(getattr(split, part)) for part in ("train", "validation", "test")},
        "seconds": {"data": round(prepared - started, 1), "training": round(trained - prepared, 1)},
        "epochs": len(curve),
    }
    if teacher is not None:
        same = np.random.default_rng(config.seed).permutation(split.test)[: config.ceiling]
        report["ceiling"] = ceiling(teacher, data, turns.rows[same], seed=config.seed)
        report["ceiling"]["network"] = evaluation(predict(network, turns, same))["overall"]
    notes = {"command": command, "evaluation": json.dumps(report["overall"])}
    save_network(network, config.folder / CLONE, notes)
    with new_file(config.folder / "evaluation.json") as partial:
        partial.write_text(json.dumps(report, indent=1) + "\n")
    with new_file(config.folder / "report.png") as partial:
        plot_report(report, curve, partial)
    return report


def verify_shippable(config: Config, rules: Rules) -> None:
    """Refuse to put a clone of other rules where the house's is looked for."""
    if config.ship and not rules.same_hand(Rules()):
        raise ValueError(
            f'agents.make("bc") plays the house rules, and this clone plays by {rules.name!r}: '
            f"leave --ship out and play bc:folder={config.folder}"
        )


def ship(output: Path) -> None:
    """Copy the clone of a run to where `agents.make("bc")` finds them."""
    for name in (CLONE, "evaluation.json"):
        with new_file(bc.WEIGHTS / name) as partial:
            partial.write_bytes((output / name).read_bytes())


def judge(config: Config, path: Path) -> dict[str, Any]:
    """What a clone says about every turn of the logs; nothing is kept."""
    network = load_network(path)
    with tempfile.TemporaryDirectory() as folder:
        data = prepare(replace(config, out=Path(folder)))
        verify_trained_for(network.rules, data.rules, path)
        turns = data.turns()
        return evaluation(predict(network, turns, np.arange(len(turns))))


def clone_and_show(config: Config, command: str) -> None:
    """The whole way, and what came of it."""
    torch.set_num_threads(1)
    if config.evaluate is not None:
        print(evaluation_table(judge(config, config.evaluate)))
        return
    report = clone(config, command)
    if config.ship:
        ship(config.folder)
    print(evaluation_table(report))
    if "init" in report:
        before, after = report["init"]["top1"], report["overall"]["top1"]
        print(
            f"{config.init} chose the placement played in {before:.1%} of these turns, the clone in "
            f"{after:.1%}"
        )
    if "ceiling" in report:
        print(ceiling_text(report["ceiling"]))
    seconds, turns = report["seconds"]["training"], report["turns"]["train"]
    print(f"{config.folder}: trained in {seconds} s on {turns} turns")


def read_config(words: list[str]) -> Config:
    """The configuration that the command line describes; with --evaluate only what chooses the turns."""
    said = given((Config,), words, __doc__)[0]
    others = sorted(said.keys() - JUDGING) if "evaluate" in said else []
    if others:
        raise ValueError(
            f"--evaluate judges a clone and trains nothing: leave out --{others[0].replace('_', '-')}"
        )
    if "config" in said:
        if "resume" in said:
            raise ValueError("--config begins a run with the settings of another: leave out --resume")
        said = {**stored_settings(Config, said["config"]), **said}
    config = Config(**said)
    verify(config)
    return config


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    command = shlex.join(["python", "experiments/behaviour_cloning.py", *words])
    return run(
        lambda: clone_and_show(read_config(words), command),
        when_stopped="stopped: the same command with --resume goes on from here",
    )


if __name__ == "__main__":
    sys.exit(main())
