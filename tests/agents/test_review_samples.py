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

from agents.randomness import seed_of
from agents.review import Effort, Judge, PlayedHand, judge_for, logged_hand, review_hands
from agents.review.calibration import Calibration
from agents.rewards import equity
from ofc_env import Rules
from tests.agents.test_review import entry_of
from tests.reviewed import compare, played_hand

SAMPLES = Path(__file__).with_name("reviews_before_the_core.json.gz")
LEVELS = ("heuristic:careless=0.4,temperature=0.6", "heuristic")
UNMEASURED = "standard scoop=6"  # rules without a champion
CLOSE = 3e-4


@cache
def samples() -> dict[str, Any]:
    return dict(json.loads(gzip.decompress(SAMPLES.read_bytes())))


def check(name: str, hands: list[PlayedHand], seats: list[int], judge: Judge | None = None) -> None:
    judge = judge or judge_for(hands[0].rules.of_a_hand())
    if judge.name != samples()[name][0]["judge"]:
        pytest.skip("the samples were made with another champion")
    found = [review.to_dict() for review in review_hands(hands, seats, judge)]
    compare(found, samples()[name], CLOSE, name)


def test_with_and_without_fantasyland() -> None:
    effort = Effort(simulations=60, worlds=24, played_on=24, shown=3, boards=12, redeals=8, openings=200)
    dealt = ((1, 0, (0, 0)), (2, 1, (0, 0)), (3, 0, (0, 14)), (4, 1, (15, 0)))
    hands = [played_hand(LEVELS, *each) for each in dealt]
    check("quick", hands, [0] * 4, Judge(effort=effort, calibration=Calibration(), seed=3))


def test_one_side_alone() -> None:
    check("one_side", [logged_hand({**entry_of(played_hand(LEVELS, 1), seats=(0,)), "result": None})], [0])


def test_standard_rules() -> None:
    check("standard", [played_hand(LEVELS, 7, rules="standard")], [0])


def test_rules_without_a_champion() -> None:
    rules = Rules.parse(UNMEASURED)
    judge = Judge(rules, reward=equity(rules, (8.0, 14.0, 20.0, 27.0)))
    check("without", [played_hand(("random", "random"), 9, rules=UNMEASURED)], [1], judge)


def test_seeds_are_those_of_numpy() -> None:
    for numbers in ((0,), (1,), (0, 1), (2**40, 3), (2**64 - 1, 2, 5, 2**33, 7), tuple(range(6)), (2**70, 1)):
        wanted = int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0])
        assert seed_of(*numbers) == wanted
    with pytest.raises(ValueError, match="whole numbers of 0 or more, not of -1"):
        seed_of(3, -1)
