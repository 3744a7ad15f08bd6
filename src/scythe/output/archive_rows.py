"""The rows of archive exports: nested for JSON lines, flat for CSV and Parquet."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scythe.archive.results import StoredPage, StoredRecord
from scythe.archive.stored_documents import to_document
from scythe.model import Document, Field
from scythe.output.arrow_tables import ELSEWHERE, NESTED, RENDERED, STATED, field_cell, field_type, page_columns
from scythe.output.rows import own_names

PAGE_CELLS = (
    "url", "title", "author", "published", "modified", "language", "kind", "description", "text", "images", "records",
    "attributes", "site", "status", "fetched_at", "first_seen", "last_seen", "gone_at", "via", "duplicate_of",
    "version", "versions", "is_complete",
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
        "url": stored.url,
        "title": stored.title,
        "text": stored.text,
        "markdown": stored.markdown,  # null: was not kept
        "html": stored.html,
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
        types = {name: kind for rest in rests for name, kind in _fields(rest) if name not in ELSEWHERE}
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


def _fields(rest: str) -> Iterator[tuple[str, str]]:
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
    return {
        "site": stored.site,
        "status": stored.status,
        "fetched_at": stored.fetched_at,
        "first_seen": stored.first_seen,
        "last_seen": stored.last_seen,
        "gone_at": stored.gone_at,
        "via": stored.how,
        "duplicate_of": stored.duplicate_of,
        "version": stored.version,
        "versions": stored.versions,
        "is_complete": stored.is_complete,
    }


def image_rows(stored: StoredPage) -> Iterator[dict[str, object]]:
    """Yield the images of a page, those that do not belong to its content too."""
    for image in to_document(stored).images:
        yield {"page": stored.url, **{name: getattr(image, name) for name in IMAGE_CELLS[1:]}}


def record_line(record: StoredRecord) -> dict[str, object]:
    """Return everything that is known of a record."""
    return {
        "page": record.page,
        "kind": record.kind,
        "fields": dict(zip(record.columns, record.fields, strict=True)),
        "links": record.links,
        "images": record.images,
        "first_seen": record.first_seen,
        "last_seen": record.last_seen,
        "sightings": record.sightings,
        "site": record.site,
    }


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
