"""Hands that agents play for a measurement."""

from __future__ import annotations

from collections.abc import Sequence

from agents import Agent
from agents.review import PlayedHand, replayed
from agents.turns import play_turn, seat_to_act
from ofc_env import Hand


def played_by(seated: Sequence[Agent], hand: Hand) -> PlayedHand:
    """A hand as it begins, played to its end by agents, by seat."""
    start, placements = hand.clone(), []
    for each in seated:
        each.reset()
    while not hand.finished:
        placements.append(play_turn(seated[seat_to_act(hand)], hand))
        hand.place(placements[-1])
    return replayed(start, placements)
