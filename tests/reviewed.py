"""Finished hands for tests of the review."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

import agents
from agents.base import Agent
from agents.review import PlayedHand, replayed
from agents.turns import play_turn, seat_to_act
from ofc_env import Hand, Rules


@cache
def player(name: str, rules: str = "house") -> Agent:
    return agents.make(name, Rules.parse(rules))


def played_hand(
    names: tuple[str, str],
    seed: int,
    button: int = 0,
    widths: tuple[int, int] = (0, 0),
    rules: str = "house",
) -> PlayedHand:
    """A hand between two agents, by seat."""
    hand = Hand(seed=seed, button=button, fantasyland=widths, rules=Rules.parse(rules))
    start, placements = hand.clone(), []
    while not hand.finished:
        placements.append(play_turn(player(names[seat_to_act(hand)], rules), hand))
        hand.place(placements[-1])
    return replayed(start, placements)


def compare(mine: Any, theirs: Any, close: float, where: str = "review") -> None:
    """Assert that two JSON values are alike, numbers to `close`."""
    if isinstance(theirs, dict):
        assert list(mine) == list(theirs), where
        for name in theirs:
            compare(mine[name], theirs[name], close, f"{where}.{name}")
    elif isinstance(theirs, list):
        assert len(mine) == len(theirs), where
        for number, (one, other) in enumerate(zip(mine, theirs, strict=True)):
            compare(one, other, close, f"{where}[{number}]")
    elif isinstance(theirs, float):
        assert mine == pytest.approx(theirs, abs=close), where
    else:
        assert mine == theirs, where
