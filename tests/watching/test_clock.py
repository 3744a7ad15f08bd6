"""The clock of a watch: fast ones, and jumps of the one on the wall."""

from datetime import UTC, datetime

from scythe.watching.clock import Clock


class Hands:
    """A wall clock and a steady one that tests move."""

    def __init__(self) -> None:
        self.wall, self.steady = 1_000_000.0, 50.0

    def pass_s(self, seconds: float) -> None:
        self.wall += seconds
        self.steady += seconds

    def clock(self, speed: float = 1.0, start: float = 0.0) -> Clock:
        return Clock(speed, start, self.wall, lambda: self.wall, lambda: self.steady)


def test_a_clock_shows_the_time_on_the_wall() -> None:
    hands = Hands()
    assert hands.clock().now() == datetime.fromtimestamp(1_000_000, UTC)


def test_a_fast_clock_shows_its_start_and_runs_so_many_times_faster() -> None:
    hands = Hands()
    clock = hands.clock(1_000.0, 5_000_000.0)
    hands.pass_s(3.0)
    assert clock.seconds() == 5_003_000.0
    assert clock.real_s(600.0) == 0.6


def test_a_moment_of_the_steady_clock_is_told_as_a_time() -> None:
    hands = Hands()
    clock = hands.clock()
    began = hands.steady
    hands.pass_s(4.0)
    assert clock.at(began) == datetime.fromtimestamp(1_000_000, UTC)
    assert clock.at(0.0) == clock.now()


def test_time_that_passes_is_no_jump() -> None:
    hands = Hands()
    clock = hands.clock()
    hands.pass_s(86_400.0)
    assert clock.jumped_s() == 0.0


def test_a_jump_is_told_once_and_by_how_much() -> None:
    hands = Hands()
    clock = hands.clock()
    hands.pass_s(100.0)
    hands.wall -= 86_400.0
    assert clock.jumped_s() == -86_400.0
    assert clock.jumped_s() == 0.0


def test_a_clock_that_is_slewed_never_jumps() -> None:
    hands = Hands()
    clock = hands.clock()
    jumps = []
    for _ in range(100):
        hands.pass_s(3_600.0)
        hands.wall += 30.0
        jumps.append(clock.jumped_s())
    assert set(jumps) == {0.0}
