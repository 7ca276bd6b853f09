"""A round robin of agents and their ratings, with intervals from the paired deals.

Two scales are fitted to the same matches. *Equity* is the least-squares rating in points a hand: the
difference of two ratings is what the one wins from the other in a hand; its mean over the league is 0. *Elo*
asks only who won each deal, that is its two games taken together (Bradley-Terry, a drawn deal counts half):
400 Elo are odds of 10 to 1; its mean is 1500. Intervals come from drawing the deals anew (bootstrap), in all
matches together, since every match is played on the same deals.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
import tempfile
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.arena.estimates import known
from agents.arena.match import MatchSettings, decided, play_match, verify_width
from agents.arena.results import MatchResult
from ofc_env.extras import MissingExtra, explained
from ofc_env.files import new_file, write_whole

ELO_MEAN = 1500.0
ELO_SCALE = 400.0 / np.log(10.0)
BOOTSTRAP_DRAWS = 1000
PRIOR_GAMES = 1.0  # a drawn deal between each two agents, so that one who never lost has a finite rating


@dataclass(frozen=True)
class Rating:
    """An agent's place in a league; the ends of intervals are 2.5 % and 97.5 % points of the bootstrap."""

    name: str
    elo: float
    elo_low: float
    elo_high: float
    equity: float  # points a hand above the league's mean
    equity_low: float
    equity_high: float
    foul: float  # share of hands, over all its matches
    fantasyland: float
    royalties: float  # points a hand
    milliseconds: float  # a decision


@dataclass(frozen=True)
class League:
    """All matches of a round robin and the ratings, best first."""

    ratings: tuple[Rating, ...]
    matches: tuple[MatchResult, ...]
    deals: int  # of each match
    seed: int

    def match(self, first: str, second: str) -> MatchResult | None:
        """The match of two agents, whoever was named first in it; None for an agent and itself."""
        for match in self.matches:
            if set(match.agents) == {first, second}:
                return match
        return None

    def equity(self, first: str, second: str) -> float:
        """What `first` won from `second` in a hand, in equity; NaN for an agent and itself."""
        match = self.match(first, second)
        if match is None:
            return float("nan")
        return match.equity.mean if match.agents[0] == first else -match.equity.mean

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        ratings = [
            {
                name: known(value) if isinstance(value, float) else value
                for name, value in vars(rating).items()
            }
            for rating in self.ratings
        ]
        return {
            "deals": self.deals,
            "seed": self.seed,
            "ratings": ratings,
            "matches": [match.to_dict() for match in self.matches],
        }

    def text(self) -> str:
        """The ratings and the matches as tables for people."""
        width = max(len("agent"), *(len(rating.name) for rating in self.ratings))
        lines = [
            f"{'agent':<{width}}  {'Elo':>14}  {'equity a hand':>15}  {'foul':>6}  {'FL entry':>8}  "
            f"{'royalties':>9}  {'ms each':>8}"
        ]
        for rating in self.ratings:
            elo = f"{rating.elo:.0f} ± {(rating.elo_high - rating.elo_low) / 2:.0f}"
            equity = f"{rating.equity + 0.0:+.2f} ± {(rating.equity_high - rating.equity_low) / 2:.2f}"
            lines.append(
                f"{rating.name:<{width}}  {elo:>14}  {equity:>15}  {rating.foul:>6.1%}  "
                f"{rating.fantasyland:>8.1%}  {rating.royalties:>9.2f}  {rating.milliseconds:>8.3f}"
            )
        pairs = [f"{match.agents[0]} v {match.agents[1]}" for match in self.matches]
        width = max(len("match"), *(len(pair) for pair in pairs))
        lines += [
            "",
            f"{'match':<{width}}  {'equity a hand':>15}  {'points a hand':>15}  {'the button':>15}"
            + (f"  {'equity less luck':>16}" if self.matches[0].adjusted else ""),
        ]
        for pair, match in zip(pairs, self.matches, strict=True):
            lines.append(
                f"{pair:<{width}}  {match.equity.text():>15}  {match.points.text():>15}  "
                f"{match.button.text():>15}" + (f"  {match.adjusted.text():>16}" if match.adjusted else "")
            )
        lines += ["", f"{self.deals} duplicate deals a match, seed {self.seed}, 95 % intervals"]
        return "\n".join(lines)


def play_league(
    names: Sequence[str],
    deals: int = 1000,
    settings: MatchSettings | None = None,
    folder: Path | None = None,
    resume: bool = False,
) -> League:
    """Every agent against every other, all on the same deals.

    With `settings.width` on so many that the widest of all matches has it: ratings need the same deals.

    Args:
        names: agents by name, at least two, each once.
        folder: where results of finished deals are kept (one file a match); None keeps nothing.
        resume: go on with the matches in `folder`.
    """
    settings = settings or MatchSettings()
    names = list(names)
    if len(names) < 2:
        raise ValueError(f"a league of {len(names)} has no match: name two agents or more")
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name} is named twice: name every agent once")
    if settings.allow_open:
        raise ValueError(
            "a league ranks its agents: play a single match to compare one that sees the true deck"
        )
    verify_width(settings.width, deals)
    if settings.width is not None and folder is None:  # what is played must be there for more of it
        with tempfile.TemporaryDirectory() as kept:
            return play_league(names, deals, settings, Path(kept))
    pairs = list(itertools.combinations(names, 2))
    stores = [folder / f"match_{number:02d}.jsonl" if folder else None for number in range(len(pairs))]
    settings = decided(settings, "hands", pairs, stores if resume else [])  # ratings need one scale
    while True:
        matches = [
            play_match(*pair, deals, replace(settings, width=None), store, resume)
            for pair, store in zip(pairs, stores, strict=True)
        ]
        wanted = (
            max(match.worth.samples_for(settings.width) for match in matches) if settings.width else deals
        )
        if wanted <= deals:
            break
        deals, resume = wanted, True
    return League(tuple(rate(names, matches, settings.seed)), tuple(matches), deals, settings.seed)


def rate(
    names: Sequence[str], matches: Sequence[MatchResult], seed: int = 0, draws: int = BOOTSTRAP_DRAWS
) -> list[Rating]:
    """Ratings from matches that were all played on the same deals, best first."""
    deals = {match.deals for match in matches}
    if len(deals) != 1:
        raise ValueError(
            f"the matches have {sorted(deals)} deals: ratings need the same deals in all of them"
        )
    pairs = np.array([[names.index(agent) for agent in match.agents] for match in matches])  # (matches, 2)
    # Where luck was judged, ratings are those without it: (matches, deals).
    equities = np.array(
        [
            match.equity_samples if match.adjusted_samples is None else match.adjusted_samples
            for match in matches
        ]
    )
    scores = (np.sign(equities) + 1) / 2
    count = deals.pop()
    generator = np.random.default_rng(seed)
    # Row 0 is the sample itself: each deal once.
    weights = generator.multinomial(count, np.full(count, 1 / count), size=draws)
    weights = np.vstack([np.ones(count, dtype=np.int64), weights])
    elo = bradley_terry(len(names), pairs, weights @ scores.T, count)
    equity = least_squares(len(names), pairs, weights @ equities.T / count)
    ratings = []
    for index, name in enumerate(names):
        elo_low, elo_high = np.quantile(elo[1:, index], [0.025, 0.975])
        equity_low, equity_high = np.quantile(equity[1:, index], [0.025, 0.975])
        ratings.append(
            Rating(
                name=name,
                elo=float(elo[0, index]),
                elo_low=float(elo_low),
                elo_high=float(elo_high),
                equity=float(equity[0, index]),
                equity_low=float(equity_low),
                equity_high=float(equity_high),
                **_habits(name, matches),
            )
        )
    return sorted(ratings, key=lambda rating: -rating.elo)


def _habits(name: str, matches: Sequence[MatchResult]) -> dict[str, float]:
    """Foul, fantasyland, royalties and time of an agent over all its matches."""
    sides = [side for match in matches for side in match.sides if side.name == name]
    decisions = sum(side.decisions for side in sides)
    seconds = sum(side.seconds_per_decision * side.decisions for side in sides)
    return {
        "foul": float(np.mean([side.overall.foul.mean for side in sides])),
        "fantasyland": float(np.mean([side.overall.fantasyland.mean for side in sides])),
        "royalties": float(np.mean([side.overall.royalties.mean for side in sides])),
        "milliseconds": 1000 * seconds / decisions if decisions else float("nan"),
    }


def bradley_terry(
    agents: int, pairs: NDArray[np.int64], wins: NDArray[np.float64], deals: int
) -> NDArray[np.float64]:
    """Elo ratings of many samples at once.

    Args:
        pairs: (matches, 2) agents of each match.
        wins: (samples, matches) deals that the first of each pair won, draws counted half.
        deals: deals of each match.

    Returns:
        (samples, agents) Elo, mean 1500.
    """
    samples = len(wins)
    won = np.zeros((samples, agents))
    games = np.zeros((agents, agents))
    for match, (first, second) in enumerate(pairs):
        won[:, first] += wins[:, match] + PRIOR_GAMES / 2
        won[:, second] += deals - wins[:, match] + PRIOR_GAMES / 2
        games[first, second] += deals + PRIOR_GAMES
        games[second, first] += deals + PRIOR_GAMES
    strength = np.ones((samples, agents))
    for _ in range(10_000):  # each pass raises the likelihood; a few dozen are usual
        expected = np.sum(games / (strength[:, :, None] + strength[:, None, :]), axis=2)
        improved = won / expected
        improved /= np.exp(np.log(improved).mean(axis=1, keepdims=True))
        change = np.abs(np.log(improved / strength)).max()
        strength = improved
        if change < 1e-7:
            break
    return ELO_MEAN + ELO_SCALE * np.log(strength)


def least_squares(agents: int, pairs: NDArray[np.int64], margins: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ratings (samples, agents), mean 0, whose differences fit the margins (samples, matches) best."""
    design = np.zeros((len(pairs), agents))
    for match, (first, second) in enumerate(pairs):
        design[match, first], design[match, second] = 1, -1
    return margins @ np.linalg.pinv(design).T


# ---------------------------------------------------------------- saving


def save_league(league: League, folder: Path, name: str = "league") -> list[Path]:
    """Write `<name>.json`, `<name>.csv` and `<name>.png`; the files written, each whole or not at all.

    Without matplotlib there is no picture, and a line says so.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}.{ending}" for ending in ("json", "csv", "png")]
    write_whole(paths[0], json.dumps(league.to_dict(), indent=2, allow_nan=False) + "\n")
    rows = [vars(rating) for rating in league.ratings]
    table = io.StringIO(newline="")
    writer = csv.DictWriter(table, fieldnames=list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    write_whole(paths[1], table.getvalue())
    try:
        with new_file(paths[2]) as partial:
            plot_league(league, partial)
    except MissingExtra as refusal:
        print(f"no {paths[2].name}: {refusal}")
        del paths[2]
    return paths


def plot_league(league: League, path: Path) -> None:
    """Elo with intervals, beside the equity of every match, as a PNG."""
    with explained("a picture of the league"):
        from matplotlib.figure import Figure

    names = [rating.name for rating in league.ratings]
    labels = [textwrap.fill(name, 28) for name in names]  # a name may hold the path of a network
    count = len(names)
    figure = Figure(figsize=(11, 1.8 + 0.55 * count), layout="constrained")
    elo_axes, equity_axes = figure.subplots(1, 2)
    elo = np.array([rating.elo for rating in league.ratings])
    ends = np.array([[rating.elo_low, rating.elo_high] for rating in league.ratings])
    reach = np.abs(ends.T - elo)
    elo_axes.errorbar(elo, range(count), xerr=reach, fmt="o", capsize=4, color="#1b5e8c")
    elo_axes.set_yticks(range(count), labels)
    elo_axes.set_ylim(count - 0.5, -0.5)
    elo_axes.set_xlabel("Elo, with 95 % intervals")
    elo_axes.grid(axis="x", alpha=0.3)

    table = np.array([[league.equity(first, second) for second in names] for first in names])
    limit = max(1.0, float(np.nanmax(np.abs(table))))
    equity_axes.imshow(table, cmap="RdYlGn", vmin=-limit, vmax=limit, aspect="auto")
    for row, column in itertools.product(range(count), repeat=2):
        match = league.match(names[row], names[column])
        if match:
            label = f"{table[row, column]:+.2f}\n± {match.equity.margin:.2f}"
            equity_axes.text(column, row, label, ha="center", va="center", fontsize=9)
    equity_axes.set_xticks(range(count), labels, rotation=20, ha="right")
    equity_axes.set_yticks(range(count), labels)
    equity_axes.set_title("equity a hand, row against column", fontsize=10)
    figure.suptitle(f"{league.deals} duplicate deals a match")
    figure.savefig(path, dpi=120)
