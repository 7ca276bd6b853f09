"""The card of a Minari dataset: what is in it, how it was made, what it is not."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

import ofc_env

PLAYED_BY = {
    "random": "every legal slot with equal chance",
    "heuristic": "the hand-written player `heuristic`",
    "champion": "the shipped champion, `{champion}`",
    "mixed": "random play, `heuristic` and `{champion}`, drawn anew for each seat of each hand",
}


PAGE = """# {name}

Heads-up OFC Pineapple, {episodes} episodes with {steps} decisions, played by {played_by}.

| decided by | episodes | mean return, {reward} | standard deviation |
|---|---|---|---|
{lines}

The two seats of a hand earn opposite returns, so a player against itself earns 0 on average.

## Content

One episode is one seat's decisions in one hand (five or six); both seats of a hand stand next to each other.
The environment is Gymnasium's `OFCPineapple-v0` of `wrappers`; `recover_environment()` makes it, with an
opponent of this dataset's kind (`heuristic` for `mixed`).

| array | shape of an episode with T decisions | |
|---|---|---|
| `observations` | (T + 1, 490) float32 | what the seat sees; the last is of the end of the hand |
| `infos["action_mask"]` | (T + 1, 150) int8 | 1 for each legal slot; none at the end |
| `actions` | (T,) int64 | the slot that was played, always a legal one |
| `rewards` | (T,) float32 | the seat's own `{reward}`, at the end of the hand |
| `terminations`, `truncations` | (T,) bool | the last decision of a hand; never |

## Making

ofc-env {version}, rules `{rules}`, seed {seed}:

```
{command}
```

The champion's weights may change between versions of the package, and its decisions with them.

## Limits

Hands are single: no sessions, no chips at stake, no fantasyland hands. What the opponent threw away is never
seen. Luck is most of a return, as the standard deviation says: one episode tells little of a decision.

License: MIT.
"""


def card(
    name: str, kind: str, decided: Sequence[str], episodes: Sequence[Any], config: Any, rules: ofc_env.Rules
) -> str:
    """The page as Markdown.

    Args:
        name: of the dataset in Minari.
        kind: of those in `PLAYED_BY`.
        decided: for each episode, the agent whose decisions it holds.
        episodes: Minari's buffers.
        config: of `experiments/export_minari.py`.
        rules: that were played by.
    """
    steps = sum(len(episode.rewards) for episode in episodes)
    lines = []
    for agent in sorted(set(decided)):
        own = [episode for episode, who in zip(episodes, decided, strict=True) if who == agent]
        returns = np.array([float(np.sum(episode.rewards)) for episode in own])
        lines.append(f"| `{agent}` | {len(own):,} | {returns.mean():+.2f} | {returns.std():.1f} |")
    return PAGE.format(
        name=name,
        episodes=f"{len(episodes):,}",
        steps=f"{steps:,}",
        played_by=PLAYED_BY[kind].format(champion=config.champion),
        reward=config.reward,
        lines="\n".join(lines),
        version=ofc_env.__version__,
        rules=rules.name,
        seed=config.seed,
        command=shlex.join(["python", "experiments/export_minari.py", "--datasets", kind, *chosen(config)]),
    )


def chosen(config: Any) -> list[str]:
    """The options of a command line that differ from their defaults and shape the data."""
    words = []
    for item in fields(config):
        value = getattr(config, item.name)
        if item.name not in ("datasets", "out") and value != item.default:
            words += [f"--{item.name.replace('_', '-')}", str(value)]
    return words
