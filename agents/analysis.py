"""What a placement cost: the one comparison behind the review of live games and the report on a log."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from agents.positions.ranking import Candidate
from ofc_env import Placement


@dataclass(frozen=True)
class Cost:
    """A placement beside the best one, by an agent's estimate; points."""

    best: Candidate
    played: Candidate
    cost: float  # what the played one lost against the best, 0 or more
    error: float  # standard error of the cost, 0 where nothing was lost, NaN if the agent does not know it
    at_least: bool  # the agent did not weigh the played one: it cost this or more
    too_close: bool  # the played one left the race early with a higher value: no loss, and no gain either


def cost_of(candidates: Sequence[Candidate], played: Placement) -> Cost:
    """What a placement cost.

    Args:
        candidates: what the agent weighed, best first; those without a value count as not weighed.
        played: any legal placement of the turn.
    """
    known = [each for each in candidates if not math.isnan(each.mean)]
    if not known:
        raise ValueError("the agent gives no values to placements: choose one that ranks, such as pimc")
    best = known[0]
    found = next((each for each in known if each.placement == played), None)
    at_least = found is None
    if found is None:  # outside the agent's choice: not better than the worst that it looked at
        slots = next((each.actions for each in candidates if each.placement == played), ())
        worst = known[-1]
        found = Candidate(played, slots, mean=worst.mean, error=worst.error)
    error = 0.0 if found.placement == best.placement else math.hypot(found.error, best.error)
    return Cost(best, found, max(0.0, best.mean - found.mean), error, at_least, found.too_close)
