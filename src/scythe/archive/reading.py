"""Read an archive out: what is wanted comes in, stored pages, records and responses go out, one by one.

Rows are read in batches, each from where the last one ended: memory stays flat however many there are, no transaction
stays open while somebody writes a file, and a crawl may go on meanwhile.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, exists, func, literal, or_, select, tuple_

from scythe.archive.bodies import unpack
from scythe.archive.database import Database
from scythe.archive.hashes import moment, seconds
from scythe.archive.schema import BODIES, EXTRACTIONS, FETCHES, PAGES, RECORDS, SIGHTINGS, SITES, URLS, VERSIONS
from scythe.archive.stored import StoredPage, StoredRaw, StoredRecord, Wanted
from scythe.model import Record, Region
from scythe.url import Url

_PAGES = 100  # read at a time; a page has some 10 KB of text and seldom a few MB
_RECORDS = 1_000
_RAWS = 10  # a body may have 64 MB

_ORIGINALS = URLS.alias("originals")  # addresses of the pages that others are copies of
_TEXTS = EXTRACTIONS.alias("texts")  # of other versions with the same text
_LATER = VERSIONS.alias("later")
_NEWER = FETCHES.alias("newer")
_EXTRACTED = ("title", "markdown", "html", "rest", "kind", "language", "published", "how")


@dataclass(frozen=True, slots=True)
class _Sighted:
    """A record on a page."""

    first_at: float
    last_at: float
    region: int  # its number on the page
    kind: str  # of the region where it was seen first
    columns: tuple[str, ...]
    record: Record


def read_pages(database: Database, wanted: Wanted) -> Iterator[StoredPage]:
    """Yield pages in the order their addresses were found, the versions of one in the order they came."""
    place = tuple_(VERSIONS.c.page, VERSIONS.c.number)
    query = _page_query(wanted, database).order_by(VERSIONS.c.page, VERSIONS.c.number).limit(_PAGES)
    after = (-1, 0)
    while True:
        with database.reading() as connection:
            rows = connection.execute(query.where(place > tuple_(literal(after[0]), literal(after[1])))).all()
            sighted = _read_sightings(connection, {row.page for row in rows})
        for row in rows:
            yield _page(row, sighted[row.page])
        if len(rows) < _PAGES:
            return
        after = (rows[-1].page, rows[-1].number)


def read_records(database: Database, wanted: Wanted) -> Iterator[StoredRecord]:
    """Yield records in the order they were first seen; `since` and `until` are of that moment."""
    seen = select(func.max(SIGHTINGS.c.last_at)).where(SIGHTINGS.c.record == RECORDS.c.id).scalar_subquery()
    times = select(func.sum(SIGHTINGS.c.times)).where(SIGHTINGS.c.record == RECORDS.c.id).scalar_subquery()
    names = ("id", "kind", "fields", "links", "images", "first_at")
    query = (
        select(*(RECORDS.c[name] for name in names), SITES.c.key.label("site"), URLS.c.url.label("page"))
        .add_columns(seen.label("last_at"), times.label("times"))
        .join_from(RECORDS, SITES, SITES.c.id == RECORDS.c.site)
        .join(URLS, URLS.c.id == RECORDS.c.first_page)
        .where(*_bounds(wanted, RECORDS.c.first_at, RECORDS.c.kind, database))
    )
    for row in _by_id(database, query, RECORDS.c.id, _RECORDS):
        yield _record(row)


def read_raw(database: Database, wanted: Wanted) -> Iterator[StoredRaw]:
    """Yield responses in the order they came: the newest of each address, or with `all_versions` every one kept."""
    query = (
        select(FETCHES.c.id, URLS.c.url, FETCHES.c.at, FETCHES.c.status, FETCHES.c.headers, FETCHES.c.cut_at_bytes)
        .add_columns(BODIES.c.packed, BODIES.c.size)
        .join_from(FETCHES, BODIES, BODIES.c.hash == FETCHES.c.body)
        .where(*_raw_conditions(wanted, database))
        .join(URLS, URLS.c.id == FETCHES.c.url)
        .join(SITES, SITES.c.id == FETCHES.c.site)
    )
    for row in _by_id(database, query, FETCHES.c.id, _RAWS):
        headers = tuple((str(name), str(value)) for name, value in json.loads(row.headers or "[]"))
        body = unpack(row.packed, row.size)
        yield StoredRaw(Url(row.url), moment(row.at), row.status or 0, headers, body, row.cut_at_bytes is None)


def count_pages(database: Database, wanted: Wanted) -> int:
    """Return how many pages (or versions) `read_pages` would yield now."""
    return _count(database, _page_query(wanted, database))


def count_records(database: Database, wanted: Wanted) -> int:
    """Return how many records `read_records` would yield now."""
    query = select(RECORDS.c.id).join_from(RECORDS, SITES, SITES.c.id == RECORDS.c.site)
    query = query.join(URLS, URLS.c.id == RECORDS.c.first_page)
    return _count(database, query.where(*_bounds(wanted, RECORDS.c.first_at, RECORDS.c.kind, database)))


def count_raw(database: Database, wanted: Wanted) -> int:
    """Return how many responses `read_raw` would yield now."""
    query = select(FETCHES.c.id).join_from(FETCHES, URLS, URLS.c.id == FETCHES.c.url)
    query = query.join(SITES, SITES.c.id == FETCHES.c.site)
    return _count(database, query.where(*_raw_conditions(wanted, database)))


def _count(database: Database, query: Select[Any]) -> int:
    with database.reading() as connection:
        counted = query.with_only_columns(func.count(), maintain_column_froms=True)
        return int(connection.execute(counted).scalar_one())


def _by_id(database: Database, query: Select[Any], number: ColumnElement[int], size: int) -> Iterator[Any]:
    """Yield the rows of a query by ascending `id`, some at a time."""
    query = query.order_by(number).limit(size)
    after = -1
    while True:
        with database.reading() as connection:
            rows = connection.execute(query.where(number > after)).all()
        yield from rows
        if len(rows) < size:
            return
        after = rows[-1].id


def _page_query(wanted: Wanted, database: Database) -> Select[Any]:
    """Return the query for versions with all that belongs to them but records."""
    copy_of = VERSIONS.c.duplicate_of if wanted.all_versions else PAGES.c.duplicate_of
    until = select(_LATER.c.at).where(_LATER.c.page == VERSIONS.c.page, _LATER.c.number == VERSIONS.c.number + 1)
    status = select(func.max(FETCHES.c.status)).where(FETCHES.c.url == PAGES.c.id, FETCHES.c.at == VERSIONS.c.at)
    query = (
        select(VERSIONS.c.page, VERSIONS.c.number, VERSIONS.c.at, VERSIONS.c.is_complete, SITES.c.key.label("site"))
        .add_columns(*(PAGES.c[name] for name in ("versions", "first_at", "seen_at", "gone_at")))
        .add_columns(URLS.c.url, _ORIGINALS.c.url.label("original"))
        .add_columns(until.scalar_subquery().label("until"), status.scalar_subquery().label("status"))
        .add_columns(*(EXTRACTIONS.c[name] for name in _EXTRACTED))
        .add_columns(func.coalesce(EXTRACTIONS.c.text, _TEXTS.c.text).label("text"))
        .join_from(VERSIONS, PAGES, PAGES.c.id == VERSIONS.c.page)
        .join(EXTRACTIONS, EXTRACTIONS.c.version == VERSIONS.c.id)
        .join(_TEXTS, _TEXTS.c.version == EXTRACTIONS.c.text_of, isouter=True)
        .join(URLS, URLS.c.id == PAGES.c.id)
        .join(SITES, SITES.c.id == PAGES.c.site)
        .join(_ORIGINALS, _ORIGINALS.c.id == copy_of, isouter=True)
        .where(*_bounds(wanted, VERSIONS.c.at, EXTRACTIONS.c.kind, database))
    )
    if not wanted.all_versions:
        query = query.where(VERSIONS.c.id == PAGES.c.version)
    return query if wanted.duplicates else query.where(copy_of.is_(None))


def _raw_conditions(wanted: Wanted, database: Database) -> list[ColumnElement[bool]]:
    conditions = [FETCHES.c.body.is_not(None), *_bounds(wanted, FETCHES.c.at, None, database)]
    if not wanted.all_versions:
        newer = and_(_NEWER.c.url == FETCHES.c.url, _NEWER.c.id > FETCHES.c.id, _NEWER.c.body.is_not(None))
        conditions.append(~exists().where(newer))
    if wanted.kinds:
        newest = and_(PAGES.c.id == FETCHES.c.url, EXTRACTIONS.c.version == PAGES.c.version)
        conditions.append(exists().where(newest, _one_of(EXTRACTIONS.c.kind, wanted.kinds)))
    if not wanted.duplicates:
        conditions.append(~exists().where(PAGES.c.id == FETCHES.c.url, PAGES.c.duplicate_of.is_not(None)))
    return conditions


def _bounds(
    wanted: Wanted, at: ColumnElement[float], kind: ColumnElement[str] | None, database: Database
) -> Iterator[ColumnElement[bool]]:
    """Yield the conditions that all that can be read share."""
    if wanted.sites:
        yield SITES.c.key.in_(wanted.sites)
    if wanted.since is not None:
        yield at >= seconds(wanted.since)
    if wanted.until is not None:
        yield at < seconds(wanted.until)
    if wanted.kinds and kind is not None:
        yield _one_of(kind, wanted.kinds)
    if wanted.matches:
        yield or_(*(_matches(URLS.c.url, pattern, database) for pattern in wanted.matches))


def _one_of(kind: ColumnElement[str], kinds: tuple[str, ...]) -> ColumnElement[bool]:
    return func.lower(kind).in_([one.lower() for one in kinds])


def _matches(url: ColumnElement[str], pattern: str, database: Database) -> ColumnElement[bool]:
    """Compare with a pattern in which only `*` is special; LIKE of SQLite is blind to case, its GLOB is not."""
    if database.is_sqlite:
        return url.op("GLOB", is_comparison=True)(pattern.replace("[", "[[]").replace("?", "[?]"))
    for special in ("\\", "%", "_"):
        pattern = pattern.replace(special, f"\\{special}")
    return url.like(pattern.replace("*", "%"), escape="\\")


def _read_sightings(connection: Connection, pages: set[int]) -> dict[int, list[_Sighted]]:
    """Return what was listed on each of some pages, at any time, in the order of the page."""
    found: dict[int, list[_Sighted]] = defaultdict(list)
    query = (
        select(SIGHTINGS.c.page, SIGHTINGS.c.first_at, SIGHTINGS.c.last_at, SIGHTINGS.c.region, RECORDS.c.kind)
        .add_columns(func.coalesce(SIGHTINGS.c.fields, RECORDS.c.fields).label("fields"))
        .add_columns(RECORDS.c.links, RECORDS.c.images, RECORDS.c.html)
        .join_from(SIGHTINGS, RECORDS, RECORDS.c.id == SIGHTINGS.c.record)
        .where(SIGHTINGS.c.page.in_(pages))
        .order_by(SIGHTINGS.c.page, SIGHTINGS.c.region, SIGHTINGS.c.place, SIGHTINGS.c.record)
    )
    for row in connection.execute(query) if pages else ():
        columns, fields = _fields(row.fields)
        record = Record(fields, _addresses(row.links), _addresses(row.images), row.html)
        found[row.page].append(_Sighted(row.first_at, row.last_at, row.region or 0, row.kind, columns, record))
    return found


def _regions(sighted: list[_Sighted], since: float, until: float | None) -> tuple[Region, ...]:
    """Return what a version of a page listed, from when it was fetched to when the next one was."""
    regions: dict[int, list[_Sighted]] = defaultdict(list)
    for one in sighted:
        if one.last_at >= since and (until is None or one.first_at < until):
            regions[one.region].append(one)
    return tuple(_region(ones) for ones in regions.values())


def _region(sighted: list[_Sighted]) -> Region:
    """Line up records: each names only the columns that it fills."""
    columns = tuple(dict.fromkeys(name for one in sighted for name in one.columns))
    records = []
    for one in sighted:
        texts = dict(zip(one.columns, one.record.fields, strict=True))
        records.append(replace(one.record, fields=tuple(texts.get(name, "") for name in columns)))
    kind, _ = Counter(one.kind for one in sighted).most_common(1)[0]
    return Region(tuple(records), columns, kind)


def _page(row: Any, sighted: list[_Sighted]) -> StoredPage:
    return StoredPage(
        page=row.page,
        site=row.site,
        url=Url(row.url),
        fetched_at=moment(row.at),
        first_seen=moment(row.first_at),
        last_seen=moment(row.seen_at),
        gone_at=None if row.gone_at is None else moment(row.gone_at),
        status=row.status,
        version=row.number,
        versions=row.versions,
        is_complete=bool(row.is_complete),
        duplicate_of=None if row.original is None else Url(row.original),
        title=row.title,
        text=row.text or "",
        markdown=row.markdown,
        html=row.html,
        rest=row.rest,
        kind=row.kind,
        language=row.language,
        published=row.published,
        how=row.how,
        regions=_regions(sighted, row.at, row.until),
    )


def _record(row: Any) -> StoredRecord:
    columns, fields = _fields(row.fields)
    return StoredRecord(
        record=row.id,
        site=row.site,
        page=Url(row.page),
        kind=row.kind,
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
