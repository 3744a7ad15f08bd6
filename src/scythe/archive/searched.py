"""The records of a search: what is looked for comes in, what was found goes out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

WHAT = ("documents", "records")
ORDERS = ("best", "newest")


@dataclass(frozen=True, slots=True)
class Search:
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
class Piece:
    """A piece of a text that was found."""

    text: str
    is_match: bool = False  # it was looked for


Pieces = tuple[Piece, ...]


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
