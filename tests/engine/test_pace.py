"""The pace of a host, by a clock that only moves when told to."""

import random
from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scythe.engine.pace import LONGEST_S, SLOWEST, Pace, retry_in_s


@dataclass
class Clock:
    now: float = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pace(clock: Clock) -> Pace:
    """The pace of a host that is asked once a second."""
    return Pace(1.0, clock=clock)


def ask(pace: Pace, clock: Clock, *, status: int = 200, seconds: float = 0.01, said_s: float | None = None) -> float:
    """Wait as told, do one request, and return when it began."""
    clock.now += pace.ready_in_s()
    began = clock.now
    pace.began()
    clock.now += seconds
    pace.answered(clock.now, status, seconds, said_s)
    return began


def gaps(pace: Pace, clock: Clock, count: int, **how: float) -> list[float]:
    """Return the waits between an answer and the next request."""
    waits = []
    for _ in range(count):
        waits.append(pace.ready_in_s())
        ask(pace, clock, **how)  # type: ignore[arg-type]
    return waits


def test_the_first_request_may_begin_at_once() -> None:
    assert Pace(5.0, clock=Clock()).ready_in_s() == 0.0


def test_a_pause_is_counted_from_the_first_byte_of_the_answer() -> None:
    clock = Clock()
    pace = Pace(2.0, clock=clock)
    pace.began()
    clock.now += 0.7
    first_byte = clock.now
    clock.now += 0.5  # the rest of the body
    pace.answered(first_byte, 200, 1.2)
    assert pace.ready_in_s() == pytest.approx(1.5)
    clock.now += 1.5
    assert pace.ready_in_s() == 0.0


def test_a_failed_attempt_counts_from_its_end() -> None:
    clock = Clock()
    pace = Pace(2.0, clock=clock)
    pace.began()
    clock.now += 10.0
    pace.failed(clock.now, 10.0)
    assert pace.ready_in_s() == pytest.approx(2.0)


@pytest.mark.parametrize("at", [0.0, 99_999.0])
def test_an_unknown_moment_and_one_to_come_are_now(at: float) -> None:
    clock = Clock()
    pace = Pace(2.0, clock=clock)
    pace.began()
    clock.now += 1.0
    pace.answered(at, 200)
    assert pace.ready_in_s() == pytest.approx(2.0)


def test_the_longer_of_both_delays_holds() -> None:
    pace = Pace(1.0, clock=Clock())
    assert pace.gap_s == 1.0
    pace.crawl_delay_s = 7.5
    assert pace.gap_s == 7.5
    pace.crawl_delay_s = 0.5
    assert pace.gap_s == 1.0
    assert pace.crawl_delay_s == 0.5


@pytest.mark.parametrize(
    ("asked_s", "kept_s"), [(-5.0, 0.0), (float("nan"), 0.0), (1e9, LONGEST_S), (float("inf"), LONGEST_S)]
)
def test_an_absurd_crawl_delay_is_bounded(asked_s: float, kept_s: float) -> None:
    pace = Pace(0.0, clock=Clock())
    pace.crawl_delay_s = asked_s
    assert pace.crawl_delay_s == kept_s


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_server_is_asked_half_as_often_up_to_a_bound(status: int, clock: Clock, pace: Pace) -> None:
    waits = gaps(pace, clock, 10, status=status)
    assert waits == pytest.approx([0, 2, 4, 8, 16, 32, 64, 64, 64, 64])
    assert pace.slow == SLOWEST


def test_a_run_of_good_answers_brings_the_old_pace_back(clock: Clock, pace: Pace) -> None:
    gaps(pace, clock, 3, status=503)
    assert pace.slow == 8.0
    waits = gaps(pace, clock, 40)
    assert waits[9::10] == pytest.approx([8.0, 4.0, 2.0, 1.0])
    assert waits == sorted(waits, reverse=True)
    assert pace.slow == 1.0


def test_one_more_refusal_starts_the_run_again() -> None:
    clock = Clock()
    pace = Pace(1.0, clock=clock, slow=4.0)
    gaps(pace, clock, 9)
    ask(pace, clock, status=429)
    assert pace.slow == 8.0
    gaps(pace, clock, 9)
    assert pace.slow == 8.0


def test_a_failure_ends_a_run_of_good_answers() -> None:
    clock = Clock()
    pace = Pace(1.0, clock=clock, slow=4.0)
    gaps(pace, clock, 9)
    pace.began()
    pace.failed(clock.now)
    gaps(pace, clock, 9)
    assert pace.slow == 4.0


@pytest.mark.parametrize("status", [200, 301, 304, 404, 500, 502])
def test_other_answers_do_not_slow_down(status: int, clock: Clock, pace: Pace) -> None:
    assert gaps(pace, clock, 5, status=status, said_s=100.0) == pytest.approx([0, 1, 1, 1, 1])


@pytest.mark.parametrize(
    ("said_s", "wait_s"), [(120.0, 120.0), (0.0, 2.0), (-1.0, 2.0), (None, 2.0), (1e12, LONGEST_S), (1.0, 2.0)]
)
def test_retry_after_is_obeyed_up_to_a_day_and_never_shortens(
    said_s: float | None, wait_s: float, clock: Clock, pace: Pace
) -> None:
    ask(pace, clock, status=429, said_s=said_s)
    assert pace.ready_in_s() == pytest.approx(wait_s)


def test_without_a_delay_only_refusals_slow_down() -> None:
    clock = Clock()
    pace = Pace(0.0, clock=clock)
    assert gaps(pace, clock, 20, seconds=0.01) == [0.0] * 20
    assert gaps(pace, clock, 20, seconds=30.0) == [0.0] * 20
    ask(pace, clock, status=503)
    assert pace.ready_in_s() == pytest.approx(0.5)
    ask(pace, clock, status=503)
    assert pace.ready_in_s() == pytest.approx(1.5)
    gaps(pace, clock, 21)
    assert pace.ready_in_s() == 0.0


def test_several_under_way_start_a_delay_apart(clock: Clock, pace: Pace) -> None:
    starts = []
    for _ in range(5):  # each takes ten seconds: all are under way together
        clock.now += pace.ready_in_s()
        starts.append(clock.now)
        pace.began()
    assert [b - a for a, b in pairwise(starts)] == pytest.approx([1.0] * 4)
    pace.answered(clock.now, 200, 4.0)
    assert pace.ready_in_s() == pytest.approx(1.0)
    clock.now += 0.9
    pace.answered(clock.now, 200, 4.0)  # others are still under way: the start of the last one counts
    assert pace.ready_in_s() == pytest.approx(0.1)


def test_refusals_of_requests_that_were_under_way_together_count_once(clock: Clock, pace: Pace) -> None:
    for _ in range(4):
        clock.now += pace.ready_in_s()
        pace.began()
    clock.now += 5.0
    for _ in range(4):
        clock.now += 0.01
        pace.answered(clock.now, 429, 6.0)
    assert pace.slow == 2.0
    assert pace.ready_in_s() == pytest.approx(2.0)


def test_the_last_of_several_to_end_pauses_as_a_single_one_would(clock: Clock, pace: Pace) -> None:
    pace.began()
    clock.now += 1.0
    pace.began()
    clock.now += 5.0
    pace.answered(clock.now, 200, 6.0)
    pace.answered(clock.now, 200, 5.0)
    assert pace.ready_in_s() == pytest.approx(1.0)
    pace.failed(clock.now)  # one too many is no harm
    assert pace.ready_in_s() == pytest.approx(1.0)


def test_a_server_much_slower_than_usual_is_asked_less_and_then_as_before(clock: Clock, pace: Pace) -> None:
    gaps(pace, clock, 40, seconds=0.2)
    assert pace.gap_s == 1.0
    gaps(pace, clock, 2, seconds=2.0)
    assert pace.gap_s == 1.0  # two slow pages are no slow server
    gaps(pace, clock, 3, seconds=1.0)
    assert pace.gap_s == pytest.approx(5.0)
    gaps(pace, clock, 5, seconds=20.0)
    assert pace.gap_s == pytest.approx(8.0)  # bounded
    gaps(pace, clock, 3, seconds=0.2)
    assert pace.gap_s == 1.0
    assert pace.slow == 1.0


def test_what_is_slow_for_long_is_usual(clock: Clock, pace: Pace) -> None:
    gaps(pace, clock, 51, seconds=0.2)
    waits = gaps(pace, clock, 60, seconds=2.0)
    assert max(waits) == pytest.approx(8.0)
    assert waits[-1] == pytest.approx(1.0)


def test_fast_servers_may_vary(clock: Clock, pace: Pace) -> None:
    gaps(pace, clock, 40, seconds=0.002)
    gaps(pace, clock, 10, seconds=0.25)
    assert pace.gap_s == 1.0


def test_attempts_that_end_late_count_as_late_answers(clock: Clock, pace: Pace) -> None:
    for _ in range(20):
        pace.began()
        clock.now += 0.01
        pace.failed(clock.now, 0.01)  # refused at once: says nothing of its speed
    assert pace.gap_s == 1.0
    gaps(pace, clock, 20, seconds=0.2)
    for _ in range(3):
        pace.began()
        clock.now += 60.0
        pace.failed(clock.now, 60.0)
    assert pace.gap_s == pytest.approx(8.0)


def test_slow_and_ready_in_s_carry_the_pace_over_a_restart() -> None:
    clock = Clock()
    before = Pace(1.0, clock=clock)
    ask(before, clock, status=429, said_s=90.0)
    later = Clock(5.0)  # another process has another clock
    after = Pace(1.0, clock=later, slow=before.slow, free_in_s=before.ready_in_s())
    assert after.ready_in_s() == pytest.approx(90.0)
    assert after.gap_s == before.gap_s == 2.0


@pytest.mark.parametrize(("slow", "kept"), [(0.0, 1.0), (-3.0, 1.0), (1e9, SLOWEST)])
def test_what_was_kept_is_bounded(slow: float, kept: float) -> None:
    pace = Pace(1.0, clock=Clock(), slow=slow, free_in_s=1e12)
    assert pace.slow == kept
    assert pace.ready_in_s() == pytest.approx(LONGEST_S)


def test_the_slowest_pace_is_a_day_unless_the_caller_wants_more() -> None:
    pace = Pace(1.0, clock=Clock(), slow=64.0)
    pace.crawl_delay_s = 86_400.0
    assert pace.gap_s == LONGEST_S
    assert Pace(100_000.0, clock=Clock()).gap_s == 100_000.0


@settings(max_examples=60, deadline=None)
@given(st.floats(0.0, 5.0), st.floats(0.0, 5.0), st.integers(0, 2**32))
def test_no_server_sees_two_requests_closer_than_the_delay(own_s: float, crawl_s: float, seed: int) -> None:
    clock, dice = Clock(), random.Random(seed)
    pace = Pace(own_s, clock=clock)
    pace.crawl_delay_s = crawl_s
    seen: list[float] = []
    for _ in range(60):
        clock.now += pace.ready_in_s() + dice.choice((0.0, 0.0, 0.3))
        assert pace.ready_in_s() == 0.0
        pace.began()
        clock.now += dice.uniform(0.0, 2.0)  # on the way
        seen.append(clock.now)
        clock.now += dice.uniform(0.0, 2.0)  # the way back
        if dice.random() < 0.1:
            pace.failed(clock.now, dice.uniform(0.0, 60.0))
            continue
        first_byte = clock.now
        clock.now += dice.uniform(0.0, 1.0)
        pace.answered(first_byte, dice.choice((200, 200, 404, 429, 503)), 0.5, dice.choice((None, 0.0, 30.0)))
    least = max(own_s, crawl_s)
    assert all(b - a >= least - 1e-6 for a, b in pairwise(seen))


def test_a_hundred_thousand_requests_to_200_hosts_over_20_restarts_break_no_delay() -> None:
    dice = random.Random(7)
    requests = 0
    for _ in range(200):
        delay_s = dice.choice((0.0, 0.05, 1.0, 5.0))
        crawl_s = dice.choice((0.0, 0.0, 2.0, 3_600.0))
        restarts = set(dice.sample(range(500), 20))
        clock = Clock(dice.uniform(1.0, 1e6))
        pace = Pace(delay_s, clock=clock)
        pace.crawl_delay_s = crawl_s
        last = float("-inf")
        for turn in range(500):
            if turn in restarts:  # another process, another clock; only two numbers are left
                left_s = pace.ready_in_s()
                moved_s = dice.uniform(-1e3, 1e6) if clock.now > 2e3 else 0.0
                clock.now += moved_s
                last += moved_s
                pace = Pace(delay_s, clock=clock, slow=pace.slow, free_in_s=left_s)
                pace.crawl_delay_s = crawl_s
            clock.now += pace.ready_in_s()
            pace.began()
            clock.now += dice.random()
            assert clock.now - last >= max(delay_s, crawl_s) - 1e-4
            last = clock.now
            clock.now += dice.random()
            pace.answered(clock.now, dice.choice((200, 200, 200, 200, 404, 503)), dice.random(), None)
            requests += 1
    assert requests == 100_000


def test_attempts_are_further_and_further_apart_and_spread() -> None:
    assert [retry_in_s(n, spread=lambda: 0.0) for n in (0, 1, 2, 3, 4)] == [10.0, 10.0, 20.0, 40.0, 80.0]
    assert retry_in_s(1, spread=lambda: 1.0) == 15.0
    assert retry_in_s(10_000, spread=lambda: 1.0) == LONGEST_S
    dice = random.Random(1)
    waits = [retry_in_s(1, said_s=100.0, spread=dice.random) for _ in range(100)]
    assert all(100.0 <= wait <= 150.0 for wait in waits)
    assert max(waits) - min(waits) > 30.0
    dice = random.Random(1)
    assert waits == [retry_in_s(1, said_s=100.0, spread=dice.random) for _ in range(100)]


@pytest.mark.parametrize(("said_s", "wait_s"), [(None, 10.0), (3.0, 10.0), (-1.0, 10.0), (500.0, 500.0), (1e9, 86_400)])
def test_no_attempt_comes_before_the_server_said(said_s: float | None, wait_s: float) -> None:
    assert retry_in_s(1, said_s=said_s, spread=lambda: 0.0) == wait_s


def test_a_host_that_nobody_reaches_is_away_and_tried_ever_less_often() -> None:
    clock = Clock()
    pace = Pace(0.1, clock=clock)
    waits = []
    for _ in range(12):
        clock.now += pace.ready_in_s()
        pace.began()
        pace.failed(clock.now, is_unreached=True)
        waits.append(pace.ready_in_s())
    assert waits[:4] == pytest.approx([0.1] * 4)
    assert waits[4:] == pytest.approx([1.0, 2.0, 4.0, 8.0, 15.0, 15.0, 15.0, 15.0])
    assert pace.is_away
    assert pace.away_s > 60.0


def test_whatever_a_host_answers_it_is_there() -> None:
    clock = Clock()
    for answer in (
        lambda pace: pace.answered(clock.now, 500),
        lambda pace: pace.failed(clock.now, is_unreached=False),
    ):
        pace = Pace(0.1, clock=clock)
        for _ in range(9):
            pace.failed(clock.now, is_unreached=True)
        pace.failed(clock.now)  # one that was cancelled says nothing
        assert pace.is_away
        answer(pace)
        assert not pace.is_away
        assert pace.away_s == 0.0
