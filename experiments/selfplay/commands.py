"""The pieces of `experiments/alphazero.py` one by one: selfplay, train, evaluate, play.

python experiments/alphazero.py selfplay --checkpoint FILE --hands 5000 --out data/round_00000.npz
python experiments/alphazero.py train --data data --init FILE --steps 500 --out better.safetensors
python experiments/alphazero.py evaluate --checkpoint better.safetensors --sims 0 100
python experiments/alphazero.py play --checkpoint better.safetensors --sims 200
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from agents.arena import MatchResult, MatchSettings, SessionResult, play_match, play_sessions
from agents.arena.workers import one_torch_thread
from agents.networks.afterstate import HIDDEN, AfterstateNetwork, load_network, save_network
from agents.networks.files import describe, verify_trained_for
from agents.players.alphazero import CHAMPION, learned_reward
from experiments.common.command_line import duration
from experiments.common.devices import device_of
from experiments.common.options import (
    device_option,
    option,
    processes_option,
    read,
    rules_option,
    seed_option,
    values_option,
)
from experiments.play import Config as TerminalConfig
from experiments.play import play as play_at_terminal
from experiments.referee.learning import Lessons
from experiments.selfplay.report import match_table
from experiments.selfplay.state import round_seed
from experiments.selfplay.training import FIELDS, Replay, TrainingSettings, train_falling
from experiments.selfplay.workers import Shared, joined, make_workers, split, weights_of
from ofc_env import RewardConfig, Rules
from ofc_env.files import new_file

DATA = Path("runs/alphazero/data")
TRAINING = TrainingSettings()


CHECKPOINT = {"metavar": "FILE", "shown": "the shipped champion"}


@dataclass(frozen=True)
class SelfPlayConfig:
    """Play hands against itself and write their decisions as .npz."""

    checkpoint: Path = option(CHAMPION, "network file", **CHECKPOINT)
    rollouts: bool = option(False, "judge by heuristic rollouts, without a network")
    rules: str = rules_option(shown="those of the network, or house")
    hands: int = option(1000, "hands to play", low=1)
    candidates: int = option(4, "placements searched at a decision; more find rare moves", low=1, high=8)
    simulations: int = option(
        32, "simulations of a decision, shared by them; more teach better, slower", low=1
    )
    draws: int = option(1, "own draws that a simulation averages; more are quieter", low=1, high=8)
    root: str = option(
        "halving", "what searches: a look ahead over common worlds, or a tree", choices=("halving", "tree")
    )
    processes: int = processes_option(2, low=0)
    ray: str | None = option(
        None, "Ray actors instead", metavar="ADDRESS", const="local", shown="processes of this machine"
    )
    seed: int = seed_option("fixes every hand")
    out: Path = option(DATA / "round_00000.npz", "file to write", metavar="FILE", old=("--output",))


def selfplay(config: SelfPlayConfig) -> None:
    """Play hands and write their decisions."""
    network = None if config.rollouts else load_network(config.checkpoint)
    rules = Rules.parse(config.rules) if config.rules or network is None else network.rules
    if network is not None:
        verify_trained_for(network.rules, rules, config.checkpoint)
    weights = None if network is None else weights_of(network)
    options = {
        "rules": rules,
        "candidates": config.candidates,
        "simulations": config.simulations,
        "by_rollouts": config.rollouts,
        "root": config.root,
        "draws": config.draws,
    }
    tasks = split(config.hands, 50, lambda part: round_seed(config.seed, 0, 0, part), options)
    start = time.perf_counter()
    with make_workers(config.processes, config.ray) as workers:
        decisions = joined(workers.start(tasks, Shared(weights)).results())
    spent = time.perf_counter() - start
    with new_file(config.out) as partial, partial.open("wb") as file:
        arrays: dict[str, Any] = {name: decisions[name] for name in FIELDS}
        np.savez_compressed(file, **arrays)
    foul, fantasyland = decisions["outcomes"][:, 1:3].mean(axis=0)
    print(
        f"{config.hands} hands, {len(decisions['chosen'])} decisions in {duration(spent)} "
        f"({config.hands / spent:.0f} hands/s): foul {100 * foul:.1f} %, FL {100 * fantasyland:.1f} %\n"
        f"written to {config.out}"
    )


@dataclass(frozen=True)
class TrainConfig:
    """Learn from files that selfplay has written, without playing."""

    data: Path = option(DATA, "folder of round_*.npz files", metavar="FOLDER")
    init: Path | None = option(None, "network to start from", metavar="FILE", shown="a new one")
    hidden: int | None = option(
        None,
        "units of the first layer; more know more and play slower; --init can get more",
        shown=f"{HIDDEN}, or those of --init",
        low=1,
    )
    staged: bool = option(False, "layers above the first for every turn, and for an opponent in fantasyland")
    rules: str = rules_option(shown="those of --init, or house")
    steps: int = option(500, "optimiser steps; more learn more of the data", low=1)
    learning_rate: float = option(
        TRAINING.learning_rate, "of AdamW; higher is faster, until it is unsteady", above=0
    )
    outcome_share: float = option(
        TRAINING.outcome_share,
        "of the hand's outcome in the value target; more is less bias and more noise",
        low=0,
        high=1,
    )
    relative_weight: float = option(
        TRAINING.relative_weight,
        "weight of differences between a decision's placements in the value loss; more rank better",
        low=0,
    )
    labels: tuple[Path, ...] = option(
        (), "decisions.jsonl of experiments/regret.py, learned from beside the data", metavar="FILE"
    )
    label_weight: float = option(
        TRAINING.label_weight, "of the labels against the data; more trust the referee more", low=0
    )
    device: str = device_option()
    seed: int = seed_option("fixes first weights and order")
    out: Path = option(
        Path("runs/alphazero/trained.safetensors"), "network file to write", metavar="FILE", old=("--output",)
    )


def train_once(config: TrainConfig) -> None:
    """Learn from files of decisions."""
    replay = Replay(config.data, sys.maxsize)
    replay.load(sys.maxsize - 1)
    if not len(replay):
        raise ValueError(f"there are no round_*.npz files in {config.data}: make some with selfplay")
    torch.manual_seed(config.seed)
    rules = Rules.parse(config.rules)
    if config.init:
        network = load_network(config.init)
        verify_trained_for(network.rules, rules if config.rules else None, config.init)
        network = network.widened(config.hidden or network.hidden, config.staged)
    else:
        network = AfterstateNetwork(config.hidden or HIDDEN, rules=rules, staged=config.staged)
    network.to(device_of(config.device))
    lessons = Lessons(config.labels, network.rules) if config.labels else None
    settings = replace(
        TRAINING,
        learning_rate=config.learning_rate,
        outcome_share=config.outcome_share,
        relative_weight=config.relative_weight,
        label_weight=config.label_weight,
    )
    generator = np.random.default_rng(config.seed)
    with one_torch_thread():
        for step, found in train_falling(network, replay, config.steps, settings, generator, lessons):
            losses = ", ".join(
                f"{name} {found[name]:.3f}"
                for name in ("value", "relative", "policy", "heads", "labels")
                if name in found
            )
            print(f"step {step}: {losses}", flush=True)
    config.out.parent.mkdir(parents=True, exist_ok=True)
    save_network(network, config.out, {"data": str(config.data), "steps": config.steps})
    print(f"written to {config.out}")


@dataclass(frozen=True)
class EvaluateConfig:
    """Measure a network in the arena, on duplicate deals."""

    checkpoint: Path = option(CHAMPION, "network file", **CHECKPOINT)
    sims: tuple[int, ...] = option(
        (0, 100), "simulations, a line of the table each; more are stronger", low=0
    )
    opponents: tuple[str, ...] = option(
        ("random", "heuristic", "pimc:rollouts=200"),
        "agents by name, such as alphazero:sims=0,checkpoint=FILE or my_module:MyAgent",
        metavar="NAME",
    )
    fantasyland_values: tuple[float, ...] | None = values_option()
    deals: int = option(
        500,
        "duplicate deals a match, or sessions if it learned from those; four times as many halve intervals",
        low=2,
    )
    processes: int = processes_option(2)
    seed: int = seed_option()


def evaluate(config: EvaluateConfig) -> None:
    """Matches of a network against fixed opponents; of sessions if its reward was for sessions."""
    rules = describe(config.checkpoint).rules
    reward = RewardConfig.parse(learned_reward(config.checkpoint), rules)
    settings = MatchSettings(
        seed=config.seed,
        processes=config.processes,
        rules=rules,
        fantasyland_values=config.fantasyland_values,
        reward=reward if reward.of_sessions else None,
    )
    play_deals = play_sessions if reward.of_sessions else play_match
    results: list[MatchResult | SessionResult] = []
    for sims in config.sims:
        for opponent in config.opponents:
            player = f"alphazero:sims={sims},checkpoint={config.checkpoint}"
            result = play_deals(player, opponent, config.deals, settings)
            results.append(replace(result, agents=(f"{config.checkpoint.stem}:sims={sims}", opponent)))
    print(match_table(results))


@dataclass(frozen=True)
class PlayConfig:
    """Play against a network in the terminal."""

    checkpoint: Path = option(CHAMPION, "network file", **CHECKPOINT)
    sims: int = option(200, "simulations a move; more are stronger, and slower", low=0)
    hands: int = option(0, "single hands", shown="0, a session")


def play(config: PlayConfig) -> None:
    """A person against a network, in the terminal."""
    opponent = f"alphazero:sims={config.sims},checkpoint={config.checkpoint}"
    rules = describe(config.checkpoint).rules.name
    play_at_terminal(TerminalConfig(opponent=opponent, hands=config.hands, rules=rules))


COMMANDS: dict[str, tuple[type, Callable[[Any], None]]] = {
    "selfplay": (SelfPlayConfig, selfplay),
    "train": (TrainConfig, train_once),
    "evaluate": (EvaluateConfig, evaluate),
    "play": (PlayConfig, play),
}


def run_command(name: str, words: list[str]) -> None:
    """Run a command by its name."""
    if name not in COMMANDS:
        raise ValueError(f"there is no command {name!r}: use {', '.join(COMMANDS)}, or none to train")
    config, work = COMMANDS[name]
    work(read(config, words, config.__doc__, name))
