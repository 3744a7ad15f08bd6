"""Write documents to standard output, a file or a folder, in the chosen format."""

from __future__ import annotations

import csv
import io
import json
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import IO

from scythe.atomic_files import write_atomically
from scythe.cli.console import neutralise, take_any_text
from scythe.errors import BadInput, FetchFailed
from scythe.fetch.inputs import Reach
from scythe.model import Document
from scythe.output.document_files import Exporter, safe_name
from scythe.output.rows import RowBatch, Value, cell_text, list_batch, safe_cell
from scythe.page.markdown import escape_words
from scythe.url import Url


def render_records(document: Document, kind: str) -> str:
    """Return the lists of a document, best first, each as a table in the format `kind`: txt, md or html."""
    write = {"txt": _as_text, "md": _as_markdown, "html": _as_html}[kind]
    return "\n\n".join(write(list_batch("", number, listed)) for number, listed in enumerate(document.lists, 1))


def _title(batch: RowBatch) -> str:
    return f"Records {batch.region}: {batch.kind}, {len(batch.rows)}"


def _as_text(batch: RowBatch) -> str:
    lines = ["\t".join(_one_line(cell) for cell in row) for row in (batch.columns, *batch.rows)]
    return "\n".join([_title(batch), *lines])


def _as_markdown(batch: RowBatch) -> str:
    rows = [_bars(batch.columns), _bars(("---",) * len(batch.columns), escaped=True), *map(_bars, batch.rows)]
    return "\n".join([f"## {_title(batch)}", "", *rows])


def _bars(cells: tuple[Value, ...], *, escaped: bool = False) -> str:
    shown = map(cell_text, cells) if escaped else [escape_words(_one_line(cell)) for cell in cells]
    return f"| {' | '.join(shown)} |"


def _as_html(batch: RowBatch) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in batch.columns)
    rows = "\n".join(f"<tr>{''.join(f'<td>{escape(cell_text(cell))}</td>' for cell in row)}</tr>" for row in batch.rows)
    return f"<table>\n<caption>{escape(_title(batch))}</caption>\n<tr>{head}</tr>\n{rows}\n</table>"


def _one_line(cell: Value) -> str:
    return " ".join(cell_text(cell).split())


_RENDERED = {"txt": "text", "md": "markdown", "html": "html"}
FORMATS = ("txt", "md", "html", "json", "jsonl")
FIELD_FORMATS = ("jsonl", "json", "csv", "txt", "md", "html")  # of commands that deliver learned fields
_SUFFIXES = {
    ".txt": "txt",
    ".text": "txt",
    ".md": "md",
    ".markdown": "md",
    ".html": "html",
    ".htm": "html",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
}
Row = Callable[[str, Document], dict[str, object]]  # what JSON says of one source and its document


def format_of(path: Path) -> str | None:
    """Return the format a file name asks for by its suffix, or None."""
    return _SUFFIXES.get(path.suffix.lower())


def is_folder(output: str) -> bool:
    """Tell whether `-o` names a folder: it is one, ends in a slash, or has no suffix."""
    path = Path(output)
    return path.is_dir() or output.endswith(("/", "\\")) or not path.suffix


def whole_row(name: str, document: Document) -> dict[str, object]:
    """Return everything that a document holds, and its source."""
    return {"source": name, **document.to_dict()}


def fields_row(name: str, document: Document) -> dict[str, object]:
    """Return the learned fields of a document, and its source."""
    fields = {
        key: {"values": list(field.values), "span": field.span, "how": field.how}
        for key, field in document.fields.items()
    }
    return {"source": name, "url": document.url, "fields": fields}


class Sink(ABC):
    """Take documents one by one; `close` when all were given."""

    @abstractmethod
    def put(self, name: str, document: Document) -> tuple[str, ...]:
        """Write one document; return what could not be written along with it."""

    def close(self) -> None:  # noqa: B027 (most sinks have nothing left to do)
        """Finish what was written."""


class TextSink(Sink):
    """Plain text, Markdown or HTML, one document after the other; several are told apart by a line with their name."""

    def __init__(
        self, file: IO[str], kind: str, *, many: bool, shown: Callable[[str], str], records: bool = False
    ) -> None:
        self._file, self._kind, self._many, self._shown, self._records = file, kind, many, shown, records

    def put(self, name: str, document: Document) -> tuple[str, ...]:
        body = getattr(document, _RENDERED[self._kind])  # the others are not worked out
        if self._records:
            body = "\n\n".join(part for part in (body.rstrip("\n"), render_records(document, self._kind)) if part)
        if self._many:
            body = self._named(name, body)
        if body:
            self._file.write(self._shown(body.rstrip("\n")) + "\n")
        return ()

    def _named(self, name: str, body: str) -> str:
        if self._kind == "html":
            return f'<article data-source="{escape(name)}">\n{body}\n</article>'
        line = " ".join(name.split())
        if self._kind == "md":
            return f"<!-- {line.replace('--', '- -').replace('>', '&gt;')} -->\n\n{body}\n"
        return f"==> {line} <==\n{body}\n"


class JsonSink(Sink):
    """One JSON object, or an array of them when several documents come."""

    def __init__(self, file: IO[str], row: Row, *, many: bool, shown: Callable[[str], str]) -> None:
        self._file, self._row, self._many, self._shown = file, row, many, shown
        self._count = 0

    def put(self, name: str, document: Document) -> tuple[str, ...]:
        lead = "" if not self._many else "[\n" if self._count == 0 else ",\n"
        self._file.write(lead + self._shown(json.dumps(self._row(name, document), ensure_ascii=False, indent=2)))
        self._count += 1
        return ()

    def close(self) -> None:
        if self._many:
            self._file.write("\n]\n" if self._count else "[]\n")
        elif self._count:
            self._file.write("\n")


class JsonLinesSink(Sink):
    """One JSON object per line."""

    def __init__(self, file: IO[str], row: Row, *, shown: Callable[[str], str]) -> None:
        self._file, self._row, self._shown = file, row, shown

    def put(self, name: str, document: Document) -> tuple[str, ...]:
        self._file.write(self._shown(json.dumps(self._row(name, document), ensure_ascii=False)) + "\n")
        return ()


class CsvSink(Sink):
    """A table with one row per document and one column per field; several values are lines of one cell."""

    def __init__(self, file: IO[str], columns: Sequence[str], *, shown: Callable[[str], str]) -> None:
        self._rows, self._columns, self._shown = csv.writer(file, lineterminator="\n"), columns, shown
        self._rows.writerow(["source", "url", *map(safe_cell, columns)])

    def put(self, name: str, document: Document) -> tuple[str, ...]:
        fields = document.fields
        values = ["\n".join(fields[column].values) if column in fields else "" for column in self._columns]
        self._rows.writerow([self._shown(safe_cell(text)) for text in (name, document.url or "", *values)])
        return ()


class FileSink(Sink):
    """Any of the above into a file that is closed at the end."""

    def __init__(self, file: IO[str], inner: Sink) -> None:
        self._file, self._inner = file, inner

    def put(self, name: str, document: Document) -> tuple[str, ...]:
        return self._inner.put(name, document)

    def close(self) -> None:
        self._inner.close()
        self._file.close()


class FolderSink(Sink):
    """One file per document in a folder, named after its source; a later run replaces them."""

    def __init__(self, folder: Path, kind: str, form: Form) -> None:
        self._folder, self._kind, self._form = folder, kind, form
        self._taken: set[str] = set()
        folder.mkdir(parents=True, exist_ok=True)

    def put(self, name: str, document: Document) -> tuple[str, ...]:
        text = io.StringIO()
        sink = _sink(text, self._kind, self._form, many=False, shown=_as_is)
        sink.put(name, document)
        sink.close()
        body = text.getvalue().encode(errors="replace")
        write_atomically(self._folder / f"{self._free_stem(name)}.{self._kind}", body)
        return ()

    def _free_stem(self, name: str) -> str:
        last = name.rstrip("/").replace("\\", "/").rpartition("/")[2].partition("?")[0]
        stem = safe_name(last.rpartition(".")[0] or last)
        number = 1
        while (candidate := stem if number == 1 else f"{stem} ({number})").casefold() in self._taken:
            number += 1
        self._taken.add(candidate.casefold())
        return candidate


class ExportSink(Sink):
    """Text, HTML and, where asked for, an images folder per document."""

    def __init__(self, folder: Path, download: Reach | None) -> None:
        self._exporter = Exporter(folder, download=_downloader(download) if download else None)

    def put(self, name: str, document: Document) -> tuple[str, ...]:
        exported = self._exporter.put(document)
        return tuple(f"picture not saved: {url}: {why}" for url, why in exported.failed)


def _downloader(reach: Reach) -> Callable[[Url], bytes]:
    def download(url: Url) -> bytes:
        from scythe.fetch import FetchOptions, fetch
        from scythe.fetch.page_check import require_ok

        options = FetchOptions(timeout_s=reach.timeout_s, allow_private=reach.allow_private)
        response = require_ok(fetch(url, options=options))
        if response.cut_at_bytes is not None:
            raise FetchFailed(url, "the download ended early")
        return response.body

    return download


@dataclass(frozen=True, slots=True)
class Form:
    """What structured formats say of a document."""

    row: Row = whole_row
    columns: tuple[str, ...] = ()  # of CSV; empty where there is no such table
    default: str = "txt"  # the format on standard output
    records: bool = False  # tables of records below a text


def open_sink(
    output: str | None, kind: str | None, *, many: bool, download: Reach | None = None, form: Form | None = None
) -> Sink:
    """Open standard output (None or -), a file or a folder; without `kind` the file's suffix names the format."""
    form = form or Form()
    if output is not None and output != "-" and is_folder(output):
        return FolderSink(Path(output), kind, form) if kind else ExportSink(Path(output), download)
    if output is None or output == "-":
        take_any_text()
        shown = neutralise if sys.stdout.isatty() else _as_is
        return _sink(sys.stdout, kind or form.default, form, many=many, shown=shown)
    kind = kind or format_of(Path(output))
    if kind is None or (kind == "csv" and not form.columns):
        known = " ".join(suffix for suffix, name in _SUFFIXES.items() if form.columns or name != "csv")
        raise BadInput(f"-o {output}: the suffix names no format (known: {known}); add -f, or end a folder with /")
    file = open(output, "w", encoding="utf-8", errors="replace", newline="\n")  # noqa: SIM115 (closed by the sink)
    return FileSink(file, _sink(file, kind, form, many=many, shown=_as_is))


def _sink(file: IO[str], kind: str, form: Form, *, many: bool, shown: Callable[[str], str]) -> Sink:
    if kind == "json":
        return JsonSink(file, form.row, many=many, shown=shown)
    if kind == "jsonl":
        return JsonLinesSink(file, form.row, shown=shown)
    if kind == "csv":
        return CsvSink(file, form.columns, shown=shown)
    return TextSink(file, kind, many=many, shown=shown, records=form.records)


def _as_is(text: str) -> str:
    return text
