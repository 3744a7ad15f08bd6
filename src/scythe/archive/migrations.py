"""A database in, an archive with today's tables out: made, brought up to date, or refused."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version

from sqlalchemy import Connection, inspect, select, text, update

from scythe.archive.schema import ARCHIVE, TABLES
from scythe.errors import ArchiveFailed

# MIGRATIONS[n] makes version n + 2 out of version n + 1. Append only: archives of every version are out there.
MIGRATIONS: tuple[Callable[[Connection], None], ...] = ()
VERSION = len(MIGRATIONS) + 1


def prepare(connection: Connection, where: str, *, create: bool) -> None:
    """Make the tables, or bring them up to date, inside a writing transaction; raise ArchiveFailed if that cannot be.

    Two processes may open a new archive at once: the second finds the tables of the first.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(23575, 0)"))  # two processes that make one archive queue
    tables = set(inspect(connection).get_table_names())
    if ARCHIVE.name in tables:
        return _migrate(connection, where)
    ours = tables if connection.dialect.name == "sqlite" else tables & set(TABLES.tables)
    if ours:
        raise ArchiveFailed(f"{where}: this is a database, but no scythe archive (it has a table {min(ours)!r})")
    if not create:
        raise ArchiveFailed(f"{where}: this database is empty, there is no archive in it")
    TABLES.create_all(connection)
    connection.execute(ARCHIVE.insert().values(id=1, version=VERSION, made_at=time.time(), made_by=_scythe()))
    return None


def _migrate(connection: Connection, where: str) -> None:
    found = connection.execute(select(ARCHIVE.c.version)).scalar()
    if found is None:
        raise ArchiveFailed(f"{where}: the archive does not say which version it is")
    if found > VERSION:
        raise ArchiveFailed(
            f"{where}: the archive was written by a newer scythe (its version is {found}, this one reads up to "
            f"{VERSION}): update scythe to open it"
        )
    for number in range(found, VERSION):
        MIGRATIONS[number - 1](connection)
        connection.execute(update(ARCHIVE).values(version=number + 1))


def is_current(connection: Connection) -> bool:
    """Say whether this is an archive of today's version: then opening it needs no right to write."""
    if not inspect(connection).has_table(ARCHIVE.name):
        return False
    return connection.execute(select(ARCHIVE.c.version)).scalar() == VERSION


def _scythe() -> str:
    try:
        return version("scythe")
    except PackageNotFoundError:  # run from a source tree
        return "unknown"
