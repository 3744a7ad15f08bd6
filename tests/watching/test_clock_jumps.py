"""A watch that runs while its clock is set, and while time zones and summer time change: no stall, no storm."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.watching.board import HOUR_S, Board, Stand, open_stand

from scythe.archive.observations import lists_of_watch, read_looks
from scythe.archive.watches import watch_rows
from scythe.watching import watch as run
from scythe.watching.clock import Clock
from scythe.watching.events import Event, VisitEvent
from scythe.watching.watch import Watch, add_lists
from scythe.watching.watch_options import ListOptions, WatchOptions

pytestmark = pytest.mark.fault
DAY_S = 24 * HOUR_S
YEAR_S = 366 * DAY_S
STEP_S = 900.0  # of the time that tests let pass between two looks
FLOOR_S, CEILING_S = 600.0, 7 * DAY_S


@pytest.fixture
def stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stand]:
    monkeypatch.setattr(run, "_LOOK_S", 0.005)  # real: the hands below move at once
    board = Board()
    board.add(40)
    with open_stand(tmp_path, board) as stand:
        yield stand


@pytest.fixture(autouse=True)
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Put the time zone back that was set before."""
    with monkeypatch.context() as inner:
        yield inner
    time.tzset()


@dataclass
class Hands:
    """The clocks of a machine; only tests move them."""

    wall: float = datetime(2026, 3, 28, 12, tzinfo=UTC).timestamp()
    steady: float = -1e9  # before any moment of the real one, by which answers come
    seen: list[VisitEvent] = field(default_factory=list)

    def pass_s(self, seconds: float) -> None:
        self.wall += seconds
        self.steady += seconds

    @property
    def clock(self) -> Clock:
        return Clock(wall=lambda: self.wall, steady=lambda: self.steady)

    async def take(self, event: Event) -> None:
        if isinstance(event, VisitEvent):
            self.seen.append(event)


@asynccontextmanager
async def watching(stand: Stand, hands: Hands) -> AsyncIterator[Watch]:
    """Watch the board until the block ends, its first visit done."""
    clock = hands.clock
    add_lists(stand.archive, [stand.url], ListOptions(), clock)
    watch = Watch(stand.archive, WatchOptions(delay=0.0, allow_private=True), listener=hands.take, clock=clock)
    task = asyncio.ensure_future(watch.run())
    try:
        await until(lambda: len(hands.seen) == 1)
        yield watch
    finally:
        watch.stop()
        await task


async def until(holds: object, seconds: float = 120.0) -> None:
    assert callable(holds)
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "the watch stalls"
        await asyncio.sleep(0.005)


async def settle(stand: Stand, hands: Hands) -> None:
    """Let the watch look around, and finish what it began."""
    for _ in range(3):
        before = len(stand.server.heads), len(hands.seen)
        await asyncio.sleep(0.03)
        await until(lambda: not due(stand, hands))
        if before == (len(stand.server.heads), len(hands.seen)):
            return


def due(stand: Stand, hands: Hands) -> bool:
    (row,) = watch_rows(stand.archive)
    return row.due_at is not None and row.due_at.timestamp() <= hands.wall


def wait_s(stand: Stand, hands: Hands) -> float:
    """Return how long it is until the next visit, by the clock on the wall."""
    (row,) = watch_rows(stand.archive)
    assert row.due_at is not None
    return row.due_at.timestamp() - hands.wall


async def go_on(stand: Stand, hands: Hands, seconds: float) -> int:
    """Let time pass in steps; return how many visits were made meanwhile."""
    before = len(hands.seen)
    for _ in range(int(seconds // STEP_S) + 1):
        hands.pass_s(STEP_S)
        await settle(stand, hands)
    return len(hands.seen) - before


def test_a_clock_set_back_by_a_day_stalls_nothing(stand: Stand) -> None:
    async def scenario() -> None:
        hands = Hands()
        async with watching(stand, hands):
            planned_s = wait_s(stand, hands)
            hands.wall -= DAY_S
            await until(lambda: wait_s(stand, hands) <= planned_s + STEP_S)
            stand.board.add(3)
            assert await go_on(stand, hands, planned_s + STEP_S) == 1
            assert hands.seen[-1].new == 3
            assert FLOOR_S <= wait_s(stand, hands) <= CEILING_S

    asyncio.run(scenario())


def test_a_clock_set_ahead_by_a_year_makes_one_visit(stand: Stand) -> None:
    async def scenario() -> None:
        hands = Hands()
        async with watching(stand, hands):
            hands.wall += YEAR_S
            await until(lambda: len(hands.seen) == 2)
            assert FLOOR_S - STEP_S <= wait_s(stand, hands) <= CEILING_S
            assert await go_on(stand, hands, HOUR_S) <= HOUR_S / FLOOR_S
            hands.wall -= YEAR_S  # and somebody puts it right
            await until(lambda: wait_s(stand, hands) <= CEILING_S)
            assert wait_s(stand, hands) >= FLOOR_S - STEP_S

    asyncio.run(scenario())


def test_a_clock_that_jumps_to_and_fro_makes_no_storm(stand: Stand) -> None:
    async def scenario() -> None:
        hands = Hands()
        async with watching(stand, hands):
            for turn in range(12):
                hands.wall += DAY_S if turn % 2 else -DAY_S
                hands.pass_s(60.0)
                await settle(stand, hands)
            assert len(hands.seen) <= 1 + 6, "at most one visit each time a day seems to have passed"
            assert 0.0 < wait_s(stand, hands) <= CEILING_S

    asyncio.run(scenario())


def test_time_zones_and_summer_time_move_no_visit(stand: Stand, zone: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        hands = Hands(wall=datetime(2026, 3, 29, 0, 50, tzinfo=UTC).timestamp())  # ten minutes before summer time
        zone.setenv("TZ", "Europe/Berlin")
        time.tzset()
        async with watching(stand, hands):
            planned_s = wait_s(stand, hands)
            for name in ("Europe/Berlin", "Pacific/Kiritimati", "America/St_Johns", "UTC", "Europe/Berlin"):
                zone.setenv("TZ", name)
                time.tzset()
                hands.pass_s(240.0)
                await settle(stand, hands)
            assert len(hands.seen) == 1 + (planned_s <= 1_200.0)
            assert wait_s(stand, hands) == pytest.approx(planned_s - 1_200.0, abs=1.0)
            stand.board.add(2)
            assert await go_on(stand, hands, planned_s) == 1
            (region,) = lists_of_watch(stand.archive, watch_rows(stand.archive)[0].id)
            looks = list(read_looks(stand.archive, region.id))
            assert looks[-1].since_s == pytest.approx(planned_s, abs=2 * STEP_S)

    asyncio.run(scenario())


def test_a_watch_started_before_its_last_visit_goes_on(stand: Stand) -> None:
    async def scenario() -> None:
        hands = Hands()
        async with watching(stand, hands):
            planned_s = wait_s(stand, hands)
        hands.wall -= YEAR_S  # a machine without a battery
        stand.board.add(2)
        hands.seen.clear()
        watch = Watch(
            stand.archive,
            WatchOptions(delay=0.0, allow_private=True),
            listener=hands.take,
            clock=hands.clock,
        )
        task = asyncio.ensure_future(watch.run())
        await until(lambda: wait_s(stand, hands) <= planned_s + STEP_S)
        assert await go_on(stand, hands, planned_s + STEP_S) == 1
        assert hands.seen[-1].new == 2
        watch.stop()
        await task

    asyncio.run(scenario())
