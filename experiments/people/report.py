"""What was found about decisions and players, in words, tables and pictures."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np

from agents.arena.estimates import Estimate
from agents.positions.ranking import ranking_table
from experiments.common.pages import plain
from experiments.common.seat_text import seat_text
from experiments.people.decisions import KINDS, Difference, Review, mean
from experiments.people.profile import GroupCost, Profile, Side


def report_text(result: Review, worst: int, profile: Profile | None = None) -> str:
    """The report in Markdown; with a profile, what is told of the player comes first."""
    who = plain(result.player or "all players")
    count = len(result.differences)
    hands = result.worst_hands()
    total = sum(each.cost for each in result.differences)
    agreement = mean([float(each.agrees) for each in result.differences])
    a_hand = total / max(1, len(hands))
    lines = [
        f"# {who}, as {result.agent} sees it",
        "",
        *([] if profile is None else profile_lines(profile, worst)),
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
        parts = ", ".join(f"turn {each.turn.turn}: {cost_text(each)}" for each in hand if each.cost > 0)
        lines.append(f"| `{hand[0].turn.hand_id}` | {cost:.2f} | {parts or 'none'} |")
    lines += ["", "## Decisions that cost most"]
    for number, each in enumerate(_worst_first(result.differences)[:worst], start=1):
        lines += _decision_text(number, each)
    return "\n".join(lines) + "\n"


def _worst_first(differences: list[Difference]) -> list[Difference]:
    return sorted((each for each in differences if each.cost > 0), key=lambda each: -each.cost)


def cost_text(each: Difference) -> str:
    """A cost with its error, such as "at least 2.00 ± 0.14"."""
    error = "" if math.isnan(each.error) else f" ± {each.error:.2f}"
    return f"{'at least ' if each.at_least else ''}{each.cost:.2f}{error}"


def _decision_text(number: int, each: Difference) -> list[str]:
    shown, turn, player = each.candidates, each.turn, plain(each.turn.player)
    if not any(candidate.placement == each.played.placement for candidate in shown):
        shown = [*shown, each.played]
    return [
        "",
        f"### {number}. {cost_text(each)} points: hand `{turn.hand_id}`, turn {turn.turn}, {player}",
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


# ---------------------------------------------------------------- a player


def profile_lines(profile: Profile, worst: int) -> list[str]:
    """The sections of a profile, Markdown."""
    return [
        *_results_lines(profile),
        *_named_lines(profile.own, plain(profile.player)),
        *_groups_lines(profile.own),
        *_kinds_lines(profile.own),
        *_time_lines(profile),
        *_lost_lines(profile, worst),
        *_others_lines(profile, worst),
        "## Decisions",
        "",
    ]


def _results_lines(profile: Profile) -> list[str]:
    lines = [
        f"{len(profile.hands)} hands in {len({hand.session_id for hand in profile.hands})} sessions, against "
        f"{plain(profile.others.name)}.",
        "",
        "## Results",
        "",
        "A hand, with 95 % intervals where there are five sessions or more. Points are those of all hands; "
        "equity is of hands that both played normally, with what the fantasyland is worth that each won. "
        "Luck is taken out where all cards are known (docs/arena.md).",
        "",
        "| | hands | points | less luck | equity | less luck | fouls | fantasyland won | royalties |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    names = {
        "all": plain(profile.player),
        "button": "with the button",
        "other": "without it",
        "opponents": "the opponents",
    }
    for key, part in profile.results().items():
        lines.append(
            f"| {names[key]} | {part.hands} | {part.points.text()} | {part.adjusted_points.text()} "
            f"| {part.equity.text()} | {part.adjusted_equity.text()} | {_percent(part.foul)} "
            f"| {_percent(part.fantasyland)} | {part.royalties.text(sign=False)} |"
        )
    return [*lines, ""]


def _percent(share: Estimate) -> str:
    return f"{share.scaled(100).text(1, sign=False)} %" if share.count else "-"


def _named_lines(side: Side, player: str) -> list[str]:
    lines = ["## Strengths and weaknesses", ""]
    words = {"weakness": "loses more of what is at stake", "strength": "loses less of what is at stake"}
    for verdict, does in words.items():
        for group in [each for each in side.named if each.verdict == verdict]:
            lines.append(
                f"- **{verdict}: {group.name}.** Here {player} {does} than elsewhere: {_apart(group)}."
            )
    if not side.named:
        lines.append(f"Nothing stands out by three standard errors in {side.hands} hands: more tell more.")
    return [*lines, ""]


def _apart(group: GroupCost) -> str:
    return (
        f"{_percent(group.share)} against {_percent(group.rest)}, {abs(group.excess):.2f} points a hand "
        f"{'too many' if group.excess > 0 else 'saved'}"
    )


def _groups_lines(side: Side) -> list[str]:
    lines = [
        "## What decisions cost",
        "",
        "At stake is what a placement drawn from those that the judge weighed would have lost. A decision is "
        "in several groups.",
        "",
        "| decisions | number | same placement | cost each | cost a hand | lost of the stake | of the rest |",
        "|---|---|---|---|---|---|---|",
    ]
    for group in side.groups():
        lines.append(
            f"| {group.name} | {group.decisions} | {group.agreement:.0%} | {group.cost:.2f} "
            f"| {group.a_hand:.2f} | {_percent(group.share)} | {_percent(group.rest)} |"
        )
    return [*lines, ""]


def _kinds_lines(side: Side) -> list[str]:
    lines = [
        "What they were about, where another placement was played; each has one kind:",
        "",
        "| kind | what was played, beside the best | number | cost each | cost a hand | of all costs |",
        "|---|---|---|---|---|---|",
    ]
    for row in side.kinds():
        lines.append(
            f"| {row['kind']} | {KINDS[row['kind']]} | {row['decisions']} | {row['cost']:.2f} "
            f"| {row['cost_a_hand']:.2f} | {row['share_of_cost']:.0%} |"
        )
    return [*lines, ""]


def _time_lines(profile: Profile) -> list[str]:
    lines = [
        "## Over time",
        "",
        f"In 100 hands the cost of a hand changes by {profile.trend().text()} points.",
        "",
        "| from | hands | points | less luck | fouls | cost a hand |",
        "|---|---|---|---|---|---|",
    ]
    for block in profile.blocks():
        lines.append(
            f"| {block['from'][:16]} | {block['hands']} | {block['points'].text()} "
            f"| {block['adjusted_points'].text()} | {_percent(block['foul'])} "
            f"| {block['cost_a_hand'].text(sign=False)} |"
        )
    return [*lines, ""]


def _lost_lines(profile: Profile, worst: int) -> list[str]:
    costs = profile.costs()
    lines = [
        "## Lost hands",
        "",
        "Those first of which luck explains least; the cost is that of the player's own decisions.",
        "",
        "| hand | against | points | luck | less luck | cost |",
        "|---|---|---|---|---|---|",
    ]
    for hand in profile.lost_hands()[:worst]:
        luck = "-" if hand.luck is None else f"{hand.luck:+.1f}"
        less = "-" if hand.luck is None or hand.points is None else f"{hand.points - hand.luck:+.1f}"
        lines.append(
            f"| `{hand.hand_id}` | {plain(hand.opponent or 'unknown')} | {hand.points:+d} | {luck} | {less} "
            f"| {costs.get((hand.session_id, hand.hand_id), 0.0):.2f} |"
        )
    return [*lines, ""]


def _others_lines(profile: Profile, worst: int) -> list[str]:
    """What the opponents found hard."""
    side, name = profile.others, plain(profile.others.name)
    lines = [f"## What {name} found hard", ""]
    if not side.differences:
        return [*lines, "The log has no decision of the opponents.", ""]
    lines += [
        f"The same judge on the {len(side.differences)} decisions of {name} in these hands: "
        f"{side.cost_a_hand:.2f} points a hand, {plain(profile.player)} {profile.own.cost_a_hand:.2f}.",
        "",
    ]
    hardest = max(side.groups()[:5], key=lambda group: group.a_hand)  # of the turns
    lines += [f"Most was lost on {hardest.name}, {hardest.a_hand:.2f} points a hand.", ""]
    lines += [
        f"- hard: **{group.name}**, {_apart(group)}." for group in side.named if group.verdict == "weakness"
    ]
    lines += [
        "",
        "| decisions | number | same placement | cost each | cost a hand | lost of the stake |",
        "|---|---|---|---|---|---|",
    ]
    for group in side.groups():
        lines.append(
            f"| {group.name} | {group.decisions} | {group.agreement:.0%} | {group.cost:.2f} "
            f"| {group.a_hand:.2f} | {_percent(group.share)} |"
        )
    lines += ["", "Its costliest decisions:", ""]
    for each in _worst_first(side.differences)[: min(worst, 5)]:
        lines.append(
            f"- hand `{each.turn.hand_id}`, turn {each.turn.turn}: played `{each.played.placement}`, "
            f"best `{each.candidates[0].placement}`, {cost_text(each)} points"
        )
    return [*lines, ""]


# ---------------------------------------------------------------- pictures


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


def _drawn(name: str) -> str:
    """A name in a picture, where dollars begin a formula and a line in front hides it from the legend."""
    return re.sub(r"^_", " _", name.replace("$", r"\$"))


def plot_profile(profile: Profile, path: Path) -> None:
    """Costs by turn and kind of both sides, costs over time, results with and without luck added up."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(2, 2, figsize=(13, 8), constrained_layout=True)
    player, others = (_drawn(name) for name in (profile.player, profile.others.name))
    sides = ((player, profile.own), (others, profile.others))
    for offset, (name, side) in zip((-0.2, 0.2), sides, strict=True):
        costs = {group.name: group.a_hand for group in side.groups()}
        heights = [costs.get(f"turn {turn}", 0.0) for turn in range(5)]
        axes[0, 0].bar([turn + offset for turn in range(5)], heights, width=0.4, label=name)
        kinds = side.kinds()
        places = [number + offset for number in range(len(kinds))]
        axes[0, 1].barh(places, [row["cost_a_hand"] for row in kinds], height=0.4, label=name)
    axes[0, 0].set(title="points lost a hand, by turn", xlabel="turn")
    axes[0, 1].set(title="points lost a hand, by kind", yticks=range(len(KINDS)), yticklabels=list(KINDS))
    axes[0, 1].invert_yaxis()
    blocks = profile.blocks()
    means = [block["cost_a_hand"].mean for block in blocks]
    margins = [block["cost_a_hand"].margin for block in blocks]
    axes[1, 0].errorbar(
        np.cumsum([block["hands"] for block in blocks]), means, margins, marker="o", capsize=3
    )
    axes[1, 0].set(title=f"points lost a hand by {player}, over time", xlabel="hands", ylim=(0, None))
    known = [hand for hand in profile.hands if hand.points is not None]
    axes[1, 1].plot(np.cumsum([hand.points for hand in known]), label="points")
    judged = [(number, hand) for number, hand in enumerate(known) if hand.luck is not None]
    axes[1, 1].plot(
        [number for number, _ in judged],
        np.cumsum([(hand.points or 0) - (hand.luck or 0.0) for _, hand in judged]),
        label="less luck",
    )
    axes[1, 1].set(title="points added up", xlabel="hands")
    for each in (axes[0, 0], axes[0, 1], axes[1, 1]):
        each.legend()
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
