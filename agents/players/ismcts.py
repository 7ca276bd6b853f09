"""Information-set Monte Carlo tree search with playouts, and the same search on open cards for comparison."""

from __future__ import annotations

from agents.base import Observation
from agents.players.search import SearchAgent
from agents.positions.ranking import Candidate
from ofc_env import Hand, RewardConfig, Rules, _core


class IsmctsAgent(SearchAgent):
    """One tree over many worlds, its statistics kept by what the acting seat sees (UCB1, no network).

    Args:
        simulations: worlds dealt for a decision.
        leaf: who plays a world on below the tree: `heuristic`, `random` or `beam`.
        exploration: UCB1 constant, on values scaled to 0..1 by the extremes seen.
        widen: let the opening's placements enter the tree one after the other, best by the heuristic first.
        exact: solve the last turn exactly.
        belief: weigh worlds by what the opponent's discards probably were.
        max_nodes: limit of the tree, about 300 bytes a node.
    """

    def __init__(
        self,
        simulations: int = 2000,
        leaf: str = "heuristic",
        exploration: float = 0.05,
        widen: bool = True,
        exact: bool = True,
        belief: bool = False,
        max_nodes: int = 65536,
        seed: int = 0,
        reward: RewardConfig | str = "equity",
        rules: Rules | None = None,
    ) -> None:
        super().__init__(seed, belief)
        self._search = _core.Ismcts(
            simulations, leaf, float(exploration), widen, exact, belief, max_nodes, reward, rules
        )

    def act(self, observation: Observation) -> int:
        """The most visited slot. The tree of an opening's first step is searched on in its second."""
        history = self.history(observation)
        return self._search.search(history, self.search_seed(history[-1]))

    def rank(self, observation: Observation) -> list[Candidate]:
        """Every placement the tree has visited, most visits first."""
        self.act(observation)
        return [Candidate(*fields) for fields in self._search.candidates(self.history(observation)[-1])]


class OpenMctsAgent(IsmctsAgent):
    """Practice mode: the same search on the true deck. It needs the real hand, so it cannot be ranked."""

    needs_true_hand = True

    def act(self, observation: Observation) -> int:
        """Refused: what a seat sees is not enough for this agent."""
        raise ValueError(
            "mcts-open needs the real hand, hidden cards and all: call act_open(hand) instead of act()"
        )

    def rank(self, observation: Observation) -> list[Candidate]:
        """Refused, as `act`."""
        raise ValueError("mcts-open needs the real hand, hidden cards and all: it cannot rank an observation")

    def act_open(self, hand: Hand) -> int:
        """The most visited slot for the seat to act in a hand whose every card is known."""
        if hand.player is None:
            raise ValueError("the hand is finished: there is nothing to choose")
        return self._search.search_open(hand, self.search_seed(hand.observation(hand.player)))
