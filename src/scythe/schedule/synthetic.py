"""Arrivals that were never recorded: a seed and a rhythm come in, times with nights, weekends and bursts go out."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

from scythe.watched import DAY_S

EPOCH = 1_640_995_200.0  # 2022-01-01 0:00 UTC, a Saturday


@dataclass(frozen=True, slots=True)
class Rhythm:
    """How the records of a list come."""

    per_day: float = 50.0
    days: float = 120.0
    daily: float = 0.9  # 0: nights are as busy as days; below 1
    weekend: float = 0.45  # of the rate of a working day
    bursts: float = 0.01  # share of the records that start one
    burst_size: tuple[int, int] = (3, 12)
    burst_s: float = 1_800.0  # mean time between the start of a burst and one of its records
    silences: tuple[tuple[float, float], ...] = ()  # (day, days) in which nothing comes
    start: float = EPOCH


NEWS = Rhythm()


def make_arrivals(seed: int, rhythm: Rhythm = NEWS) -> tuple[float, ...]:
    """Return times in whole seconds, sorted: the same for the same seed."""
    chance = random.Random(seed)
    most = rhythm.per_day / DAY_S * (1 + rhythm.daily) * 7 / (5 + 2 * rhythm.weekend)
    end, at, found = rhythm.start + rhythm.days * DAY_S, rhythm.start, []
    while (at := at + chance.expovariate(most)) < end:
        if chance.random() * most >= _rate(at, rhythm):
            continue
        found.append(at)
        if chance.random() < rhythm.bursts:
            found += [at + chance.expovariate(1 / rhythm.burst_s) for _ in range(chance.randint(*rhythm.burst_size))]
    return tuple(sorted(float(int(at)) for at in found if at < end and not _is_silent(at, rhythm)))


def _rate(at: float, rhythm: Rhythm) -> float:
    """Return the records a second, apart from bursts: most at 15 h UTC, fewest at 3 h, fewer at weekends."""
    hour = at % DAY_S / 3_600
    weekday = int(at // DAY_S + 3) % 7  # the first of January 1970 was a Thursday
    week = (rhythm.weekend if weekday >= 5 else 1.0) * 7 / (5 + 2 * rhythm.weekend)
    return rhythm.per_day / DAY_S * week * (1 + rhythm.daily * math.sin((hour - 9) / 24 * 2 * math.pi))


def _is_silent(at: float, rhythm: Rhythm) -> bool:
    return any(0 <= at - rhythm.start - day * DAY_S < days * DAY_S for day, days in rhythm.silences)
