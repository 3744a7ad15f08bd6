"""Start a run over a site: load everything the run needs in few transactions.

A worker that takes over twenty sites starts twenty runs; one transaction per question would delay them all.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, select

from scythe.archive.archive import Archive, reads
from scythe.archive.frontier import add_found, requeue
from scythe.archive.host_leases import Owner
from scythe.archive.profile_history import claim_learning, stored_profile
from scythe.archive.results import LearningState
from scythe.archive.schema import PAGES, WATCHES, seconds
from scythe.archive.stored_sites import add_site, find_site, load_notes
from scythe.crawl_model import FoundUrl


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
