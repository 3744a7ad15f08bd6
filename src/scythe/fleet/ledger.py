"""What is wanted and who works on it, asked from an event loop: one call is one transaction."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

from sqlalchemy import text

from scythe.archive import assignments, worker_rows
from scythe.archive.archive import Archive
from scythe.archive.rows import AssignmentRow, WorkerRow
from scythe.crawling.clerk import Clerk

T = TypeVar("T")

# A worker that was stopped in the middle may hold a row: who waits for it would be taken for gone as well.
_NO_LONGER = text("SET LOCAL lock_timeout = '1s'")


class Ledger:
    """The assignments and workers of an archive. Close it at the end; the archive stays open.

    It has a thread and a lock of its own: a worker must not be taken for gone because it has much to store.
    """

    def __init__(self, archive: Archive) -> None:
        self._database = archive.database.beside()
        self._clerk = Clerk(Archive(self._database))

    async def close(self) -> None:
        """Let the thread go."""
        await self._clerk.close()

    def abandon(self) -> None:
        """Wait for no answer any longer."""
        self._clerk.abandon()

    async def assignment(self, number: int) -> AssignmentRow | None:
        """Return an assignment as it is now."""
        return await self._read(assignments.load_assignment, number)

    async def begin(self, row: AssignmentRow) -> bool:
        """Note that work begins; False: it is no longer wanted, or wanted otherwise."""
        return await self._write(assignments.begin_assignment, row, datetime.now(UTC))

    async def rest(self, row: AssignmentRow, why: str) -> bool:
        """Note that there is more to do later."""
        return await self._write(assignments.rest_assignment, row, why)

    async def end(self, row: AssignmentRow, state: str, why: str) -> bool:
        """End an assignment, unless it was handed over again meanwhile."""
        return await self._write(assignments.end_assignment, row, state, why, datetime.now(UTC))

    async def fail(self, row: AssignmentRow, why: str) -> int:
        """Count an attempt that failed; return how many did in a row."""
        return await self._write(assignments.fail_assignment, row, why, datetime.now(UTC))

    async def keep_worker(self, worker: WorkerRow) -> None:
        """Note that a worker is there."""
        await self._write(worker_rows.keep_worker, worker)

    async def drop_worker(self, owner: str) -> None:
        """Forget a worker that ended in good order."""
        await self._write(worker_rows.drop_worker, owner)

    async def gone_workers(self) -> list[WorkerRow]:
        """Return the workers that vanished and whose work nobody has taken back yet."""
        now, workers = await self._read(worker_rows.load_workers)
        return [one for one in workers if one.number is not None and worker_rows.is_gone(one, now)]

    async def bury_worker(self, worker: WorkerRow) -> None:
        """Note that the work of one that vanished was taken back; forget those that vanished long ago."""
        await self._write(worker_rows.bury_worker, worker)

    async def _read(self, work: Callable[..., T], *given: Any) -> T:
        def read() -> T:
            with self._database.reading() as connection:
                return work(connection, *given)

        return await self._clerk.ask(read)

    async def _write(self, work: Callable[..., T], *given: Any) -> T:
        def write() -> T:
            with self._database.writing() as connection:
                connection.execute(_NO_LONGER)
                return work(connection, *given)

        return await self._clerk.ask(write)
