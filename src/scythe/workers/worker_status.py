"""Report workers, their sites, what is waiting and what failed; works for any archive."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, case, func, select, text

from scythe.archive.archive import Archive, sound
from scythe.archive.assignments import count_assignments, is_gone, load_assignments, load_workers
from scythe.archive.host_leases import Owner
from scythe.archive.results import AssignmentRow, WorkerRow
from scythe.archive.schema import FETCHES, HOSTS, IS_WATCHED, PAGES, URLS, seconds
from scythe.workers.orders import name_lock

_RECENT_S = 60.0  # pages per second are those of the last minute
_RECENT = 20_000  # fetches looked at for that: 330 a second
_JOBS = text(
    "SELECT lock, status::text AS status, scheduled_at, extract(epoch FROM now() - coalesce(scheduled_at, (SELECT"
    " max(at) FROM procrastinate_events e WHERE e.job_id = j.id AND e.type = 'deferred')))::double precision AS late_s"
    " FROM procrastinate_jobs j WHERE queue_name = 'scythe' AND status IN ('todo', 'doing')"
)


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """One worker."""

    name: str
    is_gone: bool  # it has been silent for too long, or is known to have ended
    silent_s: float  # since it last said that it is there
    heartbeat_s: float
    places: int
    sites: tuple[str, ...]  # that it works on
    made_by: str
    began_at: datetime


@dataclass(frozen=True, slots=True)
class SiteStatus:
    """One site that was handed over and is not done."""

    site: str
    kind: str  # crawl or watch
    state: str  # working, waiting, open (it has no job yet), failed
    why: str  # what was last said of it
    attempts: int  # in a row that failed
    waiting: int  # addresses
    pages: int
    pages_per_second: float
    workers: tuple[str, ...]  # who works on it
    due_at: datetime | None  # waiting: not before; None: at once
    late_s: float  # waiting: since it was due


@dataclass(frozen=True, slots=True)
class HostStatus:
    """One host that a process asks now."""

    host: str
    by: str
    slow: float  # times slower than usual, since it wants it so


@dataclass(frozen=True, slots=True)
class Status:
    """How it goes with everything that was handed over."""

    at: datetime  # by the clock of the database
    workers: tuple[WorkerStatus, ...] = ()
    sites: tuple[SiteStatus, ...] = ()  # open and failed ones
    hosts: tuple[HostStatus, ...] = ()  # being asked
    counts: dict[str, int] = field(default_factory=dict)  # "crawl done" -> how many
    lag_s: float = 0.0  # how late the job is that waits longest

    @property
    def pages_per_second(self) -> float:
        """Of all sites together, lately."""
        return sum(site.pages_per_second for site in self.sites)


@dataclass(frozen=True, slots=True)
class _Job:
    status: str
    due_at: datetime | None
    late_s: float


def read_status(archive: Archive) -> Status:
    """Return how it goes. Raises ArchiveFailed."""
    with sound(archive.where), archive.reading() as connection:
        now, workers = load_workers(connection)
        rows = [row for row in load_assignments(connection) if row.state in ("open", "failed")]
        jobs = _read_jobs(connection)
        sites = _read_sites(connection, rows, jobs, workers, now)
        return Status(
            at=now,
            workers=tuple(_worker(one, now) for one in workers),
            sites=tuple(sites),
            hosts=tuple(_read_hosts(connection, workers, now)),
            counts={f"{kind} {state}": number for (kind, state), number in count_assignments(connection).items()},
            lag_s=max((job.late_s for job in jobs.values() if job.status == "todo"), default=0.0),
        )


def _worker(row: WorkerRow, now: datetime) -> WorkerStatus:
    silent_s = (now - row.seen_at).total_seconds()
    said = row.heartbeat_s, row.places, row.sites, row.made_by, row.began_at
    return WorkerStatus(row.name, is_gone(row, now), max(silent_s, 0.0), *said)


def _read_jobs(connection: Connection) -> dict[str, _Job]:
    """Return the jobs by their lock, one that is worked on before one that waits."""
    if connection.dialect.name == "sqlite":
        return {}
    if connection.execute(text("SELECT to_regclass('procrastinate_jobs')")).scalar() is None:
        return {}
    rows = sorted(connection.execute(_JOBS), key=lambda row: row.status == "doing")
    return {row.lock: _Job(row.status, row.scheduled_at, max(row.late_s or 0.0, 0.0)) for row in rows}


def _read_sites(
    connection: Connection, rows: list[AssignmentRow], jobs: dict[str, _Job], workers: list[WorkerRow], now: datetime
) -> list[SiteStatus]:
    sites = sorted({row.site for row in rows})
    waiting, pages = _count_waiting(connection, sites), _count_pages(connection, sites)
    recent = _count_recent(connection, now)
    found = []
    for row in rows:
        job = jobs.get(name_lock(row))
        is_todo = job is not None and job.status == "todo"
        state = row.state if row.state != "open" or job is None else "waiting" if is_todo else "working"
        found.append(
            SiteStatus(
                site=row.site_key,
                kind=row.kind,
                state=state,
                why=row.why,
                attempts=row.attempts,
                waiting=waiting.get((row.site, row.kind == "watch"), 0),
                pages=pages.get(row.site, 0),
                pages_per_second=recent[row.site] / _RECENT_S if row.kind == "crawl" else 0.0,
                workers=tuple(one.name for one in workers if state == "working" and row.site_key in one.sites),
                due_at=job.due_at if job is not None and is_todo else None,
                late_s=job.late_s if job is not None and is_todo else 0.0,
            )
        )
    return found


def _count_waiting(connection: Connection, sites: list[int]) -> dict[tuple[int, bool], int]:
    """Count the addresses that wait, by site and by whether a watch asks for them."""
    is_watched = case((IS_WATCHED, 1), else_=0)
    query = select(URLS.c.site, is_watched, func.count()).where(URLS.c.due_at.is_not(None), URLS.c.site.in_(sites))
    rows = connection.execute(query.group_by(URLS.c.site, is_watched))
    return {(site, bool(watched)): int(number) for site, watched, number in rows}


def _count_pages(connection: Connection, sites: list[int]) -> dict[int, int]:
    query = select(PAGES.c.site, func.count()).where(PAGES.c.site.in_(sites)).group_by(PAGES.c.site)
    return {site: int(number) for site, number in connection.execute(query)}


def _count_recent(connection: Connection, now: datetime) -> Counter[int]:
    """Count the pages that came in lately, by site, however many there are in all."""
    last = select(FETCHES.c.site, FETCHES.c.at, FETCHES.c.state).order_by(FETCHES.c.id.desc()).limit(_RECENT).subquery()
    is_recent = last.c.at > seconds(now) - _RECENT_S
    query = select(last.c.site, func.count()).where(is_recent, last.c.state == "done").group_by(last.c.site)
    return Counter({site: int(number) for site, number in connection.execute(query)})


def _read_hosts(connection: Connection, workers: list[WorkerRow], now: datetime) -> list[HostStatus]:
    """Return the hosts that are held by living processes."""
    at = seconds(now)
    query = select(HOSTS).where(HOSTS.c.owner.is_not(None), HOSTS.c.until > at).order_by(HOSTS.c.name)
    names = {_process(one.owner): one.name for one in workers}
    rows: list[Any] = [row for row in connection.execute(query) if Owner.from_text(row.owner).is_alive()]
    return [HostStatus(row.name, names.get(_process(row.owner), _name(row.owner)), row.slow) for row in rows]


def _process(owner: str) -> tuple[str, int, str]:
    """Return which process an owner is in: a worker's runs are owners of their own."""
    one = Owner.from_text(owner)
    return one.machine, one.pid, one.started


def _name(owner: str) -> str:
    one = Owner.from_text(owner)
    return f"{one.machine.split('/')[0]}:{one.pid}"
