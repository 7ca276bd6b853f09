"""The trained player: information-set search guided by the network after a placement."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.networks.native import load_native
from agents.players.search import SearchAgent
from ofc_env import InformationSet, RewardConfig, _core

CHAMPION = Path(__file__).parent.parent / "weights" / "alphazero.safetensors"


class AlphaZeroAgent(SearchAgent):
    """Judges every placement by the network, and the best few by looking ahead in many worlds.

    Args:
        checkpoint: a network file; the shipped champion by default.
        seed: with what the seat sees, fixes the worlds.
        network: a network to play by, instead of a file's.
        reward: what a hand is worth; points and the value of fantasyland by default.
        settings: of the search: `_core.NetworkSearch.fields()`, docs/settings.md.
    """

    search = _core.NetworkSearch

    def __init__(
        self,
        checkpoint: str | Path | None = None,
        seed: int = 0,
        network: _core.Network | None = None,
        reward: RewardConfig | str = "equity",
        **settings: Any,
    ) -> None:
        network = load_native(checkpoint or CHAMPION) if network is None else network
        self._begin(seed, _core.NetworkSearch(network, reward=reward, **settings), settings)

    def choose_batch(self, informations: Sequence[InformationSet]) -> NDArray[np.int64]:
        """The first slots of the best placements, (N,); with a belief they are decisions of one hand."""
        if self.remembers:
            return super().choose_batch(informations)
        return self.engine.actions(informations, self.seed)

    def act_batch(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """The same for observations (N, 490), which the core reads itself."""
        if self.remembers:
            return super().act_batch(observations, masks)
        return self.engine.actions(np.ascontiguousarray(observations, dtype=np.float32), self.seed)
