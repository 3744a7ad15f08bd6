"""Stretches of time cut at whole hours, and forecasts over them."""

import numpy as np
import pytest

from scythe.schedule.forecast import Forecast, cut_hours
from scythe.watch_model import HOUR_S, WEEK_S


@pytest.mark.parametrize(
    ("start", "length_s"), [(0.0, 1.0), (1_800.0, 1_800.0), (3_599.5, 90_000.25), (-7_000.0, 9_000.0)]
)
def test_the_parts_of_a_stretch_add_up(start: float, length_s: float) -> None:
    span = cut_hours(start, length_s)
    assert span.seconds.sum() == pytest.approx(length_s)
    assert span.leads_h[0] == 0
    assert (span.seconds > 0).all()
    assert (span.seconds <= HOUR_S).all()


def test_hours_are_counted_from_the_epoch_and_begin_again_each_week() -> None:
    assert cut_hours(3 * WEEK_S - HOUR_S, 2 * HOUR_S).hours.tolist() == [167, 0]


def test_a_forecast_is_reached_when_so_many_are_expected() -> None:
    span = cut_hours(1_800.0, 10 * HOUR_S)
    forecast = Forecast(span, np.linspace(1, 2, len(span.hours)) / HOUR_S)
    for records in (0.1, 0.5, 3.3, 14.0):
        assert forecast.until(forecast.reaches(records)) == pytest.approx(records)
    assert forecast.until(1e9) == pytest.approx(forecast.expected())
    assert forecast.reaches(forecast.expected() + 0.1) == float("inf")


def test_no_stretch_is_cut_into_more_hours_than_memory_bears() -> None:
    assert len(cut_hours(0.0, 1e12).hours) == 20_000
