"""Leases on hosts, so that each host is requested by one process at a time.

`now` is the caller's clock, and clocks jump: a lease that ends later than any lease can is treated as expired.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from pathlib import Path
from secrets import token_hex
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, func, or_, select, update

from scythe.archive.archive import insert_new, reads, writes
from scythe.archive.results import HostRow, HostState
from scythe.archive.schema import HOSTS, IS_WATCHED, SITE_HOSTS, URLS, moment, seconds
from scythe.crawl_model import CRAWLED, WATCHED, HostLease

_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Owner:
    """One process on one machine; `token` tells two users inside a process apart."""

    machine: str
    pid: int
    started: str  # when the process began, as the system counts; empty where it does not say
    token: str

    @classmethod
    def of_this_process(cls) -> Owner:
        """Return a new owner in this process."""
        return cls(this_machine(), os.getpid(), _started(os.getpid()), token_hex(8))

    def another(self) -> Owner:
        """Return another owner in the same process."""
        return replace(self, token=token_hex(8))

    @classmethod
    def from_text(cls, text: str) -> Owner:
        """Read what `to_text` wrote."""
        machine, pid, started, token = text.rsplit("|", 3)
        return cls(machine, int(pid), started, token)

    def to_text(self) -> str:
        return f"{self.machine}|{self.pid}|{self.started}|{self.token}"

    def is_alive(self) -> bool:
        """Say whether the process runs; of another machine nobody can tell, so it counts as running."""
        if self.machine != this_machine():
            return True
        if _PROC.is_dir():
            return _started(self.pid) == self.started
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:  # it is another user's, and it runs
            return True
        return True


@cache
def this_machine() -> str:
    """Name this machine since it was started, and the space its process numbers are counted in.

    Containers share the name of the boot, and often the host name, but not the process numbers.
    """
    parts = [platform.node()]
    try:
        parts.append((_PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip())
        parts.append(str((_PROC / "self/ns/pid").stat().st_ino))
    except OSError:  # no Linux: the host name has to do
        pass
    return "/".join(parts)


def _started(pid: int) -> str:
    """Return when process `pid` began, in clock ticks since boot; empty if it has ended or the system has no /proc."""
    try:
        stat = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    state, *rest = stat[stat.rfind(")") + 1 :].split()  # the name before may hold spaces and parentheses
    return "" if state in "ZX" else rest[18]


LONGEST_S = 86_400.0  # no pause and no hold is longer
LONGEST_LIST_S = 8 * LONGEST_S  # nor any wait for the next visit to a list: a week, and a day for a failure
WISH_S = 10.0  # a wish not renewed for so long is none


@writes
def take_host(
    connection: Connection,
    site: int,
    owner: Owner,
    *,
    now: datetime,
    lease_s: float = 60.0,
    kinds: Collection[str] = CRAWLED,
    due_by: datetime | None = None,
) -> HostLease | None:
    """Take a host of the site that has addresses due and that no living process holds; None if there is none.

    Those count that were due at `due_by`, or without it are now. Ask nothing after `lease_s` without `keep_host`: by
    then it may be another's.
    """
    at, me = seconds(now), owner.to_text()
    due = at if due_by is None else seconds(due_by)
    for row in connection.execute(_hosts_with_work(site, due, kinds).order_by(HOSTS.c.free_at)).all():
        if is_held(row.owner, row.until, at) or _is_promised(row, me, at):
            continue
        if _take(connection, row, me, at + min(lease_s, LONGEST_S)):
            return HostLease(row.name, site, _free_at(row, at), row.slow, is_left=row.owner is None)
    return None


def hold_hosts(
    connection: Connection, names: Sequence[str], owner: Owner, *, now: datetime, pause_s: float, most: int
) -> list[str]:
    """Take those of the hosts, in order, that nobody holds and that may be asked now; return at most so many held.

    One that was lost, not left, is free after a pause: nobody knows when its host was last asked. Call `keep_hosts`
    in the same transaction: a hold lasts no longer than this.
    """
    at, me = seconds(now), owner.to_text()
    known = _known(connection, sorted(names))
    insert_new(connection, HOSTS, [{"name": name} for name in sorted(names) if name not in known])
    rows = {row.name: row for row in connection.execute(select(HOSTS).where(HOSTS.c.name.in_(names)))}
    held: list[str] = []
    for row in map(rows.__getitem__, names):
        if len(held) >= most:
            break
        if row.owner == me:
            held.append(row.name)
        elif is_held(row.owner, row.until, at) or _is_promised(row, me, at):
            continue
        elif row.owner is not None:
            lost = update(HOSTS).where(HOSTS.c.id == row.id, HOSTS.c.owner == row.owner)
            connection.execute(lost.values(owner=None, until=None, free_at=at + pause_s))
        elif seconds(_free_at(row, at)) <= at and _take(connection, row, me, at):
            held.append(row.name)
    return held


def keep_hosts(
    connection: Connection, names: Collection[str], owner: Owner, *, now: datetime, lease_s: float
) -> dict[str, bool]:
    """Renew the holds on some hosts; return those that still are held, True where somebody waits for one."""
    at, me = seconds(now), owner.to_text()
    kept = connection.execute(
        update(HOSTS)
        .where(HOSTS.c.name.in_(sorted(names)), HOSTS.c.owner == me)
        .values(until=at + min(lease_s, LONGEST_S))
        .returning(HOSTS.c.name, HOSTS.c.wanted_by, HOSTS.c.wanted_at)
    ).all()
    return {row.name: row.wanted_by != me and _is_wish(row, at) for row in kept}


def want_hosts(connection: Connection, names: Collection[str], owner: Owner, *, now: datetime) -> None:
    """Put a wish down on those of the hosts that another holds, unless somebody was first."""
    rows = connection.execute(select(HOSTS).where(HOSTS.c.name.in_(sorted(names))).order_by(HOSTS.c.name)).all()
    _wish(connection, rows, owner.to_text(), seconds(now))


@writes
def keep_host(
    connection: Connection, host: HostLease, owner: Owner, *, now: datetime, lease_s: float = 60.0
) -> HostState:
    """Renew a hold; say whether it still is one, and whether somebody waits."""
    kept = keep_hosts(connection, [host.name], owner, now=now, lease_s=lease_s)
    return HostState(is_held=host.name in kept, is_wanted=kept.get(host.name, False))


@writes
def want_host(
    connection: Connection, site: int, owner: Owner, *, now: datetime, kinds: Collection[str] = CRAWLED
) -> None:
    """Put a wish down on every host of the site with work that another holds, unless somebody was first."""
    at = seconds(now)
    _wish(connection, connection.execute(_hosts_with_work(site, at, kinds)).all(), owner.to_text(), at)


@writes
def leave_host(connection: Connection, host: HostLease, owner: Owner, *, free_at: datetime, slow: float) -> None:
    """Give a host back with what the next holder must heed; nothing happens where it was lost before."""
    connection.execute(
        update(HOSTS)
        .where(HOSTS.c.name == host.name, HOSTS.c.owner == owner.to_text())
        .values(owner=None, until=None, free_at=seconds(free_at), slow=slow)
    )


def leave_hosts(connection: Connection, free_at: Mapping[str, float], owner: Owner) -> None:
    """Give hosts back, each with when it may next be asked; nothing happens to one that was lost before."""
    for name, at in sorted(free_at.items()):
        held = update(HOSTS).where(HOSTS.c.name == name, HOSTS.c.owner == owner.to_text())
        connection.execute(held.values(owner=None, until=None, free_at=at))


@reads
def host_rows(
    connection: Connection, site: int, *, now: datetime, kinds: Collection[str] = CRAWLED, idle: bool = False
) -> list[HostRow]:
    """Return the hosts of a site that have addresses waiting, due or not, and who holds them now; with `idle` all."""
    at = seconds(now)
    waiting = (
        of_kinds(select(URLS.c.host, func.count().label("waiting")), kinds)
        .where(URLS.c.site == site, URLS.c.due_at.is_not(None))
        .group_by(URLS.c.host)
        .subquery()
    )
    query = select(HOSTS, func.coalesce(waiting.c.waiting, 0).label("waiting"))
    query = query.join(SITE_HOSTS, SITE_HOSTS.c.host == HOSTS.c.id).where(SITE_HOSTS.c.site == site)
    rows = connection.execute(query.join(waiting, waiting.c.host == HOSTS.c.id, isouter=idle))
    return [
        HostRow(
            row.name, row.waiting, row.owner if is_held(row.owner, row.until, at) else "", _free_at(row, at), row.slow
        )
        for row in rows.all()
    ]


def host_ids(connection: Connection, wanted: set[tuple[int, str]]) -> dict[str, int]:
    """Return the number of each host by name, new ones made; `wanted` are pairs of site and host."""
    names = sorted({name for _, name in wanted})
    known = _known(connection, names)
    if len(known) < len(names):
        insert_new(connection, HOSTS, [{"name": name} for name in names if name not in known])
        known = _known(connection, names)
    pairs = [{"site": site, "host": known[name]} for site, name in sorted(wanted)]
    insert_new(connection, SITE_HOSTS, pairs)
    return known


def is_due(at: float) -> ColumnElement[bool]:
    """Return the condition that an address is to be visited at `at`."""
    too_far = or_(URLS.c.due_at > at + LONGEST_LIST_S, and_(URLS.c.due_at > at + LONGEST_S, URLS.c.kind != "list"))
    return and_(URLS.c.due_at.is_not(None), or_(URLS.c.due_at <= at, too_far))


def of_kinds(query: Select[Any], kinds: Collection[str]) -> Select[Any]:
    """Return a query for waiting addresses that looks at some kinds only, by the index that has the fewest others."""
    query = query.where(URLS.c.kind.in_(sorted(kinds)))
    if set(kinds) <= set(WATCHED):
        query = query.where(IS_WATCHED).with_hint(URLS, "INDEXED BY urls_watched", "sqlite")
    return query


def _hosts_with_work(site: int, at: float, kinds: Collection[str]) -> Select[Any]:
    waiting = of_kinds(select(URLS.c.id), kinds)
    work = waiting.where(URLS.c.site == site, URLS.c.host == HOSTS.c.id, is_due(at)).exists()
    return select(HOSTS).join(SITE_HOSTS, SITE_HOSTS.c.host == HOSTS.c.id).where(SITE_HOSTS.c.site == site, work)


def _take(connection: Connection, row: Row[Any], me: str, until: float) -> bool:
    """Take a host that is as it was read; False: another was faster."""
    taken = connection.execute(
        update(HOSTS)
        .where(HOSTS.c.id == row.id, HOSTS.c.owner.is_not_distinct_from(row.owner))
        .where(HOSTS.c.until.is_not_distinct_from(row.until))
        .values(owner=me, until=until, wanted_by=None, wanted_at=None)
    )
    return taken.rowcount == 1


def _wish(connection: Connection, rows: Sequence[Row[Any]], me: str, at: float) -> None:
    for row in rows:
        if row.owner in (None, me) or (_is_wish(row, at) and row.wanted_by != me):
            continue
        connection.execute(update(HOSTS).where(HOSTS.c.id == row.id).values(wanted_by=me, wanted_at=at))


def is_held(owner: str | None, until: float, at: float) -> bool:
    """Say whether a living process holds something, and not for longer than anybody may."""
    return owner is not None and at < until <= at + LONGEST_S and Owner.from_text(owner).is_alive()


def _free_at(row: Row[Any], at: float) -> datetime:
    return moment(row.free_at if row.free_at - at <= LONGEST_S else at)


def _is_wish(row: Row[Any], at: float) -> bool:
    return row.wanted_by is not None and abs(at - row.wanted_at) < WISH_S and Owner.from_text(row.wanted_by).is_alive()


def _is_promised(row: Row[Any], me: str, at: float) -> bool:
    """Say whether another process waits, so that who gave a host away does not take it back at once."""
    return row.wanted_by != me and _is_wish(row, at)


def _known(connection: Connection, names: list[str]) -> dict[str, int]:
    return {
        row.name: row.id for row in connection.execute(select(HOSTS.c.name, HOSTS.c.id).where(HOSTS.c.name.in_(names)))
    }
