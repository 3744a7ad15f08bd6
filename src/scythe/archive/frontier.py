"""The frontier: URLs found, URLs due, and their states."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, bindparam, func, insert, select, update

from scythe.archive.archive import by_site, from_row, reads, write_rows, writes_site
from scythe.archive.host_leases import host_ids, is_due, of_kinds
from scythe.archive.schema import HOSTS, PAGES, URLS, digest_text, moment, seconds, storable
from scythe.crawl_model import CRAWLED, FoundUrl, Task

ALWAYS_DUE = 0.0  # of addresses that need not wait: no clock is so wrong that they would

_INSERT = insert(URLS)
_FOLLOW = (
    update(URLS)
    .where(URLS.c.site == bindparam("of"), URLS.c.key == bindparam("named"))
    .where(URLS.c.kind == "page", URLS.c.due_at.is_not(None))
    .values(kind="item", rank=bindparam("order"))
)
_WAITING_NOW = select(URLS.c.id, URLS.c.due_at).where(
    URLS.c.id.in_(bindparam("ids", expanding=True)), URLS.c.due_at.is_not(None)
)


def add_found(
    connection: Connection, named: Sequence[tuple[int, Sequence[FoundUrl], int | None]], at: float
) -> list[int]:
    """Add addresses, each of `named` being (site, addresses, who named them); return how many of each were new."""
    wanted: dict[tuple[int, bytes], tuple[FoundUrl, int | None, int]] = {}
    for source, (site, found, by) in enumerate(named):
        for one in found:
            wanted.setdefault((site, digest_text(one.key or one.url)), (one, by, source))
    follow = []
    for site, key in _known(connection, wanted):
        one, _, _ = wanted.pop((site, key))
        if one.kind == "item":  # a watch must not wait until a crawl comes to it
            follow.append({"of": site, "named": key, "order": one.rank})
    write_rows(connection, _FOLLOW, follow)
    counts = [0] * len(named)
    if not wanted:
        return counts
    hosts = host_ids(connection, {(site, storable(one.host)) for (site, _), (one, _, _) in wanted.items()})
    rows = []
    for (site, key), (one, by, source) in wanted.items():
        counts[source] += 1
        rows.append(_row(site, key, one, hosts[storable(one.host)], by, at))
    write_rows(connection, _INSERT, rows)
    return counts


@writes_site
def add_urls(connection: Connection, site: int, found: Sequence[FoundUrl]) -> int:
    """Add addresses to a site's frontier; return how many were new."""
    return add_found(connection, [(site, found, None)], seconds(datetime.now(UTC)))[0]


@reads
def next_tasks(
    connection: Connection,
    site: int,
    host: str,
    count: int,
    *,
    now: datetime,
    skip: Collection[int] = (),
    kinds: Collection[str] = CRAWLED,
) -> list[Task]:
    """Return up to `count` addresses of a host that are due and not in `skip`, by rank, depth and age."""
    # with the host as a number, not by a join, the index gives the order and PostgreSQL sorts nothing
    number = connection.execute(select(HOSTS.c.id).where(HOSTS.c.name == storable(host))).scalar()
    query = (
        of_kinds(select(URLS, PAGES.c.body_hash.label("body_hash")), kinds)
        .outerjoin(PAGES, PAGES.c.id == URLS.c.id)
        .where(URLS.c.site == site, URLS.c.host == number, is_due(seconds(now)))
        .order_by(URLS.c.rank, URLS.c.depth, URLS.c.id)
        .limit(count + len(skip))
    )
    rows = [row for row in connection.execute(query) if row.id not in skip][:count]
    return [_task(row, host) for row in rows]


@reads
def next_due(connection: Connection, site: int, kinds: Collection[str] = CRAWLED) -> datetime | None:
    """Return when the earliest waiting address of a site is due, 1970 for new ones; None if none waits."""
    waiting = (URLS.c.site == site, URLS.c.due_at.is_not(None))
    new = of_kinds(select(URLS.c.due_at), kinds).where(*waiting, URLS.c.due_at == ALWAYS_DUE).limit(1)
    due = connection.execute(new).scalar()  # near the front, mostly
    if due is None:
        due = connection.execute(of_kinds(select(func.min(URLS.c.due_at)), kinds).where(*waiting)).scalar()
    return None if due is None else moment(due)


@writes_site
def requeue(connection: Connection, site: int, states: Collection[str] = ("done",)) -> int:
    """Let addresses that had a state wait again, but for lists: those are for who watches them; return how many."""
    again = update(URLS).where(URLS.c.site == site, URLS.c.state.in_(states), URLS.c.due_at.is_(None))
    again = again.where(URLS.c.kind != "list")
    return connection.execute(again.values(state="retry", due_at=ALWAYS_DUE, attempts=0)).rowcount


@writes_site
def expect_visit(connection: Connection, site: int, found: FoundUrl, *, now: datetime) -> Task:
    """Let an address wait, known or not, for a visit that was made by other means, and return it."""
    add_found(connection, [(site, [found], None)], seconds(now))
    of = (URLS.c.site == site, URLS.c.key == digest_text(found.key or found.url))
    again = update(URLS).where(*of, URLS.c.due_at.is_(None))
    connection.execute(again.values(state="retry", due_at=ALWAYS_DUE, attempts=0))
    query = select(URLS, PAGES.c.body_hash.label("body_hash")).outerjoin(PAGES, PAGES.c.id == URLS.c.id).where(*of)
    return _task(connection.execute(query).one(), found.host)


def waiting_among(connection: Connection, tasks: Collection[int]) -> dict[int, float]:
    """Return which of these addresses still wait for a visit, and since or until when."""
    return {row.id: row.due_at for row in connection.execute(_WAITING_NOW, {"ids": list(tasks)})}


def _known(connection: Connection, wanted: Iterable[tuple[int, bytes]]) -> list[tuple[int, bytes]]:
    known = []
    for site, keys in by_site(wanted):
        query = select(URLS.c.key).where(URLS.c.site == site, URLS.c.key.in_(keys))
        known += [(site, bytes(key)) for key in connection.execute(query).scalars()]
    return known


def _row(site: int, key: bytes, found: FoundUrl, host: int, by: int | None, at: float) -> dict[str, Any]:
    said = {name: getattr(found, name) for name in ("how", "kind", "depth", "hops", "rank")}
    place = {"site": site, "host": host, "key": key, "url": storable(found.url)}
    return place | said | {"state": "new", "due_at": ALWAYS_DUE, "found_on": by, "found_at": at}


def _task(row: Any, host: str) -> Task:
    return from_row(Task, row, host=host, body_hash=bytes(row.body_hash or b""))
