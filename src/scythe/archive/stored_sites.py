"""The sites of an archive: their numbers, starts and notes, what was learned of them, and robots.txt.

One process at a time may learn a site, so that no two overwrite each other's profiles. A worker that takes over twenty
sites starts twenty runs: one transaction for each question would delay them all. ARCHIVE names the profile of the only
site which was learned, ARCHIVE#HOST that of one of several; a file is an export of the same.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Select, func, insert, select, update

from scythe.archive.archive import Archive, from_row, insert_new, reads, upsert, writes, writes_site
from scythe.archive.frontier import add_found, requeue
from scythe.archive.host_leases import LONGEST_S, Owner, is_held
from scythe.archive.open import open_archive
from scythe.archive.results import LearningState, SiteRow, StoredRobots
from scythe.archive.schema import PAGES, PROFILES, ROBOTS, SITES, WATCHES, digest_text, seconds, storable
from scythe.atomic_files import write_atomically
from scythe.crawl_model import FoundUrl
from scythe.errors import BadInput
from scythe.limits import LIMITS
from scythe.url import Url


def rules_of(profile: str) -> str:
    """Return what of a profile decides what is extracted: not how many pages it was learned from, nor how it fares."""
    from scythe.site.element_rules import as_told
    from scythe.site.profile import (  # with numpy: most of what opens an archive needs neither
        dump_profile,
        load_profile,
    )

    try:
        known = load_profile(profile).profile
    except BadInput:  # of another version of scythe
        return profile
    layouts = tuple(replace(one, pages=min(one.pages, 1), marked=0, marks=(), outside=()) for one in known.layouts)
    return dump_profile(replace(known, learned="", layouts=layouts, rules=as_told(known.rules)))


@writes_site
def save_profile(connection: Connection, site: int, profile: str) -> int:
    """Store a profile as the newest version unless it is that already; return the version."""
    profile = storable(profile)
    newest = newest_version(connection, site)
    if newest and stored_profile(connection, site, newest) == profile:
        return newest
    row: dict[str, Any] = {"site": site, "version": newest + 1, "profile": profile, "at": seconds(datetime.now(UTC))}
    row["rules"] = digest_text(rules_of(profile))
    connection.execute(insert(PROFILES).values(**row))
    return newest + 1


@reads
def newest_version(connection: Connection, site: int) -> int:
    """Return the number of the newest profile of a site, 0 where there is none."""
    return int(connection.execute(select(func.max(PROFILES.c.version)).where(PROFILES.c.site == site)).scalar() or 0)


@reads
def stored_profile(connection: Connection, site: int, version: int | None = None) -> str | None:
    """Return a version of a site's profile, the newest if None; None where there is none."""
    query = select(PROFILES.c.profile).where(PROFILES.c.site == site)
    if version is not None:
        query = query.where(PROFILES.c.version == version)
    found = connection.execute(query.order_by(PROFILES.c.version.desc()).limit(1)).scalar()
    return None if found is None else str(found)


@reads
def load_robots(connection: Connection, origin: str) -> StoredRobots | None:
    """Return the robots.txt last fetched from an origin."""
    row = connection.execute(select(ROBOTS).where(ROBOTS.c.origin == storable(origin))).one_or_none()
    return None if row is None else from_row(StoredRobots, row)


@writes
def save_robots(connection: Connection, robots: StoredRobots) -> None:
    """Put the robots.txt of an origin in place of the one before."""
    row = {
        "origin": storable(robots.origin),
        "status": robots.status,
        "body": robots.body,
        "fetched_at": seconds(robots.fetched_at),
    }
    connection.execute(upsert(connection, ROBOTS, ("origin",), ("status", "body", "fetched_at")), row)


@writes_site
def claim_learning(
    connection: Connection, site: int, owner: Owner, *, now: datetime, lease_s: float = 60.0
) -> LearningState:
    """Take or renew the right to learn a site, unless another living process has it; say what is learned so far."""
    at, me = seconds(now), owner.to_text()
    row = connection.execute(_rights(site)).one()
    is_mine = False
    if row.learner == me or not is_held(row.learner, row.learner_until, at):
        claimed = connection.execute(
            update(SITES)
            .where(SITES.c.id == site, SITES.c.learner.is_not_distinct_from(row.learner))
            .where(SITES.c.learner_until.is_not_distinct_from(row.learner_until))
            .values(learner=me, learner_until=at + min(lease_s, LONGEST_S))
        )
        is_mine = claimed.rowcount == 1
    return LearningState(is_mine, newest_version(connection, site))


@writes_site
def leave_learning(connection: Connection, site: int, owner: Owner) -> None:
    """Give the right back; nothing happens where it was lost before."""
    held = update(SITES).where(SITES.c.id == site, SITES.c.learner == owner.to_text())
    connection.execute(held.values(learner=None, learner_until=None))


@writes_site
def save_learned(connection: Connection, site: int, profile: str, owner: Owner, *, after: int) -> int | None:
    """Store what the one who has the right learned from version `after`; None where either is no longer so."""
    row = connection.execute(_rights(site)).one()
    if row.learner != owner.to_text() or newest_version(connection, site) != after:
        return None
    return save_profile(connection, site, profile)


def _rights(site: int) -> Select[Any]:
    return select(SITES.c.learner, SITES.c.learner_until).where(SITES.c.id == site)


@writes
def add_site(connection: Connection, key: str, start: Url, *, now: datetime | None = None) -> int:
    """Return the number of the site `key`, added if it is new."""
    row = {"key": storable(key), "start": storable(start), "added_at": seconds(now or datetime.now(UTC))}
    insert_new(connection, SITES, [row])
    return int(connection.execute(select(SITES.c.id).where(SITES.c.key == row["key"])).scalar_one())


@reads
def find_site(connection: Connection, key: str) -> int | None:
    """Return the number of the site `key`, None if there is none."""
    return connection.execute(select(SITES.c.id).where(SITES.c.key == storable(key))).scalar()


@reads
def site_rows(connection: Connection) -> list[SiteRow]:
    """Return every site, oldest first."""
    return [from_row(SiteRow, row) for row in connection.execute(select(SITES).order_by(SITES.c.id))]


@reads
def learned_sites(connection: Connection) -> set[int]:
    """Return the sites that have a profile."""
    return set(connection.execute(select(PROFILES.c.site).distinct()).scalars())


@reads
def load_notes(connection: Connection, site: int) -> str:
    """Return what the crawler of a site wanted to keep in mind, or an empty text."""
    return str(connection.execute(select(SITES.c.notes).where(SITES.c.id == site)).scalar() or "")


@writes_site
def save_notes(connection: Connection, site: int, notes: str) -> None:
    """Keep notes in place of those before."""
    connection.execute(update(SITES).where(SITES.c.id == site).values(notes=storable(notes)))


@dataclass(frozen=True, slots=True)
class Entered:
    """What a run begins with."""

    site: int
    pages: int  # that are stored
    notes: str


def enter_site(archive: Archive, key: str, start: FoundUrl, *, now: datetime, again: Collection[str] = ()) -> Entered:
    """Find or make a site with its start among the addresses; those in one of the states `again` are visited again."""
    site = find_site(archive, key)  # one that is known is not written, so that nobody waits for who has it
    if site is None:
        site = add_site(archive, key, start.url, now=now)
    with archive.writing(site) as connection:
        add_found(connection, [(site, [start], None)], seconds(now))
        if again:
            requeue(connection, site, again)
        return Entered(site, count_pages(connection, site), load_notes(connection, site))


def take_learning(
    archive: Archive, site: int, owner: Owner, known: int, *, now: datetime, lease_s: float
) -> tuple[LearningState, str | None]:
    """Take or renew the right to learn a site; return with it the newest profile, None where version `known` is it."""
    with archive.writing(site) as connection:
        lesson = claim_learning(connection, site, owner, now=now, lease_s=lease_s)
        return lesson, stored_profile(connection, site, lesson.version) if lesson.version != known else None


@reads
def count_pages(connection: Connection, site: int) -> int:
    """Count the documents of a site that are stored; a list that is watched is none, as in `count_archive`."""
    documents = select(func.count()).select_from(PAGES).where(PAGES.c.site == site)
    return int(connection.execute(documents.where(PAGES.c.id.not_in(select(WATCHES.c.id)))).scalar_one())


_SQLITE = b"SQLite format 3\0"
_SERVED = "postgresql"


def is_in_archive(where: str | Path) -> bool:
    """Say whether a profile is, or is to be, kept in an archive: a SQLite file that is there, or a database."""
    place = _place(os.fspath(where))[0]
    if place.startswith(_SERVED) and "://" in place:
        return True
    try:
        with open(place, "rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except OSError:
        return False


def read_profile(where: str | Path) -> str:
    """Return a profile as JSON. Raises BadInput where there is none, OSError and ArchiveFailed."""
    if not is_in_archive(where):
        with Path(where).open("rb") as file:
            text = file.read(LIMITS.profile_bytes + 1)
        try:
            return text.decode()
        except UnicodeDecodeError as error:
            raise BadInput(f"{where}: byte {error.start}: not UTF-8") from None
    with _opened(where) as (archive, key):
        site = _find(archive, key, where)
        profile = stored_profile(archive, site.id)
        if profile is None:
            raise BadInput(f"{archive.where}: nothing was learned of {site.key} yet")
        return profile


def write_profile(where: str | Path, profile: str, start: str | None = None) -> None:
    """Keep a profile in an archive or a file. A site that the archive does not have is added where `start` says it.

    Raises BadInput, OSError and ArchiveFailed.
    """
    if not is_in_archive(where):
        write_atomically(Path(where), profile.encode())
        return
    with _opened(where) as (archive, key):
        if key and start is not None and key not in {site.key for site in site_rows(archive)}:
            add_site(archive, key, Url(start))
        save_profile(archive, _find(archive, key, where, to_write=True).id, profile)


def _place(where: str) -> tuple[str, str]:
    """Return the archive and the key of a site, which may be empty; a file may have a # in its name."""
    place, _, key = where.rpartition("#")
    return (where, "") if not place or os.path.exists(where) else (place, key)


@contextmanager
def _opened(where: str | Path) -> Iterator[tuple[Archive, str]]:
    place, key = _place(os.fspath(where))
    with open_archive(place, create=False) as archive:
        yield archive, key


def _find(archive: Archive, key: str, where: str | Path, *, to_write: bool = False) -> SiteRow:
    """Return the site that is meant: the one named, or the only one there is, or that was learned."""
    sites = site_rows(archive)
    if key:
        found = [site for site in sites if site.key == key]
    else:
        learned = learned_sites(archive)
        found = [site for site in sites if site.id in learned] or (sites if to_write else [])
    if len(found) == 1:
        return found[0]
    if key:
        raise BadInput(f"{archive.where}: there is no site {key!r:.80} in the archive")
    if not found:
        raise BadInput(f"{archive.where}: nothing was learned of any site of the archive yet")
    names = ", ".join(site.key for site in found[:5])
    raise BadInput(f"{archive.where}: the archive has several sites ({names}): say which with {where}#{found[0].key}")
