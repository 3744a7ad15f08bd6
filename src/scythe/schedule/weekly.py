"""The hour-of-week profile of a list: how much busier than its mean each hour is.

Counts of visits come in, which cover many hours each; 168 factors with mean 1 go out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from scythe.schedule.saved import read_numbers
from scythe.schedule.span import HOURS, Numbers, Span
from scythe.watched import DAY_S, HOUR_S

HALF_LIFE_WEEKS = 8.0  # editorial habits change with seasons; 4 and 20 weeks gave the same within noise
POOLED_RECORDS = 6.0  # an hour with fewer records is mostly judged by the same hour of like days
LEAST = 0.01  # of the mean: an hour without records yet is not one without records ever
DOUBT_WEEKS = 0.5  # how much a flat profile counts at a cold start
# 1970-01-01 was a Thursday. Another weekend than Saturday and Sunday costs little: each hour's own count takes over.
_LIKE_DAYS = (np.array([0, 1, 4, 5, 6]), np.array([2, 3]))


class Profile:
    """Records and weeks watched per hour of the week, older ones counting less."""

    def __init__(self, counts: Numbers | None = None, weeks: Numbers | None = None) -> None:
        self.weeks = np.full(HOURS, DOUBT_WEEKS) if weeks is None else weeks
        self.counts = self.weeks.copy() if counts is None else counts  # in units of the mean hour: level is divided out
        self.factors = np.ones(HOURS)

    def learn(self, span: Span, shares: Numbers, records: float, rate: float) -> None:
        """Add the records of a stretch, spread over its hours by `shares`; `rate` is the level in records a second."""
        fades = 0.5 ** (span.seconds / (HOUR_S * HALF_LIFE_WEEKS))
        np.multiply.at(self.weeks, span.hours, fades)
        np.multiply.at(self.counts, span.hours, fades)
        np.add.at(self.weeks, span.hours, span.seconds / HOUR_S)
        np.add.at(self.counts, span.hours, shares * (records / (rate * HOUR_S)))

    def settle(self, rate: float) -> None:
        """Work the factors out anew: each hour's own, drawn to that of like days where it had few records."""
        pooled = np.empty(HOURS)
        counts, weeks = self.counts.reshape(7, 24), self.weeks.reshape(7, 24)
        for days in _LIKE_DAYS:
            pooled.reshape(7, 24)[days] = counts[days].sum(0) / weeks[days].sum(0)
        records = self.weeks * (rate * HOUR_S)
        factors = (self.counts * (rate * HOUR_S) + pooled * POOLED_RECORDS) / (records + POOLED_RECORDS)
        self.factors = np.maximum(factors / max(float(factors.mean()), 1e-9), LEAST)

    @classmethod
    def from_plain(cls, plain: Any) -> Profile:
        """Take it up; raise ValueError, KeyError or TypeError where it is none."""
        counts, weeks = (np.array(read_numbers(plain[name], HOURS)) for name in ("counts", "weeks"))
        return cls(counts, np.maximum(weeks, 1e-3))

    def to_plain(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {"counts": [round(float(x), 4) for x in self.counts], "weeks": [round(float(x), 3) for x in self.weeks]}


def published_shares(span: Span, published: Sequence[float]) -> Numbers | None:
    """Return how records are spread over the hours of a stretch, by their own dates; None where these are days only."""
    times = np.array(published, dtype=np.float64)
    times = times[(times >= span.start) & (times <= span.start + float(span.seconds.sum()))]
    if not len(times):
        return None
    of_day = times % DAY_S
    if of_day[0] == 0 or (len(times) > 1 and np.unique(of_day, return_counts=True)[1].max() > len(times) / 2):
        return None
    places = np.searchsorted(span.leads_h * HOUR_S, times - span.start, side="right") - 1
    return np.bincount(places, minlength=len(span.hours)) / len(times)
