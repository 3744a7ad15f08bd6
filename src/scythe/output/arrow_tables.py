"""Convert documents to Arrow tables of pages, images and records.

A name means the same in all tables, in archive exports and in `Document`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from itertools import accumulate, chain
from operator import attrgetter, itemgetter
from typing import Any

from scythe.archive.stored_documents import via_of
from scythe.errors import BadInput, MissingExtra
from scythe.model import DEFAULT_FIELDS, Document, Field, Metadata, RecordList


def build_batch(rows: Sequence[tuple[Any, ...]], schema: Any) -> Any:
    """Return rows, each with one value per column, as a record batch."""
    import pyarrow as pa

    arrays = [build_array(_column(rows, place), field.type) for place, field in enumerate(schema)]
    return pa.record_batch(arrays, schema=schema)


def build_array(values: Sequence[Any], kind: Any) -> Any:
    """Return values as an array of this type, whatever a page put into them."""
    import pyarrow as pa

    is_of_structs = pa.types.is_list(kind) and pa.types.is_struct(kind.value_type)
    if is_of_structs and all(isinstance(value, tuple) for value in values):  # ours: others have empty cells, too
        ends = pa.array([0, *accumulate(map(len, values))], pa.int32())
        things = list(chain.from_iterable(values))
        return pa.ListArray.from_arrays(ends, _build_structs(things, kind.value_type), type=kind)
    try:
        return pa.array(values, kind)
    except UnicodeEncodeError:
        return pa.array([_storable(value) for value in values], kind)


def _build_structs(things: Sequence[tuple[Any, ...]], kind: Any) -> Any:
    import pyarrow as pa

    fields = [kind.field(i) for i in range(kind.num_fields)]
    arrays = [build_array(_column(things, place), field.type) for place, field in enumerate(fields)]
    return pa.StructArray.from_arrays(arrays, fields=fields)


def _column(rows: Sequence[tuple[Any, ...]], place: int) -> list[Any]:
    """Return one value of each row; `zip(*rows)` takes eighty times as long for 30 000 of them."""
    return list(map(itemgetter(place), rows))


def _storable(value: Any) -> Any:
    """Replace halves of characters, which no encoding has a place for; JSON in a page may bring some."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    return tuple(map(_storable, value)) if isinstance(value, tuple | list) else value


TABLES = ("documents", "images", "records")
PARTS = ("text", "images", "records")  # of a table of documents, where nobody says otherwise
NESTED = ("images", "records", "attributes")  # parts that are lists in a cell
_COLUMN = {"records": "lists"}  # of such a part, where it has another name: a cell holds the lists, with their records
RENDERED = ("text", "markdown", "html")  # parts that are one text
STATED = (
    "description", "author", "published", "modified", "language", "canonical", "site_name", "kind", "image"
)  # fmt: skip
Extra = Mapping[str, Any]  # further columns: their Arrow types by name


def require_arrow() -> None:
    """Raise MissingExtra where there are no Arrow tables."""
    if find_spec("pyarrow") is None:
        raise MissingExtra("Arrow tables need the package pyarrow: pip install 'webscythe[parquet]'")


def documents_schema(parts: Collection[str] = PARTS, extra: Extra | None = None) -> Any:
    """Return the columns of a table with one row per page; `parts` says which of those that cost time there are."""
    import pyarrow as pa

    text = pa.string()
    loss = pa.struct({"what": text, "count": pa.int64()})
    columns = page_columns(parts) | {"via": text, "fields": pa.list_(field_type()), "losses": pa.list_(loss)}
    return pa.schema(_joined(columns, extra))


def field_type() -> Any:
    """Return what a cell tells of a field that somebody showed by example."""
    import pyarrow as pa

    texts, numbers = pa.list_(pa.string()), pa.list_(pa.float64())
    return pa.struct({"name": pa.string(), "values": texts, "type": pa.string(), "typed": texts, "numbers": numbers})


def field_cell(name: str, field: Field) -> tuple[object, ...]:
    """Return what a cell tells of a field: texts as found and, of one with a type, as read, amounts as numbers.

    What is read is an ISO date or duration, a currency, an address, "true" or "false".
    """
    numbers = [value["amount"] if isinstance(value, dict) else value for value in field.typed]
    is_numeric = field.type in ("money", "number")
    texts = [value["currency"] if isinstance(value, dict) else value for value in field.typed]
    said = [str(value).lower() if isinstance(value, bool) else value for value in texts]
    typed = [] if field.type in ("", "number") else said
    return name, field.values, field.type or None, typed, numbers if is_numeric else []


def page_columns(parts: Collection[str]) -> dict[str, Any]:
    """Return what every table of pages has: the types of its columns by name."""
    import pyarrow as pa

    unknown = set(parts) - {*RENDERED, *NESTED}
    if unknown:
        raise BadInput(
            f"{min(unknown)!r} is not a part of a document; expected one of {', '.join((*RENDERED, *NESTED))}"
        )
    text = pa.string()
    shown = [name for name in RENDERED if name in parts]
    columns = dict.fromkeys(("url", "title", *shown, *STATED), text) | {"keywords": pa.list_(text)}
    columns |= {_COLUMN.get(name, name): pa.list_(_nested(name)) for name in NESTED if name in parts}
    return columns | {"why": text}


def images_schema(extra: Extra | None = None) -> Any:
    """Return the columns of a table with one row per use of an image on a page."""
    import pyarrow as pa

    return pa.schema(_joined({"page": pa.string()} | image_columns(), extra))


def records_schema(extra: Extra | None = None) -> Any:
    """Return the columns of a table with one row per record of a list; lists and records count from 1."""
    import pyarrow as pa

    text, number = pa.string(), pa.int32()
    columns = {"page": text, "list": number, "kind": text, "record": number}
    columns |= {"fields": pa.list_(_pair()), "links": pa.list_(text), "images": pa.list_(text)}
    return pa.schema(_joined(columns, extra))


def image_columns() -> dict[str, Any]:
    """Return what tables tell of an image."""
    import pyarrow as pa

    text, size = pa.string(), pa.int32()
    known = {"src": text, "alt": text, "caption": text, "width": size, "height": size}
    return known | {"relevant": pa.bool_(), "score": pa.float64()}


def list_columns() -> dict[str, Any]:
    """Return what a cell tells of one list."""
    import pyarrow as pa

    texts = pa.list_(pa.string())
    record = pa.struct({"fields": texts, "links": texts, "images": texts})
    return {"kind": pa.string(), "columns": texts, "records": pa.list_(record)}


def _nested(part: str) -> Any:
    import pyarrow as pa

    if part == "attributes":
        return _pair()
    return pa.struct(image_columns() if part == "images" else list_columns())


def _pair() -> Any:
    import pyarrow as pa

    return pa.struct({"name": pa.string(), "value": pa.string()})


def _joined(columns: dict[str, Any], extra: Extra | None) -> dict[str, Any]:
    twice = sorted(set(columns) & set(extra or ()))
    if twice:
        raise BadInput(f"there is a column {twice[0]!r} already: choose another name")
    return columns | dict(extra or {})


FULL_ROWS = 2_000  # of a table: a row group of a Parquet file, and what is worth a batch
FULL_CHARS = 16_000_000  # in all tables: memory stays flat, and no column comes near the two gigabytes of its offsets
_IMAGE_CHARS = 200  # that an image counts for: mostly an address and a line of text
_NOTHING: Mapping[str, object] = {}
ELSEWHERE = frozenset(DEFAULT_FIELDS)  # they have a column of their own, or a table

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
            raise BadInput(f"unknown table or column {min(unknown)!r}; tables are {', '.join(TABLES)}")
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

    def add(self, document: Document, extra: Mapping[str, object] = _NOTHING) -> None:
        """Add what the tables tell of one document, and the further values of its row by name.

        `extra["via"]` is for how it once was extracted.
        """
        if "images" in self._rows or "records" in self._rows:
            self._add_things(document, tuple(map(extra.get, self._keys)))
        if "documents" in self._rows:
            row = self._page(document, document.metadata, extra.get("via"))
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
            nested.append(tuple(map(_IMAGE_CELLS, document.images)))
        if "records" in parts:
            records = attrgetter("fields", "links", "images")
            lists = ((one.kind, one.columns, tuple(map(records, one.records))) for one in document.lists)
            nested.append(tuple(lists))
        if "attributes" in parts:
            nested.append(document.attributes)
        self._chars += sum(map(len, shown))
        own = [field_cell(name, field) for name, field in document.fields.items() if name not in ELSEWHERE]
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
            images.extend((document.url, *_IMAGE_CELLS(image), *keys) for image in document.images)
            self._chars += (len(images) - begin) * _IMAGE_CHARS
        if "records" in self._rows:
            for number, listed in enumerate(document.lists, start=1):
                self._rows["records"].extend(self._record_rows(document, number, listed, keys))

    def _record_rows(self, document: Document, number: int, listed: RecordList, keys: Row) -> Iterator[Row]:
        for place, record in enumerate(listed.records, start=1):
            self._chars += sum(map(len, chain(record.fields, record.links, record.images)))
            pairs = tuple(pair for pair in zip(listed.columns, record.fields, strict=True) if pair[1])
            yield document.url, number, listed.kind, place, pairs, record.links, record.images, *keys


def _stated(document: Document, metadata: Metadata) -> Row:
    """Return what a page says of itself, in the order of STATED; what a rule gave is better than what its head says."""
    said = [getattr(metadata, name) or None for name in STATED]
    for place, name in ((_AUTHOR, "author"), (_PUBLISHED, "date")):
        field = document.fields.get(name)
        if field is not None and field.values:
            said[place] = field.values[0]
    return tuple(said)


_IMAGE_CELLS = attrgetter("src", "alt", "caption", "width", "height", "relevant", "score")
_AUTHOR, _PUBLISHED = STATED.index("author"), STATED.index("published")


def to_arrow(docs: Iterable[Document], table: str = "documents", *, parts: Collection[str] = PARTS) -> Any:
    """Return documents as a `pyarrow.Table`, which pandas, Polars and DuckDB take without copying it.

    `table` is documents (one row per page), images or records (one row for each of them). `parts` says what a row of
    documents has besides what is known at once: of text, markdown, html, images, records, attributes. Raises BadInput,
    and MissingExtra where pyarrow is not installed.
    """
    return stream_arrow(docs, table, parts=parts).read_all()


def stream_arrow(docs: Iterable[Document], table: str = "documents", *, parts: Collection[str] = PARTS) -> Any:
    """Return a `pyarrow.RecordBatchReader` of what `to_arrow` would return, that takes documents as it is read."""
    builder = TableBuilder((table,), parts)
    return open_reader(builder, table, _filled(builder, docs))


def open_reader(builder: TableBuilder, table: str, steps: Iterator[object]) -> Any:
    """Return a reader of one table of a builder that each step adds something to."""
    import pyarrow as pa

    return pa.RecordBatchReader.from_batches(builder.schemas[table], _batches(builder, table, steps))


def _batches(builder: TableBuilder, table: str, steps: Iterator[object]) -> Iterator[Any]:
    for is_over in chain((False for _ in steps), (True,)):
        if (is_over or builder.is_full) and (batch := builder.take().get(table)) is not None:
            yield batch


def _filled(builder: TableBuilder, docs: Iterable[Document]) -> Iterator[None]:
    if isinstance(docs, Document):
        raise BadInput("docs are several documents: put the one into a list")
    for number, document in enumerate(docs):
        if not isinstance(document, Document):
            raise BadInput(f"docs[{number}] must be a Document, not {type(document).__name__}")
        builder.add(document)
        yield
