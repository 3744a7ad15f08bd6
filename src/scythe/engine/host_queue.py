"""The queue of one host: which URL may be requested now, at the host's pace, while its lease is held.

    async with queue:
        while (task := await queue.next_task()) is not None:
            if await queue.take_page():
                queue.start(task, visit(task))

What is under way is only in memory; in the archive a URL waits until its outcome is stored.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from time import monotonic, time
from types import TracebackType
from typing import Any, TypeVar

from scythe.archive.archive import Archive
from scythe.archive.frontier import next_tasks
from scythe.archive.host_leases import Owner, keep_host, leave_host
from scythe.crawl_model import CRAWLED, HostLease, Receipt, Task
from scythe.engine.archive_thread import ArchiveThread
from scythe.engine.pace import LONGEST_S, Pace
from scythe.engine.sampling import SampleChoice
from scythe.fetch.fetch_options import RunOptions

T = TypeVar("T")

LEASE_S = 60.0
_LOOK_S = 2.0  # how often a holder asks whether others wait, and says that it is still there
_SIGNS = 4  # times at least in the time of a lease
_TURN_S = 1.0  # a host that others wait for is held at least so long
_UNREAD_S = 0.5  # what a process that vanished has sent may lie unread at a busy server for so long
_AHEAD = 64  # addresses taken from the archive at once
_AHEAD_SAMPLING = 512  # among which the pages to learn from are chosen


def utc_now() -> datetime:
    """Return the time by the clock on the wall."""
    return datetime.now(UTC)


def both_clocks() -> tuple[float, float]:
    """Return the present moment by a clock that nobody sets and by one that goes on while the machine sleeps."""
    return monotonic(), time()


@dataclass(slots=True)
class Capacity:
    """How much may be under way at once, at all hosts together, and which pages are wanted."""

    requests: asyncio.Semaphore
    pages: asyncio.Semaphore  # asked for and not yet stored: bounds memory
    stop: asyncio.Event
    pages_left: int | None = None  # until the run has as many as it wants; None: all
    is_sampling: bool = False  # pages are wanted to learn the site from, rather than in their order
    under_way: int = 0  # at all hosts

    @property
    def is_wanted(self) -> bool:
        """Whether one more page may be asked for."""
        return self.pages_left is None or self.under_way < self.pages_left


@dataclass(slots=True)
class HostQueue:
    """The addresses of one host, and the right to ask for them."""

    lease: HostLease
    owner: Owner
    clerk: ArchiveThread
    options: RunOptions
    capacity: Capacity
    pace: Pace
    kinds: Collection[str] = CRAWLED  # of addresses that are asked for
    now: Callable[[], datetime] = utc_now
    due_by: datetime | None = None  # what became due later is left for another run
    lease_s: float = LEASE_S  # by that clock, which may run as much faster as the pace does
    kept_at: tuple[float, float] = field(
        default_factory=both_clocks
    )  # when it was taken or kept, before that was asked
    ready: deque[Task] = field(default_factory=deque)
    running: dict[int, asyncio.Future[Receipt]] = field(default_factory=dict)
    closed: str = ""  # why nothing of this host may be asked for now
    is_lost: bool = False
    _may_have_more: bool = True
    _has_news: bool = False  # addresses were found since `ready` was filled
    _stored: asyncio.Event = field(default_factory=asyncio.Event)
    _slots: asyncio.Semaphore = field(init=False)
    _began: float = field(default_factory=monotonic)
    _is_wanted: bool = False
    _error: BaseException | None = None
    _variety: SampleChoice = field(default_factory=SampleChoice)
    _has_turn: bool = False
    _deciding: asyncio.Future[Any] | None = None
    _aside: list[asyncio.Future[None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._slots = asyncio.Semaphore(self.options.places)

    @property
    def _real_lease_s(self) -> float:
        return self.lease_s / self.pace.speed

    @property
    def archive(self) -> Archive:
        return self.clerk.archive

    async def __aenter__(self) -> HostQueue:
        self._aside = [asyncio.ensure_future(self._keep_on()), asyncio.ensure_future(self._end_with_run())]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Wait for the visits, give the host back, and raise what one of them failed with as no visit should."""
        for each in self._aside:
            each.cancel()
        await self._finish()
        if error is None and self._error is not None:
            raise self._error

    async def next_task(self) -> Task | None:
        """Return the next address to decide on; None where none is left, others want the host, or the run ends."""
        if not self._has_turn:
            self._has_turn = True
            await self._wait_for_turn()
        while not self._is_over():
            task = await self._take_waiting()
            if task is not None:
                return task
            if not self.running:
                return None
            await self._until_stored()
        return None

    async def decide(self, deciding: Coroutine[None, None, T]) -> T | None:
        """Return what is decided about an address; None where the run ends meanwhile, which ends this, too."""
        decided = asyncio.ensure_future(deciding)
        self._deciding = decided
        try:
            return await decided
        except asyncio.CancelledError:
            if not self._is_over():
                raise
            return None
        finally:
            self._deciding = None

    async def take_page(self) -> bool:
        """Wait until one more page may be under way and the host may be asked; False where it must not be, now."""
        if self.closed:
            return False
        await self.capacity.pages.acquire()
        if await self.take_place():
            return True
        self.capacity.pages.release()
        return False

    def start(self, task: Task, visit: Coroutine[None, None, Receipt], *, has_page: bool = False) -> None:
        """Let a visit run beside others; `has_page` where `take_page` was waited for."""
        self.capacity.under_way += 1
        self.running[task.id] = asyncio.ensure_future(visit)
        self.running[task.id].add_done_callback(partial(self._ended, task, has_page))

    def stop(self) -> None:
        """End what is under way: in the archive it still waits."""
        for visit in self.running.values():
            visit.cancel()
        if self._deciding is not None:
            self._deciding.cancel()
        self._stored.set()

    def _is_over(self) -> bool:
        if self.capacity.stop.is_set() or self.is_lost or self.closed or self._error is not None:
            return True
        return self._is_wanted and monotonic() - self._began > _TURN_S

    async def _wait_for_turn(self) -> None:
        """Wait as long as the last holder of the host had to."""
        now = self.now()
        left_s = (self.lease.free_at - now).total_seconds()
        if not self.lease.is_left:
            left_s = max(left_s, self.pace.gap_s + _UNREAD_S)
        await self.pause(min(left_s, LONGEST_S))

    async def pause(self, seconds: float) -> None:
        """Wait, unless the run or the right to the host ends before."""
        until = monotonic() + seconds
        while (left_s := until - monotonic()) > 0 and not self.capacity.stop.is_set() and not self.is_lost:
            with suppress(TimeoutError):
                await asyncio.wait_for(self.capacity.stop.wait(), min(left_s, _LOOK_S))

    async def _take_waiting(self) -> Task | None:
        """Return the next address to ask for; None where there is none at the moment."""
        if not self.capacity.is_wanted:
            return None
        if self._has_news and self.ready and self.ready[0].rank > 0:
            self.ready.clear()  # what was found meanwhile may come first
        if not self.ready and self._may_have_more:
            self._may_have_more = self._has_news = False
            self.ready.extend(
                await self.clerk.ask(
                    next_tasks,
                    self.archive,
                    self.lease.site,
                    self.lease.name,
                    _AHEAD_SAMPLING if self.capacity.is_sampling else _AHEAD,
                    now=self.due_by or self.now(),
                    skip=tuple(self.running),
                    kinds=self.kinds,
                )
            )
            if self.ready:
                self._may_have_more = True
        if self.ready and self.capacity.is_sampling:
            self.ready.rotate(-self._variety.choose(self.ready))
        return self.ready.popleft() if self.ready else None

    async def take_place(self) -> bool:
        """Wait for a place at the host and for the time to ask; False where the run ended meanwhile."""
        await self._slots.acquire()
        await self.capacity.requests.acquire()
        if await self.take_turn():
            return True
        self.free_place()
        return False

    async def take_turn(self) -> bool:
        """Wait until the next request may begin; False where the run ended or the host was lost meanwhile."""
        while not self.capacity.stop.is_set() and not self.is_lost:
            left_s = self.pace.ready_in_s()
            if left_s > 0:
                await self.pause(left_s)
            elif not self.is_sure:
                await self._keep()
            else:
                self.pace.began()
                return True
        return False

    @property
    def is_sure(self) -> bool:
        """Whether nobody else can have the host; not where this process was stopped, or the machine slept."""
        steady, wall = both_clocks()
        return not self.is_lost and max(steady - self.kept_at[0], wall - self.kept_at[1]) <= self._real_lease_s / 2

    async def make_sure(self) -> None:
        """Ask once more, at the last moment, whether the host is still held; a visit of one that is not ends here."""
        while not self.is_sure and not self.is_lost:
            await self._keep()
        if self.is_lost:  # it was cancelled when that was found out, and may have outlived that
            raise asyncio.CancelledError("the host is another's")

    def free_place(self) -> None:
        """Give the place at the host back: its answer is there."""
        self._slots.release()
        self.capacity.requests.release()

    def _ended(self, task: Task, has_page: bool, visit: asyncio.Future[Receipt]) -> None:
        """Take note that a visit is over: stored, broken off because the run ends, or failed as no visit should."""
        del self.running[task.id]
        self.capacity.under_way -= 1
        if has_page:
            self.capacity.pages.release()
        if not visit.cancelled():
            self._error = self._error or visit.exception()
            self._has_news |= visit.exception() is None and visit.result().found > 0
            self._may_have_more |= self._has_news
        self._stored.set()

    async def _until_stored(self) -> None:
        self._stored.clear()
        if self.running:
            await self._stored.wait()

    async def _keep_on(self) -> None:
        """Say every now and then that the host is still held."""
        while True:
            look_s = _LOOK_S if not self._is_wanted else _TURN_S
            await asyncio.sleep(min(look_s, self._real_lease_s / _SIGNS))
            await self._keep()

    async def _end_with_run(self) -> None:
        """End what is under way when the run ends, however long its server might take."""
        await self.capacity.stop.wait()
        self.stop()

    async def _keep(self) -> None:
        """Say that the host is still held, and hear whether it is and whether somebody waits for it."""
        kept_at = both_clocks()
        now = self.now()
        state = await self.clerk.ask(keep_host, self.archive, self.lease, self.owner, now=now, lease_s=self.lease_s)
        self.kept_at = kept_at
        self.is_lost = self.is_lost or not state.is_held
        self._is_wanted = state.is_wanted
        if self.is_lost:
            self.stop()

    async def _finish(self) -> None:
        """Let visits end, or end them where the run was stopped, and give the host back."""
        if self.capacity.stop.is_set() or self.is_lost:
            self.stop()
        while self.running:
            await asyncio.wait(list(self.running.values()))
        if self.is_lost or self.closed:
            return  # a closed host is kept to the end of the run, lest it be taken again at once
        await self.leave()

    async def leave(self) -> None:
        """Give the host back, with the moment from which it may be asked again."""
        free_at = self.now() + timedelta(seconds=min(max(self.pace.ready_in_s(), 0.0), LONGEST_S))
        await self.clerk.ask(leave_host, self.archive, self.lease, self.owner, free_at=free_at, slow=self.pace.slow)
