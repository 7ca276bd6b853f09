"""From a log to a player: networks that imitate whoever was logged and know the risk.

    python experiments/behaviour_cloning.py --log games.db --player ann --out runs/ann
    python experiments/behaviour_cloning.py --teacher heuristic --hands 5000 --out runs/bc
    python experiments/behaviour_cloning.py --teacher heuristic --rules standard --out runs/bc-standard
    python experiments/behaviour_cloning.py --resume runs/ann --log games.db --player ann

The log is a database, its JSONL export (plain or .gz) or a folder of experiments/preprocess.py; with
--teacher a named agent plays the games first; with neither it is the shipped sample. The folder of --out
holds the data, `policy.safetensors`, `value.safetensors`, `evaluation.json`, `report.png` and TensorBoard
events. The networks' files say the rules of the log, and `agents.make("bc:folder=runs/bc-standard",
rules="standard")` plays by them; other rules are refused. --resume goes on where a run stopped, if the other
options are the same. --ship copies the networks to where `agents.make("bc")` looks for them.
"""

from __future__ import annotations

import json
import shlex
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from experiments.common.packages import needed_by

with needed_by(__name__):
    import torch

import agents
from agents.networks.observation import NetworkConfig, PolicyNetwork, ValueNetwork, save_network
from agents.players import bc
from experiments.cloning.ceiling import ceiling, ceiling_text, sampled_rows
from experiments.cloning.data import Split, TrainingSet, split_by_session
from experiments.cloning.metrics import evaluation, evaluation_table, plot_report, predict
from experiments.cloning.training import Fit, FitConfig, policy_loss, value_loss
from experiments.common.command_line import folder_of, run
from experiments.common.options import (
    OUT,
    SAMPLE,
    option,
    processes_option,
    read,
    resume_option,
    rules_option,
    seed_option,
    values_option,
)
from experiments.export_logs import export_logs
from experiments.generate_log import Games, generate_log
from experiments.preprocess import preprocess
from ofc_env import Rules
from ofc_env.files import new_file

# What measured best on logs of some ten thousand turns.
POLICY = NetworkConfig((128, 32), dropout=0.0, counts=True, by_slot=True)
VALUE = NetworkConfig((128, 32), dropout=0.1, counts=True, by_slot=True)
FIT = FitConfig()


@dataclass(frozen=True)
class Config:
    """One run."""

    log: Path | None = option(
        None, "database, JSONL (plain or .gz) or folder of arrays", shown="the shipped sample", metavar="FILE"
    )
    teacher: str | None = option(
        None,
        "an agent that plays the games first, such as pimc:rollouts=50",
        metavar="NAME",
        shown="nobody, a log is read",
    )
    player: str | None = option(None, "imitate only this player of the database", shown="everybody")
    hands: int = option(5000, "hands the teacher plays; more make the copy truer", low=1)
    processes: int = processes_option(1)
    rules: str = rules_option("those of the log; house for a teacher")
    fantasyland_values: tuple[float, ...] | None = values_option()
    out: Path = option(Path("runs/bc"), "folder of the run", metavar="FOLDER", old=("--output",))
    resume: str = resume_option("its name in runs/", bare=OUT)
    policy_hidden: tuple[int, ...] = option(
        POLICY.hidden, "units of the policy, layer by layer; more learn more of a long log", group="networks"
    )
    value_hidden: tuple[int, ...] = option(VALUE.hidden, "units of the value network, layer by layer")
    policy_dropout: float = option(
        POLICY.dropout, "share of the policy's units left out in training; more hinder learning by heart"
    )
    value_dropout: float = option(VALUE.dropout, "the same of the value network")
    plain: bool = option(False, "plain networks, not such that judge slots")
    counts: bool = option(True, "derived counts beside the 490 numbers")
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
    seed: int = seed_option("fixes games, split, weights and order")
    ship: bool = option(False, 'make it what agents.make("bc") plays')

    def __post_init__(self) -> None:
        _ = self.policy, self.value, self.asked_rules  # what cannot be is refused before anything is played

    @property
    def asked_rules(self) -> Rules | None:
        """The rules that a teacher plays by, or whose hands of a log are taken; None: what there is."""
        return Rules.parse(self.rules) if self.rules else None

    @property
    def folder(self) -> Path:
        """Where the run is."""
        return folder_of(self.out, self.resume)

    @property
    def policy(self) -> NetworkConfig:
        """Sizes of the policy."""
        return NetworkConfig(self.policy_hidden, self.policy_dropout, self.counts, not self.plain)

    @property
    def value(self) -> NetworkConfig:
        """Sizes of the value network."""
        return NetworkConfig(self.value_hidden, self.value_dropout, self.counts, not self.plain)

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
    """The training set: made from the log or by the teacher, and kept in the output folder."""
    data = config.folder / "data"
    if config.log is not None and config.log.is_dir():
        return TrainingSet.load(config.log)
    if config.resume and data.is_dir():
        return TrainingSet.load(data)
    lines, database = config.folder / "turns.jsonl.gz", config.log or SAMPLE
    if config.teacher is not None:
        database = config.folder / "games.db"
        games = Games(
            config.teacher,
            hands=config.hands,
            seed=config.seed,
            processes=config.processes,
            rules=config.asked_rules or Rules(),
            fantasyland_values=config.fantasyland_values,
        )
        generate_log(games, database)
    if database.suffix in (".jsonl", ".gz"):
        if config.player is not None:
            raise ValueError(
                f"{database} is an export: choose the player when exporting, or give the database"
            )
        lines = database
    else:
        export_logs(database, lines, player=config.player, finished=True)
    preprocess(lines, data, rules=config.asked_rules, overwrite=True)
    return TrainingSet.load(data)


def train(
    config: Config, data: TrainingSet, split: Split
) -> tuple[PolicyNetwork, ValueNetwork, dict[str, list[dict[str, float]]]]:
    """Train both networks, the policy first; the networks and their learning curves."""
    from torch.utils.tensorboard import SummaryWriter

    torch.manual_seed(config.seed)
    policy, value = PolicyNetwork(config.policy), ValueNetwork(config.value)
    policy.rules = value.rules = data.rules
    fits = (
        Fit(policy, policy_loss, config.fit, config.folder / "policy_state.pt"),
        Fit(value, value_loss, config.fit, config.folder / "value_state.pt"),
    )
    curves: dict[str, list[dict[str, float]]] = {}
    with SummaryWriter(str(config.folder / "tensorboard")) as board:
        for fit in fits:
            if not (config.resume and fit.resume()) and fit.state_path is not None:
                fit.state_path.unlink(missing_ok=True)
            kind = fit.network.kind

            def report(entry: dict[str, float], kind: str = kind) -> None:
                for name in ("train", "validation", "learning_rate"):
                    board.add_scalar(f"{kind}/{name}", entry[name], int(entry["epoch"]))

            fit.run(data, split, report)
            curves[kind] = fit.progress.curve
    return policy, value, curves


def clone(config: Config, command: str = "") -> dict[str, Any]:
    """The whole way from a log to checkpoints, an evaluation and a picture; the evaluation."""
    started = time.perf_counter()
    if config.log is not None and config.teacher is not None:
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
    data = prepare(config)
    verify_shippable(config, data.rules)
    split = split_by_session(data.session_index, config.seed)
    prepared = time.perf_counter()
    policy, value, curves = train(config, data, split)
    trained = time.perf_counter()
    report = evaluation(predict(policy, value, data, split.test))
    report |= {
        "teacher": config.teacher or config.player or data.metadata["players"],
        "command": command,
        "rules": data.rules.name,
        "rows": {part: len(getattr(split, part)) for part in ("train", "validation", "test")},
        "turns": data.metadata["counts"]["used_turns"],
        "seconds": {"data": round(prepared - started, 1), "training": round(trained - prepared, 1)},
        "epochs": {kind: len(curve) for kind, curve in curves.items()},
    }
    if teacher is not None:
        report["ceiling"] = ceiling(teacher, data, split.test, config.ceiling, seed=config.seed)
        same = np.sort(sampled_rows(split.test, config.ceiling, config.seed))
        report["ceiling"]["networks"] = evaluation(predict(policy, value, data, same))["overall"]
    notes = {"command": command, "evaluation": json.dumps(report["overall"])}
    save_network(policy, config.folder / "policy.safetensors", notes)
    save_network(value, config.folder / "value.safetensors", notes)
    with new_file(config.folder / "evaluation.json") as partial:
        partial.write_text(json.dumps(report, indent=1) + "\n")
    with new_file(config.folder / "report.png") as partial:
        plot_report(report, curves, partial)
    return report


def verify_shippable(config: Config, rules: Rules) -> None:
    """Refuse to put a clone of other rules where the house's is looked for."""
    if config.ship and not rules.same_hand(Rules()):
        raise ValueError(
            f'agents.make("bc") plays the house rules, and this clone plays by {rules.name!r}: '
            f"leave --ship out and play bc:folder={config.folder}"
        )


def ship(output: Path) -> None:
    """Copy the networks of a run to where `agents.make("bc")` finds them."""
    for name in ("policy.safetensors", "value.safetensors", "evaluation.json"):
        with new_file(bc.WEIGHTS / name) as partial:
            partial.write_bytes((output / name).read_bytes())


def clone_and_show(config: Config, command: str) -> None:
    """The whole way, and what came of it."""
    torch.set_num_threads(1)
    report = clone(config, command)
    if config.ship:
        ship(config.folder)
    print(evaluation_table(report))
    if "ceiling" in report:
        print(ceiling_text(report["ceiling"]))
    print(f"{config.folder}: trained in {report['seconds']['training']} s on {report['rows']['train']} rows")


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    command = shlex.join(["python", "experiments/behaviour_cloning.py", *words])
    return run(
        lambda: clone_and_show(read(Config, words, __doc__), command),
        when_stopped="stopped: the same command with --resume goes on from here",
    )


if __name__ == "__main__":
    sys.exit(main())
