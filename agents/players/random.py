"""An agent that plays any legal slot, evenly: the floor that every other agent is measured from."""

from __future__ import annotations

from agents.base import InformedAgent
from ofc_env import InformationSet


class RandomAgent(InformedAgent):
    """Plays each legal slot with equal chance, fixed by its seed and by what the seat sees."""

    any_rules = True

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def choose(self, information: InformationSet) -> int:
        """A legal slot."""
        legal = information.legal_actions()
        if not legal:
            raise ValueError("no slot is legal in this position: ask only a seat that is to act")
        return legal[information.key(self.seed) % len(legal)]
