"""Check an archive for damage: the database, hashes and references between rows."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection, Select, Table, func, or_, select, text

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


def _lacks_extraction() -> Select[tuple[int]]:
    query = select(VERSIONS.c.id).outerjoin(EXTRACTIONS, EXTRACTIONS.c.version == VERSIONS.c.id)
    return query.where(EXTRACTIONS.c.version.is_(None))


def _lacks_text() -> Select[tuple[int]]:
    query = select(EXTRACTIONS.c.version).outerjoin(_TEXTS, _TEXTS.c.version == EXTRACTIONS.c.text_of)
    return query.where(EXTRACTIONS.c.text.is_(None), _TEXTS.c.text.is_(None))


def _lacks_version() -> Select[tuple[int]]:
    query = select(PAGES.c.id).outerjoin(VERSIONS, VERSIONS.c.id == PAGES.c.version)
    return query.where((VERSIONS.c.page.is_(None)) | (VERSIONS.c.page != PAGES.c.id))


def _miscounts() -> Select[tuple[int]]:
    counted = select(func.count()).where(VERSIONS.c.page == PAGES.c.id).scalar_subquery()
    return select(PAGES.c.id).where(PAGES.c.versions != counted)


def _strange_watches() -> Select[tuple[int]]:
    return select(WATCHES.c.id).join(URLS, URLS.c.id == WATCHES.c.id).where(URLS.c.kind != "list")


def _restless_watches() -> Select[tuple[int]]:
    query = select(WATCHES.c.id).join(URLS, URLS.c.id == WATCHES.c.id)
    return query.where(WATCHES.c.ended_at.is_not(None), URLS.c.due_at.is_not(None))


def _miscounted_looks() -> Select[tuple[int]]:
    journal = (
        select(LOOKS.c.list, func.count(LOOKS.c.shown).label("looks"))
        .add_columns(func.sum(LOOKS.c.new).label("records"), func.sum(LOOKS.c.lost).label("lost"))
        .group_by(LOOKS.c.list)
        .subquery()
    )
    names = ("looks", "records", "lost")
    differs = [LISTS.c[name] != func.coalesce(journal.c[name], 0) for name in names]
    return select(LISTS.c.id).outerjoin(journal, journal.c.list == LISTS.c.id).where(or_(*differs))


_GAPS = (
    ("version {} has no extraction", _lacks_extraction()),
    ("the extraction of version {} has no text", _lacks_text()),
    ("page {} has no version", _lacks_version()),
    ("page {} has not the versions it counts", _miscounts()),
    ("watch {} is of an address that is no list", _strange_watches()),
    ("watch {} is ended and waits for a visit", _restless_watches()),
    ("list {} has not the looks it counts", _miscounted_looks()),
)
