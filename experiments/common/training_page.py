"""The page of all training settings, docs/training.md, from the options; `make stubs` writes it."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, get_type_hints

from experiments import behaviour_cloning, improve
from experiments.common.options import Option, field_kind, shown_default
from experiments.masked_ppo import config as ppo
from experiments.selfplay import config as alphazero

INTRODUCTION = """\
# Training settings

Every option of the learners: what it is, and what raising it does. Each is listed once, in the file named
beside it; command line, `--help` and this page follow from that. `make stubs` writes the page anew.
"""

# Heading, file with the list, command, the dataclass.
SECTIONS: tuple[tuple[str, str, str, type], ...] = (
    ("Self-play", "experiments/selfplay/config.py", "python experiments/alphazero.py", alphazero.Config),
    (
        "Behaviour cloning",
        "experiments/behaviour_cloning.py",
        "python experiments/behaviour_cloning.py",
        behaviour_cloning.Config,
    ),
    ("PPO", "experiments/masked_ppo/config.py", "python experiments/ppo.py", ppo.PpoConfig),
    ("From a person's games", "experiments/improve.py", "python experiments/improve.py", improve.Config),
)
KINDS = {int: "whole number", float: "number", bool: "on or off"}


def row(name: str, hint: Any, default: Any, about: Option) -> str:
    """A setting's line of the table."""
    kind, many = field_kind(hint)
    words = KINDS.get(kind, "text") + (", several" if many else "")
    limits = [", ".join(about.choices)] if about.choices else []
    limits += [
        f"{word} {number:g}"
        for word, number in (("from", about.low), ("above", about.above), ("to", about.high))
        if number is not None
    ]
    cells = (words, shown_default(about, default), " ".join(limits), about.help)
    return f"| `--{name.replace('_', '-')}` | {' | '.join(cells)} |\n"


def page() -> str:
    """The whole page, Markdown."""
    parts = [INTRODUCTION]
    for heading, file, command, config in SECTIONS:
        hints = get_type_hints(config)
        rows = "".join(
            row(item.name, hints[item.name], item.default, item.metadata["option"]) for item in fields(config)
        )
        parts.append(
            f"## {heading}\n\n`{command}`. Listed in `{file}`.\n\n"
            f"| option | type | default | range | meaning |\n|---|---|---|---|---|\n{rows}"
        )
    return "\n".join(parts)


if __name__ == "__main__":
    print(page(), end="")
