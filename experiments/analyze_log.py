"""Feedback on a log: where a player and an agent differ, and what each difference is worth, worst first.

    python experiments/analyze_log.py games.db --out runs/ann --player ann --agent pimc:rollouts=500

Every decision of the player is ranked by the agent as `agents.positions.ranking.rank` does it. The report
(`report.md` and `report.png` in the output folder, `decisions.jsonl` with every figure) lists the decisions
and the hands that cost most, and what they cost by turn. Values are the agent's own: points, with
fantasyland if it counts that. Every hand is judged by its own rules, with an agent made for them; one that
was trained for others is refused.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import agents
from agents.analysis import cost_of
from agents.arena.progress import Progress
from agents.base import Agent
from agents.positions.ranking import Candidate, rank, ranking_table
from agents.rewards import equity
from experiments.common.command_line import picture, run
from experiments.common.options import SAMPLE, option, read, values_option
from experiments.common.seat_text import seat_text
from experiments.logs.hands import LoggedHand, hands_of
from experiments.logs.lines import LineError, LoggedTurn, read_lines
from experiments.logs.replay import HandError, RowBuffer, replay_hand
from ofc_env import InformationSet, Placement, RewardConfig, Rules
from ofc_env.files import new_folder
from ofc_env.records.lines import count_turns, iter_turns

SHOWN = 5  # placements of a decision in the report


@dataclass(frozen=True)
class Difference:
    """A decision as the agent sees it; `cost` is what the choice lost against the best one, in points."""

    turn: LoggedTurn
    known: InformationSet
    candidates: list[Candidate]  # the best few, best first
    played: Candidate
    cost: float
    error: float  # standard error of the cost, NaN if the agent does not know it
    at_least: bool  # the played placement was not weighed: its cost is at least this

    @property
    def agrees(self) -> bool:
        """Whether the player chose the agent's own placement."""
        return self.played.placement == self.candidates[0].placement


@dataclass
class Review:
    """All decisions of the player, and what had to be left out."""

    player: str | None
    agent: str
    differences: list[Difference] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)  # a sentence for each line or hand left out
    rules: list[str] = field(default_factory=list)  # names of those that were met

    def by_turn(self) -> list[dict[str, float]]:
        """Decisions, agreement and cost for each turn from 0 to 4."""
        rows = []
        for turn in range(5):
            chosen = [each for each in self.differences if each.turn.turn == turn]
            rows.append(
                {
                    "turn": turn,
                    "decisions": len(chosen),
                    "agreement": _mean([float(each.agrees) for each in chosen]),
                    "cost": _mean([each.cost for each in chosen]),
                    "total": sum(each.cost for each in chosen),
                }
            )
        return rows

    def worst_hands(self) -> list[tuple[float, list[Difference]]]:
        """Hands with the sum of their costs, most expensive first."""
        hands: dict[tuple[str, str], list[Difference]] = {}
        for each in self.differences:
            hands.setdefault(each.turn.hand, []).append(each)
        costs = [(sum(each.cost for each in hand), hand) for hand in hands.values()]
        return sorted(costs, key=lambda entry: -entry[0])


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def logged_hands(log: Path, refused: list[str]) -> Iterator[LoggedHand]:
    """The hands of a database or of JSONL lines, checked line by line; what is refused gets a sentence."""
    if log.suffix in (".jsonl", ".gz"):
        if not log.is_file():
            raise FileNotFoundError(f"there is no log at {log}: export one with experiments/export_logs.py")
        lines: Iterable[tuple[int, bytes | str | LineError]] = read_lines(log)
    else:
        lines = enumerate((json.dumps(line) for line in iter_turns(log, finished=True)), start=1)
    return hands_of(lines, lambda number, error: refused.append(f"line {number}: {error}"))


def compare(
    turn: LoggedTurn, known: InformationSet, candidates: list[Candidate], played: Placement | None = None
) -> Difference:
    """What the placement of a turn, or the part of it that was played, is worth beside the agent's best."""
    result = cost_of(candidates, played or turn.placement)
    weighed = [each for each in candidates if not math.isnan(each.mean)]
    return Difference(turn, known, weighed[:SHOWN], result.played, result.cost, result.error, result.at_least)


def review(
    log: Path,
    agent: str,
    *,
    player: str | None = None,
    hands: int | None = None,
    worlds: int = 32,
    fantasyland_values: tuple[float, ...] | None = None,
    progress: bool = True,
) -> Review:
    """Rank every decision of the player.

    Args:
        log: a database or its JSONL export.
        agent: the judge by name; one is made for each of the rules that the log holds.
        player: whose decisions; everybody's if None.
        hands: at most so many hands; all if None.
        worlds: deals for each placement, if the agent has to play on to know what it is worth.
        fantasyland_values: of 14 to 17 cards, for rules under which nobody has measured them.
    """
    result = Review(player, agent)
    judges: dict[Rules, tuple[Agent, RewardConfig | None]] = {}
    rows = RowBuffer(16)
    total = hands
    if total is None and log.suffix not in (".jsonl", ".gz"):
        total = count_turns(log, finished=True) // 10
    reviewed = 0
    with Progress("review", total, unit="hands", shown=progress) as bar:
        for hand in logged_hands(log, result.refused):
            if hands is not None and reviewed >= hands:
                break
            rows.clear()
            try:
                hand.verify()
                replay_hand(hand.turns, rows)
            except HandError as error:
                result.refused.append(f"line {error.line}: {error}; its hand is left out")
                continue
            mine = [
                row for row, decision in enumerate(rows.decisions) if player in (None, decision.turn.player)
            ]
            rules = hand.rules.of_a_hand()
            if mine and rules not in judges:
                reward = None if fantasyland_values is None else equity(rules, fantasyland_values)
                judges[rules] = agents.make_valued(agent, rules, fantasyland_values), reward
                result.rules.append(rules.name)
            if mine:
                judge, reward = judges[rules]
                result.differences += _judged(judge, rows, mine, worlds, reward)
            reviewed += bool(mine)
            bar.advance(bool(mine))
    return result


def _judged(
    agent: Agent, rows: RowBuffer, mine: list[int], worlds: int, reward: RewardConfig | None
) -> list[Difference]:
    """Some decisions of a hand, in the order of play; those that leave no choice are passed over.

    An opening is two steps, and an agent thinks again before the second. So where it would put the same cards
    on the bottom, that second thought judges the rest; where it would not, both whole openings are compared.
    """
    found: dict[int, Difference] = {}  # by line
    for seat in (0, 1):  # one after the other: an agent with a memory sits in one seat at a time
        agent.reset()
        same_bottom = False
        for row in mine:
            turn, step = rows.decisions[row].turn, rows.decisions[row].step
            if turn.seat != seat or np.count_nonzero(rows.masks[row]) == 1:
                continue
            if step and not same_bottom and not agent.remembers:
                continue
            known = InformationSet.from_observation(rows.states[row], turn.rules)
            candidates = rank(agent, known, worlds, reward=reward)
            if not step:
                same_bottom = candidates[0].actions[0] == rows.actions[row]
                found[turn.line] = compare(turn, known, candidates)
            elif same_bottom:
                rest = Placement(turn.placed[0], turn.placed[1])
                found[turn.line] = compare(turn, known, candidates, rest)
    return [found[line] for line in sorted(found)]


def report_text(result: Review, worst: int) -> str:
    """The report in Markdown."""
    who = result.player or "all players"
    count = len(result.differences)
    hands = result.worst_hands()
    total = sum(each.cost for each in result.differences)
    agreement = _mean([float(each.agrees) for each in result.differences])
    a_hand = total / max(1, len(hands))
    lines = [
        f"# {who}, as {result.agent} sees it",
        "",
        f"{count} decisions in {len(hands)} hands. The player chose the agent's placement in {agreement:.0%} "
        f"of them; the others cost {total:.1f} points by the agent's own estimate, {a_hand:.2f} a hand.",
        "",
        "Estimates have errors: a cost below twice its error may be none at all.",
        "",
        f"Every hand is judged by its own rules: {', '.join(map(repr, result.rules))}.",
        "",
        "| turn | decisions | same placement | mean cost | total cost |",
        "|---|---|---|---|---|",
    ]
    for row in result.by_turn():
        lines.append(
            f"| {row['turn']} | {row['decisions']} | {row['agreement']:.0%} | {row['cost']:.2f} "
            f"| {row['total']:.1f} |"
        )
    if result.refused:
        lines += [
            "",
            f"Left out: {len(result.refused)} lines or hands that do not follow the rules, the first being:",
        ]
        lines += [f"- {sentence}" for sentence in result.refused[:10]]
    lines += [
        "",
        "## Hands that cost most",
        "",
        "| hand | cost | decisions, in order of play |",
        "|---|---|---|",
    ]
    for cost, hand in hands[:worst]:
        parts = ", ".join(f"turn {each.turn.turn}: {_cost(each)}" for each in hand if each.cost > 0)
        lines.append(f"| `{hand[0].turn.hand_id}` | {cost:.2f} | {parts or 'none'} |")
    lines += ["", "## Decisions that cost most"]
    for number, each in enumerate(_worst_first(result.differences)[:worst], start=1):
        lines += _decision_text(number, each)
    return "\n".join(lines) + "\n"


def _worst_first(differences: list[Difference]) -> list[Difference]:
    return sorted((each for each in differences if each.cost > 0), key=lambda each: -each.cost)


def _cost(each: Difference) -> str:
    error = "" if math.isnan(each.error) else f" ± {each.error:.2f}"
    return f"{'at least ' if each.at_least else ''}{each.cost:.2f}{error}"


def _decision_text(number: int, each: Difference) -> list[str]:
    shown, turn = each.candidates, each.turn
    if not any(candidate.placement == each.played.placement for candidate in shown):
        shown = [*shown, each.played]
    return [
        "",
        f"### {number}. {_cost(each)} points: hand `{turn.hand_id}`, turn {turn.turn}, {turn.player}",
        "",
        "```",
        seat_text(each.known, (turn.player, "opponent")),
        "```",
        "",
        f"Played `{each.played.placement}`; the agent would play `{each.candidates[0].placement}`.",
        "",
        "```",
        ranking_table(shown, None),
        "```",
    ]


def decision_dict(each: Difference) -> dict[str, Any]:
    """One decision, JSON-ready."""
    return {
        "session_id": each.turn.session_id,
        "hand_id": each.turn.hand_id,
        "turn": each.turn.turn,
        "player": each.turn.player,
        "played": str(each.played.placement),
        "best": str(each.candidates[0].placement),
        "cost": round(each.cost, 4),
        "error": None if math.isnan(each.error) else round(each.error, 4),
        "at_least": each.at_least,
        "think_time_ms": each.turn.think_time_ms,
    }


def plot(result: Review, path: Path) -> None:
    """Cost and agreement by turn, and how the total cost is spread over the decisions."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 3, figsize=(13, 4), constrained_layout=True)
    turns = result.by_turn()
    numbers = [row["turn"] for row in turns]
    axes[0].bar(numbers, [row["total"] for row in turns])
    axes[0].set(title="points lost by turn", xlabel="turn", ylabel="points")
    axes[1].bar(numbers, [row["agreement"] for row in turns])
    axes[1].set(title="the agent's own placement", xlabel="turn", ylim=(0, 1))
    costs = np.sort([each.cost for each in result.differences])[::-1]
    axes[2].plot(np.arange(1, len(costs) + 1), np.cumsum(costs))
    axes[2].set(
        title="points lost, worst decisions first", xlabel="decisions", ylabel="points", ylim=(0, None)
    )
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


@dataclass(frozen=True)
class Config:
    """What is reviewed, and by whom."""

    log: Path = option(
        SAMPLE,
        "a log database, or JSONL of experiments/export_logs.py, plain or .gz",
        positional=True,
        shown="the shipped sample, some 3,000 hands of alphazero",
    )
    out: Path = option(
        Path("runs/review"),
        "folder for the report; replaced if it is there",
        metavar="FOLDER",
        old=("--output",),
        old_position=True,
    )
    player: str | None = option(None, "whose decisions", metavar="NAME", shown="everybody's")
    agent: str = option(
        "pimc", "the judge, an agent by name; a stronger one finds more, and takes longer", metavar="NAME"
    )
    hands: int | None = option(None, "look at so many hands at most", shown="all of them", low=1)
    worst: int = option(20, "decisions and hands shown in the report", low=0)
    worlds: int = option(
        32, "deals a placement, if the agent does not rank by itself; more make costs surer", low=1
    )
    fantasyland_values: tuple[float, ...] | None = values_option()


def write_review(config: Config) -> None:
    """Review, write the report and say where it is."""
    result = review(
        config.log,
        config.agent,
        player=config.player,
        hands=config.hands,
        worlds=config.worlds,
        fantasyland_values=config.fantasyland_values,
    )
    if not result.differences:
        whose = f"of {config.player!r} " if config.player else ""
        raise ValueError(f"there are no decisions {whose}in {config.log}: check the player's name")
    with new_folder(config.out, overwrite=True) as folder:
        (folder / "report.md").write_text(report_text(result, config.worst))
        entries = [json.dumps(decision_dict(each)) for each in result.differences]
        (folder / "decisions.jsonl").write_text("\n".join(entries) + "\n")
        drawn = picture(lambda: plot(result, folder / "report.png"), config.out / "report.png")
    total = sum(each.cost for each in result.differences)
    print(
        f"{config.out / 'report.md'}: {len(result.differences)} decisions, {total:.1f} points lost; {drawn}"
    )


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    return run(lambda: write_review(read(Config, arguments, __doc__)))


if __name__ == "__main__":
    sys.exit(main())
