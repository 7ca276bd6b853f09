"""The settings of a training run of `experiments.alphazero`, and its command line."""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from experiments.common.command_line import script_parser

RUNS = Path("runs/alphazero")
REWARDS = ("equity", "points", "shaped", "mixed", "session")


def option(default: Any, text: str, kind: type = str) -> Any:
    """A setting with its help; `kind` is the type where the default is None."""
    return field(default=default, metadata={"help": text, "kind": kind if default is None else type(default)})


@dataclass(frozen=True)
class Config:
    """A run. Every line is an option of the command line."""

    name: str = option("", "name of the run; the date and time if empty")
    minutes: float = option(9.0, "length of the run in all; the table at the end comes on top")
    iterations: int = option(0, "rounds instead of minutes: such a run can be repeated to the bit")
    seed: int = option(0, "fixes everything, whatever the number of workers")
    processes: int = option(2, "workers; 0 plays in this process")
    ray: str | None = option(None, "run the workers as Ray actors: here, or on the cluster at this address")
    init: str | None = option(None, "network to start from, or a folder of experiments.behaviour_cloning")
    # the network
    hidden: int = option(256, "units of the first layer, a multiple of 64; an --init file knows its own")
    second: int = option(32, "units of the second layer, at most 64")
    # self-play
    hands: int = option(2000, "hands a round")
    chunk: int = option(50, "hands that a worker plays at a time")
    bootstrap: int = option(0, "first rounds that heuristic rollouts judge, or that --teacher plays")
    teacher: str | None = option(None, "agent whose hands the bootstrap rounds learn from, such as bc")
    warmup: int | None = option(None, "next rounds, smaller ones, without a gate: 10, or 0 with --init", int)
    candidates: int = option(4, "placements searched at a decision, at most 8")
    simulations: int = option(32, "simulations of a decision, shared by them")
    opening_width: int = option(48, "openings that the network judges, of 232, best by the heuristic")
    exploring: float = option(0.75, "share of hands with a temperature: 0.7, 1.5 or 3 points, a third late")
    target_temperature: float = option(1.0, "points: the policy learned is a softmax of the search's values")
    random_openings: float = option(0.03, "share of hands whose openings are random")
    fantasyland: float = option(0.08, "share of hands against an opponent in fantasyland")
    starts: str | None = option(None, "JSONL log: some hands begin where its players lost")
    start_share: float = option(0.25, "share of hands that do, if there is such a log")
    reward: str = option("equity", f"what a hand is worth: {', '.join(REWARDS)}; the last two play sessions")
    # learning
    replay_rounds: int = option(30, "rounds learned from, once there are twice as many")
    passes: float = option(4.0, "steps of a round: decisions learned from for each decision played")
    least_steps: int = option(40, "steps of a round at least")
    batch: int = option(1024, "decisions a step")
    learning_rate: float = option(2e-3, "of AdamW; falls to a tenth in the last 40 %% of the run")
    weight_decay: float = option(1e-4, "of AdamW")
    outcome_share: float = option(0.1, "of the hand's outcome in the value target; the rest is the search's")
    relative_weight: float = option(5.0, "of differences between a decision's placements in the value loss")
    policy_weight: float = option(0.3, "of the policy's loss")
    heads_weight: float = option(0.3, "of the losses of foul, fantasyland and royalties")
    # judging
    gate_every: int = option(1, "rounds between matches of learner and champion")
    gate_deals: int = option(400, "duplicate deals of such a match; the learner replaces whom it beats")
    evaluate_every: int = option(5, "rounds between evaluations")
    opponents: str = option("random heuristic pimc:rollouts=50", "whom the champion meets then")
    evaluation_deals: int = option(100, "duplicate deals of each evaluation")
    final_opponents: str = option("random heuristic pimc:rollouts=200", "whom it meets at the end")
    final_deals: int = option(200, "duplicate deals of each match at the end")
    final_sims: int = option(100, "simulations of the champion at the end, beside the network alone")

    @property
    def clones(self) -> bool:
        """Whether --init is a folder of a cloned player: a teacher to begin from, no network of this kind."""
        return self.init is not None and Path(self.init).is_dir()

    @property
    def taught_by(self) -> str | None:
        """The agent that plays the bootstrap rounds; None where heuristic rollouts judge."""
        return self.teacher or (f"bc:folder={self.init}" if self.clones else None)

    @property
    def bootstrap_rounds(self) -> int:
        """Rounds before the network plays."""
        return self.bootstrap or (5 if self.taught_by else 0)

    def verify(self) -> None:
        """Refuse what cannot be run."""
        if any(mark in self.name for mark in ",:=/"):
            raise ValueError(f"{self.name!r} cannot be a run's name: leave out ',', ':', '=' and '/'")
        if self.iterations < 0:
            raise ValueError(
                f"--iterations is {self.iterations}: it must be 1 or more, or 0 to go by --minutes"
            )
        if not self.iterations and self.minutes <= 0:
            raise ValueError("the run has no length: give --minutes or --iterations")
        if self.reward not in REWARDS:
            raise ValueError(f"--reward {self.reward!r} is unknown: use {', '.join(REWARDS)}")
        for name in (
            "hands",
            "chunk",
            "batch",
            "gate_every",
            "gate_deals",
            "evaluate_every",
            "replay_rounds",
        ):
            if getattr(self, name) < 1:
                raise ValueError(f"--{name.replace('_', '-')} is {getattr(self, name)}: it must be 1 or more")
        if not 1 <= self.candidates <= 8:
            raise ValueError(f"--candidates is {self.candidates}: self-play searches 1 to 8")
        for name in ("gate_deals", "evaluation_deals", "final_deals"):
            if getattr(self, name) < 2:
                raise ValueError(
                    f"--{name.replace('_', '-')} is {getattr(self, name)}: 2 or more tell something"
                )


PRESETS: dict[str, dict[str, Any]] = {
    "quick": {},
    "hour": {"minutes": 58.0, "hands": 3000, "passes": 5.0, "gate_deals": 600, "final_deals": 500},
    "champion": {
        "iterations": 400,
        "hands": 4000,
        "bootstrap": 12,
        "warmup": 20,
        "replay_rounds": 40,
        "gate_deals": 1000,
        "final_deals": 2000,
        "final_sims": 200,
    },
}


# ---------------------------------------------------------------- command line


def add_settings(parser: argparse.ArgumentParser) -> None:
    """An option for every setting; only those that are given become attributes."""
    for item in fields(Config):
        shown = "none" if item.default is None else repr(item.default) if item.default == "" else item.default
        more: dict[str, Any] = {"type": item.metadata["kind"]}
        if item.name == "ray":
            more |= {"nargs": "?", "const": "local", "metavar": "ADDRESS"}
        parser.add_argument(
            f"--{item.name.replace('_', '-')}",
            default=argparse.SUPPRESS,
            help=f"{item.metadata['help']} (default {shown})",
            **more,
        )


def parse(arguments: list[str], page: str | None) -> tuple[Config, Path]:
    """The configuration of a run and its folder; `page` begins the help."""
    parser = script_parser(page)
    parser.usage = "alphazero.py [OPTIONS] | selfplay ... | train ... | evaluate ... | play ..."
    parser.add_argument(
        "--preset",
        choices=sorted(PRESETS),
        default="quick",
        help="quick: ten minutes; hour; champion: a night",
    )
    parser.add_argument("--resume", metavar="RUN", help="go on with this run: its name or its folder")
    add_settings(parser)
    given = vars(parser.parse_args(arguments))
    preset, resumed = given.pop("preset"), given.pop("resume")
    if resumed is None:
        config = replace(Config(), **{**PRESETS[preset], **given})
        folder = RUNS / (config.name or time.strftime("%Y%m%d-%H%M%S"))
        if folder.exists():
            raise ValueError(f"{folder} exists already: choose another --name, or --resume {folder.name}")
        return config, folder
    folder = Path(resumed) if Path(resumed).is_dir() else RUNS / resumed
    try:
        stored = json.loads((folder / "config.json").read_text())["config"]
    except (OSError, ValueError, KeyError):
        raise ValueError(
            f"there is no run to resume at {folder}: give the name of a folder of {RUNS}"
        ) from None
    return replace(Config(**stored), **given), folder
