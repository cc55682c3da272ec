"""Whether whole numbers look like counts: of events, things, people."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_FEWEST = 50
_GREATEST = 10_000
_DEVIATIONS = 4


class CountEvidence:
    """The first three moments of numbers that are whole."""

    def __init__(self, numbers: npt.NDArray[np.float64]) -> None:
        self._numbers = numbers
        self.mean = float(numbers.mean()) if len(numbers) else 0.0
        self.variance = float(numbers.var(ddof=1)) if len(numbers) > 1 else 0.0

    def overdispersed(self) -> bool:
        """Whether they look like counts that vary more than Poisson's.

        With mean m, deviation s and skewness g of n numbers: 0 ≤ least, 0 < greatest ≤ 10,000;
        n ≥ 50; s²/m > 1 + 4 √(2/(n − 1)), four deviations of a Poisson sample's; g ≥ ½ s/m;
        m − least ≥ 2 s or least ≤ m/10; no common divisor but 1. The C++ client's
        data/schema/count_evidence.h says why.
        """
        x, mean, variance = self._numbers, self.mean, self.variance
        if len(x) < _FEWEST or x.min() < 0 or x.max() > _GREATEST or x.max() <= 0:
            return False
        deviation = variance**0.5
        if variance <= mean * (1 + _DEVIATIONS * (2 / (len(x) - 1)) ** 0.5):
            return False
        skewness = float(((x - mean) ** 3).mean()) / deviation**3
        if skewness < 0.5 * deviation / mean:
            return False
        if mean - x.min() < 2 * deviation and x.min() > 0.1 * mean:
            return False
        return int(np.gcd.reduce(x.astype(np.int64))) == 1
