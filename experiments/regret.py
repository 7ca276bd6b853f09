"""What a player's decisions lose, turn by turn: how far it is from the best that its judge can see.

    python experiments/regret.py                                      # the champion with 200 simulations
    python experiments/regret.py --agent heuristic --decisions 400
    python experiments/regret.py --rules no_fantasyland --agent pimc --judge heuristic

Positions come from games of the judge against itself. At each the agent decides; its placement and the ones
that the judge likes best are then played on by the judge in both seats, all in the same deals of the unseen
cards. What the agent loses is the distance to the best of them. The best by one half of the deals is judged
by the other half, so that luck flatters nobody: that is at least what is lost. The best by all deals is in
part the luckiest: that is at most what is lost. Each seat decides once on each turn, so the turns add up to a
hand. Turn 4 is left out: searching players solve it.
"""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import agents
from agents.arena.estimates import Estimate, estimate
from agents.arena.progress import tracked
from agents.base import Agent
from agents.positions.ranking import play_placements, rank
from agents.rewards import equity
from agents.turns import choose_placement, seat_to_act
from experiments.common.command_line import run, write_json
from experiments.common.options import option, read, rules_option, seed_option, values_option, verify
from ofc_env import Hand, Rules

TURNS = 4  # those with something to come


@dataclass(frozen=True)
class Config:
    """What is measured; the defaults take about two minutes on one core."""

    agent: str = option("alphazero:sims=200", "whose decisions are judged", metavar="NAME")
    judge: str = option(
        "alphazero:sims=0",
        "who plays the games, names candidates and plays them on; a stronger one sees more losses, slowly",
        metavar="NAME",
    )
    decisions: int = option(
        200,
        "positions in all, a quarter for each turn; four times as many halve the intervals",
        low=2 * TURNS,
    )
    candidates: int = option(
        6, "placements played on at each: the agent's and the judge's favourites; more miss fewer", low=2
    )
    deals: int = option(
        256, "deals in which each is played on; more bring the two bounds closer together", low=2
    )
    rules: str = rules_option()
    fantasyland_values: tuple[float, ...] | None = values_option()
    seed: int = seed_option("fixes everything; another one gives an independent measurement")
    out: str = option(
        "", "JSON file of the figures", metavar="FILE", shown="print them only", old=("--output",)
    )


@dataclass(frozen=True)
class TurnLoss:
    """What decisions of a turn lose, in points of equity."""

    turn: int
    at_least: Estimate
    at_most: Estimate


def position(judge: Agent, decisions: int, seed: int) -> Hand:
    """A hand by the judge's rules in which it has made so many decisions for both seats together."""
    hand = Hand(seed=seed, button=0, rules=judge.rules)
    for _ in range(decisions):
        hand.place(choose_placement(judge, hand.information(seat_to_act(hand))))
    return hand


def losses(values: NDArray[np.float64]) -> tuple[float, float]:
    """At least and at most what the first of some placements loses, from values (placements, deals)."""
    halves = values[:, ::2].mean(axis=1), values[:, 1::2].mean(axis=1)
    honest = [judged[chosen.argmax()] - judged[0] for chosen, judged in (halves, halves[::-1])]
    means = values.mean(axis=1)
    return float(np.mean(honest)), float(means.max() - means[0])


def decision_losses(agent: Agent, judge: Agent, hand: Hand, config: Config, seed: int) -> tuple[float, float]:
    """What the agent's decision at a position loses, at least and at most."""
    reward = equity(judge.rules, config.fantasyland_values)
    known = hand.information(seat_to_act(hand))
    chosen = choose_placement(agent, known)
    favourites = rank(judge, known, seed=seed, reward=reward)
    others = [candidate.placement for candidate in favourites if candidate.placement != chosen]
    placements = [chosen, *others[: config.candidates - 1]]
    deals = [Hand.from_observation(known, seed + index) for index in range(config.deals)]
    mover = seat_to_act(deals[0])
    values = [
        [reward.hand_rewards(result)[mover] for result in results]
        for results in play_placements(judge, deals, placements)
    ]
    return losses(np.array(values))


def measure(config: Config) -> list[TurnLoss]:
    """The losses of each turn, with their progress."""
    verify(config)
    rules, values = Rules.parse(config.rules), config.fantasyland_values
    equity(rules, values)  # rules that nobody measured are refused before anything is played
    agent, judge = (agents.make_valued(name, rules, values) for name in (config.agent, config.judge))
    found: list[list[tuple[float, float]]] = [[] for _ in range(TURNS)]
    for number in tracked(range(config.decisions), "regret", config.decisions, "decisions"):
        made = number % (2 * TURNS)  # the seats take turns
        hand = position(judge, made, config.seed + number)
        deals_from = (config.seed + number) * config.deals
        found[made // 2].append(decision_losses(agent, judge, hand, config, deals_from))
    return [
        TurnLoss(turn, *(estimate(column) for column in np.array(each).T)) for turn, each in enumerate(found)
    ]


def report(config: Config) -> None:
    """Measure, print and write."""
    turns = measure(config)
    print(f"what {config.agent} loses, judged by {config.judge}: points of equity a decision, 95 % intervals")
    print(f"rules: {Rules.parse(config.rules).name}")
    print(f"{'turn':>5}  {'decisions':>9}  {'at least':>15}  {'at most':>15}")
    for loss in turns:
        print(
            f"{loss.turn:>5}  {loss.at_least.count:>9}  {loss.at_least.text():>15}  {loss.at_most.text():>15}"
        )
    low, high = sum(loss.at_least.mean for loss in turns), sum(loss.at_most.mean for loss in turns)
    print(f"a hand: between {low:+.2f} and {high:+.2f}")
    if config.out:
        figures = [
            {"turn": loss.turn, "at_least": loss.at_least.to_dict(), "at_most": loss.at_most.to_dict()}
            for loss in turns
        ]
        write_json(Path(config.out), {"config": asdict(config), "turns": figures})
        print(f"written to {config.out}")


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    return run(lambda: report(read(Config, arguments, __doc__)))


if __name__ == "__main__":
    sys.exit(main())
