"""How well a clone imitates and foresees: accuracy, errors, AUC and calibration, overall and by turn."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from agents.networks.afterstate import FANTASYLAND, FOUL, PREFERENCE, ROYALTIES, AfterstateNetwork
from experiments.cloning.data import Turns, batches
from experiments.cloning.training import log_chances

BINS = 10


@dataclass(frozen=True)
class Scores:
    """Figures over some turns; accuracies count only those with a choice. NaN where nothing can be said."""

    turns: int
    top1: float  # share in which the likeliest placement is the one played
    top3: float  # share in which it is among the likeliest three
    royalty_mae: float  # points
    bust_auc: float
    fl_auc: float


def auc(scores: ArrayLike, positives: ArrayLike) -> float:
    """Area under the ROC curve: the chance that a positive scores above a negative, ties counting half."""
    values, truth = np.asarray(scores, dtype=np.float64), np.asarray(positives, dtype=np.bool_)
    count = int(truth.sum())
    if count == 0 or count == len(truth):
        return math.nan
    _, inverse, sizes = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(sizes) - (sizes - 1) / 2)[inverse]  # 1-based; ties share their mean rank
    return float((ranks[truth].sum() - count * (count + 1) / 2) / (count * (len(truth) - count)))


@dataclass(frozen=True)
class Predictions:
    """What a clone says about turns before they are played, in their order, and what was so."""

    placing: NDArray[np.int64]  # place of the placement played in the policy's order, 0 the likeliest
    choices: NDArray[np.int64]  # number of legal placements
    chance: NDArray[np.float32]  # that the policy gave the placement played
    royalty_ev: NDArray[np.float32]
    bust_prob: NDArray[np.float32]
    fl_prob: NDArray[np.float32]
    royalties: NDArray[np.float32]
    busted: NDArray[np.bool_]
    fl_entry: NDArray[np.bool_]
    turn: NDArray[np.int8]

    def scores(self, chosen: NDArray[np.bool_] | None = None) -> Scores:
        """Figures over all turns, or over those chosen."""
        pick = slice(None) if chosen is None else chosen
        placing = self.placing[pick][self.choices[pick] > 1]
        errors = np.abs(self.royalty_ev[pick] - self.royalties[pick])
        return Scores(
            turns=len(errors),
            top1=float((placing == 0).mean()) if len(placing) else math.nan,
            top3=float((placing < 3).mean()) if len(placing) else math.nan,
            royalty_mae=float(errors.mean()) if len(errors) else math.nan,
            bust_auc=auc(self.bust_prob[pick], self.busted[pick]),
            fl_auc=auc(self.fl_prob[pick], self.fl_entry[pick]),
        )


@torch.inference_mode()
def predict(network: AfterstateNetwork, turns: Turns, numbers: NDArray[np.int64]) -> Predictions:
    """What a network says about some turns; it is left in evaluation mode.

    What is to come is foretold before the placement: the mean over all of them, as likely as the policy finds
    each.
    """
    network.eval()
    placing, choices, played, expected = [], [], [], []
    for batch in batches(turns, numbers, 512):
        heads = network.judge(batch.states, batch.starts).cpu()
        starts, preferences = torch.from_numpy(batch.starts), heads[:, PREFERENCE]
        counts = starts.diff()
        owners = torch.repeat_interleave(counts)
        better = preferences > preferences[batch.played][owners]
        placing.append(torch.zeros(len(counts), dtype=torch.int64).index_add(0, owners, better.long()))
        choices.append(counts)
        chances = log_chances(preferences, starts).exp()
        played.append(chances[batch.played])
        outcomes = torch.stack(
            [heads[:, ROYALTIES], torch.sigmoid(heads[:, FOUL]), torch.sigmoid(heads[:, FANTASYLAND])], dim=1
        )
        expected.append(torch.zeros(len(counts), 3).index_add(0, owners, chances[:, None] * outcomes))
    royalty_ev, bust_prob, fl_prob = torch.cat(expected).numpy().T
    return Predictions(
        torch.cat(placing).numpy(),
        torch.cat(choices).numpy(),
        torch.cat(played).numpy(),
        royalty_ev,
        bust_prob,
        fl_prob,
        turns.royalties[numbers],
        turns.busted[numbers],
        turns.fl_entry[numbers],
        turns.turn[numbers],
    )


def evaluation(predictions: Predictions) -> dict[str, Any]:
    """Figures overall and by turn, JSON-ready (None where nothing can be said)."""
    by_turn = {str(turn): predictions.scores(predictions.turn == turn) for turn in range(5)}
    return {
        "overall": _plain(predictions.scores()),
        "by_turn": {turn: _plain(scores) for turn, scores in by_turn.items()},
        "bust_calibration": calibration(predictions.bust_prob, predictions.busted),
        "fl_calibration": calibration(predictions.fl_prob, predictions.fl_entry),
    }


def _plain(scores: Scores) -> dict[str, Any]:
    return {name: None if value != value else value for name, value in asdict(scores).items()}


def calibration(chances: NDArray[np.float32], happened: NDArray[np.bool_]) -> list[dict[str, float]]:
    """What was foretold against what came, in ten bins of the chance; empty bins are left out."""
    bins = np.minimum((chances * BINS).astype(int), BINS - 1)
    return [
        {
            "turns": int((bins == index).sum()),
            "foretold": float(chances[bins == index].mean()),
            "came": float(happened[bins == index].mean()),
        }
        for index in range(BINS)
        if (bins == index).any()
    ]


def evaluation_table(report: dict[str, Any]) -> str:
    """The figures as text, a line for each turn and one for all."""

    def cell(value: float | None, form: str) -> str:
        return "-" if value is None else format(value, form)

    columns = f"{'turn':>5} {'turns':>7} {'top-1':>7} {'top-3':>7} {'royalty MAE':>12}"
    lines = [f"{columns} {'bust AUC':>9} {'FL AUC':>7}"]
    for name, scores in [*report["by_turn"].items(), ("all", report["overall"])]:
        lines.append(
            f"{name:>5} {scores['turns']:>7} {cell(scores['top1'], '.1%'):>7} "
            f"{cell(scores['top3'], '.1%'):>7} "
            f"{cell(scores['royalty_mae'], '.2f'):>12} {cell(scores['bust_auc'], '.3f'):>9} "
            f"{cell(scores['fl_auc'], '.3f'):>7}"
        )
    return "\n".join(lines)


def plot_report(report: dict[str, Any], curve: list[dict[str, float]], path: Path) -> None:
    """One picture: learning curve, accuracy by turn, calibration of both chances."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 3, figsize=(15, 4.5), constrained_layout=True)
    epochs = [entry["epoch"] for entry in curve]
    for part in ("train", "validation"):
        axes[0].plot(epochs, [entry[part] for entry in curve], label=part)
    axes[0].set(title="learning", xlabel="epoch", ylabel="loss")
    axes[0].legend()
    turns = list(report["by_turn"])
    for offset, name in ((-0.2, "top1"), (0.2, "top3")):
        heights = [report["by_turn"][turn][name] or 0.0 for turn in turns]
        axes[1].bar([int(turn) + offset for turn in turns], heights, width=0.4, label=name)
    axes[1].set(title="the player's placement among the likeliest", xlabel="turn", ylim=(0, 1))
    axes[1].legend()
    axes[2].plot([0, 1], [0, 1], color="grey", linewidth=1)
    for name, label in (("bust_calibration", "foul"), ("fl_calibration", "fantasyland")):
        bins = report[name]
        axes[2].plot([b["foretold"] for b in bins], [b["came"] for b in bins], marker="o", label=label)
    axes[2].set(title="calibration", xlabel="foretold chance", ylabel="share that came true")
    axes[2].legend()
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
