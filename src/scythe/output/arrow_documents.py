"""Read documents from tables: data frames, relations and Parquet files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selectolax.lexbor import SelectolaxError

from scythe.errors import BadInput, ScytheError
from scythe.fetch.page_check import sniff_bytes
from scythe.model import Document
from scythe.output.arrow_tables import require_arrow
from scythe.page.encoding import in_utf8
from scythe.reader import read
from scythe.url import absolute

if TYPE_CHECKING:
    from scythe.site.site import Site

Sites = Callable[[str], "Site | None"]  # knows for an address by what it is to be extracted; None: cold
_BATCH_ROWS = 64  # pages of a Parquet file in memory at a time: of 20 MB each, at the very worst, and mostly of 0.1

_TEXTS = ("string", "large_string", "binary", "large_binary", "fixed_size_binary", "null")  # and their views


@dataclass(frozen=True, slots=True)
class _Columns:
    """Where a table has the parts of a page."""

    html: str
    url: str | None
    content_type: str | None

    @property
    def names(self) -> list[str]:
        return [name for name in (self.html, self.url, self.content_type) if name is not None]


def from_arrow(
    source: Any,
    *,
    html: str = "html",
    url: str | None = "url",
    content_type: str | None = None,
    site: Site | Sites | None = None,
) -> Iterator[Document]:
    """Read the pages of a table, one document per row in the order of the rows.

    `source` is anything that speaks Arrow (a pandas or Polars frame, a DuckDB relation, a pyarrow table or reader), or
    a Parquet file, or a folder of them. `html`, `url` and `content_type` name its columns; None: it has none. `site` is
    what pages are extracted by, or a function that returns it for an address; without, they are read cold. A row that
    cannot be read gives an empty document that says why. Raises BadInput where it is no table or a column is missing,
    MissingExtra where pyarrow is not installed.
    """
    require_arrow()
    columns = _Columns(html, url, content_type)
    return _documents(_batches(source, columns), columns, site)


def _documents(batches: Iterator[Any], columns: _Columns, site: Site | Sites | None) -> Iterator[Document]:
    for batch in batches:
        given = [batch.column(name) if name is not None else None for name in (columns.html, columns.url)]
        kinds = batch.column(columns.content_type) if columns.content_type is not None else None
        for row in range(batch.num_rows):
            body, address = (_value(column, row) for column in given)
            yield _read_row(body, _text(address), _text(_value(kinds, row)), site)


def _read_row(
    body: str | bytes | None, url: str | None, content_type: str | None, site: Site | Sites | None
) -> Document:
    """Return what one row gives, whatever it holds."""
    if body is None:
        return _empty(url, "no page in this row")
    try:
        known = site(url or "") if callable(site) else site
        if isinstance(body, bytes) and known is not None:
            if sniff_bytes(body[:4096], content_type):
                known = None  # no page: reading cold says what it is
            else:
                body = in_utf8(body, content_type or "")
        return read(body, url, content_type=content_type) if known is None else known.extract(body, url)
    except (ScytheError, SelectolaxError, MemoryError) as error:
        return _empty(url, f"could not be read: {str(error) or type(error).__name__}")


def _empty(url: str | None, why: str) -> Document:
    return Document(how={"text": f"empty: {why}"}, url=absolute(url) if url else None, why=why)


def _batches(source: Any, columns: _Columns) -> Iterator[Any]:
    """Open a table, see that it has the columns, and return the batches of it."""
    import pyarrow as pa

    if isinstance(source, str | Path):
        return _parquet_batches(_parquet_files(Path(source)), columns)
    if hasattr(source, "__arrow_c_stream__"):
        reader = pa.RecordBatchReader.from_stream(source)
        _check(reader.schema, columns, "the table")
        return iter(reader)
    if hasattr(source, "__arrow_c_array__"):
        batch = pa.record_batch(source)
        _check(batch.schema, columns, "the batch")
        return iter([batch])
    lazy = "; collect() it first" if hasattr(source, "collect") else ""
    raise BadInput(f"a table is a frame, a relation or the path of a Parquet file, not {type(source).__name__}{lazy}")


def _parquet_files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = sorted(path.rglob("*.parquet"))
    if not files:
        raise BadInput(f"{path}: no .parquet file in this folder")
    return files


def _parquet_batches(files: list[Path], columns: _Columns) -> Iterator[Any]:
    """Check all files, that a wrong one is told at once, and return their batches."""
    for path in files:
        with _open(path) as file:
            _check(file.schema_arrow, columns, str(path))
    return _walk(files, columns)


def _walk(files: list[Path], columns: _Columns) -> Iterator[Any]:
    for path in files:
        with _open(path) as file:
            yield from file.iter_batches(batch_size=_BATCH_ROWS, columns=columns.names)


def _open(path: Path) -> Any:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        return parquet.ParquetFile(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise BadInput(f"{path}: not a Parquet file that can be read ({str(error).splitlines()[0]})") from None


def _check(schema: Any, columns: _Columns, where: str) -> None:
    import pyarrow as pa

    for name in columns.names:
        number = schema.get_field_index(name)
        if number < 0:
            known = ", ".join(schema.names[:20])
            raise BadInput(f"{where} has no column {name!r}; it has {known or 'none'}")
        kind = schema.field(number).type
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        if not str(kind).startswith(_TEXTS):
            raise BadInput(f"{where}: column {name!r} has {kind}, not text or bytes")


def _value(column: Any, row: int) -> str | bytes | None:
    if column is None:
        return None
    try:
        value: str | bytes | None = column[row].as_py()
    except UnicodeDecodeError:  # nobody checks whether texts in a file are
        return bytes(column[row].as_buffer())
    return value


def _text(value: str | bytes | None) -> str | None:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
