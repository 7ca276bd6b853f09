"""How strong a learner is, by duplicate matches in the arena, and the learning curve as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agents.arena import MatchSettings, play_match, play_sessions
from agents.players.ppo import PlayingNetwork, PpoAgent
from experiments.masked_ppo.config import PpoConfig

_SEED = 1_000_003  # deals of evaluations, apart from those of final matches, whose default seed is 0


def evaluate(
    network: PlayingNetwork, config: PpoConfig, step: int, progress: bool = False
) -> list[dict[str, Any]]:
    """Match the learner against each opponent of the settings; a JSON-ready line each."""
    settings = MatchSettings(
        seed=_SEED,
        chunk=256,
        rules=config.played_by,
        fantasyland_values=config.fantasyland_values,
        progress=progress,
    )
    lines = []
    for opponent in config.evaluate:
        agent = PpoAgent(network=network, rules=config.played_by)
        agent.name = "learner"
        match = play_match(agent, opponent, config.deals, settings)
        own = match.sides[0].overall
        line = {
            "step": step,
            "opponent": opponent,
            "equity": match.equity.mean,
            "equity_margin": match.equity.margin,
            "points": match.points.mean,
            "points_margin": match.points.margin,
            "foul": own.foul.mean,
            "fantasyland": own.fantasyland.mean,
            "royalties": own.royalties.mean,
        }
        if config.episode == "session":
            sessions = play_sessions(agent, opponent, max(1, config.deals // 4), settings)
            line |= {"wins": sessions.wins.mean, "wins_margin": sessions.wins.margin}
        lines.append(line)
    return lines


def plot(curve: list[dict[str, Any]], path: Path, title: str) -> None:
    """Equity against each opponent with its 95 % interval, and foul and fantasyland rates, over steps."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 7), layout="constrained")
    strength, rates = figure.subplots(2, 1, sharex=True)
    for opponent in dict.fromkeys(line["opponent"] for line in curve):
        lines = [line for line in curve if line["opponent"] == opponent]
        steps = [line["step"] for line in lines]
        equity = [line["equity"] for line in lines]
        low = [line["equity"] - line["equity_margin"] for line in lines]
        high = [line["equity"] + line["equity_margin"] for line in lines]
        (drawn,) = strength.plot(steps, equity, marker=".", label=f"v {opponent}")
        strength.fill_between(steps, low, high, color=drawn.get_color(), alpha=0.2, linewidth=0)
    strength.axhline(0, color="grey", linewidth=0.8)
    strength.set_ylabel("equity a hand, 95 % interval")
    strength.set_title(title)
    strength.legend()
    first = curve[0]["opponent"]
    for rate, label in (("foul", "fouls"), ("fantasyland", "fantasyland won")):
        lines = [line for line in curve if line["opponent"] == first]
        rates.plot(
            [line["step"] for line in lines],
            [100 * line[rate] for line in lines],
            marker=".",
            label=f"{label} (v {first})",
        )
    rates.set_ylabel("% of hands")
    rates.set_xlabel("decisions learned from")
    rates.set_ylim(bottom=0)
    rates.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
