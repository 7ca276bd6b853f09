"""Settings of a PPO run, and the presets."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from experiments.common.options import (
    config_option,
    given,
    option,
    resume_option,
    rules_option,
    seed_option,
    verify,
)
from experiments.common.ruled import Ruled
from experiments.common.stored import stored_settings

NETWORKS = ("placements", "slots", "raw")
EPISODES = ("hand", "session")


@dataclass(frozen=True)
class PpoConfig(Ruled):
    """One run. Steps are decisions of the learner; a hand has five or six."""

    steps: int = option(
        1_000_000, "decisions to learn from, in all; more make a stronger player, ever more slowly", low=1
    )
    seed: int = seed_option("fixes decks, draws and first weights")
    opponents: tuple[str, ...] = option(
        ("heuristic", "pool"),
        "whom it meets: agents by name, also my_module:MyAgent; pool: a copy of the learner's past",
        metavar="NAME",
        group="who and what",
    )
    pool_size: int = option(8, "copies kept; more keep older ones", low=1)
    episode: str = option(
        "hand", "session: with chips, fantasyland hands and the end of a session", choices=EPISODES
    )
    rules: str = rules_option()
    reward: str = option(
        "equity",
        "what is learned for: points, equity, shaped, win (the chance to win the session), session or mixed; "
        'the last two need sessions; under rules that nobody measured "equity fantasyland_values=8,14,20,27"',
    )
    network: str = option(
        "placements",
        "slots: with the count layer; raw: slots on the 490 numbers",
        choices=NETWORKS,
        group="network",
    )
    units: int = option(128, "first layer of placements; more see more, and take longer", low=1)
    policy_layers: tuple[int, ...] = option((32,), "units of the policy's hidden layers", low=1)
    value_layers: tuple[int, ...] = option((32,), "units of the value's hidden layers", low=1)
    teacher: str = option(
        "heuristic",
        "agent to imitate first; none: a start from nothing",
        metavar="NAME",
        group="first lessons",
    )
    lessons: int = option(500_000, "positions of the teacher; more come closer to it", low=0)
    init: str = option(
        "", "folder of a run whose weights to start from", metavar="FOLDER", shown="lessons instead"
    )
    envs: int = option(
        256, "tables side by side; more are faster a decision, with fewer updates", low=1, group="PPO"
    )
    rollout: int = option(32, "decisions at each table between two updates; more are steadier updates", low=1)
    batch_size: int = option(2048, "decisions a gradient step; more are steadier steps, and fewer", low=1)
    epochs: int = option(3, "passes over each rollout; more learn more of it, and stray further", low=1)
    learning_rate: float = option(
        8e-4, "at the start; it falls in a straight line, and higher is faster until it is unsteady"
    )
    final_learning_rate: float = option(5e-5, "at the end")
    discount: float = option(
        1.0, "of later rewards: a hand is short and its points count in full", low=0, high=1
    )
    gae_lambda: float = option(
        0.3, "how far advantages look ahead; high, one hand's luck drowns what is learned", low=0, high=1
    )
    clip: float = option(0.2, "how far an update may move a chance; more is faster and less steady", above=0)
    entropy: float = option(0.01, "weight of the entropy bonus; more keeps it trying things")
    value_weight: float = option(0.00125, "weight of the value's loss, which is in points squared", low=0)
    gradient_norm: float = option(0.5, "longest gradient; more lets rare hands move it further", above=0)
    target_kl: float = option(0.03, "an update stops early beyond 1.5 times this; 0: never", low=0)
    stretch: int = option(
        12,
        "updates between two checkpoints, copies for the pool and draws of opponents",
        low=1,
        group="watching it",
    )
    evaluate_every: int = option(2, "stretches between two evaluations; more save time", low=1)
    evaluate: tuple[str, ...] = option(("heuristic", "random"), "opponents of the evaluation", metavar="NAME")
    deals: int = option(
        300, "duplicate deals of each evaluation; four times as many halve the intervals, 0: none", low=0
    )

    def __post_init__(self) -> None:
        verify(self)
        if self.paid.session > 0 and self.episode != "session":
            raise ValueError(f"reward {self.reward} pays for whole sessions: add --episode session")

    @property
    def steps_per_update(self) -> int:
        """Decisions between two updates."""
        return self.envs * self.rollout

    @property
    def updates(self) -> int:
        """Updates of the whole run."""
        return -(-self.steps // self.steps_per_update)

    def to_json(self) -> str:
        """All settings as text."""
        return json.dumps(asdict(self), indent=2)

    @staticmethod
    def from_json(text: str) -> PpoConfig:
        """Settings from `to_json`."""
        try:
            values: dict[str, Any] = {
                name: tuple(value) if isinstance(value, list) else value
                for name, value in json.loads(text).items()
            }
            return PpoConfig(**values)
        except (TypeError, AttributeError, json.JSONDecodeError) as error:
            raise ValueError(f"these are not settings of a PPO run ({error}): give those of a run") from None


# Without lessons the value is worth nothing at first, so that advantages look further ahead.
_NOTHING = {"teacher": "none", "lessons": 0, "gae_lambda": 0.95}
_PLAIN = {"policy_layers": (512, 256), "value_layers": (512, 256)}

PRESETS: dict[str, dict[str, Any]] = {
    # A few seconds: to see that everything works.
    "smoke": {
        "steps": 4096,
        "envs": 64,
        "batch_size": 512,
        "lessons": 5000,
        "stretch": 1,
        "evaluate_every": 1,
        "deals": 10,
    },
    # Five to ten minutes on one core of a laptop.
    "laptop": {"steps": 600_000},
    # What made agents/weights/ppo.safetensors: the laptop's run was the strongest.
    "shipped": {"steps": 600_000},
    # The usual network of 490-512-256-150 with and without the count layer, from nothing.
    "slots": {"network": "slots", **_NOTHING, **_PLAIN},
    "raw": {"network": "raw", **_NOTHING, **_PLAIN},
    # Whole sessions: the learner sees the chips, meets fantasyland and is paid for the session's end as well.
    "sessions": {
        "episode": "session",
        "reward": "mixed",
        "value_weight": 1.0,
        "gae_lambda": 0.95,  # a session is long
        "lessons": 300_000,
    },
}


# ---------------------------------------------------------------- command line


@dataclass(frozen=True)
class Start:
    """Where a run begins; the other options are its settings."""

    preset: str = option(
        "laptop",
        "settings to start from; options win over it; smoke takes seconds, laptop ten minutes",
        choices=tuple(sorted(PRESETS)),
    )
    name: str = option("", "name of the run: its folder in runs/ppo", shown="the preset's name")
    config: Path | None = config_option()
    resume: str = resume_option("only --steps may change; its name in runs/ppo")
    device: str = option(
        "cpu", "where it learns: the processor alone, as its tables are made there", choices=("cpu",)
    )
    threads: int = option(1, "threads of arithmetic; more than cores slow it down", low=1)


def read_settings(words: Sequence[str] | None, page: str | None) -> tuple[Start, dict[str, Any]]:
    """Where to begin, and the settings that the command line gives."""
    start, settings = given((Start, PpoConfig), words, page, presets=PRESETS)
    begin = Start(**start)
    verify(begin)
    if begin.config is not None:
        if {"preset", "resume"} & start.keys():
            raise ValueError("--config brings all settings: leave out --preset and --resume")
        settings = {**stored_settings(PpoConfig, begin.config), **settings}
    if begin.resume and (
        others := sorted(({*start} - {"resume", "threads", "device"}) | ({*settings} - {"steps"}))
    ):
        raise ValueError(
            f"a run that goes on keeps its settings: leave out --{others[0].replace('_', '-')}, "
            "only --steps may change"
        )
    return begin, settings
