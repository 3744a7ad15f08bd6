"""Store Scrapy requests in an archive and hand them out, each until it is done.

A request in progress has an owner and an expiry, so those of a dead process are handed out again. Requests are JSON and
name no code: callbacks are methods of the spider; what cannot be written faithfully raises ValueError.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from inspect import getmembers, ismethod
from typing import Any
from zlib import crc32

from scrapy import FormRequest, Request, Spider
from scrapy.http import JsonRequest, XmlRpcRequest
from sqlalchemy import Connection, and_, bindparam, delete, exists, func, insert, literal_column, select, text, update

from scythe.archive.archive import Archive, in_parts, insert_new, write_rows
from scythe.archive.host_leases import LONGEST_S, Owner, hold_hosts, keep_hosts, leave_hosts, want_hosts
from scythe.archive.schema import REQUESTS, moment, seconds, storable

_CLASSES: dict[str, type[Request]] = {
    "Request": Request,
    "FormRequest": FormRequest,
    "JsonRequest": JsonRequest,
    "XmlRpcRequest": XmlRpcRequest,
}
_REQUEST_ROWS_NAMES = {made: name for name, made in _CLASSES.items()}
_METHODS = ("callback", "errback")
_DEFAULTS = {"method": "GET", "encoding": "utf-8"}
_MARK = "\x00"  # the key of a value that JSON does not know; no other dict may have it
_DEEPEST = 40  # levels of lists and dicts in one value: nobody writes more by hand


def dump_request(request: Request, spider: Spider) -> str:
    """Write a request. Raises ValueError where it has a callback that is not a method of the spider, or such values."""
    kind = _REQUEST_ROWS_NAMES.get(type(request))
    if kind is None:
        raise ValueError(f"requests of the class {type(request).__name__} cannot be written")
    row: dict[str, Any] = {"class": kind}
    for name in request.attributes:
        value = getattr(request, name)
        if kind == "Request" and (not value or value == _DEFAULTS.get(name)):
            continue  # most have an address and a callback, and that is all
        if name in _METHODS:
            row[name] = None if value is None else _name_of(spider, value)
        elif name == "headers":
            row[name] = [[_text(key), [_text(item) for item in items]] for key, items in request.headers.items()]
        else:
            row[name] = _write(value)
    return json.dumps(row, separators=(",", ":"))


def load_request(text: str, spider: Spider) -> Request:
    """Read what `dump_request` wrote. Raises ValueError where it is damaged, or the spider has no such method now."""
    row = json.loads(text)
    kind = _CLASSES.get(row.pop("class", ""))
    if kind is None:
        raise ValueError("the class of a stored request is not known")
    values: dict[str, Any] = {name: _read(value) for name, value in row.items() if name in kind.attributes}
    for name in _METHODS:
        if values.get(name) is not None:
            values[name] = _method_of(spider, values[name])
    values["headers"] = [(_bytes(key), [_bytes(item) for item in items]) for key, items in row.get("headers", ())]
    return kind(**values)


def _text(value: bytes) -> str:
    return value.decode("latin-1")  # one character for each byte, and back


def _bytes(value: str) -> bytes:
    return value.encode("latin-1")


def _name_of(spider: Spider, method: Callable[..., Any]) -> str:
    function = getattr(method, "__func__", None)
    name = getattr(method, "__name__", "")
    if function is not None and getattr(getattr(spider, name, None), "__func__", None) is function:
        return str(name)
    for name, other in getmembers(spider, ismethod) if function is not None else ():  # its name in the class differs
        if other.__func__ is function:
            return name
    raise ValueError(f"{method} is not a method of the spider {spider.name}")


def _method_of(spider: Spider, name: object) -> Any:
    method = getattr(spider, str(name), None)
    if not ismethod(method):
        raise ValueError(f"the spider {spider.name} has no method {name!r}")
    return method


def _write(value: Any, depth: int = 0) -> Any:
    if depth > _DEEPEST:
        raise ValueError("a value is nested too deeply")
    if value is None or type(value) in (bool, int, float):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bytes):
        return {_MARK: "bytes", "value": _text(value)}
    if type(value) in (list, tuple):
        written = [_write(item, depth + 1) for item in value]
        return written if type(value) is list else {_MARK: "tuple", "value": written}
    if type(value) is dict:
        if all(type(key) is str and key != _MARK for key in value):
            return {key: _write(item, depth + 1) for key, item in value.items()}
        return {
            _MARK: "dict",
            "value": [[_write(key, depth + 1), _write(item, depth + 1)] for key, item in value.items()],
        }
    raise ValueError(f"a value of the class {type(value).__name__} cannot be written")


def _read(value: Any) -> Any:
    if isinstance(value, list):
        return [_read(item) for item in value]
    if not isinstance(value, dict):
        return value
    kind, inner = value.get(_MARK), value.get("value")
    if kind is None:
        return {key: _read(item) for key, item in value.items()}
    if kind == "bytes":
        return _bytes(str(inner))
    if kind == "tuple":
        return tuple(_read(inner))
    if kind == "dict":
        return {_read(key): _read(item) for key, item in inner or ()}
    raise ValueError("a stored value is damaged")


HOSTS_AT_ONCE = 128  # hosts looked at for one turn: 10 ms where all of them are new
_NO_HOST = "-"  # the host of addresses like data:... : all names come after the empty one, which is none
_WAITS = REQUESTS.c.state == literal_column("'waiting'")  # in the words of the index
_NAMES = text(
    """
WITH RECURSIVE names(host, number) AS (
  SELECT min(host), 1 FROM requests WHERE crawl = :crawl AND state = 'waiting' AND host > :after
  UNION ALL
  SELECT (SELECT min(host) FROM requests WHERE crawl = :crawl AND state = 'waiting' AND host > names.host), number + 1
  FROM names WHERE names.host IS NOT NULL AND number < :most
) SELECT host FROM names WHERE host IS NOT NULL
"""
)


@dataclass(frozen=True, slots=True)
class NewRequest:
    """One request that was named."""

    key: bytes | None  # of two with the same key one is asked; None: it is asked whatever was asked before
    host: str
    url: str
    priority: int  # higher is sooner, within its host
    request: str  # as its crawler wrote it


@dataclass(frozen=True, slots=True)
class TakenRequest:
    """One request to ask now."""

    id: int
    host: str
    priority: int
    request: str


@dataclass(frozen=True, slots=True)
class Turn:
    """What a crawler tells its frontier, and wants of it, at once: all of it is stored, or nothing."""

    new: Sequence[NewRequest] = ()
    done: Sequence[int] = ()
    failed: Sequence[int] = ()
    given_back: Sequence[int] = ()
    want: int = 0  # requests, at most
    per_host: int = 16  # in hand of one host, at most
    in_hand: Mapping[str, int] = field(default_factory=dict)  # by host, those told of here left out


@dataclass(frozen=True, slots=True)
class Turned:
    """What came of a turn."""

    taken: tuple[TakenRequest, ...] = ()
    known: int = 0  # new requests that were there before
    lost: int = 0  # done or failed ones that another process has, or had, in hand: they are as it left them


@dataclass(frozen=True, slots=True)
class HeldRequests:
    """What is still held after a renewal."""

    ids: frozenset[int]
    promised: frozenset[str] = frozenset()  # hosts to take nothing from: another process waits for them


@dataclass(frozen=True, slots=True)
class Hold:
    """How long a process may be silent, and the pause that its hosts get; None: hosts are not held."""

    lease_s: float = 60.0
    pause_s: Callable[[str], float] | None = None


def _now() -> datetime:
    return datetime.now(UTC)


class Requests:
    """The requests of one crawl as one process sees them; one thread at a time."""

    def __init__(
        self, database: Archive, crawl: str, hold: Hold, owner: Owner, clock: Callable[[], datetime] = _now
    ) -> None:
        self._database = database
        self._crawl = storable(crawl)
        self._hold = hold
        self._clock = clock
        self._owner = owner
        self._me = owner.to_text()
        self._lock = 2**30 + crc32(self._crawl.encode()) % 2**30  # beside those of sites
        self._hosts: frozenset[str] = frozenset()  # held
        self._promised: frozenset[str] = frozenset()
        self._after = ""  # the host taken from last

    def count_waiting(self) -> int:
        """Count the requests that are not done, in whosever hand they are."""
        with self._database.reading() as connection:
            return int(connection.execute(select(func.count()).where(self._of_crawl(), _WAITS)).scalar_one())

    def has_waiting(self) -> bool:
        """Say whether any request is not done, in whosever hand it is."""
        with self._database.reading() as connection:
            return bool(connection.execute(select(exists().where(self._of_crawl(), _WAITS))).scalar_one())

    def forget(self) -> int:
        """Delete every request of the crawl; return how many there were."""
        with self._database.writing(self._lock) as connection:
            return connection.execute(delete(REQUESTS).where(self._of_crawl())).rowcount

    def ask_failed(self) -> int:
        """Let those that failed be asked again; return how many there are."""
        failed = and_(self._of_crawl(), REQUESTS.c.state == "failed")
        with self._database.writing(self._lock) as connection:
            again = update(REQUESTS).where(failed).values(state="waiting", ended_at=None)
            return connection.execute(again).rowcount

    def turn(self, turn: Turn) -> Turned:
        """Store what was named and what is done, and hand out what may be asked now, in one transaction."""
        with self._database.writing(self._lock) as connection:
            at = seconds(self._clock())
            known = self._add(connection, turn.new, at)
            lost = self._finish(connection, turn, at)
            held, taken = self._take(connection, turn, at)
            idle = held - turn.in_hand.keys() - {row.host for row in taken}
            if self._hold.pause_s is not None:
                leave_hosts(connection, {name: at + self._hold.pause_s(name) for name in idle}, self._owner)
        self._hosts = held - idle
        self._promised -= idle
        return Turned(tuple(taken), known, lost)

    def keep(self) -> HeldRequests:
        """Renew every hold. Call it several times per lease; what is not in the answer is another's now."""
        with self._database.writing(self._lock) as connection:
            now = self._clock()
            mine = update(REQUESTS).where(self._of_crawl(), _WAITS, REQUESTS.c.owner == self._me)
            kept = mine.values(until=seconds(now) + self._hold.lease_s).returning(REQUESTS.c.id)
            ids = frozenset(connection.execute(kept).scalars())
            wanted = keep_hosts(connection, self._hosts, self._owner, now=now, lease_s=self._hold.lease_s)
        self._hosts = frozenset(wanted)
        most = len(wanted) // 2  # never the last one: two processes would pass one host to and fro
        self._promised = frozenset(sorted(name for name, is_wanted in wanted.items() if is_wanted)[:most])
        return HeldRequests(ids, self._promised)

    def reclaim(self) -> int:
        """Take from processes that died, or were silent for too long, what they had in hand; return how many."""
        with self._database.writing(self._lock) as connection:
            return sum(self._reclaim(connection, row) for row in connection.execute(self._holders()).all())

    def want_hosts(self) -> None:
        """Ask other processes for some of their hosts: there is work, and none of it here."""
        if self._hold.pause_s is None:
            return
        with self._database.writing(self._lock) as connection:
            want_hosts(connection, self._next_hosts(connection), self._owner, now=self._clock())

    def leave(self, in_hand: Collection[int]) -> None:
        """Give back everything that is held; hosts with requests under way are free after their pause."""
        self.turn(Turn(given_back=tuple(in_hand)))

    def _of_crawl(self) -> Any:
        return REQUESTS.c.crawl == self._crawl

    def _add(self, connection: Connection, new: Sequence[NewRequest], at: float) -> int:
        fixed = {"crawl": self._crawl, "state": "waiting", "found_at": at}
        rows = [
            fixed
            | {"key": row.key, "host": storable(row.host) or _NO_HOST, "url": storable(row.url)}
            | {"priority": max(-(2**31), min(row.priority, 2**31 - 1)), "request": row.request}
            for row in new
        ]
        known: set[bytes] = set()
        for keys in in_parts([row.key for row in new if row.key is not None]):
            there = select(REQUESTS.c.key).where(self._of_crawl(), REQUESTS.c.key.in_(keys))
            known |= {bytes(key) for key in connection.execute(there).scalars()}
        fresh = [row for row in rows if row["key"] not in known]
        insert_new(connection, REQUESTS, [row for row in fresh if row["key"] is not None])
        write_rows(connection, _ANYHOW, [row for row in fresh if row["key"] is None])
        return len(rows) - len(fresh)

    def _finish(self, connection: Connection, turn: Turn, at: float) -> int:
        """Mark what is done, failed or given back where it still is in this process's hand; count what is not."""
        ended = {"owner": None, "until": None, "ended_at": at}
        lost = 0
        for ids in in_parts(turn.done):
            mine = and_(REQUESTS.c.id.in_(ids), REQUESTS.c.owner == self._me)
            # One that may be asked any number of times leaves nothing behind: others need not be told of it.
            gone = connection.execute(delete(REQUESTS).where(mine, REQUESTS.c.key.is_(None))).rowcount
            done = connection.execute(update(REQUESTS).where(mine).values(state="done", request="", **ended)).rowcount
            lost += len(ids) - gone - done
        for ids in in_parts(turn.failed):
            mine = and_(REQUESTS.c.id.in_(ids), REQUESTS.c.owner == self._me)
            lost += len(ids) - connection.execute(update(REQUESTS).where(mine).values(state="failed", **ended)).rowcount
        for ids in in_parts(turn.given_back):
            mine = and_(REQUESTS.c.id.in_(ids), REQUESTS.c.owner == self._me)
            connection.execute(update(REQUESTS).where(mine).values(owner=None, until=None))
        return lost

    def _take(self, connection: Connection, turn: Turn, at: float) -> tuple[frozenset[str], list[TakenRequest]]:
        """Return the hosts that are held now, and requests of them: from each host its share, in turn."""
        if turn.want <= 0:
            return self._hosts, []
        names = self._next_hosts(connection)
        full = {host for host, count in turn.in_hand.items() if count >= turn.per_host} | self._promised
        open_now = self._hold_some(connection, [name for name in names if name not in full], turn.want, at)
        taken: list[TakenRequest] = []
        for place, name in enumerate(open_now):
            share = -(-(turn.want - len(taken)) // (len(open_now) - place))
            most = min(share, turn.per_host - turn.in_hand.get(name, 0))
            found = connection.execute(_FREE, {"crawl": self._crawl, "host": name, "most": most}).all()
            taken += [TakenRequest(row.id, row.host, row.priority, row.request) for row in found]
        for ids in in_parts([row.id for row in taken]):
            in_hand = {"owner": self._me, "until": at + self._hold.lease_s}
            connection.execute(update(REQUESTS).where(REQUESTS.c.id.in_(ids)).values(in_hand))
        if names:
            self._after = open_now[-1] if len(open_now) >= turn.want else names[-1]
        return self._hosts if self._hold.pause_s is None else self._hosts | set(open_now), taken

    def _hold_some(self, connection: Connection, names: list[str], most: int, at: float) -> list[str]:
        """Return the hosts to take requests from, at most so many: one taken in vain would rest for nothing."""
        if self._hold.pause_s is None or not names:
            return names[:most]
        now, pause_s = moment(at), max(map(self._hold.pause_s, names))
        held = hold_hosts(connection, names, self._owner, now=now, pause_s=pause_s, most=most)
        keep_hosts(connection, held, self._owner, now=now, lease_s=self._hold.lease_s)
        return held

    def _next_hosts(self, connection: Connection) -> list[str]:
        """Return hosts with requests, beginning behind the last that was taken from: each has its turn."""
        asked = {"crawl": self._crawl, "after": self._after, "most": HOSTS_AT_ONCE}
        names = list(connection.execute(_NAMES, asked).scalars())
        if len(names) < HOSTS_AT_ONCE and self._after:
            first = connection.execute(_NAMES, asked | {"after": "", "most": HOSTS_AT_ONCE - len(names)}).scalars()
            names += [name for name in first if name <= self._after]
        return names

    def _holders(self) -> Any:
        # The index on what is in hand is small, however many requests wait.
        held = select(
            REQUESTS.c.owner, func.min(REQUESTS.c.until).label("first"), func.max(REQUESTS.c.until).label("last")
        )
        held = held.where(self._of_crawl(), _WAITS, REQUESTS.c.owner.is_not(None)).group_by(REQUESTS.c.owner)
        return held.with_hint(REQUESTS, "INDEXED BY requests_held", "sqlite")

    def _reclaim(self, connection: Connection, holder: Any) -> int:
        at = seconds(self._clock())
        if holder.owner == self._me:
            return 0
        theirs = and_(self._of_crawl(), _WAITS, REQUESTS.c.owner == holder.owner)
        if Owner.from_text(holder.owner).is_alive():
            if at < holder.first and holder.last <= at + LONGEST_S:
                return 0
            theirs = and_(theirs, (REQUESTS.c.until <= at) | (REQUESTS.c.until > at + LONGEST_S))
        return connection.execute(update(REQUESTS).where(theirs).values(owner=None, until=None)).rowcount


_ANYHOW = insert(REQUESTS)
_FREE = (
    select(REQUESTS.c.id, REQUESTS.c.host, REQUESTS.c.priority, REQUESTS.c.request)
    .where(REQUESTS.c.crawl == bindparam("crawl"), _WAITS, REQUESTS.c.host == bindparam("host"))
    .where(REQUESTS.c.owner.is_(None))
    .order_by(REQUESTS.c.priority.desc(), REQUESTS.c.id)
    .limit(bindparam("most"))
)
