"""A stretch of time, cut at whole hours: what a forecast and a learner both walk over."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scythe.watched import HOUR_S

Numbers = NDArray[np.float64]
HOURS = 168  # of a week, counted from 1970-01-01 00:00 UTC, a Thursday
HOURS_MOST = 20_000  # of one stretch: two years, longer than any wait


@dataclass(frozen=True, slots=True)
class Span:
    """The hours from `start` on: which of the week each is, and how many seconds of it count."""

    start: float
    hours: NDArray[np.int64]
    seconds: Numbers
    leads_h: Numbers  # hours from `start` to where each begins


def cut_hours(start: float, length_s: float) -> Span:
    """Return the hours of a stretch; the first and the last may be partial."""
    first = int(start // HOUR_S)
    count = max(1, int(-((start + length_s) // -HOUR_S)) - first)
    ahead = np.arange(min(count, HOURS_MOST))
    edges = (first + ahead) * HOUR_S
    begins = np.maximum(edges, start)
    ends = np.minimum(edges + HOUR_S, start + length_s)
    return Span(start, (first + ahead) % HOURS, np.maximum(ends - begins, 0.0), (begins - start) / HOUR_S)


@dataclass(frozen=True, slots=True)
class Forecast:
    """The records expected in a stretch, hour by hour."""

    span: Span
    rates: Numbers  # records a second

    def expected(self) -> float:
        """Return the records expected in all of it."""
        return float(self.rates @ self.span.seconds)

    def until(self, wait_s: float) -> float:
        """Return the records expected within so many seconds."""
        taken = np.clip(wait_s - self.span.leads_h * HOUR_S, 0.0, self.span.seconds)
        return float(self.rates @ taken)

    def reaches(self, records: float) -> float:
        """Return the seconds until so many records are expected, infinity where the stretch has fewer."""
        sums = np.cumsum(self.rates * self.span.seconds)
        place = int(np.searchsorted(sums, records))
        if place >= len(sums):
            return float("inf")
        before = float(sums[place - 1]) if place else 0.0
        return float(self.span.leads_h[place]) * HOUR_S + (records - before) / max(float(self.rates[place]), 1e-12)
