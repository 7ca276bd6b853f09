"""From what a seat sees to a whole placement: what any live table needs to let an agent play."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

import ofc_env
from agents.base import Agent
from ofc_env.layout import (
    CARD_NUMBERS,
    CARDS,
    CHIP_UNIT,
    IN_HAND,
    MY_DISCARDS,
    MY_TOP,
    PLACES,
    THEIR_TOP,
    UNSEEN,
)

ROW_SIZES = (3, 5, 5)


def observation_of(
    rows: Sequence[Sequence[int]],
    opponent_rows: Sequence[Sequence[int]],
    hand: Sequence[int],
    discards: Sequence[int],
    turn: int,
    is_button: bool,
    chips: Sequence[int],
    opponent_fantasyland: int = 0,
    opening_step: int = 0,
) -> NDArray[np.float32]:
    """The 490 numbers of a seat, from what a player at a table knows.

    Args:
        rows: own top, middle and bottom, as card indices.
        opponent_rows: the same of the opponent; empty while it lies face down.
        hand: cards still to place.
        discards: own discards.
        turn: 0 to 4.
        is_button: whether the seat has the button.
        chips: own and the opponent's.
        opponent_fantasyland: number of cards the opponent sets in fantasyland, 0 in normal play.
        opening_step: 1 if the bottom of the opening is placed and top and middle are to come.
    """
    observation = np.zeros(ofc_env.OBSERVATION_SIZE, dtype=np.float32)
    place_of = np.full(CARDS, UNSEEN)
    for top, cards_by_row in ((MY_TOP, rows), (THEIR_TOP, opponent_rows)):
        for place, cards in zip(range(top, top + 3), cards_by_row, strict=True):
            place_of[list(cards)] = place
    place_of[list(hand)] = IN_HAND
    place_of[list(discards)] = MY_DISCARDS
    observation[np.arange(CARDS) * PLACES + place_of] = 1.0
    order = 0.2 * (opponent_fantasyland - 13) if opponent_fantasyland else float(is_button)
    progress = 0.125 if opening_step else turn / 4
    observation[CARD_NUMBERS:] = (progress, order, chips[0] / CHIP_UNIT, chips[1] / CHIP_UNIT)
    return observation


def choose_placement(
    agent: Agent, observation: NDArray[np.float32], rules: ofc_env.Rules | None = None
) -> ofc_env.Placement:
    """The placement of a whole turn: one question to the agent, or two for an opening.

    Args:
        agent: whoever decides; it is shown nothing but the observation.
        observation: (490,) float32 of the seat to act, at the start of its turn.
        rules: the rules of the game, if they are not the usual ones.
    """
    # A world that fits the observation stands in for the true hand: it has the same board, cards and slots.
    hand = ofc_env.Hand.from_observation(observation, seed=0, rules=rules)
    start = hand.clone()
    slots = [agent.act({"observation": observation, "action_mask": hand.action_mask()})]
    hand.step(slots[0])
    if hand.opening_step and hand.player == start.player:
        slots.append(agent.act({"observation": hand.observation(0), "action_mask": hand.action_mask()}))
    return start.placement_of(slots)


def set_fantasyland(cards: Sequence[int], rules: ofc_env.Rules | None = None) -> ofc_env.Placement:
    """The exact best setting of a fantasyland hand of 14 to 17 cards."""
    return ofc_env.solve_fantasyland(list(cards), rules=rules).placement


def first_free_slots(cards: Sequence[int], rows: Sequence[Sequence[int]]) -> ofc_env.Placement:
    """A legal turn that needs no agent: the cards as dealt into the first free slots, the rest discarded.

    Args:
        cards: the cards of the turn in the order dealt: 5, 3, or 14 to 17 in fantasyland.
        rows: own top, middle and bottom before it.
    """
    kept = {5: 5, 3: 2}.get(len(cards), sum(ROW_SIZES))
    placed, discards = list(cards[:kept]), list(cards[kept:])
    filled: dict[str, list[int]] = {}
    for name, row, size in zip(("top", "middle", "bottom"), rows, ROW_SIZES, strict=True):
        free = size - len(row)
        filled[name], placed = placed[:free], placed[free:]
    return ofc_env.Placement(**filled, discards=discards)
