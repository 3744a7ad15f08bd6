"""Arrivals that are made up: hours, weekends, bursts and silences are as asked for, and none comes after the end."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest

from scythe.schedule.simulate import EPOCH, Rhythm, make_arrivals
from scythe.watch_model import DAY_S

EVEN = Rhythm(per_day=100, days=140, daily=0, weekend=1, bursts=0)


def hours_of(arrivals: Sequence[float]) -> Counter[int]:
    return Counter(int(at % DAY_S // 3_600) for at in arrivals)


def test_without_a_rhythm_all_hours_and_days_are_alike() -> None:
    arrivals = make_arrivals(1, EVEN)
    assert len(arrivals) == pytest.approx(100 * 140, rel=0.03)
    hours = hours_of(arrivals)
    assert max(hours.values()) < 1.25 * min(hours.values())
    assert list(arrivals) == sorted(arrivals)
    assert all(at == int(at) for at in arrivals)


def test_most_come_in_the_afternoon_and_fewest_at_night() -> None:
    hours = hours_of(make_arrivals(1, replace(EVEN, daily=0.9)))
    assert sum(hours.values()) == pytest.approx(100 * 140, rel=0.03)
    assert hours[14] + hours[15] == pytest.approx(2 * 1.9 * 100 * 140 / 24, rel=0.08)
    assert hours[2] + hours[3] == pytest.approx(2 * 0.1 * 100 * 140 / 24, rel=0.3)
    assert hours[8] + hours[9] == pytest.approx(hours[20] + hours[21], rel=0.12)


def test_weekends_have_their_share_and_the_week_its_sum() -> None:
    arrivals = make_arrivals(1, replace(EVEN, weekend=0.5))
    days = Counter(int((at - EPOCH) // DAY_S) % 7 for at in arrivals)  # a Saturday is 0
    assert (days[0] + days[1]) / 2 == pytest.approx(sum(days[i] for i in range(2, 7)) / 5 / 2, rel=0.08)
    assert len(arrivals) == pytest.approx(100 * 140, rel=0.03)


def test_bursts_add_records_close_behind() -> None:
    rhythm = Rhythm(per_day=20, days=100, daily=0, weekend=1, bursts=1, burst_size=(4, 4), burst_s=10)
    arrivals = make_arrivals(1, rhythm)
    assert len(arrivals) == pytest.approx(5 * 20 * 100, rel=0.1)
    close = sum(after - before < 60 for before, after in pairwise(arrivals))
    assert close == pytest.approx(4 * 20 * 100, rel=0.1)


def test_nothing_comes_after_the_end_or_in_a_silence() -> None:
    rhythm = Rhythm(per_day=500, days=10, bursts=1, burst_s=DAY_S, silences=((2, 3), (8, 1)))
    days = Counter(int((at - EPOCH) // DAY_S) for at in make_arrivals(1, rhythm))
    assert set(days) == {0, 1, 5, 6, 7, 9}
