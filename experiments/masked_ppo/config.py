"""Settings of a PPO run, and the presets."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, get_type_hints

import ofc_env

NETWORKS = ("placements", "slots", "raw")
EPISODES = ("hand", "session")


@dataclass(frozen=True)
class PpoConfig:
    """One run. Steps are decisions of the learner; a hand has five or six."""

    steps: int = 1_000_000  # decisions to learn from
    seed: int = 0  # fixes decks, draws and first weights
    # who and what
    opponents: tuple[str, ...] = ("heuristic", "pool")  # agents by name; pool: a copy of the learner's past
    pool_size: int = 8  # copies kept
    episode: str = "hand"  # hand or session: with chips, fantasyland hands and the end of a session
    reward: str = "equity"  # points, equity, shaped, session or mixed
    # network
    network: str = "placements"  # placements, slots (with the count layer) or raw (slots on the 490 numbers)
    units: int = 128  # first layer of placements
    policy_layers: tuple[int, ...] = (32,)  # hidden layers of the policy
    value_layers: tuple[int, ...] = (32,)  # hidden layers of the value
    # first lessons
    teacher: str = "heuristic"  # agent to imitate first; none for a start from nothing
    lessons: int = 500_000  # positions of the teacher
    init: str = ""  # folder of a run whose weights to start from, instead of lessons
    # PPO
    envs: int = 256  # tables
    rollout: int = 32  # decisions at each table between two updates
    batch_size: int = 2048
    epochs: int = 3  # passes over each rollout
    learning_rate: float = 8e-4  # falls in a straight line ...
    final_learning_rate: float = 5e-5  # ... to this
    discount: float = 1.0  # a hand is short and its points count in full
    gae_lambda: float = 0.3  # low: one hand's luck drowns what is learned from its end
    clip: float = 0.2
    entropy: float = 0.01  # weight of the entropy bonus
    value_weight: float = 0.00125  # weight of the value's loss, which is in points squared
    gradient_norm: float = 0.5  # longest gradient
    target_kl: float = 0.03  # an update stops early beyond 1.5 times this; 0: never
    # watching it
    stretch: int = 12  # updates between two checkpoints, copies for the pool and draws of opponents
    evaluate_every: int = 2  # stretches between two evaluations
    evaluate: tuple[str, ...] = ("heuristic", "random")  # opponents of the evaluation
    deals: int = 300  # duplicate deals of each evaluation

    def __post_init__(self) -> None:
        if self.network not in NETWORKS:
            raise ValueError(f"there is no network {self.network!r}: choose from {', '.join(NETWORKS)}")
        if self.episode not in EPISODES:
            raise ValueError(f"there is no episode {self.episode!r}: choose from {', '.join(EPISODES)}")
        reward = ofc_env.RewardConfig.preset(self.reward)  # says so if there is none
        if reward.session > 0 and self.episode != "session":
            raise ValueError(f"reward {self.reward} pays for whole sessions: add --episode session")
        for name in ("steps", "envs", "rollout", "batch_size", "epochs", "stretch", "pool_size"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} cannot be {getattr(self, name)}: use 1 or more")

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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """One option for each setting; what is not given comes from the preset."""
    hints = get_type_hints(PpoConfig)
    for field in fields(PpoConfig):
        option = f"--{field.name.replace('_', '-')}"
        kind = hints[field.name]
        if kind in (int, float, str):
            parser.add_argument(option, type=kind, help=f"default {field.default}")
        else:
            items = int if "int" in str(kind) else str
            text = " ".join(map(str, field.default))  # type: ignore[arg-type]
            parser.add_argument(option, type=items, nargs="+", help=f"default {text}")


def from_arguments(preset: str, options: argparse.Namespace) -> PpoConfig:
    """The preset with the options that were given."""
    given: dict[str, Any] = {
        field.name: tuple(value) if isinstance(value, list) else value
        for field in fields(PpoConfig)
        if (value := getattr(options, field.name)) is not None
    }
    return replace(PpoConfig(**PRESETS[preset]), **given)
