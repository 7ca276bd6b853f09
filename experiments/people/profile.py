"""A profile of a player: results with and without luck, what decisions cost, strengths and weaknesses.

Costs are an agent's estimates. What a decision could cost differs: an opening has more at stake than a last
turn with two free places. So groups of decisions are compared by the share of what was at stake that was
lost: the cost, divided by what a placement drawn from those that the agent weighed would have lost. A group
is called a weakness or a strength where its share differs from that of all other decisions by three standard
errors (hands are the samples). The one that stands out most is named first and set aside, so that one great
weakness does not make strengths of all the rest.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from agents.arena.estimates import Estimate, estimate, known, ratio
from agents.review.profile import NAMED_FROM, errors_apart, sums_by_hand
from experiments.people.decisions import KINDS, Difference, Judges, Review, mean, review_hands
from experiments.people.played import PlayedHand, played_hands

BLOCKS = 8  # of hands, in which change over time is shown
LEAST_IN_BLOCK = 10  # hands
LEAST_SESSIONS = 5  # of an interval: the error of a ratio over fewer is anything between 0 and far too much


@dataclass(frozen=True)
class GroupCost:
    """What the decisions of a group cost, beside all others of the same player."""

    name: str
    decisions: int
    agreement: float  # share in which the agent's own placement was played
    cost: float  # points a decision
    a_hand: float  # points, over all hands that were looked at
    stake: float  # points a hand
    share: Estimate  # of what was at stake, lost
    rest: Estimate  # the same of all other decisions

    @property
    def excess(self) -> float:
        """Points a hand that this group loses above what it would at the share of the rest."""
        return (self.share.mean - self.rest.mean) * self.stake

    @property
    def errors_apart(self) -> float:
        """By how many standard errors the share differs from that of the rest; 0 where nobody can say."""
        return errors_apart(self.share, self.rest)

    @property
    def verdict(self) -> str:
        """ "weakness", "strength" or ""."""
        if abs(self.errors_apart) < NAMED_FROM:
            return ""
        return "weakness" if self.errors_apart > 0 else "strength"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "name": self.name,
            "decisions": self.decisions,
            "agreement": known(self.agreement),
            "cost": known(self.cost),
            "cost_a_hand": known(self.a_hand),
            "share_of_stake_lost": self.share.to_dict(),
            "share_of_the_rest": self.rest.to_dict(),
            "excess_a_hand": known(self.excess),
            "errors_apart": known(self.errors_apart),
        }


@dataclass(frozen=True)
class Side:
    """The decisions of a player, or of all whom that player met."""

    name: str
    differences: list[Difference]

    @property
    def hands(self) -> int:
        """That were looked at."""
        return len({each.turn.hand for each in self.differences})

    @property
    def cost_a_hand(self) -> float:
        """Points."""
        return sum(each.cost for each in self.differences) / max(1, self.hands)

    def groups(self) -> list[GroupCost]:
        """Costs by turn, by seat and by situation; a decision is in several."""
        return self._groups(self.differences)

    @cached_property
    def named(self) -> list[GroupCost]:
        """Weaknesses and strengths, what stands out most first; the rest is what none before them has."""
        found, left = list[GroupCost](), self.differences
        while left:
            groups = self._groups(left)
            most = max(groups, key=lambda group: abs(group.errors_apart))
            if not most.verdict:
                break
            found.append(most)
            left = [each for each in left if most.name not in each.situations]
        return found

    def _groups(self, differences: list[Difference]) -> list[GroupCost]:
        members: dict[str, list[Difference]] = defaultdict(list)
        for each in differences:
            for name in each.situations:
                members[name].append(each)
        order = {f"turn {turn}": turn for turn in range(5)}
        names = sorted(members, key=lambda name: (order.get(name, 9), name))
        return [self._group(name, members[name], differences) for name in names]

    def _group(self, name: str, chosen: list[Difference], among: list[Difference]) -> GroupCost:
        inside, outside = sums_by_hand(
            (each.turn.hand, name in each.situations, each.cost, each.stake) for each in among
        )
        return GroupCost(
            name,
            len(chosen),
            mean([float(each.agrees) for each in chosen]),
            mean([each.cost for each in chosen]),
            float(inside[0].mean()),
            float(inside[1].mean()),
            ratio(*inside),
            ratio(*outside),
        )

    def kinds(self) -> list[dict[str, Any]]:
        """What the differences were about; the costs add up to all that was lost."""
        found = []
        total = sum(each.cost for each in self.differences)
        for kind in KINDS:
            chosen = [each for each in self.differences if each.kind == kind]
            cost = sum(each.cost for each in chosen)
            found.append(
                {
                    "kind": kind,
                    "decisions": len(chosen),
                    "cost": mean([each.cost for each in chosen]),
                    "cost_a_hand": cost / max(1, self.hands),
                    "share_of_cost": cost / total if total else 0.0,
                }
            )
        return found

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "name": self.name,
            "decisions": len(self.differences),
            "hands": self.hands,
            "cost_a_hand": self.cost_a_hand,
            "groups": [group.to_dict() for group in self.groups()],
            "kinds": self.kinds(),
            "weaknesses": [group.to_dict() for group in self.named if group.verdict == "weakness"],
            "strengths": [group.to_dict() for group in self.named if group.verdict == "strength"],
        }


@dataclass(frozen=True)
class Results:
    """What hands brought, a hand; sessions are the samples, since fantasyland goes from hand to hand."""

    hands: int
    points: Estimate  # over hands whose points are known
    adjusted_points: Estimate  # less luck, over hands with all cards known
    equity: Estimate  # over normal hands
    adjusted_equity: Estimate
    foul: Estimate  # share of the boards that were not set in fantasyland
    fantasyland: Estimate  # share of those boards that won it
    royalties: Estimate

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            name: part.to_dict() if isinstance(part, Estimate) else part for name, part in vars(self).items()
        }


def results_of(hands: Sequence[PlayedHand], opponent: bool = False) -> Results:
    """Sum up hands, from the player's side or from the other."""
    sign = -1.0 if opponent else 1.0

    def by_session(number: Callable[[PlayedHand], float | None]) -> Estimate:
        sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        for hand in hands:
            value = number(hand)
            if value is not None:
                sums[hand.session_id][0] += value
                sums[hand.session_id][1] += 1
        if not sums:
            return estimate([])
        found = ratio(*np.array(list(sums.values())).T)
        return found if found.count >= LEAST_SESSIONS else replace(found, error=math.nan)

    def board(hand: PlayedHand) -> Any:
        return hand.boards[1 if opponent else 0]

    def of_board(number: Callable[[Any], float]) -> Callable[[PlayedHand], float | None]:
        def find(hand: PlayedHand) -> float | None:
            width = hand.opponent_fantasyland if opponent else hand.fantasyland
            return None if width or board(hand) is None else number(board(hand))

        return find

    def less_luck(value: float | None, luck: float | None) -> float | None:
        return None if value is None or luck is None else sign * (value - luck)

    return Results(
        hands=len(hands),
        points=by_session(lambda hand: None if hand.points is None else sign * hand.points),
        adjusted_points=by_session(lambda hand: less_luck(hand.points, hand.luck)),
        equity=by_session(lambda hand: None if hand.equity is None else sign * hand.equity),
        adjusted_equity=by_session(lambda hand: less_luck(hand.equity, hand.luck)),
        foul=by_session(of_board(lambda found: float(found.fouled))),
        fantasyland=by_session(of_board(lambda found: float(found.fantasyland_cards > 0))),
        royalties=by_session(of_board(lambda found: float(found.royalties.total))),
    )


@dataclass(frozen=True)
class Profile:
    """All that is told of a player."""

    player: str
    agent: str
    hands: list[PlayedHand]  # by time
    own: Side
    others: Side
    review: Review = field(repr=False)  # of the player's decisions

    def costs(self, side: Side | None = None) -> dict[tuple[str, str], float]:
        """What decisions cost by hand; the player's own if no side is given."""
        costs: dict[tuple[str, str], float] = defaultdict(float)
        for each in (side or self.own).differences:
            costs[each.turn.hand] += each.cost
        return costs

    def lost_hands(self) -> list[PlayedHand]:
        """Hands that the player lost, those first in which luck explains least of it."""
        lost = [hand for hand in self.hands if hand.points is not None and hand.points < 0]
        return sorted(lost, key=lambda hand: (hand.points or 0) - (hand.luck or 0.0))

    def blocks(self) -> list[dict[str, Any]]:
        """Change over time: results and costs in blocks of equally many hands."""
        costs = self.costs()
        count = max(1, min(BLOCKS, len(self.hands) // LEAST_IN_BLOCK))
        found = []
        for part in np.array_split(np.arange(len(self.hands)), count):
            hands = [self.hands[number] for number in part]
            if not hands:
                continue
            results = results_of(hands)
            looked_at = [costs[key] for hand in hands if (key := (hand.session_id, hand.hand_id)) in costs]
            found.append(
                {
                    "from": hands[0].when,
                    "to": hands[-1].when,
                    "hands": len(hands),
                    "points": results.points,
                    "adjusted_points": results.adjusted_points,
                    "foul": results.foul,
                    "cost_a_hand": estimate(looked_at),
                }
            )
        return found

    def trend(self) -> Estimate:
        """How the cost of a hand changes in 100 hands: a straight line through all of them."""
        costs = self.costs()
        pairs = [
            (number / 100, costs[key])
            for number, hand in enumerate(self.hands)
            if (key := (hand.session_id, hand.hand_id)) in costs
        ]
        if len(pairs) < 3:
            return estimate([])
        times, values = np.array(pairs).T
        away = times - times.mean()
        slope = float(away @ values / (away @ away)) if away.any() else math.nan
        left = values - values.mean() - slope * away
        error = (
            math.sqrt(float(left @ left) / (len(pairs) - 2) / float(away @ away)) if away.any() else math.nan
        )
        return Estimate(slope, error, len(pairs))

    def results(self) -> dict[str, Results]:
        """In all, by seat, and of whoever was met."""
        return {
            "all": results_of(self.hands),
            "button": results_of([hand for hand in self.hands if hand.button]),
            "other": results_of([hand for hand in self.hands if not hand.button]),
            "opponents": results_of(self.hands, opponent=True),
        }

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        costs = self.costs()
        return {
            "player": self.player,
            "agent": self.agent,
            "opponents": sorted({hand.opponent or "unknown" for hand in self.hands}),
            "sessions": len({hand.session_id for hand in self.hands}),
            "results": {name: part.to_dict() for name, part in self.results().items()},
            "own": self.own.to_dict(),
            "others": self.others.to_dict(),
            "blocks": [
                {name: part.to_dict() if isinstance(part, Estimate) else part for name, part in block.items()}
                for block in self.blocks()
            ],
            "trend_of_cost_in_100_hands": self.trend().to_dict(),
            "lost_hands": [hand_dict(hand, costs) for hand in self.lost_hands()],
            "refused": self.review.refused,
        }


def hand_dict(hand: PlayedHand, costs: dict[tuple[str, str], float]) -> dict[str, Any]:
    """One hand, JSON-ready."""
    return {
        "session_id": hand.session_id,
        "hand_id": hand.hand_id,
        "when": hand.when,
        "opponent": hand.opponent,
        "button": hand.button,
        "fantasyland": [hand.fantasyland, hand.opponent_fantasyland],
        "points": hand.points,
        "luck": None if hand.luck is None else round(hand.luck, 2),
        "cost": round(costs.get((hand.session_id, hand.hand_id), 0.0), 2),
    }


def make_profile(
    logs: Sequence[Path],
    player: str,
    *,
    agent: str | None = None,
    hands: int | None = None,
    worlds: int = 32,
    fantasyland_values: tuple[float, ...] | None = None,
    progress: bool = True,
) -> Profile:
    """Look at all hands of a player, or at the last so many.

    Args:
        logs: databases or JSONL.
        agent: who judges decisions; None: whoever reviews live games.
        worlds: deals for each placement, if the agent has to play on to know what it is worth.
        fantasyland_values: of 14 to 17 cards, for rules under which nobody has measured them.
    """
    judges, refused = Judges(agent, fantasyland_values), list[str]()
    played = played_hands(logs, player, refused.append)
    played = played[-hands:] if hands is not None else played
    turns = {hand.logged.key: hand.logged for hand in played if hand.logged is not None}
    found = Review(None, agent or "", refused=refused)
    review_hands(
        turns.values(), judges, lambda turn: True, found, total=len(turns), worlds=worlds, progress=progress
    )
    own = [each for each in found.differences if each.turn.player == player]
    others = [each for each in found.differences if each.turn.player != player]
    names = sorted({each.turn.player for each in others})
    return Profile(
        player,
        found.agent,
        played,
        Side(player, own),
        Side(", ".join(names) or "nobody", others),
        Review(player, found.agent, own, refused, found.rules),
    )
