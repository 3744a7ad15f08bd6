"""Tell outliers at the low end of a sample (Grubbs 1969): a sample size comes in, a critical value goes out."""

from __future__ import annotations

import math
from functools import cache

SIGNIFICANCE = 0.05
STEPS = 60  # halvings of the angle: beyond double precision


@cache
def critical_value(size: int, significance: float = SIGNIFICANCE) -> float:
    """Return how many sample standard deviations below the mean the least of `size` values may lie.

    G = (n - 1) / sqrt(n) * sqrt(t^2 / (n - 2 + t^2)), where Student's t of n - 2 degrees of freedom exceeds t with
    probability significance / n. With t = sqrt(n - 2) tan(angle) the second root is the sine of the angle.
    """
    if size < 3:
        return math.inf
    low, high = 0.0, math.pi / 2
    for _ in range(STEPS):
        angle = (low + high) / 2
        if _upper_tail(angle, size - 2) > significance / size:
            low = angle
        else:
            high = angle
    return (size - 1) / math.sqrt(size) * math.sin(high)


def _upper_tail(angle: float, freedom: int) -> float:
    """Return how likely Student's t exceeds sqrt(freedom) * tan(angle): Abramowitz and Stegun 26.7.3 and 26.7.4."""
    sine, square = math.sin(angle), math.cos(angle) ** 2
    odd = freedom % 2
    term = math.cos(angle) if odd else 1.0
    total = 0.0
    for k in range(1 + odd, freedom, 2):
        total += term
        term *= square * k / (k + 1)
    inside = (angle + sine * total) * 2 / math.pi if odd else sine * total
    return (1 - inside) / 2
