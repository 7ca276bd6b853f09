"""Whether a network is better than the champion before: only beyond the interval is it called so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Played:
    """A match of the new network, from its side: equity a hand, luck taken out."""

    agents: tuple[str, str]
    mean: float
    low: float | None  # of the 95 % interval; None where two deals cannot tell
    high: float | None
    deals: int
    decides: bool  # against the champion before

    @property
    def margin(self) -> float:
        """Half the width of the interval."""
        return float("nan") if self.high is None else self.high - self.mean

    @property
    def word(self) -> str:
        """What the interval says."""
        if self.low is not None and self.low > 0:
            return "better"
        return "worse" if self.high is not None and self.high < 0 else "not told apart"

    def text(self) -> str:
        """In a line, without the files that the players come from."""
        word = f" ({self.word})" if self.decides else ""
        return (
            f"{' v '.join(self.agents)}: {self.mean:+.2f} ± {self.margin:.2f} over {self.deals:,} deals{word}"
        )


@dataclass(frozen=True)
class Verdict:
    """What all matches against the champion before say together."""

    better: bool
    sentence: str


def verdict_of(matches: Sequence[Played]) -> Verdict:
    """Better is who wins every match that decides, each beyond its interval."""
    deciding = [match for match in matches if match.decides]
    better = bool(deciding) and all(match.word == "better" for match in deciding)
    words = ", ".join(f"{match.agents[0]} {match.word}" for match in deciding) or "no match was played"
    return Verdict(better, f"{'better' if better else 'not called better'} than the champion before: {words}")


def matches_of(report: dict[str, Any], network: str | None) -> list[Played]:
    """The matches of a report of experiments/benchmark.py that tell of the new network and of its rivals.

    The first player of the league is the new network, the second one whom it must beat. The others' match
    against that one is told too: the same instrument on the same deals.
    """
    found = []
    for number, match in enumerate(report["matches"]):
        estimate = match.get("adjusted") or match["equity"]
        names = [_plain(name, network) for name in match["agents"]]
        found.append(
            Played(
                (names[0], names[1]),
                estimate["mean"],
                estimate["low"],
                estimate["high"],
                match["deals"],
                decides=number == 0,
            )
        )
    return found


def _plain(name: str, network: str | None) -> str:
    """A player's name without its file: "new:sims=0", "before:sims=0"."""
    head, comma, checkpoint = name.partition(",checkpoint=")
    if not comma:
        return name
    return head.replace("alphazero", "new" if checkpoint == network else "before")
