"""Positions that real play reaches: hands played by the heuristic, stopped at each decision."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import agents
from agents import Agent
from agents.base import Observation
from ofc_env import Hand, InformationSet


@dataclass(frozen=True)
class Decision:
    """A seat to act, what it saw at its decisions so far, and what only the dealer knows."""

    hand: Hand  # a copy of its own
    seat: int
    history: NDArray[np.float32]  # (k, 490), this decision last
    opponent_discards: list[int]  # by turn

    @property
    def information(self) -> InformationSet:
        """What the seat knows, with its earlier decisions of the hand as the history."""
        known = InformationSet.from_observation(self.history[0])
        for numbers in self.history[1:]:
            known = InformationSet.from_observation(numbers).following(known)
        return known

    @property
    def observation(self) -> Observation:
        return {"observation": self.history[-1], "action_mask": self.hand.action_mask()}

    @property
    def first_to_act(self) -> bool:
        return self.seat == self.hand.button


def decisions(
    hands: int, player: str | Agent = "heuristic", seed: int = 0, width: int = 0
) -> Iterator[Decision]:
    """Every decision of some hands; one agent plays both seats, or against a fantasyland of `width`."""
    agent = agents.make(player) if isinstance(player, str) else player
    for number in range(hands):
        hand = Hand(seed=1000 * seed + number, button=number % 2, fantasyland=(width, 0))
        if hand.in_fantasyland:
            hand.set_fantasyland()
        seen: tuple[list[NDArray[np.float32]], ...] = ([], [])
        thrown: tuple[list[int], ...] = ([], [])
        while hand.player is not None:
            seat = hand.player
            seen[seat].append(hand.observation(seat))
            yield Decision(hand.clone(), seat, np.stack(seen[seat]), list(thrown[1 - seat]))
            before = hand.discards(seat)
            hand.step(agent.act({"observation": seen[seat][-1], "action_mask": hand.action_mask()}))
            thrown[seat].extend(card for card in hand.discards(seat) if card not in before)
