"""The records that are read out of an archive: what is wanted comes in, what was stored goes out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from scythe.model import Region
from scythe.url import Url


@dataclass(frozen=True, slots=True)
class Wanted:
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
    regions: tuple[Region, ...] = ()


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
