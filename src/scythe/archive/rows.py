"""What an archive hands out about itself: sites, lanes, robots.txt as it was fetched, watches and their regions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from scythe.url import Url
from scythe.watched import Plan


@dataclass(frozen=True, slots=True)
class SiteRow:
    """One site of an archive."""

    id: int
    key: str
    start: Url
    added_at: datetime


@dataclass(frozen=True, slots=True)
class LaneState:
    """What a holder learns when it renews its hold."""

    is_held: bool  # False: another process has it now; ask nothing more
    is_wanted: bool = False  # somebody waits for it


@dataclass(frozen=True, slots=True)
class Lesson:
    """How far the learning of a site has come, and whether it is the asker's to go on with."""

    is_held: bool  # False: another process learns it; take its profiles
    version: int  # of the newest profile; 0: there is none


@dataclass(frozen=True, slots=True)
class LaneRow:
    """One lane of a site that has addresses waiting."""

    name: str
    waiting: int
    owner: str  # empty: nobody holds it
    free_at: datetime
    slow: float


@dataclass(frozen=True, slots=True)
class StoredRobots:
    """A robots.txt as it was last fetched from an origin."""

    origin: str
    status: int | None  # None: no answer
    body: bytes
    fetched_at: datetime


@dataclass(frozen=True, slots=True)
class WatchRow:
    """One list page that is, or was, watched."""

    id: int  # of its address
    site: int
    site_key: str
    url: Url
    lane: str
    options: str  # JSON
    notes: str  # JSON, or empty
    state: str  # of its address, one of visits.STATES
    why: str
    attempts: int  # visits in a row that failed
    due_at: datetime | None  # 1970: at once; None: it is not to be visited
    visited_at: datetime | None
    added_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class RegionRow:
    """What repeats on a watched page, as the last visit left it."""

    id: int
    watch: int
    number: int
    name: str
    kind: str
    pattern: str
    columns: tuple[str, ...]
    shapes: tuple[str, ...]
    newest: tuple[str, ...]
    sticky: tuple[str, ...]
    rank: int
    shown: int  # records, when it was last there
    has_gap: bool
    estimator: str  # JSON
    plan: Plan | None
    first_at: datetime
    seen_at: datetime  # when it was last there
    missing: int  # visits in a row without it
    looks: int  # visits that saw it
    records: int  # that were new, in all
    lost: int  # at least so many were missed, in all


@dataclass(frozen=True, slots=True)
class LookRow:
    """One region at one visit, and what was planned then."""

    id: int
    region: int
    at: datetime
    since_s: float | None
    shown: int | None  # None: it was not there
    new: int
    known: int
    recovered: int
    lost: int
    is_full: bool
    has_gap: bool
    requests: int
    plan: Plan | None


@dataclass(frozen=True, slots=True)
class PlanRow:
    """A region with its page and the last look at it: what a plan shows."""

    region: RegionRow
    site_key: str
    url: Url
    due_at: datetime | None  # as in WatchRow
    visited_at: datetime | None
    look: LookRow | None


@dataclass(frozen=True, slots=True)
class AssignmentRow:
    """A site that was handed over to workers."""

    id: int  # 0: it has none yet
    site: int
    site_key: str
    kind: str  # crawl or watch
    start: str
    options: str  # JSON
    added_at: datetime  # handed over, or handed over again
    state: str = "open"  # or done, failed, cancelled
    why: str = ""
    attempts: int = 0  # in a row that failed
    began_at: datetime | None = None  # the last attempt
    ended_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class WorkerRow:
    """A process that works on what was handed over, as it last said of itself."""

    owner: str  # Owner.to_text
    name: str
    made_by: str  # version of scythe
    heartbeat_s: float  # silent for longer: it counts as gone
    places: int  # sites at once
    sites: tuple[str, ...]  # keys of those it works on
    number: int | None  # by which the job engine knows it
    began_at: datetime
    seen_at: datetime


@dataclass(frozen=True, slots=True)
class RecordKey:
    """How an archive knows a record of a page, and whether it has it."""

    key: str  # hex
    is_known: bool
