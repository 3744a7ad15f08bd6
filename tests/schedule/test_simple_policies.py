"""Single rules, by hand."""

import math

import pytest

from scythe.schedule.policies import (
    LEARN_S,
    NUTCH_SYNC,
    STORM,
    Adaptive,
    Average,
    Fixed,
    Poisson,
    Seasonal,
    Ses,
    hour_of,
)
from scythe.schedule.safety import largest_mean, quantile, share_over
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


def test_average_learns_the_mean_while_it_is_young() -> None:
    average = Average(Goals())
    average.note(Observation(at=MONDAY, shown=30, new=30))
    at = MONDAY
    while at < MONDAY + LEARN_S:
        at += DAY_S / 2
        average.note(seen(at, 6, DAY_S / 2))
    assert average.plan(at).rate == pytest.approx(12, rel=1e-6)


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


def test_seasonal_learns_the_hours_from_short_waits_only() -> None:
    seasonal = Seasonal.started(Goals(), 30, 1 / HOUR_S, FLAT)
    seasonal.note(seen(MONDAY + HOUR_S, 9, HOUR_S))
    assert seasonal.profile[hour_of(MONDAY)] == pytest.approx(1.4)
    seasonal.note(seen(MONDAY + DAY_S, 2, 23 * HOUR_S))
    assert seasonal.profile.count(1.0) == 167


def test_the_weight_of_a_stretch_adds_up_over_weeks() -> None:
    seasonal = Seasonal.started(Goals(), 30, 1 / HOUR_S, office_hours())
    week = seasonal.mass(MONDAY, WEEK_S)
    assert week == pytest.approx(HOUR_S * sum(office_hours()))
    assert seasonal.mass(MONDAY + 1_234, 10 * WEEK_S) == pytest.approx(10 * week)
    parts = seasonal.mass(MONDAY, 5_000) + seasonal.mass(MONDAY + 5_000, 3 * WEEK_S - 5_000)
    assert parts == pytest.approx(3 * week)


def test_chances_agree_with_what_is_known() -> None:
    assert quantile(1.0, 0.99) == 4
    assert quantile(100.0, 0.99) == pytest.approx(123.76, abs=0.01)
    assert largest_mean(4, 0.99) == pytest.approx(1.279, abs=0.001)
    assert share_over(1.0, 10) == 0
    assert share_over(10.0, 10) == pytest.approx(0.1251, abs=0.0001)
    assert share_over(100.0, 100) == pytest.approx(0.0399, abs=0.0005)
    assert share_over(100.0, 50) == pytest.approx(0.5, abs=0.001)


def test_chances_at_their_edges() -> None:
    assert quantile(60.0, 0.99) == pytest.approx(60 + 2.326 * 60**0.5 + 0.5)
    assert quantile(0.0, 1.0) == 0
    assert quantile(10.0, 1.001) == 1_000  # what no count reaches
    assert largest_mean(0, 0.99) == pytest.approx(-math.log(0.99))
    assert share_over(2.5, 10) > 0 == share_over(2.49, 10)
    assert share_over(100.0, 110) == pytest.approx(0.00833, abs=1e-5)


def test_an_hour_of_a_seasonal_list_never_falls_silent_for_good() -> None:
    seasonal = Seasonal.started(Goals(), 30, 1 / DAY_S, FLAT)
    for week in range(60):
        seasonal.note(seen(MONDAY + week * WEEK_S + HOUR_S, 0, HOUR_S))
    assert seasonal.profile[hour_of(MONDAY)] == 0.02
    assert seasonal.profile.count(1.0) == 167


def test_a_wait_of_six_hours_teaches_the_hours_and_a_longer_one_does_not() -> None:
    for hours, taught in ((6, 6), (6.5, 0)):
        seasonal = Seasonal.started(Goals(), 30, 1 / HOUR_S, FLAT)
        seasonal.note(seen(MONDAY + hours * HOUR_S, 0, hours * HOUR_S))
        assert 168 - seasonal.profile.count(1.0) == taught


def test_a_busy_seasonal_list_is_visited_as_often_as_allowed() -> None:
    assert Seasonal.started(Goals(), 3, 1.0, FLAT).plan(MONDAY).wait_s == 600
    assert Seasonal.started(Goals(), 3, 1 / HOUR_S, [1.0] * 100).profile == FLAT


def learned(*ages_s: float) -> tuple[float, float]:
    average = Average(Goals())
    average.note(Observation(at=MONDAY, shown=30, new=30, published=tuple(MONDAY - age_s for age_s in ages_s)))
    return average.counted, average.over_s


def test_half_of_the_dated_records_are_younger_than_their_median_age() -> None:
    assert learned(HOUR_S, 2 * HOUR_S) == (0.0, 0.0)
    assert learned(HOUR_S, 2 * HOUR_S, 3 * HOUR_S) == (2.0, 2 * HOUR_S)
    assert learned(0.0, HOUR_S, 2 * HOUR_S, 3 * HOUR_S) == (3.0, 2 * HOUR_S)
    assert learned(0.5, 0.5, 0.5) == (2.0, 1.0)
    assert learned(0.0, 0.0, 0.0) == (0.0, 0.0)
    for odd in (-0.5, -DAY_S, math.inf, math.nan):
        assert learned(HOUR_S, 2 * HOUR_S, odd) == (0.0, 0.0)


def test_dates_teach_nothing_about_a_list_that_is_known() -> None:
    average = Average.started(Goals(), 30, 1 / HOUR_S, FLAT)
    average.note(Observation(at=MONDAY, shown=1, new=1, published=(MONDAY - 60, MONDAY - 120, MONDAY - 180)))
    assert average.plan(MONDAY).rate == pytest.approx(24)
    assert average.shown == 1


def test_a_late_visit_that_finds_known_records_counts_all_of_its_time() -> None:
    for is_full, watched_s in ((False, 9 * DAY_S), (True, DAY_S)):
        average = Average(Goals())
        for since_s, new in ((DAY_S, 3), (8 * DAY_S, 5)):
            average.note(Observation(at=MONDAY, shown=30, new=new, is_full=is_full and new == 5, since_s=since_s))
        assert average.watched_s == watched_s
        assert average.counted == (3 if is_full else 8)


def test_who_can_go_back_risks_nothing() -> None:
    risks = [Fixed.started(Goals(recovers=back), 30, 1.0, FLAT).plan(MONDAY).risk for back in (False, True)]
    assert risks[0] > 0.9
    assert risks[1] == 0
    assert Fixed(Goals(max_delay_s=HOUR_S), every_s=DAY_S).plan(MONDAY).why == "max delay"


def test_numbers_of_a_saved_rule_are_bounded() -> None:
    state = Average.started(Goals(), 30, 1 / HOUR_S, FLAT).to_plain()
    for value, is_taken in ((0, True), (1e12, True), (1.2e12, False), (-1, False)):
        assert (Average(Goals(), {**state, "counted": value}).shown == 30) == is_taken
    assert (state["policy"], state["version"]) == ("average", 1)
