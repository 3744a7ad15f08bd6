"""Processes that work on what was handed over: each says now and then that it is there, and what it is at.

Times are the database's own: the clocks of many machines differ by more than a heartbeat.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Double, cast, delete, func, literal_column, select, update
from sqlalchemy.dialects import postgresql, sqlite

from scythe.archive.hashes import moment, storable
from scythe.archive.owner import Owner
from scythe.archive.rows import WorkerRow
from scythe.archive.schema import WORKERS

SILENT = 0.5  # of its heartbeat: then a worker counts as gone, so that another has its sites before it is over
_REMEMBER_S = 86_400.0  # one that vanished is shown for so long


def keep_worker(connection: Connection, worker: WorkerRow) -> None:
    """Note that a worker is there, and what it works on; one that was dropped is there again."""
    seen = {"sites": json.dumps(worker.sites), "seen_at": db_now(connection), "number": worker.number}
    fixed = {
        "owner": worker.owner,
        "name": storable(worker.name),
        "made_by": worker.made_by,
        "heartbeat_s": worker.heartbeat_s,
        "places": worker.places,
        "began_at": db_now(connection),
    }
    dialect = {"sqlite": sqlite, "postgresql": postgresql}[connection.dialect.name]
    new: Any = dialect.insert(WORKERS).values(**fixed, **seen)
    connection.execute(new.on_conflict_do_update(index_elements=["owner"], set_=seen))


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
    return now, [_worker(row) for row in rows]


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


def _worker(row: Any) -> WorkerRow:
    return WorkerRow(
        owner=row.owner,
        name=row.name,
        made_by=row.made_by,
        heartbeat_s=row.heartbeat_s,
        places=row.places,
        sites=tuple(map(str, json.loads(row.sites))),
        number=row.number,
        began_at=moment(row.began_at),
        seen_at=moment(row.seen_at),
    )
