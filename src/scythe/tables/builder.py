"""Collect documents as tables: documents come in one by one, record batches of pages, images and records go out."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from typing import Any

from scythe.crawling.extraction import via_of
from scythe.errors import BadInput
from scythe.model import Document, Image, Metadata, Record, Region
from scythe.tables.cells import build_batch
from scythe.tables.schemas import (
    PARTS,
    RENDERED,
    STATED,
    TABLES,
    Extra,
    documents_schema,
    images_schema,
    records_schema,
    require_arrow,
)

FULL_ROWS = 2_000  # of a table: a row group of a Parquet file, and what is worth a batch
FULL_CHARS = 16_000_000  # in all tables: memory stays flat, and no column comes near the two gigabytes of its offsets
_IMAGE_CHARS = 200  # that an image counts for: mostly an address and a line of text
_NOTHING: Mapping[str, object] = {}
# fields that have a column of their own, or a table: teach.DEFAULT_FIELDS, which takes long to import
ELSEWHERE = frozenset(("title", "text", "date", "author", "images", "records"))

Row = tuple[Any, ...]


class TableBuilder:
    """Takes documents, gives batches of one schema per table; what no table and no part asks for is not worked out.

    `parts` are those of the table of documents. `extra` are further columns of it, their Arrow types by name, and
    `keys` names those that images and records have too, to tell which row of documents they belong to where the
    address does not.
    """

    def __init__(
        self,
        tables: Collection[str] = ("documents",),
        parts: Collection[str] = PARTS,
        *,
        extra: Extra | None = None,
        keys: Collection[str] = (),
    ) -> None:
        require_arrow()
        extra = dict(extra or {})
        unknown = (set(tables) - set(TABLES)) | (set(keys) - set(extra))
        if unknown:
            raise BadInput(f"no table or further column is called {min(unknown)!r}; tables are {', '.join(TABLES)}")
        shared = {name: extra[name] for name in keys}
        known = {
            "documents": documents_schema(parts, extra),
            "images": images_schema(shared),
            "records": records_schema(shared),
        }
        self.schemas: dict[str, Any] = {name: known[name] for name in TABLES if name in tables}
        self._rows: dict[str, list[Row]] = {name: [] for name in self.schemas}
        self._parts = frozenset(parts)
        self._extra, self._keys = tuple(extra), tuple(keys)
        self._chars = 0

    def add(self, document: Document, extra: Mapping[str, object] = _NOTHING, metadata: Metadata | None = None) -> None:
        """Add what the tables tell of one document, and the further values of its row by name.

        `metadata` is for what its page says beyond `document.metadata`; `extra["via"]` for how it once was extracted.
        """
        if "images" in self._rows or "records" in self._rows:
            self._add_things(document, tuple(map(extra.get, self._keys)))
        if "documents" in self._rows:
            row = self._page(document, metadata or document.metadata, extra.get("via"))
            self._rows["documents"].append(row + tuple(map(extra.get, self._extra)))

    @property
    def is_full(self) -> bool:
        """Whether it is time to `take` what there is."""
        return self._chars >= FULL_CHARS or any(len(rows) >= FULL_ROWS for rows in self._rows.values())

    def __len__(self) -> int:
        """Return how many rows wait, in all tables."""
        return sum(map(len, self._rows.values()))

    def take(self) -> dict[str, Any]:
        """Return a record batch for each table that has rows, and begin anew."""
        rows, self._rows, self._chars = self._rows, {name: [] for name in self.schemas}, 0
        return {name: build_batch(some, self.schemas[name]) for name, some in rows.items() if some}

    def _page(self, document: Document, metadata: Metadata, via: object) -> Row:
        parts = self._parts
        shown = [getattr(document, name) for name in RENDERED if name in parts]
        nested: list[Row] = []
        if "images" in parts:
            nested.append(tuple(map(_image_cells, document.images)))
        if "records" in parts:
            nested.append(tuple(map(_region_cells, document.records)))
        if "attributes" in parts:
            nested.append(document.attributes)
        self._chars += sum(map(len, shown))
        own = [(name, field.values) for name, field in document.fields.items() if name not in ELSEWHERE]
        return (
            document.url,
            document.title,
            *(text or None for text in shown),
            *_stated(document, metadata),
            metadata.keywords,
            *nested,
            document.why,
            via or via_of(document),  # last: asking for parts may change it
            tuple(own),
            tuple((loss.what, loss.count) for loss in document.losses),
        )

    def _add_things(self, document: Document, keys: Row) -> None:
        if "images" in self._rows:
            images = self._rows["images"]
            begin = len(images)
            images.extend((document.url, *_image_cells(image), *keys) for image in document.images)
            self._chars += (len(images) - begin) * _IMAGE_CHARS
        if "records" in self._rows:
            for number, region in enumerate(document.records, start=1):
                self._rows["records"].extend(self._record_rows(document, number, region, keys))

    def _record_rows(self, document: Document, number: int, region: Region, keys: Row) -> Iterator[Row]:
        for place, record in enumerate(region.records, start=1):
            self._chars += sum(map(len, chain(record.fields, record.links, record.images)))
            pairs = tuple(pair for pair in zip(region.columns, record.fields, strict=True) if pair[1])
            yield document.url, number, region.kind, place, pairs, record.links, record.images, *keys


def _stated(document: Document, metadata: Metadata) -> Row:
    """Return what a page says of itself, in the order of STATED; what a rule gave is better than what its head says."""
    said = [getattr(metadata, name) or None for name in STATED]
    for place, name in ((_AUTHOR, "author"), (_PUBLISHED, "date")):
        field = document.fields.get(name)
        if field is not None and field.values:
            said[place] = field.values[0]
    return tuple(said)


_AUTHOR, _PUBLISHED = STATED.index("author"), STATED.index("published")


def _image_cells(image: Image) -> Row:
    return image.src, image.alt, image.caption, image.width, image.height, image.relevant, image.score


def _region_cells(region: Region) -> Row:
    return region.kind, region.columns, tuple(map(_record_cells, region.records))


def _record_cells(record: Record) -> Row:
    return record.fields, record.links, record.images
