"""The columns of the tables that documents become: parts of a page come in, Arrow schemas go out.

A name means the same in all tables, in the exports of an archive and in `Document`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from importlib.util import find_spec
from typing import Any

from scythe.errors import BadInput, MissingExtra

TABLES = ("documents", "images", "records")
PARTS = ("text", "images", "records")  # of a table of documents, where nobody says otherwise
NESTED = ("images", "records", "attributes")  # parts that are lists in a cell
RENDERED = ("text", "markdown", "html")  # parts that are one text
STATED = (
    "description", "author", "published", "modified", "language", "canonical", "site_name", "kind", "image"
)  # fmt: skip
Extra = Mapping[str, Any]  # further columns: their Arrow types by name


def require_arrow() -> None:
    """Raise MissingExtra where there are no Arrow tables."""
    if find_spec("pyarrow") is None:
        raise MissingExtra("Arrow tables need the package pyarrow: pip install 'scythe[parquet]'")


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

    return pa.struct({"name": pa.string(), "values": pa.list_(pa.string())})


def page_columns(parts: Collection[str]) -> dict[str, Any]:
    """Return what every table of pages has: the types of its columns by name."""
    import pyarrow as pa

    unknown = set(parts) - {*RENDERED, *NESTED}
    if unknown:
        raise BadInput(f"{min(unknown)!r} is no part of a document; known are {', '.join((*RENDERED, *NESTED))}")
    text = pa.string()
    shown = [name for name in RENDERED if name in parts]
    columns = dict.fromkeys(("url", "title", *shown, *STATED), text) | {"keywords": pa.list_(text)}
    columns |= {name: pa.list_(_nested(name)) for name in NESTED if name in parts}
    return columns | {"why": text}


def images_schema(extra: Extra | None = None) -> Any:
    """Return the columns of a table with one row per use of an image on a page."""
    import pyarrow as pa

    return pa.schema(_joined({"page": pa.string()} | image_columns(), extra))


def records_schema(extra: Extra | None = None) -> Any:
    """Return the columns of a table with one row per record of a list; regions and records count from 1."""
    import pyarrow as pa

    text, number = pa.string(), pa.int32()
    columns = {"page": text, "region": number, "kind": text, "record": number}
    columns |= {"fields": pa.list_(_pair()), "links": pa.list_(text), "images": pa.list_(text)}
    return pa.schema(_joined(columns, extra))


def image_columns() -> dict[str, Any]:
    """Return what tables tell of an image."""
    import pyarrow as pa

    text, size = pa.string(), pa.int32()
    known = {"src": text, "alt": text, "caption": text, "width": size, "height": size}
    return known | {"relevant": pa.bool_(), "score": pa.float64()}


def region_columns() -> dict[str, Any]:
    """Return what a cell tells of one region of records."""
    import pyarrow as pa

    texts = pa.list_(pa.string())
    record = pa.struct({"fields": texts, "links": texts, "images": texts})
    return {"kind": pa.string(), "columns": texts, "records": pa.list_(record)}


def _nested(part: str) -> Any:
    import pyarrow as pa

    if part == "attributes":
        return _pair()
    return pa.struct(image_columns() if part == "images" else region_columns())


def _pair() -> Any:
    import pyarrow as pa

    return pa.struct({"name": pa.string(), "value": pa.string()})


def _joined(columns: dict[str, Any], extra: Extra | None) -> dict[str, Any]:
    twice = sorted(set(columns) & set(extra or ()))
    if twice:
        raise BadInput(f"there is a column {twice[0]!r} already: name the further one otherwise")
    return columns | dict(extra or {})
