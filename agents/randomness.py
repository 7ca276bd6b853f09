"""Chance that follows from seeds and from what a seat sees, so that equal agents answer equally."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ofc_env._core import observation_keys, seed_of

__all__ = ["choose_evenly", "observation_keys", "seed_of"]


def choose_evenly(masks: NDArray[Any], keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """One allowed slot of each row of `masks` (N, 150), picked by its key."""
    counts = np.count_nonzero(masks, axis=1)
    if not counts.all():
        row = int(np.argmin(counts))
        raise ValueError(f"row {row} of the masks allows no slot: ask only a seat that is to act")
    picks = (keys % counts.astype(np.uint64)).astype(np.int64)
    starts = np.cumsum(counts) - counts
    return np.nonzero(masks)[1][starts + picks]
