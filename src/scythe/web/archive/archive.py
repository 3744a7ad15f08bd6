"""Search the archive, and show documents with their versions and records with their sightings."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from io import StringIO
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from msgspec import Meta

from scythe.archive.archive import Archive
from scythe.archive.history import (
    PageHistory,
    SightingSeen,
    read_history,
    read_listed,
    read_record_history,
)
from scythe.archive.results import Hits, NamedPieces, RecordHit, SearchQuery, Snippet, StoredPage, StoredRecord
from scythe.archive.retrieval import read_version
from scythe.archive.search import found_pages, found_records, list_kinds, run_search
from scythe.archive.search_index import index_new
from scythe.archive.stored_documents import to_document
from scythe.archive.stored_sites import site_rows
from scythe.errors import ArchiveFailed
from scythe.output.archive_export import (
    PageTable,
    RecordTable,
    page_line,
    read_date,
    record_line,
)
from scythe.output.formats import FORMATS
from scythe.output.rows import Columns, row_writer
from scythe.web.auth import NOTHING_POLICY
from scythe.web.operations import Key, Number, RequestInput, Sent, WebArea
from scythe.web.state import BackgroundJob, NotNow, State, fill, there
from scythe.web.text_diff import TextDiff, compare_texts

AREA = WebArea("archived", __doc__, menu="archive")

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
class RecordSightings:
    """One record, with every page it was seen on."""

    record: ArchivedRecord
    told_by: str  # what makes it itself: links, fields, both
    first_page: int
    sightings: tuple[SightingSeen, ...]
    seen_on: int  # pages in all
    neighbours: tuple[ArchivedRecord, ...]  # beside it where it was last seen, itself included


@dataclass(frozen=True, slots=True)
class RecordGrid:
    """Records with the same columns, one a row."""

    site: str  # empty: of several, told with each record
    page: str  # where all were seen first; empty: on several
    kind: str
    columns: tuple[str, ...]
    rows: tuple[tuple[RecordHit, tuple[tuple[Snippet, ...], ...]], ...]  # a record, and a cell for each column


def tell_document(
    stored: StoredPage, history: PageHistory, records: Iterable[StoredRecord], most: int
) -> ArchivedDocument:
    """Return all that is known of a version; no more than `most` characters of its text."""
    document = to_document(stored)
    said = {name.replace("_", " "): str(getattr(document.metadata, name) or "") for name in _STATED}
    said["keywords"] = ", ".join(document.metadata.keywords)
    return fill(
        ArchivedDocument,
        stored,
        document,
        text=stored.text[:most],
        chars=len(stored.text),
        markdown=None if stored.markdown is None else stored.markdown[:most],
        via=stored.how,
        metadata={name: value for name, value in said.items() if value},
        fields={name: tuple(field.values) for name, field in document.fields.items()},
        attributes=tuple((name, value) for name, value in document.attributes),
        images=tuple(fill(ArchivedImage, one, is_relevant=one.relevant) for one in document.images),
        how=dict(document.how),
        losses=tuple(f"{loss.what}: {loss.count}" for loss in document.losses),
        history=history,
        records=tuple(map(tell_record, records)),
    )


def tell_record(stored: StoredRecord) -> ArchivedRecord:
    """Return what is known of a record."""
    return fill(ArchivedRecord, stored, fields=dict(zip(stored.columns, stored.fields, strict=True)))


def as_hit(record: ArchivedRecord) -> RecordHit:
    """Return a record as searches give it, nothing marked."""
    fields = tuple(NamedPieces(name, (Snippet(text),)) for name, text in record.fields.items())
    return RecordHit(record.record, record.site, record.page, record.kind, record.first_seen, fields, record.links)


def line_up(records: Sequence[RecordHit]) -> list[RecordGrid]:
    """Put records into tables: those that follow each other share the columns that any of them has."""
    groups: list[list[RecordHit]] = []
    for record in records:
        if groups and _fits(record, groups[-1][-1]):
            groups[-1].append(record)
        else:
            groups.append([record])
    return [_grid(group) for group in groups]


def _fits(record: RecordHit, other: RecordHit) -> bool:
    if record.kind != other.kind:
        return False
    ours, theirs = ({field.name for field in one.fields} for one in (record, other))
    return 2 * len(ours & theirs) >= min(len(ours), len(theirs))


def _grid(group: Sequence[RecordHit]) -> RecordGrid:
    columns = tuple(dict.fromkeys(field.name for record in group for field in record.fields))[:_COLUMNS]
    rows = []
    for record in group:
        cells = {field.name: field.pieces for field in record.fields}
        rows.append((record, tuple(cells.get(name, ()) for name in columns)))
    sites, pages = {record.site for record in group}, {record.page for record in group}
    site, page = (ours.pop() if len(ours) == 1 else "" for ours in (sites, pages))
    return RecordGrid(site, page, group[0].kind, columns, tuple(rows))


_INDEX_BESIDE_S = 0.5  # between two looks at whether that is to stop
_INDEX_S = 0.1  # for what is new, before a search answers; more is done beside it
_SHOWN_CHARS = 60_000  # of a text, until somebody wants to see all of it
_LISTED = 30  # records of a document's page
_EXPORTED = 1_000  # documents or records in one download
_EXPORTED_CHARS = 50_000_000

Words = Annotated[
    str, Meta(max_length=20_000, description='All must be there; "these together", begin*, -without; empty: all.')
]
Day = Annotated[str, Meta(max_length=40, description="A date as 2026-11-15, or with a time (UTC); empty: any.")]
Count = Annotated[int, Meta(ge=1, le=100, description="Results on a page.")]
Version = Annotated[int, Meta(ge=0, le=10**9, description="Counted from 1, the oldest; 0: the newest.")]


class SearchWanted(RequestInput, frozen=True):
    """What is looked for in the archive."""

    q: Words = ""
    what: Literal["documents", "records"] = "documents"
    site: Key = ""  # empty: all
    kind: Key = ""  # article, product, list ...; empty: any
    since: Day = ""
    until: Day = ""
    order: Literal["best", "newest"] = "best"
    old: bool = False  # also what documents said before
    after: Annotated[str, Meta(max_length=100, description="`next` of the page of results before.")] = ""
    count: Count = 20

    def to_search(self, count: int = 0) -> SearchQuery:
        """Return it as the archive wants it. Raises BadInput where a date is none."""
        sites, kinds = ((one,) if one else () for one in (self.site, self.kind))
        since, until = read_date(self.since or None, "since"), read_date(self.until or None, "until")
        how = self.order, self.old, self.after, count or self.count
        return SearchQuery(self.q, self.what, sites, kinds, since, until, *how)

    def link(self, path: str = "/archive", **changed: object) -> str:
        """Return the address of the same search, with something changed."""
        said = {name: getattr(self, name) for name in self.__struct_fields__}
        said |= {"after": "", "old": "true" if self.old else "", **changed}
        plain = {name: value for name, value in said.items() if value and (name, value) not in _DEFAULTS}
        return f"{path}?{urlencode(plain)}" if plain else path


_DEFAULTS = (("what", "documents"), ("order", "best"), ("count", 20))


class DownloadWanted(SearchWanted, frozen=True):
    """What was found, as a file."""

    form: Literal["jsonl", "csv"] = "jsonl"


@dataclass(frozen=True, slots=True)
class VersionsCompared:
    """How one version of a document became another."""

    page: int
    old: int
    new: int
    old_title: str
    new_title: str
    text: TextDiff


class Indexing:
    """Lets searches find what was stored since: a little at once, a lot beside them."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._lock = threading.Lock()
        self.job: BackgroundJob | None = None
        self.why = ""  # what keeps it from being done

    def catch_up(self, archive: Archive) -> None:
        """Index what is new, as far as that takes no time; begin work on the rest."""
        with self._lock:
            if self.job is not None and self.job.state == "running":
                return
            try:
                left = index_new(archive, budget_s=_INDEX_S)
                self.why = ""
            except ArchiveFailed as failure:  # it may be read, but not written: what is indexed can be searched
                self.why, left = str(failure), 0
            if left:
                self.job = self._state.jobs.start("index", "Index of the archive", self._work)

    def _work(self, job: BackgroundJob) -> int:
        total = left = 0
        with self._state.archive() as archive:
            while not job.is_stopping.is_set():
                before, left = left, index_new(archive, budget_s=_INDEX_BESIDE_S)
                total = max(total, left)
                job.step(total - left, total, "documents and records")
                if not left or left == before:
                    break
        return left


@AREA.get("/api/search", "search")
def search_archive(state: State, wanted: SearchWanted) -> Hits:
    """Search documents or records of the archive."""
    with state.archive() as archive:
        state.part(Indexing).catch_up(archive)
        return run_search(archive, wanted.to_search())


@AREA.get("/api/documents/{page}", "document")
def see_document(
    state: State,
    page: Number,
    version: Version = 0,
    chars: Annotated[int, Meta(ge=0, le=100_000_000, description="Of the text, at most.")] = 100_000,
) -> ArchivedDocument:
    """Return a document of the archive with its versions and requests."""
    with state.archive() as archive:
        history = there(read_history(archive, page), f"there is no document {page} in the archive")
        stored = there(read_version(archive, page, version or None), f"document {page} has no version {version}")
        return tell_document(stored, history, read_listed(archive, page, _LISTED), chars)


@AREA.get("/api/documents/{page}/diff", "compare")
def compare_versions(
    state: State,
    page: Number,
    old: Version = 0,  # 0: the one before `new`
    new: Version = 0,
) -> VersionsCompared:
    """Say how one version of a document became another."""
    with state.archive() as archive:
        why = f"there is no document {page} with a version {new or 1}"
        after = there(read_version(archive, page, new or None), why)
        number = old or after.version - 1
        if not number:
            raise NotNow(f"document {page} has one version: there is nothing to compare it with")
        before = there(read_version(archive, page, number), f"document {page} has no version {number}")
    compared = compare_texts(before.text, after.text)
    return VersionsCompared(page, before.version, after.version, before.title, after.title, compared)


@AREA.get("/api/records/{record}", "record")
def see_record(state: State, record: Number) -> RecordSightings:
    """Return a record of the archive with every page it was seen on."""
    with state.archive() as archive:
        history = there(read_record_history(archive, record), f"there is no record {record} in the archive")
    neighbours = tuple(map(tell_record, history.neighbours))
    return fill(RecordSightings, history, record=tell_record(history.record), neighbours=neighbours)


@AREA.view("/archive", "archive.html")
def show_archive(state: State, wanted: SearchWanted) -> dict[str, Any]:
    """Return what the search page shows."""
    if state.options.archive is None:
        return {"hits": None, "sites": [], "kinds": [], "grids": [], "indexing": state.part(Indexing), "holds": False}
    hits = search_archive(state, wanted)
    with state.archive() as archive:
        sites = [site.key for site in site_rows(archive)]
        kinds = list_kinds(archive, wanted.what, (wanted.site,) if wanted.site else ())
    return {
        "hits": hits,
        "sites": sites,
        "kinds": kinds,
        "grids": line_up(hits.records),
        "indexing": state.part(Indexing),
        "holds": bool(hits.total or hits.pending or kinds or wanted != SearchWanted(what=wanted.what)),
    }


@AREA.view("/archive/page/{page}", "archive_document.html")
def show_document(
    state: State,
    page: Number,
    version: Version = 0,
    form: Literal["text", "markdown"] = "text",
    whole: bool = False,  # all of a very long text
) -> dict[str, Any]:
    """Return what the page of a document shows."""
    most = 100_000_000 if whole else _SHOWN_CHARS
    document = see_document(state, page, version, most)
    is_markdown = form == "markdown" and document.markdown is not None
    said = (document.markdown or "") if is_markdown else document.text
    return {
        "document": document,
        "is_markdown": is_markdown,
        "said": said,
        "paragraphs": [] if is_markdown else [line for line in said.split("\n") if line.strip()],
        "is_short": len(said) >= most,
        "grids": line_up(list(map(as_hit, document.records))),
    }


@AREA.view("/archive/page/{page}/diff", "archive_diff.html")
def show_diff(
    state: State,
    page: Number,
    old: Version = 0,  # 0: the one before `new`
    new: Version = 0,
) -> dict[str, Any]:
    """Return what the page of two versions shows."""
    compared = compare_versions(state, page, old, new)
    with state.archive() as archive:
        history = read_history(archive, page)
    return {"compared": compared, "history": history}


@AREA.view("/archive/record/{record}", "archive_record.html")
def show_record(state: State, record: Number) -> dict[str, Any]:
    """Return what the page of a record shows."""
    seen = see_record(state, record)
    return {"seen": seen, "grids": line_up(list(map(as_hit, seen.neighbours)))}


@AREA.file("/archive/download")
def download_found(state: State, wanted: DownloadWanted) -> Sent:
    """Return what was found as a file: the first thousand."""
    said = wanted.to_search(_EXPORTED)
    file = StringIO()
    with state.archive() as archive:
        state.part(Indexing).catch_up(archive)
        total = run_search(archive, said).total
        written = _write(archive, said, wanted.form, file)
    name = f"{wanted.what}-{'' if written == total else 'first-'}{written}.{wanted.form}"
    kind = FORMATS[wanted.form].media_type
    return Sent(file.getvalue().encode(errors="replace"), kind, NOTHING_POLICY, name)


def _write(archive: Archive, said: SearchQuery, form: str, file: StringIO) -> int:
    """Write what is found until there is enough; return how many."""
    is_of_pages = said.what == "documents"
    find: Any = found_pages if is_of_pages else found_records
    tell: Any = page_line if is_of_pages else record_line
    columns = Columns()
    if form == "csv":
        found = find(archive, said)
        table = PageTable.of(page.rest for page in found) if is_of_pages else RecordTable.of(list(found))
        tell, columns = table.cells, Columns(table.header)
    rows, written = row_writer(form, file, columns), 0
    for one in find(archive, said):
        rows.put(tell(one))
        written += 1
        if file.tell() > _EXPORTED_CHARS:
            break
    rows.close()
    return written
