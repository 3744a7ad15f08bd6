"""The job queue: Procrastinate in the archive's database, hardened against sleeping workers and restarts.

Procrastinate lets any worker finish a job by its number; here only its holder can finish it or put it back.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import psycopg
from procrastinate import App, PsycopgConnector, SyncPsycopgConnector
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException, UniqueViolation
from procrastinate.jobs import Job, Status
from procrastinate.manager import JobManager, NotificationCallback
from procrastinate.schema import SchemaManager
from sqlalchemy import Connection, func, select, text

from scythe.archive.archive import LOCKS, Archive
from scythe.archive.results import AssignmentRow
from scythe.errors import ArchiveFailed, BadInput
from scythe.workers.orders import NOT_SHARED, name_lock

QUEUE = "scythe"
TASKS = {"crawl": "crawl_site", "watch": "watch_site"}
_NEEDED = "procrastinate_retry_job_v2"  # the newest function we call: an engine without it is too old
_POOL = 3  # connections of a worker for jobs, beside one that listens and those of the archive
_CONNECT_S = 10.0
_LOCKED_S = 1.0  # a row that a worker holds which was stopped in the middle is not waited for longer
_WAITS_S = (0.5, 1.0, 2.0, 4.0, 8.0)  # waits between attempts to say that a job ended: a restart takes a few seconds
_YIELD_S = 0.2  # of a worker whose places are nearly all taken: one that hears of the same job is there before
_LISTEN_S = 2.0  # until a connection that listened and broke is made again
_log = logging.getLogger(__name__)

_MINE = """WITH mine AS MATERIALIZED (SELECT id FROM procrastinate_jobs
 WHERE id = %(job_id)s AND status = 'doing' AND worker_id IS NOT DISTINCT FROM %(worker_id)s::bigint FOR UPDATE)
 SELECT"""
_FINISH = f"{_MINE} procrastinate_finish_job_v1(id, %(status)s::procrastinate_job_status, %(delete_job)s) FROM mine"
# The engine announces jobs that are new, but none that is put back: workers would find it only when they look again.
_AGAIN = f""" procrastinate_retry_job_v2(id, %(retry_at)s, NULL, NULL, NULL),
 pg_notify('procrastinate_queue_v1#{QUEUE}', json_build_object('type', 'job_inserted', 'job_id', id)::text) FROM mine"""
_RETRY = _MINE + _AGAIN
_TAKE_BACK = _RETRY.replace("FOR UPDATE", "FOR UPDATE SKIP LOCKED")
_ALL_OF = """WITH mine AS MATERIALIZED (SELECT id FROM procrastinate_jobs
 WHERE worker_id = %(worker_id)s AND status = 'doing' FOR UPDATE SKIP LOCKED) SELECT"""
_RELEASE = _ALL_OF + _AGAIN
_HELD = """SELECT j.id, coalesce(a.state, '') = 'open' AS is_open FROM procrastinate_jobs j
 LEFT JOIN assignments a ON a.id = (j.args ->> 'assignment')::bigint
 WHERE j.status = 'doing' AND j.worker_id = %(worker_id)s"""
# Not by to_regclass: within a transaction it may go on to say what it said before.
_TABLE = text("SELECT count(*) FROM pg_class c WHERE relname = 'procrastinate_jobs' AND pg_table_is_visible(c.oid)")
_FUNCTION = text("SELECT count(*) FROM pg_proc p WHERE proname = :name AND pg_function_is_visible(p.oid)")
_IS_KNOWN = "SELECT count(*) AS known FROM procrastinate_workers WHERE id = %(worker_id)s"


class Engine(JobManager):
    """Jobs of one worker: what is said of a job counts only while it is this worker's."""

    number: int | None = None  # of this worker, once all others know it
    busy: int = 0  # jobs it works on
    places: int = 1  # for jobs
    is_abandoned: bool = False  # nothing more is said: others find out by themselves
    on_away: Callable[[BaseException], None] | None = None  # hears that the database cannot be reached
    introduce: Callable[[int], Awaitable[None]] | None = None  # tells all others that a number is this worker's
    _numbers: frozenset[int] = frozenset()  # that this worker had and could not give back

    async def register_worker(self) -> int:
        """Begin under a new number; before the first job is taken, others know whose it is.

        A worker that is killed between the two has a number that stands for nothing. The other way round nobody would
        know that its jobs are to be taken over.
        """
        for old in self._numbers:
            await self.unregister_worker(old)
        number = await super().register_worker()
        self._numbers |= {number}
        if self.introduce is not None:
            await self.introduce(number)
        self.number = number
        return number

    async def unregister_worker(self, worker_id: int) -> None:
        await super().unregister_worker(worker_id)
        self._numbers -= {worker_id}

    async def prune_stalled_workers(self, seconds_since_heartbeat: float) -> list[int]:
        """Leave that to tending: every worker has a heartbeat of its own."""
        return []

    async def update_heartbeat(self, worker_id: int) -> None:
        try:
            await super().update_heartbeat(worker_id)
        except ConnectorException as error:
            self._note("no heartbeat", error)

    async def fetch_job(self, queues: Iterable[str] | None, worker_id: int) -> Job | None:
        """Take a job; none while the database is away. Who has more to do asks later, so that work is spread."""
        await asyncio.sleep(_YIELD_S * min(self.busy / self.places, 1.0))
        try:
            return await super().fetch_job(queues, worker_id)
        except ConnectorException as error:
            self._note("no job could be taken", error)
            return None

    async def finish_job(self, job: Job, status: Status, delete_job: bool) -> None:
        said = {"job_id": job.id, "worker_id": job.worker_id, "status": status.value, "delete_job": delete_job}
        await self._say(_FINISH, said)

    async def retry_job(
        self,
        job: Job,
        retry_at: datetime | None = None,
        priority: int | None = None,
        queue: str | None = None,
        lock: str | None = None,
    ) -> None:
        """Put a job back, or end it where another one for the same site waits already."""
        said = {"job_id": job.id, "worker_id": job.worker_id, "retry_at": retry_at or datetime.now(UTC)}
        try:
            await self._say(_RETRY, said)
        except UniqueViolation:
            await self.finish_job(job, Status.FAILED, delete_job=True)

    async def listen_for_jobs(
        self, *, on_notification: NotificationCallback, queues: Iterable[str] | None = None
    ) -> None:
        while True:
            try:
                await super().listen_for_jobs(on_notification=on_notification, queues=queues)
            except ConnectorException as error:
                self._note("not listening for jobs", error)
            await asyncio.sleep(_LISTEN_S)

    async def defer(self, row: AssignmentRow, at: datetime | None = None) -> None:
        """Have an assignment worked on, at some time or at once; nothing happens where a job for it waits already."""
        try:
            await self.defer_job_async(job_for(row, at))
        except AlreadyEnqueued:
            pass

    async def held(self) -> dict[int, bool] | None:
        """Return the jobs of this worker, and whether each is still wanted; None: the worker counts as gone."""
        told = {"worker_id": self.number}
        if not (await self.connector.execute_query_one_async(_IS_KNOWN, **told))["known"]:
            return None
        rows = await self.connector.execute_query_all_async(_HELD, **told)
        return {row["id"]: row["is_open"] for row in rows}

    async def release(self, number: int) -> int:
        """Put all jobs of a worker back that is gone, in one step; return how many. Then its number is given up."""
        try:
            told: Any = {"worker_id": number, "retry_at": datetime.now(UTC)}
            freed = len(await self.connector.execute_query_all_async(_RELEASE, **told))
        except UniqueViolation:  # another job for one of the sites waits already: one by one
            freed = 0
        await self.unregister_worker(number)
        return freed

    async def take_back(self, job: Job) -> None:
        """Put a job back that nobody holds any more; nothing happens where somebody else is about to."""
        said = {"job_id": job.id, "worker_id": job.worker_id, "retry_at": datetime.now(UTC)}
        try:
            await self.connector.execute_query_async(_TAKE_BACK, **said)
        except UniqueViolation:
            await self.finish_job(job, Status.FAILED, delete_job=True)

    async def give_back(self, job_id: int) -> None:
        """Put a job of this worker back that nothing in it works on."""
        found = await self.list_jobs_async(id=job_id)
        for job in found:
            await self.retry_job(job.evolve(worker_id=self.number))

    async def _say(self, query: Any, said: dict[str, Any]) -> None:
        """Tell the database; where it is away, again and again for a while, then leave it to who tends."""
        for wait_s in _WAITS_S:
            if self.is_abandoned:
                break
            try:
                return await self.connector.execute_query_async(query, **said)
            except UniqueViolation:
                raise
            except ConnectorException as error:
                self._note(f"job {said['job_id']}", error)
            await asyncio.sleep(wait_s)
        return None

    def _note(self, what: str, error: ConnectorException) -> None:
        """Tell what could not be done, and whoever wants to know it where the database is the reason."""
        if self.on_away is not None and is_away(error):
            self.on_away(error)
        else:
            _log.warning("%s: %s", what, reason(error))


def make_app(archive: Archive, pause_s: float = 60.0) -> App:
    """Return an engine for one worker; a transaction of its own that stands still for `pause_s` is ended."""

    async def configure(connection: psycopg.AsyncConnection[Any]) -> None:
        await connection.execute(f"SET idle_in_transaction_session_timeout = {round(pause_s * 1000)}")
        await connection.execute(f"SET lock_timeout = {round(_LOCKED_S * 1000)}")
        await connection.commit()

    connector = PsycopgConnector(
        conninfo=_address(archive),
        configure=configure,
        min_size=1,
        max_size=_POOL,
        timeout=_CONNECT_S,
        name="scythe-jobs",
    )
    app = App(connector=connector)
    app.job_manager = Engine(connector)
    return app


def engine_of(app: App) -> Engine:
    """Return the jobs of an engine that `make_app` made."""
    if not isinstance(app.job_manager, Engine):
        raise TypeError("this engine was not made by make_app")
    return app.job_manager


@asynccontextmanager
async def connected(app: App) -> AsyncIterator[Engine]:
    """Connect an engine until the block ends. Raises ArchiveFailed where the database takes no more connections."""
    try:
        await app.open_async()
    except (psycopg.Error, ConnectorException) as error:
        raise ArchiveFailed(f"the jobs in the archive cannot be reached: {reason(error)}") from error
    try:
        yield engine_of(app)
    finally:
        await app.close_async()


def job_for(row: AssignmentRow, at: datetime | None = None) -> Job:
    """Return the job that works on an assignment."""
    lock = name_lock(row)
    return Job(
        queue=QUEUE,
        lock=lock,
        queueing_lock=lock,
        task_name=TASKS[row.kind],
        task_kwargs={"assignment": row.id},
        scheduled_at=at,
    )


def defer_now(connection: Connection, row: AssignmentRow) -> None:
    """Have an assignment worked on at once, as part of a transaction; a job that waits for it waits no longer."""
    lock = {"lock": name_lock(row)}
    sooner = text("UPDATE procrastinate_jobs SET scheduled_at = now() WHERE queueing_lock = :lock AND status = 'todo'")
    if connection.execute(sooner, lock).rowcount:
        return
    jobs = JobManager(SyncPsycopgConnector())
    try:
        with connection.begin_nested():
            jobs.defer_job(job_for(row), connection=connection.connection.driver_connection)
    except AlreadyEnqueued:  # somebody was quicker
        pass
    except ConnectorException as error:
        raise ArchiveFailed(f"no job could be made for {row.site_key}: {reason(error)}") from error


def prepare_jobs(archive: Archive) -> None:
    """Make the tables of the engine where there are none; two processes may do it at once. Raises BadInput."""
    if archive.is_sqlite:
        raise BadInput(NOT_SHARED.format(where=archive.where))
    with archive.writing() as connection:
        if _has_engine(connection, archive.where):
            return
        connection.execute(select(func.pg_advisory_xact_lock(LOCKS, 0)))
        if not _has_engine(connection, archive.where):
            connection.exec_driver_sql(SchemaManager.get_schema().replace("%", "%%"))


def is_away(error: BaseException) -> bool:
    """Say whether an error means that the database cannot be reached, not that it refuses something."""
    cause = error.__cause__
    cause = getattr(cause, "orig", cause)  # SQLAlchemy keeps what the driver said
    if not isinstance(cause, psycopg.OperationalError | psycopg.InterfaceError):
        return isinstance(error, TimeoutError)
    return cause.sqlstate is None or cause.sqlstate.startswith(("08", "57P"))


def reason(error: BaseException) -> str:
    """Return what the database said, in one line: the engine keeps it as the cause."""
    return " ".join(str(error.__cause__ or error).split())


def _has_engine(connection: Connection, where: str) -> bool:
    if not connection.execute(_TABLE).scalar():
        return False
    if not connection.execute(_FUNCTION, {"name": _NEEDED}).scalar():
        raise ArchiveFailed(f"{where}: Procrastinate's tables are too old: apply its migrations up to version 3.5")
    return True


def _address(archive: Archive) -> str:
    """Return where the database is, in the words of its driver."""
    _, named = archive.engine.dialect.create_connect_args(archive.engine.url)
    named.pop("context", None)  # SQLAlchemy's own, no word of the server's
    return psycopg.conninfo.make_conninfo("", **{"connect_timeout": int(_CONNECT_S), **named})
