"""Crawls and watches of a room: each is a job whose thread has its own event loop and its own archive.

To pause a run is to end it in good order: everything is in the archive, and what begins again goes on from there.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Protocol

from scythe.archive.archive import Archive
from scythe.archive.open import open_archive
from scythe.crawling.options import CrawlOptions
from scythe.crawling.run import Crawl
from scythe.errors import BadInput, ScytheError
from scythe.limits import LIMITS
from scythe.url import Url
from scythe.visits import Outcome, Receipt
from scythe.watching.events import Event
from scythe.watching.options import WatchOptions
from scythe.watching.run import Watch
from scythe.web.jobs import Job
from scythe.web.operation import NotNow, NotThere
from scythe.web.room import Room
from scythe.web.runs_seen import (
    CrawlFigures,
    Happened,
    WatchFigures,
    add_crawl,
    add_watch,
    happened_event,
    happened_page,
    see_crawl,
    see_watch,
)

_LAST = 40  # things that happened, kept of each run
_PACE = 60  # seconds whose counts are kept
_LOOK_S = 1.0
_KEPT = 50  # runs
STOPPED = "stopped"  # why a run ended that somebody paused


class _Going(Protocol):
    """A crawl or a watch under way."""

    def stop(self) -> None: ...


@dataclass(frozen=True, slots=True)
class RunSeen:
    """A run as it stands."""

    number: int
    kind: str  # crawl, watch
    title: str
    site: str  # empty: all that are watched
    state: str  # running, pausing, paused, done, failed
    why: str  # it ended, or failed
    began_at: datetime
    ended_at: datetime | None
    crawl: CrawlFigures | None
    watch: WatchFigures | None
    last: list[Happened]  # the newest first
    notes: list[str]
    pace: list[int]  # pages, or records, that came in each of the last seconds


class Run(ABC):
    """One crawl or watch, however often it was paused."""

    kind = ""

    def __init__(self, number: int, title: str, site: str) -> None:
        self.number, self.title, self.site = number, title, site
        self.job: Job | None = None
        self.why = ""
        self._last: deque[Happened] = deque(maxlen=_LAST)
        self._notes: list[str] = []
        self._pace: deque[int] = deque(maxlen=_PACE)
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def state(self) -> str:
        """How it is: running, pausing, paused, done or failed."""
        if self.job is None or self.job.state == "running":
            return "pausing" if self.job is not None and self.job.is_stopping.is_set() else "running"
        if self.job.state == "stopped":
            return "paused" if self.why in ("", STOPPED) else "done"  # it was at its end anyway
        return self.job.state

    @property
    def subject(self) -> tuple[object, ...]:
        """What it is about: no two runs about the same go on at a time."""
        return self.kind, self.site

    @property
    def is_over(self) -> bool:
        """Whether nothing of it is under way."""
        return self.state not in ("running", "pausing")

    def work(self, job: Job, where: str) -> None:
        """Do what there is to do until it ends or is stopped; called in a thread of its own."""
        self.why = ""
        with open_archive(where) as archive:
            asyncio.run(self._attend(job, archive))

    def call(self, work: Callable[[], None]) -> None:
        """Have something done in the loop of the run, if it still has one."""
        if self._loop is not None:
            with suppress(RuntimeError):  # it has just been closed
                self._loop.call_soon_threadsafe(work)

    def see(self) -> RunSeen:
        """Return it as it stands."""
        job = self.job
        return RunSeen(
            self.number,
            self.kind,
            self.title,
            self.site,
            self.state,
            (job.error if job is not None and job.state == "failed" else "") or self.why,
            datetime.now(UTC) if job is None else job.began_at,
            None if job is None else job.ended_at,
            *self._figures(),
            list(reversed(list(self._last))),
            list(self._notes),
            list(self._pace),
        )

    async def _attend(self, job: Job, archive: Archive) -> None:
        self._loop = asyncio.get_running_loop()
        going = self._make(archive)
        job.on_stop = lambda: self.call(going.stop)
        if job.is_stopping.is_set():
            going.stop()
        looking = asyncio.ensure_future(self._look_on())
        try:
            await self._go()
        finally:
            looking.cancel()
            with suppress(asyncio.CancelledError):
                await looking
            self._look()

    async def _look_on(self) -> None:
        """Take figures every second, in the thread that counts them."""
        before = self._look()
        while True:
            await asyncio.sleep(_LOOK_S)
            now = self._look()
            self._pace.append(max(now - before, 0))
            before = now

    @abstractmethod
    def _make(self, archive: Archive) -> _Going:
        """Return what is to be run."""

    @abstractmethod
    async def _go(self) -> None:
        """Run it."""

    @abstractmethod
    def _look(self) -> int:
        """Take the figures; return what there is of what the pace counts."""

    @abstractmethod
    def _figures(self) -> tuple[CrawlFigures | None, WatchFigures | None]: ...


class CrawlRun(Run):
    """A crawl of one site."""

    kind = "crawl"

    def __init__(self, number: int, start: Url, site: str, options: CrawlOptions) -> None:
        super().__init__(number, str(start), site)
        self._options = options
        self._seen: CrawlFigures | None = None
        self._before: CrawlFigures | None = None
        self._crawl: Crawl

    def _make(self, archive: Archive) -> _Going:
        self._before = self._seen
        self._crawl = Crawl(self.title, archive, self._options, listener=self._take)
        return self._crawl

    async def _go(self) -> None:
        tally = await self._crawl.run()
        reason = next(iter(tally.why.most_common(1)), ("", 0))[0]
        self.why = self._crawl.why_ended
        if not tally.pages and self.why != STOPPED:
            raise ScytheError(reason or self.why)

    async def _take(self, outcome: Outcome, receipt: Receipt) -> None:
        self._last.append(happened_page(outcome, receipt))

    def _look(self) -> int:
        self._seen = add_crawl(see_crawl(self._crawl.tally, self._options.limit), self._before)
        self._notes = list(self._crawl.tally.notes)
        return self._crawl.tally.done

    def _figures(self) -> tuple[CrawlFigures | None, WatchFigures | None]:
        return self._seen, None


class WatchRun(Run):
    """A watch of all lists of the archive, or of some pages."""

    kind = "watch"

    def __init__(self, number: int, title: str, options: WatchOptions, only: tuple[int, ...]) -> None:
        super().__init__(number, title, "")
        self.only = only
        self._options = options
        self._seen: WatchFigures | None = None
        self._before: WatchFigures | None = None
        self._watch: Watch

    @property
    def subject(self) -> tuple[object, ...]:
        """What it is about: the pages."""
        return self.kind, frozenset(self.only)

    def look_soon(self) -> None:
        """Have it ask at once what is due."""
        self.call(lambda: self._watch.look_soon())

    def _make(self, archive: Archive) -> _Going:
        self._before = self._seen
        self._watch = Watch(archive, self._options, listener=self._take, only=self.only or None)
        return self._watch

    async def _go(self) -> None:
        await self._watch.run()
        self.why = STOPPED if self._watch.is_stopped else "nothing more is due"

    async def _take(self, event: Event) -> None:
        self._last.append(happened_event(event))

    def _look(self) -> int:
        self._seen = add_watch(see_watch(self._watch), self._before)
        return self._watch.totals.records

    def _figures(self) -> tuple[CrawlFigures | None, WatchFigures | None]:
        return None, self._seen


class Runs:
    """All crawls and watches since the room was opened."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._runs: dict[int, Run] = {}
        self._last = 0

    def crawl(self, start: Url, site: str, options: CrawlOptions) -> Run:
        """Begin a crawl. Raises NotNow where one of the same site goes on."""
        with self._room.lock:
            return self._begin(CrawlRun(self._next(), start, site, options))

    def watch(self, title: str, options: WatchOptions, only: tuple[int, ...]) -> Run:
        """Begin a watch. Raises NotNow where one goes on."""
        with self._room.lock:
            return self._begin(WatchRun(self._next(), title, options, only))

    def go_on(self, number: int) -> Run:
        """Begin again a run that was paused or has ended. Raises NotThere and NotNow."""
        with self._room.lock:
            run = self.find(number)
            if not run.is_over:
                raise NotNow("it is running already" if run.state == "running" else "it is about to pause")
            return self._begin(run)

    def pause(self, number: int) -> Run:
        """End a run in good order. Raises NotThere."""
        run = self.find(number)
        if run.job is not None and run.job.state == "running":
            run.job.stop()
        return run

    def find(self, number: int) -> Run:
        """Return a run. Raises NotThere."""
        run = self._runs.get(number)
        if run is None:
            raise NotThere(f"there is no run {number}")
        return run

    def all(self) -> list[Run]:
        """Return all runs, the newest first."""
        with self._room.lock:
            return list(reversed(self._runs.values()))

    def nudge(self) -> bool:
        """Have a watch that goes on ask at once what is due; return whether one goes on that visits all pages."""
        watching = [run for run in self.all() if isinstance(run, WatchRun) and run.state == "running"]
        for run in watching:
            run.look_soon()
        return any(not run.only for run in watching)

    def _next(self) -> int:
        self._last += 1
        return self._last

    def _begin(self, run: Run) -> Run:
        where = self._room.options.archive
        if where is None:
            raise BadInput("there is no archive to keep pages in: start again with --archive FILE")
        going = [other for other in self._runs.values() if not other.is_over]
        if any(other.subject == run.subject for other in going):
            raise NotNow(f"a {run.kind} {f'of {run.site} ' if run.site else ''}is running already")
        if len(going) >= LIMITS.runs:
            raise NotNow(f"{len(going)} crawls and watches are running, as many as may; pause one first")
        work = partial(run.work, where=where)
        run.job = self._room.jobs.start(run.kind, run.title, work, most=LIMITS.runs)
        self._runs[run.number] = run
        for number in [number for number, old in self._runs.items() if old.is_over][:-_KEPT]:
            del self._runs[number]
        return run
