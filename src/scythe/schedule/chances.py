"""Chances of counts: the mean of a Poisson count comes in, quantiles and what exceeds a page go out."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

NORMAL_FROM = 50.0  # a mean from which the normal approximation serves
_HALVINGS = 60


def quantile(mean: float, share: float) -> float:
    """Return the least count that is not exceeded with the chance `share`; large means by approximation."""
    if mean > NORMAL_FROM:
        return mean + _z(share) * math.sqrt(mean) + 0.5
    chance = reached = math.exp(-mean)
    count = 0
    while reached < share and count < 1_000:  # rounding may keep the sum below a share close to 1
        count += 1
        chance *= mean / count
        reached += chance
    return count


@lru_cache(maxsize=4_096)
def largest_mean(count: int, share: float) -> float:
    """Return the largest mean at which no more than `count` come with the chance `share`."""
    low, high = 0.0, float(max(count, 1))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if quantile(middle, share) <= count:
            low = middle
        else:
            high = middle
    return low


def share_over(mean: float, count: float) -> float:
    """Return the share of all records that come as more than `count` at once, where `mean` are expected."""
    if mean < count / 4:
        return 0.0  # below 1e-6 from a page of ten on, and asked for at every visit
    if mean > NORMAL_FROM:
        spread = math.sqrt(mean)
        z = (count - mean) / spread
        over = spread * (_NORMAL.pdf(z) - z * (1 - _NORMAL.cdf(z)))
    else:
        chance = math.exp(-mean)
        under = 0.0  # how many places of the page stay empty, in the mean
        for came in range(math.ceil(count)):
            under += (count - came) * chance
            chance *= mean / (came + 1)
        over = mean - count + under
    return min(1.0, max(0.0, over / mean))


_NORMAL = NormalDist()


@lru_cache(maxsize=256)
def _z(share: float) -> float:
    return round(_NORMAL.inv_cdf(share), 3)  # as tables have it: 2.326 for 99 %
