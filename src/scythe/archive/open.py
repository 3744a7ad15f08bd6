"""Open an archive by path or PostgreSQL address."""

from __future__ import annotations

import logging
import os
import re
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import URL, Engine, create_engine, make_url
from sqlalchemy.exc import ArgumentError

from scythe.archive.archive import Archive
from scythe.archive.migrations import make_indexes, missing_indexes, needs_work, prepare
from scythe.archive.stores import Stores
from scythe.errors import ArchiveFailed, BadInput, MissingExtra

_SCHEME = re.compile(r"[a-z][a-z0-9+]*://", re.IGNORECASE)
_POSTGRES = ("postgresql", "postgres", "postgresql+psycopg")


def open_archive(where: str | Path, *, create: bool = True, store: str = "") -> Archive:
    """Open the archive in an SQLite file or, by `postgresql://` address, in PostgreSQL; make it where there is none.

    Bodies that are kept from now on go into `store`, such as "folder:bodies"; else into the archive. Raises
    ArchiveFailed where there is no archive to open, or one of a newer version, BadInput for a store that nobody has.
    """
    home = None
    if isinstance(where, str) and _SCHEME.match(where):
        engine, said = _postgres(where)
    else:
        home = Path(where).absolute().parent
        try:
            engine, said = _sqlite(Path(where), create=create)
        except OSError as error:
            raise ArchiveFailed(f"{where}: the archive cannot be opened ({error.strerror})") from error
    archive = Archive(engine, said, Stores(store, home))
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
        raise BadInput("an archive is a file, or postgresql://USER@HOST/DATABASE") from None
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
        raise BadInput("an archive is a file, or postgresql://USER@HOST/DATABASE") from None


def _without_password(url: URL) -> str:
    bare = url.set(drivername="postgresql").difference_update_query(("password", "sslpassword"))
    return bare.render_as_string(hide_password=True)
