"""The settings of a training run of `experiments/alphazero.py`, and its command line."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from experiments.common.command_line import run_folder
from experiments.common.options import given, option, resume_option, rules_option, seed_option, verify
from experiments.common.ruled import Ruled

RUNS = Path("runs/alphazero")


@dataclass(frozen=True)
class Config(Ruled):
    """A run. Every line is an option of the command line."""

    name: str = option("", "name of the run, its folder in runs/alphazero", shown="the date and time")
    minutes: float = option(
        9.0, "length of the run in all, longer is stronger; the table at the end comes on top"
    )
    iterations: int = option(
        0, "rounds instead of minutes: such a run can be repeated to the bit", shown="0, by the minutes"
    )
    seed: int = seed_option("fixes everything, whatever the number of workers")
    processes: int = option(
        2, "workers; more play more hands in the same time, 0 plays in this process", low=0
    )
    ray: str | None = option(
        None,
        "run the workers as Ray actors: here, or on the cluster at this address",
        metavar="ADDRESS",
        const="local",
        shown="processes of this machine",
    )
    init: str | None = option(
        None,
        "network to start from: a file, or the folder of a clone (experiments/behaviour_cloning.py)",
        metavar="PATH",
        shown="one that knows nothing",
    )
    rules: str = rules_option()
    hidden: int = option(
        256,
        "units of the first layer, a multiple of 64; more know more and play slower; --init has its own",
        low=1,
        group="the network",
    )
    second: int = option(32, "units of the second layer, at most 64; likewise", low=1)
    hands: int = option(
        2000, "hands a round; more are surer lessons, and fewer rounds", low=1, group="self-play"
    )
    chunk: int = option(50, "hands that a worker plays at a time; more wait longer at a round's end", low=1)
    bootstrap: int = option(
        0, "first rounds that heuristic rollouts judge; they teach a network that knows nothing", low=0
    )
    warmup: int | None = option(
        None,
        "next rounds, smaller ones, in which the learner always becomes champion",
        shown="10, or 0 with --init",
        low=0,
    )
    candidates: int = option(
        4,
        "placements searched at a decision, at most 8; more find rare moves, each searched less",
        low=1,
        high=8,
    )
    simulations: int = option(
        32, "simulations of a decision, shared by them; more teach better, slower", low=1
    )
    root: str = option(
        "halving",
        "what searches: halving, a look ahead over common worlds, or tree, deeper and more even",
        choices=("halving", "tree"),
    )
    prior_weight: float = option(
        0.0,
        "worlds that the network's own value counts for in the search's; more is steadier, slower to learn",
        low=0,
    )
    noise: float = option(
        0.0, "with --root tree: share of Dirichlet noise in exploring hands; more see more", low=0, high=1
    )
    visit_temperature: float = option(
        1.0, "with --root tree: exploring hands draw by visits ^ (1 / this); more see more", above=0
    )
    policy_target: str = option(
        "values",
        "what the policy learns: a softmax of the search's values, or with --root tree its visits",
        choices=("values", "visits"),
    )
    opening_width: int = option(
        48, "openings that the network judges, of 232, best by the heuristic; more miss less, slower", low=1
    )
    exploring: float = option(
        0.75,
        "share of hands with a temperature: 0.7, 1.5 or 3 points, or --visit-temperature, a third late; more "
        "see more",
        low=0,
        high=1,
    )
    target_temperature: float = option(
        1.0, "points: the policy learned is a softmax of the search's values; more make it softer", above=0
    )
    random_openings: float = option(
        0.03,
        "share of hands whose openings are random; more know odd boards better, usual ones less",
        low=0,
        high=1,
    )
    fantasyland: float = option(
        0.08,
        "share of hands against an opponent in fantasyland; as often as they occur is best",
        low=0,
        high=1,
    )
    starts: str | None = option(None, "JSONL log: some hands begin where its players lost", metavar="FILE")
    start_share: float = option(0.25, "share of hands that do, if there is such a log", low=0, high=1)
    labels: tuple[str, ...] = option(
        (), "decisions.jsonl of experiments/regret.py, learned from beside self-play", metavar="FILE"
    )
    label_weight: float = option(1.0, "of the labels against self-play; more trust the referee more", low=0)
    reward: str = option(
        "equity",
        "what a hand is worth: equity, points, shaped, mixed or session; the last two play sessions; under "
        'rules that nobody measured "equity fantasyland_values=8,14,20,27"',
    )
    replay_rounds: int = option(
        30,
        "rounds learned from, once there are twice as many; more are steadier and older",
        low=1,
        group="learning",
    )
    passes: float = option(
        4.0,
        "steps of a round: decisions learned from for each decision played; more learn more by heart",
        above=0,
    )
    least_steps: int = option(40, "steps of a round at least", low=0)
    batch: int = option(1024, "decisions a step; more are steadier steps, and fewer", low=1)
    learning_rate: float = option(
        2e-3,
        "of AdamW; falls to a tenth in the last 40 % of the run; higher is faster until it is unsteady",
        above=0,
    )
    weight_decay: float = option(1e-4, "of AdamW; more keeps weights small", low=0)
    outcome_share: float = option(
        0.1,
        "of the hand's outcome in the value target; the rest is the search's: less bias, more noise",
        low=0,
        high=1,
    )
    relative_weight: float = option(
        5.0,
        "weight of differences between a decision's placements in the value loss; more rank better",
        low=0,
    )
    policy_weight: float = option(
        0.3, "weight of the policy's loss; more teach what to search, less what it is worth", low=0
    )
    heads_weight: float = option(
        0.3, "weight of the losses of foul, fantasyland and royalties; likewise", low=0
    )
    gate_every: int = option(
        1, "rounds between matches of learner and champion; more save time", low=1, group="judging"
    )
    gate_deals: int = option(
        400, "duplicate deals of such a match; the learner replaces whom it beats; more err less", low=2
    )
    evaluate_every: int = option(5, "rounds between evaluations; more save time", low=1)
    opponents: str = option(
        "random heuristic pimc:rollouts=50", "whom the champion meets then", metavar="NAME", joined=True
    )
    evaluation_deals: int = option(100, "duplicate deals of each evaluation; more narrow its interval", low=2)
    final_opponents: str = option(
        "random heuristic pimc:rollouts=200", "whom it meets at the end", metavar="NAME", joined=True
    )
    final_deals: int = option(
        200, "duplicate deals of each match at the end; more narrow its interval", low=2
    )
    final_sims: int = option(100, "simulations of the champion at the end, beside the network alone", low=0)

    @property
    def searched_by(self) -> dict[str, Any]:
        """Settings of the search that the network's own rounds are played with."""
        names = ("root", "prior_weight", "noise", "visit_temperature", "policy_target")
        return {name: getattr(self, name) for name in names}

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
        reward = self.paid  # says so if there is none
        verify(self)
        if self.root != "tree":
            for name in ("noise", "visit_temperature", "policy_target"):
                if getattr(self, name) != getattr(Config(), name):
                    raise ValueError(
                        f"--{name.replace('_', '-')} is for --root tree, and --root is {self.root}; "
                        "leave it out"
                    )
        if reward.session:
            for name in ("starts", "start_share", "fantasyland", "random_openings"):
                if getattr(self, name) != getattr(Config(), name):
                    raise ValueError(
                        f"--{name.replace('_', '-')} is for hands, and --reward {self.reward} plays "
                        "sessions, which bring their own starts and fantasylands; leave it out"
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


@dataclass(frozen=True)
class Start:
    """Where a run begins; the other options are its settings."""

    preset: str = option(
        "quick",
        "settings to start from; options win over it; quick takes ten minutes, champion a night",
        choices=tuple(sorted(PRESETS)),
    )
    resume: str = resume_option("other options change its settings; its name in runs/alphazero")


def parse(arguments: list[str], page: str | None) -> tuple[Config, Path]:
    """The configuration of a run and its folder; `page` begins the help."""
    begin, changes = given((Start, Config), arguments, page, presets=PRESETS)
    start = Start(**begin)
    verify(start)
    if not start.resume:
        config = replace(Config(), **{**PRESETS[start.preset], **changes})
        folder = RUNS / (config.name or time.strftime("%Y%m%d-%H%M%S"))
        if folder.exists():
            raise ValueError(f"{folder} exists already: choose another --name, or --resume {folder.name}")
        return config, folder
    if "preset" in begin:
        raise ValueError("a run that goes on has its settings: leave out --preset")
    folder = run_folder(start.resume, RUNS)
    return replace(stored_config(folder), **changes), folder


def stored_config(folder: Path) -> Config:
    """The settings of a run that was begun, from its folder."""
    try:
        stored = json.loads((folder / "config.json").read_text())["config"]
    except (OSError, ValueError, KeyError):
        raise ValueError(
            f"there is no run to resume at {folder}: give the name of a folder of {RUNS}"
        ) from None
    stored.pop("teacher", None)  # of version 0.1, where an agent could play the first rounds
    stored["labels"] = tuple(stored.get("labels", ()))
    return Config(**stored)
