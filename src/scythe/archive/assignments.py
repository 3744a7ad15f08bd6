"""What was handed over to workers: sites to crawl or to watch come in, what is still wanted of them goes out.

An assignment that is handed over again gets a new `added_at`. Whoever works on it says which one it means: to end an
older one changes nothing.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, case, func, select, update
from sqlalchemy.dialects import postgresql, sqlite

from scythe.archive.hashes import moment, seconds, storable
from scythe.archive.rows import AssignmentRow
from scythe.archive.schema import ASSIGNMENTS, SITES
from scythe.archive.watches import when

_LONG_S = 600.0


def add_assignment(connection: Connection, given: AssignmentRow) -> AssignmentRow:
    """Hand a site over, or hand it over again with other options; return it with its number."""
    again = {"start": storable(given.start), "options": given.options, "added_at": seconds(given.added_at)}
    fresh: dict[str, Any] = again | {"state": "open", "why": "", "attempts": 0, "ended_at": None}
    dialect = {"sqlite": sqlite, "postgresql": postgresql}[connection.dialect.name]
    new: Any = dialect.insert(ASSIGNMENTS).values(site=given.site, kind=given.kind, **fresh)
    written = new.on_conflict_do_update(index_elements=["site", "kind"], set_=fresh).returning(ASSIGNMENTS.c.id)
    number = connection.execute(written).scalar_one()
    return _assignment(connection.execute(_rows().where(ASSIGNMENTS.c.id == number)).one())


def load_assignment(connection: Connection, assignment: int) -> AssignmentRow | None:
    """Return an assignment by its number, None if there is none."""
    row = connection.execute(_rows().where(ASSIGNMENTS.c.id == assignment)).one_or_none()
    return None if row is None else _assignment(row)


def load_assignments(connection: Connection, state: str | None = None) -> list[AssignmentRow]:
    """Return the assignments of one state or all, in the order they were first made."""
    query = _rows().order_by(ASSIGNMENTS.c.id)
    if state is not None:
        query = query.where(ASSIGNMENTS.c.state == state)
    return [_assignment(row) for row in connection.execute(query)]


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


def _assignment(row: Any) -> AssignmentRow:
    return AssignmentRow(
        id=row.id,
        site=row.site,
        site_key=row.site_key,
        kind=row.kind,
        start=row.start,
        options=row.options,
        added_at=moment(row.added_at),
        state=row.state,
        why=row.why,
        attempts=row.attempts,
        began_at=when(row.began_at),
        ended_at=when(row.ended_at),
    )
