"""Handle one assignment: crawl its site or visit its lists, and restore lost jobs.

Assignments are the truth and jobs follow from them, so a lost or deleted job leaves no site behind.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Concatenate, ParamSpec, TypeVar

from procrastinate import App, BaseRetryStrategy, JobContext, RetryDecision
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job
from sqlalchemy import Connection, text

from scythe.archive.archive import Archive
from scythe.archive.assignments import (
    begin_assignment,
    bury_worker,
    end_assignment,
    fail_assignment,
    is_gone,
    load_assignment,
    load_workers,
    rest_assignment,
)
from scythe.archive.frontier import next_due
from scythe.archive.results import AssignmentRow
from scythe.archive.watches import watch_rows
from scythe.crawl_model import WATCHED
from scythe.crawling.crawl import Crawl
from scythe.engine.archive_thread import ArchiveThread
from scythe.engine.context import RunContext
from scythe.errors import ArchiveFailed, BadInput, ScytheError
from scythe.watching.watch import Watch
from scythe.workers.job_queue import QUEUE, TASKS, Engine
from scythe.workers.orders import crawl_order, name_lock, watch_order

T = TypeVar("T")
P = ParamSpec("P")

# A worker that was stopped in the middle may hold a row: who waits for it would be taken for gone as well.
_NO_LONGER = text("SET LOCAL lock_timeout = '1s'")


class AssignmentThread:
    """The assignments and workers of an archive. Close it at the end; the archive stays open.

    It has a thread and a lock of its own: a worker must not be taken for gone because it has much to store.
    """

    def __init__(self, archive: Archive) -> None:
        self._database = archive.beside()
        self._clerk = ArchiveThread(self._database)

    async def close(self) -> None:
        """Let the thread go."""
        await self._clerk.close()

    def abandon(self) -> None:
        """Wait for no answer any longer."""
        self._clerk.abandon()

    async def read(self, work: Callable[Concatenate[Connection, P], T], *given: P.args, **named: P.kwargs) -> T:
        """Return what one of the functions that read assignments or workers says."""

        def read() -> T:
            with self._database.reading() as connection:
                return work(connection, *given, **named)

        return await self._clerk.ask(read)

    async def note(self, work: Callable[Concatenate[Connection, P], T], *given: P.args, **named: P.kwargs) -> T:
        """Have one of the functions that change assignments or workers do it."""

        def write() -> T:
            with self._database.writing() as connection:
                connection.execute(_NO_LONGER)
                return work(connection, *given, **named)

        return await self._clerk.ask(write)


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
class EndedAssignment:
    """What an attempt came to."""

    state: str  # done, failed, or open where there is more to do
    why: str
    again_at: datetime | None = None  # open: when


Tell = Callable[[str, str], None]  # the site, and what there is to say of it


class Work:
    """What a worker does with the jobs it takes."""

    def __init__(self, archive: Archive, kit: RunContext, engine: Engine, ledger: AssignmentThread, tell: Tell) -> None:
        self.under_way: dict[int, UnderWay] = {}  # by the number of the job
        self.busy: set[int] = set()  # jobs, those included that are about to begin or to end
        self._archive, self._kit, self._engine, self._ledger, self._tell = archive, kit, engine, ledger, tell
        self._ask = kit.clerk.ask

    def register(self, app: App) -> None:
        """Tell the engine what its jobs mean."""
        for kind, work in (("crawl", self._crawl), ("watch", self._watch)):
            app.task(name=TASKS[kind], pass_context=True, retry=Again())(_as_task(partial(self._do, work)))

    async def _do(
        self, work: Callable[[AssignmentRow, int], Coroutine[Any, Any, EndedAssignment]], job: int, assignment: int
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
        self, work: Callable[[AssignmentRow, int], Coroutine[Any, Any, EndedAssignment]], job: int, assignment: int
    ) -> None:
        """Work on an assignment, unless it is over already: a job may be left behind."""
        row = await self._ledger.read(load_assignment, assignment)
        if row is None or row.state != "open" or not await self._ledger.note(begin_assignment, row, datetime.now(UTC)):
            return None
        self._tell(row.site_key, row.kind)
        try:
            ended = await work(row, job)
        except BadInput as error:  # it will not get better
            ended = EndedAssignment("failed", str(error))
        except ScytheError as error:
            if not await self._is_ours(job):  # one that slept finds its connections closed
                return self._tell(row.site_key, "left to others")
            return await self._fail(row, str(error), _ARCHIVE_S if isinstance(error, ArchiveFailed) else _SITE_S)
        if ended.state == "lost":
            return self._tell(row.site_key, "left to others")
        return await self._settle(row, ended)

    async def _settle(self, row: AssignmentRow, ended: EndedAssignment) -> None:
        if ended.state == "open" and ended.again_at is None:
            return await self._fail(row, ended.why, _SITE_S)
        self._tell(row.site_key, ended.why)
        if ended.state != "open":
            await self._ledger.note(end_assignment, row, ended.state, ended.why, datetime.now(UTC))
        else:
            await self._ledger.note(rest_assignment, row, ended.why)
            await self._engine.defer(row, ended.again_at)
        return None

    async def _fail(self, row: AssignmentRow, why: str, first_s: float) -> None:
        """Count a failure: try again later, or end it for good."""
        count = await self._ledger.note(fail_assignment, row, why, datetime.now(UTC))
        self._tell(row.site_key, f"failed ({count} of {MOST_ATTEMPTS}): {why}")
        if count >= MOST_ATTEMPTS:
            await self._ledger.note(end_assignment, row, "failed", why, datetime.now(UTC))
        elif count:
            raise TryAgain(why, datetime.now(UTC) + timedelta(seconds=wait_after(count, first_s)))

    async def _is_ours(self, job: int) -> bool:
        """Say whether nobody has taken a job over; where that cannot be said, it is ours until somebody has."""
        try:
            return job in (await self._engine.held() or ())
        except ConnectorException:
            return True

    async def _crawl(self, row: AssignmentRow, job: int) -> EndedAssignment:
        options = crawl_order(row)
        options = replace(options, patience_s=min(options.patience_s, _PATIENCE_S))
        run = Crawl(row.start, self._archive, options, kit=self._kit)
        under_way = UnderWay(row, partial(run.stop, "given back"))
        tally = await self._attend(job, under_way, run.run())
        if under_way.is_lost:
            return EndedAssignment("lost", "")
        due = await self._ask(next_due, self._archive, row.site)
        if due is None or (options.limit is not None and tally.pages >= options.limit):
            reasons = ", ".join(why for why, _ in tally.why.most_common(3))
            return EndedAssignment(
                "done" if tally.pages else "failed", run.why_ended if tally.pages else f"no page: {reasons}"
            )
        if due > datetime.now(UTC):
            return EndedAssignment("open", run.why_ended, due)
        return EndedAssignment("open", run.why_ended)

    async def _watch(self, row: AssignmentRow, job: int) -> EndedAssignment:
        lists = [one.id for one in await self._ask(watch_rows, self._archive, row.site)]
        if lists:
            run = Watch(self._archive, replace(watch_order(row), once=True), only=lists, kit=self._kit)
            under_way = UnderWay(row, run.stop)
            totals = await self._attend(job, under_way, run.run())
            if under_way.is_lost:
                return EndedAssignment("lost", "")
            due = await self._ask(next_due, self._archive, row.site, WATCHED)
            if due is not None:
                now = datetime.now(UTC)
                wait_s = _CLOSED_S if totals.troubles else _HELD_S
                at = due if due > now else now + timedelta(seconds=wait_s)
                return EndedAssignment("open", f"{totals.visits} visits, {totals.records} new records", at)
        return EndedAssignment("done", "nothing of it is watched any more")

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


_FORGOTTEN_S = 1_800.0  # silent for so long is no worker, not even one that the archive does not know
_AT_ONCE = 1_000  # assignments given a job in one round
_ORPHANS = """SELECT a.id, EXISTS (SELECT FROM procrastinate_jobs f
  WHERE f.lock = a.kind || ' ' || s.key AND f.status = 'failed') AS has_failed
 FROM assignments a JOIN sites s ON s.id = a.site
 WHERE a.state = 'open' AND NOT EXISTS (SELECT FROM procrastinate_jobs j
  WHERE j.lock = a.kind || ' ' || s.key AND j.status IN ('todo', 'doing')) ORDER BY a.id LIMIT %(count)s"""
_FORGET = "DELETE FROM procrastinate_jobs WHERE lock = %(lock)s AND status = 'failed'"
_LEFT = """SELECT EXISTS (SELECT FROM assignments WHERE state = 'open' AND kind = 'crawl')
 OR EXISTS (SELECT FROM procrastinate_jobs WHERE queue_name = %(queue)s AND (status = 'doing'
  OR (status = 'todo' AND coalesce(scheduled_at, now()) <= now()))) AS is_left"""


async def tend(engine: Engine, ledger: AssignmentThread) -> int:
    """Put right what stands still; return how many jobs were put back or made.

    A job is put back only by who finds it as it was when it was seen to stand still: two who tend do it once.
    Raises ArchiveFailed and ConnectorException where the database is away.
    """
    count, freed = 0, []
    now, workers = await ledger.read(load_workers)
    for worker in (one for one in workers if one.number is not None and is_gone(one, now)):
        with suppress(ConnectorException):  # it was stopped in the middle: the next round
            count += await engine.release(worker.number or 0)
            freed.append(worker)
    stalled = list(await engine.get_stalled_jobs(queue=QUEUE, seconds_since_heartbeat=_FORGOTTEN_S))
    for job in stalled:
        await engine.take_back(job)
    for worker in freed:  # last: all who tend want these rows at the same moment, and no site has to wait for that
        with suppress(ArchiveFailed):
            await ledger.note(bury_worker, worker)
    orphans = await engine.connector.execute_query_all_async(_ORPHANS, count=_AT_ONCE)
    for orphan in orphans:
        row = await ledger.read(load_assignment, orphan["id"])
        if row is not None and row.state == "open":
            await _adopt(engine, ledger, row, has_failed=orphan["has_failed"])
    return count + len(stalled) + len(orphans)


async def is_left(engine: Engine) -> bool:
    """Say whether a site is still to be crawled, or a list is due; True while nobody can tell."""
    try:
        return bool((await engine.connector.execute_query_one_async(_LEFT, queue=QUEUE))["is_left"])
    except ConnectorException:
        return True


async def _adopt(engine: Engine, ledger: AssignmentThread, row: AssignmentRow, *, has_failed: bool) -> None:
    """Give an assignment a job; where the last one ended by a bug, later, and not for ever."""
    if not has_failed:
        return await engine.defer(row)
    why = "a bug in scythe ended the job; its worker wrote more to standard error"
    count = await ledger.note(fail_assignment, row, why, datetime.now(UTC))
    await engine.connector.execute_query_async(_FORGET, lock=name_lock(row))
    if count >= MOST_ATTEMPTS:
        await ledger.note(end_assignment, row, "failed", why, datetime.now(UTC))
        return None
    return await engine.defer(row, datetime.now(UTC) + timedelta(seconds=wait_after(max(count, 1))))
