"""What a training run shows: a progress bar, TensorBoard, the learning curve, tables of matches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from agents.arena.estimates import Estimate
from agents.arena.progress import Progress
from agents.arena.results import MatchResult, SessionResult
from ofc_env.files import new_file

Curve = list[dict[str, Any]]


class Display:
    """How far the run is, and the TensorBoard folder, which is left out where its package is missing."""

    def __init__(self, folder: Path, share: float, shown: bool = True) -> None:
        """Begin at `share` of the run, 0 to 1."""
        self.shown = shown
        self.bar = Progress("training", 1.0, share, shown=shown)
        self.board: Any = None
        if not shown:
            return
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            pass
        else:
            self.board = SummaryWriter(str(folder / "tensorboard"))

    def move(self, share: float, text: str) -> None:
        """Move the bar to `share` of the run and show a few words beside it."""
        self.bar.note = text
        self.bar.move_to(share)

    def say(self, line: str) -> None:
        """A line that stays."""
        if self.shown:
            self.bar.say(line)

    def record(self, entry: dict[str, Any]) -> None:
        """The numbers of a round, for TensorBoard."""
        if self.board is None:
            return
        for name, value in flat(entry).items():
            self.board.add_scalar(name, value, entry["round"])

    def close(self) -> None:
        """Take the bar away and finish the files."""
        self.bar.close()
        if self.board is not None:
            self.board.close()


def flat(entry: dict[str, Any], prefix: str = "") -> dict[str, float]:
    """The numbers of nested dicts under names like `losses/value`."""
    numbers: dict[str, float] = {}
    for name, value in entry.items():
        if isinstance(value, dict):
            numbers |= flat(value, f"{prefix}{name}/")
        elif isinstance(value, int | float):
            numbers[prefix + name] = float(value)
    return numbers


# ---------------------------------------------------------------- matches


def judged(result: MatchResult | SessionResult) -> Estimate:
    """What decides a match of a run: the reward of a session, or the equity of a hand."""
    if isinstance(result, MatchResult):
        return result.equity
    if result.paid is None:
        raise ValueError("these sessions were played without a reward: give one in MatchSettings")
    return result.paid


def summary(result: MatchResult | SessionResult) -> dict[str, Any]:
    """What the curve keeps of a match, from the first agent's side; `deals` are those of sessions too."""
    rates, decisive = result.sides[0].overall, judged(result)
    own: dict[str, Any]
    if isinstance(result, MatchResult):
        own = {"equity": decisive.mean, "margin": decisive.margin, "points": result.points.mean}
        deals = result.deals
    else:
        own = {"paid": decisive.mean, "margin": decisive.margin}
        own |= {"wins": result.wins.mean, "chips": result.chips.mean}
        deals = result.sessions
    return {
        **own,
        "foul": rates.foul.mean,
        "fantasyland": rates.fantasyland.mean,
        "royalties": rates.royalties.mean,
        "deals": deals,
    }


def mean_of(match: dict[str, Any]) -> float:
    """The mean that decides, of a match as `summary` keeps it."""
    return float(match["paid"] if "paid" in match else match["equity"])


def match_table(results: Sequence[MatchResult | SessionResult]) -> str:
    """A line for each match, from the first agent's side; all of hands, or all of sessions."""
    amounts: tuple[str, ...] = ("deals", "equity a hand", "points a hand")
    if isinstance(results[0], SessionResult):
        amounts = ("sessions", "won", "chips a session", *(() if results[0].paid is None else ("reward",)))
    lines: list[tuple[str, ...]] = [("player", "against", *amounts, "foul", "FL entry", "royalties")]
    for result in results:
        rates = result.sides[0].overall
        shares = (f"{100 * rates.foul.mean:.1f} %", f"{100 * rates.fantasyland.mean:.1f} %")
        lines.append((*result.agents, *_amounts(result), *shares, f"{rates.royalties.mean:.2f}"))
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    text = []
    for line in lines:
        cells = [line[0].ljust(widths[0]), line[1].ljust(widths[1])]
        cells += [cell.rjust(width) for cell, width in zip(line[2:], widths[2:], strict=True)]
        text.append("  ".join(cells))
    return "\n".join(text)


def _amounts(result: MatchResult | SessionResult) -> tuple[str, ...]:
    if isinstance(result, MatchResult):
        return str(result.deals), result.equity.text(), result.points.text()
    won = f"{result.wins.scaled(100).text(1, sign=False)} %"
    paid = () if result.paid is None else (result.paid.text(3),)
    return str(result.sessions), won, result.chips.text(1), *paid


# ---------------------------------------------------------------- the curve


def plot_curve(curve: Curve, path: Path, title: str) -> None:
    """Equity or reward v each opponent, fouls and fantasyland, losses, by hands played: a PNG, or none."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 7), layout="constrained")
    (equity, rates), (value, policy) = figure.subplots(2, 2)
    figure.suptitle(title)
    judged_rounds = [entry for entry in curve if entry.get("evaluation")]
    for opponent in sorted({name for entry in judged_rounds for name in entry["evaluation"]}):
        points = [(entry["hands"], entry["evaluation"][opponent]) for entry in judged_rounds]
        hands = [at for at, _ in points]
        means = [mean_of(match) for _, match in points]
        margins = [match["margin"] for _, match in points]
        line = equity.plot(hands, means, marker=".", label=f"v {opponent}")[0]
        low = [mean - margin for mean, margin in zip(means, margins, strict=True)]
        high = [mean + margin for mean, margin in zip(means, margins, strict=True)]
        equity.fill_between(hands, low, high, alpha=0.15, color=line.get_color())
    equity.axhline(0, color="grey", linewidth=0.8)
    by_sessions = any("paid" in match for entry in judged_rounds for match in entry["evaluation"].values())
    what = "reward a session" if by_sessions else "equity a hand"
    equity.set_title(f"{what} of the champion, network alone (95 % interval)")

    _lines(rates, curve, "fouls in self-play", lambda entry: 100 * entry["self_play"]["foul"])
    _lines(rates, curve, "fantasyland in self-play", lambda entry: 100 * entry["self_play"]["fantasyland"])
    _lines(rates, judged_rounds, "fouls, champion", lambda entry: 100 * _last_match(entry)["foul"], "o")
    _lines(
        rates,
        judged_rounds,
        "fantasyland, champion",
        lambda entry: 100 * _last_match(entry)["fantasyland"],
        "o",
    )
    rates.set_title("share of hands, %")

    _lines(value, curve, "value", lambda entry: entry["losses"]["value"])
    value.set_title("loss of the value (Huber, in tens of points)")
    _lines(policy, curve, "policy (nats)", lambda entry: entry["losses"]["policy"])
    _lines(policy, curve, "foul, fantasyland, royalties", lambda entry: entry["losses"]["heads"])
    policy.set_title("losses of the policy and of the other heads")
    for axes in (equity, rates, value, policy):
        axes.set_xlabel("hands of self-play")
        axes.grid(alpha=0.3)
        if axes.has_data():
            axes.legend(fontsize=8)
    with new_file(path) as partial:
        figure.savefig(partial, dpi=110)


def _last_match(entry: dict[str, Any]) -> dict[str, Any]:
    """The match against the strongest opponent of an evaluation: rates depend little on it."""
    match: dict[str, Any] = list(entry["evaluation"].values())[-1]
    return match


def _lines(
    axes: Any, curve: Curve, label: str, number: Callable[[dict[str, Any]], float], marker: str = ""
) -> None:
    hands = [entry["hands"] for entry in curve]
    axes.plot(hands, [number(entry) for entry in curve], marker=marker, markersize=3, label=label)
