"""Write lists, attributes and images of pages as rows: CSV, JSON, JSON lines or Parquet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from scythe.errors import MissingExtra
from scythe.model import Image, RecordList

_FORMULA = frozenset("=+-@\t\r\n＝＋－＠")  # with these a cell begins that a spreadsheet would calculate


def safe_cell(text: str) -> str:
    """Keep a spreadsheet from taking words of a page for a formula."""
    return f"'{text}" if text[:1] in _FORMULA else text


def require_parquet() -> None:
    """Raise MissingExtra where Parquet cannot be written."""
    if find_spec("pyarrow") is None:
        raise MissingExtra("Parquet needs the package pyarrow: pip install 'webscythe[parquet]'")


LEADING = ("page", "region", "kind")
TRAILING = ("link", "image")
IMAGES = "images"
Value = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class RowBatch:
    """The rows of one region of a page, or of its attributes."""

    page: str  # its address, or the name of its source
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]  # one per column; texts but for what is counted, measured or judged
    region: int = 0  # counted from 1, best first; 0 for attributes
    kind: str = ""
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Shape:
    """Which columns come before those of the records; the options decide, so that a header does not hang on a page."""

    page: bool = False
    region: bool = False

    def lead(self, batch: RowBatch) -> dict[str, Value]:
        """Return the leading cells of all rows of a batch."""
        cells: dict[str, Value] = {"page": batch.page} if self.page else {}
        return cells | ({"region": batch.region, "kind": batch.kind} if self.region else {})

    def dictionaries(self, batch: RowBatch) -> Iterator[dict[str, Value]]:
        """Yield the rows of a batch by column name."""
        lead = self.lead(batch)
        for row in batch.rows:
            yield lead | dict(zip(batch.columns, row, strict=True))

    def header(self, batches: Iterable[RowBatch]) -> tuple[str, ...]:
        """Return the columns of several batches in one order: leading ones, those of the records, trailing ones."""
        lead = ("page",) * self.page + ("region", "kind") * self.region
        seen = dict.fromkeys(column for batch in batches for column in batch.columns)
        return (*lead, *(name for name in seen if name not in TRAILING), *(name for name in TRAILING if name in seen))


def list_batch(page: str, number: int, region: RecordList) -> RowBatch:
    """Return the records of a region as rows: its columns, then the first link and the first image of each."""
    rows = (
        (*record.fields, record.links[0] if record.links else "", record.images[0] if record.images else "")
        for record in region.records
    )
    return RowBatch(page, (*own_names(region.columns), *TRAILING), tuple(rows), number, region.kind, region.score)


def attributes_batch(page: str, pairs: Iterable[tuple[str, str]]) -> RowBatch:
    """Return the attributes of a page as rows of a name and a value."""
    return RowBatch(page, ("name", "value"), tuple(pairs))


def images_batch(page: str, images: Iterable[Image]) -> RowBatch:
    """Return the images of a page as rows, those that do not belong to its content too."""
    columns = ("src", "relevant", "score", "alt", "caption", "width", "height")
    rows = ((one.src, one.relevant, round(one.score, 4), one.alt, one.caption, one.width, one.height) for one in images)
    return RowBatch(page, columns, tuple(rows), kind=IMAGES)


def cell_text(value: Value) -> str:
    """Return a value as text: nothing for None, true and false in lower case as in JSON."""
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


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


Shown = Callable[[str], str]  # what becomes of a text before it is written


def as_is(text: str) -> str:
    """Return a text unchanged."""
    return text


def write_lines(batches: Iterable[RowBatch], shape: Shape, shown: Shown = as_is) -> str:
    """Return one JSON object per row and line."""
    rows = (row for batch in batches for row in shape.dictionaries(batch))
    return "".join(shown(json.dumps(row, ensure_ascii=False)) + "\n" for row in rows)


def write_json(batches: Iterable[RowBatch], shape: Shape, shown: Shown = as_is) -> str:
    """Return one JSON array of objects."""
    rows = [row for batch in batches for row in shape.dictionaries(batch)]
    return shown(json.dumps(rows, ensure_ascii=False, indent=2)) + "\n"


def write_csv(batches: Sequence[RowBatch], shape: Shape, shown: Shown = as_is) -> str:
    """Return a table with a header; columns that a row does not have stay empty, and no cell is a formula."""
    file = io.StringIO(newline="")
    header = shape.header(batches)
    writer = csv.writer(file, lineterminator="\n")
    if header:
        writer.writerow([shown(safe_cell(name)) for name in header])
    for batch in batches:
        for row in shape.dictionaries(batch):
            writer.writerow([shown(safe_cell(cell_text(row.get(name)))) for name in header])
    return file.getvalue()


def write_parquet(batches: Sequence[RowBatch], shape: Shape) -> bytes:
    """Return a Parquet file; what a row does not have is null. Raises MissingExtra."""
    require_parquet()
    import pyarrow
    from pyarrow import parquet

    header = shape.header(batches)
    rows = [row for batch in batches for row in shape.dictionaries(batch)]
    columns = {name: _parquet_column([row.get(name) for row in rows]) for name in header}
    body = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), body)
    return body.getvalue()


def _parquet_column(values: list[Value]) -> Any:
    """Return a column of the kind its values have: texts, where empty is null, or numbers, or true and false."""
    import pyarrow

    kinds = {type(value) for value in values if value is not None and value != ""}
    known = ((bool, pyarrow.bool_()), (int, pyarrow.int32()), (float, pyarrow.float64()))
    for kind, name in known:
        if kinds == {kind}:
            return pyarrow.array(values, name)
    return pyarrow.array([cell_text(value) or None for value in values], pyarrow.string())
