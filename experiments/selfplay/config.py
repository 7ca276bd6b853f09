"""The settings of a training run of `experiments/alphazero.py`, and its command line."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from experiments.common.command_line import run_folder
from experiments.common.options import (
    config_option,
    device_option,
    given,
    option,
    resume_option,
    rules_option,
    seed_option,
    verify,
)
from experiments.common.ruled import Ruled
from experiments.common.stored import stored_settings

RUNS = Path("runs/alphazero")
# Settings that only one of the searches has a use for.
BY_ROOT = {
    "tree": ("noise", "noise_alpha", "visit_temperature", "policy_target"),
    "halving": ("temperatures", "draws", "last_simulations"),
}


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
    hidden: int | None = option(
        None,
        "units of the first layer, a multiple of 64; more know more and play slower; --init can get more",
        shown="256, or those of --init",
        low=1,
        group="the network",
    )
    second: int = option(32, "units of the second layer, at most 64; likewise; --init has its own", low=1)
    staged: bool = option(
        False, "every turn has layers of its own above the first, and so has an opponent in fantasyland"
    )
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
    last_simulations: int = option(
        0,
        "with --root halving: simulations of turn 3, which end in solved positions; more teach better",
        shown="--simulations",
        low=0,
    )
    draws: int = option(
        1,
        "with --root halving: own draws that a simulation averages; more are quieter, each a little slower",
        low=1,
        high=8,
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
    noise_alpha: float = option(
        0.3, "with --root tree: of that noise; more spread it over more placements", above=0
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
        "share of hands that explore, by --temperatures or --visit-temperature; more see more, play worse",
        low=0,
        high=1,
    )
    temperatures: tuple[float, ...] = option(
        (0.7, 1.5, 3.0),
        "with --root halving, points: an exploring hand draws one, and its placements by it; more see more",
        above=0,
        count=3,
    )
    full_turns: int = option(
        3,
        "turns that explore at full temperature, later ones at a third; more see more late boards",
        low=0,
        high=5,
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
    starts: tuple[str, ...] = option(
        (), "logs, databases or JSONL: some hands begin where their players lost", metavar="FILE"
    )
    starts_player: str | None = option(
        None, "only hands that were lost to this player", metavar="NAME", shown="to anybody"
    )
    starts_hands: int | None = option(
        None, "only so many of the hands, those that cost most; more are less one-sided", low=1, shown="all"
    )
    start_share: float = option(
        0.25,
        "share of hands that begin so, if there is such a log; more forget the usual hands",
        low=0,
        high=1,
    )
    labels: tuple[str, ...] = option(
        (), "decisions.jsonl of experiments/regret.py, learned from beside self-play", metavar="FILE"
    )
    label_weight: float = option(1.0, "of the labels against self-play; more trust the referee more", low=0)
    reward: str = option(
        "equity",
        "what a hand is worth: equity, points, shaped, mixed, session or win, the chance to win the session; "
        "the last three play sessions and are judged by them; under rules that nobody measured "
        '"equity fantasyland_values=8,14,20,27"',
    )
    replay_rounds: int = option(
        30,
        "rounds learned from, once there are twice as many; more are steadier and older",
        low=1,
        group="learning",
    )
    device: str = device_option()
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
        400,
        "duplicate deals of such a match, or sessions; the learner replaces whom it beats; more err less",
        low=2,
    )
    evaluate_every: int = option(5, "rounds between evaluations; more save time", low=1)
    opponents: str = option(
        "random heuristic pimc:rollouts=50", "whom the champion meets then", metavar="NAME", joined=True
    )
    evaluation_deals: int = option(
        100, "duplicate deals of each evaluation, or sessions; more narrow its interval", low=2
    )
    final_opponents: str = option(
        "random heuristic pimc:rollouts=200", "whom it meets at the end", metavar="NAME", joined=True
    )
    final_deals: int = option(
        200, "duplicate deals of each match at the end, or sessions; more narrow its interval", low=2
    )
    final_sims: int = option(100, "simulations of the champion at the end, beside the network alone", low=0)

    @property
    def searched_by(self) -> dict[str, Any]:
        """Settings of the search that the network's own rounds are played with."""
        names = ("root", "last_simulations", "draws", "prior_weight", *BY_ROOT["tree"])
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
        others = {"tree": "halving", "halving": "tree"}[self.root]
        for name in BY_ROOT[others]:
            if getattr(self, name) != getattr(Config(), name):
                raise ValueError(
                    f"--{name.replace('_', '-')} is for --root {others}, and --root is {self.root}; "
                    "leave it out"
                )
        for name in ("starts_player", "starts_hands"):
            if getattr(self, name) is not None and not self.starts:
                raise ValueError(
                    f"--{name.replace('_', '-')} is for the logs of --starts: name one, or leave it out"
                )
        if reward.of_sessions:
            for name in ("starts", "start_share", "fantasyland", "random_openings"):
                if getattr(self, name) != getattr(Config(), name):
                    raise ValueError(
                        f"--{name.replace('_', '-')} is for hands, and --reward {self.reward} plays "
                        "sessions, which bring their own starts and fantasylands; leave it out"
                    )
            for name in ("labels", "label_weight"):
                if getattr(self, name) != getattr(Config(), name):
                    raise ValueError(
                        f"--{name.replace('_', '-')} is for --reward equity, which labels are counted in, "
                        f"and --reward is {self.reward}; leave it out"
                    )


PRESETS: dict[str, dict[str, Any]] = {
    "quick": {},
    "hour": {"minutes": 58.0, "hands": 3000, "passes": 5.0, "gate_deals": 600, "final_deals": 500},
    "champion": {
        "iterations": 400,
        "hands": 3000,
        "bootstrap": 12,
        "warmup": 20,
        "simulations": 16,
        "last_simulations": 64,
        "draws": 3,
        "fantasyland": 0.12,
        "passes": 5.0,
        "replay_rounds": 80,
        "gate_every": 2,
        "gate_deals": 4000,
        "evaluate_every": 10,
        "evaluation_deals": 2000,
        "final_deals": 2000,
        "final_sims": 200,
    },
}


OLD = ("teacher",)  # of version 0.1, where an agent could play the first rounds


# ---------------------------------------------------------------- command line


@dataclass(frozen=True)
class Start:
    """Where a run begins; the other options are its settings."""

    preset: str = option(
        "quick",
        "settings to start from; options win over it; quick takes ten minutes, champion a night",
        choices=tuple(sorted(PRESETS)),
    )
    config: Path | None = config_option()
    resume: str = resume_option("other options change its settings; its name in runs/alphazero")


def parse(arguments: list[str], page: str | None) -> tuple[Config, Path]:
    """The configuration of a run and its folder; `page` begins the help."""
    begin, changes = given((Start, Config), arguments, page, presets=PRESETS)
    start = Start(**begin)
    verify(start)
    if start.config is not None and {"preset", "resume"} & begin.keys():
        raise ValueError("--config brings all settings: leave out --preset and --resume")
    if not start.resume:
        settings = PRESETS[start.preset]
        if start.config is not None:
            settings = {**stored_settings(Config, start.config, OLD), "name": ""}
        config = replace(Config(), **{**settings, **changes})
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
    if not (folder / "config.json").is_file():
        raise ValueError(f"there is no run to resume at {folder}: give the name of a folder of {RUNS}")
    return Config(**stored_settings(Config, folder / "config.json", OLD))
