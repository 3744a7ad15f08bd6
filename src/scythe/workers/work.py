"""Handle assignments: crawl a site or visit its lists, and settle what comes of it.

Each is tried again after a failure, twelve times in a row at most, and given back however an attempt at it ends.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection, text

from scythe.archive.archive import Archive
from scythe.archive.assignments import (
    end_assignment,
    fail_assignment,
    free_assignment,
    load_assignment,
    put_off_assignment,
    rest_assignment,
)
from scythe.archive.frontier import next_due
from scythe.archive.host_leases import Owner
from scythe.archive.results import AssignmentRow
from scythe.archive.watches import watch_rows
from scythe.crawl_model import WATCHED
from scythe.crawling.crawl import Crawl
from scythe.crawling.crawl_options import CrawlOptions
from scythe.engine.archive_thread import ArchiveThread
from scythe.engine.context import RunContext
from scythe.errors import ArchiveFailed, BadInput, ScytheError
from scythe.watching.watch import Watch
from scythe.watching.watch_options import WatchOptions
from scythe.workers.orders import read_order

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
