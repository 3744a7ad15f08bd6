"""Forecast the records of a list: an hour-of-week profile, a slow level and a short-term correction."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scythe.watch_model import DAY_S, HOUR_S

LARGEST = 1e15  # of a number in a state of ours


def read_numbers(values: object, count: int | None, *, is_signed: bool = False) -> list[float]:
    """Return a list of so many finite numbers; raise ValueError where it is none."""
    if not isinstance(values, list) or (count is not None and len(values) != count):
        raise ValueError(f"a list of {count} numbers is missing")
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
            raise ValueError("a number is none")
        if value < 0 and not is_signed:
            raise ValueError("a number is below 0")
    return [float(value) for value in values]


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


HALF_LIFE_WEEKS = 8.0  # editorial habits change with seasons; 4 and 20 weeks gave the same within noise
POOLED_RECORDS = 6.0  # an hour with fewer records is mostly judged by the same hour of like days
LEAST = 0.01  # of the mean: an hour without records yet is not one without records ever
DOUBT_WEEKS = 0.5  # how much a flat profile counts at a cold start
# 1970-01-01 was a Thursday. Another weekend than Saturday and Sunday costs little: each hour's own count takes over.
_LIKE_DAYS = (np.array([0, 1, 4, 5, 6]), np.array([2, 3]))


class WeekProfile:
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
    def from_plain(cls, plain: Any) -> WeekProfile:
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


SLOW_S = 5 * DAY_S  # half-life; 3 and 8 days gave the same within noise
FAST_S = 0.75 * DAY_S  # half-life; shorter reacts to noise, longer comes too late for a burst
FAST_DOUBT = 15.0  # records that the last day must outweigh before it counts
SURGE_LEAST = -0.25  # a pause is no reason to stay away: what comes after it is as much as before
SILENCE = 0.5  # of what was expected, less chance, is learned at least: four silent days take a third off the level
FADES_H = 24.0  # how far ahead a busy day is felt
TRUST = 0.5  # in the fast level to begin with; at 1 the forecast of an ordinary news list overshoots by 5 %
TRUST_MOST = 1.3
DOUBTS = np.array([2.0, 30.0, 30.0, 30.0, 30.0])  # how firmly the starting values of the correction hold
MEMORY_S = 60 * DAY_S  # half-life of what the correction learned
BEND_MOST = 0.5  # of an hour's rate, by the daily waves
SPREAD = 0.02  # variance of a count over its mean, per record: what one surprise may teach
LEAST_RATE = 1e-9  # records a second: one in thirty years


def _daily_waves() -> Numbers:
    """Return two waves a day and their halves, per hour of the week."""
    angle = (np.arange(HOURS) + 0.5) * (2 * np.pi / 24)
    return np.stack([np.cos(angle), np.sin(angle), np.cos(2 * angle), np.sin(2 * angle)], axis=1)


WAVES = _daily_waves()


class Level:
    """The mean rate of late, and how the last day differs from it."""

    def __init__(self, records: float = 0.0, exposure_s: float = 0.0) -> None:
        self.records, self.exposure_s = records, exposure_s
        self.lately, self.lately_expected = 0.0, 0.0

    @property
    def rate(self) -> float:
        """Return records a second in the mean over a week."""
        return max(self.records / self.exposure_s, LEAST_RATE) if self.exposure_s > 0 else LEAST_RATE

    @property
    def surge(self) -> float:
        """Return by what share the last day is busier than the mean, drawn to 0 where it had few records."""
        return max((self.lately + FAST_DOUBT) / (self.lately_expected + FAST_DOUBT) - 1.0, SURGE_LEAST)

    def learn(self, records: float, exposure_s: float, length_s: float) -> None:
        """Add a stretch; its exposure is its length weighted by the profile."""
        expected = self.rate * exposure_s
        records = max(records, SILENCE * expected - 1.5 * math.sqrt(expected))
        fade = 0.5 ** (length_s / SLOW_S)
        self.records = self.records * fade + records
        self.exposure_s = self.exposure_s * fade + exposure_s
        fade = 0.5 ** (length_s / FAST_S)
        self.lately = self.lately * fade + records
        self.lately_expected = self.lately_expected * fade + self.rate * exposure_s

    @classmethod
    def from_plain(cls, plain: Any) -> Level:
        """Take it up; raise ValueError where it is none."""
        level = cls()
        level.records, level.exposure_s, level.lately, level.lately_expected = read_numbers(plain, 4)
        return level

    def to_plain(self) -> list[float]:
        """Return it as plain values."""
        return [self.records, self.exposure_s, self.lately, self.lately_expected]


class Correction:
    """What past forecasts got wrong: trust in the last day, and waves of the day that the profile lacks.

    A ridge regression of (count less forecast) on five features, with forgetting. The profile itself learns slowly
    where visits are long; two waves learn within weeks. Together 2 % fewer fetches at the same loss.
    """

    def __init__(self) -> None:
        self.products = np.diag(DOUBTS)
        self.pulls = DOUBTS * _begin()
        self.weights = _begin()

    def bends(self, span: Span, surge: float) -> Numbers:
        """Return the factor on the rate of each hour."""
        felt = surge * np.exp(span.leads_h / -FADES_H)
        waves = np.clip(WAVES @ self.weights[1:], -BEND_MOST, BEND_MOST)
        bends: Numbers = 1.0 + self.weights[0] * felt + waves[span.hours]  # never below 1 - TRUST_MOST / 4 - BEND_MOST
        return bends

    def learn(self, span: Span, plain: Numbers, surge: float, records: float) -> None:
        """Compare a count with the forecast without correction, `plain` records per hour."""
        expected = float(plain.sum())
        felt = surge * np.exp(span.leads_h / -FADES_H)
        features = np.concatenate([[float(felt @ plain)], plain @ WAVES[span.hours]])
        miss = min(max(records - expected, -expected), 2 * expected)
        weight = 1.0 / max(expected * (1.0 + SPREAD * expected), 1.0)
        kept = 0.5 ** (float(span.seconds.sum()) / MEMORY_S)
        self.products = self.products * kept + np.diag(DOUBTS * (1 - kept)) + np.outer(features, features) * weight
        self.pulls = self.pulls * kept + DOUBTS * _begin() * (1 - kept) + features * (miss * weight)
        self.settle()

    def settle(self) -> None:
        """Work the weights out anew."""
        try:
            self.weights = np.linalg.solve(self.products, self.pulls).astype(np.float64)
        except np.linalg.LinAlgError:  # only out of a damaged state
            self.products, self.pulls, self.weights = np.diag(DOUBTS), DOUBTS * _begin(), _begin()
        self.weights[0] = min(max(self.weights[0], 0.0), TRUST_MOST)

    @classmethod
    def from_plain(cls, plain: Any) -> Correction:
        """Take it up; raise ValueError, KeyError or TypeError where it is none."""
        correction, count = cls(), len(DOUBTS)
        products = read_numbers(plain["products"], count * count, is_signed=True)
        correction.products = np.array(products).reshape(count, count)
        correction.pulls = np.array(read_numbers(plain["pulls"], count, is_signed=True))
        correction.settle()
        return correction

    def to_plain(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {"products": self.products.ravel().tolist(), "pulls": self.pulls.tolist()}


def _begin() -> Numbers:
    """Return the weights before anything was learned."""
    return np.array([TRUST, 0.0, 0.0, 0.0, 0.0])
