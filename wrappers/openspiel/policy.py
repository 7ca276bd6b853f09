"""Agents of this project as OpenSpiel's policies."""

from __future__ import annotations

from open_spiel.python import policy

import agents
from agents import Agent
from agents.base import InformedAgent
from agents.turns import needs_true_hand
from wrappers.openspiel.game import Game, State


class AgentPolicy(policy.Policy):
    """What an agent plays in each information state, with certainty.

    Args:
        game: `ofc_pineapple` or `ofc_pineapple_short`.
        agent: an agent, or a name for `agents.make`, which is made for the game's rules.
    """

    def __init__(self, game: Game, agent: Agent | str) -> None:
        super().__init__(game, [0, 1])
        made = agents.make(agent, rules=game.rules) if isinstance(agent, str) else agent
        if needs_true_hand(made):
            raise ValueError(f"{made!r} looks at hidden cards and has no policy: choose another agent")
        self.agent = agents.seated(made, game.rules)

    def action_probabilities(self, state: State, player_id: int | None = None) -> dict[int, float]:
        """1 for the slot that the agent plays, 0 for the other legal ones."""
        known = state.table.deciding()
        if player_id not in (None, state.current_player()):
            raise ValueError(f"seat {player_id} is not to act: ask for seat {state.current_player()}")
        self.agent.reset()  # what it remembers of the hand is in what it is told
        if isinstance(self.agent, InformedAgent):
            chosen = int(self.agent.choose(known))
        else:
            chosen = int(
                self.agent.act({"observation": known.observation(), "action_mask": known.action_mask()})
            )
        return {slot: float(slot == chosen) for slot in known.legal_actions()}
