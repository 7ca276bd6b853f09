"""A candidate: named numbers of a placement that survive text, pickle and comparison, NaN included."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofc_env import Candidate, Hand, Placement, _core

NUMBERS = ("mean", "error", "foul", "fantasyland", "royalties", "prior")
PLACEMENT = Placement.parse("Ah>t Kd>b 2c>x")

loose: Any = Candidate  # the same without its types


def same(one: float, other: float) -> bool:
    return one == other or (math.isnan(one) and math.isnan(other))


@given(
    numbers=st.dictionaries(st.sampled_from(NUMBERS), st.floats()),
    rollouts=st.integers(0, 2**62),
    actions=st.lists(st.integers(0, 90), max_size=2),
)
def test_every_number_leads_back(numbers: dict[str, float], rollouts: int, actions: list[int]) -> None:
    each = loose(PLACEMENT, actions, rollouts=rollouts, **numbers)
    assert each.placement == PLACEMENT
    assert each.actions == tuple(actions)
    for again in (
        Candidate.parse(str(each)),
        eval(repr(each), {"Candidate": Candidate}),
        pickle.loads(pickle.dumps(each)),
        copy.deepcopy(each),
    ):
        assert again == each
        assert hash(again) == hash(each)
        assert again.placement == PLACEMENT
        assert again.actions == tuple(actions)
        assert again.rollouts == rollouts
        for name in NUMBERS:
            assert same(getattr(again, name), numbers.get(name, math.nan)), name


def test_what_is_not_said_is_not_known() -> None:
    each = Candidate(PLACEMENT)
    assert each.actions == ()
    assert each.rollouts == 0
    assert all(math.isnan(getattr(each, name)) for name in NUMBERS)
    assert Candidate.parse("Ah>t Kd>b 2c>x") == each


def test_unknown_equals_unknown() -> None:
    negative = math.copysign(math.nan, -1)
    assert Candidate(PLACEMENT, mean=negative) == Candidate(PLACEMENT, mean=math.nan) == Candidate(PLACEMENT)
    assert hash(Candidate(PLACEMENT, mean=negative)) == hash(Candidate(PLACEMENT))


@pytest.mark.parametrize("name", [*NUMBERS, "rollouts"])
def test_each_number_counts_in_a_comparison(name: str) -> None:
    first, second = (loose(PLACEMENT, (3,), **{name: value}) for value in (1, 2))
    assert first != second
    assert first != Candidate(PLACEMENT, (3,))
    assert len({first, second, loose(PLACEMENT, (3,), **{name: 1})}) == 2


def test_placement_and_actions_count_too() -> None:
    assert Candidate(PLACEMENT, (3,)) != Candidate(PLACEMENT, (4,))
    assert Candidate(PLACEMENT) != Candidate(Placement.parse("Ah>t Kd>m 2c>x"))
    assert Candidate(PLACEMENT) != str(Candidate(PLACEMENT))


def test_those_of_searches_lead_back() -> None:
    hand = Hand(seed=1)
    rankings = [
        _core.Heuristic().rank(hand.information(0)),
        _core.Pimc(rollouts=300).search(hand.information(0)),
        _core.Ismcts(simulations=300).search(hand.information(0)),
    ]
    for ranking in rankings:
        assert ranking
        for each in ranking:
            assert Candidate.parse(str(each)) == each
            assert pickle.loads(pickle.dumps(each)) == each
            assert each.actions == hand.information(0).actions_of(each.placement)


@pytest.mark.parametrize(
    ("attempt", "words"),
    [
        (lambda: loose(PLACEMENT, speed=3), "no field 'speed': its fields are mean, error, rollouts"),
        (lambda: Candidate(PLACEMENT, (1, 2, 3)), "at most two slots"),
        (lambda: Candidate(PLACEMENT, (91,)), "action 91 is outside 0 to 90"),
        (lambda: Candidate(PLACEMENT, (-1,)), "action -1 is outside 0 to 90"),
        (lambda: Candidate.parse("nonsense"), "'nonsense'"),
        (lambda: Candidate.parse("Ah>t mean=high"), "'mean=high' should be a number"),
        (lambda: Candidate.parse("Ah>t rollouts=1.5"), "'rollouts=1.5' should be a whole number"),
        (lambda: Candidate.parse("Ah>t luck=3"), "cannot read 'luck=3'"),
        (lambda: Candidate.parse("Ah>t mean=1 actions=1;2"), "cannot read the actions '1;2'"),
        (lambda: Candidate.parse("Ah>t mean=1 actions=1,"), "cannot read the actions '1,'"),
        (lambda: Candidate.parse("Ah>t mean=1 actions=x"), "cannot read the actions 'x'"),
        (lambda: Candidate.parse("Ah>t mean=1 actions=99"), "action 99 is outside 0 to 90"),
    ],
)
def test_refusals_are_sentences(attempt: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words) as refusal:
        attempt()
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("attempt", "words"),
    [
        (lambda: loose(PLACEMENT, mean="x"), "not a number for the candidate: 'x'"),
        (lambda: loose(PLACEMENT, mean=True), "not a number for the candidate: True"),
        (lambda: loose(PLACEMENT, rollouts=1.5), "not a whole number for the candidate: 1.5"),
        (lambda: loose("Ah>t"), "not \\('Ah>t'\\)"),
        (lambda: loose(), "not \\(\\)"),
        (lambda: loose(PLACEMENT, (1,), 2.0), "not \\("),
        (lambda: loose.parse(3), "not \\(3\\)"),
    ],
)
def test_wrong_types_are_sentences(attempt: Callable[[], object], words: str) -> None:
    with pytest.raises(TypeError, match=words) as refusal:
        attempt()
    assert "\n" not in str(refusal.value)
