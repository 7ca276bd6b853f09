"""Perfect-information Monte Carlo: every placement in the same worlds, effort raced to those in doubt."""

from __future__ import annotations

from agents.players.search import SearchAgent
from ofc_env import _core


class PimcAgent(SearchAgent):
    """Deals worlds from what is unseen and plays the placement with the best mean over them."""

    search = _core.Pimc
