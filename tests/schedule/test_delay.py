"""Waits for other reasons than a full page."""

import numpy as np
import pytest

from scythe.schedule.auto import fewest_requests, late_records, quiet_rate, sleep_through
from scythe.schedule.forecast import Forecast, cut_hours
from scythe.watch_model import DAY_S, HOUR_S

WEEK = np.array([4.0, 1.0, 2.0, 3.0])


def forecast(*per_hour: float) -> Forecast:
    return Forecast(cut_hours(0.0, len(per_hour) * HOUR_S), np.array(per_hour) / HOUR_S)


@pytest.mark.parametrize(("share", "rate"), [(0.0, 1.0), (0.1, 1.0), (0.3, 2.0), (0.31, 3.0), (1.0, 4.0), (1.5, 4.0)])
def test_the_quietest_hours_have_the_share_that_may_be_late(share: float, rate: float) -> None:
    assert quiet_rate(WEEK, share) == rate


def test_a_visit_is_put_off_while_fewer_come_than_are_worth_one() -> None:
    night = forecast(1, 1, 1, 20, 20)
    assert sleep_through(night, HOUR_S, 5 / HOUR_S) == 4 * HOUR_S
    assert sleep_through(night, HOUR_S, 0.5 / HOUR_S) == HOUR_S
    assert sleep_through(night, 2 * HOUR_S, 5 / HOUR_S) == 5 * HOUR_S


def test_late_is_what_came_before_the_delay_began() -> None:
    seen = forecast(6, 2, 2, 2)
    assert late_records(seen, 24, HOUR_S, 4 * HOUR_S) == pytest.approx(24 * 10 / 12)
    assert late_records(seen, 24, 3 * HOUR_S, 4 * HOUR_S) == pytest.approx(12)
    assert late_records(seen, 24, 4 * HOUR_S, 4 * HOUR_S) == 0
    assert late_records(seen, 24, 9 * HOUR_S, 4 * HOUR_S) == 0
    assert late_records(forecast(0, 0), 3, HOUR_S, 2 * HOUR_S) == 0


def test_the_fewest_requests_are_made_when_several_pages_are_full() -> None:
    for shown in (5, 10):
        wait_s = fewest_requests(forecast(*[2.0] * 200), shown)
        assert wait_s / HOUR_S * 2 / shown > 3  # pages: what is asked for in vain at their end weighs little
    assert fewest_requests(forecast(*[0.01] * 36), 30) == 35 * HOUR_S  # an hour sooner costs less than 5 % more
    assert fewest_requests(forecast(*[0.0] * 36), 30) <= 36 * HOUR_S == 1.5 * DAY_S
