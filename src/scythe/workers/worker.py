"""A worker: handle as many sites at once as it has places, send heartbeats, and wait for an absent database.

register -> take what is due -> work -> heartbeat, free what others left -> until stopped

Each assignment is tried again after a failure, twelve times in a row at most, and given back however an attempt at it
ends.
"""

from __future__ import annotations

import asyncio
import logging
import os
import platform
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from time import monotonic
from typing import Any, Concatenate, ParamSpec, TypeVar

import psycopg
from sqlalchemy import Connection, text

from scythe.archive.archive import Archive
from scythe.archive.assignments import (
    SILENT,
    drop_worker,
    end_assignment,
    fail_assignment,
    free_assignment,
    free_lost,
    is_left,
    keep_worker,
    load_assignment,
    put_off_assignment,
    rest_assignment,
    take_assignment,
)
from scythe.archive.frontier import next_due
from scythe.archive.host_leases import Owner
from scythe.archive.results import AssignmentRow, WorkerRow
from scythe.archive.watches import watch_rows
from scythe.crawl_model import WATCHED
from scythe.crawling.crawl import Crawl
from scythe.crawling.crawl_options import CrawlOptions
from scythe.engine.archive_thread import ArchiveThread
from scythe.engine.context import RunContext, open_kit
from scythe.engine.worker_protocol import SiteSetup
from scythe.errors import ArchiveFailed, BadInput, ScytheError
from scythe.version import version
from scythe.watching.watch import Watch
from scythe.watching.watch_options import WatchOptions
from scythe.workers.orders import check_shared, read_order

T = TypeVar("T")
P = ParamSpec("P")

# A worker that was stopped in the middle may hold a row: who waits for it would be taken for gone as well.
_NO_LONGER = text("SET LOCAL lock_timeout = '1s'")
_log = logging.getLogger(__name__)


class AssignmentThread:
    """The assignments and workers of an archive. Close it at the end; the archive stays open.

    It has a thread and a lock of its own: a worker must not be taken for gone because it has much to store. Whoever
    asks hears at once where the database is away.
    """

    def __init__(self, archive: Archive) -> None:
        self._database = archive.beside()
        self._clerk = ArchiveThread(self._database, patience_s=0.0)
        self.close, self.abandon = self._clerk.close, self._clerk.abandon

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
_PATIENCE_S = 5.0  # for addresses that are to be tried again; what takes longer waits and holds no place
_HELD_S = 5.0  # until lists are tried again whose host another process asks at the moment
_CLOSED_S = 600.0  # and those whose host does not want to be asked
_BUG = "a bug in scythe ended the attempt; its worker wrote more to standard error"


@dataclass(slots=True)
class UnderWay:
    """One assignment while it is worked on."""

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

    state: str  # done, failed, lost to another worker, or open where there is more to do
    why: str
    again_at: datetime | None = None  # open: when


Tell = Callable[[str, str], None]  # the site, and what there is to say of it


class Work:
    """What a worker does with the assignments it takes."""

    def __init__(self, archive: Archive, kit: RunContext, ledger: AssignmentThread, owner: Owner, tell: Tell) -> None:
        self.under_way: dict[int, UnderWay] = {}  # runs by the number of their assignment
        self.attempts: dict[asyncio.Task[None], int] = {}  # at which assignment, also those about to begin or to end
        self._archive, self._kit, self._ledger, self._owner, self._tell = archive, kit, ledger, owner.to_text(), tell
        self._ask = kit.clerk.ask

    def begin(self, row: AssignmentRow) -> None:
        """Begin to work on an assignment that this worker has taken."""
        attempt = asyncio.create_task(self.attempt(row))
        self.attempts[attempt] = row.id
        attempt.add_done_callback(self.attempts.pop)

    async def stop(self) -> None:
        """End what is under way in good order and give it back, so that another can go on at once."""
        for attempt in self.attempts:
            attempt.cancel()
        await asyncio.gather(*self.attempts, return_exceptions=True)

    async def attempt(self, row: AssignmentRow) -> None:
        """Work on an assignment, whatever becomes of it, and give it back."""
        self._tell(row.site_key, row.kind)
        with suppress(ArchiveFailed):  # others find out by themselves, and so does this worker when it looks next
            try:
                await self._settle(row, await self._try(row))
            finally:
                await self._ledger.note(free_assignment, row.id, self._owner)

    async def _try(self, row: AssignmentRow) -> EndedAssignment:
        try:
            return await (self._crawl(row) if row.kind == "crawl" else self._watch(row))
        except BadInput as error:  # it will not get better
            return EndedAssignment("failed", str(error))
        except ScytheError as error:
            if not await self._is_ours(row):  # one that slept finds its connections closed
                return EndedAssignment("lost", "")
            await self._fail(row, str(error), _ARCHIVE_S if isinstance(error, ArchiveFailed) else _SITE_S)
        except Exception:  # noqa: BLE001 (one site with a bug of ours in it must not end a worker)
            _log.error("%s %s", row.kind, row.site_key, exc_info=True)
            await self._fail(row, _BUG, _SITE_S)
        return EndedAssignment("", "")

    async def _settle(self, row: AssignmentRow, ended: EndedAssignment) -> None:
        if ended.state == "open" and ended.again_at is None:
            await self._fail(row, ended.why, _SITE_S)
        elif ended.state:
            self._tell(row.site_key, ended.why if ended.state != "lost" else "left to others")
        if ended.state in ("done", "failed"):
            await self._ledger.note(end_assignment, row, ended.state, ended.why, datetime.now(UTC))
        elif ended.again_at is not None:
            await self._ledger.note(rest_assignment, row, ended.why, ended.again_at)

    async def _fail(self, row: AssignmentRow, why: str, first_s: float) -> None:
        """Count a failure: try again later, or end it for good."""
        count = await self._ledger.note(fail_assignment, row, why, datetime.now(UTC))
        self._tell(row.site_key, f"failed ({count} of {MOST_ATTEMPTS}): {why}")
        if count >= MOST_ATTEMPTS:
            await self._ledger.note(end_assignment, row, "failed", why, datetime.now(UTC))
        elif count:
            await self._ledger.note(put_off_assignment, row, wait_after(count, first_s))

    async def _is_ours(self, row: AssignmentRow) -> bool:
        """Say whether nobody has taken an assignment over; where that cannot be said, it is ours until somebody has."""
        try:
            found = await self._ledger.read(load_assignment, row.id)
        except ArchiveFailed:
            return True
        return found is not None and found.owner == self._owner

    async def _crawl(self, row: AssignmentRow) -> EndedAssignment:
        options = read_order(row, CrawlOptions)
        options = replace(options, patience_s=min(options.patience_s, _PATIENCE_S))
        run = Crawl(row.start, self._archive, options, kit=self._kit)
        under_way = UnderWay(row, partial(run.stop, "given back"))
        tally = await self._attend(under_way, run.run())
        if under_way.is_lost:
            return EndedAssignment("lost", "")
        due = await self._ask(next_due, self._archive, row.site)
        if due is None or (options.limit is not None and tally.pages >= options.limit):
            reasons = ", ".join(why for why, _ in tally.why.most_common(3))
            return EndedAssignment(
                "done" if tally.pages else "failed", run.why_ended if tally.pages else f"no page: {reasons}"
            )
        return EndedAssignment("open", run.why_ended, due if due > datetime.now(UTC) else None)

    async def _watch(self, row: AssignmentRow) -> EndedAssignment:
        lists = [one.id for one in await self._ask(watch_rows, self._archive, row.site)]
        if lists:
            options = replace(read_order(row, WatchOptions), once=True)
            run = Watch(self._archive, options, only=lists, kit=self._kit)
            under_way = UnderWay(row, run.stop)
            totals = await self._attend(under_way, run.run())
            if under_way.is_lost:
                return EndedAssignment("lost", "")
            due = await self._ask(next_due, self._archive, row.site, WATCHED)
            if due is not None:
                now = datetime.now(UTC)
                wait_s = _CLOSED_S if totals.troubles else _HELD_S
                at = due if due > now else now + timedelta(seconds=wait_s)
                return EndedAssignment("open", f"{totals.visits} visits, {totals.records} new records", at)
        return EndedAssignment("done", "nothing of it is watched any more")

    async def _attend(self, under_way: UnderWay, run: Coroutine[Any, Any, T]) -> T:
        """Wait for a run; end it in good order where the worker is stopped, so that another can go on at once."""
        self.under_way[under_way.row.id] = under_way
        running = asyncio.ensure_future(run)
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            under_way.stop()
            await asyncio.wait([running])
            if not running.cancelled():
                running.exception()  # whatever it is, the assignment is given back
            raise
        finally:
            del self.under_way[under_way.row.id]


def wait_after(failures: int, first_s: float = _SITE_S) -> float:
    """Return how long to wait after so many failures in a row, in seconds."""
    return float(min(first_s * 2 ** min(failures - 1, 30), _LONGEST_WAIT_S))


_FIRST_S = 5.0  # until it is said again; then twice as long each time
_ABSENCE_LONGEST_S = 300.0


def is_away(error: BaseException) -> bool:
    """Say whether an error means that the database cannot be reached, not that it refuses something."""
    cause = _driver_error(error)
    if not isinstance(cause, psycopg.OperationalError | psycopg.InterfaceError):
        return isinstance(error, TimeoutError)
    return cause.sqlstate is None or cause.sqlstate.startswith(("08", "57P"))


def _driver_error(error: BaseException) -> BaseException:
    """Return what the driver of the database raised: SQLAlchemy keeps it."""
    cause = error.__cause__ or error
    return getattr(cause, "orig", None) or cause


class Absence:
    """How long the database has been away, as one worker sees it."""

    def __init__(self, patience_s: float, tell: Callable[[str], None], clock: Callable[[], float] = monotonic) -> None:
        self._patience_s, self._tell, self._clock = patience_s, tell, clock
        self._since: float | None = None
        self._next_at, self._pause_s = 0.0, _FIRST_S
        self._why = ""

    @property
    def is_noted(self) -> bool:
        """Whether the database is away, as far as is known."""
        return self._since is not None

    @property
    def is_too_long(self) -> bool:
        """Whether there is no point in waiting any longer."""
        return self._since is not None and self._clock() - self._since > self._patience_s

    def note(self, error: BaseException) -> None:
        """Take note of what went wrong; what the database itself refused is told, and is no absence."""
        if not is_away(error):
            self._tell(f"the archive refused: {_one_line(error)}")
            return
        now = self._clock()
        if self._since is None:
            self._since, self._next_at, self._pause_s = now, now, _FIRST_S
        self._why = _one_line(error) or "it does not answer"
        if now >= self._next_at:
            self._tell(f"the database is away for {now - self._since:.0f} s: {self._why}; waits {self._patience_s:g} s")
            self._next_at, self._pause_s = now + self._pause_s, min(2 * self._pause_s, _ABSENCE_LONGEST_S)

    def end(self) -> None:
        """Take note that the database answers."""
        if self._since is not None:
            self._tell(f"the database is back after {self._clock() - self._since:.0f} s")
            self._since = None

    def describe(self, where: str) -> str:
        """Say why a worker ends."""
        return (
            f"{where}: the database was away for more than {self._patience_s:g} s ({self._why}); nothing is lost, "
            "start the worker again when it is back, or let it wait longer with --patience"
        )


def _one_line(error: BaseException) -> str:
    return " ".join(str(_driver_error(error)).split())


_SIGNS = 8.0  # times in a heartbeat that a worker says it is there, and tends
_POLL_S = 1.0  # between two looks for what has become due, at most
_POLLS = 12.0  # times in a heartbeat, at least: what is given back is announced to nobody
_YIELD_S = 0.2  # of a worker whose places are nearly all taken: one that looks for the same is there before
_ENDING_S = 15.0  # to give everything back; then so long again for what needs no answer of the archive
_LOOK_S = 30.0  # a round that takes longer, and longer than a heartbeat, has met a database that is away
_SHORTEST_S, _LONGEST_S = 1.0, 3_600.0


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """How much one worker takes on."""

    places: int = 8  # sites at once
    heartbeat_s: float = 30.0  # silent for so long: others have taken over
    extractors: int = 1  # processes that extract
    until_idle: bool = False  # end when no site is left to crawl and no list is due
    patience_s: float = 600.0  # with a database that is away; then the worker ends

    def __post_init__(self) -> None:
        """Raise BadInput where a value cannot be meant."""
        for name in ("places", "extractors"):
            if getattr(self, name) < 1:
                raise BadInput(f"{name} must be at least 1, not {getattr(self, name)}")
        if not _SHORTEST_S <= self.heartbeat_s <= _LONGEST_S:
            raise BadInput(f"a heartbeat is {_SHORTEST_S:g} to {_LONGEST_S:g} seconds, not {self.heartbeat_s:g}")
        if not self.patience_s >= 0:
            raise BadInput(f"patience is a number of seconds, not {self.patience_s:g}")


class Worker:
    """One process that works on what was handed over, until it is stopped."""

    def __init__(self, archive: Archive, options: WorkerOptions | None = None, *, tell: Tell | None = None) -> None:
        self.options = options or WorkerOptions()
        self.owner = Owner.of_this_process()
        self.name = f"{platform.node()}:{os.getpid()}"
        self.is_stopped = False
        self.is_late = False  # not everything could be given back: a call to the archive may still be under way
        self._archive = archive
        self._tell = tell or (lambda site, said: None)
        self._stop = asyncio.Event()
        self._kit: RunContext
        self._ledger: AssignmentThread
        self._work: Work
        self._absence = Absence(self.options.patience_s, partial(self._tell, ""))
        self._is_known = asyncio.Event()  # to others, so that they know when this worker is gone
        self._idle: frozenset[int] = frozenset()  # assignments that nothing here worked on when it was last looked
        self._judges_from = 0.0  # by the steady clock: before, nobody is taken for gone
        self._signed_at = monotonic()

    def stop(self) -> None:
        """End soon: what is under way is given back, and others go on with it at once."""
        self.is_stopped = True
        self._stop.set()

    async def run(self) -> None:
        """Work until `stop` is called or, with `until_idle`, until nothing is left.

        Raises BadInput where the archive is no PostgreSQL database, ArchiveFailed where it cannot begin, or where the
        database was away for longer than `patience_s`.
        """
        check_shared(self._archive.where)
        async with AsyncExitStack() as stack:
            lease_s = SILENT * self.options.heartbeat_s
            self._archive.limit_pauses(lease_s)
            shared = open_kit(self._archive, extractors=self.options.extractors, owner=self.owner, lease_s=lease_s)
            self._kit = await stack.enter_async_context(shared)
            self._ledger = AssignmentThread(self._archive)
            stack.push_async_callback(self._ledger.close)
            self._work = Work(self._archive, self._kit, self._ledger, self.owner, self._tell)
            await self._serve()
            with suppress(ArchiveFailed, TimeoutError):  # it is forgotten when it has been silent for long enough
                async with asyncio.timeout(0 if self.is_late or self._absence.is_too_long else _ENDING_S):
                    await self._ledger.note(drop_worker, self.owner.to_text())
        if self._absence.is_too_long and not self.is_stopped:
            raise ArchiveFailed(self._absence.describe(self._archive.where))

    async def _serve(self) -> None:
        """Take what is due and say that this worker is there, until it is stopped or the database was away too long."""
        jobs = (self._take_on(), self._keep_on(), self._stop.wait(), self._warm())
        *tasks, warming = [asyncio.ensure_future(job) for job in jobs]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (*tasks, warming):
                task.cancel()
            await self._give_back(asyncio.gather(*tasks, warming, self._work.stop(), return_exceptions=True))
        for task in done:
            task.result()

    async def _warm(self) -> None:
        """Start the processes that extract, so that a site that has to be taken over need not wait for them."""
        setups = [SiteSetup(f"warm {n}", ("text",), learns=False) for n in range(self.options.extractors)]
        await asyncio.gather(*(self._kit.pool.warm(setup) for setup in setups))
        for setup in setups:
            self._kit.pool.drop_site(setup)

    async def _give_back(self, ending: asyncio.Future[list[Any]]) -> None:
        """Wait until everything was given back, but not for ever: others will notice.

        A worker that was stopped, or a database that is away, may keep an answer back for long.
        """
        await asyncio.wait([ending], timeout=0 if self._absence.is_too_long else _ENDING_S)
        if not ending.done():
            self.is_late = True
            self._kit.clerk.abandon()
            self._ledger.abandon()
            await asyncio.wait([ending], timeout=_ENDING_S)

    async def _take_on(self) -> None:
        """Take what is due as long as there are places. Who has more to do asks later, so that work is spread."""
        await self._is_known.wait()
        while True:
            row = None
            busy = len(self._work.attempts) / self.options.places
            if busy < 1 and not self._absence.is_noted:
                await asyncio.sleep(_YIELD_S * busy)
                try:
                    row = await self._ledger.note(take_assignment, self.owner.to_text())
                except ArchiveFailed as error:
                    self._absence.note(error)
            if row is not None:
                self._work.begin(row)
            else:
                await asyncio.sleep(min(_POLL_S, self.options.heartbeat_s / _POLLS))

    async def _keep_on(self) -> None:
        """Say that this worker is there, and free what others left; return when the database was away for too long."""
        while not self._absence.is_too_long:
            try:
                async with asyncio.timeout(max(self.options.heartbeat_s, _LOOK_S)):  # a network may swallow everything
                    await self._look_after()
            except (ArchiveFailed, TimeoutError) as error:
                self._absence.note(error)
                # nobody could say that it is there: when the database is back, let them
                self._judges_from = monotonic() + SILENT * self.options.heartbeat_s
            wait_s = self.options.heartbeat_s / _SIGNS
            await asyncio.sleep(min(wait_s, _POLL_S) if self._absence.is_noted or self.options.until_idle else wait_s)

    async def _look_after(self) -> None:
        """Do one round."""
        held = await self._ledger.note(keep_worker, self._row())
        self._is_known.set()
        self._absence.end()
        await self._compare(held)
        if monotonic() >= self._judges_from:
            await self._ledger.note(free_lost)
        if self.options.until_idle and not self._work.attempts and not await self._ledger.read(is_left):
            self._stop.set()

    async def _compare(self, held: frozenset[int]) -> None:
        """End what is not this worker's any more, or no longer wanted; give back what it has and does not work on."""
        was_late = monotonic() - self._signed_at > SILENT * self.options.heartbeat_s
        self._signed_at = monotonic()
        lost = [under_way for number, under_way in self._work.under_way.items() if number not in held]
        if lost and was_late:
            self._tell("", "was silent for too long; begins anew")
        for under_way in lost:
            under_way.lose()
        idle = held - set(self._work.attempts.values())
        for number in idle & self._idle:  # for two rounds: not one that is about to begin or to end
            await self._ledger.note(free_assignment, number, self.owner.to_text())
        self._idle = idle

    def _row(self) -> WorkerRow:
        now = datetime.now(UTC)  # the database puts its own time in place of it
        return WorkerRow(
            owner=self.owner.to_text(),
            name=self.name,
            made_by=version(),
            heartbeat_s=self.options.heartbeat_s,
            places=self.options.places,
            sites=tuple(sorted({one.row.site_key for one in self._work.under_way.values()})),
            began_at=now,
            seen_at=now,
        )
