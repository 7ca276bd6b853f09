"""An agent with hand-written placement sense: made hands and draws, foul risk, high pairs on top."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from agents.base import InformedAgent
from ofc_env import Candidate, InformationSet, RewardConfig, Rules, _core, solve_last_turn

_LAST_TURN = 4


class HeuristicAgent(InformedAgent):
    """Plays the placement whose board looks best; native, about 3 microseconds a decision.

    Args:
        exact: solve the last turn exactly instead of judging it.
        temperature: points; a placement is drawn from the softmax of the values, 0 plays the best.
        careless: share of the turns in which each row is judged for itself, blind to a foul and to the cards
            that are gone, as beginners do.
        seed: with what the seat sees, fixes what is drawn.
        reward: what a hand is worth; points and the value of fantasyland by default.
        rules: what it plays by; the house rules by default.
        weights: the seven numbers of the judgement, for tuning; the shipped ones by default.
    """

    def __init__(
        self,
        exact: bool = False,
        temperature: float = 0.0,
        careless: float = 0.0,
        seed: int = 0,
        reward: RewardConfig | str = "equity",
        rules: Rules | str | None = None,
        weights: Sequence[float] | None = None,
    ) -> None:
        if exact and (temperature or careless):
            raise ValueError("exact=on solves the last turn: leave it off with a temperature or carelessness")
        self.exact = exact
        self.seed = seed
        self.rules = Rules.of(rules)
        self._heuristic = _core.Heuristic(
            reward, self.rules, weights, temperature=temperature, careless=careless
        )
        self._reward = reward

    def choose(self, information: InformationSet) -> int:
        """The best slot by the heuristic."""
        return int(self.choose_batch([information])[0])

    def choose_batch(self, informations: Sequence[InformationSet]) -> NDArray[np.int64]:
        """The best slots of N positions, shape (N,)."""
        actions = self._heuristic.actions(informations, self.seed)
        if self.exact:
            for row, information in enumerate(informations):
                if information.turn == _LAST_TURN:
                    values = solve_last_turn(information, self._reward, self.rules, samples=24)
                    actions[row] = max(values, key=lambda slot: (values[slot], -slot))
        return actions

    def act_batch(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """The same for observations (N, 490), which the core reads itself."""
        if self.exact:
            return super().act_batch(observations, masks)
        numbers = np.ascontiguousarray(observations, dtype=np.float32)
        return self._heuristic.actions(numbers, self.seed)

    def rank(self, information: InformationSet) -> list[Candidate]:
        """Every placement with its heuristic value: what it plays, then the best."""
        return self._heuristic.rank(information, self.seed)
