"""An agent's whole turn: whom a hand waits for, which slots the agent plays, which placement they make."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

import ofc_env
from agents.base import Agent, InformedAgent
from ofc_env.layout import LAST_TURN, TURN


class IllegalSlot(ValueError):
    """A slot that the hand refused, with the hand's own sentence."""


def seat_to_act(hand: ofc_env.Hand) -> int:
    """The seat whose decision a hand waits for."""
    if hand.player is None:
        raise ValueError("the hand is over: nobody is to act")
    return hand.player


def needs_true_hand(agent: Agent) -> bool:
    """Whether an agent looks at the true deck, through `act_open(hand)`."""
    return bool(getattr(agent, "needs_true_hand", False))


def turn_slots(hand: ofc_env.Hand, choose: Callable[[ofc_env.Hand], int]) -> list[int]:
    """The slots of a whole turn of the seat to act: one, or two for an opening.

    Args:
        hand: in normal play, at the start of a turn or between the two steps of an opening; left as it is.
        choose: gives a slot for the hand it is shown, which is not to be changed.
    """
    playing, seat = hand.clone(), seat_to_act(hand)
    slots: list[int] = []
    while not slots or (playing.player == seat and playing.opening_step):
        slot = int(choose(playing))
        try:
            playing.step(slot)
        except ValueError as refusal:
            raise IllegalSlot(str(refusal)) from refusal
        slots.append(slot)
    return slots


def choose_slots(agent: Agent, hand: ofc_env.Hand) -> list[int]:
    """The slots that an agent plays with its turn; one that needs the true hand is shown a copy of it."""

    def choose(playing: ofc_env.Hand) -> int:
        if needs_true_hand(agent):
            return int(agent.act_open(playing.clone()))  # type: ignore[attr-defined]
        return _seen_choice(agent, playing)

    try:
        return turn_slots(hand, choose)
    except IllegalSlot as refusal:
        raise ValueError(f"{agent!r} chose an illegal slot: {refusal}") from refusal


def play_turn(agent: Agent, hand: ofc_env.Hand) -> ofc_env.Placement:
    """What an agent places with its turn, the hand left as it is; the solver sets its fantasyland hands."""
    if hand.in_fantasyland:
        return agent_setting(agent, hand.information(seat_to_act(hand)))
    return hand.placement_of(choose_slots(agent, hand))


def choose_placement(agent: Agent, information: ofc_env.InformationSet) -> ofc_env.Placement:
    """The placement of a whole turn by somebody who is shown nothing but what the seat knows.

    Args:
        agent: whoever decides.
        information: of the seat to act, at the start of its turn.
    """
    # A world that fits what is known stands in for the true hand: it has the same board, cards and slots.
    hand = ofc_env.Hand.from_observation(information, seed=0)
    return hand.placement_of(turn_slots(hand, lambda playing: _seen_choice(agent, playing)))


def _seen_choice(agent: Agent, hand: ofc_env.Hand) -> int:
    seat = seat_to_act(hand)
    if isinstance(agent, InformedAgent):
        return agent.choose(hand.information(seat))
    return int(agent.act({"observation": hand.observation(seat), "action_mask": hand.action_mask()}))


def set_fantasyland(cards: Sequence[int], rules: ofc_env.Rules | None = None) -> ofc_env.Placement:
    """The exact best setting of a fantasyland hand of 14 to 17 cards."""
    return ofc_env.solve_fantasyland(list(cards), rules=rules).placement


def agent_setting(agent: Agent, information: ofc_env.InformationSet) -> ofc_env.Placement:
    """How the solver sets the fantasyland hand of an agent: for itself alone, or against likely boards."""
    return set_against(information, int(getattr(agent, "fantasyland_boards", 0)))


def set_against(information: ofc_env.InformationSet, boards: int) -> ofc_env.Placement:
    """The best setting on the mean of so many boards that the opponent may end with; 0: for itself alone."""
    if not boards:
        return set_fantasyland(information.hand, information.rules)
    opponents = ofc_env.sample_boards(information, boards)
    return ofc_env.solve_fantasyland(information.hand, opponent=opponents, rules=information.rules).placement


def solve_last_turns(
    slots: NDArray[np.int64],
    observations: NDArray[np.float32],
    legal: NDArray[np.intp],
    reward: ofc_env.RewardConfig | None,
    rules: ofc_env.Rules,
) -> NDArray[np.int64]:
    """Slots (N,), with the best ones in their place where the turn is the last; without a reward as they are.

    Args:
        observations: (N, 490).
        legal: (N,) how many slots each has.
        reward: what a hand is worth.
    """
    if reward is not None:
        for row in np.flatnonzero((observations[:, TURN] == LAST_TURN) & (legal > 1)).tolist():
            values = ofc_env.solve_last_turn(observations[row], reward, rules)
            slots[row] = max(values, key=lambda slot: (values[slot], -slot))
    return slots
