"""Write documents that were read from pages: to standard output, files or folders, as text, HTML, JSON, rows ...

A folder may have the form of the main-block paper: `<title>.txt`, `<title>.html` and `<title>_files/`, under names that
are safe everywhere. Pictures are written only if the caller passes a download function.
"""

from __future__ import annotations

import io
import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import escape, unescape
from pathlib import Path
from typing import IO
from urllib.parse import quote, urlsplit

from scythe.atomic_files import (
    write_atomically,
)
from scythe.errors import BadInput, FetchFailed, ScytheError
from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.inputs import is_address
from scythe.fetch.page_check import sniff_bytes
from scythe.fetch.saved_pages import SavedPictures
from scythe.model import Document
from scythe.output.formats import ONE_DOCUMENT, MappedWriter, Writer, formats_of
from scythe.output.rows import AUTO, Columns, RowBatch, Value, cell_text, list_batch, own_names, row_writer
from scythe.page.markdown import escape_words
from scythe.url import Url, host

Download = Callable[[Url], bytes | None]  # None, ScytheError and OSError all mean: not to be had

_NAME_BYTES = 150  # file systems take 255; room for a number, "_files", a suffix and the mark of an unfinished file
_IMAGES = 200  # per page; galleries of the page sets have up to 120
_ILLEGAL = re.compile(r'[\x00-\x1f\x7f-\x9f<>:"/\\|?*\ud800-\udfff]')
_RESERVED = frozenset("con prn aux nul clock$ conin$ conout$".split()) | {
    f"{port}{number}" for port in ("com", "lpt") for number in "0123456789\u00b9\u00b2\u00b3"
}
_SUFFIX = {
    "JPEG image": ".jpg",
    "PNG image": ".png",
    "GIF image": ".gif",
    "BMP image": ".bmp",
    "TIFF image": ".tiff",
    "WebP image": ".webp",
    "AVIF image": ".avif",
}  # an SVG image may carry script, and a browser runs it when the file is opened
_IMAGE_TAG = re.compile(r'<img src="([^"]*)"')


@dataclass(frozen=True, slots=True)
class Exported:
    """The files written for one document, and the images that could not be had, each with the reason."""

    text: Path
    html: Path
    images: tuple[Path, ...] = ()
    failed: tuple[tuple[Url, str], ...] = ()


@dataclass(slots=True)
class Exporter:
    """Writes documents into one folder. No file of this run or, without `overwrite`, of an earlier one is replaced."""

    folder: Path
    download: Download | None = None
    overwrite: bool = False
    _next: dict[str, int] = field(default_factory=dict)  # comparable name -> number to try next
    _taken: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.folder = Path(self.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        if not self.overwrite:
            self._taken.update(_same_name(stem) for path in self.folder.iterdir() for stem in _stems(path.name))

    def put(self, doc: Document, *, name: str = "") -> Exported:
        """Write one document under `name`, by default its title. Raises OSError when the folder cannot be written."""
        stem = self._free(safe_name(name or doc.title or host(doc.url or "")))
        images, local, failed = self._save_images(doc, stem)
        html = _IMAGE_TAG.sub(lambda tag: f'<img src="{local.get(tag[1], tag[1])}"', doc.html)
        text_path, html_path = self._inside(f"{stem}.txt"), self._inside(f"{stem}.html")
        write_atomically(text_path, f"{doc.text}\n".encode(errors="replace"))
        write_atomically(html_path, standalone(doc, html).encode(errors="replace"))
        return Exported(text_path, html_path, images, failed)

    def _free(self, stem: str) -> str:
        key = _same_name(stem)
        number = self._next.get(key, 1)
        while _same_name(candidate := stem if number == 1 else f"{stem} ({number})") in self._taken:
            number += 1
        self._next[key] = number + 1
        self._taken.add(_same_name(candidate))
        return candidate

    def _inside(self, *parts: str) -> Path:
        """Join a path and hold it inside the folder, also where a link lies in the way."""
        path = self.folder.joinpath(*parts)
        if path.parent.resolve() != self.folder.resolve().joinpath(*parts[:-1]):
            raise BadInput(f"{path.parent} leads out of {self.folder}")
        return path

    def _save_images(
        self, doc: Document, stem: str
    ) -> tuple[tuple[Path, ...], dict[str, str], tuple[tuple[Url, str], ...]]:
        """Download and write; return the files, the address in our html -> local address, and what failed."""
        paths: list[Path] = []
        local: dict[str, str] = {}
        failed: list[tuple[Url, str]] = []
        names: set[str] = set()
        for url in _image_urls(doc) if self.download is not None else ():
            if len(paths) + len(failed) >= _IMAGES:
                failed.append((url, f"more than {_IMAGES} images"))
                continue
            body, why = _fetch_image(url, self.download)
            if why:
                failed.append((url, why))
                continue
            path = self._image_path(f"{stem}_files", _image_name(url, body, names))
            write_atomically(path, body)
            paths.append(path)
            local[escape(url)] = escape(quote(f"{path.parent.name}/{path.name}"))
        return tuple(paths), local, tuple(failed)

    def _image_path(self, folder: str, name: str) -> Path:
        if not (self.folder / folder).is_dir():
            self._inside(folder).mkdir()
        return self._inside(folder, name)


def export(
    doc: Document, folder: Path | str, *, download: Download | None = None, name: str = "", overwrite: bool = False
) -> Exported:
    """Write one document as text, html and, with `download`, its images; `Exporter` writes many."""
    return Exporter(Path(folder), download, overwrite).put(doc, name=name)


def dump(doc: Document, format: str) -> str:
    """Return a document as one text: `txt`, `md`, `json`, or `html` as a page of its own. Raises BadInput otherwise."""
    if format == "txt":
        return doc.text
    if format == "md":
        return doc.markdown
    if format == "json":
        return json.dumps(doc.to_dict(), ensure_ascii=False, indent=2)
    if format == "html":
        return standalone(doc, doc.html)
    raise BadInput(f"format must be one of {', '.join(formats_of(ONE_DOCUMENT))}, not {format!r}")


def standalone(doc: Document, html: str) -> str:
    """Return a page that shows `html`, with the document's title, language and address in its head."""
    language = doc.metadata.language
    lang = f' lang="{escape(language)}"' if language else ""
    source = f'<link rel="canonical" href="{escape(doc.url)}">\n' if doc.url else ""
    return (
        f'<!DOCTYPE html>\n<html{lang}>\n<head>\n<meta charset="utf-8">\n<meta name="referrer" content="no-referrer">\n'
        f"{source}<title>{escape(doc.title)}</title>\n</head>\n<body>\n{html}\n</body>\n</html>\n"
    )


def safe_name(text: str, default: str = "page") -> str:
    """Return a file name, without suffix, that means the same on every system: no path, no reserved name, no trick.

    As in the paper, characters that a system forbids become spaces; the name is cut at 150 bytes.
    """
    text = _ILLEGAL.sub(" ", unicodedata.normalize("NFC", text[:2_000]))
    text = "".join(" " if unicodedata.category(c) in ("Cf", "Zl", "Zp", "Co", "Cn") else c for c in text)
    text = " ".join(text.split()).strip(". ").lstrip("-~. ")  # a leading dot hides, a leading dash is an option
    text = text.encode()[:_NAME_BYTES].decode(errors="ignore").strip(". ")
    if text.partition(".")[0].strip().lower() in _RESERVED:
        text = f"_{text}"
    return text or default


def _stems(file_name: str) -> Iterator[str]:
    yield file_name.rpartition(".")[0] or file_name
    if file_name.endswith("_files"):
        yield file_name.removesuffix("_files")


def _same_name(name: str) -> str:
    """Return what two names share that a case-blind or decomposing file system takes for one."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKD", name).casefold())


def _image_urls(doc: Document) -> list[Url]:
    shown = [Url(unescape(address)) for address in _IMAGE_TAG.findall(doc.html)]
    return list(dict.fromkeys([*shown, *(image.src for image in doc.images if image.relevant)]))


def _fetch_image(url: Url, download: Download | None) -> tuple[bytes, str]:
    assert download is not None
    try:
        body = download(url)
    except (ScytheError, OSError) as error:
        return b"", str(error) or type(error).__name__
    if not body:
        return b"", "nothing came"
    kind = sniff_bytes(body[:64])
    return (body, "") if kind in _SUFFIX else (b"", f"no image format we write: {kind or 'unknown'}")


def _image_name(url: Url, body: bytes, taken: set[str]) -> str:
    last = urlsplit(url).path.rstrip("/").rpartition("/")[2]
    stem = safe_name(last.rpartition(".")[0] or last, "image")
    suffix, number = _SUFFIX[sniff_bytes(body[:64])], 1
    while _same_name(name := f"{stem}{suffix}" if number == 1 else f"{stem} ({number}){suffix}") in taken:
        number += 1
    taken.add(_same_name(name))
    return name


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


def csv_documents(file: IO[str], form: DocumentForm, shown: Callable[[str], str]) -> Writer[NamedDocument]:
    """Return what writes a table with a row per document and a column per field; several values are lines of a cell."""
    header = ("source", "url", *own_names(form.columns, ("source", "url")))
    columns = dict(zip(header[2:], form.columns, strict=True))

    def row(named: NamedDocument) -> Iterator[dict[str, str]]:
        fields = named.document.fields
        values = {name: "\n".join(fields[field].values) for name, field in columns.items() if field in fields}
        yield {**values, "source": named.source, "url": named.document.url or ""}

    return MappedWriter(row_writer("csv", file, Columns(header, cells=form.cells), shown), row)


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
        lines = row_writer("jsonl", file, Columns(), shown)
        return MappedWriter(lines, lambda named: [form.row(named.source, named.document)])
    if kind == "csv":
        return csv_documents(file, form, shown)
    return TextDocuments(file, kind, many=many, shown=shown, records=form.records)
