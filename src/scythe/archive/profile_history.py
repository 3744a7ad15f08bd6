"""Store the profiles of a site with their history, robots.txt, and the right to learn a site.

One process at a time may learn a site, so that no two overwrite each other's profiles.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, func, insert, select, update

from scythe.archive.archive import from_row, reads, upsert, writes, writes_site
from scythe.archive.host_leases import LONGEST_S, Owner
from scythe.archive.results import LearningState, StoredRobots
from scythe.archive.schema import PROFILES, ROBOTS, SITES, digest_text, seconds, storable
from scythe.errors import BadInput


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
    is_held = False
    if row.learner == me or not _is_taken(row, at):
        claimed = connection.execute(
            update(SITES)
            .where(SITES.c.id == site, SITES.c.learner.is_not_distinct_from(row.learner))
            .where(SITES.c.learner_until.is_not_distinct_from(row.learner_until))
            .values(learner=me, learner_until=at + min(lease_s, LONGEST_S))
        )
        is_held = claimed.rowcount == 1
    return LearningState(is_held, newest_version(connection, site))


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


def _is_taken(row: Row[Any], at: float) -> bool:
    if row.learner is None or not at < row.learner_until <= at + LONGEST_S:
        return False
    return Owner.from_text(row.learner).is_alive()
