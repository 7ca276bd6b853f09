"""Whether chances come true: what `agents.chances` says of foul and fantasyland beside what then happened.

    python experiments/reliability.py
    python experiments/reliability.py --hands 2000 --player alphazero:sims=100 --out runs/other.json

Levels drawn at random play both seats of a hand up to a decision drawn at random, with its placement; from
there on the champion plays both, as the chances take it to. Every decision from that one on is a case: the
chances of the placement, from what the seat knows, and how the hand then ended. Cases are sorted by what
was said, into tenths. Says which tenths with enough cases are further from the truth than they may be;
writes JSON and a picture of all.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import agents
from agents.arena.estimates import NORMAL_QUANTILE
from agents.arena.progress import Progress
from agents.chances import chances
from agents.levels import LEVELS, agent_of
from agents.randomness import seed_of
from agents.review.judge import judge_for
from agents.review.report import WIDTHS, Chances
from agents.turns import play_turn, seat_to_act
from experiments.benches.table import commit
from experiments.common.command_line import picture, run, write_json
from experiments.common.options import option, read, rules_option, seed_option
from ofc_env import Hand, HandResult, InformationSet, Placement, Rules
from ofc_env.files import new_file

TENTHS = 10
FEWEST_DRAWN = 20  # cases of a tenth that is in the picture
DECISIONS = 10  # of a hand without fantasyland
TOGETHER = 16  # hands that are played before their chances are asked for
_DEALING, _CHOOSING, _SAYING = 21, 22, 23  # streams of chance

Event = tuple[Callable[[Chances], float], Callable[[HandResult, int], bool]]


def _of_width(at: int) -> Event:
    return (
        lambda said: said.fantasyland[at],
        lambda result, seat: bool(result.fl_card_count[seat] == WIDTHS[at]),
    )


EVENTS: dict[str, Event] = {
    "foul": (lambda said: said.foul, lambda result, seat: result.busted[seat]),
    "fantasyland": (lambda said: sum(said.fantasyland), lambda result, seat: result.fl_card_count[seat] > 0),
    **{f"fantasyland of {width}": _of_width(at) for at, width in enumerate(WIDTHS)},
    "opponent's foul": (lambda said: said.opponent_foul, lambda result, seat: result.busted[1 - seat]),
    "opponent's fantasyland": (
        lambda said: sum(said.opponent_fantasyland),
        lambda result, seat: result.fl_card_count[1 - seat] > 0,
    ),
}


@dataclass(frozen=True)
class Config:
    """What is asked; a hand has five cases on average, 15 ms of processor time each."""

    hands: int = option(4000, "that are played; more fill the tenths", low=1)
    worlds: int = option(250, "that a chance is told from; the page takes 1000", low=1)
    player: str = option("alphazero:sims=0", "who plays on in both seats", metavar="NAME")
    levels: tuple[str, ...] = option(
        tuple(LEVELS)[:-1], "who may have played up to the first decision", metavar="NAME"
    )
    least: int = option(2000, "cases that a tenth must have to be held to the limit", low=1)
    limit: float = option(3.0, "points of a hundred that it may be from the truth", above=0)
    threads: int = option(os.cpu_count() or 1, "at work side by side; results do not depend on it", low=1)
    seed: int = seed_option()
    out: Path = option(Path("runs/reliability.json"), "the report; a picture goes beside it", metavar="FILE")
    rules: str = rules_option()


@dataclass(frozen=True)
class Asked:
    """A decision whose chances are asked for."""

    seat: int
    information: InformationSet
    placement: Placement
    result: HandResult


@dataclass(frozen=True)
class Tenth:
    """Cases of an event of which about the same was said; shares from 0 to 1."""

    event: str
    low: float
    cases: int
    said: float  # mean
    happened: float
    margin: float  # half the 95 % interval of what happened, as if cases were independent


def play(number: int, config: Config, levels: Sequence[agents.Agent], champion: agents.Agent) -> list[Asked]:
    """A hand, and its decisions from the one on after which the champion plays both seats."""
    rng = np.random.default_rng(seed_of(config.seed, _CHOOSING, number))
    before = [levels[int(rng.integers(len(levels)))] for _ in range(2)]
    first = int(rng.integers(DECISIONS))
    rules = Rules.parse(config.rules)
    hand = Hand(seed=seed_of(config.seed, _DEALING, number), button=number % 2, rules=rules)
    for each in (*before, champion):
        each.reset()
    met = []
    for at in range(DECISIONS):
        seat = seat_to_act(hand)
        placement = play_turn(before[seat] if at <= first else champion, hand)
        if at >= first:
            met.append((seat, hand.information(seat), placement))
        hand.place(placement)
    return [Asked(*each, hand.result()) for each in met]


def cases(config: Config) -> dict[str, list[tuple[float, bool]]]:
    """What was said of each event, and whether it happened."""
    rules = Rules.parse(config.rules)
    judge = judge_for(rules)
    names = [agent_of(each, rules=rules) if each in LEVELS else each for each in config.levels]
    levels = [agents.make(name, rules) for name in names]
    champion = agents.make(config.player, rules)
    seed = seed_of(config.seed, _SAYING)
    found: dict[str, list[tuple[float, bool]]] = {name: [] for name in EVENTS}
    with ThreadPoolExecutor(config.threads) as pool, Progress("hands", config.hands, unit="hands") as bar:
        for first in range(0, config.hands, TOGETHER):
            numbers = range(first, min(first + TOGETHER, config.hands))
            asked = [each for number in numbers for each in play(number, config, levels, champion)]
            told = pool.map(
                lambda each: chances(each.information, each.placement, config.worlds, seed, judge), asked
            )
            for each, said in zip(asked, told, strict=True):
                for name, (chance, happened) in EVENTS.items():
                    found[name].append((chance(said), bool(happened(each.result, each.seat))))
            bar.advance(len(numbers))
    return found


def tenths_of(found: dict[str, list[tuple[float, bool]]]) -> list[Tenth]:
    """Cases by what was said of them; 1 belongs to the last tenth."""
    tenths = []
    for event, pairs in found.items():
        said, happened = np.array(pairs, dtype=np.float64).T
        places = np.minimum((said * TENTHS + 1e-9).astype(np.int64), TENTHS - 1)
        for place in range(TENTHS):
            mine = places == place
            count = int(mine.sum())
            if count:
                share = float(happened[mine].mean())
                margin = NORMAL_QUANTILE * float(np.sqrt(share * (1 - share) / count))
                tenths.append(Tenth(event, place / TENTHS, count, float(said[mine].mean()), share, margin))
    return tenths


def table_text(tenths: Sequence[Tenth]) -> str:
    """In Markdown, per cent."""
    lines = ["| event | said | cases | mean said | happened | difference |", "|" + "---|" * 6]
    for each in tenths:
        gap = 100 * (each.happened - each.said)
        lines.append(
            f"| {each.event} | {100 * each.low:.0f} to {100 * each.low + 10:.0f} | {each.cases} | "
            f"{100 * each.said:.1f} | {100 * each.happened:.1f} ± {100 * each.margin:.1f} | {gap:+.1f} |"
        )
    return "\n".join(lines)


def plot(tenths: Sequence[Tenth], path: Path, least: int, title: str) -> None:
    """What was said against what happened; hollow where there are fewer cases than count."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 5.5), layout="constrained")
    own, widths = figure.subplots(1, 2)
    for axes, names in (
        (own, [name for name in EVENTS if " of " not in name]),
        (widths, [name for name in EVENTS if " of " in name]),
    ):
        axes.plot([0, 100], [0, 100], color="0.7", linewidth=1)
        for name in names:
            mine = [each for each in tenths if each.event == name and each.cases >= FEWEST_DRAWN]
            said = [100 * each.said for each in mine]
            line = axes.plot(said, [100 * each.happened for each in mine], label=name, linewidth=1)[0]
            for each in mine:
                axes.errorbar(
                    100 * each.said,
                    100 * each.happened,
                    yerr=100 * each.margin,
                    fmt="o",
                    markersize=5,
                    color=line.get_color(),
                    markerfacecolor=line.get_color() if each.cases >= least else "white",
                    linewidth=1,
                )
        axes.set(
            xlabel="chance as it was said, %", ylabel="share that happened, %", xlim=(-2, 102), ylim=(-2, 102)
        )
        axes.set_aspect("equal")
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8, loc="upper left")
    figure.suptitle(f"{title}; hollow: fewer than {least} cases", fontsize=10)
    with new_file(path) as partial:
        figure.savefig(partial, dpi=100)


def measure(config: Config, command: str) -> None:
    """Play, compare, print and write."""
    rules, made_at = Rules.parse(config.rules), commit() or "no commit"
    found = cases(config)
    tenths = tenths_of(found)
    print(table_text(tenths))
    counted = [each for each in tenths if each.cases >= config.least]
    wrong = [each for each in counted if 100 * abs(each.happened - each.said) > config.limit]
    number = len(found["foul"])
    for each in wrong:
        print(f"too far: {each.event} at {100 * each.low:.0f} to {100 * each.low + 10:.0f} %")
    print(
        f"{number} cases of {config.hands} hands; {len(counted)} tenths have {config.least} or more, and "
        f"{len(counted) - len(wrong)} of those are within {config.limit:g} points"
    )
    content: dict[str, Any] = {
        "command": command,
        "commit": made_at,
        "judge": judge_for(rules).name,
        "rules": str(rules),
        "cases": number,
        "within": not wrong,
        "tenths": [asdict(each) for each in tenths],
    }
    write_json(config.out, content)
    image = config.out.with_suffix(".png")
    title = f"{number} decisions, played on by {config.player}, {config.worlds} worlds"
    print(f"written to {config.out} and {picture(lambda: plot(tenths, image, config.least, title), image)}")


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    command = shlex.join(["python", "experiments/reliability.py", *words])
    return run(lambda: measure(read(Config, words, __doc__), command))


if __name__ == "__main__":
    sys.exit(main())
