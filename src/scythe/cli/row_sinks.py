"""Write rows of records or images: a table on the terminal, CSV, JSON, JSON lines or Parquet."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO

from scythe.atomic_files import write_atomically
from scythe.cli.console import neutralise, take_any_text
from scythe.cli.document_sinks import Sink, format_of
from scythe.errors import BadInput
from scythe.model import Document
from scythe.output.rows import (
    RowBatch,
    Shape,
    Shown,
    as_is,
    cell_text,
    images_batch,
    require_parquet,
    write_csv,
    write_json,
    write_lines,
    write_parquet,
)

ROW_FORMATS = ("table", "csv", "jsonl", "json", "parquet")
_SUFFIXES = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".parquet": "parquet"}
_CELL_CHARS = 160  # shown of one cell on a terminal
_NARROW = 14  # characters that a column of the terminal should have

Write = Callable[[list[RowBatch], Shape, Shown], str]


class RowSink(ABC):
    """Take batches one by one; `close` when all were given."""

    def __init__(self, shape: Shape) -> None:
        self._shape = shape

    @abstractmethod
    def put(self, batch: RowBatch) -> None:
        """Write the rows of one batch, now or at the end."""

    @abstractmethod
    def close(self) -> None:
        """Finish what was written."""


class JsonLinesRows(RowSink):
    """One JSON object per row, written as they come."""

    def __init__(self, file: IO[str], shape: Shape, shown: Shown) -> None:
        super().__init__(shape)
        self._file, self._shown = file, shown

    def put(self, batch: RowBatch) -> None:
        self._file.write(write_lines([batch], self._shape, self._shown))

    def close(self) -> None:
        _finish(self._file)


class GatheringRows(RowSink):
    """A format whose head depends on all rows: they are kept until the end."""

    def __init__(self, shape: Shape) -> None:
        super().__init__(shape)
        self._batches: list[RowBatch] = []

    def put(self, batch: RowBatch) -> None:
        self._batches.append(batch)


class TextRows(GatheringRows):
    """One JSON array of objects, or a table with a header: what `write` makes of all rows."""

    def __init__(self, file: IO[str], shape: Shape, shown: Shown, write: Write) -> None:
        super().__init__(shape)
        self._file, self._shown, self._write = file, shown, write

    def close(self) -> None:
        self._file.write(self._write(self._batches, self._shape, self._shown))
        _finish(self._file)


class ParquetRows(GatheringRows):
    """A Parquet file; what a row does not have is null."""

    def __init__(self, path: Path, shape: Shape) -> None:
        super().__init__(shape)
        self._path = path
        require_parquet()  # before anything is fetched and read

    def close(self) -> None:
        write_atomically(self._path, write_parquet(self._batches, self._shape))


class TableRows(RowSink):
    """Tables to look at, one per batch, as wide as the terminal; long cells are cut."""

    def put(self, batch: RowBatch) -> None:
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        console = Console(highlight=False)
        used, fitting = _choose_columns(batch, max(2, console.width // _NARROW))
        table = Table()
        for i in fitting:
            table.add_column(Text(_cell(batch.columns[i])), overflow="fold", ratio=_weight(batch, i))
        for row in batch.rows:
            table.add_row(*(Text(_cell(cell_text(row[i]))) for i in fitting))
        console.print(Text(_title(batch, self._shape), style="bold"))
        console.print(table)
        if len(fitting) < len(used):
            rest = ", ".join(_cell(batch.columns[i]) for i in used if i not in fitting)
            console.print(Text(f"not shown, -f csv has them: {rest}"))

    def close(self) -> None:
        sys.stdout.flush()


def _choose_columns(batch: RowBatch, room: int) -> tuple[list[int], list[int]]:
    """Return the columns with anything in them, and those of them that most rows have, as many as there is room for."""
    filled = [sum(row[i] not in ("", None) for row in batch.rows) for i in range(len(batch.columns))]
    used = [i for i, count in enumerate(filled) if count]
    return used, sorted(sorted(used, key=lambda i: -filled[i])[:room])


def _title(batch: RowBatch, shape: Shape) -> str:
    page = f"{neutralise(batch.page)}: " if shape.page else ""
    if not batch.region:
        return f"{page}{len(batch.rows)} {batch.kind or 'attributes'}"
    return f"{page}list {batch.region}: {batch.kind}, {len(batch.rows)} records, score {batch.score:.2f}"


def _weight(batch: RowBatch, column: int) -> int:
    """Give wide columns more room, and none all of it."""
    longest = max(len(cell_text(row[column])) for row in batch.rows)
    return min(max(longest // 10, 1), 4)


def _cell(text: str) -> str:
    shown = " ".join(neutralise(text).split())
    return shown if len(shown) <= _CELL_CHARS else f"{shown[: _CELL_CHARS - 1]}…"


def open_row_sink(output: str | None, kind: str | None, shape: Shape) -> RowSink:
    """Open standard output (None or -) or a file; without `kind` the suffix names the format.

    Standard output is a table on a terminal and CSV in a pipe. Raises BadInput, MissingExtra and OSError.
    """
    if kind is not None and kind not in ROW_FORMATS:
        raise BadInput(f"-f {kind}: known formats are {', '.join(ROW_FORMATS)}")
    if output is None or output == "-":
        return _on_standard_output(kind or ("table" if sys.stdout.isatty() else "csv"), shape)
    path = Path(output)
    kind = kind or _SUFFIXES.get(path.suffix.lower())
    if kind is None or kind == "table" or path.is_dir():
        known = " ".join(_SUFFIXES)
        raise BadInput(f"-o {output}: rows go to a file whose suffix names a format (known: {known}); or add -f")
    if kind == "parquet":
        return ParquetRows(path, shape)
    file = open(path, "w", encoding="utf-8", errors="replace", newline="\n")  # noqa: SIM115 (closed by the sink)
    return _TEXTS[kind](file, shape, as_is)


def _on_standard_output(kind: str, shape: Shape) -> RowSink:
    if kind == "parquet":
        raise BadInput("-f parquet needs a file: name it with -o")
    take_any_text()
    if kind == "table":
        return TableRows(shape)
    return _TEXTS[kind](sys.stdout, shape, neutralise if sys.stdout.isatty() else as_is)


def _finish(file: IO[str]) -> None:
    if file is sys.stdout:
        file.flush()
    else:
        file.close()


_TEXTS: dict[str, Callable[[IO[str], Shape, Shown], RowSink]] = {
    "csv": partial(TextRows, write=write_csv),
    "json": partial(TextRows, write=write_json),
    "jsonl": JsonLinesRows,
}

IMAGE_FORMATS = ("txt", *ROW_FORMATS)


class AddressSink(Sink):
    """The URLs of the relevant images, one per line."""

    def __init__(self, file: IO[str], shown: Callable[[str], str]) -> None:
        self._file, self._shown = file, shown

    def put(self, name: str, document: Document) -> tuple[str, ...]:
        self._file.writelines(f"{self._shown(image.src)}\n" for image in document.images if image.relevant)
        return ()

    def close(self) -> None:
        if self._file is sys.stdout:
            self._file.flush()
        else:
            self._file.close()


class ImageRowSink(Sink):
    """One row per image, the irrelevant ones too, each with its score."""

    def __init__(self, rows: RowSink) -> None:
        self._rows = rows

    def put(self, name: str, document: Document) -> tuple[str, ...]:
        if document.images:
            self._rows.put(images_batch(document.url or name, document.images))
        return ()

    def close(self) -> None:
        self._rows.close()


def open_image_sink(output: str | None, kind: str | None, *, many: bool) -> Sink:
    """Open standard output (None or -) or a file; without `kind` the suffix names the format, addresses by default."""
    if kind is not None and kind not in IMAGE_FORMATS:
        raise BadInput(f"-f {kind}: images go as {', '.join(IMAGE_FORMATS)}")
    is_file = output is not None and output != "-"
    kind = kind or (format_of(Path(output)) if is_file and output else "txt")
    if kind != "txt":
        return ImageRowSink(open_row_sink(output, kind if kind in ROW_FORMATS else None, Shape(page=many)))
    if not (is_file and output):
        take_any_text()
        return AddressSink(sys.stdout, neutralise if sys.stdout.isatty() else str)
    return AddressSink(open(output, "w", encoding="utf-8", errors="replace", newline="\n"), str)
