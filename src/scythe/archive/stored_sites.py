"""The sites of an archive: their numbers, starts and notes."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import Connection, select, update

from scythe.archive.archive import insert_new, reads, writes, writes_site
from scythe.archive.results import SiteRow
from scythe.archive.schema import PROFILES, SITES, moment, seconds, storable
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
    rows = connection.execute(select(SITES).order_by(SITES.c.id)).all()
    return [SiteRow(row.id, row.key, Url(row.start), moment(row.added_at)) for row in rows]


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
