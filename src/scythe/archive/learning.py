"""Who may learn a site: one process at a time, so that no two write profiles against each other.

As with lanes, `now` is the caller's clock, and a right that lasts longer than any may is taken as over.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, select, update

from scythe.archive.hashes import seconds
from scythe.archive.lanes import LONGEST_S
from scythe.archive.owner import Owner
from scythe.archive.profiles import newest_version, save_profile
from scythe.archive.rows import Lesson
from scythe.archive.schema import SITES


def claim_learning(connection: Connection, site: int, owner: Owner, *, now: datetime, lease_s: float) -> Lesson:
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
    return Lesson(is_held, newest_version(connection, site))


def leave_learning(connection: Connection, site: int, owner: Owner) -> None:
    """Give the right back; nothing happens where it was lost before."""
    held = update(SITES).where(SITES.c.id == site, SITES.c.learner == owner.to_text())
    connection.execute(held.values(learner=None, learner_until=None))


def save_learned(connection: Connection, site: int, profile: str, owner: Owner, after: int, at: float) -> int | None:
    """Store what the one who has the right learned from version `after`; None where either is no longer so."""
    row = connection.execute(_rights(site)).one()
    if row.learner != owner.to_text() or newest_version(connection, site) != after:
        return None
    return save_profile(connection, site, profile, at)


def learner_of(connection: Connection, site: int, now: datetime) -> str:
    """Return who has the right now, as Owner.to_text writes it; empty: nobody."""
    row = connection.execute(_rights(site)).one()
    return str(row.learner) if _is_taken(row, seconds(now)) else ""


def _rights(site: int) -> Select[Any]:
    return select(SITES.c.learner, SITES.c.learner_until).where(SITES.c.id == site)


def _is_taken(row: Row[Any], at: float) -> bool:
    if row.learner is None or not at < row.learner_until <= at + LONGEST_S:
        return False
    return Owner.from_text(row.learner).is_alive()
