"""Write documents that were read from pages: text, Markdown, HTML, JSON, or a table of their fields."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import IO

from scythe.atomic_files import write_atomically
from scythe.errors import FetchFailed
from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.inputs import is_address
from scythe.fetch.saved_pages import SavedPictures
from scythe.model import Document
from scythe.output.document_files import Exporter, safe_name
from scythe.output.formats import Writer
from scythe.output.rows import AUTO, Columns, RowBatch, Value, cell_text, list_batch, own_names, row_writer
from scythe.page.markdown import escape_words
from scythe.url import Url


def render_records(document: Document, kind: str) -> str:
    """Return the lists of a document, best first, each as a table in the format `kind`: txt, md or html."""
    write = {"txt": _as_text, "md": _as_markdown, "html": _as_html}[kind]
    return "\n\n".join(write(list_batch("", number, listed)) for number, listed in enumerate(document.lists, 1))


def _title(batch: RowBatch) -> str:
    return f"Records {batch.number}: {batch.kind}, {len(batch.rows)}"


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
Row = Callable[[str, Document], dict[str, object]]  # what JSON says of one source and its document


def whole_row(name: str, document: Document) -> dict[str, object]:
    """Return everything that a document holds, and its source."""
    return {"source": name, **document.to_dict()}


def fields_row(name: str, document: Document) -> dict[str, object]:
    """Return the learned fields of a document, and its source."""
    fields = {key: field.to_dict() for key, field in document.fields.items()}
    return {"source": name, "url": document.url, "fields": fields}


@dataclass(frozen=True, slots=True)
class NamedDocument:
    """A document and where it came from."""

    source: str
    document: Document
    pictures: SavedPictures | None = None  # beside the page, where it is a file


class _WrittenAtOnce:
    def close(self) -> None:
        """Nothing is left to write."""


class TextDocuments(_WrittenAtOnce):
    """Plain text, Markdown or HTML, one document after the other; several are told apart by a line with their name."""

    def __init__(
        self, file: IO[str], kind: str, *, many: bool, shown: Callable[[str], str], records: bool = False
    ) -> None:
        self._file, self._kind, self._many, self._shown, self._records = file, kind, many, shown, records

    def put(self, named: NamedDocument) -> tuple[str, ...]:
        body = getattr(named.document, _RENDERED[self._kind])  # the others are not worked out
        if self._records:
            body = "\n\n".join(part for part in (body.rstrip("\n"), render_records(named.document, self._kind)) if part)
        if self._many:
            body = self._named(named.source, body)
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


class JsonDocuments:
    """One JSON object, or an array of them when several documents come."""

    def __init__(self, file: IO[str], row: Row, *, many: bool, shown: Callable[[str], str]) -> None:
        self._file, self._row, self._many, self._shown = file, row, many, shown
        self._count = 0

    def put(self, named: NamedDocument) -> tuple[str, ...]:
        lead = "" if not self._many else "[\n" if self._count == 0 else ",\n"
        row = self._row(named.source, named.document)
        self._file.write(lead + self._shown(json.dumps(row, ensure_ascii=False, indent=2)))
        self._count += 1
        return ()

    def close(self) -> None:
        if self._many:
            self._file.write("\n]\n" if self._count else "[]\n")
        elif self._count:
            self._file.write("\n")


class JsonLinesDocuments:
    """One JSON object per line."""

    def __init__(self, file: IO[str], row: Row, *, shown: Callable[[str], str]) -> None:
        self._row, self._rows = row, row_writer("jsonl", file, Columns(), shown)

    def put(self, named: NamedDocument) -> tuple[str, ...]:
        return self._rows.put(self._row(named.source, named.document))

    def close(self) -> None:
        self._rows.close()


class CsvDocuments:
    """A table with one row per document and one column per field; several values are lines of one cell."""

    def __init__(self, file: IO[str], form: DocumentForm, *, shown: Callable[[str], str]) -> None:
        header = ("source", "url", *own_names(form.columns, ("source", "url")))
        self._fields = dict(zip(header[2:], form.columns, strict=True))
        self._rows = row_writer("csv", file, Columns(header, cells=form.cells), shown)

    def put(self, named: NamedDocument) -> tuple[str, ...]:
        fields = named.document.fields
        values = {name: "\n".join(fields[field].values) for name, field in self._fields.items() if field in fields}
        return self._rows.put({**values, "source": named.source, "url": named.document.url or ""})

    def close(self) -> None:
        self._rows.close()


class DocumentFolder(_WrittenAtOnce):
    """One file per document in a folder, named after its source; a later run replaces them."""

    def __init__(self, folder: Path, kind: str, form: DocumentForm) -> None:
        self._folder, self._kind, self._form = folder, kind, form
        self._taken: set[str] = set()
        folder.mkdir(parents=True, exist_ok=True)

    def put(self, named: NamedDocument) -> tuple[str, ...]:
        text = io.StringIO()
        writer = document_writer(self._kind, text, self._form, many=False)
        writer.put(named)
        writer.close()
        body = text.getvalue().encode(errors="replace")
        write_atomically(self._folder / f"{self._free_stem(named.source)}.{self._kind}", body)
        return ()

    def _free_stem(self, name: str) -> str:
        last = name.rstrip("/").replace("\\", "/").rpartition("/")[2].partition("?")[0]
        stem = safe_name(last.rpartition(".")[0] or last)
        number = 1
        while (candidate := stem if number == 1 else f"{stem} ({number})").casefold() in self._taken:
            number += 1
        self._taken.add(candidate.casefold())
        return candidate


class DocumentExport(_WrittenAtOnce):
    """Text, HTML and, where asked for, an images folder per document."""

    def __init__(self, folder: Path, download: FetchOptions | None) -> None:
        self._exporter = Exporter(folder)
        self._download = _downloader(download) if download else None

    def put(self, named: NamedDocument) -> tuple[str, ...]:
        download, pictures = self._download, named.pictures

        images = named.document.images if pictures is not None else ()
        sources = {each: image.sources for image in images for each in (*image.sources, image.src)}

        def get(url: Url) -> bytes | None:
            for each in dict.fromkeys((url, *sources.get(url, ()))):  # browsers save one of several sizes
                if pictures is not None and (body := pictures.read(each)) is not None:
                    return body
            if download is not None and is_address(url):
                return download(url)
            raise FetchFailed(url, "not found beside the page")

        self._exporter.download = download if pictures is None else get
        failed = self._exporter.put(named.document).failed
        if download is None:  # what is on the web stays there
            failed = tuple((url, why) for url, why in failed if not is_address(url))
        return tuple(f"picture not saved: {url}: {why.removeprefix(f'{url}: ')}" for url, why in failed)


def _downloader(options: FetchOptions) -> Callable[[Url], bytes]:
    def download(url: Url) -> bytes:
        from scythe.fetch import fetch
        from scythe.fetch.page_check import require_ok

        response = require_ok(fetch(url, options=options))
        if response.cut_at_bytes is not None:
            raise FetchFailed(url, "the download ended early")
        return response.body

    return download


@dataclass(frozen=True, slots=True)
class DocumentForm:
    """What structured formats say of a document."""

    row: Row = whole_row
    columns: tuple[str, ...] = ()  # of CSV; empty where there is no such table
    default: str = "txt"  # the format on standard output
    records: bool = False  # tables of records below a text
    cells: str = AUTO  # of CSV, one of CSV_CELLS


def document_writer(
    kind: str, file: IO[str], form: DocumentForm, *, many: bool, shown: Callable[[str], str] = str
) -> Writer[NamedDocument]:
    """Return what writes documents in a format to a file of text."""
    if kind == "json":
        return JsonDocuments(file, form.row, many=many, shown=shown)
    if kind == "jsonl":
        return JsonLinesDocuments(file, form.row, shown=shown)
    if kind == "csv":
        return CsvDocuments(file, form, shown=shown)
    return TextDocuments(file, kind, many=many, shown=shown, records=form.records)
