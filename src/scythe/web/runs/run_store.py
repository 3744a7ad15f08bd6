"""Run crawls and watches in threads and collect their figures.

Pausing a run ends it in order; everything is in the archive, and it resumes from there.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from scythe.archive.archive import Archive
from scythe.archive.open import open_archive
from scythe.crawl_model import Outcome, Receipt
from scythe.crawling.crawl import Crawl
from scythe.crawling.crawl_options import CrawlOptions
from scythe.errors import BadInput, ScytheError
from scythe.limits import LIMITS
from scythe.url import Url
from scythe.watching.events import Event, RecordEvent
from scythe.watching.watch import Watch
from scythe.watching.watch_options import WatchOptions
from scythe.web.state import BackgroundJob, NotNow, State, fill, there

_REASONS = 12  # shown of each kind
_SOON = 6  # visits


@dataclass(frozen=True, slots=True)
class Happened:
    """One thing that a run did: a page or a record that it stored, or a trouble."""

    at: datetime
    what: str  # new, changed, same, duplicate, cut; record, visit, trouble, ...
    title: str
    url: str
    said: str = ""  # more of it


@dataclass(frozen=True, slots=True)
class CrawlFigures:
    """What a crawl has come to."""

    pages: int  # of the site in the archive
    limit: int | None  # None: all there are
    new: int  # of this run, however often it was paused; so are the counts below
    waiting: int  # addresses
    requests: int
    received: int  # bytes
    records: int  # new ones
    errors: int
    per_s: float  # pages, lately
    delay_s: float  # between requests at present
    is_learned: bool
    cut_share: float | None  # of fields of learned pages; None: nothing was learned yet
    how: dict[str, int]  # pages by cut, mixed, tree, cold
    drift: int
    why: dict[str, int]  # addresses that did not become pages, by the reason
    skipped: dict[str, int]  # addresses that were not followed


@dataclass(frozen=True, slots=True)
class Due:
    """A visit that is to come."""

    page: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class WatchFigures:
    """What a watch has come to."""

    pages: int  # that are watched
    visits: int
    records: int  # new ones
    troubles: int
    soon: list[Due]


def _sums(now: object, before: object, *names: str) -> dict[str, Any]:
    return {name: getattr(now, name) + getattr(before, name) for name in names}


def happened_event(event: Event) -> Happened:
    """Say what happened on a watched page."""
    if isinstance(event, RecordEvent):
        title = event.fields.get("title") or next(iter(event.fields.values()), "")
        return Happened(event.at, "record", title[:200], event.link or event.page, event.region)
    url = str(getattr(event, "url", "") or getattr(event, "to", "") or event.page)
    said = ", ".join(str(part) for name in ("what", "region", "why") if (part := getattr(event, name, "")))
    title = str(getattr(event, "title", ""))[:200]
    if event.kind == "visit":
        said = f"{getattr(event, 'new', 0)} new, {getattr(event, 'known', 0)} known"
    return Happened(event.at, event.kind, title, url, said[:300])


def _most(reasons: Counter[str]) -> dict[str, int]:
    return dict(reasons.most_common(_REASONS))


_LAST = 40  # things that happened, kept of each run
_PACE = 60  # seconds whose counts are kept
_LOOK_S = 1.0
_KEPT = 50  # runs
STOPPED = "stopped"  # why a run ended that somebody paused


@dataclass(frozen=True, slots=True)
class RunView:
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


class StoredRun(ABC):
    """One crawl or watch, however often it was paused."""

    kind = ""

    def __init__(self, number: int, title: str, site: str) -> None:
        self.number, self.title, self.site = number, title, site
        self.crawl: CrawlFigures | None = None
        self.watch: WatchFigures | None = None
        self.job: BackgroundJob | None = None
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

    def work(self, job: BackgroundJob, where: str) -> None:
        """Do what there is to do until it ends or is stopped; called in a thread of its own."""
        self.why = ""
        with open_archive(where) as archive:
            asyncio.run(self._attend(job, archive))

    def call(self, work: Callable[[], None]) -> None:
        """Have something done in the loop of the run, if it still has one."""
        if self._loop is not None:
            with suppress(RuntimeError):  # it has just been closed
                self._loop.call_soon_threadsafe(work)

    def see(self) -> RunView:
        """Return it as it stands."""
        job = self.job
        return fill(
            RunView,
            self,
            why=(job.error if job is not None and job.state == "failed" else "") or self.why,
            began_at=datetime.now(UTC) if job is None else job.began_at,
            ended_at=None if job is None else job.ended_at,
            last=list(reversed(list(self._last))),
            notes=list(self._notes),
            pace=list(self._pace),
        )

    async def _attend(self, job: BackgroundJob, archive: Archive) -> None:
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
    def _make(self, archive: Archive) -> Crawl | Watch:
        """Return what is to be run."""

    @abstractmethod
    async def _go(self) -> None:
        """Run it."""

    @abstractmethod
    def _look(self) -> int:
        """Take the figures; return what there is of what the pace counts."""


class CrawlRun(StoredRun):
    """A crawl of one site."""

    kind = "crawl"

    def __init__(self, number: int, start: Url, site: str, options: CrawlOptions, profile: str | None = None) -> None:
        super().__init__(number, str(start), site)
        self._options = options
        self._profile = profile
        self._before: CrawlFigures | None = None
        self._crawl: Crawl

    def _make(self, archive: Archive) -> Crawl | Watch:
        self._before = self.crawl
        self._crawl = Crawl(self.title, archive, self._options, profile=self._profile, listener=self._take)
        return self._crawl

    async def _go(self) -> None:
        tally = await self._crawl.run()
        reason = next(iter(tally.why.most_common(1)), ("", 0))[0]
        self.why = self._crawl.why_ended
        if not tally.pages and self.why != STOPPED:
            raise ScytheError(reason or self.why)

    async def _take(self, outcome: Outcome, receipt: Receipt) -> None:
        if receipt.stored:
            extracted = outcome.extracted
        title = "" if extracted is None else extracted.title
        ways = {"cut": "cut out of its bytes", "mixed": "cut, in part"}
        how = "" if extracted is None else ways.get(extracted.how, "")
        records = f"{receipt.records} new records" if receipt.records > 1 else "1 new record" if receipt.records else ""
        said = ", ".join(part for part in (how, records) if part)
        self._last.append(Happened(outcome.at, receipt.stored, title[:200], str(outcome.task.url), said))

    def _look(self) -> int:
        tally, before = self._crawl.tally, self._before
        now = fill(
            CrawlFigures,
            tally,
            limit=self._options.limit,
            new=tally.stored["new"] + tally.stored["duplicate"] + tally.stored["cut"],
            per_s=round(tally.pages_per_second(), 2),
            cut_share=tally.cut_share(),
            how={kind: tally.how[kind] for kind in ("cut", "mixed", "tree", "cold") if tally.how[kind]},
            why=_most(tally.why),
            skipped=_most(tally.skipped),
        )
        if before is not None:
            added: dict[str, Any] = _sums(now, before, "new", "requests", "received", "records", "errors")
            for name in ("why", "skipped"):
                added[name] = _most(Counter(getattr(before, name)) + Counter(getattr(now, name)))
            now = replace(now, how=dict(Counter(before.how) + Counter(now.how)), **added)
        self.crawl, self._notes = now, list(tally.notes)
        return tally.done


class WatchRun(StoredRun):
    """A watch of all lists of the archive, or of some pages."""

    kind = "watch"

    def __init__(self, number: int, title: str, options: WatchOptions, only: tuple[int, ...]) -> None:
        super().__init__(number, title, "")
        self.only = only
        self._options = options
        self._before: WatchFigures | None = None
        self._watch: Watch

    @property
    def subject(self) -> tuple[object, ...]:
        """What it is about: the pages."""
        return self.kind, frozenset(self.only)

    def look_soon(self) -> None:
        """Have it ask at once what is due."""
        self.call(lambda: self._watch.look_soon())

    def _make(self, archive: Archive) -> Crawl | Watch:
        self._before = self.watch
        self._watch = Watch(archive, self._options, listener=self._take, only=self.only or None)
        return self._watch

    async def _go(self) -> None:
        await self._watch.run()
        self.why = STOPPED if self._watch.is_stopped else "nothing more is due"

    async def _take(self, event: Event) -> None:
        self._last.append(happened_event(event))

    def _look(self) -> int:
        watch, before = self._watch, self._before
        due = [Due(str(row.url), row.due_at) for row in watch.rows.values() if row.due_at is not None]
        due.sort(key=lambda one: one.at.timestamp() if one.at else 0.0)
        now = fill(WatchFigures, watch.totals, pages=len(watch.rows), soon=due[:_SOON])
        sums = {} if before is None else _sums(now, before, "visits", "records", "troubles")
        self.watch = replace(now, **sums)
        return watch.totals.records


class Runs:
    """All crawls and watches since the state was opened."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._runs: dict[int, StoredRun] = {}
        self._last = 0

    def crawl(self, start: Url, site: str, options: CrawlOptions) -> StoredRun:
        """Begin a crawl. Raises NotNow where one of the same site goes on."""
        with self._state.lock:
            profile = self._state.file_for(site)
            return self._begin(CrawlRun(self._next(), start, site, options, profile))

    def watch(self, title: str, options: WatchOptions, only: tuple[int, ...]) -> StoredRun:
        """Begin a watch. Raises NotNow where one goes on."""
        with self._state.lock:
            return self._begin(WatchRun(self._next(), title, options, only))

    def go_on(self, number: int) -> StoredRun:
        """Begin again a run that was paused or has ended. Raises NotThere and NotNow."""
        with self._state.lock:
            run = self.find(number)
            if not run.is_over:
                raise NotNow("it is running already" if run.state == "running" else "it is about to pause")
            return self._begin(run)

    def pause(self, number: int) -> StoredRun:
        """End a run in good order. Raises NotThere."""
        run = self.find(number)
        if run.job is not None and run.job.state == "running":
            run.job.stop()
        return run

    def find(self, number: int) -> StoredRun:
        """Return a run. Raises NotThere."""
        return there(self._runs.get(number), f"there is no run {number}")

    def all(self) -> list[StoredRun]:
        """Return all runs, the newest first."""
        with self._state.lock:
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

    def _begin(self, run: StoredRun) -> StoredRun:
        where = self._state.options.archive
        if where is None:
            raise BadInput("there is no archive to keep pages in: start again with --archive FILE")
        going = [other for other in self._runs.values() if not other.is_over]
        if any(other.subject == run.subject for other in going):
            raise NotNow(f"a {run.kind} {f'of {run.site} ' if run.site else ''}is running already")
        if len(going) >= LIMITS.runs:
            raise NotNow(f"{len(going)} crawls and watches are running, as many as may; pause one first")
        work = partial(run.work, where=where)
        run.job = self._state.jobs.start(run.kind, run.title, work, most=LIMITS.runs)
        self._runs[run.number] = run
        for number in [number for number, old in self._runs.items() if old.is_over][:-_KEPT]:
            del self._runs[number]
        return run
