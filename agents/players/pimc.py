"""Perfect-information Monte Carlo: every placement in the same worlds, effort raced to those in doubt."""

from __future__ import annotations

from agents.base import Observation
from agents.players.search import SearchAgent
from agents.positions.ranking import Candidate
from ofc_env import RewardConfig, Rules, _core


class PimcAgent(SearchAgent):
    """Deals worlds from what is unseen and plays the placement with the best mean over them.

    Args:
        rollouts: budget of a decision; 2,000 take about 50 ms at the opening and 20 ms later.
        leaf: who plays a world on: `heuristic`, `random`, or `beam` (looks three turns ahead first).
        race: drop the worse half of the placements again and again, so that effort goes to those in doubt.
        exact: solve the last turn exactly.
        belief: weigh worlds by what the opponent's discards probably were.
        opening_width: openings that enter the race, best by the heuristic.
        risk: the objective is the mean minus this many standard deviations.
        seconds: a time limit beside the budget; 0 for none.
        reward: what a hand is worth; points and the value of fantasyland by default.
    """

    def __init__(
        self,
        rollouts: int = 2000,
        leaf: str = "heuristic",
        race: bool = True,
        exact: bool = True,
        belief: bool = False,
        opening_width: int = 32,
        risk: float = 0.0,
        seconds: float = 0.0,
        seed: int = 0,
        reward: RewardConfig | str = "equity",
        rules: Rules | None = None,
    ) -> None:
        super().__init__(seed, belief)
        self._search = _core.Pimc(
            rollouts, leaf, race, exact, belief, opening_width, float(risk), float(seconds), reward, rules
        )

    def act(self, observation: Observation) -> int:
        """The first slot of the best placement."""
        return self.rank(observation)[0].actions[0]

    def rank(self, observation: Observation) -> list[Candidate]:
        """Every placement with mean, error and rollouts, best first; those outside the race last."""
        history = self.history(observation)
        return [Candidate(*fields) for fields in self._search.search(history, self.search_seed(history[-1]))]
