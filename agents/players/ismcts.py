"""Information-set Monte Carlo tree search with playouts, and the same search on open cards for comparison."""

from __future__ import annotations

from typing import NoReturn

from agents.players.search import SearchAgent
from ofc_env import Hand, InformationSet, _core


class IsmctsAgent(SearchAgent):
    """One tree over many worlds, its statistics kept by what the acting seat sees (UCB1, no network)."""

    search = _core.Ismcts

    def choose(self, information: InformationSet) -> int:
        """The most visited slot. The tree of an opening's first step is searched on in its second."""
        return int(self.engine.choose(self.known(information), self.seed))


class OpenMctsAgent(IsmctsAgent):
    """Practice mode: the same search on the true deck. It needs the real hand, so it cannot be ranked."""

    needs_true_hand = True

    def choose(self, information: InformationSet) -> NoReturn:
        """Refused: what a seat sees is not enough for this agent."""
        raise ValueError(
            "mcts-open needs the real hand, hidden cards and all: call act_open(hand) instead of act()"
        )

    def rank(self, information: InformationSet) -> NoReturn:
        """Refused, as `choose`."""
        raise ValueError("mcts-open needs the real hand, hidden cards and all: it cannot rank a position")

    def act_open(self, hand: Hand) -> int:
        """The most visited slot for the seat to act in a hand whose every card is known."""
        if hand.player is None:
            raise ValueError("the hand is finished: there is nothing to choose")
        return int(self.engine.choose_open(hand, self.seed))
