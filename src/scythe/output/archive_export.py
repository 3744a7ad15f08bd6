"""The rows of archive exports: nested for JSON lines, flat for CSV and Parquet."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import blake2b
from html import escape
from io import TextIOWrapper
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from scythe.archive.archive import Archive
from scythe.archive.open import open_archive
from scythe.archive.results import PageQuery, StoredPage, StoredRecord
from scythe.archive.retrieval import (
    count,
    read_pages,
    read_raw,
    read_records,
    read_rests,
    select_records,
    select_responses,
    select_versions,
)
from scythe.archive.stored_documents import to_document
from scythe.archive.stored_sites import site_rows
from scythe.atomic_files import replacing, write_atomically
from scythe.errors import BadInput
from scythe.model import Document, Field
from scythe.output.arrow_tables import (
    ELSEWHERE,
    FULL_ROWS,
    NESTED,
    RENDERED,
    STATED,
    TableBuilder,
    build_batch,
    field_cell,
    field_type,
    open_reader,
    page_columns,
    records_schema,
    require_arrow,
)
from scythe.output.arrow_tables import TABLES as ARROW_TABLES
from scythe.output.column_choice import ColumnChoice
from scythe.output.document_writers import safe_name, standalone
from scythe.output.formats import (
    FORMATS,
    PAGE_FOLDER,
    PAGES,
    STORED_ROWS,
    Writer,
    format_by_suffix,
    formats_of,
    is_folder,
    require_parquet,
    suffixes_of,
)
from scythe.output.rows import AUTO, Columns, Row, own_names, row_writer, told
from scythe.page.markdown import escape_line_start, escape_words

_IN_ARCHIVE = (
    "site", "status", "fetched_at", "first_seen", "last_seen", "gone_at", "via", "duplicate_of", "version", "versions",
    "is_complete",
)  # fmt: skip
PAGE_CELLS = (
    "url", "title", "author", "published", "modified", "language", "kind", "description", "text", "images", "records",
    "attributes", *_IN_ARCHIVE,
)  # fmt: skip
IMAGE_CELLS = ("page", "src", "relevant", "score", "alt", "caption", "width", "height")
_RECORD_HEAD = ("page", "kind")
_OTHER = "other"
_RECORD_TAIL = ("link", "image", "first_seen", "last_seen", "sightings", "site", _OTHER)
_RECORD_COLUMNS = 1_000  # of one table; what further ones hold is in the column `other`
_FIELD_COLUMNS = 1_000  # of one table; what further fields hold is in the column `other`
_PARTS = {  # of values of a type that get columns beside their text
    "money": ("amount", "currency"), "number": ("number",), "date": ("iso",), "month-first date": ("iso",),
    "duration": ("iso",), "boolean": ("flag",), "url": ("url",),
}  # fmt: skip
_PAGE_KINDS = dict.fromkeys(("fetched_at", "first_seen", "last_seen", "gone_at"), "moment")
_PAGE_KINDS |= {"records": "count", "status": "count", "version": "count", "versions": "count", "is_complete": "flag"}
_PART_KINDS = {"amount": "measure", "number": "measure", "flag": "flag"}
_SAID = ("author", "published", "modified", "language", "kind", "description")  # of itself, by the page


def page_line(stored: StoredPage) -> dict[str, object]:
    """Return everything that is known of a page: what `Document.to_dict` says, in half of its time, and where it is."""
    document = to_document(stored)
    return {
        **{name: getattr(stored, name) for name in ("url", "title", "text", "markdown", "html")},  # null: was not kept
        "images": [_plain(image) for image in document.images],
        "lists": [one.to_dict() for one in stored.lists],
        "attributes": document.attributes,
        "paging": _plain(document.paging),
        "metadata": _plain(document.metadata),
        "how": document.how,
        "fields": {name: field.to_dict() for name, field in document.fields.items()},
        "losses": [_plain(loss) for loss in document.losses],
        "why": document.why,
        "kind": _plain(document.kind),
        "confidence": document.confidence,
        **_in_archive(stored),
    }


def _plain(record: Any) -> dict[str, object]:
    """Return the fields of a frozen record by name; what they hold is plain already."""
    return {name: getattr(record, name) for name in record.__slots__}


@dataclass(frozen=True, slots=True)
class PageTable:
    """The columns of a table of pages: those that all have, and the fields that somebody showed by example."""

    fields: tuple[tuple[str, str], ...]  # of the pages, by name, with the typed part of their values, "" for the text
    header: tuple[str, ...]  # of the table
    kinds: Mapping[str, str]  # of columns that hold no text, as `table_schema` takes them

    @classmethod
    def of(cls, rests: Iterable[str]) -> PageTable:
        """Look for fields through what was extracted of pages besides, as it is stored."""
        types = {name: kind for rest in rests for name, kind in _types(rest) if name not in ELSEWHERE}
        found = [(name, part) for name in sorted(types) for part in ("", *_PARTS.get(types[name], ()))]
        fields = tuple(found[:_FIELD_COLUMNS])
        more = (_OTHER,) if len(found) > len(fields) else ()
        names = own_names(tuple(f"{name}_{part}" if part else name for name, part in fields), (*PAGE_CELLS, _OTHER))
        parts = dict(zip(names, (part for _, part in fields), strict=True))
        kinds = _PAGE_KINDS | {name: _PART_KINDS[part] for name, part in parts.items() if part in _PART_KINDS}
        return cls(fields, (*PAGE_CELLS, *names, *more), kinds)

    def cells(self, stored: StoredPage) -> dict[str, object]:
        """Return a page as a row of the table; several values of a field are lines of one cell."""
        document = to_document(stored)
        values = {name: field.values for name, field in document.fields.items() if name not in ELSEWHERE}
        own = [
            _typed_cell(document.fields.get(name), part) if part else "\n".join(values.pop(name, ()))
            for name, part in self.fields
        ]
        other = json.dumps(values, ensure_ascii=False) if values else ""
        return _page_cells(stored, document) | dict(zip(self.header[len(PAGE_CELLS) :], (*own, other), strict=False))


def _types(rest: str) -> Iterator[tuple[str, str]]:
    """Yield the names of the fields that were learned of a page, with their types."""
    fields = json.loads(rest).get("fields", {}) if '"fields"' in rest else {}
    yield from ((name, plain.get("type", "")) for name, plain in fields.items())


def _typed_cell(field: Field | None, part: str) -> object:
    """Return a part of the first value of a field as its type; None where it has none."""
    first = field.typed[0] if field is not None and field.typed else None
    return first.get(part) if isinstance(first, dict) else first


def _page_cells(stored: StoredPage, document: Document) -> dict[str, object]:
    """Return what a table tells of any page; several addresses are lines of one cell."""
    return {
        "url": stored.url,
        "title": stored.title,
        **{name: getattr(document.metadata, name) for name in _SAID},
        "text": stored.text,
        "images": "\n".join(image.src for image in document.images if image.relevant),
        "records": sum(len(one.records) for one in stored.lists),
        "attributes": "\n".join(f"{name}: {value}" for name, value in document.attributes),
        **_in_archive(stored),
    }


def _in_archive(stored: StoredPage) -> dict[str, object]:
    return {name: getattr(stored, "how" if name == "via" else name) for name in _IN_ARCHIVE}


def image_rows(stored: StoredPage) -> Iterator[dict[str, object]]:
    """Yield the images of a page, those that do not belong to its content too."""
    for image in to_document(stored).images:
        yield {"page": stored.url, **{name: getattr(image, name) for name in IMAGE_CELLS[1:]}}


def record_line(record: StoredRecord) -> dict[str, object]:
    """Return everything that is known of a record."""
    names = ("page", "kind", "fields", "links", "images", "first_seen", "last_seen", "sightings", "site")
    line = {name: getattr(record, name) for name in names}
    return line | {"fields": dict(zip(record.columns, record.fields, strict=True))}


@dataclass(frozen=True, slots=True)
class RecordTable:
    """The columns of a table of records that do not all have the same ones."""

    columns: tuple[str, ...]  # of the records
    header: tuple[str, ...]  # of the table

    @classmethod
    def of(cls, records: Iterable[StoredRecord]) -> RecordTable:
        """Look through records for their columns, in the order they come up."""
        seen: dict[str, None] = {}
        for record in records:
            seen.update(dict.fromkeys(name for name, text in zip(record.columns, record.fields, strict=True) if text))
        columns = tuple(seen)[:_RECORD_COLUMNS]
        names = own_names(columns, (*_RECORD_HEAD, *_RECORD_TAIL))
        return cls(columns, (*_RECORD_HEAD, *names, *(_RECORD_TAIL if len(seen) > len(columns) else _RECORD_TAIL[:-1])))

    def cells(self, record: StoredRecord) -> dict[str, object]:
        """Return a record as a row of the table: its columns, then its first link and image."""
        texts = dict(zip(record.columns, record.fields, strict=True))
        own = [texts.pop(name, "") for name in self.columns]
        first = [ones[0] if ones else "" for ones in (record.links, record.images)]
        other = json.dumps(texts, ensure_ascii=False) if texts else ""
        known = (record.first_seen, record.last_seen, record.sightings, record.site, other)
        return dict(zip(self.header, (record.page, record.kind, *own, *first, *known), strict=False))


def page_schema() -> Any:
    """Return the columns of a Parquet file of pages: lines, but what pages state is text in columns of its own."""
    import pyarrow as pa

    text, moment = pa.string(), pa.timestamp("us", "UTC")
    columns = page_columns((*RENDERED, *NESTED)) | {"site": text, "status": pa.int32()}
    columns |= dict.fromkeys(("fetched_at", "first_seen", "last_seen", "gone_at"), moment)
    columns |= {"via": text, "duplicate_of": text, "version": pa.int32(), "versions": pa.int32()}
    return pa.schema(columns | {"is_complete": pa.bool_(), "fields": pa.list_(field_type())})


def for_parquet(line: dict[str, object]) -> dict[str, object]:
    """Return the line of a page with what it states of itself beside it; attributes and fields with their names."""
    metadata, attributes, learned = line["metadata"], line["attributes"], line["fields"]
    assert isinstance(metadata, dict)
    assert isinstance(attributes, tuple)
    assert isinstance(learned, dict)
    pairs = [{"name": name, "value": value} for name, value in attributes]
    known = {
        name: Field(one["values"], None, "", one.get("type", ""), one.get("typed", ())) for name, one in learned.items()
    }
    names = ("name", "values", "type", "typed", "numbers")
    cells = (field_cell(name, field) for name, field in known.items() if name not in ELSEWHERE)
    fields = [dict(zip(names, cell, strict=True)) for cell in cells]
    stated = {name: metadata[name] or None for name in STATED}
    return line | stated | {"keywords": metadata["keywords"], "attributes": pairs, "fields": fields}


def table_schema(header: Sequence[str], kinds: dict[str, str]) -> Any:
    """Return the columns of a flat Parquet file; `kinds` names what is no text: moment, count, measure or flag."""
    import pyarrow as pa

    known = {"moment": pa.timestamp("us", "UTC"), "count": pa.int64(), "measure": pa.float64(), "flag": pa.bool_()}
    return pa.schema({name: known.get(kinds.get(name, ""), pa.string()) for name in header})


_TITLE_CHARS = 80  # of a file name
_UNPRINTABLE = {code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), 0x2028, 0x2029, 0xFEFF, *range(0xD800, 0xE000))}


class PageFolder:
    """A folder that gets one file per page; a later export replaces those of the same pages."""

    def __init__(self, folder: Path, kind: str, *, with_version: bool = False) -> None:
        self._folder, self._kind, self._with_version = folder, kind, with_version
        folder.mkdir(parents=True, exist_ok=True)

    def put(self, stored: StoredPage) -> Path:
        """Write one page and return its file."""
        path = self._folder / f"{file_stem(stored, with_version=self._with_version)}.{self._kind}"
        write_atomically(path, _WRITERS[self._kind](stored).encode(errors="replace"))
        return path


def file_stem(stored: StoredPage, *, with_version: bool = False) -> str:
    """Return the name of a page's file without its suffix."""
    hashed = blake2b(stored.url.encode(errors="replace"), digest_size=6).hexdigest()
    last = urlsplit(stored.url).path.rstrip("/").rpartition("/")[2]
    title = safe_name(stored.title[:_TITLE_CHARS], safe_name(last[:_TITLE_CHARS]))
    return f"{title} {hashed} v{stored.version}" if with_version else f"{title} {hashed}"


def as_markdown(stored: StoredPage) -> str:
    """Return a page as Markdown: what is known of it in front, then its Markdown or, where none was kept, its text."""
    document = to_document(stored)
    known = {
        "url": stored.url,
        "title": stored.title,
        "author": document.metadata.author,
        "date": stored.published,
        "language": stored.language,
        "kind": stored.kind,
        "fetched_at": told(stored.fetched_at),
    }
    front = "".join(
        f"{name}: {json.dumps(value, ensure_ascii=False).translate(_UNPRINTABLE)}\n"
        for name, value in known.items()
        if value
    )
    body = stored.markdown if stored.markdown is not None else _paragraphs(stored)
    return f"---\n{front}---\n\n{body.rstrip()}\n"


def as_text(stored: StoredPage) -> str:
    """Return the text of a page."""
    return f"{stored.text}\n"


def as_html(stored: StoredPage) -> str:
    """Return a page of its own that shows the HTML of a page or, where none was kept, its text."""
    html = stored.html
    if html is None:
        lines = "\n".join(f"<p>{escape(line)}</p>" for line in stored.text.split("\n") if line.strip())
        html = f"<h1>{escape(stored.title)}</h1>\n{lines}"
    return standalone(to_document(stored), html)


_WRITERS = {"md": as_markdown, "txt": as_text, "html": as_html}


def _paragraphs(stored: StoredPage) -> str:
    """Return title and text as Markdown in which every word stands for itself."""
    title = escape_words(" ".join(stored.title.split()))
    lines = (escape_line_start(escape_words(line.strip())) for line in stored.text.split("\n"))
    return "\n\n".join([f"# {title}"] * bool(title) + [line for line in lines if line])


WARCS = ("warc.gz", "warc")
EXPORTED = formats_of(PAGES, PAGE_FOLDER)
THINGS = ("pages", "records", "images")
# columns of Parquet files that hold no text
_RECORD_KINDS = {"first_seen": "moment", "last_seen": "moment", "sightings": "count"}
_IMAGE_KINDS = {"width": "count", "height": "count", "score": "measure", "relevant": "flag"}
Tell = Callable[[int], None]  # hears after each thing how many were written


@dataclass(frozen=True, slots=True)
class ArchiveExport:
    """What was written."""

    what: str  # pages, records, images, responses
    count: int
    path: Path | None = None  # None: standard output
    damaged: tuple[str, ...] = ()  # what was left out: it is not what was stored


@dataclass(frozen=True, slots=True)
class Export:
    """Where to write what of an archive, and how; `plan_export` makes one that fits together."""

    path: Path | None  # None: standard output
    kind: str  # one of EXPORTED
    what: str = "pages"  # one of THINGS
    is_folder: bool = False
    columns: tuple[tuple[str, str], ...] = ()  # of a table, each with the name it gets; none: all
    cells: str = AUTO  # of CSV, one of CSV_CELLS


def plan_export(
    output: str | Path | None, kind: str | None = None, what: str = "pages", columns: tuple[tuple[str, str], ...] = ()
) -> Export:
    """Decide between file and folder and on the format; None and - are standard output. Raises BadInput, MissingExtra.

    Without `kind` the suffix names the format; a folder, which ends with a slash or has no suffix, gets Markdown.
    `columns` are those of a table to be written, by name and new name; lines of JSON are flat then, too.
    """
    if kind is not None and kind not in EXPORTED:
        raise BadInput(f"{kind} is not an export format; expected one of {', '.join(EXPORTED)}")
    if what not in THINGS:
        raise BadInput(f"{what} cannot be exported; expected one of {', '.join(THINGS)}")
    if output is None or str(output) == "-":
        plan = Export(None, kind or "jsonl", what)
    else:
        named = str(output)
        kind = kind or format_by_suffix(named, PAGES, PAGE_FOLDER) or ("md" if is_folder(named) else None)
        if kind is None:
            raise BadInput(
                f"{named}: the suffix names no format (known: {suffixes_of(PAGES, PAGE_FOLDER)}); a folder ends with /"
            )
        holds = FORMATS[kind].holds
        in_folder = PAGE_FOLDER in holds and (is_folder(named) or PAGES not in holds)
        plan = Export(Path(named), kind, what, in_folder)
        _check_path(named, plan)
    _check_form(plan)
    if columns and STORED_ROWS not in FORMATS[plan.kind].holds:
        raise BadInput(f"columns are for {', '.join(formats_of(STORED_ROWS))}, not {plan.kind}")
    return replace(plan, columns=columns)


def read_date(text: str | None, option: str) -> datetime | None:
    """Return the moment that a date, or a date with a time, names; UTC where it names no zone. Raises BadInput."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise BadInput(f"{option} {text}: write a date as 2026-11-15 or 2026-11-15T12:30") from None


def _check_path(named: str, plan: Export) -> None:
    if plan.is_folder and not is_folder(named):
        raise BadInput(f"{named}: {plan.kind} is one file per page; name a folder, such as {Path(named).stem}/")
    if not plan.is_folder and Path(named).is_dir():
        raise BadInput(f"{named}: {plan.kind} goes to a file, and this is a folder")


def _check_form(plan: Export) -> None:
    if plan.what != "pages" and STORED_ROWS not in FORMATS[plan.kind].holds:
        raise BadInput(f"{plan.what} go to {', '.join(formats_of(STORED_ROWS))}, not {plan.kind}")
    form = FORMATS[plan.kind]
    if plan.path is None and (form.is_binary or PAGES not in form.holds):
        raise BadInput(f"{plan.kind} goes to a file or a folder, not to standard output")
    if plan.kind == "parquet":
        require_parquet()


def export_archive(
    archive: Archive,
    plan: Export | str | Path,
    wanted: PageQuery | None = None,
    *,
    tell: Tell | None = None,
    shown: Callable[[str], str] = str,
) -> ArchiveExport:
    """Write what is wanted of an archive, by default the newest version of every page.

    `tell` hears how many things were written so far, `shown` changes text for a terminal. What is damaged is left out
    and named. Raises BadInput where a site is not in the archive or no responses were kept, ArchiveFailed, and OSError
    where the file cannot be written.
    """
    plan = plan if isinstance(plan, Export) else plan_export(plan)
    wanted = wanted or PageQuery()
    check_sites(archive, wanted)
    with archive.passing_over_damage() as damaged:
        done = _export(archive, plan, wanted, tell, shown)
    return replace(done, damaged=tuple(damaged))


def _export(
    archive: Archive, plan: Export, wanted: PageQuery, tell: Tell | None, shown: Callable[[str], str]
) -> ArchiveExport:
    what = "responses" if plan.kind in WARCS else plan.what
    if plan.path is None:
        with _standard_output() as text:
            return ArchiveExport(what, _count(_write_text(archive, plan, wanted, text, shown), tell))
    if plan.is_folder:
        folder = PageFolder(plan.path, plan.kind, with_version=wanted.all_versions)
        return ArchiveExport(what, _count(map(folder.put, read_pages(archive, wanted)), tell), plan.path)
    if plan.kind in WARCS:
        _check_kept(archive, wanted)
    with _open(plan.path) as file:
        return ArchiveExport(what, _count(_write(archive, plan, wanted, file), tell), plan.path)


def count_wanted(archive: Archive, plan: Export, wanted: PageQuery) -> int | None:
    """Return how many things an export would write now; None where only writing tells."""
    if plan.what == "images":
        return None
    records = select_records if plan.what == "records" else select_versions
    return count(archive, (select_responses if plan.kind in WARCS else records)(wanted, archive))


def check_sites(archive: Archive, wanted: PageQuery) -> None:
    """Raise BadInput where a site is not in the archive."""
    known = [site.key for site in site_rows(archive)] if wanted.sites else []
    for site in wanted.sites:
        if site not in known:
            some = ", ".join(known[:10]) + (", ..." if len(known) > 10 else "")
            raise BadInput(f"{site}: no such site in {archive.where}; it has {some or 'none'}")


def _check_kept(archive: Archive, wanted: PageQuery) -> None:
    if next(read_raw(archive, PageQuery(sites=wanted.sites)), None) is None:
        raise BadInput(f"{archive.where}: no responses were kept, so there is no WARC; crawl without --no-raw")


def _write(archive: Archive, plan: Export, wanted: PageQuery, file: IO[bytes]) -> Iterator[object]:
    """Write to a file, one thing with each step."""
    if plan.kind in WARCS:
        yield from _write_warc(archive, plan, wanted, file)
    elif FORMATS[plan.kind].is_binary:
        yield from _write_binary(archive, plan, wanted, file)
    else:
        text = TextIOWrapper(file, encoding="utf-8", errors="replace", newline="\n", write_through=False)
        try:
            yield from _write_text(archive, plan, wanted, text, str)
        finally:
            text.detach()  # the file below is closed, or thrown away, by who opened it


def _write_warc(archive: Archive, plan: Export, wanted: PageQuery, file: IO[bytes]) -> Iterator[object]:
    from scythe.output.warc import WarcFile  # takes as long to import as all of a small export

    assert plan.path is not None
    warc = WarcFile(file, made_at=datetime.now(UTC), name=plan.path.name, compressed=plan.kind == "warc.gz")
    yield from map(warc.put, read_raw(archive, wanted))
    warc.close()


def _write_binary(archive: Archive, plan: Export, wanted: PageQuery, file: IO[bytes]) -> Iterator[object]:
    if plan.what == "pages" and not plan.columns:
        pages = map(page_line, read_pages(archive, wanted))
        if plan.kind == "sqlite":
            return _fill(row_writer("sqlite", file, Columns()), pages)
        return _fill(row_writer("parquet", file, Columns(schema=page_schema())), map(for_parquet, pages))
    header, rows, known = _table(archive, plan, wanted)
    if plan.kind == "sqlite":
        return _fill(row_writer("sqlite", file, Columns(header)), rows)
    kinds = {new: known[name] for name, new in plan.columns or zip(header, header, strict=True) if name in known}
    return _fill(row_writer("parquet", file, Columns(schema=table_schema(header, kinds))), rows)


def _write_text(
    archive: Archive, plan: Export, wanted: PageQuery, file: IO[str], shown: Callable[[str], str]
) -> Iterator[object]:
    if plan.kind == "txt":
        for page in read_pages(archive, wanted):
            file.write(shown(f"==> {page.url} <==\n{page.text}\n\n"))
            yield None
    elif plan.kind == "jsonl" and not plan.columns:
        yield from _fill(row_writer("jsonl", file, Columns(), shown), _lines(archive, plan.what, wanted))
    else:
        header, rows, _ = _table(archive, plan, wanted)
        cells = map(_with_short_score, rows) if plan.what == "images" and plan.kind == "csv" else rows
        yield from _fill(row_writer(plan.kind, file, Columns(header, cells=plan.cells), shown), cells)


def _with_short_score(row: Row) -> Row:
    """Return the row of an image as people read it: 0.25 and 1, not all digits."""
    score = row.get("score")
    return {**row, "score": f"{score:.4f}".rstrip("0").rstrip(".")} if isinstance(score, float) else row


def _fill(file: Writer[Row], rows: Iterator[Row]) -> Iterator[object]:
    try:
        yield from map(file.put, rows)
    finally:
        file.close()


def _lines(archive: Archive, what: str, wanted: PageQuery) -> Iterator[Row]:
    if what == "records":
        return map(record_line, read_records(archive, wanted))
    if what == "images":
        return _images(archive, wanted)
    return map(page_line, read_pages(archive, wanted))


def _table(archive: Archive, plan: Export, wanted: PageQuery) -> tuple[tuple[str, ...], Iterator[Row], dict[str, str]]:
    """Return the header of a flat table, its rows, and which columns hold no text.

    All is looked through before, for columns that some have.
    """
    header, rows, kinds = _whole_table(archive, plan.what, wanted)
    if not plan.columns:
        return header, rows, kinds
    unknown = [name for name, _ in plan.columns if name not in header]
    if unknown:
        raise BadInput(f"no column is called {', '.join(unknown)}; there are {', '.join(header)}")
    choice = ColumnChoice(plan.columns)
    return choice.header, map(choice.of_row, rows), kinds


def _whole_table(
    archive: Archive, what: str, wanted: PageQuery
) -> tuple[tuple[str, ...], Iterator[Row], dict[str, str]]:
    if what == "records":
        table = RecordTable.of(read_records(archive, wanted))
        return table.header, map(table.cells, read_records(archive, wanted)), _RECORD_KINDS
    if what == "images":
        return IMAGE_CELLS, _images(archive, wanted), _IMAGE_KINDS
    pages = PageTable.of(read_rests(archive, wanted))
    return pages.header, map(pages.cells, read_pages(archive, wanted)), dict(pages.kinds)


def _images(archive: Archive, wanted: PageQuery) -> Iterator[Row]:
    return chain.from_iterable(map(image_rows, read_pages(archive, wanted)))


def _count(steps: Iterator[object], tell: Tell | None) -> int:
    number = 0
    try:
        for number, _ in enumerate(steps, start=1):
            if tell is not None:
                tell(number)
    finally:
        if isinstance(steps, Generator):
            steps.close()  # before the file is, when somebody interrupts
    return number


@contextmanager
def _open(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that appears when it is whole; what is no file, such as a named pipe, is written to as it is."""
    if path.exists() and not path.is_file():
        with path.open("wb") as there:
            yield there
    else:
        with replacing(Path(os.path.realpath(path)), sync=True) as file:
            yield file


@contextmanager
def _standard_output() -> Iterator[IO[str]]:
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    yield sys.stdout
    sys.stdout.flush()


def scan_archive(
    where: str | Path | Archive,
    table: str = "documents",
    *,
    sites: Sequence[str] = (),
    since: datetime | None = None,
    until: datetime | None = None,
) -> Any:
    """Return a `pyarrow.RecordBatchReader` of an archive: of its newest `documents`, its `images` or its `records`.

    `where` is a file, a `postgresql://` address or an archive that is open. `sites` are keys of sites, `since` and
    `until` moments in UTC: fetched then or later, and before; of records, first seen. It is read as it is asked for,
    a few megabytes at a time, while a crawl may go on. Raises BadInput, ArchiveFailed, and MissingExtra where pyarrow
    is not installed.
    """
    require_arrow()
    if table not in ARROW_TABLES:
        raise BadInput(f"an archive has no table {table!r}; expected one of {', '.join(ARROW_TABLES)}")
    if isinstance(sites, str):
        raise BadInput("sites is a list of keys, not one text")
    wanted = PageQuery(sites=tuple(sites), since=_moment(since), until=_moment(until))
    with _opened(where) as archive:  # what is wrong is told now, not when the first batch is asked for
        check_sites(archive, wanted)
    if table == "records":
        return _records(where, wanted)
    builder = _builder(table)
    return open_reader(builder, table, _filled(builder, where, wanted))


@contextmanager
def _opened(where: str | Path | Archive) -> Iterator[Archive]:
    """Open an archive for as long as it is read; one that was open stays so."""
    if isinstance(where, Archive):
        yield where
    else:
        with open_archive(where, create=False) as archive:
            yield archive


def _moment(given: datetime | None) -> datetime | None:
    return given.replace(tzinfo=UTC) if given is not None and given.tzinfo is None else given


def _builder(table: str) -> TableBuilder:
    import pyarrow as pa

    moment = pa.timestamp("us", "UTC")
    kinds = {"status": pa.int32(), "version": pa.int32(), "versions": pa.int32(), "is_complete": pa.bool_()}
    kinds |= dict.fromkeys(("fetched_at", "first_seen", "last_seen", "gone_at"), moment)
    extra = {name: kinds.get(name, pa.string()) for name in _IN_ARCHIVE if name != "via"}
    return TableBuilder((table,), (*RENDERED, *NESTED), extra=extra, keys=("site", "fetched_at"))


def _filled(builder: TableBuilder, where: str | Path | Archive, wanted: PageQuery) -> Iterator[object]:
    with _opened(where) as archive:
        for stored in read_pages(archive, wanted):
            builder.add(to_document(stored), _in_archive(stored))
            yield None


def _records(where: str | Path | Archive, wanted: PageQuery) -> Any:
    import pyarrow as pa

    moment = pa.timestamp("us", "UTC")
    extra = {"first_seen": moment, "last_seen": moment, "sightings": pa.int64(), "site": pa.string()}
    # an archive has a record once, wherever it was seen: it has no number on a page
    schema = pa.schema([field for field in records_schema(extra) if field.name not in ("list", "record")])
    return pa.RecordBatchReader.from_batches(schema, _record_batches(where, wanted, schema))


def _record_batches(where: str | Path | Archive, wanted: PageQuery, schema: Any) -> Iterator[Any]:
    with _opened(where) as archive:
        rows = map(_record_row, read_records(archive, wanted))
        while some := list(islice(rows, FULL_ROWS)):
            yield build_batch(some, schema)


def _record_row(record: StoredRecord) -> tuple[Any, ...]:
    pairs = tuple(pair for pair in zip(record.columns, record.fields, strict=True) if pair[1])
    known = (record.first_seen, record.last_seen, record.sightings, record.site)
    return record.page, record.kind, pairs, record.links, record.images, *known
