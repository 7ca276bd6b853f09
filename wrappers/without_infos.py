"""The PettingZoo environment for frameworks that make arrays of the infos, which a hand's result is not."""

from __future__ import annotations

from typing import Any

from pettingzoo.utils.wrappers import BaseWrapper


class WithoutInfos(BaseWrapper):
    """An AEC environment whose infos are empty; the mask of legal slots is in the observation, too."""

    @property
    def infos(self) -> dict[str, dict[str, Any]]:
        """Nothing, for each agent."""
        return {agent: {} for agent in self.possible_agents}
