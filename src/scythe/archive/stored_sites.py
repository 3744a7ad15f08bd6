"""The sites of an archive: their numbers, starts and notes, and what a run over one begins with.

A worker that takes over twenty sites starts twenty runs: one transaction for each question would delay them all.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, func, select, update

from scythe.archive.archive import Archive, from_row, insert_new, reads, writes, writes_site
from scythe.archive.frontier import add_found, requeue
from scythe.archive.host_leases import Owner
from scythe.archive.profile_history import claim_learning, stored_profile
from scythe.archive.results import LearningState, SiteRow
from scythe.archive.schema import PAGES, PROFILES, SITES, WATCHES, seconds, storable
from scythe.crawl_model import FoundUrl
from scythe.url import Url


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
