"""The level of a list and the correction of its forecasts."""

import numpy as np
import pytest

from scythe.schedule.forecast import WAVES, Correction, Level, cut_hours
from scythe.watch_model import DAY_S, HOUR_S


def test_a_level_follows_with_its_half_life() -> None:
    level = Level(50.0, 5 * DAY_S)
    for _ in range(10):
        level.learn(20.0, DAY_S, DAY_S)
    assert 15 < level.rate * DAY_S < 19
    for _ in range(100):
        level.learn(20.0, DAY_S, DAY_S)
    assert level.rate * DAY_S == pytest.approx(20, rel=0.001)


def test_a_busy_day_shows_as_a_surge_that_passes() -> None:
    level = Level(500.0, 5 * DAY_S)
    assert level.surge == 0
    level.learn(300.0, DAY_S, DAY_S)
    assert level.surge > 0.5
    for _ in range(30):
        level.learn(level.rate * DAY_S, DAY_S, DAY_S)
    assert abs(level.surge) < 0.02


def test_a_wave_that_the_profile_lacks_is_learned() -> None:
    correction = Correction()
    for visit in range(400):
        span = cut_hours(visit * 7 * HOUR_S, 7 * HOUR_S)
        plain = np.full(len(span.hours), 4.0)
        truth = float((plain * (1 + 0.3 * WAVES[span.hours, 1])).sum())
        correction.learn(span, plain, 0.0, truth)
    assert correction.weights[2] == pytest.approx(0.3, abs=0.06)
    assert np.abs(correction.weights[[1, 3, 4]]).max() < 0.03


@pytest.mark.parametrize(("persists", "low", "high"), [(0.0, 0.0, 0.2), (1.0, 0.7, 1.3)])
def test_trust_in_the_last_day_is_learned(persists: float, low: float, high: float) -> None:
    correction = Correction()
    for visit in range(300):
        span = cut_hours(visit * 12 * HOUR_S, 12 * HOUR_S)
        plain, surge = np.full(len(span.hours), 5.0), 0.3 * (-1) ** visit
        felt = float((plain * surge * np.exp(span.leads_h / -24)).sum())
        correction.learn(span, plain, surge, float(plain.sum()) + persists * felt)
    assert low <= correction.weights[0] <= high


def test_a_damaged_correction_begins_anew() -> None:
    plain = Correction().to_plain()
    plain["products"] = [0.0] * 25
    assert Correction.from_plain(plain).weights.tolist() == Correction().weights.tolist()
    assert Correction.from_plain(plain).to_plain() == Correction().to_plain()


def test_a_level_without_exposure_has_next_to_no_rate() -> None:
    assert Level().to_plain() == [0.0] * 4
    assert Level().rate == Level(0.0, DAY_S).rate == 1e-9
    assert Level(5.0, 0.5).rate == 10.0


def test_no_hour_is_bent_to_nothing_or_below() -> None:
    correction = Correction()
    correction.weights = np.array([1.3, -9.0, 0.0, 0.0, 0.0])
    bends = correction.bends(cut_hours(0.0, 7 * DAY_S), -0.25)
    assert bends.min() == pytest.approx(1 - 1.3 * 0.25 - 0.5, abs=0.01)
    assert bends.max() == pytest.approx(1.5, abs=0.01)


def test_waves_are_a_whole_and_a_half_of_each_day() -> None:
    angle = np.arange(0.5, 168.5) / 24 * 2 * np.pi
    for column, wave in enumerate((np.cos(angle), np.sin(angle), np.cos(2 * angle), np.sin(2 * angle))):
        assert WAVES[:, column] == pytest.approx(wave)
