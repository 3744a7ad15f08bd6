"""Tend what is handed over: jobs of workers that vanished are put back, what is wanted and has no job gets one.

What is wanted stands in the assignments; jobs follow from them. So a job that was lost, ended by one who should not
have, or deleted with all others leaves no site behind. Every worker tends, at the same time if it so happens.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta

from procrastinate.exceptions import ConnectorException

from scythe.archive.rows import AssignmentRow
from scythe.errors import ArchiveFailed
from scythe.fleet.engine import QUEUE, Engine
from scythe.fleet.ledger import Ledger
from scythe.fleet.orders import name_lock
from scythe.fleet.work import MOST_ATTEMPTS, wait_after

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


async def tend(engine: Engine, ledger: Ledger) -> int:
    """Put right what stands still; return how many jobs were put back or made.

    A job is put back only by who finds it as it was when it was seen to stand still: two who tend do it once.
    Raises ArchiveFailed and ConnectorException where the database is away.
    """
    count, freed = 0, []
    for worker in await ledger.gone_workers():
        with suppress(ConnectorException):  # it was stopped in the middle: the next round
            count += await engine.release(worker.number or 0)
            freed.append(worker)
    stalled = list(await engine.get_stalled_jobs(queue=QUEUE, seconds_since_heartbeat=_FORGOTTEN_S))
    for job in stalled:
        await engine.take_back(job)
    for worker in freed:  # last: all who tend want these rows at the same moment, and no site has to wait for that
        with suppress(ArchiveFailed):
            await ledger.bury_worker(worker)
    orphans = await engine.connector.execute_query_all_async(_ORPHANS, count=_AT_ONCE)
    for orphan in orphans:
        row = await ledger.assignment(orphan["id"])
        if row is not None and row.state == "open":
            await _adopt(engine, ledger, row, has_failed=orphan["has_failed"])
    return count + len(stalled) + len(orphans)


async def is_left(engine: Engine) -> bool:
    """Say whether a site is still to be crawled, or a list is due; True while nobody can tell."""
    try:
        return bool((await engine.connector.execute_query_one_async(_LEFT, queue=QUEUE))["is_left"])
    except ConnectorException:
        return True


async def _adopt(engine: Engine, ledger: Ledger, row: AssignmentRow, *, has_failed: bool) -> None:
    """Give an assignment a job; where the last one ended by a bug, later, and not for ever."""
    if not has_failed:
        return await engine.defer(row)
    why = "a bug in scythe ended the job; its worker wrote more to standard error"
    count = await ledger.fail(row, why)
    await engine.connector.execute_query_async(_FORGET, lock=name_lock(row))
    if count >= MOST_ATTEMPTS:
        await ledger.end(row, "failed", why)
        return None
    return await engine.defer(row, datetime.now(UTC) + timedelta(seconds=wait_after(max(count, 1))))
