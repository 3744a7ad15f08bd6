"""Check an archive for damage: the database, hashes and references between rows."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection, Select, Subquery, Table, func, or_, select, text

from scythe.archive.archive import Archive, sound
from scythe.archive.bodies import read_body
from scythe.archive.observations import unreadable_lists
from scythe.archive.open import missing_indexes
from scythe.archive.schema import (
    BODIES,
    CHECKED,
    EXTRACTIONS,
    LISTS,
    LOOKS,
    PAGES,
    RECORDS,
    URLS,
    VERSIONS,
    WATCHES,
    digest,
    digest_text,
    is_as_stored,
)
from scythe.errors import ArchiveFailed

MOST = 100  # complaints listed; more would say no more
_TEXTS = EXTRACTIONS.alias("texts")


def verify_archive(archive: Archive) -> list[str]:
    """Read the whole archive and list what is wrong with it, MOST things at most; an empty list is a sound archive.

    Found are: damage to the file's structure, rows that lack what belongs to them, lists that differ from their
    journal; extractions, records and kept responses that differ from their hash. Not found is damage inside a value
    without one: an address, a time, most counts.
    """
    complaints: list[str] = []
    try:
        with sound(archive.where), archive.reading() as connection:
            for complaint in _complaints(archive, connection):
                complaints.append(complaint)
                if len(complaints) == MOST:
                    break
    except ArchiveFailed as error:  # damage that ends the reading is a complaint too
        complaints.append(str(error))
    return complaints


def _complaints(archive: Archive, connection: Connection) -> Iterator[str]:
    if archive.is_sqlite:
        for (line,) in connection.execute(text(f"PRAGMA integrity_check({MOST})")):
            if line != "ok":
                yield f"{archive.where}: {line}"
        for row in connection.execute(text("PRAGMA foreign_key_check")):
            yield f"{archive.where}: row {row[1]} of {row[0]} points to a row of {row[2]} that is not there"
    for index in missing_indexes(connection):
        yield f"{archive.where}: the index {index.name} is missing; opening the archive with write access creates it"
    for what, query in _GAPS:
        for (number,) in connection.execute(query.limit(MOST)):
            yield f"{archive.where}: {what.format(number)}"
    yield from _texts(archive, connection)
    for table in (EXTRACTIONS, RECORDS):
        yield from _sums(archive, connection, table)
    yield from _bodies(archive, connection)
    for listed in unreadable_lists(connection):
        yield f"{archive.where}: list {listed} cannot be read"


def _texts(archive: Archive, connection: Connection) -> Iterator[str]:
    query = (
        select(PAGES.c.id, PAGES.c.text_hash, func.coalesce(EXTRACTIONS.c.text, _TEXTS.c.text))
        .join(EXTRACTIONS, EXTRACTIONS.c.version == PAGES.c.version)
        .outerjoin(_TEXTS, _TEXTS.c.version == EXTRACTIONS.c.text_of)
        .where(PAGES.c.text_hash.is_not(None))
    )
    for page, text_hash, said in connection.execution_options(yield_per=100).execute(query):
        if said is None or digest_text(said) != bytes(text_hash):
            yield f"{archive.where}: the text of page {page} is not the one that was stored"


def _sums(archive: Archive, connection: Connection, table: Table) -> Iterator[str]:
    number = table.primary_key.columns[0]
    query = select(number.label("number"), table.c.checksum, *(table.c[name] for name in CHECKED[table.name]))
    for row in connection.execution_options(yield_per=100).execute(query):
        if not is_as_stored(table, row):
            yield f"{archive.where}: row {row.number} of {table.name} is not the one that was stored"


def _bodies(archive: Archive, connection: Connection) -> Iterator[str]:
    for row in connection.execution_options(yield_per=20).execute(select(BODIES)):
        why = f"the kept response {bytes(row.hash).hex()} is not the one that was stored"
        try:
            is_right = digest(read_body(archive, connection, row)) == bytes(row.hash)
        except ArchiveFailed as error:
            is_right = False
            if row.store is not None:
                why = str(error)
        if not is_right:
            yield f"{archive.where}: {why}"


def _journal() -> Subquery:
    looks = select(LOOKS.c.list, func.count(LOOKS.c.shown).label("looks"))
    looks = looks.add_columns(func.sum(LOOKS.c.new).label("records"), func.sum(LOOKS.c.lost).label("lost"))
    return looks.group_by(LOOKS.c.list).subquery()


_LOOKED = _journal()
_VERSIONS_OF_PAGE = select(func.count()).where(VERSIONS.c.page == PAGES.c.id).scalar_subquery()
_WATCHED = select(WATCHES.c.id).join(URLS, URLS.c.id == WATCHES.c.id)
_GAPS: tuple[tuple[str, Select[tuple[int]]], ...] = (
    (
        "version {} has no extraction",
        select(VERSIONS.c.id)
        .outerjoin(EXTRACTIONS, EXTRACTIONS.c.version == VERSIONS.c.id)
        .where(EXTRACTIONS.c.version.is_(None)),
    ),
    (
        "the extraction of version {} has no text",
        select(EXTRACTIONS.c.version)
        .outerjoin(_TEXTS, _TEXTS.c.version == EXTRACTIONS.c.text_of)
        .where(EXTRACTIONS.c.text.is_(None), _TEXTS.c.text.is_(None)),
    ),
    (
        "page {} has no version",
        select(PAGES.c.id)
        .outerjoin(VERSIONS, VERSIONS.c.id == PAGES.c.version)
        .where(VERSIONS.c.page.is_(None) | (VERSIONS.c.page != PAGES.c.id)),
    ),
    ("page {} has not the versions it counts", select(PAGES.c.id).where(PAGES.c.versions != _VERSIONS_OF_PAGE)),
    ("watch {} is of an address that is no list", _WATCHED.where(URLS.c.kind != "list")),
    (
        "watch {} is ended and waits for a visit",
        _WATCHED.where(WATCHES.c.ended_at.is_not(None), URLS.c.due_at.is_not(None)),
    ),
    (
        "list {} has not the looks it counts",
        select(LISTS.c.id)
        .outerjoin(_LOOKED, _LOOKED.c.list == LISTS.c.id)
        .where(or_(*(LISTS.c[n] != func.coalesce(_LOOKED.c[n], 0) for n in ("looks", "records", "lost")))),
    ),
)
