"""Measure what the judge of reviews errs by: what its costs are multiplied by, and what a seat is worth.

    python experiments/calibrate_judge.py --write
    python experiments/calibrate_judge.py --rules standard --write

To be run after a champion was replaced; some minutes of processor time. With --write the numbers go into
agents/review/calibration.json, under the weights' digest, and reviews use them from then on.

**Costs.** A review finds by a look ahead what a placement is behind the best one; the look ahead ends at
the network's opinion. Here levels play hands against the network, and where something else than the best
was placed, both placements are also played on to the end by the network in both seats, in common worlds:
noisy, but nobody's opinion. By turn, least squares say by what the look ahead's points must be multiplied
to be those on average, up to a knee and beyond it.

**Start.** What the seat that acts first is worth before any card is dealt: the network's opinion of many
openings, and how far hands that are played on from some of them are from that opinion on average.

Whether what the judge cannot explain is then 0 on average says `calibrate_rating.py`, on hands of its own.
"""

from __future__ import annotations

import json
import math
import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

import agents
from agents.arena.estimates import NORMAL_QUANTILE, estimate
from agents.arena.progress import Progress
from agents.levels import LEVELS, agent_of
from agents.networks.native import load_native
from agents.players.alphazero import champion_for
from agents.randomness import seed_of
from agents.review import Effort, Judge
from agents.review.calibration import FILE, KNEE, TURNS, Calibration, entries
from agents.review.hands import Played
from agents.review.judge import digest_of
from experiments.benches.table import commit
from experiments.common.command_line import run
from experiments.common.options import option, read, rules_option, seed_option
from experiments.common.played import played_by
from ofc_env import Hand, Rules, _core
from ofc_env.files import write_whole

_DEALING, _PLAYING, _OPENING = 11, 12, 13  # streams of chance, none of them a review's
TOGETHER = 8  # hands whose decisions are judged at a time
SIZES = (-math.inf, 0.3, 1.0, 3.0, math.inf)  # points behind, of the table


@dataclass(frozen=True)
class Config:
    """What is measured; a hand takes 0.25 s of processor time."""

    levels: tuple[str, ...] = option(
        (*list(LEVELS)[:-1], "alphazero:sims=0"), "who plays against the network, in turn", metavar="NAME"
    )
    hands: int = option(800, "of all levels together; four times as many halve the intervals", low=8)
    played_on: int = option(600, "worlds in which both placements are played to the end", low=2)
    openings: int = option(40000, "that the network judges, for what a seat is worth", low=2)
    opened: int = option(3000, "openings that hands are played on from", low=2)
    opened_worlds: int = option(60, "hands played on from each of those", low=2)
    threads: int = option(os.cpu_count() or 1, "at work side by side; results do not depend on it", low=1)
    seed: int = seed_option()
    write: bool = option(False, "let reviews use what was found")
    rules: str = rules_option()


@dataclass(frozen=True)
class Measured:
    """A decision in which something else than the best was placed; points."""

    turn: int
    ahead: float  # what it is behind the best by a look ahead
    played_on: float  # by hands that are played to their end


class Measurement:
    """A judge that takes its network at its word, and what hands say of it."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.rules = Rules.parse(config.rules)
        self.path = champion_for(self.rules)
        self.judge = Judge(self.rules, Effort(shown=1), calibration=Calibration())
        self.network_alone = _core.NetworkSearch(load_native(self.path), reward=self.judge.reward, sims=0)

    # ------------------------------------------------------------ costs

    def decisions(self) -> Iterator[list[Played]]:
        """Those of a few hands at a time, before the last turn, of both players."""
        names = [agent_of(each, rules=self.rules) if each in LEVELS else each for each in self.config.levels]
        players = [agents.make(name, self.rules) for name in names]
        network = agents.make("alphazero:sims=0", self.rules)
        for first in range(0, self.config.hands, TOGETHER):
            found = []
            for number in range(first, min(first + TOGETHER, self.config.hands)):
                player, round_ = players[number % len(players)], number // len(players)
                seated = (player, network) if round_ % 2 == 0 else (network, player)
                deal = seed_of(self.config.seed, _DEALING, number)
                hand = played_by(seated, Hand(seed=deal, button=round_ // 2 % 2, rules=self.rules))
                found += [each for each in hand.decisions if each.information.turn < TURNS]
            yield found

    def measured(self, played: Played) -> Measured | None:
        """A decision; None where the best was placed."""
        weighed, values = self.judge.weigh(played)
        mine = weighed.index(played.placement)
        if np.abs(values[mine] - values[0]).max() <= _core.SAME_POINTS:
            return None
        seed = seed_of(self.config.seed, _PLAYING, played.information.key())
        pair = [weighed[0], played.placement]
        ended = self.judge.play(played.information, pair, self.config.played_on, seed)
        best, placed = ended[:, :, 0].astype(np.float64).mean(axis=1)
        return Measured(
            played.information.turn, float((values[0] - values[mine]).mean()), float(best - placed)
        )

    def costs(self) -> list[Measured]:
        """All decisions that were not the best."""
        found = []
        with (
            ThreadPoolExecutor(self.config.threads) as pool,
            Progress("costs", self.config.hands, unit="hands") as bar,
        ):
            for decisions in self.decisions():
                found += [each for each in pool.map(self.measured, decisions) if each is not None]
                bar.advance(TOGETHER)
        return found

    # ------------------------------------------------------------ the start

    def start(self) -> tuple[float, float]:
        """What the seat that acts first is worth, and the standard error of that."""
        first = self.rules.first_to_act(button=0)

        def opinion(number: int) -> float:
            return float(self.network_alone.search(self._opening(number, first))[0].mean)

        def beyond(number: int) -> float:
            information = self._opening(number, first)
            best = self.network_alone.search(information)[0]
            seed = seed_of(self.config.seed, _PLAYING, number)
            ended = self.judge.play(information, [best.placement], self.config.opened_worlds, seed)
            return float(ended[0, :, 0].mean() - best.mean)

        with ThreadPoolExecutor(self.config.threads) as pool:
            opinions = np.array(list(pool.map(opinion, range(self.config.openings))))
            gaps = []
            with Progress("start", self.config.opened, unit="openings") as bar:
                for gap in pool.map(beyond, range(self.config.opened)):
                    gaps.append(gap)
                    bar.advance()
        error = math.hypot(estimate(opinions).error, estimate(gaps).error)
        return float(opinions.mean() + np.mean(gaps)), error

    def _opening(self, number: int, first: int) -> Any:
        seed = seed_of(self.config.seed, _OPENING, number)
        return Hand(seed=seed, button=0, rules=self.rules).information(first)


def parts(ahead: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points below and above the knee, (decisions, 2)."""
    return np.stack([np.minimum(ahead, KNEE), np.maximum(ahead - KNEE, 0.0)], axis=1)


def fitted(found: Sequence[Measured]) -> tuple[list[list[float]], list[list[float]]]:
    """The slopes of every turn, and their standard errors."""
    slopes, errors = [], []
    for turn in range(TURNS):
        mine = [each for each in found if each.turn == turn]
        points = parts(np.array([each.ahead for each in mine]))
        wanted = np.array([each.played_on for each in mine])
        if len(mine) < 3 or np.linalg.matrix_rank(points) < 2:
            raise ValueError(
                f"only {len(mine)} decisions of turn {turn} were not the best: play more --hands"
            )
        inverse = np.linalg.inv(points.T @ points)
        slope = inverse @ points.T @ wanted
        left = wanted - points @ slope
        robust = inverse @ (points.T * left**2) @ points @ inverse  # large costs are the noisier ones
        slopes.append(slope.tolist())
        errors.append(np.sqrt(np.diag(robust)).tolist())
    return slopes, errors


def table_text(found: Sequence[Measured], calibration: Calibration) -> str:
    """By turn and size: what the look ahead says, and how far playing on is from it, plain and corrected."""
    lines = ["| turn | points behind | decisions | by a look ahead | played on, less that | less corrected |"]
    lines.append("|" + "---|" * 6)
    chosen = [(turn, low, high) for turn in range(TURNS) for low, high in pairwise(SIZES)]
    for turn, low, high in (*chosen, (None, -math.inf, math.inf)):
        mine = [each for each in found if turn in (None, each.turn) and low <= each.ahead < high]
        if len(mine) < 2:
            continue
        ahead = np.array([each.ahead for each in mine])
        factors = np.array([calibration.factor(each.turn, each.ahead) for each in mine])
        on = np.array([each.played_on for each in mine])
        gaps = [
            f"{gap.mean():+.3f} ± {NORMAL_QUANTILE * estimate(gap).error:.3f}"
            for gap in (on - ahead, on - factors * ahead)
        ]
        names = ("all", "all") if turn is None else (str(turn), f"{low:g} to {high:g}")
        lines.append(f"| {' | '.join(names)} | {len(mine)} | {ahead.mean():.3f} | {' | '.join(gaps)} |")
    return "\n".join(lines)


def calibrate(config: Config, command: str) -> None:
    """Measure, print, and write if that is wanted."""
    measurement, made_at = Measurement(config), commit() or "no commit"
    found = measurement.costs()
    slopes, errors = fitted(found)
    start, start_error = measurement.start()
    content = {
        "rules": str(measurement.rules),
        "start": round(start, 3),
        "start_margin": round(NORMAL_QUANTILE * start_error, 3),
        "slopes": [[round(each, 3) for each in pair] for pair in slopes],
        "slope_margins": [[round(NORMAL_QUANTILE * each, 3) for each in pair] for pair in errors],
        "decisions": len(found),
        "command": command,
        "commit": made_at,
    }
    print(table_text(found, Calibration.parse(content)))
    print(json.dumps(content, indent=2))
    if config.write:
        kept = {name: each for name, each in entries().items() if each["rules"] != content["rules"]}
        kept[digest_of(measurement.path)] = content
        write_whole(FILE, json.dumps(kept, indent=2) + "\n")
        print(f"written to {FILE}: reviews use it from now on")


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    command = shlex.join(["python", "experiments/calibrate_judge.py", *words])
    return run(lambda: calibrate(read(Config, words, __doc__), command))


if __name__ == "__main__":
    sys.exit(main())
