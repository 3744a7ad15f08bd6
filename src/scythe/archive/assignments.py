"""Sites queued for workers, and the workers that handle them.

Queuing a site again gives it a new `added_at`; a worker names the one it means, so that ending an older one changes
nothing. Times are the database's own.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Double,
    Select,
    case,
    cast,
    delete,
    func,
    literal_column,
    select,
    update,
)

from scythe.archive.archive import from_row, upsert
from scythe.archive.host_leases import Owner
from scythe.archive.results import AssignmentRow, WorkerRow
from scythe.archive.schema import ASSIGNMENTS, SITES, WORKERS, moment, seconds, storable

SILENT = 0.5  # of its heartbeat: then a worker counts as gone, so that another has its sites before it is over
_REMEMBER_S = 86_400.0  # one that vanished is shown for so long


def keep_worker(connection: Connection, worker: WorkerRow) -> None:
    """Note that a worker is there, and what it works on; one that was dropped is there again."""
    seen = {"sites": json.dumps(worker.sites), "seen_at": db_now(connection), "number": worker.number}
    fixed = {"name": storable(worker.name), "began_at": db_now(connection)}
    fixed |= {name: getattr(worker, name) for name in ("owner", "made_by", "heartbeat_s", "places")}
    write = upsert(connection, WORKERS, ("owner",), ("sites", "seen_at", "number"))
    connection.execute(write.values(**fixed, **seen))


def drop_worker(connection: Connection, owner: str) -> None:
    """Forget a worker that ended, or that is gone."""
    connection.execute(delete(WORKERS).where(WORKERS.c.owner == owner))


def bury_worker(connection: Connection, worker: WorkerRow) -> None:
    """Note that the work of one that vanished was taken back; forget who vanished long ago."""
    same = (WORKERS.c.owner == worker.owner, WORKERS.c.number == worker.number)
    connection.execute(update(WORKERS).where(*same).values(number=None, sites="[]"))
    old = WORKERS.c.seen_at < db_now(connection) - _REMEMBER_S
    connection.execute(delete(WORKERS).where(WORKERS.c.number.is_(None), old))


def load_workers(connection: Connection) -> tuple[datetime, list[WorkerRow]]:
    """Return the time by the database, and every worker, oldest first."""
    now = moment(connection.execute(select(db_now(connection))).scalar_one())
    rows = connection.execute(select(WORKERS).order_by(WORKERS.c.began_at, WORKERS.c.owner)).all()
    return now, [from_row(WorkerRow, row) for row in rows]


def is_gone(worker: WorkerRow, now: datetime) -> bool:
    """Say whether a worker has been silent for too long, by the time of the database, or is known to have ended."""
    if worker.number is None or (now - worker.seen_at).total_seconds() > SILENT * worker.heartbeat_s:
        return True
    return not Owner.from_text(worker.owner).is_alive()


def db_now(connection: Connection) -> ColumnElement[float]:
    """Return the time by the clock of the database, in seconds since 1970."""
    if connection.dialect.name == "sqlite":
        return literal_column("(julianday('now') - 2440587.5) * 86400.0", Double)
    return cast(func.extract("epoch", func.clock_timestamp()), Double)


_LONG_S = 600.0


def add_assignment(connection: Connection, given: AssignmentRow) -> AssignmentRow:
    """Hand a site over, or hand it over again with other options; return it with its number."""
    again = {"start": storable(given.start), "options": given.options, "added_at": seconds(given.added_at)}
    fresh: dict[str, Any] = again | {"state": "open", "why": "", "attempts": 0, "ended_at": None}
    new = upsert(connection, ASSIGNMENTS, ("site", "kind"), tuple(fresh))
    written = new.values(site=given.site, kind=given.kind, **fresh).returning(ASSIGNMENTS.c.id)
    number = connection.execute(written).scalar_one()
    return from_row(AssignmentRow, connection.execute(_rows().where(ASSIGNMENTS.c.id == number)).one())


def load_assignment(connection: Connection, assignment: int) -> AssignmentRow | None:
    """Return an assignment by its number, None if there is none."""
    row = connection.execute(_rows().where(ASSIGNMENTS.c.id == assignment)).one_or_none()
    return None if row is None else from_row(AssignmentRow, row)


def load_assignments(connection: Connection, state: str | None = None) -> list[AssignmentRow]:
    """Return the assignments of one state or all, in the order they were first made."""
    query = _rows().order_by(ASSIGNMENTS.c.id)
    if state is not None:
        query = query.where(ASSIGNMENTS.c.state == state)
    return [from_row(AssignmentRow, row) for row in connection.execute(query)]


def begin_assignment(connection: Connection, row: AssignmentRow, now: datetime) -> bool:
    """Note that somebody begins to work on it; False: it is over, or was handed over again meanwhile."""
    return _change(connection, row, began_at=seconds(now))


def rest_assignment(connection: Connection, row: AssignmentRow, why: str) -> bool:
    """Note that what could be done was done without a failure, and that there is more to do later."""
    return _change(connection, row, attempts=0, why=storable(why))


def end_assignment(connection: Connection, row: AssignmentRow, state: str, why: str, now: datetime) -> bool:
    """End an assignment; False: it was over, or was handed over again meanwhile."""
    return _change(connection, row, state=state, why=storable(why), ended_at=seconds(now))


def fail_assignment(connection: Connection, row: AssignmentRow, why: str, now: datetime) -> int:
    """Count an attempt that failed; return how many did in a row, 0 where it is over or was handed over again.

    One that lasted for long did something before: with it the count begins anew.
    """
    is_long = ASSIGNMENTS.c.began_at < seconds(now) - _LONG_S
    values = {"attempts": case((is_long, 1), else_=ASSIGNMENTS.c.attempts + 1), "why": storable(why)}
    failed = update(ASSIGNMENTS).where(*_is(row)).values(values).returning(ASSIGNMENTS.c.attempts)
    return int(connection.execute(failed).scalar() or 0)


def count_assignments(connection: Connection) -> dict[tuple[str, str], int]:
    """Count the assignments by kind and state."""
    query = select(ASSIGNMENTS.c.kind, ASSIGNMENTS.c.state, func.count()).group_by(
        ASSIGNMENTS.c.kind, ASSIGNMENTS.c.state
    )
    return {(kind, state): int(number) for kind, state, number in connection.execute(query)}


def _change(connection: Connection, row: AssignmentRow, **values: Any) -> bool:
    return connection.execute(update(ASSIGNMENTS).where(*_is(row)).values(**values)).rowcount == 1


def _is(row: AssignmentRow) -> tuple[Any, ...]:
    same = ASSIGNMENTS.c.added_at == seconds(row.added_at)
    return ASSIGNMENTS.c.id == row.id, ASSIGNMENTS.c.state == "open", same


def _rows() -> Select[Any]:
    query: Select[Any] = select(ASSIGNMENTS, SITES.c.key.label("site_key"))
    return query.join(SITES, SITES.c.id == ASSIGNMENTS.c.site)
