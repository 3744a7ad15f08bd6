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

_PLAIN_NAMES = """
DROP INDEX urls_waiting;
DROP INDEX urls_watched;
DROP INDEX requests_waiting;
DROP INDEX looks_region;
ALTER TABLE lanes RENAME TO hosts;
ALTER TABLE site_lanes RENAME TO site_hosts;
ALTER TABLE site_hosts RENAME COLUMN lane TO host;
ALTER TABLE urls RENAME COLUMN lane TO host;
ALTER TABLE requests RENAME COLUMN lane TO host;
ALTER TABLE regions RENAME TO lists;
ALTER TABLE looks RENAME COLUMN region TO list;
ALTER TABLE sightings RENAME COLUMN region TO list_number;
CREATE INDEX urls_waiting ON urls (site, host, rank, depth, id, due_at, kind) WHERE due_at IS NOT NULL;
CREATE INDEX urls_watched ON urls (site, host, rank, depth, id, due_at, kind)
 WHERE due_at IS NOT NULL AND kind IN ('list', 'item');
CREATE INDEX requests_waiting ON requests (crawl, host, priority DESC, id) WHERE state = 'waiting';
CREATE INDEX looks_list ON looks (list, id)
"""
_PLAIN_NAMES_OF_PARTS = """
ALTER SEQUENCE lanes_id_seq RENAME TO hosts_id_seq;
ALTER SEQUENCE regions_id_seq RENAME TO lists_id_seq;
ALTER TABLE hosts RENAME CONSTRAINT lanes_pkey TO hosts_pkey;
ALTER TABLE hosts RENAME CONSTRAINT lanes_name_key TO hosts_name_key;
ALTER TABLE site_hosts RENAME CONSTRAINT site_lanes_pkey TO site_hosts_pkey;
ALTER TABLE site_hosts RENAME CONSTRAINT site_lanes_site_fkey TO site_hosts_site_fkey;
ALTER TABLE site_hosts RENAME CONSTRAINT site_lanes_lane_fkey TO site_hosts_host_fkey;
ALTER TABLE urls RENAME CONSTRAINT urls_lane_fkey TO urls_host_fkey;
ALTER TABLE lists RENAME CONSTRAINT regions_pkey TO lists_pkey;
ALTER TABLE lists RENAME CONSTRAINT regions_watch_number_key TO lists_watch_number_key;
ALTER TABLE lists RENAME CONSTRAINT regions_watch_fkey TO lists_watch_fkey;
ALTER TABLE looks RENAME CONSTRAINT looks_region_fkey TO looks_list_fkey
"""


def _use_plain_names(connection: Connection) -> None:
    """Call hosts and lists so, as everything else does."""
    _run(connection, _PLAIN_NAMES)
    if connection.dialect.name != "sqlite":
        _run(connection, _PLAIN_NAMES_OF_PARTS)


_READING_AGAIN = """
CREATE TABLE dictionaries (id BIGINT NOT NULL, site {number} NOT NULL REFERENCES sites (id), packed {bytes} NOT NULL,
 size BIGINT NOT NULL, bodies BIGINT NOT NULL, next_try BIGINT NOT NULL, at {real} NOT NULL, PRIMARY KEY (id));
CREATE INDEX ix_dictionaries_site ON dictionaries (site);
ALTER TABLE bodies ADD COLUMN dictionary BIGINT REFERENCES dictionaries (id);
ALTER TABLE versions ADD COLUMN body {bytes} REFERENCES bodies (hash);
ALTER TABLE extractions ADD COLUMN profile INTEGER;
ALTER TABLE extractions ADD COLUMN made_by TEXT DEFAULT '' NOT NULL;
CREATE INDEX extractions_text_of ON extractions (text_of) WHERE text_of IS NOT NULL;
ALTER TABLE profiles ADD COLUMN rules {bytes};
UPDATE versions SET body = (SELECT fetches.body FROM fetches
 WHERE fetches.url = versions.page AND fetches.at = versions.at AND fetches.body IS NOT NULL LIMIT 1)
"""


def _make_room_for_pages_as_they_came(connection: Connection) -> None:
    """Keep of each version the page it was made of, packed by what pages of its site share, and by which rules."""
    _run(connection, _READING_AGAIN)


_HELD_BY_WORKERS = """
ALTER TABLE assignments ADD COLUMN owner TEXT;
ALTER TABLE assignments ADD COLUMN due_at {real} DEFAULT '0' NOT NULL;
ALTER TABLE workers DROP COLUMN number
"""


def _let_workers_hold_assignments(connection: Connection) -> None:
    """Keep who works on what was handed over with it; what is open is due at once."""
    _run(connection, _HELD_BY_WORKERS)


def _run(connection: Connection, statements: str) -> None:
    if connection.dialect.name == "sqlite":
        kinds = {"number": "INTEGER", "real": "DOUBLE", "bytes": "BLOB"}
    else:
        kinds = {"number": "BIGINT", "real": "DOUBLE PRECISION", "bytes": "BYTEA"}
    for statement in statements.format(**kinds).replace("\n", "").split(";"):
        connection.execute(text(statement))


# Each makes the next version out of the one before, from FIRST_VERSION on, inside the transaction that opens the
# archive. Append only: archives of every version since are out there. tests/archive/version_6.sql keeps an old one.
MIGRATIONS: tuple[Callable[[Connection], None], ...] = (
    _use_plain_names,
    _make_room_for_pages_as_they_came,
    _let_workers_hold_assignments,
)
FIRST_VERSION = 6  # older ones were never part of a release


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
