"""The hour-of-week profile, learned from visits that cover many hours."""

import random

import numpy as np
import pytest

from scythe.schedule.forecast import HOURS, WeekProfile, cut_hours, published_shares, read_numbers
from scythe.watch_model import DAY_S, HOUR_S, WEEK_S


def test_a_profile_is_learned_from_long_visits() -> None:
    """Days are ten times as busy as nights; visits last 5 to 11 hours."""
    truth = np.tile(np.repeat([0.2, 2.0, 0.8], 8), 7)
    chance, profile, at, rate = random.Random(1), WeekProfile(), 0.0, 30 / HOUR_S
    for _ in range(600):
        span = cut_hours(at, chance.uniform(5, 11) * HOUR_S)
        came = float(truth[span.hours] @ span.seconds) * rate
        expected = profile.factors[span.hours] * span.seconds
        profile.learn(span, expected / expected.sum(), came, rate)
        profile.settle(rate)
        at += float(span.seconds.sum())
    assert np.corrcoef(profile.factors, truth)[0, 1] > 0.9
    assert profile.factors.mean() == pytest.approx(1, abs=0.01)


def test_an_hour_with_few_records_is_judged_by_like_days() -> None:
    counts, weeks = np.ones(HOURS), np.full(HOURS, 4.0)
    counts.reshape(7, 24)[[0, 1, 4, 5], 9] = 40.0  # nine o'clock on four working days; nothing yet on the fifth
    slow, busy = WeekProfile(counts.copy(), weeks.copy()), WeekProfile(counts.copy(), weeks.copy())
    slow.settle(0.2 / HOUR_S)
    busy.settle(200 / HOUR_S)
    assert slow.factors[6 * 24 + 9] > 5 * slow.factors[6 * 24 + 8]
    assert busy.factors[6 * 24 + 9] < 2 * busy.factors[6 * 24 + 8]


def test_dates_say_in_which_hours_records_came() -> None:
    span = cut_hours(10 * DAY_S + 1_800, 3 * HOUR_S)
    start = 10 * DAY_S
    shares = published_shares(span, [start + 2_000, start + HOUR_S + 5, start + HOUR_S + 9, start + 2.5 * HOUR_S])
    assert shares is not None
    assert shares.tolist() == [0.25, 0.5, 0.25, 0.0]


@pytest.mark.parametrize(
    "dates",
    [
        (),
        (-1.0,),
        (DAY_S,),
        (DAY_S, 2 * DAY_S, 3 * DAY_S + 5),
        tuple(d * DAY_S + 7_200 for d in range(1, 6)),
        (float("nan"),),
    ],
    ids=["none", "before", "midnight", "mostly midnight", "the same time every day", "not a number"],
)
def test_dates_without_hours_say_nothing(dates: tuple[float, ...]) -> None:
    assert published_shares(cut_hours(0.0, WEEK_S), dates) is None


@pytest.mark.parametrize(
    "values", [None, "12", [1.0], [1.0, None], [1.0, True], [1.0, float("nan")], [1.0, 1e300], [1, -1]]
)
def test_numbers_of_a_damaged_state_are_refused(values: object) -> None:
    with pytest.raises(ValueError, match="number"):
        read_numbers(values, 2)


def test_an_hour_without_records_is_not_one_without_records_ever() -> None:
    counts = np.ones(HOURS)
    counts.reshape(7, 24)[:, 3] = 0.0
    profile = WeekProfile(counts, np.full(HOURS, 4.0))
    profile.settle(1_000.0)
    assert profile.factors.min() == 0.01


def test_a_profile_is_kept_with_few_digits() -> None:
    profile = WeekProfile(np.full(HOURS, 1 / 3), np.full(HOURS, 2 / 3))
    assert profile.to_plain() == {"counts": [0.3333] * HOURS, "weeks": [0.667] * HOURS}
    again = WeekProfile.from_plain({"counts": [0.0] * HOURS, "weeks": [0.0] * HOURS})
    assert set(again.weeks) == {0.001}


def test_dates_at_both_ends_of_a_stretch_belong_to_it() -> None:
    span = cut_hours(10 * DAY_S + 1_800, 3 * HOUR_S)
    dates = [span.start, span.start + 3 * HOUR_S, span.start - 1, span.start + 3 * HOUR_S + 1]
    shares = published_shares(span, dates)
    assert shares is not None
    assert shares.tolist() == [0.5, 0.0, 0.0, 0.5]
    assert published_shares(span, dates[1:2]) is not None


@pytest.mark.parametrize(
    ("hours", "is_known"), [((2, 2), False), ((2, 2, 3, 4), True), ((2, 2, 2, 4), False), ((2, 2, 3, 4, 5), True)]
)
def test_more_than_half_at_one_time_of_day_is_no_time_of_day(hours: tuple[int, ...], is_known: bool) -> None:
    dates = [day * DAY_S + hour * HOUR_S for day, hour in enumerate(hours)]
    assert (published_shares(cut_hours(0.0, WEEK_S), dates) is not None) == is_known
