"""How busy a list is at present, its hours of the week aside: a slow level and what the last day adds to it.

Visits come in as (records, exposure); a rate and a correction of it go out.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scythe.schedule.saved import read_numbers
from scythe.schedule.span import HOURS, Numbers, Span
from scythe.watched import DAY_S

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
