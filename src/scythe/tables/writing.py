"""Give documents to other tools: documents come in, an Arrow table or a stream of its batches goes out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from scythe.errors import BadInput
from scythe.model import Document
from scythe.tables.builder import TableBuilder
from scythe.tables.schemas import PARTS


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
    for _ in steps:
        if builder.is_full:
            yield from _taken(builder, table)
    yield from _taken(builder, table)


def _taken(builder: TableBuilder, table: str) -> Iterator[Any]:
    batch = builder.take().get(table)
    if batch is not None:
        yield batch


def _filled(builder: TableBuilder, docs: Iterable[Document]) -> Iterator[None]:
    if isinstance(docs, Document):
        raise BadInput("docs are several documents: put the one into a list")
    for number, document in enumerate(docs):
        if not isinstance(document, Document):
            raise BadInput(f"docs[{number}] must be a Document, not {type(document).__name__}")
        builder.add(document)
        yield
