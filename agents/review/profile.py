"""Who plays, beyond one number: what stands out, acting first or second, hands lost without bad luck.

What a decision could cost is its stake: what a placement drawn evenly from those that the judge weighed would
have lost. A group of decisions stands out if the share of the stake that it loses differs from that of all
others by three standard errors, hands being the samples; what stands out most is set aside before the next.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.arena.estimates import Estimate, estimate, ratio
from agents.review.report import Decision, HandReview
from ofc_env import InformationSet, Rules

Numbers = NDArray[np.float64]
NAMED_FROM = 3.0  # standard errors from which a group is called a weakness or a strength
LEAST_HANDS = 10  # that a group must be met in, inside and outside
SHOWN = 5  # lost hands


@dataclass(frozen=True)
class Group:
    """Decisions that stand out."""

    name: str  # "turn 0" to "turn 4", "first", "second", "against fantasyland"
    is_weakness: bool
    share: Estimate  # of the stake, lost
    rest: Estimate  # the same of the others

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        verdict = "weakness" if self.is_weakness else "strength"
        return {
            "name": self.name,
            "verdict": verdict,
            "share": self.share.to_dict(),
            "rest": self.rest.to_dict(),
        }


@dataclass(frozen=True)
class LostHand:
    """A hand that was lost."""

    at: int  # among the reviews
    result: float  # points of equity
    adjusted: float  # with the luck taken out
    cost: float  # of the player's own decisions

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return dict(vars(self))


@dataclass(frozen=True)
class Profile:
    """What is told of a player beside the rating and the statistics."""

    groups: tuple[Group, ...]  # what stands out most first
    first: Estimate  # points lost a hand, acting first
    second: Estimate
    lost: tuple[LostHand, ...]  # those first of which luck explains least

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "groups": [each.to_dict() for each in self.groups],
            "first": self.first.to_dict(),
            "second": self.second.to_dict(),
            "lost": [each.to_dict() for each in self.lost],
        }


def profile_of(reviews: Sequence[HandReview]) -> Profile:
    """The profile of the player from whose side some hands were reviewed."""
    chosen = [[each for each in review.own() if counted(each)] for review in reviews]
    orders = [acts_first(review) for review in reviews]
    costs = [sum(each.cost for each in mine) for mine in chosen]
    met = [(order, cost) for order, cost, mine in zip(orders, costs, chosen, strict=True) if mine]
    lost = [
        LostHand(at, balance.result, balance.result - balance.luck + balance.opponent_luck, costs[at])
        for at, review in enumerate(reviews)
        if (balance := review.balance) is not None and balance.result < 0
    ]
    return Profile(
        tuple(standing_out(reviews, chosen, orders)),
        estimate([cost for order, cost in met if order]),
        estimate([cost for order, cost in met if order is False]),
        tuple(sorted(lost, key=lambda hand: hand.adjusted)[:SHOWN]),
    )


def counted(decision: Decision) -> bool:
    """Whether a decision says something of its player: not the clock's, not a fantasyland setting."""
    return not (decision.timed_out or InformationSet.parse(decision.information).in_fantasyland)


def acts_first(review: HandReview) -> bool | None:
    """Whether the player acted first; None where a fantasyland leaves no order of play."""
    if any(review.fantasyland):
        return None
    return bool(Rules.parse(review.rules).first_to_act(button=review.button) == review.seat)


def stake(decision: Decision) -> float:
    """What a placement drawn from those that were weighed would have lost."""
    behind = [max(0.0, option.behind) for option in decision.options]
    return sum(behind) / max(1, len(behind))


def standing_out(
    reviews: Sequence[HandReview], chosen: Sequence[Sequence[Decision]], orders: Sequence[bool | None]
) -> list[Group]:
    """Groups of decisions that lose more or less of their stake than the others, most first."""
    named = [
        (at, _names(review, each, order), max(0.0, each.cost), stake(each))
        for at, (review, mine, order) in enumerate(zip(reviews, chosen, orders, strict=True))
        for each in mine
    ]
    found: list[Group] = []
    while True:
        names = sorted({name for _, mine, _, _ in named for name in mine})
        groups = [group for name in names if (group := _group(name, named)) is not None]
        most = max(groups, key=_errors_apart, default=None)
        if most is None or _errors_apart(most) < NAMED_FROM:
            return found
        found.append(most)
        named = [each for each in named if most.name not in each[1]]


_Named = tuple[int, tuple[str, ...], float, float]  # hand, groups, cost, stake


def _names(review: HandReview, decision: Decision, first: bool | None) -> tuple[str, ...]:
    if first is None:
        return (f"turn {decision.turn}", "against fantasyland")
    return (f"turn {decision.turn}", "first" if first else "second")


def _group(name: str, named: Sequence[_Named]) -> Group | None:
    """A group beside the others; None where either was met too rarely."""
    inside, outside = sums_by_hand((at, name in names, cost, at_stake) for at, names, cost, at_stake in named)
    if min(np.count_nonzero(inside[1]), np.count_nonzero(outside[1])) < LEAST_HANDS:
        return None
    share, rest = ratio(*inside), ratio(*outside)
    return Group(name, share.mean > rest.mean, share, rest)


def _errors_apart(group: Group) -> float:
    return abs(errors_apart(group.share, group.rest))


def sums_by_hand(decisions: Iterable[tuple[Hashable, bool, float, float]]) -> tuple[Numbers, Numbers]:
    """What decisions of a group and all others cost and could cost, by hand: two arrays (2, hands).

    Args:
        decisions: of each its hand, whether it is of the group, its cost and its stake.
    """
    sums: dict[Hashable, list[list[float]]] = {}
    for hand, is_inside, cost, at_stake in decisions:
        pair = sums.setdefault(hand, [[0.0, 0.0], [0.0, 0.0]])[not is_inside]
        pair[0] += cost
        pair[1] += at_stake
    inside, outside = np.array(list(sums.values())).transpose(1, 2, 0)
    return inside, outside


def errors_apart(share: Estimate, rest: Estimate) -> float:
    """By how many standard errors a share differs from that of the rest; 0 where nobody can say."""
    error = math.hypot(share.error, rest.error)
    return (share.mean - rest.mean) / error if error > 0 else 0.0
