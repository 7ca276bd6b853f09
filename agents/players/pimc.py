"""Perfect-information Monte Carlo: every placement in the same worlds, effort raced to those in doubt."""

from __future__ import annotations

from typing import Any

from agents.players.search import SearchAgent
from ofc_env import RewardConfig, Rules, _core


class PimcAgent(SearchAgent):
    """Deals worlds from what is unseen and plays the placement with the best mean over them.

    Args:
        seed: with what the seat sees, fixes the worlds.
        reward: what a hand is worth; points and the value of fantasyland by default.
        settings: of the search: `_core.Pimc.fields()`, docs/settings.md.
    """

    search = _core.Pimc

    def __init__(
        self,
        seed: int = 0,
        reward: RewardConfig | str = "equity",
        rules: Rules | str | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(
            seed, _core.Pimc(reward=reward, rules=rules, **settings), bool(settings.get("belief"))
        )
