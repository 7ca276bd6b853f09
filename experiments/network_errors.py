"""How far networks are from what looking ahead sees: errors between placements, and what they cost a hand.

    python experiments/network_errors.py
    python experiments/network_errors.py --networks runs/a.safetensors runs/b.safetensors --positions 800

Of every position the placements that the judge's network likes best are looked ahead from in the same worlds,
which hardly leaves noise between them. A network errs by what its own differences are away from those, and
loses what its choice is worth less than the best of them. That tells two networks apart in two minutes where
the arena needs ten thousands of deals. The arena has the last word: a look ahead ends at the opinion of the
judge's network. What is lost, all turns together, is what a network alone could gain at most by learning all
that one look ahead knows.

Errors that two networks share are no accident of training: inputs or layers do not hold what is missing,
or both were taught it wrong. Errors of their own would fall with more hands, or in the mean of both.
"""

from __future__ import annotations

import math
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.arena.estimates import Estimate, estimate
from agents.arena.progress import Progress
from agents.networks.native import load_native
from agents.players.alphazero import WEIGHTS, shipped_champion
from agents.rewards import equity
from experiments import convergence
from experiments.common.command_line import run, write_json
from experiments.common.options import option, read, seed_option
from ofc_env import InformationSet, Rules, _core

TURNS = (0, 1, 2, 3)
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Config:
    """What is measured; the defaults take two minutes of two cores."""

    networks: tuple[Path, ...] = option(
        (WEIGHTS / "alphazero.safetensors", WEIGHTS / "protocol-v1.safetensors"),
        "weights files; the first is the one whose errors the others' are compared with",
        metavar="FILE",
    )
    judge: Path | None = option(
        None, "network that looks ahead", metavar="FILE", shown="the shipped champion"
    )
    positions: int = option(200, "of each turn; four times as many halve the intervals", low=2)
    placements: int = option(8, "of a position, those that the judge's network likes best", low=2, high=232)
    worlds: int = option(800, "that all of them are looked ahead from; more leave less noise", low=2)
    threads: int = option(os.cpu_count() or 1, "at work side by side; results do not depend on it", low=1)
    seed: int = seed_option("fixes positions and worlds")
    out: Path = option(Path("runs/network_errors.json"), "JSON file of the results", metavar="FILE")


@dataclass(frozen=True)
class Judged:
    """The placements of a position about their mean, points."""

    ahead: Numbers  # (placements,): by looking ahead
    noise: float  # root mean square of its standard errors
    said: Numbers  # (networks, placements): by each network

    @property
    def errors(self) -> Numbers:
        """(networks, placements): what each network is away."""
        return self.said - self.ahead

    @property
    def lost(self) -> Numbers:
        """(networks,): by the choice of each."""
        return self.ahead.max() - self.ahead[self.said.argmax(axis=1)]


class Measurement:
    """Networks against one look ahead, by the house rules."""

    def __init__(self, config: Config) -> None:
        self.config = config
        path = config.judge or shipped_champion(Rules())
        if path is None:
            raise ValueError("there is no shipped champion to look ahead: name a weights file with --judge")
        self.judge, *self.alone = (_search_by(each) for each in (path, *config.networks))

    def of_turn(self, turn: int, bar: Progress) -> list[Judged]:
        """Positions of a turn, as many of either seat, none against fantasyland."""
        half = -(-self.config.positions // 2)
        settings = convergence.Config(turn=turn, seed=self.config.seed)
        asked = [
            information
            for kind in (convergence.FIRST, convergence.SECOND)
            for information in islice(convergence.positions(settings, kind), half)
        ]

        def judged(information: InformationSet) -> Judged:
            found = self._judged(information)
            bar.advance()
            return found

        with ThreadPoolExecutor(self.config.threads) as pool:
            return list(pool.map(judged, asked[: self.config.positions]))

    def _judged(self, information: InformationSet) -> Judged:
        values = [
            {each.placement: each.mean for each in search.search(information, 0)}
            for search in (self.judge, *self.alone)
        ]
        placements = sorted(values[0], key=values[0].__getitem__, reverse=True)[: self.config.placements]
        worlds = self.judge.compare(information, placements, self.config.worlds, self.config.seed).astype(
            float
        )
        about = worlds - worlds.mean(axis=0)
        errors = about.std(axis=1, ddof=1) / np.sqrt(self.config.worlds)
        said = np.array([[of[each] for each in placements] for of in values[1:]])
        return Judged(
            about.mean(axis=1),
            float(np.sqrt((errors**2).mean())),
            said - said.mean(axis=1, keepdims=True),
        )


def _search_by(path: Path) -> _core.NetworkSearch:
    """That judges by the network alone; comparing placements looks ahead all the same."""
    network = load_native(path)
    if not network.rules.same_hand(Rules()):
        raise ValueError(f"{path} was trained by other rules than house: name networks of those")
    return _core.NetworkSearch(network, reward=equity(Rules()), sims=0)


def root_mean_square(numbers: Numbers) -> float:
    """Of all of them."""
    return float(np.sqrt((numbers**2).mean()))


def lost_a_hand(found: list[list[Judged]], number: int) -> Estimate:
    """What a network's choices lose, one of every turn together."""
    turns = [estimate([each.lost[number] for each in judged]) for judged in found]
    error = math.hypot(*(turn.error for turn in turns))
    return Estimate(sum(turn.mean for turn in turns), error, sum(turn.count for turn in turns))


def shared(judged: list[Judged], number: int) -> float:
    """The correlation of a network's errors with the first one's."""
    errors = np.concatenate([each.errors for each in judged], axis=1)
    return float(np.corrcoef(errors[0], errors[number])[0, 1])


def table(config: Config, found: list[list[Judged]]) -> str:
    """A line for each network: its error and what it loses by turn, and a hand."""
    lines = [
        "| network | "
        + " | ".join(f"turn {turn}: error, lost, shared" for turn in TURNS)
        + " | lost a hand |",
        "|---" * (len(TURNS) + 2) + "|",
    ]
    for number, path in enumerate(config.networks):
        cells = [
            f"{root_mean_square(np.concatenate([each.errors[number] for each in judged])):.3f}, "
            f"{estimate([each.lost[number] for each in judged]).mean:.3f}, {shared(judged, number):.2f}"
            for judged in found
        ]
        hand = lost_a_hand(found, number)
        lines.append(f"| `{path}` | " + " | ".join(cells) + f" | {hand.mean:.2f} ± {hand.margin:.2f} |")
    noise = [root_mean_square(np.array([each.noise for each in judged])) for judged in found]
    return "\n".join([*lines, "", "noise of the look ahead: " + ", ".join(f"{each:.3f}" for each in noise)])


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""

    def work() -> None:
        config = read(Config, arguments, __doc__)
        measurement = Measurement(config)
        with Progress("positions", len(TURNS) * config.positions, 0, unit="judged") as bar:
            found = [measurement.of_turn(turn, bar) for turn in TURNS]
        print(
            "error: points between the placements of a decision off the look ahead (root mean square);\n"
            "lost: by the choice; shared: correlation of errors with the first network's\n\n"
            f"{table(config, found)}"
        )
        rows = [
            {
                "network": str(path),
                "turn": turn,
                "error": root_mean_square(np.concatenate([each.errors[number] for each in judged])),
                "lost": estimate([each.lost[number] for each in judged]).to_dict(),
                "shared": shared(judged, number),
            }
            for number, path in enumerate(config.networks)
            for turn, judged in zip(TURNS, found, strict=True)
        ]
        settings = {
            key: str(value) if isinstance(value, Path) else value for key, value in asdict(config).items()
        }
        settings["networks"] = [str(path) for path in config.networks]
        write_json(config.out, {"config": settings, "errors": rows})
        print(f"\nwritten to {config.out}")

    return run(work)


if __name__ == "__main__":
    sys.exit(main())
