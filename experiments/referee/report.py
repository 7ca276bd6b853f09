"""What judged decisions lose, by turn, seat, jokers and opponent, and where the network had the best ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from agents.arena.estimates import NORMAL_QUANTILE, Estimate, estimate, known
from experiments.referee.decisions import FANTASYLAND, PLAIN, TURNS

FIRST = (6, 12, 32)  # placements that a search might look at

Decision = dict[str, Any]


@dataclass(frozen=True)
class Loss:
    """What decisions of a kind lose, in points of equity."""

    name: str
    at_least: Estimate
    at_most: Estimate

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "name": self.name,
            "at_least": self.at_least.to_dict(),
            "at_most": self.at_most.to_dict(),
        }


@dataclass(frozen=True)
class Share:
    """How many of some decisions, with the 95 % interval of the share (Wilson's, which holds near 0 too)."""

    hits: int
    count: int

    @property
    def interval(self) -> tuple[float, float]:
        """Low and high, 0 to 1."""
        if not self.count:
            return math.nan, math.nan
        z, n, share = NORMAL_QUANTILE, self.count, self.hits / self.count
        middle = (share + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
        return max(0.0, middle - half), min(1.0, middle + half)

    def text(self) -> str:
        """Such as "7 % (3 to 14)"."""
        if not self.count:
            return "-"
        low, high = self.interval
        return f"{100 * self.hits / self.count:.0f} % ({100 * low:.0f} to {100 * high:.0f})"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; an interval of nothing is None."""
        low, high = map(known, self.interval)
        return {"hits": self.hits, "count": self.count, "low": low, "high": high}


@dataclass(frozen=True)
class Outside:
    """Decisions whose best placement is not among the network's first so many."""

    name: str
    first: int
    named: Share  # the best by the race is outside
    clear: Share  # and the race dropped all that are inside


def losses_of(decisions: Sequence[Decision]) -> list[Loss]:
    """The lines of the report that have decisions; turns are followed by what they make in a hand."""

    def line(name: str, belongs: Callable[[Decision], bool]) -> Loss:
        chosen = [decision for decision in decisions if belongs(decision)]
        return Loss(
            name,
            estimate([decision["at_least"] for decision in chosen]),
            estimate([decision["at_most"] for decision in chosen]),
        )

    def turns(drawn: str, words: str) -> list[Loss]:
        lines = [
            line(f"turn {turn}{words}", lambda d, turn=turn: d["drawn"] == drawn and d["turn"] == turn)  # type: ignore[misc]
            for turn in range(TURNS)
        ]
        if any(not each.at_least.count for each in lines):
            return lines
        bounds = ([each.at_least for each in lines], [each.at_most for each in lines])
        return [*lines, Loss(f"a hand{words}", *map(_sum, bounds))]

    lines = turns(PLAIN, "")
    for name, first in (("first to act", True), ("second to act", False)):
        lines.append(line(name, lambda d, first=first: d["drawn"] == PLAIN and d["first"] == first))  # type: ignore[misc]
    for jokers, name in enumerate(("no joker in hand", "one joker in hand", "two jokers in hand")):
        lines.append(line(name, lambda d, jokers=jokers: d["drawn"] != FANTASYLAND and d["jokers"] == jokers))  # type: ignore[misc]
    lines += turns(FANTASYLAND, ", opponent in fantasyland")
    return [each for each in lines if each.at_least.count]


def _sum(turns: Sequence[Estimate]) -> Estimate:
    error = math.sqrt(sum(turn.error**2 for turn in turns))
    return Estimate(sum(turn.mean for turn in turns), error, sum(turn.count for turn in turns))


def outside_of(decisions: Sequence[Decision]) -> list[Outside]:
    """How often the best is outside the network's first, of openings and of later turns, which have 27."""
    found = []
    for name, opening in (("openings", True), ("later turns", False)):
        chosen = [d for d in decisions if d["drawn"] == PLAIN and (d["turn"] == 0) == opening]
        for first in FIRST if opening else FIRST[:-1]:
            named = [decision for decision in chosen if decision["leader"] >= first]
            clear = [decision for decision in named if min(decision["left"]) >= first]
            found.append(Outside(name, first, Share(len(named), len(chosen)), Share(len(clear), len(chosen))))
    return found


def text_of(losses: Sequence[Loss], outside: Sequence[Outside]) -> str:
    """Both tables for people."""
    width = max(len(loss.name) for loss in losses)
    lines = [f"{'':<{width}}  {'decisions':>9}  {'at least':>15}  {'at most':>15}"]
    for loss in losses:
        low, high = loss.at_least, loss.at_most
        lines.append(f"{loss.name:<{width}}  {low.count:>9}  {low.text():>15}  {high.text():>15}")
    lines += ["", f"{'the best is outside the first':<30}  {'by the race':>16}  {'all inside dropped':>20}"]
    lines += [
        f"{each.first:>3} of {each.name:<23}  {each.named.text():>16}  {each.clear.text():>20}"
        for each in outside
    ]
    return "\n".join(lines)
