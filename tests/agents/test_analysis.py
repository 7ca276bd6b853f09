"""What a placement cost beside the best one, as far as an agent knows."""

from __future__ import annotations

import math

import pytest

from agents.analysis import cost_of
from agents.positions.ranking import Candidate
from ofc_env import Hand, Placement

BEST, SECOND, WORST, OTHER = Hand(seed=1).placements()[:4]


def candidate(placement: Placement, mean: float, error: float = 0.3) -> Candidate:
    """A candidate of this value."""
    return Candidate(placement, (1,), mean=mean, error=error, rollouts=5)


RANKED = [
    candidate(BEST, 3.0, 0.4),
    candidate(SECOND, 2.5),
    candidate(WORST, 1.0),
    candidate(OTHER, math.nan),
]


@pytest.mark.parametrize(
    ("played", "cost", "error", "at_least"),
    [(BEST, 0.0, 0.0, False), (SECOND, 0.5, 0.5, False), (WORST, 2.0, 0.5, False), (OTHER, 2.0, 0.5, True)],
)
def test_the_cost_is_the_distance_to_the_best(played: Placement, cost: float, error: float, at_least: bool):
    result = cost_of(RANKED, played)
    assert (result.best.placement, result.played.placement) == (BEST, played)
    assert [result.cost, result.error] == pytest.approx([cost, error])
    assert result.at_least is at_least


def test_a_placement_outside_the_ranking_costs_at_least_as_much_as_the_worst_in_it():
    result = cost_of(RANKED[:2], OTHER)
    assert (result.cost, result.at_least) == (0.5, True)
    assert math.isnan(result.played.foul)


def test_an_error_that_is_not_known_stays_unknown():
    assert math.isnan(cost_of([candidate(BEST, 3.0), candidate(SECOND, 2.0, math.nan)], SECOND).error)


def test_an_agent_without_values_is_refused():
    with pytest.raises(ValueError, match="gives no values"):
        cost_of([candidate(BEST, math.nan)], BEST)
