"""Start a run over a site: load everything the run needs in few transactions.

A worker that takes over twenty sites starts twenty runs; one transaction per question would delay them all.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, select

from scythe.archive.archive import Archive, insert_new
from scythe.archive.frontier import add_found, requeue
from scythe.archive.host_leases import Owner
from scythe.archive.profile_history import claim_learning, stored_profile
from scythe.archive.results import LearningState
from scythe.archive.schema import PAGES, SITES, WATCHES, seconds, storable
from scythe.crawl_model import FoundUrl


@dataclass(frozen=True, slots=True)
class Entered:
    """What a run begins with."""

    site: int
    pages: int  # that are stored
    notes: str


def enter_site(archive: Archive, key: str, start: FoundUrl, *, now: datetime, again: Collection[str] = ()) -> Entered:
    """Find or make a site with its start among the addresses; those in one of the states `again` are visited again."""
    site = _find_or_add(archive, storable(key), start, now)
    with archive.writing(site) as connection:
        add_found(connection, [(site, [start], None)], seconds(now))
        if again:
            requeue(connection, site, again)
        notes = connection.execute(select(SITES.c.notes).where(SITES.c.id == site)).scalar()
        return Entered(site, _pages(connection, site), notes or "")


def take_learning(
    archive: Archive, site: int, owner: Owner, known: int, *, now: datetime, lease_s: float
) -> tuple[LearningState, str | None]:
    """Take or renew the right to learn a site; return with it the newest profile, None where version `known` is it."""
    with archive.writing(site) as connection:
        lesson = claim_learning(connection, site, owner, now=now, lease_s=lease_s)
        return lesson, stored_profile(connection, site, lesson.version) if lesson.version != known else None


def count_pages(archive: Archive, site: int) -> int:
    """Count the documents of a site that are stored."""
    with archive.reading() as connection:
        return _pages(connection, site)


def _find_or_add(archive: Archive, key: str, start: FoundUrl, now: datetime) -> int:
    """Return the number of a site; one that is known is not written, so that nobody waits for who has it."""
    query = select(SITES.c.id).where(SITES.c.key == key)
    with archive.reading() as connection:
        known = connection.execute(query).scalar()
    if known is not None:
        return int(known)
    with archive.writing() as connection:
        insert_new(connection, SITES, [{"key": key, "start": storable(start.url), "added_at": seconds(now)}])
        return int(connection.execute(query).scalar_one())


def _pages(connection: Connection, site: int) -> int:
    """Count as `count_archive` does: a list that is watched is no document."""
    documents = select(func.count()).select_from(PAGES).where(PAGES.c.site == site)
    return int(connection.execute(documents.where(PAGES.c.id.not_in(select(WATCHES.c.id)))).scalar_one())
