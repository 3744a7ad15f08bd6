"""What is told of one archived document or record: what the archive has comes in, plain values go out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from scythe.archive.history import PageHistory, RecordHistory, SightingSeen
from scythe.archive.searched import NamedPieces, Piece, RecordHit
from scythe.archive.stored import StoredPage, StoredRecord
from scythe.crawling.documents import to_document
from scythe.model import Document

_COLUMNS = 12  # of one table of records
_STATED = ("description", "author", "published", "modified", "language", "site_name", "kind", "canonical", "image")


@dataclass(frozen=True, slots=True)
class ArchivedImage:
    """One image of a document."""

    src: str
    alt: str
    caption: str
    is_relevant: bool
    score: float


@dataclass(frozen=True, slots=True)
class ArchivedRecord:
    """One record, told from others by its own link or, without any, by its text."""

    record: int  # its number
    site: str
    page: str  # address where it was seen first
    kind: str
    fields: dict[str, str]  # by the names of their columns
    links: tuple[str, ...]
    images: tuple[str, ...]
    first_seen: datetime
    last_seen: datetime
    sightings: int  # how often it was seen


@dataclass(frozen=True, slots=True)
class ArchivedDocument:
    """One version of a document, and what happened to it."""

    page: int
    site: str
    url: str
    version: int  # counted from 1, the oldest
    fetched_at: datetime
    title: str
    text: str
    chars: int  # of the whole text
    markdown: str | None  # None: was not kept
    kind: str
    language: str
    published: str
    via: str  # cut, tree, mixed, cold
    is_complete: bool
    duplicate_of: str | None
    metadata: dict[str, str]  # what the page says of itself
    fields: dict[str, tuple[str, ...]]  # what was learned to be taken from it
    attributes: tuple[tuple[str, str], ...]
    images: tuple[ArchivedImage, ...]
    how: dict[str, str]  # how each field was got
    losses: tuple[str, ...]  # what a limit cut off
    history: PageHistory
    records: tuple[ArchivedRecord, ...]  # that the last visit saw on it


@dataclass(frozen=True, slots=True)
class RecordSeenOften:
    """One record, with every page it was seen on."""

    record: ArchivedRecord
    told_by: str  # what makes it itself: links, fields, both
    first_page: int
    sightings: tuple[SightingSeen, ...]
    seen_on: int  # pages in all
    neighbours: tuple[ArchivedRecord, ...]  # beside it where it was last seen, itself included


@dataclass(frozen=True, slots=True)
class Sheet:
    """Records with the same columns, one a row."""

    site: str  # empty: of several, told with each record
    page: str  # where all were seen first; empty: on several
    kind: str
    columns: tuple[str, ...]
    rows: tuple[tuple[RecordHit, tuple[tuple[Piece, ...], ...]], ...]  # a record, and a cell for each column


def tell_document(
    stored: StoredPage, history: PageHistory, records: Iterable[StoredRecord], most: int
) -> ArchivedDocument:
    """Return all that is known of a version; no more than `most` characters of its text."""
    document = to_document(stored)
    images = (ArchivedImage(one.src, one.alt, one.caption, one.relevant, one.score) for one in document.images)
    return ArchivedDocument(
        page=stored.page,
        site=stored.site,
        url=stored.url,
        version=stored.version,
        fetched_at=stored.fetched_at,
        title=stored.title,
        text=stored.text[:most],
        chars=len(stored.text),
        markdown=None if stored.markdown is None else stored.markdown[:most],
        kind=stored.kind,
        language=stored.language,
        published=stored.published,
        via=stored.how,
        is_complete=stored.is_complete,
        duplicate_of=stored.duplicate_of,
        metadata=_metadata(document),
        fields={name: tuple(field.values) for name, field in document.fields.items()},
        attributes=tuple((name, value) for name, value in document.attributes),
        images=tuple(images),
        how=dict(document.how),
        losses=tuple(f"{loss.what}: {loss.count}" for loss in document.losses),
        history=history,
        records=tuple(map(tell_record, records)),
    )


def _metadata(document: Document) -> dict[str, str]:
    said = {name.replace("_", " "): str(getattr(document.metadata, name) or "") for name in _STATED}
    said["keywords"] = ", ".join(document.metadata.keywords)
    return {name: value for name, value in said.items() if value}


def tell_record(stored: StoredRecord) -> ArchivedRecord:
    """Return what is known of a record."""
    return ArchivedRecord(
        record=stored.record,
        site=stored.site,
        page=stored.page,
        kind=stored.kind,
        fields=dict(zip(stored.columns, stored.fields, strict=True)),
        links=tuple(stored.links),
        images=tuple(stored.images),
        first_seen=stored.first_seen,
        last_seen=stored.last_seen,
        sightings=stored.sightings,
    )


def tell_sightings(history: RecordHistory) -> RecordSeenOften:
    """Return a record with where it was seen."""
    return RecordSeenOften(
        tell_record(history.record),
        history.told_by,
        history.first_page,
        history.sightings,
        history.seen_on,
        tuple(map(tell_record, history.neighbours)),
    )


def as_hit(record: ArchivedRecord) -> RecordHit:
    """Return a record as searches give it, nothing marked."""
    fields = tuple(NamedPieces(name, (Piece(text),)) for name, text in record.fields.items())
    return RecordHit(record.record, record.site, record.page, record.kind, record.first_seen, fields, record.links)


def line_up(records: Sequence[RecordHit]) -> list[Sheet]:
    """Put records into tables: those that follow each other share the columns that any of them has."""
    groups: list[list[RecordHit]] = []
    for record in records:
        if groups and _fits(record, groups[-1][-1]):
            groups[-1].append(record)
        else:
            groups.append([record])
    return [_sheet(group) for group in groups]


def _fits(record: RecordHit, other: RecordHit) -> bool:
    if record.kind != other.kind:
        return False
    ours, theirs = ({field.name for field in one.fields} for one in (record, other))
    return 2 * len(ours & theirs) >= min(len(ours), len(theirs))


def _sheet(group: Sequence[RecordHit]) -> Sheet:
    columns = tuple(dict.fromkeys(field.name for record in group for field in record.fields))[:_COLUMNS]
    rows = []
    for record in group:
        cells = {field.name: field.pieces for field in record.fields}
        rows.append((record, tuple(cells.get(name, ()) for name in columns)))
    sites, pages = {record.site for record in group}, {record.page for record in group}
    site, page = (ours.pop() if len(ours) == 1 else "" for ours in (sites, pages))
    return Sheet(site, page, group[0].kind, columns, tuple(rows))
