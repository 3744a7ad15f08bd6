"""Work on one assignment: a job comes in, its site is crawled or its lists are visited, when to go on goes out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, TypeVar

from procrastinate import App, BaseRetryStrategy, JobContext, RetryDecision
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job

from scythe.archive.archive import Archive
from scythe.archive.rows import AssignmentRow
from scythe.crawling.kit import Kit
from scythe.crawling.run import Crawl
from scythe.errors import ArchiveFailed, BadInput, ScytheError
from scythe.fleet.engine import TASKS, Engine
from scythe.fleet.ledger import Ledger
from scythe.fleet.orders import crawl_order, watch_order
from scythe.visits import WATCHED
from scythe.watching.run import Watch

T = TypeVar("T")

MOST_ATTEMPTS = 12  # in a row that fail: about five hours, with waits that double
_SITE_S = 15.0  # the first wait where a site could not be worked on
_ARCHIVE_S = 2.0  # and where the archive could not: a restart is over soon
_LONGEST_WAIT_S = 3_600.0
_PATIENCE_S = 5.0  # for addresses that are to be tried again; what takes longer waits as a job and holds no place
_HELD_S = 5.0  # until lists are tried again whose host another process asks at the moment
_CLOSED_S = 600.0  # and those whose host does not want to be asked


class TryAgain(ScytheError):
    """An attempt failed; the job is to be tried again at some time."""

    def __init__(self, why: str, at: datetime) -> None:
        super().__init__(why)
        self.at = at


class Again(BaseRetryStrategy):
    """Put a job back that was given back, that failed, or that could not say so."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """Say when to try again; None: it ended by a bug, which whoever tends takes note of."""
        if isinstance(exception, asyncio.CancelledError):
            return RetryDecision()
        if isinstance(exception, TryAgain):
            return RetryDecision(retry_at=exception.at)
        if isinstance(exception, ArchiveFailed):  # the attempts that the engine counts are mostly workers that died
            return RetryDecision(retry_at=datetime.now(UTC) + timedelta(seconds=_ARCHIVE_S))
        return None


@dataclass(slots=True)
class UnderWay:
    """One job while it is worked on."""

    row: AssignmentRow
    stop: Callable[[], None]
    is_lost: bool = False  # it is another worker's now, or not wanted any more

    def lose(self) -> None:
        """End it without a word: it is not ours to say what became of it."""
        self.is_lost = True
        self.stop()


@dataclass(frozen=True, slots=True)
class Ended:
    """What an attempt came to."""

    state: str  # done, failed, or open where there is more to do
    why: str
    again_at: datetime | None = None  # open: when


Tell = Callable[[str, str], None]  # the site, and what there is to say of it


class Work:
    """What a worker does with the jobs it takes."""

    def __init__(self, archive: Archive, kit: Kit, engine: Engine, ledger: Ledger, tell: Tell) -> None:
        self.under_way: dict[int, UnderWay] = {}  # by the number of the job
        self.busy: set[int] = set()  # jobs, those included that are about to begin or to end
        self._archive, self._kit, self._engine, self._ledger, self._tell = archive, kit, engine, ledger, tell
        self._ask = kit.clerk.ask

    def register(self, app: App) -> None:
        """Tell the engine what its jobs mean."""
        for kind, work in (("crawl", self._crawl), ("watch", self._watch)):
            app.task(name=TASKS[kind], pass_context=True, retry=Again())(_as_task(partial(self._do, work)))

    async def _do(
        self, work: Callable[[AssignmentRow, int], Coroutine[Any, Any, Ended]], job: int, assignment: int
    ) -> None:
        """Work on an assignment, whatever becomes of it."""
        self.busy.add(job)
        self._engine.busy = len(self.busy)
        try:
            await self._try(work, job, assignment)
        finally:
            self.busy.discard(job)
            self._engine.busy = len(self.busy)

    async def _try(
        self, work: Callable[[AssignmentRow, int], Coroutine[Any, Any, Ended]], job: int, assignment: int
    ) -> None:
        """Work on an assignment, unless it is over already: a job may be left behind."""
        row = await self._ledger.assignment(assignment)
        if row is None or row.state != "open" or not await self._ledger.begin(row):
            return None
        self._tell(row.site_key, row.kind)
        try:
            ended = await work(row, job)
        except BadInput as error:  # it will not get better
            ended = Ended("failed", str(error))
        except ScytheError as error:
            if not await self._is_ours(job):  # one that slept finds its connections closed
                return self._tell(row.site_key, "left to others")
            return await self._fail(row, str(error), _ARCHIVE_S if isinstance(error, ArchiveFailed) else _SITE_S)
        if ended.state == "lost":
            return self._tell(row.site_key, "left to others")
        return await self._settle(row, ended)

    async def _settle(self, row: AssignmentRow, ended: Ended) -> None:
        if ended.state == "open" and ended.again_at is None:
            return await self._fail(row, ended.why, _SITE_S)
        self._tell(row.site_key, ended.why)
        if ended.state != "open":
            await self._ledger.end(row, ended.state, ended.why)
        else:
            await self._ledger.rest(row, ended.why)
            await self._engine.defer(row, ended.again_at)
        return None

    async def _fail(self, row: AssignmentRow, why: str, first_s: float) -> None:
        """Count a failure: try again later, or end it for good."""
        count = await self._ledger.fail(row, why)
        self._tell(row.site_key, f"failed ({count} of {MOST_ATTEMPTS}): {why}")
        if count >= MOST_ATTEMPTS:
            await self._ledger.end(row, "failed", why)
        elif count:
            raise TryAgain(why, datetime.now(UTC) + timedelta(seconds=wait_after(count, first_s)))

    async def _is_ours(self, job: int) -> bool:
        """Say whether nobody has taken a job over; where that cannot be said, it is ours until somebody has."""
        try:
            return job in (await self._engine.held() or ())
        except ConnectorException:
            return True

    async def _crawl(self, row: AssignmentRow, job: int) -> Ended:
        options = crawl_order(row)
        options = replace(options, patience_s=min(options.patience_s, _PATIENCE_S))
        run = Crawl(row.start, self._archive, options, kit=self._kit)
        under_way = UnderWay(row, partial(run.stop, "given back"))
        tally = await self._attend(job, under_way, run.run())
        if under_way.is_lost:
            return Ended("lost", "")
        due = await self._ask(self._archive.next_due, row.site)
        if due is None or (options.limit is not None and tally.pages >= options.limit):
            reasons = ", ".join(why for why, _ in tally.why.most_common(3))
            return Ended("done" if tally.pages else "failed", run.why_ended if tally.pages else f"no page: {reasons}")
        if due > datetime.now(UTC):
            return Ended("open", run.why_ended, due)
        return Ended("open", run.why_ended)

    async def _watch(self, row: AssignmentRow, job: int) -> Ended:
        lists = [one.id for one in await self._ask(self._archive.watches, row.site)]
        if lists:
            run = Watch(self._archive, replace(watch_order(row), once=True), only=lists, kit=self._kit)
            under_way = UnderWay(row, run.stop)
            totals = await self._attend(job, under_way, run.run())
            if under_way.is_lost:
                return Ended("lost", "")
            due = await self._ask(self._archive.next_due, row.site, WATCHED)
            if due is not None:
                now = datetime.now(UTC)
                wait_s = _CLOSED_S if totals.troubles else _HELD_S
                at = due if due > now else now + timedelta(seconds=wait_s)
                return Ended("open", f"{totals.visits} visits, {totals.records} new records", at)
        return Ended("done", "nothing of it is watched any more")

    async def _attend(self, job: int, under_way: UnderWay, run: Coroutine[Any, Any, T]) -> T:
        """Wait for a run; end it in good order where the worker is stopped, so that another can go on at once."""
        self.under_way[job] = under_way
        running = asyncio.ensure_future(run)
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            under_way.stop()
            await asyncio.wait([running])
            if not running.cancelled():
                running.exception()  # whatever it is, the job is put back
            raise
        finally:
            del self.under_way[job]


def wait_after(failures: int, first_s: float = _SITE_S) -> float:
    """Return how long to wait after so many failures in a row, in seconds."""
    return float(min(first_s * 2 ** min(failures - 1, 30), _LONGEST_WAIT_S))


def _as_task(work: Callable[[int, int], Coroutine[Any, Any, None]]) -> Callable[..., Coroutine[Any, Any, None]]:
    """Return what the engine calls for a job: it tells a function that awaits by its looks."""

    async def task(context: JobContext, assignment: int) -> None:
        await work(context.job.id or 0, assignment)

    return task
