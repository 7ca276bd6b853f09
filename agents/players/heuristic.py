"""An agent with hand-written placement sense: made hands and draws, foul risk, high pairs on top."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent, Observation
from agents.positions.ranking import Candidate
from ofc_env import RewardConfig, Rules, _core
from ofc_env.layout import LAST_TURN, TURN


class HeuristicAgent(Agent):
    """Plays the placement whose board looks best; native, about 3 microseconds a decision.

    Args:
        exact: solve the last turn exactly instead of judging it.
        reward: what a hand is worth; points and the value of fantasyland by default.
        weights: the seven numbers of the judgement, for tuning; the shipped ones by default.
    """

    def __init__(
        self,
        exact: bool = False,
        reward: RewardConfig | str = "equity",
        rules: Rules | None = None,
        weights: Sequence[float] | None = None,
    ) -> None:
        self.exact = exact
        self._heuristic = _core.Heuristic(reward, rules, weights)
        self._endings = _core.Pimc(rollouts=1, reward=reward, rules=rules)

    def act(self, observation: Observation) -> int:
        """The best slot by the heuristic."""
        return int(self.act_batch(observation["observation"][None], observation["action_mask"][None])[0])

    def act_batch(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """The best slots of N positions, shape (N,)."""
        observations = np.ascontiguousarray(observations, dtype=np.float32)
        actions = self._heuristic.actions(observations)
        if self.exact:
            for row in np.flatnonzero(observations[:, TURN] == LAST_TURN):
                actions[row] = self._endings.search(observations[row : row + 1], 0)[0][0][0]
        return actions

    def rank(self, observation: Observation) -> list[Candidate]:
        """Every placement with its heuristic value, best first."""
        numbers = np.ascontiguousarray(observation["observation"], dtype=np.float32)
        return [Candidate(*fields) for fields in self._heuristic.rank(numbers)]
