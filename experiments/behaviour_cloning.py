"""From a log to a player: networks that imitate whoever was logged and know the risk.

    python -m experiments.behaviour_cloning --log games.db --player ann --output runs/ann
    python -m experiments.behaviour_cloning --teacher heuristic --hands 5000 --output runs/bc

The log is a database, its JSONL export (plain or .gz) or a folder of experiments.preprocess; with --teacher a
named agent plays the games first. The output folder holds the data, `policy.safetensors`,
`value.safetensors`, `evaluation.json`, `report.png` and TensorBoard events. `--resume` goes on where a run
stopped. `--ship` copies the networks to where `agents.make("bc")` looks for them.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

import agents
from agents.networks.observation import NetworkConfig, PolicyNetwork, ValueNetwork, save_network
from agents.players import bc
from experiments.cloning.ceiling import ceiling, ceiling_text, sampled_rows
from experiments.cloning.data import Split, TrainingSet, split_by_session
from experiments.cloning.metrics import evaluation, evaluation_table, plot_report, predict
from experiments.cloning.training import Fit, FitConfig, policy_loss, value_loss
from experiments.export_logs import export_logs
from experiments.generate_log import Games, generate_log
from experiments.preprocess import preprocess
from ofc_env.files import new_file

# What measured best on logs of some ten thousand turns.
POLICY = NetworkConfig((128, 32), dropout=0.0, counts=True, by_slot=True)
VALUE = NetworkConfig((128, 32), dropout=0.1, counts=True, by_slot=True)


@dataclass(frozen=True)
class Config:
    """One run."""

    output: Path
    log: Path | None = None  # database, JSONL or folder of arrays
    player: str | None = None  # imitate only this player; needs a database
    teacher: str | None = None  # an agent that plays the games, if there is no log
    hands: int = 5000  # how many hands it plays
    processes: int = 1  # that play them
    policy: NetworkConfig = POLICY
    value: NetworkConfig = VALUE
    fit: FitConfig = field(default_factory=FitConfig)
    ceiling: int = 0  # test positions on which to measure what can be foreseen at all; needs a teacher
    seed: int = 0  # games, split, weights and order
    resume: bool = False
    show: bool = True  # progress bars


def prepare(config: Config) -> TrainingSet:
    """The training set of the run: made from the log or by the teacher, and kept in the output folder."""
    data = config.output / "data"
    if config.log is not None and config.log.is_dir():
        return TrainingSet.load(config.log)
    if config.resume and data.is_dir():
        return TrainingSet.load(data)
    lines, database = config.output / "turns.jsonl.gz", config.log
    if config.log is None:
        if config.teacher is None:
            raise ValueError(
                "nothing to learn from: give --log with a file, or --teacher with an agent's name"
            )
        database = config.output / "games.db"
        games = Games(config.teacher, hands=config.hands, seed=config.seed, processes=config.processes)
        generate_log(games, database, progress=config.show)
    if database is not None and database.suffix in (".jsonl", ".gz"):
        if config.player is not None:
            raise ValueError(
                f"{database} is an export: choose the player when exporting, or give the database"
            )
        lines = database
    elif database is not None:
        export_logs(database, lines, player=config.player, finished=True, progress=config.show)
    preprocess(lines, data, overwrite=True, progress=config.show)
    return TrainingSet.load(data)


def train(
    config: Config, data: TrainingSet, split: Split
) -> tuple[PolicyNetwork, ValueNetwork, dict[str, list[dict[str, float]]]]:
    """Train both networks, the policy first; the networks and their learning curves."""
    from torch.utils.tensorboard import SummaryWriter

    torch.manual_seed(config.seed)
    policy, value = PolicyNetwork(config.policy), ValueNetwork(config.value)
    fits = (
        Fit(policy, policy_loss, config.fit, config.output / "policy_state.pt"),
        Fit(value, value_loss, config.fit, config.output / "value_state.pt"),
    )
    curves: dict[str, list[dict[str, float]]] = {}
    with SummaryWriter(str(config.output / "tensorboard")) as board:
        for fit in fits:
            if not (config.resume and fit.resume()) and fit.state_path is not None:
                fit.state_path.unlink(missing_ok=True)
            kind = fit.network.kind

            def report(entry: dict[str, float], kind: str = kind) -> None:
                for name in ("train", "validation", "learning_rate"):
                    board.add_scalar(f"{kind}/{name}", entry[name], int(entry["epoch"]))

            fit.run(data, split, report, config.show)
            curves[kind] = fit.progress.curve
    return policy, value, curves


def clone(config: Config, command: str = "") -> dict[str, Any]:
    """The whole way from a log to checkpoints, an evaluation and a picture; the evaluation."""
    started = time.perf_counter()
    if config.ceiling and config.teacher is None:
        raise ValueError("only a teacher can be asked to play on: use --ceiling together with --teacher")
    teacher = agents.make(config.teacher) if config.ceiling and config.teacher else None
    config.output.mkdir(parents=True, exist_ok=True)
    data = prepare(config)
    split = split_by_session(data.session_index, config.seed)
    prepared = time.perf_counter()
    policy, value, curves = train(config, data, split)
    trained = time.perf_counter()
    report = evaluation(predict(policy, value, data, split.test))
    report |= {
        "teacher": config.teacher or config.player or data.metadata["players"],
        "command": command,
        "rows": {part: len(getattr(split, part)) for part in ("train", "validation", "test")},
        "turns": data.metadata["counts"]["used_turns"],
        "seconds": {"data": round(prepared - started, 1), "training": round(trained - prepared, 1)},
        "epochs": {kind: len(curve) for kind, curve in curves.items()},
    }
    if teacher is not None:
        report["ceiling"] = ceiling(
            teacher, data, split.test, config.ceiling, seed=config.seed, show=config.show
        )
        same = np.sort(sampled_rows(split.test, config.ceiling, config.seed))
        report["ceiling"]["networks"] = evaluation(predict(policy, value, data, same))["overall"]
    notes = {"command": command, "evaluation": json.dumps(report["overall"])}
    save_network(policy, config.output / "policy.safetensors", notes)
    save_network(value, config.output / "value.safetensors", notes)
    with new_file(config.output / "evaluation.json") as partial:
        partial.write_text(json.dumps(report, indent=1) + "\n")
    with new_file(config.output / "report.png") as partial:
        plot_report(report, curves, partial)
    return report


def ship(output: Path) -> None:
    """Copy the networks of a run to where `agents.make("bc")` finds them."""
    for name in ("policy.safetensors", "value.safetensors", "evaluation.json"):
        with new_file(bc.WEIGHTS / name) as partial:
            partial.write_bytes((output / name).read_bytes())


def _parser() -> argparse.ArgumentParser:
    fit, policy, value = FitConfig(), POLICY, VALUE
    parser = argparse.ArgumentParser(
        prog="experiments.behaviour_cloning", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--output", type=Path, required=True, help="folder of the run")
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--log", type=Path, help="database, JSONL (plain or .gz) or folder of arrays")
    source.add_argument("--teacher", help="an agent that plays the games first, such as pimc:rollouts=50")
    parser.add_argument("--player", help="imitate only this player of the database")
    parser.add_argument("--hands", type=int, default=5000, help="hands the teacher plays")
    parser.add_argument("--processes", type=int, default=1, help="processes the teacher plays in")
    parser.add_argument(
        "--policy-hidden", type=int, nargs="+", default=list(policy.hidden), help="units by layer"
    )
    parser.add_argument(
        "--value-hidden", type=int, nargs="+", default=list(value.hidden), help="units by layer"
    )
    parser.add_argument("--policy-dropout", type=float, default=policy.dropout)
    parser.add_argument("--value-dropout", type=float, default=value.dropout)
    parser.add_argument("--plain", action="store_true", help="plain networks, not such that judge slots")
    parser.add_argument("--no-counts", action="store_true", help="only the 490 numbers, no derived counts")
    parser.add_argument("--no-augment", action="store_true", help="no renaming of suits")
    parser.add_argument("--learning-rate", type=float, default=fit.learning_rate)
    parser.add_argument("--weight-decay", type=float, default=fit.weight_decay)
    parser.add_argument("--batch-size", type=int, default=fit.batch_size)
    parser.add_argument("--epochs", type=int, default=fit.epochs, help="at most")
    parser.add_argument(
        "--patience", type=int, default=fit.patience, help="epochs without gain before the end"
    )
    parser.add_argument(
        "--ceiling", type=int, default=0, help="test positions to measure the best possible on"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--resume", action="store_true", help="go on with the run in the output folder")
    parser.add_argument("--ship", action="store_true", help='make it what agents.make("bc") plays')
    return parser


def main(arguments: list[str] | None = None) -> None:
    """The command line."""
    options = _parser().parse_args(arguments)
    words = sys.argv[1:] if arguments is None else arguments
    command = shlex.join(["python", "-m", "experiments.behaviour_cloning", *words])
    torch.set_num_threads(1)
    try:
        config = Config(
            output=options.output,
            log=options.log,
            player=options.player,
            teacher=options.teacher,
            hands=options.hands,
            processes=options.processes,
            policy=NetworkConfig(
                tuple(options.policy_hidden), options.policy_dropout, not options.no_counts, not options.plain
            ),
            value=NetworkConfig(
                tuple(options.value_hidden), options.value_dropout, not options.no_counts, not options.plain
            ),
            fit=FitConfig(
                learning_rate=options.learning_rate,
                weight_decay=options.weight_decay,
                batch_size=options.batch_size,
                epochs=options.epochs,
                patience=options.patience,
                augment=not options.no_augment,
                seed=options.seed,
            ),
            ceiling=options.ceiling,
            seed=options.seed,
            resume=options.resume,
        )
        report = clone(config, command)
        if options.ship:
            ship(options.output)
    except (ValueError, OSError) as error:
        sys.exit(str(error))
    print(evaluation_table(report))
    if "ceiling" in report:
        print(ceiling_text(report["ceiling"]))
    print(f"{options.output}: trained in {report['seconds']['training']} s on {report['rows']['train']} rows")


if __name__ == "__main__":
    main()
