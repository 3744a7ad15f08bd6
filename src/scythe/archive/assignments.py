"""Sites queued for workers, and the workers that handle them.

An assignment is held by the one worker that works on it; what a worker held that is gone is free again. Queuing a site
again gives it a new `added_at`; a worker names the one it means, so that ending an older one changes nothing. Times are
the database's own.
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
    exists,
    func,
    literal_column,
    or_,
    select,
    update,
)

from scythe.archive.archive import from_row, upsert
from scythe.archive.host_leases import Owner
from scythe.archive.results import AssignmentRow, WorkerRow
from scythe.archive.schema import ASSIGNMENTS, SITES, WORKERS, moment, seconds, storable

SILENT = 0.5  # of its heartbeat: then a worker counts as gone, so that another has its sites before it is over
_REMEMBER_S = 86_400.0  # one that vanished is shown for so long
_IS_OPEN = ASSIGNMENTS.c.state == "open"


def keep_worker(connection: Connection, worker: WorkerRow) -> frozenset[int]:
    """Note that a worker is there, and what it works on; return the assignments that it holds and that are wanted."""
    seen = {"sites": json.dumps(worker.sites), "seen_at": db_now(connection)}
    fixed = {"name": storable(worker.name), "began_at": db_now(connection)}
    fixed |= {name: getattr(worker, name) for name in ("owner", "made_by", "heartbeat_s", "places")}
    write = upsert(connection, WORKERS, ("owner",), ("sites", "seen_at"))
    connection.execute(write.values(**fixed, **seen))
    held = select(ASSIGNMENTS.c.id).where(_IS_OPEN, ASSIGNMENTS.c.owner == worker.owner)
    return frozenset(connection.execute(held).scalars())


def drop_worker(connection: Connection, owner: str) -> None:
    """Forget a worker that ended; what it held is free."""
    connection.execute(update(ASSIGNMENTS).where(ASSIGNMENTS.c.owner == owner).values(owner=None))
    connection.execute(delete(WORKERS).where(WORKERS.c.owner == owner))


def free_lost(connection: Connection) -> int:
    """Free what workers held that are gone, and forget who vanished long ago; return how many were freed.

    Rows that a worker holds which was stopped in the middle are left for the next time.
    """
    now, workers = load_workers(connection)
    there = [one.owner for one in workers if not is_gone(one, now)]
    held = select(ASSIGNMENTS.c.id).where(ASSIGNMENTS.c.owner.is_not(None), ASSIGNMENTS.c.owner.not_in(there))
    lost = connection.execute(held.with_for_update(skip_locked=True)).scalars().all()
    if lost:
        connection.execute(update(ASSIGNMENTS).where(ASSIGNMENTS.c.id.in_(lost)).values(owner=None))
    old = select(WORKERS.c.owner).where(WORKERS.c.seen_at < db_now(connection) - _REMEMBER_S)
    connection.execute(delete(WORKERS).where(WORKERS.c.owner.in_(old.with_for_update(skip_locked=True))))
    return len(lost)


def load_workers(connection: Connection) -> tuple[datetime, list[WorkerRow]]:
    """Return the time by the database, and every worker, oldest first."""
    now = moment(connection.execute(select(db_now(connection))).scalar_one())
    rows = connection.execute(select(WORKERS).order_by(WORKERS.c.began_at, WORKERS.c.owner)).all()
    return now, [from_row(WorkerRow, row) for row in rows]


def is_gone(worker: WorkerRow, now: datetime) -> bool:
    """Say whether a worker has been silent for too long, by the time of the database, or is known to have ended."""
    if (now - worker.seen_at).total_seconds() > SILENT * worker.heartbeat_s:
        return True
    return not Owner.from_text(worker.owner).is_alive()


def db_now(connection: Connection) -> ColumnElement[float]:
    """Return the time by the clock of the database, in seconds since 1970."""
    if connection.dialect.name == "sqlite":
        return literal_column("(julianday('now') - 2440587.5) * 86400.0", Double)
    return cast(func.extract("epoch", func.clock_timestamp()), Double)


_LONG_S = 600.0


def add_assignment(connection: Connection, given: AssignmentRow) -> AssignmentRow:
    """Hand a site over, or hand it over again with other options, to be worked on at once; return it with its number.

    Whoever works on it goes on; it is worked on again afterwards.
    """
    again = {"start": storable(given.start), "options": given.options, "added_at": seconds(given.added_at)}
    again |= {"state": "open", "why": "", "attempts": 0, "ended_at": None}
    fresh: dict[str, Any] = again | {"due_at": db_now(connection)}
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


def take_assignment(connection: Connection, owner: str) -> AssignmentRow | None:
    """Take what has been due for longest of what nobody holds; None: there is nothing."""
    now = db_now(connection)
    due = select(ASSIGNMENTS.c.id).where(_IS_OPEN, ASSIGNMENTS.c.owner.is_(None), ASSIGNMENTS.c.due_at <= now)
    due = due.order_by(ASSIGNMENTS.c.due_at, ASSIGNMENTS.c.id).limit(1).with_for_update(skip_locked=True)
    number = connection.execute(due).scalar()
    if number is None:
        return None
    connection.execute(update(ASSIGNMENTS).where(ASSIGNMENTS.c.id == number).values(owner=owner, began_at=now))
    return load_assignment(connection, number)


def free_assignment(connection: Connection, assignment: int, owner: str) -> None:
    """Give an assignment back; nothing happens where it is another worker's by now."""
    mine = update(ASSIGNMENTS).where(ASSIGNMENTS.c.id == assignment, ASSIGNMENTS.c.owner == owner)
    connection.execute(mine.values(owner=None))


def rest_assignment(connection: Connection, row: AssignmentRow, why: str, due_at: datetime) -> bool:
    """Note that what could be done was done without a failure, and when there is more to do."""
    return _change(connection, row, attempts=0, why=storable(why), due_at=seconds(due_at))


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


def put_off_assignment(connection: Connection, row: AssignmentRow, wait_s: float) -> bool:
    """Have an assignment tried again in so many seconds."""
    return _change(connection, row, due_at=db_now(connection) + wait_s)


def is_left(connection: Connection) -> bool:
    """Say whether a site is still to be crawled, or a list is due or visited."""
    is_now = or_(ASSIGNMENTS.c.owner.is_not(None), ASSIGNMENTS.c.due_at <= db_now(connection))
    wanted = exists().where(_IS_OPEN, or_(ASSIGNMENTS.c.kind == "crawl", is_now))
    return bool(connection.execute(select(wanted)).scalar_one())


def count_assignments(connection: Connection) -> dict[tuple[str, str], int]:
    """Count the assignments by kind and state."""
    query = select(ASSIGNMENTS.c.kind, ASSIGNMENTS.c.state, func.count()).group_by(
        ASSIGNMENTS.c.kind, ASSIGNMENTS.c.state
    )
    return {(kind, state): int(number) for kind, state, number in connection.execute(query)}


def _change(connection: Connection, row: AssignmentRow, **values: Any) -> bool:
    return connection.execute(update(ASSIGNMENTS).where(*_is(row)).values(**values)).rowcount == 1


def _is(row: AssignmentRow) -> tuple[Any, ...]:
    return ASSIGNMENTS.c.id == row.id, _IS_OPEN, ASSIGNMENTS.c.added_at == seconds(row.added_at)


def _rows() -> Select[Any]:
    query: Select[Any] = select(ASSIGNMENTS, SITES.c.key.label("site_key"))
    return query.join(SITES, SITES.c.id == ASSIGNMENTS.c.site)
