"""Finished hands for tests of the review."""

from __future__ import annotations

from functools import cache

import agents
from agents.base import Agent
from agents.review import PlayedHand, replayed
from agents.turns import play_turn, seat_to_act
from ofc_env import Hand


@cache
def player(name: str) -> Agent:
    return agents.make(name)


def played_hand(
    names: tuple[str, str], seed: int, button: int = 0, widths: tuple[int, int] = (0, 0)
) -> PlayedHand:
    """A hand between two agents, by seat."""
    hand = Hand(seed=seed, button=button, fantasyland=widths)
    start, placements = hand.clone(), []
    while not hand.finished:
        placements.append(play_turn(player(names[seat_to_act(hand)]), hand))
        hand.place(placements[-1])
    return replayed(start, placements)
