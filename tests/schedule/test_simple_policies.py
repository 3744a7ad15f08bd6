"""Single rules, by hand."""

import pytest

from scythe.schedule.policies import (
    NUTCH_SYNC,
    STORM,
    Adaptive,
    Average,
    Fixed,
    Poisson,
    Seasonal,
    Ses,
)
from scythe.schedule.safety import largest_mean, quantile
from scythe.watch_model import DAY_S, HOUR_S, WEEK_S, Goals, Observation

MONDAY = 1_649_635_200.0  # 2022-04-11 0:00 UTC
FLAT = [1.0] * 168


def seen(at: float, new: int, since_s: float, shown: int = 30) -> Observation:
    return Observation(at=at, shown=shown, new=new, is_full=new >= shown, since_s=since_s)


def test_fixed_comes_every_hour_or_as_late_as_it_may() -> None:
    assert Fixed(Goals()).plan(MONDAY).wait_s == HOUR_S
    assert Fixed(Goals(max_delay_s=6 * HOUR_S)).plan(MONDAY).wait_s == 6 * HOUR_S
    assert Fixed(Goals(), every_s=900.0).plan(MONDAY).wait_s == 900


def test_a_share_to_be_seen_in_time_shortens_any_wait() -> None:
    assert Fixed(Goals(delay_s=0.5 * HOUR_S)).plan(MONDAY).wait_s == pytest.approx(0.5 * HOUR_S / 0.95)


def test_average_is_constant_after_the_time_of_learning() -> None:
    average = Average.started(Goals(), 30, 1 / HOUR_S, FLAT)
    assert average.plan(MONDAY).wait_s == pytest.approx(28 * HOUR_S)
    average.note(seen(MONDAY, 0, DAY_S))
    assert average.plan(MONDAY).wait_s == pytest.approx(28 * HOUR_S)


def test_ses_follows_the_four_equations() -> None:
    shown, rate, alpha = 30, 1 / HOUR_S, 0.5
    ses = Ses.started(Goals(), shown, rate, FLAT)
    turn_s, level = shown / rate, float(shown)  # T and S as the paper has them
    at = MONDAY
    for new, since_s in [(20, 10 * HOUR_S), (3, 20 * HOUR_S), (30, 30 * HOUR_S), (1, HOUR_S)]:
        at += since_s
        level = alpha * (new * turn_s / since_s) + (1 - alpha) * level
        ses.note(seen(at, new, since_s))
        assert ses.plan(at).wait_s == pytest.approx(turn_s / level * (shown - 2))


def test_ses_survives_intervals_without_records_and_lists_of_two() -> None:
    ses = Ses.started(Goals(), 30, 1 / HOUR_S, FLAT)
    for day in range(60):
        ses.note(seen(MONDAY + day * DAY_S, 0, DAY_S))
    assert ses.plan(MONDAY).wait_s == WEEK_S
    assert Ses.started(Goals(), 2, 1 / HOUR_S, FLAT).plan(MONDAY).wait_s == pytest.approx(HOUR_S)


def test_adaptive_comes_a_fifth_sooner_after_a_change_and_two_fifths_later_after_none() -> None:
    adaptive = Adaptive(Goals())
    assert adaptive.plan(MONDAY).wait_s == HOUR_S
    adaptive.note(seen(MONDAY, 3, HOUR_S))
    assert adaptive.plan(MONDAY).wait_s == pytest.approx(0.8 * HOUR_S)
    adaptive.note(seen(MONDAY + 2_880, 0, 2_880.0))
    assert adaptive.plan(MONDAY + 2_880).wait_s == pytest.approx(0.8 * 1.4 * HOUR_S)


def test_adaptive_can_reach_for_the_moment_of_the_change_as_nutch_does() -> None:
    adaptive = Adaptive(Goals(), habits=NUTCH_SYNC)
    adaptive.note(seen(MONDAY, 3, HOUR_S))
    at = MONDAY + 5 * HOUR_S
    adaptive.note(seen(at, 0, 5 * HOUR_S))
    assert adaptive.plan(at).wait_s == pytest.approx(0.7 * 5 * HOUR_S)


def test_adaptive_can_stop_at_an_hour_as_stormcrawler_does() -> None:
    adaptive = Adaptive(Goals(), habits=STORM)
    for number in range(40):
        adaptive.note(seen(MONDAY + number * HOUR_S, 1, HOUR_S))
    assert adaptive.plan(MONDAY).wait_s == pytest.approx(HOUR_S, rel=0.01)


def test_poisson_leaves_room_for_chance() -> None:
    poisson = Poisson.started(Goals(miss=0.01), 30, 1 / HOUR_S, FLAT)
    wait_s = poisson.plan(MONDAY).wait_s
    assert quantile(wait_s / HOUR_S, 0.99) <= 28 < quantile(wait_s / HOUR_S + 0.01, 0.99)
    assert Poisson.started(Goals(miss=0.2), 30, 1 / HOUR_S, FLAT).plan(MONDAY).wait_s > wait_s


def office_hours() -> list[float]:
    """All records come between 8 and 18 h UTC."""
    return [2.3 if 8 <= hour % 24 < 18 else 0.07 for hour in range(168)]


def test_seasonal_waits_longer_over_night_than_over_day() -> None:
    seasonal = Seasonal.started(Goals(), 12, 2 / HOUR_S, office_hours())
    morning, evening = seasonal.plan(MONDAY + 8 * HOUR_S), seasonal.plan(MONDAY + 18 * HOUR_S)
    assert morning.wait_s < 3 * HOUR_S
    assert evening.wait_s > 12 * HOUR_S
    assert morning.expected <= largest_mean(10, 0.99)
    assert evening.expected <= largest_mean(10, 0.99)


def test_a_busy_seasonal_list_is_visited_as_often_as_allowed() -> None:
    assert Seasonal.started(Goals(), 3, 1.0, FLAT).plan(MONDAY).wait_s == 600
    assert Seasonal.started(Goals(), 3, 1 / HOUR_S, [1.0] * 100).profile == FLAT


def test_who_can_go_back_risks_nothing() -> None:
    risks = [Fixed.started(Goals(recovers=back), 30, 1.0, FLAT).plan(MONDAY).risk for back in (False, True)]
    assert risks[0] > 0.9
    assert risks[1] == 0
    assert Fixed(Goals(max_delay_s=HOUR_S), every_s=DAY_S).plan(MONDAY).why == "max delay"
