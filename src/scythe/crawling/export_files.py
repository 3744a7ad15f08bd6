"""Write rows to one file: rows with named values come in, JSON lines, CSV or Parquet go out as they come."""

from __future__ import annotations

import csv
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import IO, Any

from scythe.crawling.export_rows import Row
from scythe.export import safe_cell
from scythe.tables.builder import ELSEWHERE
from scythe.tables.schemas import NESTED, RENDERED, STATED, field_type, page_columns

_GROUP_ROWS = 2_000  # of one row group of a Parquet file
_GROUP_CHARS = 16_000_000  # a row group is written when it is that long: memory stays flat


class RowFile(ABC):
    """Take rows one by one; `close` when all were given. The file below stays open."""

    @abstractmethod
    def put(self, row: Row) -> None:
        """Write one row, now or with some others."""

    @abstractmethod
    def close(self) -> None:
        """Write what is left."""


class JsonLinesFile(RowFile):
    """One JSON object per line."""

    def __init__(self, file: IO[str], shown: Callable[[str], str] = str) -> None:
        self._file, self._shown = file, shown

    def put(self, row: Row) -> None:
        self._file.write(self._shown(json.dumps(row, ensure_ascii=False, default=_plain)) + "\n")

    def close(self) -> None:
        self._file.flush()


class CsvFile(RowFile):
    """A table with a header. No cell can be taken for a formula."""

    def __init__(self, file: IO[str], header: Sequence[str], shown: Callable[[str], str] = str) -> None:
        self._file, self._header, self._shown = file, header, shown
        self._writer = csv.writer(file, lineterminator="\n")
        self._writer.writerow([shown(safe_cell(name)) for name in header])

    def put(self, row: Row) -> None:
        self._writer.writerow([self._shown(_cell(row.get(name))) for name in self._header])

    def close(self) -> None:
        self._file.flush()


class ParquetFile(RowFile):
    """A Parquet file, written one row group after the other."""

    def __init__(self, file: IO[bytes], schema: Any) -> None:
        from pyarrow import parquet

        self._schema = schema
        self._writer: Any = parquet.ParquetWriter(file, schema, compression="zstd")
        self._rows: list[Row] = []
        self._chars = 0

    def put(self, row: Row) -> None:
        self._rows.append(row)
        self._chars += sum(len(value) for value in row.values() if isinstance(value, str))
        if len(self._rows) >= _GROUP_ROWS or self._chars >= _GROUP_CHARS:
            self._flush()

    def _flush(self) -> None:
        import pyarrow

        try:
            table = pyarrow.Table.from_pylist(self._rows, schema=self._schema)
        except UnicodeEncodeError:
            table = pyarrow.Table.from_pylist([_storable(row) for row in self._rows], schema=self._schema)
        self._writer.write_table(table)
        self._rows, self._chars = [], 0

    def close(self) -> None:
        try:
            if self._rows:
                self._flush()
            self._writer.close()
        finally:
            self._writer.is_open = False  # on a full disk it would try again when it is forgotten


def page_schema() -> Any:
    """Return the columns of a Parquet file of pages: lines, but what pages state is text in columns of its own."""
    import pyarrow as pa

    text, moment = pa.string(), pa.timestamp("us", "UTC")
    columns = page_columns((*RENDERED, *NESTED)) | {"site": text, "status": pa.int32()}
    columns |= dict.fromkeys(("fetched_at", "first_seen", "last_seen", "gone_at"), moment)
    columns |= {"via": text, "duplicate_of": text, "version": pa.int32(), "versions": pa.int32()}
    return pa.schema(columns | {"is_complete": pa.bool_(), "fields": pa.list_(field_type())})


def for_parquet(line: Row) -> Row:
    """Return the line of a page with what it states of itself beside it; attributes and fields with their names."""
    metadata, attributes, learned = line["metadata"], line["attributes"], line["fields"]
    assert isinstance(metadata, dict)
    assert isinstance(attributes, tuple)
    assert isinstance(learned, dict)
    pairs = [{"name": name, "value": value} for name, value in attributes]
    fields = [{"name": name, "values": one["values"]} for name, one in learned.items() if name not in ELSEWHERE]
    stated = {name: metadata[name] or None for name in STATED}
    return line | stated | {"keywords": metadata["keywords"], "attributes": pairs, "fields": fields}


def table_schema(header: Sequence[str], kinds: dict[str, str]) -> Any:
    """Return the columns of a flat Parquet file; `kinds` names what is no text: moment, count, measure or flag."""
    import pyarrow as pa

    known = {"moment": pa.timestamp("us", "UTC"), "count": pa.int64(), "measure": pa.float64(), "flag": pa.bool_()}
    return pa.schema({name: known.get(kinds.get(name, ""), pa.string()) for name in header})


def _plain(value: object) -> object:
    """Return what JSON takes in place of a moment."""
    assert isinstance(value, datetime)
    return told(value)


def told(moment: datetime) -> str:
    """Return a moment as files say it: 2026-11-15T12:00:00.123Z."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.4f}".rstrip("0").rstrip(".")
    return safe_cell(told(value) if isinstance(value, datetime) else str(value))


def _storable(row: Row) -> Row:
    """Return a row whose texts have no halves of characters; JSON of a page may bring some."""
    moments = {name: value for name, value in row.items() if isinstance(value, datetime)}
    text = json.dumps(row, ensure_ascii=False, default=str).encode("utf-8", "replace").decode()
    plain: Row = json.loads(text)
    return plain | moments
