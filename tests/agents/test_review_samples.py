"""Reviews are what they were when Python judged: samples that it made at commit 9211121.

The numbers were those of `review_hands` of the hands below; Python held the values of worlds in 32 bits, so a
rounded number may differ in its last digit, and a sum of some of them in twice that.
"""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agents
from agents.randomness import seed_of
from agents.review import Effort, Judge, PlayedHand, judge_for, logged_hand, replayed, review_hands
from agents.review.calibration import Calibration
from agents.rewards import equity
from agents.turns import play_turn, seat_to_act
from ofc_env import Hand, Rules
from tests.agents.test_review import entry_of

SAMPLES = Path(__file__).with_name("reviews_before_the_core.json.gz")
LEVELS = ("heuristic:careless=0.4,temperature=0.6", "heuristic")
UNMEASURED = "standard scoop=6"  # rules without a champion
CLOSE = 3e-4


@cache
def samples() -> dict[str, Any]:
    return dict(json.loads(gzip.decompress(SAMPLES.read_bytes())))


def played(
    seed: int,
    button: int = 0,
    widths: tuple[int, int] = (0, 0),
    rules: str = "house",
    names: tuple[str, str] = LEVELS,
) -> PlayedHand:
    hand = Hand(seed=seed, button=button, fantasyland=widths, rules=Rules.parse(rules))
    who = [agents.make(name, hand.rules) for name in names]
    start, placements = hand.clone(), []
    while not hand.finished:
        placements.append(play_turn(who[seat_to_act(hand)], hand))
        hand.place(placements[-1])
    return replayed(start, placements)


def compare(mine: Any, theirs: Any, where: str) -> None:
    if isinstance(theirs, dict):
        assert list(mine) == list(theirs), where
        for name in theirs:
            compare(mine[name], theirs[name], f"{where}.{name}")
    elif isinstance(theirs, list):
        assert len(mine) == len(theirs), where
        for number, (one, other) in enumerate(zip(mine, theirs, strict=True)):
            compare(one, other, f"{where}[{number}]")
    elif isinstance(theirs, float):
        assert mine == pytest.approx(theirs, abs=CLOSE), where
    else:
        assert mine == theirs, where


def check(name: str, hands: list[PlayedHand], seats: list[int], judge: Judge | None = None) -> None:
    judge = judge or judge_for(hands[0].rules.of_a_hand())
    if judge.name != samples()[name][0]["judge"]:
        pytest.skip("the samples were made with another champion")
    found = [review.to_dict() for review in review_hands(hands, seats, judge)]
    compare(found, samples()[name], name)


def test_with_and_without_fantasyland() -> None:
    effort = Effort(simulations=60, worlds=24, played_on=24, shown=3, boards=12, redeals=8, openings=200)
    hands = [played(1), played(2, 1), played(3, 0, (0, 14)), played(4, 1, (15, 0))]
    check("quick", hands, [0] * 4, Judge(effort=effort, calibration=Calibration(), seed=3))


def test_one_side_alone() -> None:
    check("one_side", [logged_hand({**entry_of(played(1), seats=(0,)), "result": None})], [0])


def test_standard_rules() -> None:
    check("standard", [played(7, rules="standard")], [0])


def test_rules_without_a_champion() -> None:
    rules = Rules.parse(UNMEASURED)
    judge = Judge(rules, reward=equity(rules, (8.0, 14.0, 20.0, 27.0)))
    check("without", [played(9, rules=UNMEASURED, names=("random", "random"))], [1], judge)


def test_seeds_are_those_of_numpy() -> None:
    for numbers in ((0,), (1,), (0, 1), (2**40, 3), (2**64 - 1, 2, 5, 2**33, 7), tuple(range(6)), (2**70, 1)):
        wanted = int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0])
        assert seed_of(*numbers) == wanted
    with pytest.raises(ValueError, match="whole numbers of 0 or more, not of -1"):
        seed_of(3, -1)
