"""A scripted stand-in for a person, with a strength and a weakness that are known: for rehearsals.

    python experiments/generate_log.py --agent experiments.people.stand_in:StandIn \\
        --opponent alphazero:sims=0 --hands 300 --out runs/stand_in.db

It opens like the champion, plays on like the heuristic, and on turn 3 places whatever comes: a profile has to
name turn 0 among its strengths and turn 3 among its weaknesses.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import agents
from agents.base import Agent, Observation
from ofc_env import Rules
from ofc_env.layout import TURN

STRENGTH, WEAKNESS = "turn 0", "turn 3"  # as a profile calls them


class StandIn(Agent):
    """Opens like the champion, plays at random on turn 3, and otherwise like the heuristic.

    Args:
        seed: of what it plays on turn 3, with what it sees.
        rules: what it plays by; the house rules by default.
    """

    def __init__(self, seed: int = 0, rules: Rules | str | None = None) -> None:
        self.rules = Rules.of(rules)
        self.opening = agents.make("alphazero:sims=0", self.rules)
        self.usual = agents.make("heuristic", self.rules)
        self.careless = agents.make("random", self.rules, seed=seed)

    def act(self, observation: Observation) -> int:
        """The slot to play."""
        slots = self.act_batch(observation["observation"][None], observation["action_mask"][None])
        return int(slots[0])

    def act_batch(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """The slots to play in N positions, shape (N,)."""
        turns = np.floor(observations[:, TURN] * 4 + 1e-3)  # the second step of an opening is half a turn on
        slots = np.zeros(len(observations), dtype=np.int64)
        players = ((turns == 0, self.opening), (turns == 3, self.careless))
        usual = ~(players[0][0] | players[1][0])
        for chosen, player in (*players, (usual, self.usual)):
            if chosen.any():
                slots[chosen] = player.act_batch(observations[chosen], masks[chosen])
        return slots
