"""How well a clone imitates and foresees: accuracy, errors, AUC and calibration, overall and by turn."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from agents.networks.observation import PolicyNetwork, ValueNetwork
from experiments.cloning.data import TrainingSet, batches

BINS = 10


@dataclass(frozen=True)
class Scores:
    """Figures over some rows; accuracies count only rows with a choice. NaN where nothing can be said."""

    rows: int
    top1: float  # share in which the likeliest slot is the one played
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
    """What the networks say about rows, in their order, and what was so."""

    placing: NDArray[np.int64]  # place of the played slot in the policy's order, 0 the likeliest
    choices: NDArray[np.int64]  # number of legal slots
    royalty_ev: NDArray[np.float32]
    bust_prob: NDArray[np.float32]
    fl_prob: NDArray[np.float32]
    royalties: NDArray[np.float32]
    busted: NDArray[np.bool_]
    fl_entry: NDArray[np.bool_]
    turn: NDArray[np.int8]

    def scores(self, chosen: NDArray[np.bool_] | None = None) -> Scores:
        """Figures over all rows, or over those chosen."""
        pick = slice(None) if chosen is None else chosen
        placing = self.placing[pick][self.choices[pick] > 1]
        errors = np.abs(self.royalty_ev[pick] - self.royalties[pick])
        return Scores(
            rows=len(errors),
            top1=float((placing == 0).mean()) if len(placing) else math.nan,
            top3=float((placing < 3).mean()) if len(placing) else math.nan,
            royalty_mae=float(errors.mean()) if len(errors) else math.nan,
            bust_auc=auc(self.bust_prob[pick], self.busted[pick]),
            fl_auc=auc(self.fl_prob[pick], self.fl_entry[pick]),
        )


@torch.inference_mode()
def predict(
    policy: PolicyNetwork, value: ValueNetwork, data: TrainingSet, rows: NDArray[np.int64]
) -> Predictions:
    """What both networks say about rows (ascending); they are left in evaluation mode."""
    if (np.diff(rows) <= 0).any():
        raise ValueError("the rows to predict are not in ascending order: sort them")
    policy.eval(), value.eval()
    placing, choices, heads = [], [], []
    for batch in batches(data, rows, 2048):
        logits = policy(batch.states, batch.masks)
        played = logits.gather(1, batch.actions[:, None])
        placing.append((logits > played).sum(dim=1))
        choices.append((batch.masks != 0).sum(dim=1))
        heads.append(torch.stack(value(batch.states)[:3]))
    expected = torch.cat(heads, dim=1).numpy()
    return Predictions(
        torch.cat(placing).numpy(),
        torch.cat(choices).numpy(),
        expected[0],
        expected[1],
        expected[2],
        data.royalties[rows],
        data.busted[rows],
        data.fl_entry[rows],
        data.turn[rows],
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
            "rows": int((bins == index).sum()),
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

    lines = [
        f"{'turn':>5} {'rows':>7} {'top-1':>7} {'top-3':>7} {'royalty MAE':>12} {'bust AUC':>9} {'FL AUC':>7}"
    ]
    for name, scores in [*report["by_turn"].items(), ("all", report["overall"])]:
        lines.append(
            f"{name:>5} {scores['rows']:>7} {cell(scores['top1'], '.1%'):>7} "
            f"{cell(scores['top3'], '.1%'):>7} "
            f"{cell(scores['royalty_mae'], '.2f'):>12} {cell(scores['bust_auc'], '.3f'):>9} "
            f"{cell(scores['fl_auc'], '.3f'):>7}"
        )
    return "\n".join(lines)


def plot_report(report: dict[str, Any], curves: dict[str, list[dict[str, float]]], path: Path) -> None:
    """One picture: learning curves, accuracy by turn, calibration of both chances."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(2, 2, figsize=(11, 8), constrained_layout=True)
    for axis, task in zip(axes[0], ("policy", "value"), strict=True):
        epochs = [entry["epoch"] for entry in curves[task]]
        for part in ("train", "validation"):
            axis.plot(epochs, [entry[part] for entry in curves[task]], label=part)
        axis.set(title=f"{task} network", xlabel="epoch", ylabel="loss")
        axis.legend()
    turns = list(report["by_turn"])
    for offset, name in ((-0.2, "top1"), (0.2, "top3")):
        heights = [report["by_turn"][turn][name] or 0.0 for turn in turns]
        axes[1][0].bar([int(turn) + offset for turn in turns], heights, width=0.4, label=name)
    axes[1][0].set(title="the player's slot among the likeliest", xlabel="turn", ylim=(0, 1))
    axes[1][0].legend()
    axes[1][1].plot([0, 1], [0, 1], color="grey", linewidth=1)
    for name, label in (("bust_calibration", "foul"), ("fl_calibration", "fantasyland")):
        bins = report[name]
        axes[1][1].plot([b["foretold"] for b in bins], [b["came"] for b in bins], marker="o", label=label)
    axes[1][1].set(title="calibration", xlabel="foretold chance", ylabel="share that came true")
    axes[1][1].legend()
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
