"""The history of one document or record: versions, requests and sightings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, func, select

from scythe.archive.archive import Archive, from_row, soundly
from scythe.archive.results import StoredRecord
from scythe.archive.retrieval import read_some_records
from scythe.archive.schema import FETCHES, PAGES, RECORDS, SIGHTINGS, SITES, URLS, VERSIONS, WATCHES

SHOWN = 200  # versions, requests or sightings of one thing, at most
NEAR = 3  # places to either side of a record whose neighbours are told

_ORIGINALS = URLS.alias("originals")
_ON_PAGE: Select[Any] = select(SIGHTINGS.c.record).order_by(
    SIGHTINGS.c.list_number, SIGHTINGS.c.place, SIGHTINGS.c.record
)


@dataclass(frozen=True, slots=True)
class VersionSeen:
    """One version of a document."""

    number: int  # counted from 1, the oldest
    at: datetime  # UTC, as all times here
    size: int  # bytes of the body
    content_type: str
    is_complete: bool
    duplicate_of: str | None  # address of the page that had the same body or text then


@dataclass(frozen=True, slots=True)
class FetchSeen:
    """One request."""

    at: datetime
    status: int | None  # None: no answer
    state: str  # what became of the address, one of visits.STATES
    why: str
    seconds: float
    size: int
    content_type: str
    is_unchanged: bool
    is_kept: bool  # with the response as it came


@dataclass(frozen=True, slots=True)
class PageHistory:
    """All that happened to one document."""

    page: int
    site: str
    url: str
    is_list: bool  # a list that is watched: its records are kept, it is not
    first_at: datetime
    changed_at: datetime
    seen_at: datetime
    gone_at: datetime | None
    versions: tuple[VersionSeen, ...]  # the newest first, SHOWN at most
    fetches: tuple[FetchSeen, ...]  # the same
    fetched: int  # requests in all
    records: int  # that were seen on it, in all


@dataclass(frozen=True, slots=True)
class SightingSeen:
    """One page on which a record was seen."""

    page: int
    url: str
    is_list: bool
    first_at: datetime
    last_at: datetime
    times: int
    list_number: int | None  # of the page, 0 is the one it is about
    place: int | None  # in its list, from 0 on
    fields: dict[str, str]  # as last seen there, where they differ from the record's own


@dataclass(frozen=True, slots=True)
class RecordHistory:
    """All that is known of one record."""

    record: StoredRecord
    told_by: str  # what makes it itself: links, fields, both
    first_page: int
    sightings: tuple[SightingSeen, ...]  # the last first, SHOWN at most
    seen_on: int  # pages in all
    neighbours: tuple[StoredRecord, ...]  # beside it where it was last seen, in the order of the page, itself included


@soundly
def read_history(archive: Archive, page: int) -> PageHistory | None:
    """Return what happened to a document; None where there is none."""
    times = (PAGES.c[name] for name in ("first_at", "changed_at", "seen_at", "gone_at"))
    query = (
        select(*times, SITES.c.key.label("site"), URLS.c.url, WATCHES.c.id.label("watch"))
        .join_from(PAGES, URLS, URLS.c.id == PAGES.c.id)
        .join(SITES, SITES.c.id == PAGES.c.site)
        .join(WATCHES, WATCHES.c.id == PAGES.c.id, isouter=True)
        .where(PAGES.c.id == page)
    )
    with archive.reading() as connection:
        row = connection.execute(query).first()
        if row is None:
            return None
        return from_row(
            PageHistory,
            row,
            page=page,
            is_list=row.watch is not None,
            versions=_versions(connection, page),
            fetches=_fetches(connection, page),
            fetched=_number(connection, select(func.count()).where(FETCHES.c.url == page)),
            records=_number(connection, select(func.count()).where(SIGHTINGS.c.page == page)),
        )


@soundly
def read_record_history(archive: Archive, record: int) -> RecordHistory | None:
    """Return what is known of a record; None where there is none."""
    stored = next(read_some_records(archive, [record]), None)
    if stored is None:
        return None
    with archive.reading() as connection:
        own = connection.execute(select(RECORDS.c.told_by, RECORDS.c.first_page).where(RECORDS.c.id == record)).one()
        sightings = _sightings(connection, record)
        seen_on = _number(connection, select(func.count()).where(SIGHTINGS.c.record == record))
        beside = _beside(connection, sightings[0]) if sightings else []
    neighbours = tuple(read_some_records(archive, beside))
    return RecordHistory(stored, own.told_by, own.first_page, sightings, seen_on, neighbours)


@soundly
def read_listed(archive: Archive, page: int, most: int = 50) -> list[StoredRecord]:
    """Return records that the last visit saw on a page, in its order."""
    last = select(func.max(SIGHTINGS.c.last_at)).where(SIGHTINGS.c.page == page).scalar_subquery()
    query = _ON_PAGE.where(SIGHTINGS.c.page == page, SIGHTINGS.c.last_at == last).limit(most)
    with archive.reading() as connection:
        numbers = [int(number) for number in connection.execute(query).scalars()]
    return list(read_some_records(archive, numbers))


def _number(connection: Connection, query: Select[Any]) -> int:
    return int(connection.execute(query).scalar_one())


def _versions(connection: Connection, page: int) -> tuple[VersionSeen, ...]:
    names = ("number", "at", "size", "content_type", "is_complete")
    query = (
        select(*(VERSIONS.c[name] for name in names), _ORIGINALS.c.url.label("duplicate_of"))
        .join(_ORIGINALS, _ORIGINALS.c.id == VERSIONS.c.duplicate_of, isouter=True)
        .where(VERSIONS.c.page == page)
        .order_by(VERSIONS.c.number.desc())
        .limit(SHOWN)
    )
    return tuple(from_row(VersionSeen, row) for row in connection.execute(query))


def _fetches(connection: Connection, page: int) -> tuple[FetchSeen, ...]:
    names = ("at", "status", "state", "why", "seconds", "size", "content_type", "is_unchanged")
    query = select(*(FETCHES.c[name] for name in names), FETCHES.c.body.is_not(None).label("is_kept"))
    query = query.where(FETCHES.c.url == page).order_by(FETCHES.c.id.desc()).limit(SHOWN)
    return tuple(from_row(FetchSeen, row) for row in connection.execute(query))


def _sightings(connection: Connection, record: int) -> tuple[SightingSeen, ...]:
    query = (
        select(SIGHTINGS, URLS.c.url, URLS.c.kind)
        .join(URLS, URLS.c.id == SIGHTINGS.c.page)
        .where(SIGHTINGS.c.record == record)
        .order_by(SIGHTINGS.c.last_at.desc(), SIGHTINGS.c.page)
        .limit(SHOWN)
    )
    return tuple(
        from_row(SightingSeen, row, is_list=row.kind == "list", fields=json.loads(row.fields) if row.fields else {})
        for row in connection.execute(query)
    )


def _beside(connection: Connection, seen: SightingSeen) -> Sequence[int]:
    """Return the numbers of records beside one where it was last seen, itself included."""
    if seen.place is None:
        return []
    near = SIGHTINGS.c.place.between(seen.place - NEAR, seen.place + NEAR)
    query = _ON_PAGE.where(SIGHTINGS.c.page == seen.page, SIGHTINGS.c.list_number == seen.list_number, near)
    query = query.where(SIGHTINGS.c.last_at == seen.last_at.timestamp())
    return [int(number) for number in connection.execute(query).scalars()]
