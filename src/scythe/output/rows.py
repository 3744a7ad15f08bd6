"""Write lists, attributes and images of pages as rows: CSV, JSON, JSON lines, Parquet or SQLite."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import IO, Any

from scythe.errors import BadInput
from scythe.model import Image, RecordList
from scythe.output.formats import FORMATS, Writer, require_parquet

CSV_CELLS = AUTO, SAFE, PLAIN = ("auto", "safe", "plain")
_FORMULA = frozenset("=+-@\t\r\n＝＋－＠")  # with these a cell begins that a spreadsheet would calculate
# digits between signs, perhaps a currency in front and a unit behind: no function, reference or command is among them
_HARMLESS = re.compile(
    r"[-+＋－]{1,2} ?(?:[^\W\d_]{0,3}\$|[€£¥₹₽₩₺₴]|[A-Z]{3})? ?"
    r"\d(?:[\d \u00a0\u202f.,:/'’()–-]*\d\)?)?(?:[.,]?[-–]{1,2})?(?:[eE][-+]?\d{1,3})?"
    r" ?(?:[€£¥₹₽₩₺₴%‰°′″$²³]{1,2}[A-Z]?|[^\W\d_]{1,4}\.?)?"
)


def safe_cell(text: str, cells: str = AUTO) -> str:
    """Keep a spreadsheet from taking words of a page for a formula; numbers, dates and telephone numbers stay.

    `SAFE` lets nothing through that may be calculated, not even "-12.5"; `PLAIN` changes nothing.
    """
    if text[:1] not in _FORMULA or cells == PLAIN or (cells == AUTO and _HARMLESS.fullmatch(text)):
        return text
    return f"'{text}"


LEADING = ("page", "list", "kind")
TRAILING = ("link", "image")
IMAGES = "images"
Value = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class RowBatch:
    """The rows of one list of a page, or of its attributes."""

    page: str  # its address, or the name of its source
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]  # one per column; texts but for what is counted, measured or judged
    number: int = 0  # of the list, counted from 1, best first; 0 for attributes
    kind: str = ""
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Shape:
    """Which columns come before those of the records; the options decide, so that a header does not hang on a page."""

    page: bool = False
    list: bool = False  # its number and kind
    header: tuple[str, ...] = ()  # of the table, where somebody chose it
    cells: str = AUTO

    def lead(self, batch: RowBatch) -> dict[str, Value]:
        """Return the leading cells of all rows of a batch."""
        cells: dict[str, Value] = {"page": batch.page} if self.page else {}
        return cells | ({"list": batch.number, "kind": batch.kind} if self.list else {})

    def dictionaries(self, batch: RowBatch) -> Iterator[dict[str, Value]]:
        """Yield the rows of a batch by column name."""
        lead = self.lead(batch)
        for row in batch.rows:
            yield lead | dict(zip(batch.columns, row, strict=True))

    @property
    def columns(self) -> Columns:
        """The columns that a table has even where there is no row."""
        lead = ("page",) * self.page + ("list", "kind") * self.list
        return Columns(self.header, lead, cells=self.cells)


def list_batch(page: str, number: int, listed: RecordList) -> RowBatch:
    """Return the records of a list as rows: its columns, then the first link and the first image of each."""
    rows = (
        (*record.fields, record.links[0] if record.links else "", record.images[0] if record.images else "")
        for record in listed.records
    )
    return RowBatch(page, (*own_names(listed.columns), *TRAILING), tuple(rows), number, listed.kind, listed.score)


def attributes_batch(page: str, pairs: Iterable[tuple[str, str]], *, wide: bool = False) -> RowBatch:
    """Return the attributes of a page as rows of a name and a value, or `wide` as one row with a column for each.

    Values of the same name are lines of one cell then.
    """
    if not wide:
        return RowBatch(page, ("name", "value"), tuple(pairs))
    row: dict[str, str] = {}
    for name, value in pairs:
        row[name] = f"{row[name]}\n{value}" if name in row else value
    return RowBatch(page, own_names(tuple(row)), (tuple(row.values()),))


def images_batch(page: str, images: Iterable[Image]) -> RowBatch:
    """Return the images of a page as rows, those that do not belong to its content too."""
    columns = ("src", "relevant", "score", "alt", "caption", "width", "height")
    rows = ((one.src, one.relevant, round(one.score, 4), one.alt, one.caption, one.width, one.height) for one in images)
    return RowBatch(page, columns, tuple(rows), kind=IMAGES)


def cell_text(value: object) -> str:
    """Return a value as text: nothing for None, true and false in lower case as in JSON."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return told(value) if isinstance(value, datetime) else str(value)


def told(moment: object) -> str:
    """Return a moment as files say it: 2026-11-15T12:00:00.123Z."""
    assert isinstance(moment, datetime)
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def own_names(columns: tuple[str, ...], ours: tuple[str, ...] = (*LEADING, *TRAILING)) -> tuple[str, ...]:
    """Rename columns of a page that are called like ours."""
    taken = set(ours)
    names = []
    for column in columns:
        name, number = column or "column", 2
        while name in taken:
            name, number = f"{column or 'column'}_{number}", number + 1
        taken.add(name)
        names.append(name)
    return tuple(names)


Row = Mapping[str, object]
Shown = Callable[[str], str]  # what becomes of a text before it is written
_SQLITE_COLUMNS = 2_000  # as SQLite is built
_GROUP_ROWS = 2_000  # of one row group of a Parquet file
_GROUP_CHARS = 16_000_000  # a row group is written when it is that long: memory stays flat


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a table, as far as they are known before its rows are."""

    header: tuple[str, ...] = ()  # empty: those that rows turn out to have
    lead: tuple[str, ...] = ()  # come first then, even where there is no row
    schema: Any = None  # of Parquet, where it is known: rows are written as they come
    cells: str = AUTO  # of CSV, one of CSV_CELLS


def row_writer(kind: str, file: IO[Any], columns: Columns, shown: Shown = str) -> Writer[Row]:
    """Return what writes rows in a format to a file: of text, or of bytes for Parquet and SQLite."""
    if FORMATS[kind].is_binary:
        return SqliteRows(file, columns) if kind == "sqlite" else ParquetRows(file, columns)
    kinds: dict[str, Callable[[IO[str], Columns, Shown], Writer[Row]]]
    kinds = {"jsonl": JsonLinesRows, "json": JsonRows, "csv": CsvRows}
    return kinds[kind](file, columns, shown)


def write_rows(kind: str, batches: Iterable[RowBatch], shape: Shape) -> bytes:
    """Return a file of rows. Raises MissingExtra where Parquet cannot be written."""
    text, body = io.StringIO(newline=""), io.BytesIO()
    writer = row_writer(kind, body if FORMATS[kind].is_binary else text, shape.columns)
    for batch in batches:
        for row in shape.dictionaries(batch):
            writer.put(row)
    writer.close()
    return body.getvalue() or text.getvalue().encode(errors="replace")


class JsonLinesRows:
    """One JSON object per line, written as they come."""

    def __init__(self, file: IO[str], _columns: Columns, shown: Shown) -> None:
        self._file, self._shown = file, shown

    def put(self, row: Row) -> tuple[str, ...]:
        self._file.write(self._shown(json.dumps(row, ensure_ascii=False, default=told)) + "\n")
        return ()

    def close(self) -> None:
        self._file.flush()


class JsonRows:
    """One JSON array of objects."""

    def __init__(self, file: IO[str], _columns: Columns, shown: Shown) -> None:
        self._file, self._shown = file, shown
        self._rows: list[Row] = []

    def put(self, row: Row) -> tuple[str, ...]:
        self._rows.append(row)
        return ()

    def close(self) -> None:
        self._file.write(self._shown(json.dumps(self._rows, ensure_ascii=False, indent=2, default=told)) + "\n")
        self._file.flush()


class CsvRows:
    """A table with a header; cells that a row does not have stay empty, and none can be taken for a formula."""

    def __init__(self, file: IO[str], columns: Columns, shown: Shown) -> None:
        self._file, self._columns, self._shown = file, columns, shown
        self._writer = csv.writer(file, lineterminator="\n")
        self._waiting: list[Row] = []  # rows that come before the header is known
        self._header = columns.header
        if self._header:
            self._write(self._header)

    def put(self, row: Row) -> tuple[str, ...]:
        if self._header:
            self._write(cell_text(row.get(name)) for name in self._header)
        else:
            self._waiting.append(row)
        return ()

    def close(self) -> None:
        if not self._header:
            self._header = _header_of(self._waiting, self._columns.lead)
            if self._header:
                self._write(self._header)
            for row in self._waiting:
                self.put(row)
        self._file.flush()

    def _write(self, cells: Iterable[str]) -> None:
        how = self._columns.cells
        self._writer.writerow([self._shown(safe_cell(_whole_lines(cell), how)) for cell in cells])


def _whole_lines(cell: str) -> str:
    """Return a cell with line ends that are quoted: after a bare CR the rest would be taken for a row of its own."""
    return cell.replace("\r\n", "\n").replace("\r", "\n") if "\r" in cell else cell


class ParquetRows:
    """A Parquet file: where the columns are known, one row group after the other; what a row does not have is null."""

    def __init__(self, file: IO[bytes], columns: Columns) -> None:
        require_parquet()  # before anything is fetched and read
        self._file, self._columns = file, columns
        self._writer: Any = None
        if columns.schema is not None:
            from pyarrow import parquet

            self._writer = parquet.ParquetWriter(file, columns.schema, compression="zstd")
        self._rows: list[Row] = []
        self._chars = 0

    def put(self, row: Row) -> tuple[str, ...]:
        self._rows.append(row)
        self._chars += sum(len(value) for value in row.values() if isinstance(value, str))
        if self._writer is not None and (len(self._rows) >= _GROUP_ROWS or self._chars >= _GROUP_CHARS):
            self._flush()
        return ()

    def _flush(self) -> None:
        import pyarrow

        schema = self._columns.schema
        try:
            table = pyarrow.Table.from_pylist(self._rows, schema=schema)
        except UnicodeEncodeError:
            table = pyarrow.Table.from_pylist([_storable(row) for row in self._rows], schema=schema)
        self._writer.write_table(table)
        self._rows, self._chars = [], 0

    def close(self) -> None:
        if self._writer is None:
            self._write_all()
            return
        try:
            if self._rows:
                self._flush()
            self._writer.close()
        finally:
            self._writer.is_open = False  # on a full disk it would try again when it is forgotten

    def _write_all(self) -> None:
        import pyarrow
        from pyarrow import parquet

        header = _header_of(self._rows, self._columns.lead)
        columns = {name: _parquet_column([row.get(name) for row in self._rows]) for name in header}
        parquet.write_table(pyarrow.table(columns), self._file)


class SqliteRows:
    """An SQLite file with one table, `rows`: numbers are numbers there, and what a row does not have is NULL.

    It is made beside, since it may be larger than memory, and copied at the end.
    """

    def __init__(self, file: IO[bytes], columns: Columns) -> None:
        import sqlite3  # few ask for it

        self._file = file
        self._folder = TemporaryDirectory(prefix="scythe-")
        self._base = sqlite3.connect(Path(self._folder.name) / "rows", isolation_level=None)
        self._base.execute("PRAGMA journal_mode=OFF")
        self._base.execute("BEGIN")
        self._columns: dict[str, str] = {}  # of names as rows have them
        self._add(columns.header or columns.lead)

    def put(self, row: Row) -> tuple[str, ...]:
        self._add(row)
        if not row:
            return ()
        names = ", ".join(self._columns[name] for name in row)
        cells = [_sqlite_cell(value) for value in row.values()]
        self._base.execute(f"INSERT INTO rows ({names}) VALUES ({', '.join('?' * len(row))})", cells)  # noqa: S608
        return ()

    def _add(self, names: Iterable[str]) -> None:
        """Add columns that are new. Case does not tell them apart in SQLite, so that some get a number."""
        for name in names:
            if name in self._columns:
                continue
            if len(self._columns) == _SQLITE_COLUMNS:
                raise BadInput(f"an SQLite table has at most {_SQLITE_COLUMNS} columns; choose some with --columns")
            taken, number, plain = {one.casefold() for one in self._columns.values()}, 2, name.replace("\0", "")
            given = plain
            while _quoted(given).casefold() in taken:
                given, number = f"{plain}_{number}", number + 1
            is_first = not self._columns
            column = self._columns[name] = _quoted(given)
            self._base.execute(f"CREATE TABLE rows ({column})" if is_first else f"ALTER TABLE rows ADD {column}")

    def close(self) -> None:
        self._base.execute("COMMIT")
        self._base.close()
        with self._folder, (Path(self._folder.name) / "rows").open("rb") as made:
            copyfileobj(made, self._file)


def _sqlite_cell(value: object) -> int | float | str | None:
    if value is None or isinstance(value, float) or (isinstance(value, int) and -(1 << 63) <= value < 1 << 63):
        return value
    text = json.dumps(value, ensure_ascii=False, default=told) if isinstance(value, list | dict) else cell_text(value)
    return text.encode("utf-8", "replace").decode() or None  # a page's JSON may have halves of characters


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _header_of(rows: Iterable[Row], lead: tuple[str, ...]) -> tuple[str, ...]:
    """Return the columns of rows in one order: leading ones, those of the records, trailing ones."""
    seen = dict.fromkeys((*lead, *(name for row in rows for name in row)))
    return (*(name for name in seen if name not in TRAILING), *(name for name in TRAILING if name in seen))


def _parquet_column(values: list[object]) -> Any:
    """Return a column of the kind its values have: texts, where empty is null, or numbers, or true and false."""
    import pyarrow

    kinds = {type(value) for value in values if value is not None and value != ""}
    known = ((bool, pyarrow.bool_()), (int, pyarrow.int32()), (float, pyarrow.float64()))
    for kind, name in known:
        if kinds == {kind}:
            return pyarrow.array(values, name)
    return pyarrow.array([cell_text(value) or None for value in values], pyarrow.string())


def _storable(row: Row) -> Row:
    """Return a row whose texts have no halves of characters; JSON of a page may bring some."""
    moments = {name: value for name, value in row.items() if isinstance(value, datetime)}
    text = json.dumps(row, ensure_ascii=False, default=str).encode("utf-8", "replace").decode()
    plain: dict[str, object] = json.loads(text)
    return plain | moments
