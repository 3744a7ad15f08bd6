"""The records of a crawl: URLs found, tasks, extracted content, outcomes of visits and the archive's receipts.

FoundUrl -> archive -> Task -> fetch -> Response -> extract -> Extracted -> Outcome -> archive -> Receipt
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from scythe.model import RecordList
from scythe.url import Url
from scythe.watch_model import Observation, VisitPlan

# What an address is: of these, only "new" and "retry" will be asked for.
STATES = ("new", "retry", "done", "redirect", "failed", "gone", "refused", "skipped", "other")
WAITING = ("new", "retry")
KINDS = ("page", "sitemap", "feed", "item", "list")  # item: the page of a record; list: a page that is watched
CRAWLED = ("page", "sitemap", "feed", "item")  # what a crawl asks for
WATCHED = ("list", "item")  # what a watch asks for


@dataclass(frozen=True, slots=True)
class FoundUrl:
    """One address somebody or some page named."""

    url: Url  # as it is asked for
    host: str  # addresses of one host are asked one after the other, with a pause: host, and port where it is unusual
    how: str = "link"  # start, link, paging, sitemap, feed, redirect
    kind: str = "page"  # what is expected there, one of KINDS
    depth: int = 0  # links between it and a start
    hops: int = 0  # redirects in a row that led there
    rank: int = 0  # lower is asked for sooner, within its host
    key: str = ""  # two addresses with the same key are one page; empty: the address itself


@dataclass(frozen=True, slots=True)
class Task:
    """One address to visit, as the archive hands it out."""

    id: int
    site: int
    url: Url
    host: str
    kind: str = "page"
    depth: int = 0
    hops: int = 0
    attempts: int = 0  # visits that failed before
    etag: str = ""  # what the server said last time, to ask whether it changed
    modified: str = ""
    body_hash: bytes = b""  # of the newest version archived, empty where there is none
    rank: int = 0  # those of a lower one come first


@dataclass(frozen=True, slots=True)
class Extracted:
    """What was extracted from one page, as plain values that can be stored."""

    title: str = ""
    text: str = ""
    markdown: str | None = None  # None: was not asked for
    html: str | None = None
    rest: str = "{}"  # JSON object: metadata, images, attributes, paging, how, fields, losses, why
    kind: str = ""  # what the page says it is (Metadata.kind)
    language: str = ""
    published: str = ""
    how: str = "cold"  # cut, tree, mixed (of a learned site), cold (nothing was learned yet)
    cut_fields: int = 0
    tree_fields: int = 0
    missing_fields: int = 0
    simhash: int | None = None  # of the text, unsigned 64 bit; None where there is too little text
    lists: tuple[RecordList, ...] = ()
    profile: int | None = None  # version of the site's profile by which it was got; 0: nothing was learned yet


@dataclass(frozen=True, slots=True)
class Raw:
    """A response as it came, to be kept."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes  # without content coding


@dataclass(frozen=True, slots=True)
class Looked:
    """One list of a watched page after a visit, as it is to be kept."""

    number: int  # of the list on its page, 1, 2, ...; never given to another
    seen: Observation | None  # None: the list was not there this time
    plan: VisitPlan | None = None  # None: it does not matter for the next visit any more
    name: str = ""  # what people call it
    kind: str = "list"
    pattern: str = ""
    columns: tuple[str, ...] = ()
    shapes: tuple[str, ...] = ()  # of its records' own addresses
    rank: int = 0  # place among the lists of its page
    newest: tuple[str, ...] = ()  # keys of the records by which the next visit proves that it missed none
    sticky: tuple[str, ...] = ()  # keys of those that stay however much comes: they prove nothing
    known: int = 0  # records seen again
    recovered: int = 0  # new ones that only older pages still had
    lost: int = 0  # at least so many were missed, as far as anybody can tell
    has_gap: bool = False  # the overlap is gone and not found again yet
    estimator: str = "{}"  # JSON, as Estimator.to_plain gives it


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one visit. It is stored whole or not at all."""

    task: Task
    state: str  # of the address from now on, one of STATES
    at: datetime  # when the answer began, UTC
    why: str = ""
    status: int | None = None  # None: no answer
    seconds: float = 0.0
    size: int = 0  # bytes of the body
    content_type: str = ""
    etag: str = ""
    modified: str = ""
    is_unchanged: bool = False  # the server said so (304)
    body_hash: bytes = b""
    cut_at_bytes: int | None = None  # the body is not whole: never a complete version, never a change
    retry_at: datetime | None = None  # state "retry": not before
    is_counted: bool = True  # among the attempts at the address; False: it was no fault of its own that it failed
    extracted: Extracted | None = None
    raw: Raw | None = None
    found: tuple[FoundUrl, ...] = ()
    looked: tuple[Looked, ...] = ()  # of a list: its lists, those included that were not there
    notes: str | None = None  # of a list: what its watch keeps in mind, JSON; None: as before


@dataclass(frozen=True, slots=True)
class Receipt:
    """What the archive made of one outcome."""

    task: Task
    stored: str = ""  # new, changed, same, duplicate (of another page), cut; empty: no page; "lost": it was done before
    page: int | None = None
    version: int | None = None
    duplicate_of: int | None = None  # page with the same body or text
    near: int | None = None  # page whose text is nearly the same
    found: int = 0  # addresses that were new
    records: int = 0  # that were new
    fresh: tuple[int, ...] = ()  # of a list: the numbers of those that were new, in the order of the page
    sightings: int = 0  # of records, the new ones included


@dataclass(frozen=True, slots=True)
class HostLease:
    """The right to ask one host, held until it is given back or runs out."""

    name: str
    site: int
    free_at: datetime  # no request before
    slow: float = 1.0  # how many times slower than usual its server wants it
    is_left: bool = True  # False: its last holder vanished and may have asked just now, so begin with a whole pause


@dataclass(frozen=True, slots=True)
class ArchiveCounts:
    """What an archive holds of one site (or of all)."""

    states: dict[str, int] = field(default_factory=dict)  # addresses by state
    pages: int = 0
    versions: int = 0
    records: int = 0
    sightings: int = 0
    fetches: int = 0
