"""The pieces of `experiments.alphazero` one by one: selfplay, train, evaluate, play.

python experiments/alphazero.py selfplay --checkpoint FILE --hands 5000 --out data/round_00000.npz
python experiments/alphazero.py train --data data --init FILE --steps 500 --out better.safetensors
python experiments/alphazero.py evaluate --checkpoint better.safetensors --sims 0 100
python experiments/alphazero.py play --checkpoint better.safetensors --sims 200
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from agents.arena import MatchSettings, play_match
from agents.arena.workers import one_torch_thread
from agents.networks.afterstate import AfterstateNetwork, load_network, save_network
from agents.players.alphazero import CHAMPION
from experiments.common.command_line import duration, script_parser
from experiments.play import main as play_main
from experiments.selfplay.report import match_table
from experiments.selfplay.state import make_optimizer, round_seed
from experiments.selfplay.training import FIELDS, Replay, TrainingSettings, train
from experiments.selfplay.workers import Shared, joined, make_workers, split, weights_of
from ofc_env.files import new_file


def run_command(name: str, words: list[str]) -> None:
    """Run a command by its name."""
    commands: dict[str, Callable[[list[str]], None]] = {
        "selfplay": selfplay,
        "train": train_once,
        "evaluate": evaluate,
        "play": play,
    }
    if name not in commands:
        raise ValueError(f"there is no command {name!r}: use {', '.join(commands)}, or none to train")
    commands[name](words)


def _parser(command: str, text: str) -> argparse.ArgumentParser:
    parser = script_parser(text)
    parser.prog = f"alphazero.py {command}"
    return parser


def _add_checkpoint(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--checkpoint", type=Path, default=CHAMPION, help="network file (default: the shipped champion)"
    )


def selfplay(words: list[str]) -> None:
    """Play hands and write their decisions."""
    parser = _parser("selfplay", "Play hands against itself and write their decisions as .npz.")
    _add_checkpoint(parser)
    parser.add_argument(
        "--rollouts", action="store_true", help="judge by heuristic rollouts, without a network"
    )
    parser.add_argument("--hands", type=int, default=1000, help="default %(default)s")
    parser.add_argument("--candidates", type=int, default=4, help="placements searched (default %(default)s)")
    parser.add_argument("--simulations", type=int, default=32, help="of a decision (default %(default)s)")
    parser.add_argument("--processes", type=int, default=2, help="default %(default)s")
    parser.add_argument("--ray", nargs="?", const="local", metavar="ADDRESS", help="Ray actors instead")
    parser.add_argument("--seed", type=int, default=0, help="default %(default)s")
    parser.add_argument("--out", type=Path, required=True, help="file, such as data/round_00000.npz")
    given = parser.parse_args(words)
    weights = None if given.rollouts else weights_of(load_network(given.checkpoint))
    options = {
        "candidates": given.candidates,
        "simulations": given.simulations,
        "by_rollouts": given.rollouts,
    }
    tasks = split(given.hands, 50, lambda part: round_seed(given.seed, 0, 0, part), options)
    start = time.perf_counter()
    with make_workers(given.processes, given.ray) as workers:
        decisions = joined(workers.start(tasks, Shared(weights)).results())
    spent = time.perf_counter() - start
    with new_file(given.out) as partial, partial.open("wb") as file:
        arrays: dict[str, Any] = {name: decisions[name] for name in FIELDS}
        np.savez_compressed(file, **arrays)
    foul, fantasyland = decisions["outcomes"][:, 1:3].mean(axis=0)
    print(
        f"{given.hands} hands, {len(decisions['chosen'])} decisions in {duration(spent)} "
        f"({given.hands / spent:.0f} hands/s): foul {100 * foul:.1f} %, FL {100 * fantasyland:.1f} %\n"
        f"written to {given.out}"
    )


def train_once(words: list[str]) -> None:
    """Learn from files of decisions."""
    default = TrainingSettings()
    parser = _parser("train", "Learn from files that selfplay has written, without playing.")
    parser.add_argument("--data", type=Path, required=True, help="folder of round_*.npz files")
    parser.add_argument("--init", type=Path, help="network to start from (default: a new one)")
    parser.add_argument("--hidden", type=int, default=256, help="units of a new one (default %(default)s)")
    parser.add_argument("--steps", type=int, default=500, help="optimiser steps (default %(default)s)")
    parser.add_argument(
        "--learning-rate", type=float, default=default.learning_rate, help="default %(default)s"
    )
    parser.add_argument(
        "--outcome-share", type=float, default=default.outcome_share, help="default %(default)s"
    )
    parser.add_argument("--seed", type=int, default=0, help="default %(default)s")
    parser.add_argument("--out", type=Path, required=True, help="network file to write")
    given = parser.parse_args(words)
    replay = Replay(given.data, sys.maxsize)
    replay.load(sys.maxsize - 1)
    if not len(replay):
        raise ValueError(f"there are no round_*.npz files in {given.data}: make some with selfplay")
    torch.manual_seed(given.seed)
    network = load_network(given.init) if given.init else AfterstateNetwork(given.hidden)
    settings = replace(default, learning_rate=given.learning_rate, outcome_share=given.outcome_share)
    optimizer = make_optimizer(network, settings.weight_decay)
    generator = np.random.default_rng(given.seed)
    begin = 0
    with one_torch_thread():
        while begin < given.steps:
            steps = min(50, given.steps - begin)
            rate = settings.learning_rate * min(1.0, max(0.1, (given.steps - begin) / (0.4 * given.steps)))
            for group in optimizer.param_groups:
                group["lr"] = rate
            found = train(network, optimizer, replay, steps, settings, generator)
            begin += steps
            losses = ", ".join(
                f"{name} {found[name]:.3f}" for name in ("value", "relative", "policy", "heads")
            )
            print(f"step {begin}: {losses}", flush=True)
    save_network(network, given.out, {"data": str(given.data), "steps": given.steps})
    print(f"written to {given.out}")


def evaluate(words: list[str]) -> None:
    """Matches of a network against fixed opponents."""
    parser = _parser("evaluate", "Measure a network in the arena, on duplicate deals.")
    _add_checkpoint(parser)
    parser.add_argument("--sims", type=int, nargs="+", default=[0, 100], help="simulations (default 0 100)")
    parser.add_argument(
        "--opponents",
        nargs="+",
        default=["random", "heuristic", "pimc:rollouts=200"],
        help="agents by name, such as alphazero:sims=0,checkpoint=FILE (default %(default)s)",
    )
    parser.add_argument(
        "--deals", type=int, default=500, help="duplicate deals a match (default %(default)s)"
    )
    parser.add_argument("--processes", type=int, default=2, help="default %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="default %(default)s")
    given = parser.parse_args(words)
    load_network(given.checkpoint)  # refuse it before anything is played
    settings = MatchSettings(seed=given.seed, processes=given.processes, progress=sys.stderr.isatty())
    results = []
    for sims in given.sims:
        for opponent in given.opponents:
            player = f"alphazero:sims={sims},checkpoint={given.checkpoint}"
            result = play_match(player, opponent, given.deals, settings)
            results.append(replace(result, agents=(f"{given.checkpoint.stem}:sims={sims}", opponent)))
    print(match_table(results))


def play(words: list[str]) -> None:
    """A person against a network, in the terminal."""
    parser = _parser("play", "Play against a network in the terminal.")
    _add_checkpoint(parser)
    parser.add_argument("--sims", type=int, default=200, help="simulations a move (default %(default)s)")
    parser.add_argument("--hands", type=int, default=0, help="single hands instead of a session")
    given = parser.parse_args(words)
    load_network(given.checkpoint)
    opponent = f"alphazero:sims={given.sims},checkpoint={given.checkpoint}"
    play_main(["--opponent", opponent, "--hands", str(given.hands)])
