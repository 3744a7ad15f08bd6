"""What was learned of a site and what its hosts allow: profiles with their history, robots.txt as last fetched."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, func, insert, select
from sqlalchemy.dialects import postgresql, sqlite

from scythe.archive.hashes import moment, seconds, storable
from scythe.archive.rows import StoredRobots
from scythe.archive.schema import PROFILES, ROBOTS


def save_profile(connection: Connection, site: int, profile: str, at: float) -> int:
    """Store a profile as the newest version unless it is that already; return the version."""
    profile = storable(profile)
    newest = newest_version(connection, site)
    if newest and load_profile(connection, site, newest) == profile:
        return newest
    connection.execute(insert(PROFILES).values(site=site, version=newest + 1, profile=profile, at=at))
    return newest + 1


def newest_version(connection: Connection, site: int) -> int:
    """Return the number of the newest profile of a site, 0 where there is none."""
    return int(connection.execute(select(func.max(PROFILES.c.version)).where(PROFILES.c.site == site)).scalar() or 0)


def load_profile(connection: Connection, site: int, version: int | None) -> str | None:
    """Return a version of a site's profile, the newest if None; None where there is none."""
    query = select(PROFILES.c.profile).where(PROFILES.c.site == site)
    if version is not None:
        query = query.where(PROFILES.c.version == version)
    found = connection.execute(query.order_by(PROFILES.c.version.desc()).limit(1)).scalar()
    return None if found is None else str(found)


def load_robots(connection: Connection, origin: str) -> StoredRobots | None:
    row = connection.execute(select(ROBOTS).where(ROBOTS.c.origin == storable(origin))).one_or_none()
    return None if row is None else StoredRobots(row.origin, row.status, bytes(row.body), moment(row.fetched_at))


def save_robots(connection: Connection, robots: StoredRobots) -> None:
    """Put the robots.txt of an origin in place of the one before."""
    row = {
        "origin": storable(robots.origin),
        "status": robots.status,
        "body": robots.body,
        "fetched_at": seconds(robots.fetched_at),
    }
    connection.execute(_SAVE[connection.dialect.name], row)


def _upsert(of: Any) -> Any:
    new = of.insert(ROBOTS)
    changed = {name: new.excluded[name] for name in ("status", "body", "fetched_at")}
    return new.on_conflict_do_update(index_elements=["origin"], set_=changed)


_SAVE = {"sqlite": _upsert(sqlite), "postgresql": _upsert(postgresql)}
