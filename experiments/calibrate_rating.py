"""What the levels lose a hand by the judge of reviews: the bands of a rating, and what a cost is called.

    python experiments/calibrate_rating.py
    python experiments/calibrate_rating.py --hands 1000 --resume
    python experiments/calibrate_rating.py --levels regular skilled --opponent heuristic

Every level plays hands against the opponent, and its decisions are reviewed as those of people are
(docs/getting-better.md). Writes rating.json and rating.md into the folder given by --out, beside hands.jsonl,
from which --resume goes on; the table says too whether what the judge cannot explain is 0 on average.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

import agents
from agents.arena.estimates import Estimate, estimate
from agents.arena.progress import Progress
from agents.levels import LEVELS, OLD_NAMES, agent_of
from agents.randomness import seed_of
from agents.review import Effort, HandReview, Judge, PlayedHand, review_hands
from agents.review.grades import BEST, CLOSE, GRADES
from agents.review.rating import rating_of, statistics_of
from experiments.common.command_line import folder_of, run, write_json
from experiments.common.options import OUT, option, read, resume_option, rules_option, seed_option
from experiments.common.played import played_by
from ofc_env import Hand, Rules
from ofc_env.files import write_whole

QUANTILES = (0.25, 0.5, 0.9)
TOGETHER = 10  # hands that are reviewed at a time


@dataclass(frozen=True)
class Config:
    """What is measured; a hand takes 0.2 s of processor time, of a level that searches twice that."""

    levels: tuple[str, ...] = option(
        tuple(LEVELS), "levels, or agents that may become some, weakest first", metavar="NAME"
    )
    hands: int = option(150, "of each level; four times as many halve the intervals", low=2)
    opponent: str = option("alphazero:sims=0", "whom they play against", metavar="NAME")
    worlds: int = option(
        100, "in which the placements of a decision are compared; more make costs surer", low=2
    )
    shown: int = option(
        2, "best placements of a decision that are compared; at least 2 tell the obvious", low=2
    )
    played_on: int = option(20, "worlds that tell the kind of a decision; costs do not depend on them", low=2)
    seed: int = seed_option()
    out: str = option("runs/rating", "folder of the results", metavar="FOLDER")
    resume: str = resume_option("its name in runs/", bare=OUT)
    rules: str = rules_option()


@dataclass(frozen=True)
class Row:
    """A level as it was reviewed."""

    level: str
    agent: str
    lost: Estimate  # points a hand
    lost_a_decision: float
    decisions: float  # a hand that were not obvious
    grades: dict[str, float]  # share of all decisions
    losses: list[float]  # points below which a quarter, half, nine tenths of the sure losses are
    result: Estimate  # equity a hand
    adjusted: Estimate
    unexplained: Estimate

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            name: value.to_dict() if isinstance(value, Estimate) else value
            for name, value in vars(self).items()
        }


class Calibration:
    """The reviews of a run, a line each, in the order in which they were made."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.rules = Rules.parse(config.rules)
        effort = Effort(worlds=config.worlds, shown=config.shown, played_on=config.played_on)
        self.judge = Judge(self.rules, effort)
        self.folder = folder_of(config.out, config.resume)
        self.path = self.folder / "hands.jsonl"
        self.reviews: dict[tuple[str, int], HandReview] = {}
        identity = {"judge": self.judge.name, "opponent": config.opponent, "seed": config.seed}
        effort_numbers = {each.name: getattr(effort, each.name) for each in Effort.fields()}
        identity |= {"rules": str(self.rules), "effort": effort_numbers}
        if config.resume and self.path.is_file():
            self._read(identity)
        else:
            write_whole(self.path, json.dumps(identity) + "\n")

    def agent(self, level: str) -> str:
        """Who plays a level, or the agent that is named."""
        return agent_of(level, rules=self.rules) if level in {*LEVELS, *OLD_NAMES} else level

    def _read(self, identity: dict[str, Any]) -> None:
        """What an earlier run has; a line that was cut off is written again."""
        whole = [line for line in self.path.read_text().splitlines(keepends=True) if line.endswith("\n")]
        if not whole or json.loads(whole[0]) != identity:
            raise ValueError(f"{self.path} was measured with other settings: give another --out")
        for line in whole[1:]:
            found = json.loads(line)
            self.reviews[found["agent"], found["number"]] = HandReview.from_dict(found["review"])
        write_whole(self.path, "".join(whole))

    def measure(self) -> None:
        """Play and review what is missing, a few hands of each level in turn."""
        players = {level: agents.make(self.agent(level), self.rules) for level in self.config.levels}
        rival = agents.make(self.config.opponent, self.rules)
        total = self.config.hands * len(players)
        done = sum(
            (self.agent(level), n) in self.reviews for level in players for n in range(self.config.hands)
        )
        with Progress("review", total, done, unit="hands") as bar, self.path.open("a") as file:
            for first in range(0, self.config.hands, TOGETHER):
                numbers = range(first, min(first + TOGETHER, self.config.hands))
                for level, player in players.items():
                    missing = [n for n in numbers if (self.agent(level), n) not in self.reviews]
                    hands = [self.play(level, number, player, rival) for number in missing]
                    found = review_hands(hands, [number % 2 for number in missing], self.judge)
                    for number, review in zip(missing, found, strict=True):
                        kept = review.without_opponent()
                        self.reviews[self.agent(level), number] = kept
                        line = {"agent": self.agent(level), "number": number, "review": kept.to_dict()}
                        file.write(json.dumps(line) + "\n")
                    file.flush()
                    bar.advance(len(missing))

    def play(self, level: str, number: int, player: agents.Agent, rival: agents.Agent) -> PlayedHand:
        """A hand in which the player sits in seat 0 or 1 by turns, and has the button in every other pair.

        No other level is dealt the same cards, so that the hands of all are independent.
        """
        seat = number % 2
        seated = (player, rival) if seat == 0 else (rival, player)
        deal = seed_of(self.config.seed, *self.agent(level).encode(), number)
        hand = Hand(seed=deal, button=number // 2 % 2, rules=self.rules)
        return played_by(seated, hand)

    def rows(self) -> Iterator[Row]:
        """Every level, in the order given."""
        for level in self.config.levels:
            mine = [self.reviews[self.agent(level), number] for number in range(self.config.hands)]
            yield row_of(level, self.agent(level), mine)


def row_of(level: str, agent: str, reviews: Sequence[HandReview]) -> Row:
    """What the reviews of a level say."""
    rating, habits = rating_of(reviews), statistics_of(reviews)
    decisions = sum(habits.grades.values())
    sure = [each.cost for review in reviews for each in review.own() if each.grade not in (BEST, CLOSE)]
    return Row(
        level,
        agent,
        rating.lost,
        rating.lost_a_decision,
        rating.decisions / len(reviews),
        {grade: habits.grades[grade] / decisions for grade in GRADES},
        [round(each, 2) for each in np.quantile(sure, QUANTILES).tolist()] if sure else [],
        habits.result,
        habits.adjusted,
        estimate([review.balance.unexplained for review in reviews if review.balance]),
    )


def table_text(rows: Sequence[Row]) -> str:
    """The levels as a table in Markdown."""
    titles = (
        "level",
        "points lost a hand",
        "decisions a hand",
        *GRADES,
        "result",
        "luck taken out",
        "unexplained",
    )
    lines = [f"| {' | '.join(titles)} |", "|" + "---|" * len(titles)]
    for row in rows:
        cells = (
            *(row.level, row.lost.text(sign=False), f"{row.decisions:.1f}"),
            *(f"{row.grades[grade]:.1%}" for grade in GRADES),
            ", ".join(f"{each:.1f}" for each in row.losses),
            *(each.text() for each in (row.result, row.adjusted, row.unexplained)),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def calibrate(config: Config) -> None:
    """Play, review, print and write."""
    calibration = Calibration(config)
    calibration.measure()
    rows = list(calibration.rows())
    reviews = list(calibration.reviews.values())
    unexplained = estimate([review.balance.unexplained for review in reviews if review.balance])
    print(f"rules: {calibration.rules.name}\n\n{table_text(rows)}\n")
    print(f"unexplained over all {unexplained.count} hands: {unexplained.text(3)}")
    losses = {row.level: max(0.0, round(row.lost.mean, 2)) for row in rows}
    print(f"LEVEL_LOSS = {losses}")
    write_whole(calibration.folder / "rating.md", table_text(rows) + "\n")
    content = {
        "config": asdict(config),
        "rules": str(calibration.rules),
        "judge": calibration.judge.name,
        "levels": [row.to_dict() for row in rows],
        "unexplained": unexplained.to_dict(),
    }
    write_json(calibration.folder / "rating.json", content)
    print(f"written to {calibration.folder / 'rating.json'} and {calibration.folder / 'rating.md'}")


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    return run(
        lambda: calibrate(read(Config, arguments, __doc__)),
        when_stopped="stopped: the same command with --resume goes on from here",
    )


if __name__ == "__main__":
    sys.exit(main())
