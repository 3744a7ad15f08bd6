"""What is wanted of an archive -> queries for the numbers of its versions, records and responses, with their sizes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, exists, func, or_, select

from scythe.archive.database import Database
from scythe.archive.hashes import seconds
from scythe.archive.schema import BODIES, EXTRACTIONS, FETCHES, PAGES, RECORDS, SITES, URLS, VERSIONS, WATCHES
from scythe.archive.stored import Wanted

_NEWER = FETCHES.alias("newer")


def select_versions(wanted: Wanted, database: Database) -> Select[Any]:
    """Return the query for versions of pages: id, page, number, and the size of the body they were made of.

    Lists that are watched are left out: of those, records are kept and nothing else.
    """
    query = (
        select(VERSIONS.c.id, VERSIONS.c.page, VERSIONS.c.number, VERSIONS.c.size)
        .join_from(VERSIONS, PAGES, PAGES.c.id == VERSIONS.c.page)
        .where(PAGES.c.id.not_in(select(WATCHES.c.id)), *_bounds(wanted, VERSIONS.c.at, database))
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


def select_records(wanted: Wanted, database: Database) -> Select[Any]:
    """Return the query for records: id, site and the address where each was seen first."""
    query = (
        select(RECORDS.c.id, SITES.c.key.label("site"), URLS.c.url.label("page"))
        .join_from(RECORDS, SITES, SITES.c.id == RECORDS.c.site)
        .join(URLS, URLS.c.id == RECORDS.c.first_page)
        .where(*_bounds(wanted, RECORDS.c.first_at, database))
    )
    return query.where(_one_of(RECORDS.c.kind, wanted.kinds)) if wanted.kinds else query


def select_responses(wanted: Wanted, database: Database) -> Select[Any]:
    """Return the query for responses that were kept: id, address, and the size of the body."""
    query = (
        select(FETCHES.c.id, URLS.c.url, BODIES.c.size)
        .join_from(FETCHES, BODIES, BODIES.c.hash == FETCHES.c.body)
        .join(URLS, URLS.c.id == FETCHES.c.url)
        .join(SITES, SITES.c.id == FETCHES.c.site)
        .where(*_bounds(wanted, FETCHES.c.at, database))
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


def _bounds(wanted: Wanted, at: ColumnElement[float], database: Database) -> Iterator[ColumnElement[bool]]:
    """Yield the conditions that all that can be read share."""
    if wanted.sites:
        yield SITES.c.key.in_(wanted.sites)
    if wanted.since is not None:
        yield at >= seconds(wanted.since)
    if wanted.until is not None:
        yield at < seconds(wanted.until)
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
