"""Chance that follows from numbers alone: seeds, the key of an observation, a slot picked by a key."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ofc_env.layout import CARD_NUMBERS

_COLUMN_STEPS = np.arange(1, 11, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)


def seed_of(*numbers: int) -> int:
    """A seed of 64 bits that follows from whole numbers of 0 or more, such as a run's seed and a round.

    Tuples that differ in a number give seeds that have nothing to do with each other.
    """
    return int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0])


def _mix(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread every bit of each word over all its bits (multiply and fold, twice)."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def observation_keys(observations: NDArray[np.float32], seed: int) -> NDArray[np.uint64]:
    """A 64-bit number for each observation (N, 490), evenly spread, fixed by the seed and all 490 numbers."""
    rows = len(observations)
    packed = np.packbits(observations[:, :CARD_NUMBERS] != 0, axis=1)  # (N, 61) bytes
    words = np.zeros((rows, 10), dtype=np.uint64)
    words.view(np.uint8).reshape(rows, 80)[:, : packed.shape[1]] = packed
    rest = np.ascontiguousarray(observations[:, CARD_NUMBERS:], dtype=np.float32)
    words[:, 8:] = rest.view(np.uint64)
    # Each column is mixed with its own number, so that the sum still depends on where a word stood.
    salts = _mix(_COLUMN_STEPS + np.uint64(seed & 0xFFFFFFFFFFFFFFFF))
    return _mix(np.add.reduce(_mix(words ^ salts), axis=1))


def choose_evenly(masks: NDArray[Any], keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """One allowed slot of each row of `masks` (N, 150), picked by its key."""
    counts = np.count_nonzero(masks, axis=1)
    if not counts.all():
        row = int(np.argmin(counts))
        raise ValueError(f"row {row} of the masks allows no slot: ask only a seat that is to act")
    picks = (keys % counts.astype(np.uint64)).astype(np.int64)
    starts = np.cumsum(counts) - counts
    return np.nonzero(masks)[1][starts + picks]
