"""An open archive: the transactions of its database, and errors that say what they mean for the archive.

What it holds is read and changed by the functions of the modules beside, which take an archive first. Those marked
`reads` or `writes` take a connection in its place, too: then they are part of the caller's transaction.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from datetime import datetime
from functools import cache, lru_cache, wraps
from inspect import isgeneratorfunction
from itertools import islice
from time import monotonic, sleep, time
from types import NoneType, TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar, get_args, get_type_hints

from sqlalchemy import (
    ColumnElement,
    Connection,
    Delete,
    Dialect,
    Engine,
    Insert,
    Select,
    Table,
    Update,
    event,
    func,
    literal,
    select,
    text,
    tuple_,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.sqlite.base import SQLiteCompiler
from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError

from scythe.archive.dictionaries import PageDictionaries
from scythe.archive.schema import moment
from scythe.archive.stores import Stores
from scythe.errors import ArchiveFailed

BUSY_S = 60  # wait so long for another process that writes
CACHE_KB = 8_000  # of each connection; with 64 MB, storing the 300 000th record took as long, and hours filled it
JOURNAL_PAGES = 4_000  # of 4 KB, written before they are folded into the file
LOCKS = 0x5C17  # our class of advisory locks in PostgreSQL
IN_ONE_QUERY = 500  # values looked up at once; SQLite takes 32 766 in one query, some rows need five (before 3.32: 999)
_BATCH = 1_000  # rows read at a time
_RETRY_S = 0.05
_CLOCK_LOOKS = 5  # at most, at the clock of the database
_QUICK_S = 0.2  # which is wrong by half of that at most
_RESTORE = "restore it from a copy, or export what can still be read"
_GONE = "nothing more is stored; put it back where it was and run it again to resume"
_DAMAGED = ("malformed", "not a database", "corrupt")
P = ParamSpec("P")
R = TypeVar("R")
Value = TypeVar("Value")


class _NamesIndexes(SQLiteCompiler):
    """Writes `INDEXED BY` where a query names its index; SQLite chooses without knowing how many rows each has."""

    def get_from_hint_text(self, table: Any, text: str | None) -> str | None:
        return text


class Archive:
    """An open archive; `open_archive` makes one. Use it from one thread at a time, close it at the end."""

    def __init__(self, engine: Engine, where: str, stores: Stores | None = None) -> None:
        self.engine = engine
        self.where = where  # without a password
        self.stores = stores or Stores()
        self.dictionaries = PageDictionaries()
        self.is_sqlite = engine.dialect.name == "sqlite"
        self._pause_s = 0.0  # no limit
        self._damaged: dict[str, None] | None = None  # what was passed over; None: nothing is
        self._lock = threading.RLock()
        self._file: tuple[int, int] | None = None  # the one that was opened, of a database in a file
        self._writer = engine.execution_options(begin="BEGIN IMMEDIATE")
        if self.is_sqlite:
            engine.dialect.statement_compiler = _NamesIndexes
            event.listen(engine, "connect", _set_up_sqlite)
            event.listen(engine, "connect", self._note_file)
            event.listen(engine, "begin", _begin_sqlite)
        else:
            event.listen(engine, "connect", self._set_up_postgres)

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a transaction that sees the archive as it is now and changes nothing."""
        with telling(self.where, "read"), self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self, *sites: int) -> Iterator[Connection]:
        """Open a transaction that is stored whole or not at all; of one site, one at a time in all processes.

        PostgreSQL would let two writers of a site meet in the middle: the locks, taken in order, make them queue.
        """
        with self._lock, telling(self.where, "written"), self._writer.begin() as connection:
            if not self.is_sqlite:
                for site in sorted(set(sites)):
                    connection.execute(select(func.pg_advisory_xact_lock(LOCKS, site % 2**31)))
            yield connection
            if self._file != self._named_file():  # what is written to a file without a name is lost with the process
                raise ArchiveFailed(f"{self.where}: the archive was removed or replaced while it was open; {_GONE}")

    @contextmanager
    def passing_over_damage(self) -> Iterator[Collection[str]]:
        """Have readers leave out what is not what was stored, which otherwise ends them; gives what it was."""
        before, self._damaged = self._damaged, {}
        try:
            yield self._damaged.keys()
        finally:
            self._damaged = before

    def pass_over(self, damaged: str) -> None:
        """Say what is damaged. Raises ArchiveFailed where nobody said that it may be left out."""
        if self._damaged is None:
            raise ArchiveFailed(f"{self.where}: {damaged}: {_RESTORE}")
        self._damaged[damaged] = None

    def _note_file(self, _connection: Any, _record: Any) -> None:
        self._file = self._file or self._named_file()

    def _named_file(self) -> tuple[int, int] | None:
        """Return which file has the name of the database now; None: none has, or it is in no file that is written."""
        if not self.is_sqlite:
            return None
        try:
            found = os.stat(self.engine.url.database or "")
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def set_up(self) -> None:
        """Make a new SQLite file one whose readers and writer do not wait for each other; the file remembers."""
        if self.is_sqlite:
            with telling(self.where, "written"):
                until = monotonic() + BUSY_S
                while not self._keeps_journal(until):
                    sleep(_RETRY_S)

    def _keeps_journal(self, until: float) -> bool:
        """Say whether the file has its journal beside it now; SQLite waits for no other process here, so we do."""
        plain = self.engine.execution_options(begin="")  # it cannot be said inside a transaction
        try:
            with plain.connect() as connection:
                connection.exec_driver_sql("PRAGMA journal_mode = WAL")
        except OperationalError as error:
            if "locked" in str(error.orig) and monotonic() < until:
                return False
            raise
        return True

    def beside(self) -> Archive:
        """Return another way to the same database, with a lock of its own: who takes it waits for no writer here."""
        other = copy(self)
        other._lock = threading.RLock()
        return other

    def limit_pauses(self, seconds: float) -> None:
        """Have PostgreSQL end a transaction of ours that stands still for so long, and free what it locked.

        A process that was stopped, or whose machine is gone, would keep others from its sites.
        """
        self._pause_s = seconds
        if not self.is_sqlite:
            self.engine.dispose()

    def _set_up_postgres(self, connection: Any, _record: Any) -> None:
        connection.execute(f"SET lock_timeout = '{BUSY_S}s'")
        connection.execute(f"SET idle_in_transaction_session_timeout = {round(self._pause_s * 1000)}")
        # Plans are kept, and one made while a table was small reads it all when it is large. Every look-up has an
        # index. (To plan each time instead took 1.6 times as long.)
        connection.execute("SET enable_seqscan = off")
        # A plan that has to read a whole table counts as so dear then that it would be compiled: 0.7 s of processor
        # time instead of 0.02 s to verify a small archive.
        connection.execute("SET jit = off")
        connection.commit()

    def take_ids(self, connection: Connection, table: Table, count: int) -> Sequence[int]:
        """Return `count` numbers for new rows of a table with a column `id`, inside a writing transaction."""
        if not count:
            return ()
        if self.is_sqlite:  # no other writer can be at work
            last = connection.execute(select(func.max(table.c.id))).scalar() or 0
            return range(last + 1, last + 1 + count)
        numbers = text(f"SELECT nextval('{table.name}_id_seq') FROM generate_series(1, :count)")  # noqa: S608  (ours)
        return list(connection.execute(numbers, {"count": count}).scalars())

    def clock_ahead_s(self) -> float:
        """Return by how many seconds the clock of the database's machine is ahead of this one's; of a file, 0.

        Where looking took long, as in a process that was stopped meanwhile, the answer may be wrong by as much: then
        it is looked again.
        """
        if self.is_sqlite:
            return 0.0
        with self.reading() as connection:
            connection.execute(select(1))  # the connection is made before the time is taken
            took_s, ahead_s = _look_at_clock(connection)
            for _ in range(_CLOCK_LOOKS):
                if took_s <= _QUICK_S:
                    break
                took_s, ahead_s = min((took_s, ahead_s), _look_at_clock(connection))
            return ahead_s

    def close(self) -> None:
        """Let go of every connection and every store; closing twice is fine."""
        self.engine.dispose()
        self.stores.close()


def _look_at_clock(connection: Connection) -> tuple[float, float]:
    """Return how long it took to look, and by how much the clock of the database is ahead of ours."""
    before = time()
    theirs = float(connection.execute(select(func.extract("epoch", func.clock_timestamp()))).scalar_one())
    after = time()
    return abs(after - before), theirs - (before + after) / 2


def reads(work: Callable[Concatenate[Connection, P], R]) -> Callable[Concatenate[Archive | Connection, P], R]:
    """Let a function of a connection take an archive: it then reads in a transaction of its own."""

    @wraps(work)
    def read(archive: Archive | Connection, /, *given: P.args, **named: P.kwargs) -> R:
        if isinstance(archive, Connection):
            return work(archive, *given, **named)
        with sound(archive.where), archive.reading() as connection:
            return work(connection, *given, **named)

    return read


def writes(work: Callable[Concatenate[Connection, P], R]) -> Callable[Concatenate[Archive | Connection, P], R]:
    """Let a function of a connection take an archive: it then writes in a transaction of its own."""

    @wraps(work)
    def write(archive: Archive | Connection, /, *given: P.args, **named: P.kwargs) -> R:
        if isinstance(archive, Connection):
            return work(archive, *given, **named)
        with archive.writing() as connection:
            return work(connection, *given, **named)

    return write


def writes_site(
    work: Callable[Concatenate[Connection, int, P], R],
) -> Callable[Concatenate[Archive | Connection, int, P], R]:
    """The same for a function that writes about one site, which comes next: writers of a site queue."""

    @wraps(work)
    def write(archive: Archive | Connection, site: int, /, *given: P.args, **named: P.kwargs) -> R:
        if isinstance(archive, Connection):
            return work(archive, site, *given, **named)
        with archive.writing(site) as connection:
            return work(connection, site, *given, **named)

    return write


def soundly(work: Callable[Concatenate[Archive, P], R]) -> Callable[Concatenate[Archive, P], R]:
    """Have a function of an archive, or what it yields, say what damaged values are."""
    if isgeneratorfunction(work):

        @wraps(work)
        def each(archive: Archive, /, *given: P.args, **named: P.kwargs) -> Any:
            with sound(archive.where):
                yield from work(archive, *given, **named)

        return each

    @wraps(work)
    def one(archive: Archive, /, *given: P.args, **named: P.kwargs) -> R:
        with sound(archive.where):
            return work(archive, *given, **named)

    return one


def write_rows(connection: Connection, statement: Insert | Update | Delete, rows: Sequence[dict[str, Any]]) -> None:
    """Run a statement, one that is made once and kept, for each of many rows with the same names.

    The driver gets the rows without a detour: SQLAlchemy looks at each value again, which takes longer than storing it.
    """
    if not rows:
        return
    written, places, fixed = _written(statement, connection.dialect, tuple(rows[0]))
    if fixed:
        rows = [row | fixed for row in rows]
    if places is None:
        connection.exec_driver_sql(written, list(rows))
    else:
        connection.exec_driver_sql(written, [tuple([row[place] for place in places]) for row in rows])


@lru_cache(maxsize=256)
def _written(
    statement: Insert | Update | Delete, dialect: Dialect, names: tuple[str, ...]
) -> tuple[str, tuple[str, ...] | None, dict[str, Any]]:
    """Return a statement in a dialect's words, the order of its values where they have no names, and its own values."""
    compiled: Any = statement.compile(dialect=dialect, column_keys=list(names))
    fixed = {name: value for name, value in compiled.params.items() if name not in names}
    return str(compiled), tuple(compiled.positiontup) if compiled.positiontup else None, fixed


def insert_new(connection: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    """Insert the rows whose keys are not there yet; give them in the order of their keys, or two writers may block."""
    write_rows(connection, upsert(connection, table), rows)


def upsert(connection: Connection, table: Table, keys: tuple[str, ...] = (), changed: tuple[str, ...] = ()) -> Insert:
    """Return the statement that inserts a row, or gives the one with the same keys these values anew, or none."""
    return _insert_or_change(connection.dialect.name, table, keys, changed)


@cache
def _insert_or_change(dialect: str, table: Table, keys: tuple[str, ...], changed: tuple[str, ...]) -> Insert:
    new: Any = (sqlite if dialect == "sqlite" else postgresql).insert(table)
    values = {name: new.excluded[name] for name in changed}
    inserting: Insert = (
        new.on_conflict_do_update(index_elements=keys, set_=values) if values else new.on_conflict_do_nothing()
    )
    return inserting


def _texts(written: str) -> tuple[str, ...]:
    return tuple(str(one) for one in json.loads(written)) if written != "[]" else ()


_READ: dict[Any, Callable[[Any], object]] = {datetime: moment, bool: bool, bytes: bytes, tuple[str, ...]: _texts}


def from_row(kind: Callable[..., R], row: Any, **given: object) -> R:
    """Return a record of a row that has its fields under the same names, but for those given.

    Times, flags, bytes and lists of texts are read as the fields are annotated. Raises where a value cannot be that.
    """
    for name, read, is_optional in _fields(kind):
        if name not in given:
            value = getattr(row, name)
            given[name] = value if read is None or (is_optional and value is None) else read(value)
    return kind(**given)


@cache
def _fields(kind: type) -> tuple[tuple[str, Callable[[Any], object] | None, bool], ...]:
    """Return the fields of a record: name, how a value is read, and whether there may be none."""
    found = []
    for name, hint in get_type_hints(kind).items():
        kinds = [one for one in get_args(hint) if one is not NoneType]
        is_optional = NoneType in get_args(hint)
        found.append((name, _READ.get(kinds[0] if is_optional else hint), is_optional))
    return tuple(found)


def walk(archive: Archive, query: Select[Any], *place: ColumnElement[Any]) -> Iterator[Any]:
    """Yield the rows of a query in the order of columns that it has, some at a time, each time in a transaction."""
    query = query.order_by(*place).limit(_BATCH)
    after = [-1] * len(place)
    while True:
        with archive.reading() as connection:
            rows = connection.execute(query.where(tuple_(*place) > tuple_(*map(literal, after)))).all()
        yield from rows
        if len(rows) < _BATCH:
            return
        after = [getattr(rows[-1], column.key or "") for column in place]


def by_site(wanted: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, list[bytes]]]:
    """Yield what is wanted of each site, as much at a time as one query takes."""
    ours: dict[int, list[bytes]] = {}
    for site, key in wanted:
        ours.setdefault(site, []).append(key)
    for site, keys in ours.items():
        yield from ((site, some) for some in in_parts(keys))


def in_parts(values: Iterable[Value], most: int = IN_ONE_QUERY) -> Iterator[list[Value]]:
    """Yield all values, so many at a time: as one query takes."""
    left = iter(values)
    while some := list(islice(left, most)):
        yield some


@contextmanager
def sound(where: str) -> Iterator[None]:
    """Turn what damaged values raise when they are made use of into ArchiveFailed; the database cannot see them."""
    try:
        yield
    except (ValueError, TypeError, AttributeError, OverflowError, LookupError, OSError) as error:
        raise ArchiveFailed(f"{where}: a stored value is damaged ({error}): {_RESTORE}") from error


@contextmanager
def telling(where: str, what: str) -> Iterator[None]:
    """Turn what a database driver raises into ArchiveFailed."""
    try:
        yield
    except (SQLAlchemyError, UnicodeDecodeError) as error:  # sqlite3 decodes even messages that quote damaged bytes
        raise ArchiveFailed(explain(where, what, error)) from error


def is_away(archive: Archive, error: ArchiveFailed) -> bool:
    """Say whether the server of an archive could not be reached, or let go of us, and may be back soon."""
    return not archive.is_sqlite and isinstance(error.__cause__, OperationalError)


def explain(where: str, what: str, error: Exception) -> str:
    """Say what happened, where, and what became of the archive; never with the values that were being stored."""
    reason = str(error.orig) if isinstance(error, DBAPIError) else type(error).__name__
    reason = " ".join(reason.split())
    if "unable to open" in reason or (what == "read" and "readonly" in reason):
        fate = "reading needs the right to write to its folder too, and some more files open; nothing was changed"
    elif isinstance(error, UnicodeDecodeError) or any(word in reason for word in _DAMAGED):
        fate = f"the file is damaged: {_RESTORE}"
    elif "locked" in reason or "lock timeout" in reason:
        fate = f"another process has been writing for over {BUSY_S} s; the archive is whole, run it again to resume"
    else:
        fate = "nothing of this batch was stored, what was stored before is whole; run it again to resume"
    return f"{where}: the archive could not be {what} ({reason}); {fate}"


def _set_up_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # we say ourselves where a transaction begins
    for pragma in (
        f"busy_timeout = {BUSY_S * 1000}",
        "foreign_keys = ON",
        "trusted_schema = OFF",  # the file may be a stranger's: its views and triggers call nothing that could do harm
        # A commit is on the disk before it is acknowledged: what a hook or a feed was told of, or a user was shown,
        # must not vanish with the power. NORMAL syncs only when the journal is folded in.
        "synchronous = FULL",
        f"cache_size = -{CACHE_KB}",
        f"wal_autocheckpoint = {JOURNAL_PAGES}",
        "temp_store = MEMORY",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    """Ask for the right to write at once: to ask when a first row is written could fail after something was read."""
    begin = connection.get_execution_options().get("begin", "BEGIN")
    if begin:
        connection.exec_driver_sql(begin)
