"""Training sets on disk: loading, whole turns, splitting by session, and batches under suit symmetry."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from experiments.preprocess import ARRAYS, FORMAT, NOT_IN_0_1
from ofc_env import RewardConfig, Rules, _core

_LARGEST_IN_MEMORY = 1 << 30  # bytes of states; larger sets stay on disk
_ROWS_AT_ONCE = 1 << 16  # that become turns together


@dataclass(frozen=True)
class TrainingSet:
    """The arrays of `experiments/preprocess.py`, N rows each; see there for shapes."""

    states: NDArray[np.float32]
    actions: NDArray[np.int64]
    valid_masks: NDArray[np.int8]
    royalties: NDArray[np.float32]
    busted: NDArray[np.bool_]
    fl_entry: NDArray[np.bool_]
    points: NDArray[np.float32]
    fl_won: NDArray[np.int8]
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
            if name in NOT_IN_0_1 and name not in metadata["arrays"]:
                arrays[name] = np.full((rows, *shape), NOT_IN_0_1[name], dtype)
                continue
            try:
                array = np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)
            except (OSError, ValueError, EOFError) as error:
                raise ValueError(f"{folder / name}.npy cannot be read ({error}): preprocess again") from None
            if array.shape != (rows, *shape) or array.dtype != dtype:
                raise ValueError(f"{folder / name}.npy is not as its metadata says: preprocess again")
            arrays[name] = array if array.nbytes > _LARGEST_IN_MEMORY else np.array(array)
        return TrainingSet(**arrays, metadata=metadata)

    def turns(self, reward: RewardConfig | None = None) -> Turns:
        """The rows as whole turns.

        Args:
            reward: what the hands are worth; equity by default, points where nobody has measured what
                fantasyland is worth.
        """
        rules = self.rules
        if reward is None:
            reward = RewardConfig.preset("equity" if rules.fantasyland_values else "points", rules)
        # A piece ends where a hand ends: the two steps of an opening belong together.
        ends = np.flatnonzero(np.diff(self.hand_index)) + 1
        cuts = np.unique(ends[np.searchsorted(ends, np.arange(_ROWS_AT_ONCE, len(self), _ROWS_AT_ONCE)) - 1])
        pieces = []
        for first, last in zip([0, *cuts.tolist()], [*cuts.tolist(), len(self)], strict=True):
            states = np.ascontiguousarray(self.states[first:last])
            positions, chosen, rows = _core.pack_turns(states, self.actions[first:last], rules)
            pieces.append((positions, chosen, rows + first))
        positions, chosen, rows = (np.concatenate(column) for column in zip(*pieces, strict=True))
        worth = np.array([0.0, *(reward.fantasyland_values[width - 14] for width in range(14, 18))])
        won = np.where(self.fl_won[rows] > 0, self.fl_won[rows] - 13, 0)
        values = self.points[rows] + worth[won[:, 0]] - worth[won[:, 1]]
        return Turns(
            positions,
            chosen,
            values.astype(np.float32),
            self.busted[rows],
            self.fl_entry[rows],
            self.royalties[rows],
            self.session_index[rows],
            self.turn[rows],
            rows,
            rules,
        )


@dataclass(frozen=True)
class Turns:
    """Whole turns, M of them: what the seat knew, what it played, and how its hand ended."""

    positions: NDArray[np.uint64]  # (M, 9) packed
    chosen: NDArray[np.int64]  # which placement was played, in the order of `_core.placement_states`
    values: NDArray[np.float32]  # what the hand was worth; NaN where the log does not show it
    busted: NDArray[np.bool_]
    fl_entry: NDArray[np.bool_]
    royalties: NDArray[np.float32]
    session_index: NDArray[np.int32]
    turn: NDArray[np.int8]
    rows: NDArray[np.int64]  # of the training set, where each turn began
    rules: Rules

    def __len__(self) -> int:
        return len(self.chosen)


@dataclass(frozen=True)
class Split:
    """Numbers of turns, ascending; no session is in two parts."""

    train: NDArray[np.int64]
    validation: NDArray[np.int64]
    test: NDArray[np.int64]


def split_by_session(session_index: NDArray[Any], seed: int, held_out: float = 0.1) -> Split:
    """Divide turns into train, validation and test, whole sessions each.

    Turns of one session are alike (the same players, and turns of one hand share an outcome), so a split by
    turns would flatter the result.

    Args:
        session_index: (M,) the session of each turn.
        seed: which sessions go where.
        held_out: share of the turns for validation, and again for the test.
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
    """Turns with all their placements, P of B turns; the outcomes are tensors (B,)."""

    states: NDArray[np.uint64]  # (P, 8) after every placement
    starts: NDArray[np.int64]  # (B + 1,) where those of each turn begin
    played: torch.Tensor  # (B,) which of the P was played
    values: torch.Tensor
    busted: torch.Tensor
    fl_entry: torch.Tensor
    royalties: torch.Tensor
    seed: int | None  # of the renaming of suits and jokers

    def to(self, device: torch.device) -> Batch:
        """The same with its tensors on a device."""
        moved: dict[str, Any] = {
            name: part.to(device) for name, part in vars(self).items() if isinstance(part, torch.Tensor)
        }
        return replace(self, **moved)


def batches(
    turns: Turns,
    numbers: NDArray[np.int64],
    size: int,
    rng: np.random.Generator | None = None,
    augment: bool = False,
) -> Iterator[Batch]:
    """Go through some turns once.

    Args:
        turns: where they are.
        numbers: which ones.
        size: turns in a batch.
        rng: shuffles them and draws relabellings; without one they come in order.
        augment: rename suits and jokers at random, anew for each turn each time.
    """
    order = numbers if rng is None else rng.permutation(numbers)
    for start in range(0, len(order), size):
        some = order[start : start + size]
        states, starts = _core.placement_states(turns.positions[some])
        yield Batch(
            states,
            starts,
            torch.from_numpy(starts[:-1] + turns.chosen[some]),
            torch.from_numpy(turns.values[some]),
            torch.from_numpy(turns.busted[some].astype(np.float32)),
            torch.from_numpy(turns.fl_entry[some].astype(np.float32)),
            torch.from_numpy(turns.royalties[some]),
            int(rng.integers(1 << 62)) if augment and rng is not None else None,
        )
