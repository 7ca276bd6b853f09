"""Training sets on disk: loading, splitting by session, and batches under suit symmetry."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from experiments.preprocess import ARRAYS, FORMAT
from ofc_env import Rules, symmetry
from ofc_env.afterstates import afterstates

NO_ACTION = -100  # in place of a slot; torch's cross entropy leaves it out
_LARGEST_IN_MEMORY = 1 << 30  # bytes of states; larger sets stay on disk


@dataclass(frozen=True)
class TrainingSet:
    """The arrays of `experiments/preprocess.py`, N rows each; see there for shapes."""

    states: NDArray[np.float32]
    actions: NDArray[np.int64]
    valid_masks: NDArray[np.int8]
    royalties: NDArray[np.float32]
    busted: NDArray[np.bool_]
    fl_entry: NDArray[np.bool_]
    session_index: NDArray[np.int32]
    hand_index: NDArray[np.int32]
    player_index: NDArray[np.int32]
    turn: NDArray[np.int8]
    metadata: dict[str, Any]

    def __len__(self) -> int:
        return len(self.actions)

    @property
    def rules(self) -> Rules:
        """That its hands were played by, apart from chips and clocks."""
        return Rules.parse(self.metadata["rules"])

    @staticmethod
    def load(folder: Path) -> TrainingSet:
        """The set in a folder; one that is missing or not whole is refused with a sentence."""
        try:
            metadata = json.loads((folder / "metadata.json").read_text())
            known = metadata["format"] == FORMAT
        except (OSError, ValueError, KeyError, TypeError):
            known = False
        if not known:
            raise ValueError(f"{folder} is not a training set: make one with experiments/preprocess.py")
        arrays: dict[str, NDArray[Any]] = {}
        for name, (dtype, shape) in ARRAYS.items():
            rows = metadata["counts"]["rows"]
            try:
                array = np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)
            except (OSError, ValueError, EOFError) as error:
                raise ValueError(f"{folder / name}.npy cannot be read ({error}): preprocess again") from None
            if array.shape != (rows, *shape) or array.dtype != dtype:
                raise ValueError(f"{folder / name}.npy is not as its metadata says: preprocess again")
            arrays[name] = array if array.nbytes > _LARGEST_IN_MEMORY else np.array(array)
        return TrainingSet(**arrays, metadata=metadata)


@dataclass(frozen=True)
class Split:
    """Row numbers, ascending; no session is in two parts."""

    train: NDArray[np.int64]
    validation: NDArray[np.int64]
    test: NDArray[np.int64]


def split_by_session(session_index: NDArray[Any], seed: int, held_out: float = 0.1) -> Split:
    """Divide rows into train, validation and test, whole sessions each.

    Rows of one session are alike (the same players, and rows of one hand share an outcome), so a split by
    rows would flatter the result.

    Args:
        session_index: (N,) the session of each row.
        seed: which sessions go where.
        held_out: share of the rows for validation, and again for the test.
    """
    sessions, sizes = np.unique(session_index, return_counts=True)
    if len(sessions) < 3:
        raise ValueError(
            f"{len(sessions)} sessions cannot be split into train, validation and test: log at least 3"
        )
    order = np.random.default_rng(seed).permutation(len(sessions))
    wanted = max(1.0, held_out * len(session_index))
    parts: list[list[int]] = [[], []]
    place = 0
    for number, part in enumerate(parts):
        filled, left_for_others = 0, 2 - number
        while filled < wanted and place < len(order) - left_for_others:
            part.append(int(sessions[order[place]]))
            filled += int(sizes[order[place]])
            place += 1
    held = [np.flatnonzero(np.isin(session_index, part)) for part in parts]
    train = np.flatnonzero(~np.isin(session_index, parts[0] + parts[1]))
    return Split(train=train, validation=held[0], test=held[1])


@dataclass(frozen=True)
class Batch:
    """Rows as tensors: states (B, 490), masks (B, 150), the rest (B,)."""

    states: torch.Tensor
    masks: torch.Tensor
    actions: torch.Tensor
    royalties: torch.Tensor
    busted: torch.Tensor
    fl_entry: torch.Tensor


def batches(
    data: TrainingSet,
    rows: NDArray[np.int64],
    size: int,
    rng: np.random.Generator | None = None,
    augment: bool = False,
    after: bool = False,
) -> Iterator[Batch]:
    """Go through some rows once.

    Args:
        data: where the rows are.
        rows: their numbers.
        size: rows in a batch.
        rng: shuffles them and draws relabellings; without one they come in order.
        augment: rename suits and jokers at random, a new relabelling for each row each time; a single joker
            keeps its name.
        after: put the position after the action in place of about half of the states, at random: a value
            network is asked about both. They have no action any more: `NO_ACTION`.
    """
    order = rows if rng is None else rng.permutation(rows)
    for start in range(0, len(order), size):
        chosen = np.sort(order[start : start + size])  # ascending reads are kind to a file
        states = np.ascontiguousarray(data.states[chosen])
        masks, actions = np.ascontiguousarray(data.valid_masks[chosen]), data.actions[chosen]
        if augment and rng is not None:
            numbers = rng.integers(symmetry.COUNT, size=len(chosen))
            if data.rules.jokers == 1:
                numbers -= numbers % 2  # odd ones swap the jokers, and a single one is X1
            states, masks, actions = symmetry.relabel(states, masks, actions, numbers)
        if after and rng is not None:
            moved = rng.random(len(chosen)) < 0.5
            states[moved] = afterstates(states[moved], actions[moved])
            actions = np.where(moved, NO_ACTION, actions)
        yield Batch(
            torch.from_numpy(states),
            torch.from_numpy(masks),
            torch.from_numpy(np.asarray(actions, dtype=np.int64)),
            torch.from_numpy(data.royalties[chosen]),
            torch.from_numpy(data.busted[chosen].astype(np.float32)),
            torch.from_numpy(data.fl_entry[chosen].astype(np.float32)),
        )
