"""Open what commands write to: standard output, a file or a folder, in the format that is asked for."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Generic, TypeVar

from scythe.atomic_files import replacing, write_atomically
from scythe.cli.console import neutralise, take_any_text
from scythe.errors import BadInput
from scythe.fetch.fetch_options import FetchOptions
from scythe.output.document_writers import DocumentExport, DocumentFolder, DocumentForm, NamedDocument, document_writer
from scythe.output.formats import (
    DOCUMENTS,
    FIELDS,
    FORMATS,
    IMAGES,
    ROWS,
    MappedWriter,
    Writer,
    format_by_suffix,
    formats_of,
    is_folder,
    require_parquet,
    suffixes_of,
)
from scythe.output.rows import RowBatch, Shape, Shown, cell_text, images_batch, row_writer

_CELL_CHARS = 160  # shown of one cell on a terminal
_NARROW = 14  # characters that a column of the terminal should have

T = TypeVar("T")


class Sink(Generic[T]):
    """A writer and its file, which is closed at the end; standard output stays open."""

    def __init__(self, file: IO[str], writer: Writer[T]) -> None:
        self._file, self._writer = file, writer

    def put(self, thing: T) -> tuple[str, ...]:
        return self._writer.put(thing)

    def close(self) -> None:
        self._writer.close()
        if isinstance(self._file, WholeText):
            self._file.finish()
        elif self._file is sys.stdout:
            self._file.flush()
        else:
            self._file.close()


class WholeText(io.TextIOWrapper):
    """A text file that takes the place of another when it is finished; of a run that ends before, nothing is left."""

    def __init__(self, path: Path) -> None:
        self._ending = ExitStack()
        try:
            file = self._ending.enter_context(replacing(path))
        except OSError as error:
            error.filename = str(path)
            raise
        super().__init__(file, encoding="utf-8", errors="replace", newline="\n")

    def finish(self) -> None:
        """Put the file in its place."""
        self.flush()
        self._ending.close()


def batch_rows(kind: str, file: IO[str] | IO[bytes], shape: Shape, shown: Shown = str) -> Writer[RowBatch]:
    """Return what writes batches of rows, as rows."""
    return MappedWriter(row_writer(kind, file, shape.columns, shown), shape.dictionaries)


class BinaryBatches:
    """A Parquet or SQLite file that appears when all rows were given."""

    def __init__(self, kind: str, path: Path, shape: Shape) -> None:
        self._path, self._body = path, io.BytesIO()
        self._rows = batch_rows(kind, self._body, shape)
        self.put = self._rows.put

    def close(self) -> None:
        self._rows.close()
        write_atomically(self._path, self._body.getvalue())


class TableRows:
    """Tables to look at, one per batch, as wide as the terminal; long cells are cut."""

    def __init__(self, shape: Shape) -> None:
        self._shape = shape

    def put(self, batch: RowBatch) -> tuple[str, ...]:
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        console = Console(highlight=False)
        filled = [sum(row[i] not in ("", None) for row in batch.rows) for i in range(len(batch.columns))]
        used = [i for i, count in enumerate(filled) if count]
        # those that most rows have, as many as there is room for
        fitting = sorted(sorted(used, key=lambda i: -filled[i])[: max(2, console.width // _NARROW)])
        table = Table()
        for i in fitting:  # wide columns get more room, and none all of it
            longest = max(len(cell_text(row[i])) for row in batch.rows)
            table.add_column(Text(_cell(batch.columns[i])), overflow="fold", ratio=min(max(longest // 10, 1), 4))
        for row in batch.rows:
            table.add_row(*(Text(_cell(cell_text(row[i]))) for i in fitting))
        console.print(Text(_title(batch, self._shape), style="bold"))
        console.print(table)
        if len(fitting) < len(used):
            rest = ", ".join(_cell(batch.columns[i]) for i in used if i not in fitting)
            console.print(Text(f"not shown, -f csv has them: {rest}"))
        return ()

    def close(self) -> None:
        sys.stdout.flush()


def _title(batch: RowBatch, shape: Shape) -> str:
    page = f"{neutralise(batch.page)}: " if shape.page else ""
    if not batch.number:
        return f"{page}{len(batch.rows)} {batch.kind or 'attributes'}"
    return f"{page}list {batch.number}: {batch.kind}, {len(batch.rows)} records, score {batch.score:.2f}"


def _cell(text: str) -> str:
    shown = " ".join(neutralise(text).split())
    return shown if len(shown) <= _CELL_CHARS else f"{shown[: _CELL_CHARS - 1]}…"


class ImageAddresses:
    """The addresses of the relevant images, one per line."""

    def __init__(self, file: IO[str], shown: Callable[[str], str]) -> None:
        self._file, self._shown = file, shown

    def put(self, named: NamedDocument) -> tuple[str, ...]:
        self._file.writelines(f"{self._shown(image.src)}\n" for image in named.document.images if image.relevant)
        return ()

    def close(self) -> None:
        self._file.flush()


def _image_rows(named: NamedDocument) -> list[RowBatch]:
    """Return one row per image, the irrelevant ones too, each with its score."""
    images = named.document.images
    return [images_batch(named.document.url or named.source, images)] if images else []


def require_format(kind: str | None, *things: str) -> None:
    """Raise BadInput where `-f` names no format that holds any of these."""
    if kind is not None and kind not in formats_of(*things):
        raise BadInput(f"-f {kind}: known formats are {', '.join(formats_of(*things))}")


def format_of(output: str, kind: str | None, thing: str, hint: str = "or add -f") -> str:
    """Return the format that `-f` or else the suffix of a file names. Raises BadInput where there is none."""
    kind = kind or format_by_suffix(output, thing)
    if kind is None or kind not in formats_of(thing):
        raise BadInput(f"-o {output}: the suffix names no format (known: {suffixes_of(thing)}); {hint}")
    return kind


def open_document_sink(
    output: str | None,
    kind: str | None,
    *,
    many: bool,
    download: FetchOptions | None = None,
    form: DocumentForm | None = None,
) -> Writer[NamedDocument]:
    """Open standard output (None or -), a file or a folder; without `kind` the file's suffix names the format."""
    form = form or DocumentForm()
    if output is None or output == "-":
        file, shown = _standard_output()
        return Sink(file, document_writer(kind or form.default, file, form, many=many, shown=shown))
    if is_folder(output):
        return DocumentFolder(Path(output), kind, form) if kind else DocumentExport(Path(output), download)
    thing = FIELDS if form.columns else DOCUMENTS
    kind = format_of(output, kind, thing, "add -f, or end a folder with /")
    file = _open(output)
    return Sink(file, document_writer(kind, file, form, many=many))


def open_row_sink(output: str | None, kind: str | None, shape: Shape) -> Writer[RowBatch]:
    """Open standard output (None or -) or a file; without `kind` the suffix names the format.

    Standard output is a table on a terminal and CSV in a pipe. Raises BadInput, MissingExtra and OSError.
    """
    require_format(kind, ROWS)
    if output is None or output == "-":
        kind = kind or ("table" if sys.stdout.isatty() else "csv")
        if FORMATS[kind].is_binary:
            raise BadInput(f"-f {kind}: {FORMATS[kind].label} goes to a file, name it with -o")
        file, shown = _standard_output()
        return TableRows(shape) if kind == "table" else Sink(file, batch_rows(kind, file, shape, shown))
    kind = kind or format_by_suffix(output, ROWS)
    if kind is None or kind == "table" or Path(output).is_dir():
        known = suffixes_of(ROWS)
        raise BadInput(f"-o {output}: rows go to a file whose suffix names a format (known: {known}); or add -f")
    if FORMATS[kind].is_binary:
        if kind == "parquet":
            require_parquet()  # before anything is fetched and read
        return BinaryBatches(kind, Path(output), shape)
    file = _open(output)
    return Sink(file, batch_rows(kind, file, shape))


def open_image_sink(output: str | None, kind: str | None, *, many: bool) -> Writer[NamedDocument]:
    """Open standard output (None or -) or a file; without `kind` the suffix names the format, addresses by default."""
    if kind is not None and kind not in formats_of(IMAGES):
        raise BadInput(f"-f {kind}: images go as {', '.join(formats_of(IMAGES))}")
    is_file = output is not None and output != "-"
    kind = kind or (format_by_suffix(output, IMAGES) if is_file and output else "txt")
    if kind != "txt":
        return MappedWriter(open_row_sink(output, kind, Shape(page=many)), _image_rows)
    file, shown = (_open(output), str) if is_file and output else _standard_output()
    return Sink(file, ImageAddresses(file, shown))


def _standard_output() -> tuple[IO[str], Callable[[str], str]]:
    """Return standard output, and what a terminal is shown of a text."""
    take_any_text()
    return sys.stdout, neutralise if sys.stdout.isatty() else str


def _open(output: str) -> IO[str]:
    path = Path(output)
    if path.exists() and not path.is_file():  # a pipe or a device
        return open(path, "w", encoding="utf-8", errors="replace", newline="\n")
    return WholeText(path)
