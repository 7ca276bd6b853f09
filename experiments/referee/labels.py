"""What the referee found, as arrays to learn from."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.arena.store import begun_match


@dataclass(frozen=True)
class Labels:
    """Decisions one after the other; placements of a decision stand best by the judge's network first.

    The placements of decision `i` are those from `offsets[i]` to `offsets[i + 1]`.
    """

    states: NDArray[np.uint64]  # (placements, 8): what the seat sees after each, packed
    values: NDArray[np.float32]  # (placements,): mean over all its worlds, points of equity
    errors: NDArray[np.float32]  # (placements,): standard errors of them
    worlds: NDArray[np.int64]  # (placements,): how many; few where it dropped out early
    priors: NDArray[np.float32]  # (placements,): what the judge's network said itself
    offsets: NDArray[np.int64]  # (decisions + 1,)
    informations: list[str]  # what the seat knew before, as InformationSet.parse reads it


def read_labels(path: Path) -> Labels:
    """The labels of a measurement, finished or not: its `decisions.jsonl`."""
    decisions = [decision for _, decision in sorted(read_decisions(path), key=lambda numbered: numbered[0])]
    if not decisions:
        raise ValueError(f"{path} has no decisions yet: let experiments/regret.py write some")
    values, errors, worlds = zip(*map(_pooled, decisions), strict=True)
    return Labels(
        np.concatenate([_states(decision) for decision in decisions]),
        np.concatenate(values).astype(np.float32),
        np.concatenate(errors).astype(np.float32),
        np.concatenate(worlds),
        np.concatenate([np.array(decision["priors"], dtype=np.float32) for decision in decisions]),
        np.cumsum([0, *(len(decision["priors"]) for decision in decisions)]),
        [decision["information"] for decision in decisions],
    )


def read_measurement(path: Path) -> dict[str, Any]:
    """What the decisions were judged by: the first line of the file."""
    if not path.is_file():
        raise ValueError(f"there are no labels at {path}: let experiments/regret.py write some")
    content = begun_match(path) or {}
    if content.get("kind") != "regret":
        raise _no_decisions(path)
    return content


def read_decisions(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The decisions with their numbers, in the order of finishing; a line that was cut off is left out."""
    with path.open() as file:
        for line in file:
            if not line.endswith("\n"):
                return
            content = json.loads(line)
            if "results" not in content:
                if content.get("kind") != "regret":
                    raise _no_decisions(path)
                continue
            for index, decision in enumerate(content["results"]["decision"]):
                yield content["first"] + index, decision


def _no_decisions(path: Path) -> ValueError:
    return ValueError(f"{path} holds no judged decisions: give decisions.jsonl of a measurement")


def _states(decision: dict[str, Any]) -> NDArray[np.uint64]:
    return np.frombuffer(base64.b64decode(decision["states"]), dtype=np.uint64).reshape(-1, 8)


def _pooled(
    decision: dict[str, Any],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Means, errors and numbers of worlds: of the race and, where they judged, the fresh ones together."""
    means, errors, worlds = (np.array(decision["race"][name]) for name in ("means", "errors", "worlds"))
    fresh = {name: np.array(values) for name, values in decision["fresh"].items()}
    judged = decision["judged"]
    total = worlds[judged] + fresh["worlds"]
    share = worlds[judged] / total
    means[judged] = share * means[judged] + (1 - share) * fresh["means"]
    errors[judged] = np.hypot(share * errors[judged], (1 - share) * fresh["errors"])
    worlds[judged] = total
    return means, errors, worlds
