"""The records that queries of an archive take and return."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from scythe.model import RecordList
from scythe.url import Url
from scythe.watch_model import VisitPlan

WHAT = ("documents", "records")
ORDERS = ("best", "newest")


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What is looked for: each of these narrows it; without words, all there is, the newest first."""

    words: str = ""  # all must be there; "these together", begin*, -without
    what: str = "documents"  # one of WHAT
    sites: tuple[str, ...] = ()  # keys of sites
    kinds: tuple[str, ...] = ()  # what pages say they are: article, product, ...; of records: list, table, ...
    since: datetime | None = None  # fetched, or first seen, then or later
    until: datetime | None = None  # before
    order: str = "best"  # one of ORDERS
    all_versions: bool = False  # also what documents said before
    after: str = ""  # `Hits.next` of the page of results before
    count: int = 20  # results on a page


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of a text that was found."""

    text: str
    is_match: bool = False  # it was looked for


Pieces = tuple[Snippet, ...]


@dataclass(frozen=True, slots=True)
class DocumentHit:
    """A document that was found."""

    page: int  # its number in the archive
    version: int  # counted from 1
    versions: int  # of it in all
    site: str
    url: str
    kind: str
    language: str
    at: datetime  # when this version was fetched, UTC
    title: Pieces
    snippet: Pieces  # of its text, around what was looked for


@dataclass(frozen=True, slots=True)
class NamedPieces:
    """One text of a record."""

    name: str  # of its column
    pieces: Pieces


@dataclass(frozen=True, slots=True)
class RecordHit:
    """A record that was found."""

    record: int  # its number in the archive
    site: str
    page: str  # address where it was seen first
    kind: str
    at: datetime  # when it was seen first, UTC
    fields: tuple[NamedPieces, ...]
    links: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Hits:
    """A page of results."""

    documents: tuple[DocumentHit, ...] = ()
    records: tuple[RecordHit, ...] = ()
    total: int = 0  # that were found, up to a bound
    is_more: bool = False  # there are more than `total`
    next: str = ""  # where the next page begins; empty: this is the last
    pending: int = 0  # about so many are stored, but not in the index yet
    cut: int = 0  # documents, or records, that are found by their beginning only: they are very long
    left_out: int = 0  # words that were not looked for: there were too many


@dataclass(frozen=True, slots=True)
class PageQuery:
    """Which pages are wanted: each of these narrows it, and nothing given means all of them, newest versions only."""

    sites: tuple[str, ...] = ()  # keys of sites: their start hosts
    since: datetime | None = None  # UTC; fetched then or later
    until: datetime | None = None  # UTC; fetched before
    kinds: tuple[str, ...] = ()  # what pages say they are: article, product, ...; of records: list, table, ...
    matches: tuple[str, ...] = ()  # patterns of addresses, `*` stands for anything; one must match
    duplicates: bool = True  # also pages whose body or text another page of the archive has
    all_versions: bool = False  # also what a page said before


@dataclass(frozen=True, slots=True)
class StoredPage:
    """One page as the archive has it: one version of it, and what is known of the page as a whole."""

    page: int
    site: str
    url: Url
    fetched_at: datetime  # UTC, as all times here
    first_seen: datetime
    last_seen: datetime
    gone_at: datetime | None = None  # since when the server says that there is no such page
    status: int | None = None
    version: int = 1  # counted from 1, the oldest
    versions: int = 1  # of this page in all
    is_complete: bool = True  # False: the download ended early and there is no whole version
    duplicate_of: Url | None = None  # the page that has the same body or text
    title: str = ""
    text: str = ""
    markdown: str | None = None  # None: was not kept
    html: str | None = None
    rest: str = "{}"  # JSON object: metadata, images, attributes, paging, how, fields, losses, why
    kind: str = ""
    language: str = ""
    published: str = ""
    how: str = ""  # cut, tree, mixed, cold
    lists: tuple[RecordList, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """One record of a list, told from others by its own link or, without any, by its text."""

    record: int
    site: str
    page: Url  # where it was seen first
    kind: str
    columns: tuple[str, ...]
    fields: tuple[str, ...]  # one per column
    links: tuple[Url, ...]
    images: tuple[Url, ...]
    first_seen: datetime  # UTC
    last_seen: datetime
    sightings: int = 1  # how often it was seen, the first time included


@dataclass(frozen=True, slots=True)
class StoredRaw:
    """One response as it was kept."""

    url: Url
    fetched_at: datetime  # UTC
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes  # without content coding
    is_complete: bool = True  # False: the download ended early


@dataclass(frozen=True, slots=True)
class SiteRow:
    """One site of an archive."""

    id: int
    key: str
    start: Url
    added_at: datetime


@dataclass(frozen=True, slots=True)
class HostState:
    """What a holder learns when it renews its hold."""

    is_held: bool  # False: another process has it now; ask nothing more
    is_wanted: bool = False  # somebody waits for it


@dataclass(frozen=True, slots=True)
class LearningState:
    """How far the learning of a site has come, and whether it is the asker's to go on with."""

    is_held: bool  # False: another process learns it; take its profiles
    version: int  # of the newest profile; 0: there is none


@dataclass(frozen=True, slots=True)
class HostRow:
    """One host of a site that has addresses waiting."""

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
    host: str
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
class ListRow:
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
    plan: VisitPlan | None
    first_at: datetime
    seen_at: datetime  # when it was last there
    missing: int  # visits in a row without it
    looks: int  # visits that saw it
    records: int  # that were new, in all
    lost: int  # at least so many were missed, in all


@dataclass(frozen=True, slots=True)
class LookRow:
    """One list at one visit, and what was planned then."""

    id: int
    list_id: int
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
    plan: VisitPlan | None


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
