"""Measure the levels: each against the one before, against `random` and against `heuristic`.

    python experiments/calibrate_levels.py
    python experiments/calibrate_levels.py --rules standard --resume
    python experiments/calibrate_levels.py --ladder skilled alphazero:sims=0,temperature=0.8 strongest

Steps are measured with the luck taken out (docs/arena.md). Players that do not search are so fast that many
plain deals are cheaper than few adjusted ones: their steps are measured both ways, and the rest of the table
by plain deals alone. Writes levels.json, levels.md and levels.png into the folder given by --out, and says
which levels are not as far above the one before as they should be.
"""

from __future__ import annotations

import sys
import textwrap
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import agents
from agents.arena import Adjusting, MatchResult, MatchSettings, play_match
from agents.arena.estimates import Estimate
from agents.levels import LEVELS, OLD_NAMES, agent_of
from experiments.common.command_line import duration, folder_of, picture, run, write_json
from experiments.common.options import (
    OUT,
    option,
    processes_option,
    read,
    resume_option,
    rules_option,
    seed_option,
)
from ofc_env import Rules
from ofc_env.files import write_whole

STEP = 1.2  # points of equity a hand between neighbours, at least
NOVICE = 3.0  # above random play, at most: somebody who has just learned the rules wins
SEARCHES = ("alphazero", "pimc", "ismcts")


@dataclass(frozen=True)
class Config:
    """What is measured; nearly all of the time goes to the levels that search."""

    ladder: tuple[str, ...] = option(
        tuple(LEVELS), "levels, or agents that may become some, weakest first", metavar="NAME"
    )
    deals: int = option(3000, "decks of a match without luck; four times as many halve the intervals", low=2)
    search_deals: int = option(1000, "decks of a match in which somebody searches, which is dear", low=2)
    plain_deals: int = option(20000, "decks of a plain match, between players that do not search", low=2)
    adjust: int = option(
        24,
        "other deals that each deal is compared with to take its luck out; 0 measures by plain deals alone, "
        "where the rules have no champion that judges luck",
        low=0,
    )
    processes: int = processes_option(2)
    seed: int = seed_option()
    out: str = option("runs/levels", "folder of the results", metavar="FOLDER")
    resume: str = resume_option("its name in runs/", bare=OUT)
    rules: str = rules_option()


@dataclass(frozen=True)
class Rung:
    """A level as it was measured; equity a hand, from its side."""

    level: str
    agent: str
    step: Estimate  # above the level before, by the narrower of the next two; of the lowest above random
    adjusted: Estimate | None  # the step with the luck taken out
    plain: Estimate | None  # the step by many plain deals
    over_random: Estimate
    over_heuristic: Estimate
    foul: float  # share of its hands against `heuristic`, 0 to 1
    fantasyland: float
    royalties: float  # points a hand there
    milliseconds: float  # processor time of a decision

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            name: value.to_dict() if isinstance(value, Estimate) else value
            for name, value in vars(self).items()
        }


def searches(agent: str) -> bool:
    """Whether an agent looks ahead, so that its deals are dear."""
    name, options = agents.parse_name(agent)
    return name in SEARCHES and options.get("sims") != 0


class Calibration:
    """The matches of a run, each in a file of its own."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.folder = folder_of(config.out, config.resume)
        self.rules = Rules.parse(config.rules)

    def agent(self, name: str) -> str:
        """Who plays a level, or the agent that is named."""
        return agent_of(name, rules=self.rules) if name in {*LEVELS, *OLD_NAMES} else name

    def play(self, level: str, rival: str, adjusted: bool) -> MatchResult:
        """A level against another, or against an agent."""
        config = self.config
        settings = MatchSettings(
            seed=config.seed,
            processes=config.processes,
            rules=self.rules,
            adjust=Adjusting(config.adjust) if adjusted else None,
        )
        manner, deals = ("adjusted", config.deals) if adjusted else ("plain", config.plain_deals)
        if self.is_slow(level, rival):
            deals = config.search_deals
        file = f"{level} v {rival} {manner}.jsonl".replace(":", " ").replace("/", " ")
        store = self.folder / "matches" / file
        return play_match(
            self.agent(level), self.agent(rival), deals, settings, store, resume=bool(config.resume)
        )

    def either_way(self, level: str, rival: str) -> MatchResult:
        """A match by whichever manner gives the narrower interval in its time."""
        return self.play(level, rival, bool(self.config.adjust) and self.is_slow(level, rival))

    def is_slow(self, *names: str) -> bool:
        """Whether somebody of these searches."""
        return any(searches(self.agent(name)) for name in names)

    def rung(self, level: str, before: str) -> Rung:
        """Measure a level."""
        by_random, by_heuristic = self.either_way(level, "random"), self.either_way(level, "heuristic")
        adjusted = self.play(level, before, adjusted=True).adjusted if self.config.adjust else None
        is_slow = adjusted is not None and self.is_slow(level, before)
        plain = None if is_slow else self.play(level, before, adjusted=False).equity
        known = [estimate for estimate in (adjusted, plain) if estimate is not None]
        side = by_heuristic.sides[0]
        return Rung(
            level,
            self.agent(level),
            min(known, key=lambda estimate: estimate.margin),
            adjusted,
            plain,
            by_random.worth,
            by_heuristic.worth,
            side.overall.foul.mean,
            side.overall.fantasyland.mean,
            side.overall.royalties.mean,
            1000 * side.seconds_per_decision,
        )


def calibrate(config: Config) -> None:
    """Play, print and write."""
    start = time.perf_counter()
    calibration = Calibration(config)
    rungs: list[Rung] = []
    for level, before in zip(config.ladder, ("random", *config.ladder), strict=False):
        rungs.append(calibration.rung(level, before))
        print(f"{level}: {rungs[-1].step.text()} above {before}", flush=True)
    table, wrong = table_text(rungs), complaints(rungs)
    folder = calibration.folder
    write_whole(folder / "levels.md", table + "\n")
    write_json(
        folder / "levels.json",
        {
            "config": asdict(config),
            "rules": str(calibration.rules),
            "seconds": round(time.perf_counter() - start, 1),
            "levels": [rung.to_dict() for rung in rungs],
            "complaints": wrong,
        },
    )
    drawn = picture(lambda: plot(rungs, folder / "levels.png"), folder / "levels.png")
    print(f"\nrules: {calibration.rules.name}\n\n{table}\n")
    print("\n".join(wrong) or f"every level is at least {STEP} above the one before")
    spent = duration(time.perf_counter() - start)
    print(f"{spent}; written to {folder / 'levels.json'}, {folder / 'levels.md'} and {drawn}")


def complaints(rungs: list[Rung]) -> list[str]:
    """What is not as it should be, a sentence each; the lowest rung should be near random play."""
    found = []
    lowest = rungs[0].over_random
    if lowest.mean > NOVICE:
        found.append(f"{rungs[0].level} is {lowest.text()} above random play: at most {NOVICE:g} is wanted")
    elif not lowest.high <= NOVICE:
        found.append(
            f"{rungs[0].level} is {lowest.text()} above random play, which may be more than {NOVICE:g}: "
            "more deals can tell"
        )
    for rung in rungs[1:]:
        if rung.step.mean < STEP:
            found.append(
                f"{rung.level} is {rung.step.text()} above the one before: at least {STEP} is wanted"
            )
        elif not rung.step.low >= STEP:
            found.append(
                f"{rung.level} is {rung.step.text()} above the one before, which may be less than {STEP}: "
                "more deals can tell"
            )
    return found


def table_text(rungs: list[Rung]) -> str:
    """The levels as a table in Markdown."""
    titles = (
        *("level", "agent", "above the one before", "by plain deals", "above `random`"),
        *("above `heuristic`", "foul", "FL entry", "royalties", "ms each"),
    )
    lines = [f"| {' | '.join(titles)} |", "|" + "---|" * len(titles)]
    for rung in rungs:
        cells = (
            *(rung.level, f"`{rung.agent}`"),
            *(_text(rung.adjusted), _text(rung.plain), _text(rung.over_random)),
            *(_text(rung.over_heuristic), f"{rung.foul:.0%}", f"{rung.fantasyland:.0%}"),
            *(f"{rung.royalties:.1f}", f"{rung.milliseconds:.2g}"),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _text(estimate: Estimate | None) -> str:
    if estimate is None:
        return "–"
    return estimate.text() if estimate.margin else "0"  # against itself


def plot(rungs: list[Rung], path: Path) -> None:
    """How far every level is above random play, as a PNG."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 1.4 + 0.4 * len(rungs)), layout="constrained")
    axes = figure.subplots()
    places = range(len(rungs))
    means = [rung.over_random.mean for rung in rungs]
    errors = [rung.over_random.margin for rung in rungs]
    axes.barh(places, means, xerr=errors, color="#1b5e8c", capsize=3)
    axes.set_yticks(places, [textwrap.fill(rung.level, 40) for rung in rungs])
    axes.set_xlabel("equity a hand above random play, with 95 % intervals")
    axes.grid(axis="x", alpha=0.3)
    figure.savefig(path, dpi=120)


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    return run(
        lambda: calibrate(read(Config, arguments, __doc__)),
        when_stopped="stopped: the same command with --resume goes on from here",
    )


if __name__ == "__main__":
    sys.exit(main())
