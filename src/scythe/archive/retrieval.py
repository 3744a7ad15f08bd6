"""Read pages, records and responses out of an archive, in bounded memory.

Keys and sizes are read in batches, then the contents, a few megabytes at a time; no transaction stays open while a file
is written, so a crawl can run meanwhile.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, bindparam, exists, func, or_, select

from scythe.archive.archive import Archive, from_row, in_parts, soundly, walk
from scythe.archive.bodies import PACKED, read_body
from scythe.archive.results import PageQuery, StoredPage, StoredRaw, StoredRecord
from scythe.archive.schema import (
    BODIES,
    CHECKED,
    EXTRACTIONS,
    FETCHES,
    PAGES,
    RECORDS,
    SIGHTINGS,
    SITES,
    URLS,
    VERSIONS,
    WATCHES,
    is_as_stored,
    moment,
    seconds,
)
from scythe.errors import ArchiveFailed
from scythe.model import Record, RecordList
from scythe.url import Url

_NEWER = FETCHES.alias("newer")


def select_versions(wanted: PageQuery, archive: Archive) -> Select[Any]:
    """Return the query for versions of pages: id, page, number, and the size of the body they were made of.

    Lists that are watched are left out: of those, records are kept and nothing else.
    """
    query = (
        select(VERSIONS.c.id, VERSIONS.c.page, VERSIONS.c.number, VERSIONS.c.size)
        .join_from(VERSIONS, PAGES, PAGES.c.id == VERSIONS.c.page)
        .where(PAGES.c.id.not_in(select(WATCHES.c.id)), *_bounds(wanted, VERSIONS.c.at, archive))
    )
    if wanted.sites or wanted.matches:
        query = query.join(URLS, URLS.c.id == PAGES.c.id).join(SITES, SITES.c.id == PAGES.c.site)
    if wanted.kinds:
        query = query.join(EXTRACTIONS, EXTRACTIONS.c.version == VERSIONS.c.id)
        query = query.where(_one_of(EXTRACTIONS.c.kind, wanted.kinds))
    if not wanted.all_versions:
        query = query.where(VERSIONS.c.id == PAGES.c.version)
    if not wanted.duplicates:
        query = query.where((VERSIONS if wanted.all_versions else PAGES).c.duplicate_of.is_(None))
    return query


def select_records(wanted: PageQuery, archive: Archive) -> Select[Any]:
    """Return the query for records: id, site and the address where each was seen first."""
    query = (
        select(RECORDS.c.id, SITES.c.key.label("site"), URLS.c.url.label("page"))
        .join_from(RECORDS, SITES, SITES.c.id == RECORDS.c.site)
        .join(URLS, URLS.c.id == RECORDS.c.first_page)
        .where(*_bounds(wanted, RECORDS.c.first_at, archive))
    )
    return query.where(_one_of(RECORDS.c.kind, wanted.kinds)) if wanted.kinds else query


def select_responses(wanted: PageQuery, archive: Archive) -> Select[Any]:
    """Return the query for responses that were kept: id, address, and the size of the body."""
    query = (
        select(FETCHES.c.id, URLS.c.url, BODIES.c.size)
        .join_from(FETCHES, BODIES, BODIES.c.hash == FETCHES.c.body)
        .join(URLS, URLS.c.id == FETCHES.c.url)
        .join(SITES, SITES.c.id == FETCHES.c.site)
        .where(*_bounds(wanted, FETCHES.c.at, archive))
    )
    if not wanted.all_versions:
        newer = and_(_NEWER.c.url == FETCHES.c.url, _NEWER.c.id > FETCHES.c.id, _NEWER.c.body.is_not(None))
        query = query.where(~exists().where(newer))
    if wanted.kinds:
        newest = and_(PAGES.c.id == FETCHES.c.url, EXTRACTIONS.c.version == PAGES.c.version)
        query = query.where(exists().where(newest, _one_of(EXTRACTIONS.c.kind, wanted.kinds)))
    if not wanted.duplicates:
        query = query.where(~exists().where(PAGES.c.id == FETCHES.c.url, PAGES.c.duplicate_of.is_not(None)))
    return query


def _bounds(wanted: PageQuery, at: ColumnElement[float], archive: Archive) -> Iterator[ColumnElement[bool]]:
    """Yield the conditions that all that can be read share."""
    if wanted.sites:
        yield SITES.c.key.in_(wanted.sites)
    if wanted.since is not None:
        yield at >= seconds(wanted.since)
    if wanted.until is not None:
        yield at < seconds(wanted.until)
    if wanted.matches:
        yield or_(*(_matches(URLS.c.url, pattern, archive) for pattern in wanted.matches))


def _one_of(kind: ColumnElement[str], kinds: tuple[str, ...]) -> ColumnElement[bool]:
    return func.lower(kind).in_([one.lower() for one in kinds])


def _matches(url: ColumnElement[str], pattern: str, archive: Archive) -> ColumnElement[bool]:
    """Compare with a pattern in which only `*` is special; LIKE of SQLite is blind to case, its GLOB is not."""
    if archive.is_sqlite:
        return url.op("GLOB", is_comparison=True)(pattern.replace("[", "[[]").replace("?", "[?]"))
    for special in ("\\", "%", "_"):
        pattern = pattern.replace(special, f"\\{special}")
    return url.like(pattern.replace("*", "%"), escape="\\")


_TOGETHER = 100  # contents read at a time, but never more than
_TOGETHER_BYTES = 8_000_000  # of bodies, which what was made of them seldom exceeds; one may be larger by itself

_ORIGINALS = URLS.alias("originals")  # addresses of the pages that others are copies of
_TEXTS = EXTRACTIONS.alias("texts")  # of other versions with the same text
_LATER = VERSIONS.alias("later")


@dataclass(frozen=True, slots=True)
class _Sighted:
    """A record on a page."""

    first_at: float
    last_at: float
    listed: int  # its number on the page
    kind: str  # of the list where it was seen first
    columns: tuple[str, ...]
    record: Record


@soundly
def read_pages(archive: Archive, wanted: PageQuery) -> Iterator[StoredPage]:
    """Yield pages in the order their addresses were found, the versions of one in the order they came."""
    query = _page_query(PAGES.c.duplicate_of if not wanted.all_versions else VERSIONS.c.duplicate_of)
    for some in _together(_walk_versions(archive, wanted)):
        rows = _rows(archive, query, [one.id for one in some])
        sighted = _read_sightings(archive, {row.page for row in rows})
        for row in rows:
            yield _page(row, sighted[row.page])


@soundly
def read_rests(archive: Archive, wanted: PageQuery) -> Iterator[str]:
    """Yield of each page that `read_pages` yields what was extracted besides, as JSON: to look it through first."""
    query = select(EXTRACTIONS.c.rest).where(EXTRACTIONS.c.version.in_(bindparam("ids", expanding=True)))
    for some in _together(_walk_versions(archive, wanted)):
        yield from (row.rest for row in _read(archive, query, [one.id for one in some]))


@soundly
def read_versions(archive: Archive, ids: Sequence[int]) -> Iterator[StoredPage]:
    """Yield versions of pages by their numbers in the archive, in this order."""
    query = _page_query(VERSIONS.c.duplicate_of)
    for some in in_parts(ids, _TOGETHER):
        rows = {row.id: row for row in _rows(archive, query, some)}
        sighted = _read_sightings(archive, {row.page for row in rows.values()})
        for row in (rows[number] for number in some if number in rows):
            yield _page(row, sighted[row.page])


@soundly
def read_version(archive: Archive, page: int, number: int | None = None) -> StoredPage | None:
    """Return one version of a page, the newest if none is named, without records; None where there is none."""
    query = select(VERSIONS.c.id).where(VERSIONS.c.page == page).order_by(VERSIONS.c.number.desc()).limit(1)
    if number is not None:
        query = query.where(VERSIONS.c.number == number)
    with archive.reading() as connection:
        found = list(connection.execute(query).scalars())
    rows = _rows(archive, _page_query(VERSIONS.c.duplicate_of), found)
    return _page(rows[0], []) if rows else None


@soundly
def read_some_records(archive: Archive, ids: Sequence[int]) -> Iterator[StoredRecord]:
    """Yield records by their numbers, in this order."""
    query = record_query(PageQuery(), archive).where(RECORDS.c.id.in_(bindparam("ids", expanding=True)))
    for some in in_parts(ids):
        rows = {row.id: row for row in _sound_records(archive, _read(archive, query, some))}
        yield from (to_record(rows[number]) for number in some if number in rows)


@soundly
def read_records(archive: Archive, wanted: PageQuery) -> Iterator[StoredRecord]:
    """Yield records in the order they were first seen; `since` and `until` are of that moment."""
    for some in in_parts(row.id for row in walk(archive, select_records(wanted, archive), RECORDS.c.id)):
        yield from read_some_records(archive, some)


def new_records(archive: Archive, after: int, *, watches: Collection[int] | None, limit: int) -> list[StoredRecord]:
    """Return records that watched pages showed first, of these watches or of all, with numbers above `after`."""
    return _read_watched(archive, watches, limit, after)


def newest_records(archive: Archive, count: int, *, watches: Collection[int] | None) -> list[StoredRecord]:
    """Return the last `count` records that watched pages showed first, the newest first."""
    return _read_watched(archive, watches, count, None)


@soundly
def _read_watched(
    archive: Archive, watches: Collection[int] | None, limit: int, after: int | None
) -> list[StoredRecord]:
    if watches is not None and not watches:
        return []
    query = record_query(PageQuery(), archive).where(RECORDS.c.watch.is_not(None)).limit(limit)
    index = "records_of_watch" if watches is not None and len(watches) == 1 else "records_watched"
    query = query.with_hint(RECORDS, f"INDEXED BY {index}", "sqlite")
    if watches is not None:
        query = query.where(RECORDS.c.watch.in_(sorted(watches)))
    if after is None:
        query = query.order_by(RECORDS.c.id.desc())
    else:
        query = query.where(RECORDS.c.id > after).order_by(RECORDS.c.id)
    with archive.reading() as connection:
        rows = connection.execute(query).all()
    return [to_record(row) for row in _sound_records(archive, rows)]


def record_query(wanted: PageQuery, archive: Archive) -> Select[Any]:
    """Return the query for records with all that `to_record` wants."""
    seen = select(func.max(SIGHTINGS.c.last_at)).where(SIGHTINGS.c.record == RECORDS.c.id).scalar_subquery()
    times = select(func.sum(SIGHTINGS.c.times)).where(SIGHTINGS.c.record == RECORDS.c.id).scalar_subquery()
    contents = (RECORDS.c[name] for name in (*CHECKED[RECORDS.name], "checksum", "first_at"))
    return select_records(wanted, archive).add_columns(*contents, seen.label("last_at"), times.label("times"))


@soundly
def read_raw(archive: Archive, wanted: PageQuery) -> Iterator[StoredRaw]:
    """Yield responses in the order they came: the newest of each address, or with `all_versions` every one kept."""
    query = (
        select(FETCHES.c.at, FETCHES.c.status, FETCHES.c.headers, FETCHES.c.cut_at_bytes, URLS.c.url)
        .add_columns(*PACKED)
        .join_from(FETCHES, BODIES, BODIES.c.hash == FETCHES.c.body)
        .join(URLS, URLS.c.id == FETCHES.c.url)
        .where(FETCHES.c.id.in_(bindparam("ids", expanding=True)))
        .order_by(FETCHES.c.id)
    )
    for some in _together(walk(archive, select_responses(wanted, archive), FETCHES.c.id)):
        with archive.reading() as connection:
            rows = connection.execute(query, {"ids": [one.id for one in some]}).all()
            found = [_raw(archive, connection, row) for row in rows]
        yield from (one for one in found if one is not None)


def count(archive: Archive, query: Select[Any]) -> int:
    """Return how many rows one of the queries for versions, records or responses has now."""
    with archive.reading() as connection:
        counted = query.with_only_columns(func.count(), maintain_column_froms=True)
        return int(connection.execute(counted).scalar_one())


def _walk_versions(archive: Archive, wanted: PageQuery) -> Iterator[Any]:
    """Yield versions by page and number, some at a time."""
    return walk(archive, select_versions(wanted, archive), VERSIONS.c.page, VERSIONS.c.number)


def _together(rows: Iterator[Any]) -> Iterator[Sequence[Any]]:
    """Gather rows whose contents may be in memory at the same time."""
    some: list[Any] = []
    size = 0
    for row in rows:
        if some and (len(some) == _TOGETHER or size + row.size > _TOGETHER_BYTES):
            yield some
            some, size = [], 0
        some.append(row)
        size += row.size
    if some:
        yield some


def _page_query(copy_of: Any) -> Select[Any]:
    """Return the query for versions by number with all that belongs to them but records."""
    until = select(_LATER.c.at).where(_LATER.c.page == VERSIONS.c.page, _LATER.c.number == VERSIONS.c.number + 1)
    status = select(func.max(FETCHES.c.status)).where(FETCHES.c.url == PAGES.c.id, FETCHES.c.at == VERSIONS.c.at)
    extracted = (*CHECKED[EXTRACTIONS.name], "checksum")
    return (
        select(VERSIONS.c.id, VERSIONS.c.page, VERSIONS.c.is_complete, SITES.c.key.label("site"), URLS.c.url)
        .add_columns(VERSIONS.c.number.label("version"), PAGES.c.versions, _ORIGINALS.c.url.label("duplicate_of"))
        .add_columns(VERSIONS.c.at.label("fetched_at"), until.scalar_subquery().label("until"))
        .add_columns(PAGES.c.first_at.label("first_seen"), PAGES.c.seen_at.label("last_seen"), PAGES.c.gone_at)
        .add_columns(status.scalar_subquery().label("status"), *(EXTRACTIONS.c[name] for name in extracted))
        .add_columns(*(_TEXTS.c[name].label(f"other_{name}") for name in extracted))
        .join_from(VERSIONS, PAGES, PAGES.c.id == VERSIONS.c.page)
        .join(EXTRACTIONS, EXTRACTIONS.c.version == VERSIONS.c.id)
        .join(_TEXTS, _TEXTS.c.version == EXTRACTIONS.c.text_of, isouter=True)
        .join(URLS, URLS.c.id == PAGES.c.id)
        .join(SITES, SITES.c.id == PAGES.c.site)
        .join(_ORIGINALS, _ORIGINALS.c.id == copy_of, isouter=True)
        .where(VERSIONS.c.id.in_(bindparam("ids", expanding=True)))
        .order_by(VERSIONS.c.page, VERSIONS.c.number)
    )


def _read(archive: Archive, query: Select[Any], ids: Sequence[int]) -> list[Any]:
    """Return the rows of a query for some numbers, but for those with values that the database cannot read."""
    try:
        with archive.reading() as connection:
            return list(connection.execute(query, {"ids": ids}).all())
    except ArchiveFailed:
        if len(ids) == 1:
            archive.pass_over(f"what belongs to number {ids[0]} cannot be read")
        if len(ids) <= 1:
            return []
    half = len(ids) // 2
    return _read(archive, query, ids[:half]) + _read(archive, query, ids[half:])


def _rows(archive: Archive, query: Select[Any], ids: Sequence[int]) -> list[Any]:
    """Return the rows of `_page_query` for some versions, but for those that are not what was stored."""
    sound = []
    for row in _read(archive, query, ids):
        borrows = row.text is None and row.other_text is not None
        if is_as_stored(EXTRACTIONS, row) and (not borrows or is_as_stored(EXTRACTIONS, row, "other_")):
            sound.append(row)
        else:
            archive.pass_over(f"{row.url}: version {row.version} is not what was stored")
    return sound


def _sound_records(archive: Archive, rows: Iterable[Any]) -> Iterator[Any]:
    """Yield rows of records, but for those that are not what was stored."""
    for row in rows:
        if is_as_stored(RECORDS, row):
            yield row
        else:
            archive.pass_over(f"record {row.id} is not what was stored")


def _read_sightings(archive: Archive, pages: set[int]) -> dict[int, list[_Sighted]]:
    """Return what was listed on each of some pages, at any time, in the order of the page."""
    found: dict[int, list[_Sighted]] = defaultdict(list)
    query = (
        select(SIGHTINGS.c.page, SIGHTINGS.c.first_at, SIGHTINGS.c.last_at, SIGHTINGS.c.list_number, RECORDS.c.id)
        .add_columns(*(RECORDS.c[name] for name in (*CHECKED[RECORDS.name], "checksum")))
        .add_columns(SIGHTINGS.c.fields.label("seen_fields"))
        .join_from(SIGHTINGS, RECORDS, RECORDS.c.id == SIGHTINGS.c.record)
        .where(SIGHTINGS.c.page.in_(bindparam("ids", expanding=True)))
        .order_by(SIGHTINGS.c.page, SIGHTINGS.c.list_number, SIGHTINGS.c.place, SIGHTINGS.c.record)
    )
    for row in _sound_records(archive, _read(archive, query, sorted(pages)) if pages else ()):
        columns, fields = _fields(row.fields if row.seen_fields is None else row.seen_fields)
        record = Record(fields, _addresses(row.links), _addresses(row.images), row.html)
        found[row.page].append(_Sighted(row.first_at, row.last_at, row.list_number or 0, row.kind, columns, record))
    return found


def _lists(sighted: list[_Sighted], since: float, until: float | None) -> tuple[RecordList, ...]:
    """Return what a version of a page listed, from when it was fetched to when the next one was."""
    lists: dict[int, list[_Sighted]] = defaultdict(list)
    for one in sighted:
        if one.last_at >= since and (until is None or one.first_at < until):
            lists[one.listed].append(one)
    return tuple(_list(ones) for ones in lists.values())


def _list(sighted: list[_Sighted]) -> RecordList:
    """Line up records: each names only the columns that it fills."""
    columns = tuple(dict.fromkeys(name for one in sighted for name in one.columns))
    records = []
    for one in sighted:
        texts = dict(zip(one.columns, one.record.fields, strict=True))
        records.append(replace(one.record, fields=tuple(texts.get(name, "") for name in columns)))
    kind, _ = Counter(one.kind for one in sighted).most_common(1)[0]
    return RecordList(tuple(records), columns, kind)


def _page(row: Any, sighted: list[_Sighted]) -> StoredPage:
    text = row.other_text if row.text is None else row.text
    return from_row(StoredPage, row, text=text or "", lists=_lists(sighted, row.fetched_at, row.until))


def _raw(archive: Archive, connection: Connection, row: Any) -> StoredRaw | None:
    try:
        body = read_body(archive, connection, row)
    except ArchiveFailed as error:
        archive.pass_over(f"{row.url}: {error}")
        return None
    headers = tuple((str(name), str(value)) for name, value in json.loads(row.headers or "[]"))
    return StoredRaw(Url(row.url), moment(row.at), row.status or 0, headers, body, row.cut_at_bytes is None)


def to_record(row: Any) -> StoredRecord:
    """Return a row of `record_query` as what it is."""
    columns, fields = _fields(row.fields)
    return from_row(
        StoredRecord,
        row,
        record=row.id,
        columns=columns,
        fields=fields,
        links=_addresses(row.links),
        images=_addresses(row.images),
        first_seen=moment(row.first_at),
        last_seen=moment(row.first_at if row.last_at is None else row.last_at),
        sightings=int(row.times or 1),
    )


def _fields(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return columns and texts of a record."""
    fields: dict[str, str] = json.loads(text)
    return tuple(fields), tuple(fields.values())


def _addresses(text: str) -> tuple[Url, ...]:
    return tuple(Url(address) for address in json.loads(text))
