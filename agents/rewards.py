"""What agents maximise and matches count by default: points, and the worth of the fantasyland they win."""

from __future__ import annotations

from collections.abc import Sequence

from ofc_env import RewardConfig, Rules

FantasylandValues = Sequence[float]


def resolved(reward: RewardConfig | str, rules: Rules) -> RewardConfig:
    """A reward that is given as a value or as text, such as `"equity"`, under some rules."""
    return RewardConfig.parse(reward, rules) if isinstance(reward, str) else reward


def equity(rules: Rules, values: FantasylandValues | str | None = None) -> RewardConfig:
    """The equity reward under some rules.

    Args:
        rules: the core knows what fantasyland is worth under those that somebody has measured.
        values: of 14, 15, 16 and 17 cards instead, as numbers or as text with a comma or a slash between
            them; needed under other rules.
    """
    if values is None:
        return RewardConfig.preset("equity", rules)
    numbers = values.replace("/", ",").split(",") if isinstance(values, str) else values
    try:
        worth = [float(number) for number in numbers]
        return RewardConfig(fantasyland_values=worth)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{values!r} cannot be what fantasyland is worth ({error}): give four numbers, "
            "for 14, 15, 16 and 17 cards"
        ) from None
