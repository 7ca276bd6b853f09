"""Means with their errors: what a match measures, and how sure it is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ofc_env._core import NORMAL_QUANTILE, student_quantile

__all__ = ["NORMAL_QUANTILE", "Estimate", "estimate", "known", "ratio", "student_quantile"]


@dataclass(frozen=True)
class Estimate:
    """A mean of independent samples."""

    mean: float  # NaN without samples
    error: float  # standard error of the mean; NaN with fewer than two samples
    count: int  # samples

    @property
    def margin(self) -> float:
        """Half the width of the 95 % interval."""
        return self.error * student_quantile(self.count - 1)

    @property
    def low(self) -> float:
        """Lower end of the 95 % interval."""
        return self.mean - self.margin

    @property
    def high(self) -> float:
        """Upper end of the 95 % interval."""
        return self.mean + self.margin

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, with the interval; a number that is not known is None."""
        numbers = {"mean": self.mean, "error": self.error, "low": self.low, "high": self.high}
        return {**{key: known(value) for key, value in numbers.items()}, "count": self.count}

    def text(self, digits: int = 2, sign: bool = True) -> str:
        """Such as "+2.31 ± 0.45"; "-" without samples."""
        if math.isnan(self.mean):
            return "-"
        mean = f"{self.mean + 0.0:{'+' if sign else ''}.{digits}f}"
        return mean if math.isnan(self.margin) else f"{mean} ± {self.margin:.{digits}f}"

    def scaled(self, factor: float) -> Estimate:
        """The same estimate in another unit."""
        return Estimate(self.mean * factor, self.error * abs(factor), self.count)


def estimate(samples: ArrayLike) -> Estimate:
    """The mean of independent samples, any shape, with its standard error."""
    values = np.asarray(samples, dtype=np.float64).ravel()
    count = len(values)
    if count == 0:
        return Estimate(math.nan, math.nan, 0)
    error = float(np.std(values, ddof=1)) / math.sqrt(count) if count > 1 else math.nan
    return Estimate(float(np.mean(values)), error, count)


def ratio(numerators: ArrayLike, denominators: ArrayLike) -> Estimate:
    """The ratio of two sums over the same independent samples, with its standard error.

    The error is that of the mean of `numerator - ratio * denominator`, which is right for many samples.
    """
    tops = np.asarray(numerators, dtype=np.float64).ravel()
    bottoms = np.asarray(denominators, dtype=np.float64).ravel()
    if bottoms.sum() == 0:
        return Estimate(math.nan, math.nan, 0)
    quotient = float(tops.sum() / bottoms.sum())
    residual = estimate(tops - quotient * bottoms)
    return Estimate(quotient, residual.error / float(bottoms.mean()), len(tops))


def known(value: float) -> float | None:
    """The number, or None where it is not a finite one: JSON has no NaN."""
    return float(value) if math.isfinite(value) else None
