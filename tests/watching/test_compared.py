"""What other rules would have made of a journal."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from scythe.archive.results import LookRow
from scythe.limits import LIMITS
from scythe.schedule.policies import STORM, Adaptive, Estimator, Fixed, make_policy
from scythe.schedule.simulate import Rhythm, Trial, make_arrivals, simulate
from scythe.watch_model import DAY_S, Goals
from scythe.watching.plan_report import Compared, Comparison, compare

NOON = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)


def look(hours: float, new: int, *, lost: int = 0, shown: int | None = 10, since_h: float | None = None) -> LookRow:
    at = NOON + timedelta(hours=hours)
    known = max((shown or 0) - new, 0)
    since_s = None if since_h is None else since_h * 3_600
    return LookRow(0, 1, at, since_s, shown, new, known, 0, lost, False, False, 1, None)


def journal(every_h: float, new: int, visits: int) -> list[LookRow]:
    return [look(0, 10), *(look(every_h * number, new, since_h=every_h) for number in range(1, visits + 1))]


def by_name(comparison: Comparison | None) -> dict[str, Compared]:
    assert comparison is not None
    return {row.name: row for row in comparison.rows}


def test_what_happened_is_told_as_it_was() -> None:
    looks: Sequence[LookRow] = [look(0, 10), look(6, 4, since_h=6), look(12, 10, lost=2, since_h=6), look(24, 1)]
    comparison = compare(looks)
    row = by_name(comparison)["what happened"]
    assert (row.visits, row.requests, row.new, row.duplicates, row.missed) == (3, 3, 15, 6 + 0 + 9, 2)
    assert not row.is_estimate
    assert comparison is not None
    assert (comparison.came, comparison.shown) == (17, 10)


def test_a_busy_list_that_is_visited_daily_is_missed_and_hourly_is_seen_twice() -> None:
    rows = by_name(compare(journal(6, 5, 40)))  # 20 a day for ten days, of which a page shows 10
    assert rows["every day"].missed == 10 * 9 + 10
    assert rows["every day"].duplicates == 0
    assert rows["every hour"].missed == 0
    assert rows["every hour"].visits == 240
    assert rows["every hour"].duplicates == 2_400 - 200
    assert rows["as often, evenly"].visits == rows["what happened"].visits == 40


def test_every_rule_sees_misses_or_leaves_on_the_page_what_came() -> None:
    comparison = compare(journal(3, 2, 100))
    assert comparison is not None
    for row in comparison.rows:
        assert 0 <= comparison.came - row.new - row.missed <= comparison.shown


def test_a_short_journal_is_compared_with_nothing() -> None:
    assert compare([]) is None
    assert compare(journal(1, 1, 2)) is None
    assert compare(journal(1, 0, 20)) is None


def test_rules_that_hardly_had_a_turn_are_left_out() -> None:
    assert set(by_name(compare(journal(0.5, 1, 8)))) == {"what happened", "every hour", "as often, evenly"}


def test_a_clock_that_was_set_back_does_no_harm() -> None:
    looks = [*journal(2, 1, 20), look(10, 3), *(look(10 + number, 1) for number in range(1, 60))]
    assert by_name(compare(looks))["what happened"].missed == 0


def test_estimates_come_close_to_what_the_arrivals_would_have_given() -> None:
    arrivals = make_arrivals(2, Rhythm(per_day=50, days=28))

    def run(rule: Estimator, end: float | None = None) -> Trial:
        return simulate(arrivals, 20, lambda _: rule, warm_s=2 * DAY_S, begin="cold", end=end)

    looks = [look_at(arrivals[0] + 2 * DAY_S, None, 20, 0)]
    looks += [look_at(one.at, one.wait_s, one.new, one.missed) for one in run(make_policy("auto", Goals())).visits]
    comparison = compare(looks)
    assert comparison is not None
    rows = by_name(comparison)
    daily = run(Fixed(Goals(), every_s=DAY_S), comparison.end)
    storm = run(Adaptive(Goals(), habits=STORM), comparison.end)
    assert rows["every day"].missed == pytest.approx(daily.missed, rel=0.01)
    assert rows["adaptive"].missed == pytest.approx(storm.missed, abs=8)
    assert rows["adaptive"].visits == pytest.approx(len(storm.visits), rel=0.12)


def look_at(at: float, since_s: float | None, new: int, lost: int) -> LookRow:
    return LookRow(0, 1, datetime.fromtimestamp(at, UTC), since_s, 20, new, 20 - new, 0, lost, False, False, 1, None)


def test_of_a_long_journal_the_newest_part_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scythe.watching.plan_report.LIMITS", LIMITS._replace(compared_arrivals=100))
    comparison = compare(journal(6, 5, 40))
    assert comparison is not None
    assert comparison.came == 95  # of 200: with the look before them, which only begins the time, 100
    assert by_name(comparison)["what happened"].visits == 19
    assert comparison.end == (NOON + timedelta(hours=240)).timestamp()
