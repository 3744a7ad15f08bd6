"""Write rows of records as files: batches come in, the text or the bytes of one format go out."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from scythe.export import require_parquet, safe_cell
from scythe.record_rows import Batch, Shape, Value, cell_text

Shown = Callable[[str], str]  # what becomes of a text before it is written


def as_is(text: str) -> str:
    """Return a text unchanged."""
    return text


def write_lines(batches: Iterable[Batch], shape: Shape, shown: Shown = as_is) -> str:
    """Return one JSON object per row and line."""
    rows = (row for batch in batches for row in shape.dictionaries(batch))
    return "".join(shown(json.dumps(row, ensure_ascii=False)) + "\n" for row in rows)


def write_json(batches: Iterable[Batch], shape: Shape, shown: Shown = as_is) -> str:
    """Return one JSON array of objects."""
    rows = [row for batch in batches for row in shape.dictionaries(batch)]
    return shown(json.dumps(rows, ensure_ascii=False, indent=2)) + "\n"


def write_csv(batches: Sequence[Batch], shape: Shape, shown: Shown = as_is) -> str:
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


def write_parquet(batches: Sequence[Batch], shape: Shape) -> bytes:
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
