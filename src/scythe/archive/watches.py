"""The watched pages of an archive: add, move and end them, and find which are due."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Select, bindparam, func, insert, select, update

from scythe.archive.archive import Archive, from_row, in_parts, reads, upsert, write_rows, writes, writes_site
from scythe.archive.frontier import ALWAYS_DUE, add_found
from scythe.archive.host_leases import host_ids, of_kinds
from scythe.archive.results import WatchRow
from scythe.archive.schema import CURSORS, HOSTS, SITES, URLS, WATCHES, digest_text, moment, seconds, storable
from scythe.crawl_model import WATCHED, FoundUrl
from scythe.errors import BadInput
from scythe.url import Url

_ON = URLS.c.id == WATCHES.c.id
_LISTS = of_kinds(select(URLS.c.id), ["list"]).where(URLS.c.due_at.is_not(None))
_DUE = _LISTS.add_columns(URLS.c.site, URLS.c.due_at)
_DUE_SITES = of_kinds(select(URLS.c.site, func.min(URLS.c.due_at)), WATCHED).where(URLS.c.due_at.is_not(None))

_WIND = update(URLS).where(URLS.c.id == bindparam("of")).values(due_at=bindparam("due"), visited_at=bindparam("at"))
_FREE = update(HOSTS).where(HOSTS.c.id == bindparam("of")).values(free_at=bindparam("free"))
_COLUMNS = (
    *(WATCHES.c.id, WATCHES.c.site, WATCHES.c.options, WATCHES.c.notes, WATCHES.c.added_at, WATCHES.c.ended_at),
    *(SITES.c.key.label("site_key"), HOSTS.c.name.label("host"), URLS.c.url),
    *(URLS.c.state, URLS.c.why, URLS.c.attempts, URLS.c.due_at, URLS.c.visited_at),
)


@writes_site
def add_watch(connection: Connection, site: int, found: FoundUrl, options: str, *, now: datetime) -> int:
    """Watch a list page from now on and return its number; one that is known gets new options and is visited soon."""
    known, at = _find(connection, site, found), seconds(now)
    if known is None:
        found = replace(found, kind="list", key=_key(found))
        add_found(connection, [(site, [found], None)], at)
        known = _find(connection, site, found)
        row = {"id": known, "site": site, "options": storable(options), "added_at": at}
        connection.execute(insert(WATCHES).values(**row))
        return int(known or 0)
    ended = select(WATCHES.c.id).where(WATCHES.c.id == known, WATCHES.c.ended_at.is_not(None)).scalar_subquery()
    connection.execute(
        update(URLS).where(URLS.c.id == ended).values(state="retry", why="", attempts=0, due_at=ALWAYS_DUE)
    )
    connection.execute(update(WATCHES).where(WATCHES.c.id == known).values(options=storable(options), ended_at=None))
    return known


def end_watch(archive: Archive, watch: int, why: str) -> None:
    """Visit a list page no more; its records and lists stay. Raises BadInput where there is no such watch."""
    ended = {"state": "skipped", "why": storable(why), "due_at": None}
    now = seconds(datetime.now(UTC))
    with archive.writing(site_of(archive, watch)) as connection:
        connection.execute(update(URLS).where(URLS.c.id == watch).values(**ended))
        unended = update(WATCHES).where(WATCHES.c.id == watch, WATCHES.c.ended_at.is_(None))
        connection.execute(unended.values(ended_at=now))


def hasten_watch(archive: Archive, watch: int) -> bool:
    """Visit a list page as soon as its host may be asked; False: it is watched no longer. Raises BadInput."""
    query = update(URLS).where(URLS.c.id == watch, URLS.c.due_at.is_not(None)).values(due_at=ALWAYS_DUE)
    with archive.writing(site_of(archive, watch)) as connection:
        return connection.execute(query).rowcount == 1


def move_watch(archive: Archive, watch: int, url: Url, host: str) -> None:
    """Visit a list page at another address from now on; what the old one's server said of its age is forgotten."""
    host, site = storable(host), site_of(archive, watch)
    with archive.writing(site) as connection:
        number = host_ids(connection, {(site, host)})[host]
        moved = {"url": storable(url), "host": number, "etag": "", "modified": ""}
        connection.execute(update(URLS).where(URLS.c.id == watch).values(**moved))


@reads
def site_of(connection: Connection, watch: int) -> int:
    """Return the site of a watch, which never changes; raise BadInput where there is no such watch."""
    site = connection.execute(select(WATCHES.c.site).where(WATCHES.c.id == watch)).scalar()
    if site is None:
        raise BadInput(f"there is no watch {watch} in this archive")
    return int(site)


@reads
def load_watch(connection: Connection, watch: int) -> WatchRow | None:
    """Return a page that is, or was, watched, None if there is none of this number."""
    row = connection.execute(_rows().where(WATCHES.c.id == watch)).one_or_none()
    return None if row is None else from_row(WatchRow, row)


@reads
def watch_rows(connection: Connection, site: int | None = None, *, ended: bool = False) -> list[WatchRow]:
    """Return watched pages, of one site or of all, oldest first; with `ended` those too that were."""
    query = _rows().order_by(WATCHES.c.id)
    if site is not None:
        query = query.where(WATCHES.c.site == site)
    if not ended:
        query = query.where(WATCHES.c.ended_at.is_(None))
    return [from_row(WatchRow, row) for row in connection.execute(query)]


@reads
def due_watches(connection: Connection) -> list[tuple[int, int, datetime]]:
    """Return (watch, site, when it is due) of all that are watched and wait for a visit; 1970: at once."""
    return [(watch, site, moment(due)) for watch, site, due in connection.execute(_DUE)]


@reads
def due_sites(connection: Connection) -> dict[int, datetime]:
    """Return when the earliest list or document that is watched is due, by site: one question for all of them."""
    return {site: moment(due) for site, due in connection.execute(_DUE_SITES.group_by(URLS.c.site))}


@writes
def wind_watches(connection: Connection, now: datetime) -> int:
    """Move what a clock that was ahead put off: a visit that has not been yet took place now. Return how many."""
    at = seconds(now)
    query = _LISTS.add_columns(URLS.c.host, URLS.c.due_at, URLS.c.visited_at).where(URLS.c.visited_at > at)
    ahead = connection.execute(query).all()
    if not ahead:
        return 0
    last: dict[int, float] = {}
    for row in ahead:
        last[row.host] = max(row.visited_at, last.get(row.host, 0.0))
    _wind_hosts(connection, last, at)
    rows = [{"of": row.id, "due": at + row.due_at - row.visited_at, "at": at} for row in ahead if row.due_at > at]
    write_rows(connection, _WIND, rows)
    return len(rows)


def _wind_hosts(connection: Connection, last: Mapping[int, float], at: float) -> None:
    """Let hosts that were asked for the `last` time in the future wait no longer than they would have had to."""
    rows = []
    for some in in_parts(last):
        query = select(HOSTS.c.id, HOSTS.c.free_at).where(HOSTS.c.id.in_(some), HOSTS.c.free_at > at)
        rows += [{"of": host, "free": at + max(free - last[host], 0.0)} for host, free in connection.execute(query)]
    write_rows(connection, _FREE, rows)


@reads
def load_cursor(connection: Connection, name: str) -> int:
    """Return the number of the record that a reader of them, in turn, has come to; 0 at the beginning."""
    found = connection.execute(select(CURSORS.c.position).where(CURSORS.c.name == storable(name))).scalar()
    return int(found or 0)


@writes
def save_cursor(connection: Connection, name: str, position: int) -> None:
    """Put the position of a name in place of the one before."""
    row = {"name": storable(name), "position": position}
    connection.execute(upsert(connection, CURSORS, ("name",), ("position",)), row)


def _rows() -> Select[Any]:
    query: Select[Any] = select(*_COLUMNS).join_from(WATCHES, URLS, _ON).join(SITES, SITES.c.id == WATCHES.c.site)
    return query.join(HOSTS, HOSTS.c.id == URLS.c.host)


def _find(connection: Connection, site: int, found: FoundUrl) -> int | None:
    """Return the watch of an address: the one it was added with, or the one that its page moved to."""
    keyed = select(URLS.c.id).where(URLS.c.site == site, URLS.c.key == digest_text(_key(found)))
    known = connection.execute(keyed).scalar()
    if known is None:
        moved = select(WATCHES.c.id).join(URLS, _ON).where(WATCHES.c.site == site)
        known = connection.execute(moved.where(URLS.c.url == storable(found.url))).scalar()
    return known


def _key(found: FoundUrl) -> str:
    """Return what tells a list from the page at the same address that a crawl knows."""
    return found.key or f"list {found.url}"
