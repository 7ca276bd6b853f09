"""How near a search is to its own limit: what its choices lose on one turn, by a far longer search.

    python experiments/convergence.py
    python experiments/convergence.py --turn 2 --agents alphazero:sims=200 alphazero:sims=200,draws=1
    python experiments/convergence.py --positions 600 --seed 1

Positions of the turn come from the network's own games: first to act, second to act, and (before the last
turn) against fantasyland. The judge searches every placement of them in other worlds than the agents do; an
agent loses what its choice is worth less than the judge's. Where the network is wrong, both are: that is what
experiments/regret.py finds.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path

import agents
from agents.arena.estimates import Estimate, estimate
from agents.arena.progress import Progress
from agents.positions.ranking import Ranks
from agents.randomness import seed_of
from agents.turns import choose_placement, seat_to_act
from experiments.common.command_line import run, write_json
from experiments.common.options import option, read, seed_option
from ofc_env import Hand, InformationSet

FIRST, SECOND, FANTASYLAND = "first", "second", "fantasyland"
WIDTHS = (14, 15, 16, 17)


@dataclass(frozen=True)
class Config:
    """What is measured; the defaults take some minutes."""

    agents: tuple[str, ...] = option(
        ("alphazero:sims=0", "alphazero:sims=200,draws=1", "alphazero:sims=200", "alphazero:sims=1000"),
        "whose choices are judged",
        metavar="NAME",
    )
    judge: str = option(
        "alphazero:sims=20000,candidates=232,prior_weight=0",
        "the search that judges; more simulations are surer",
        metavar="NAME",
    )
    turn: int = option(3, "of the positions", low=0, high=3)
    positions: int = option(150, "of each kind; four times as many halve the intervals", low=2)
    seed: int = seed_option("fixes the positions and the judge's worlds")
    out: Path = option(Path("runs/convergence.json"), "JSON file of the results", metavar="FILE")


@dataclass(frozen=True)
class Loss:
    """What an agent's choices lose in one kind of position."""

    kind: str
    agent: str
    points: Estimate
    milliseconds: float  # of processor time a decision


def kinds_of(turn: int) -> tuple[str, ...]:
    """Kinds of positions of a turn: a fantasyland opponent makes no difference to who is first."""
    return (FIRST, SECOND, FANTASYLAND) if turn else (FIRST, SECOND)


def positions(config: Config, kind: str) -> Iterator[InformationSet]:
    """Positions of the turn, one of a hand, as the network alone comes to them."""
    player = agents.make("alphazero:sims=0")
    for number in count():
        width = WIDTHS[number % len(WIDTHS)] if kind == FANTASYLAND else 0
        hand = Hand(seed=seed_of(config.seed, number), button=number % 2, fantasyland=(0, width))
        met = 0
        while not hand.finished:
            if hand.in_fantasyland:
                hand.set_fantasyland()
                continue
            information = hand.information(seat_to_act(hand))
            if hand.turn == config.turn:
                met += 1
                if kind == FANTASYLAND or met == (1 if kind == FIRST else 2):
                    yield information
                    break
            hand.place(choose_placement(player, information))


def measure(config: Config) -> list[Loss]:
    """Every agent's loss in every kind of position."""
    players = {name: agents.make(name) for name in config.agents}
    judge = agents.make(f"{config.judge},seed={config.seed + 1}")
    if not isinstance(judge, Ranks):
        raise ValueError(f"{config.judge} ranks no placements and cannot judge: use alphazero or pimc")
    kinds = kinds_of(config.turn)
    losses: list[Loss] = []
    with Progress("positions", len(kinds) * config.positions, 0, unit="judged") as bar:
        for kind in kinds:
            lost: dict[str, list[float]] = {name: [] for name in players}
            spent = dict.fromkeys(players, 0.0)
            for _, information in zip(range(config.positions), positions(config, kind), strict=False):
                judged = judge.rank(information)
                values = {each.placement: each.mean for each in judged}
                best = max(values.values())
                for name, player in players.items():
                    started = time.process_time()
                    chosen = choose_placement(player, information)
                    spent[name] += time.process_time() - started
                    lost[name].append(best - values[chosen])
                bar.advance()
            losses += [
                Loss(kind, name, estimate(lost[name]), 1000 * spent[name] / config.positions)
                for name in players
            ]
    return losses


def table(config: Config, losses: list[Loss]) -> str:
    """A line for each agent: points lost a decision, and the time that one takes."""
    kinds = kinds_of(config.turn)
    lines = [
        "| agent | " + " | ".join(f"{kind}, ms" for kind in kinds) + " |",
        "|---" * (len(kinds) + 1) + "|",
    ]
    for name in config.agents:
        cells = [
            f"{loss.points.mean:.3f} ± {loss.points.margin:.3f}, {loss.milliseconds:.2g}"
            for loss in losses
            if loss.agent == name
        ]
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""

    def work() -> None:
        config = read(Config, arguments, __doc__)
        losses = measure(config)
        print(f"points lost a decision of turn {config.turn}, by {config.judge}\n\n{table(config, losses)}")
        rows = [{**asdict(loss), "points": loss.points.to_dict()} for loss in losses]
        write_json(config.out, {"config": {**asdict(config), "out": str(config.out)}, "losses": rows})
        print(f"\nwritten to {config.out}")

    return run(work)


if __name__ == "__main__":
    sys.exit(main())
