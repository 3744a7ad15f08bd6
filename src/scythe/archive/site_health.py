"""Count states, failures, shares and versions of a site, from bounded samples."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, Table, func, select

from scythe.archive.archive import Archive, from_row, reads, sound
from scythe.archive.host_leases import host_rows
from scythe.archive.results import HostRow, StoredRobots
from scythe.archive.schema import (
    EXTRACTIONS,
    FETCHES,
    HOSTS,
    PAGES,
    PROFILES,
    RECORDS,
    ROBOTS,
    SIGHTINGS,
    SITE_HOSTS,
    SITES,
    URLS,
    VERSIONS,
    WATCHES,
    moment,
)
from scythe.crawl_model import CRAWLED, ArchiveCounts


@reads
def count_archive(
    connection: Connection, site: int | None = None, states: dict[str, int] | None = None
) -> ArchiveCounts:
    """Count the addresses, pages, records and fetches of one site, or of all where it is None.

    A list that is watched is no document: neither its address nor its page counts, what was seen there does. `states`
    are those of its addresses, where they were counted already: that takes most of the time.
    """
    if states is None:
        states = count_states(connection, site)
    counts = (_count(connection, query, site) for query in _COUNTED)
    return ArchiveCounts(states, *(sum(by_site.values()) for by_site in counts))


@reads
def count_sites(connection: Connection) -> dict[int, ArchiveCounts]:
    """Count the same of every site that has anything, with one query for each count."""
    states: dict[int, dict[str, int]] = {}
    addresses = select(URLS.c.site, URLS.c.state, func.count()).where(URLS.c.kind != "list")
    # by state first, for which there is no index: to go through one and look up each address takes longer
    for site, state, number in connection.execute(addresses.group_by(URLS.c.state, URLS.c.site)):
        states.setdefault(site, {})[state] = int(number)
    counts = [_count(connection, query) for query in _COUNTED]
    sites = sorted({*states, *(site for by_site in counts for site in by_site)})
    return {site: ArchiveCounts(states.get(site, {}), *(by_site.get(site, 0) for by_site in counts)) for site in sites}


_IS_DOCUMENT = PAGES.c.id.not_in(select(WATCHES.c.id))
# what is counted by site, in the order of ArchiveCounts
_COUNTED: tuple[tuple[Table, Select[Any]], ...] = (
    (PAGES, select(PAGES.c.site, func.count()).where(_IS_DOCUMENT)),
    (PAGES, select(PAGES.c.site, func.sum(PAGES.c.versions)).where(_IS_DOCUMENT)),
    (RECORDS, select(RECORDS.c.site, func.count())),
    (PAGES, select(PAGES.c.site, func.count()).select_from(SIGHTINGS).join(PAGES, PAGES.c.id == SIGHTINGS.c.page)),
    (FETCHES, select(FETCHES.c.site, func.count())),
)


def _count(connection: Connection, counted: tuple[Table, Select[Any]], site: int | None = None) -> dict[int, int]:
    table, query = counted
    rows = connection.execute(_of(query, table, site).group_by(table.c.site))
    return {number: int(count) for number, count in rows}


def count_states(connection: Connection, site: int | None) -> dict[str, int]:
    """Count the addresses by their state."""
    addresses = select(URLS.c.state, func.count()).where(URLS.c.kind != "list").group_by(URLS.c.state)
    return {state: int(number) for state, number in connection.execute(_of(addresses, URLS, site)).all()}


def _of(query: Select[Any], table: Table, site: int | None) -> Select[Any]:
    return query if site is None else query.where(table.c.site == site)


FAILED = ("failed", "retry", "gone", "refused")  # states in which a visit that brought nothing leaves an address
_REASONS = 60  # that addresses, and fetches, are told by
_STATES = 2_000  # pairs of state and reason that are counted in one go
_RECENT = 5_000  # fetches that are looked at
_FAILURES = 20  # that are shown
_SAMPLED = 800  # pages whose extractions are looked at ...
_EXTRACTIONS = 3_000  # ... and versions of them
_SPANS = 24  # parts that the time is cut into
_HOSTS = 50
_LENGTHS_S = (3_600, 10_800, 43_200, 86_400, 604_800, 2_592_000, 31_536_000)


@dataclass(frozen=True, slots=True)
class Reason:
    """Addresses, or fetches, that ended alike."""

    state: str
    why: str
    count: int


@dataclass(frozen=True, slots=True)
class FailedVisit:
    """One visit that brought nothing."""

    at: datetime
    url: str
    status: int | None  # None: no answer
    state: str
    why: str


@dataclass(frozen=True, slots=True)
class FieldShare:
    """How the fields of pages that came within a time were got."""

    at: datetime  # when it begins
    pages: int
    cut: int  # fields
    tree: int
    missing: int
    cold: int  # pages that were read before anything was learned


@dataclass(frozen=True, slots=True)
class Version:
    """One version of what was learned of a site."""

    version: int
    at: datetime


@dataclass(frozen=True, slots=True)
class SiteHealth:
    """What an archive knows of how one site fares."""

    counts: ArchiveCounts
    addresses: list[Reason]  # the most common ones
    fetched: int  # fetches that were looked at, the last ones
    fetched_since: datetime | None
    answered: list[Reason]  # of them, how they ended
    failures: list[FailedVisit]  # the last ones, the newest first
    shares: list[FieldShare]  # oldest first
    sampled: int  # pages that the shares are of
    versions: list[Version]  # of the profile, the newest first
    robots: list[StoredRobots]
    hosts: list[HostRow]


def read_health(archive: Archive, site: int, *, now: datetime, versions: int = 40) -> SiteHealth:
    """Read how a site fares; `versions` of its profile are listed at most."""
    with sound(archive.where), archive.reading() as connection:
        last = connection.execute(_last(site)).all()
        addresses, states = _addresses(connection, site)
        shares, sampled = read_shares(connection, site)
        ended = Counter((row.state, row.why) for row in last)
        return SiteHealth(
            counts=count_archive(connection, site, states),
            addresses=addresses[:_REASONS],
            fetched=len(last),
            fetched_since=moment(min(row.at for row in last)) if last else None,
            answered=[Reason(state, why, number) for (state, why), number in ended.most_common(_REASONS)],
            failures=_failures(connection, last),
            shares=shares,
            sampled=sampled,
            versions=read_versions(connection, site, versions),
            robots=_robots(connection, site),
            hosts=host_rows(connection, site, now=now, kinds=(*CRAWLED, "list"), idle=True)[:_HOSTS],
        )


def read_versions(connection: Connection, site: int, limit: int) -> list[Version]:
    """Return the versions of a site's profile, the newest first."""
    query = select(PROFILES.c.version, PROFILES.c.at).where(PROFILES.c.site == site)
    rows = connection.execute(query.order_by(PROFILES.c.version.desc()).limit(limit)).all()
    return [from_row(Version, row) for row in rows]


def read_shares(connection: Connection, site: int) -> tuple[list[FieldShare], int]:
    """Return how fields were got, over time, and of how many pages: of some, evenly spread, with all their versions."""
    count = connection.execute(select(func.count()).select_from(PAGES).where(PAGES.c.site == site)).scalar_one()
    apart = count // _SAMPLED + 1
    sample = select(PAGES.c.id).where(PAGES.c.site == site, PAGES.c.id % apart == 0)
    sample = sample.where(PAGES.c.id.not_in(select(WATCHES.c.id))).limit(2 * _SAMPLED)
    told = (EXTRACTIONS.c[name] for name in ("how", "cut_fields", "tree_fields", "missing_fields"))
    query = (
        select(VERSIONS.c.page, VERSIONS.c.at, *told)
        .join(EXTRACTIONS, EXTRACTIONS.c.version == VERSIONS.c.id)
        .where(VERSIONS.c.page.in_(sample))
        .order_by(VERSIONS.c.id.desc())
        .limit(_EXTRACTIONS)
    )
    rows = connection.execute(query).all()
    return _cut_time(rows), len({row.page for row in rows})


def _cut_time(rows: Sequence[Row[Any]]) -> list[FieldShare]:
    """Gather extractions by when they were made, in parts of an hour, a day, a week ... so that there are not many."""
    if not rows:
        return []
    first, last = min(row.at for row in rows), max(row.at for row in rows)
    length = next((each for each in _LENGTHS_S if (last - first) / each < _SPANS), _LENGTHS_S[-1])
    parts: dict[int, list[Row[Any]]] = defaultdict(list)
    for row in rows:
        parts[int(row.at // length)].append(row)
    return [_share(moment(part * length), parts[part]) for part in sorted(parts)]


def _share(at: datetime, rows: Sequence[Row[Any]]) -> FieldShare:
    learned = [row for row in rows if row.how != "cold"]
    return FieldShare(
        at=at,
        pages=len(rows),
        cut=sum(row.cut_fields for row in learned),
        tree=sum(row.tree_fields for row in learned),
        missing=sum(row.missing_fields for row in learned),
        cold=len(rows) - len(learned),
    )


def _addresses(connection: Connection, site: int) -> tuple[list[Reason], dict[str, int]]:
    """Return the addresses by state and reason, and by state alone, in one go: 10^5 rows are looked at."""
    query = select(URLS.c.state, URLS.c.why, func.count().label("number"))
    query = query.where(URLS.c.site == site, URLS.c.kind != "list").group_by(URLS.c.state, URLS.c.why)
    if connection.execute(select(func.count()).select_from(SITES)).scalar_one() == 1:
        query = query.with_hint(URLS, "NOT INDEXED", "sqlite")  # in the order of the file: twice as fast
    rows = connection.execute(query.order_by(func.count().desc()).limit(_STATES + 1))
    found = [Reason(row.state, row.why, row.number) for row in rows]
    if len(found) > _STATES:
        return found, count_states(connection, site)
    states: dict[str, int] = defaultdict(int)
    for one in found:
        states[one.state] += one.count
    return found, dict(states)


def _last(site: int) -> Select[Any]:
    """Return the query for the last fetches of a site, the newest first."""
    told = (FETCHES.c[name] for name in ("url", "at", "state", "why", "status"))
    return select(*told).where(FETCHES.c.site == site).order_by(FETCHES.c.id.desc()).limit(_RECENT)


def _failures(connection: Connection, fetches: Sequence[Row[Any]]) -> list[FailedVisit]:
    rows = [row for row in fetches if row.state in FAILED and row.why][:_FAILURES]
    query = select(URLS.c.id, URLS.c.url).where(URLS.c.id.in_([row.url for row in rows]))
    urls = {one.id: one.url for one in connection.execute(query)} if rows else {}
    return [FailedVisit(moment(row.at), urls[row.url], row.status, row.state, row.why) for row in rows]


def _robots(connection: Connection, site: int) -> list[StoredRobots]:
    hosts = select(HOSTS.c.name).join(SITE_HOSTS, SITE_HOSTS.c.host == HOSTS.c.id).where(SITE_HOSTS.c.site == site)
    names = connection.execute(hosts.order_by(HOSTS.c.name).limit(_HOSTS)).scalars().all()
    origins = [f"{scheme}://{name}" for name in names for scheme in ("https", "http")]
    rows = connection.execute(select(ROBOTS).where(ROBOTS.c.origin.in_(origins)).order_by(ROBOTS.c.origin)).all()
    return [from_row(StoredRobots, row) for row in rows]
