"""Create an archive's tables, migrate older versions, or refuse newer ones."""

from __future__ import annotations

import time
from collections.abc import Callable

from sqlalchemy import Connection, Index, func, inspect, select, text, update

from scythe.archive.archive import LOCKS
from scythe.archive.schema import ARCHIVE, TABLES
from scythe.errors import ArchiveFailed
from scythe.version import version


def _index_fetches_by_site(connection: Connection) -> None:
    """Count the fetches of one site without looking at those of all others."""
    connection.execute(text("CREATE INDEX ix_fetches_site ON fetches (site)"))


def _add_checksums(connection: Connection) -> None:
    """Make room for checksums; rows that are there already go without."""
    kind = "BLOB" if connection.dialect.name == "sqlite" else "BYTEA"
    for table in ("extractions", "records"):
        connection.execute(text(f"ALTER TABLE {table} ADD COLUMN checksum {kind}"))


def _count_waiting_by_index(connection: Connection) -> None:
    """Count what waits, and skip what is not yet due, without looking at the addresses themselves."""
    connection.execute(text("DROP INDEX urls_waiting"))
    columns = "site, lane, rank, depth, id, due_at"
    connection.execute(text(f"CREATE INDEX urls_waiting ON urls ({columns}) WHERE due_at IS NOT NULL"))


_WATCHING = """
CREATE TABLE watches (id {number} NOT NULL REFERENCES urls (id), site {number} NOT NULL REFERENCES sites (id),
 options TEXT NOT NULL, notes TEXT DEFAULT '' NOT NULL, added_at {real} NOT NULL, ended_at {real}, PRIMARY KEY (id));
CREATE TABLE regions ({own_number}, watch {number} NOT NULL REFERENCES watches (id), number INTEGER NOT NULL,
 name TEXT NOT NULL, kind TEXT NOT NULL, pattern TEXT NOT NULL, columns TEXT NOT NULL, shapes TEXT NOT NULL,
 newest TEXT NOT NULL, sticky TEXT NOT NULL, rank INTEGER NOT NULL, shown INTEGER NOT NULL, has_gap BOOLEAN NOT NULL,
 estimator TEXT NOT NULL,
 wait_s {real}, expected {real} NOT NULL, risk {real} NOT NULL, rate {real} NOT NULL, why TEXT NOT NULL,
 first_at {real} NOT NULL, seen_at {real} NOT NULL, missing INTEGER NOT NULL, looks INTEGER NOT NULL,
 records BIGINT NOT NULL, lost BIGINT NOT NULL, PRIMARY KEY (id), UNIQUE (watch, number));
CREATE TABLE looks ({own_number}, region {number} NOT NULL REFERENCES regions (id), at {real} NOT NULL,
 since_s {real}, shown INTEGER, new INTEGER NOT NULL, known INTEGER NOT NULL, recovered INTEGER NOT NULL,
 lost INTEGER NOT NULL, is_full BOOLEAN NOT NULL, has_gap BOOLEAN NOT NULL, requests INTEGER NOT NULL, wait_s {real},
 expected {real} NOT NULL, risk {real} NOT NULL, rate {real} NOT NULL, why TEXT NOT NULL, PRIMARY KEY (id));
CREATE TABLE cursors (name TEXT NOT NULL, position BIGINT NOT NULL, PRIMARY KEY (name));
ALTER TABLE records ADD COLUMN watch {number};
DROP INDEX urls_waiting;
CREATE INDEX urls_waiting ON urls (site, lane, rank, depth, id, due_at, kind) WHERE due_at IS NOT NULL;
CREATE INDEX urls_watched ON urls (site, lane, rank, depth, id, due_at, kind)
 WHERE due_at IS NOT NULL AND kind IN ('list', 'item');
CREATE INDEX records_watched ON records (id) WHERE watch IS NOT NULL;
CREATE INDEX records_of_watch ON records (watch, id) WHERE watch IS NOT NULL;
CREATE INDEX ix_watches_site ON watches (site);
CREATE INDEX looks_region ON looks (region, id)
"""


def _make_room_for_watches(connection: Connection) -> None:
    """Keep list pages that are watched, their regions and a journal beside what is crawled."""
    _run(connection, _WATCHING)


_SHARING = """
ALTER TABLE sites ADD COLUMN learner TEXT;
ALTER TABLE sites ADD COLUMN learner_until {real};
ALTER TABLE bodies ADD COLUMN store TEXT;
CREATE TABLE assignments ({own_number}, site {number} NOT NULL REFERENCES sites (id), kind TEXT NOT NULL,
 start TEXT NOT NULL, options TEXT NOT NULL, state TEXT NOT NULL, why TEXT DEFAULT '' NOT NULL,
 attempts INTEGER DEFAULT '0' NOT NULL, added_at {real} NOT NULL, began_at {real}, ended_at {real}, PRIMARY KEY (id),
 UNIQUE (site, kind));
CREATE TABLE workers (owner TEXT NOT NULL, name TEXT NOT NULL, made_by TEXT NOT NULL, began_at {real} NOT NULL,
 seen_at {real} NOT NULL, heartbeat_s {real} NOT NULL, places INTEGER NOT NULL, sites TEXT DEFAULT '[]' NOT NULL,
 number BIGINT, PRIMARY KEY (owner));
CREATE TABLE requests ({own_number}, crawl TEXT NOT NULL, key {bytes}, lane TEXT NOT NULL, url TEXT NOT NULL,
 priority INTEGER NOT NULL, request TEXT NOT NULL, state TEXT NOT NULL, owner TEXT, until {real},
 found_at {real} NOT NULL, ended_at {real}, PRIMARY KEY (id), UNIQUE (crawl, key));
CREATE INDEX requests_waiting ON requests (crawl, lane, priority DESC, id) WHERE state = 'waiting';
CREATE INDEX requests_held ON requests (owner) WHERE owner IS NOT NULL
"""


def _make_room_for_others(connection: Connection) -> None:
    """Keep what is handed over to workers, who learns a site, bodies kept elsewhere and requests of other crawlers."""
    _run(connection, _SHARING)


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


def _run(connection: Connection, statements: str) -> None:
    if connection.dialect.name == "sqlite":
        kinds = {"number": "INTEGER", "own_number": "id INTEGER NOT NULL", "real": "DOUBLE", "bytes": "BLOB"}
    else:
        kinds = {"number": "BIGINT", "own_number": "id BIGSERIAL NOT NULL", "real": "DOUBLE PRECISION"}
        kinds |= {"bytes": "BYTEA"}
    for statement in statements.format(**kinds).replace("\n", "").split(";"):
        connection.execute(text(statement))


# MIGRATIONS[n] makes version n + 2 out of version n + 1, inside the transaction that opens the archive. Append only:
# archives of every version are out there. tests/archive/version_*.sql keeps old ones.
MIGRATIONS: tuple[Callable[[Connection], None], ...] = (
    _index_fetches_by_site,
    _add_checksums,
    _count_waiting_by_index,
    _make_room_for_watches,
    _make_room_for_others,
    _use_plain_names,
    _make_room_for_pages_as_they_came,
)
FIRST_VERSION = 1


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
    if found is None or found < FIRST_VERSION:
        raise ArchiveFailed(f"{where}: the archive does not say which version it is")
    if found > newest_version():
        raise ArchiveFailed(
            f"{where}: the archive was written by a newer scythe (its version is {found}, this one reads up to "
            f"{newest_version()}): update scythe to open it"
        )
    return int(found)
