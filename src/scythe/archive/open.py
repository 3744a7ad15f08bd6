"""Open an archive by path or PostgreSQL address: make its tables, migrate older ones, or refuse newer ones."""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, Index, create_engine, func, inspect, make_url, select, text, update
from sqlalchemy.exc import ArgumentError

from scythe.archive.archive import LOCKS, Archive
from scythe.archive.schema import ARCHIVE, TABLES
from scythe.archive.stores import Stores
from scythe.errors import ArchiveFailed, BadInput, MissingExtra, ScytheError
from scythe.version import version


def _let_workers_hold_assignments(connection: Connection) -> None:
    """Keep who works on what was handed over with it; what is open is due at once."""
    real = "DOUBLE" if connection.dialect.name == "sqlite" else "DOUBLE PRECISION"
    connection.execute(text("ALTER TABLE assignments ADD COLUMN owner TEXT"))
    connection.execute(text(f"ALTER TABLE assignments ADD COLUMN due_at {real} DEFAULT '0' NOT NULL"))
    connection.execute(text("ALTER TABLE workers DROP COLUMN number"))


def _let_jobs_follow_assignments(connection: Connection) -> None:
    """Leave it to jobs who works on what; workers have the number again by which the job engine knows them."""
    connection.execute(text("ALTER TABLE assignments DROP COLUMN owner"))
    connection.execute(text("ALTER TABLE assignments DROP COLUMN due_at"))
    connection.execute(text("ALTER TABLE workers ADD COLUMN number BIGINT"))


# Each makes the next version out of the one before, from FIRST_VERSION on, inside the transaction that opens the
# archive. Append only: archives of every version since are out there. tests/archive/version_8.sql keeps an old one.
MIGRATIONS: tuple[Callable[[Connection], None], ...] = (
    _let_workers_hold_assignments,
    _let_jobs_follow_assignments,
)
FIRST_VERSION = 8  # older ones were never part of a release


def newest_version() -> int:
    """Return the version of the tables in schema.py."""
    return FIRST_VERSION + len(MIGRATIONS)


def needs_work(connection: Connection, where: str, *, create: bool) -> bool:
    """Say whether tables are to be made or changed; raise ArchiveFailed where this is no archive, or a newer one."""
    tables = set(inspect(connection).get_table_names())
    if ARCHIVE.name in tables:
        return _version(connection, where) < newest_version()
    ours = tables if connection.dialect.name == "sqlite" else tables & set(TABLES.tables)
    if ours:
        raise ArchiveFailed(f"{where}: this is a archive, but no scythe archive (it has a table {min(ours)!r})")
    if not create:
        raise ArchiveFailed(f"{where}: this database is empty, there is no archive in it")
    return True


def prepare(connection: Connection, where: str, *, create: bool) -> None:
    """Make the tables, or bring them up to date, inside a writing transaction.

    Two processes may open a new archive at once: the second waits, then finds the tables of the first.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(LOCKS, 0)))
    if not needs_work(connection, where, create=create):
        return None
    if inspect(connection).has_table(ARCHIVE.name):
        return _migrate(connection, where)
    TABLES.create_all(connection)
    made = {"id": 1, "version": newest_version(), "made_at": time.time(), "made_by": version()}
    connection.execute(ARCHIVE.insert(), made)
    return None


def missing_indexes(connection: Connection) -> list[Index]:
    """Return the indexes that today's tables should have and that are not there, since somebody dropped them."""
    if connection.dialect.name == "sqlite":
        query = "SELECT name FROM sqlite_master WHERE type = 'index'"
    else:
        query = "SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()"
    there = set(connection.execute(text(query)).scalars())
    wanted = {str(index.name): index for table in TABLES.tables.values() for index in table.indexes}
    return [index for name, index in sorted(wanted.items()) if name not in there]


def make_indexes(connection: Connection) -> None:
    """Make the indexes that are missing, inside a writing transaction; of two processes, one does."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(LOCKS, 0)))
    for index in missing_indexes(connection):
        index.create(connection)


def _migrate(connection: Connection, where: str) -> None:
    for number in range(_version(connection, where), newest_version()):
        MIGRATIONS[number - FIRST_VERSION](connection)
        connection.execute(update(ARCHIVE).values(version=number + 1))


def _version(connection: Connection, where: str) -> int:
    found = connection.execute(select(ARCHIVE.c.version)).scalar()
    if found is None:
        raise ArchiveFailed(f"{where}: the archive does not say which version it is")
    if found < FIRST_VERSION:
        raise ArchiveFailed(
            f"{where}: the archive was made before the first release of scythe (its version is {found}, this one reads "
            f"{FIRST_VERSION} to {newest_version()}): crawl into a new one"
        )
    if found > newest_version():
        raise ArchiveFailed(
            f"{where}: the archive was written by a newer scythe (its version is {found}, this one reads up to "
            f"{newest_version()}): update scythe to open it"
        )
    return int(found)


_SCHEME = re.compile(r"[a-z][a-z0-9+]*://", re.IGNORECASE)
_POSTGRES = ("postgresql", "postgres", "postgresql+psycopg")


def open_archive(where: str | Path, *, create: bool = True, store: str = "") -> Archive:
    """Open the archive in an SQLite file or, by `postgresql://` address, in PostgreSQL; make it where there is none.

    Bodies that are kept from now on go into `store`, such as "folder:bodies"; else into the archive. Raises
    ArchiveFailed where there is no archive to open, or one of a newer version, BadInput for a store that nobody has.
    """
    in_file = not (isinstance(where, str) and _SCHEME.match(where))
    stores = Stores(store, Path(where).absolute().parent if in_file else None)  # one that is refused leaves no file
    try:
        engine, said = _sqlite(Path(where), create=create) if in_file else _postgres(str(where))
    except OSError as error:
        stores.close()
        raise ArchiveFailed(f"{where}: the archive cannot be opened ({error.strerror})") from error
    except ScytheError:
        stores.close()
        raise
    archive = Archive(engine, said, stores)
    try:
        _make_ready(archive, create=create)
    except BaseException:
        archive.close()
        raise
    return archive


def _make_ready(archive: Archive, *, create: bool) -> None:
    """Make or update tables where that is needed; who only reads needs no right to write."""
    with archive.reading() as connection:
        is_ready = not needs_work(connection, archive.where, create=create)
        if is_ready and not missing_indexes(connection):
            return
    if is_ready:
        # Who may not write goes on without: most queries only take longer, and one that does not work says why.
        with suppress(ArchiveFailed), archive.writing() as connection:
            make_indexes(connection)
        return
    archive.set_up()
    with archive.writing() as connection:
        prepare(connection, archive.where, create=create)


def _sqlite(path: Path, *, create: bool) -> tuple[Engine, str]:
    if path.is_dir():
        raise ArchiveFailed(f"{path}: this is a folder; an archive is a file")
    if not path.exists():
        if not create:
            raise ArchiveFailed(f"{path}: there is no archive")
        if not path.parent.is_dir():
            raise ArchiveFailed(f"{path}: there is no folder {path.parent}")
        path.touch(mode=0o600)  # and so are the files that SQLite puts beside it
    elif not path.is_file():
        raise ArchiveFailed(f"{path}: this is a pipe, a socket or a device; an archive is a file")
    elif not os.access(path, os.R_OK):
        raise ArchiveFailed(f"{path}: this file may not be read")
    name, query = os.fspath(path.absolute()), {}
    if path.exists() and _is_frozen(path):
        name, query = f"file:{quote(os.fsencode(name))}", {"uri": "true", "immutable": "1"}
    url = URL.create("sqlite", database=name, query=query)
    return create_engine(url, connect_args={"check_same_thread": False}), str(path)


def _is_frozen(path: Path) -> bool:
    """Say whether its disk lets nobody change a file: then, and only then, it can be read without files beside it."""
    if os.name != "posix" or not os.statvfs(path).f_flag & os.ST_RDONLY:
        return False
    file = path.resolve()  # journals stand beside the file itself, not beside a link to it
    journals = (file.with_name(f"{file.name}{end}") for end in ("-wal", "-journal"))
    return not any(journal.exists() and journal.stat().st_size for journal in journals)


def _postgres(where: str) -> tuple[Engine, str]:
    try:
        url = make_url(where)
    except (ArgumentError, ValueError):  # a port that is no number
        raise BadInput("an archive is a file, or postgresql://HOST/DATABASE") from None
    if url.drivername not in _POSTGRES:
        raise BadInput(f"an archive is a file or a postgresql:// address, not {url.drivername}://")
    if find_spec("psycopg") is None:
        raise MissingExtra("archives in PostgreSQL need psycopg: pip install 'webscythe[postgres]'")
    # where a connection was lost the driver says so by itself, in words of its own; our error says it
    logging.getLogger("psycopg").addHandler(logging.NullHandler())
    url = url.set(drivername="postgresql+psycopg")
    engine = create_engine(url, pool_pre_ping=True, connect_args={"connect_timeout": 10})
    return engine, _without_password(url)


def name_archive(where: str) -> str:
    """Write where an archive is for people to see: without a password. Raises BadInput where it is no address."""
    if not _SCHEME.match(where):
        return where
    try:
        return _without_password(make_url(where))
    except (ArgumentError, ValueError):
        raise BadInput("an archive is a file, or postgresql://HOST/DATABASE") from None


def _without_password(url: URL) -> str:
    bare = url.set(drivername="postgresql").difference_update_query(("password", "sslpassword"))
    return bare.render_as_string(hide_password=True)
