"""The trained player: information-set search guided by the network after a placement."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.base import Observation
from agents.networks.native import load_native
from agents.players.search import SearchAgent
from agents.positions.ranking import Candidate
from agents.randomness import observation_keys
from ofc_env import RewardConfig, _core

CHAMPION = Path(__file__).parent.parent / "weights" / "alphazero.safetensors"


class AlphaZeroAgent(SearchAgent):
    """Judges every placement by the network, and the best few by looking ahead in many worlds.

    Args:
        sims: simulations of a decision; 0 plays the network's first choice. Levels: 10 weak, 100 normal,
            500 strong, 2000 strongest.
        checkpoint: a network file; the shipped champion by default.
        root: `halving` (sequential halving over common worlds) or `puct`.
        candidates: placements that enter the halving.
        prior_weight: worlds that the network's own value of a placement counts for in the halving.
        c_puct: weight of the prior where nodes are chosen by PUCT.
        opponent_temperature: points; 0 lets the opponent in the search play its best.
        risk: the objective is the mean minus this many standard deviations.
        exact: solve the last turn exactly.
        belief: weigh worlds by what the opponent's discards probably were.
        seconds: a time limit beside the budget; 0 for none.
    """

    def __init__(
        self,
        sims: int = 200,
        checkpoint: str | Path | None = None,
        root: str = "halving",
        candidates: int = 12,
        prior_weight: float = 16.0,
        c_puct: float = 1.5,
        opponent_temperature: float = 0.0,
        risk: float = 0.0,
        exact: bool = True,
        belief: bool = False,
        opening_width: int = 32,
        seconds: float = 0.0,
        seed: int = 0,
        network: _core.Network | None = None,
        reward: RewardConfig | str = "equity",
    ) -> None:
        super().__init__(seed, belief)
        if root not in ("halving", "puct"):
            raise ValueError(f"unknown root {root!r}: choose halving or puct")
        self._search = _core.NetworkSearch(
            load_native(checkpoint or CHAMPION) if network is None else network,
            sims,
            halving=root == "halving",
            candidates=candidates,
            prior_weight=float(prior_weight),
            c_puct=float(c_puct),
            opponent_temperature=float(opponent_temperature),
            risk=float(risk),
            exact=exact,
            belief=belief,
            opening_width=opening_width,
            seconds=float(seconds),
            reward=reward,
        )

    def act(self, observation: Observation) -> int:
        """The first slot of the best placement."""
        return self.rank(observation)[0].actions[0]

    def act_batch(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """The same for N positions, (N,); with a belief they are taken as decisions of one hand, in order."""
        if self.remembers:
            return super().act_batch(observations, masks)
        observations = np.ascontiguousarray(observations, dtype=np.float32)
        return self._search.actions(observations, observation_keys(observations, self.seed))

    def rank(self, observation: Observation) -> list[Candidate]:
        """Every placement judged, best first; those that were not searched with the network's own value."""
        history = self.history(observation)
        return [Candidate(*fields) for fields in self._search.search(history, self.search_seed(history[-1]))]
