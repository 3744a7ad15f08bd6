"""Where documents go: standard output, one file, or a folder. Documents come in, bytes of one format go out."""

from __future__ import annotations

import io
import json
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import IO

from scythe.cli.ending import neutralise
from scythe.cli.sources import Reach
from scythe.errors import BadInput, FetchFailed
from scythe.export import Exporter, safe_name, write_atomically
from scythe.model import Document
from scythe.url import Url

FORMATS = ("txt", "md", "html", "json", "jsonl")
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
}


def format_of(path: Path) -> str | None:
    """Return the format a file name asks for by its suffix, or None."""
    return _SUFFIXES.get(path.suffix.lower())


def is_folder(output: str) -> bool:
    """Tell whether `-o` names a folder: it is one, ends in a slash, or has no suffix."""
    path = Path(output)
    return path.is_dir() or output.endswith(("/", "\\")) or not path.suffix


def as_json(name: str, document: Document, *, indent: int | None = None) -> str:
    """Write one document as a JSON object that names its source."""
    return json.dumps({"source": name, **document.to_dict()}, ensure_ascii=False, indent=indent)


class Sink(ABC):
    """Take documents one by one; `close` when all were given."""

    @abstractmethod
    def put(self, name: str, document: Document) -> tuple[str, ...]:
        """Write one document; return what could not be written along with it."""

    def close(self) -> None:  # noqa: B027 (most sinks have nothing left to do)
        """Finish what was written."""


class TextSink(Sink):
    """Plain text, Markdown or HTML, one document after the other; several are told apart by a line with their name."""

    def __init__(self, file: IO[str], kind: str, *, many: bool, shown: Callable[[str], str]) -> None:
        self._file, self._kind, self._many, self._shown = file, kind, many, shown

    def put(self, name: str, document: Document) -> tuple[str, ...]:
        body = {"txt": document.text, "md": document.markdown, "html": document.html}[self._kind]
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

    def __init__(self, file: IO[str], *, many: bool, shown: Callable[[str], str]) -> None:
        self._file, self._many, self._shown = file, many, shown
        self._count = 0

    def put(self, name: str, document: Document) -> tuple[str, ...]:
        lead = "" if not self._many else "[\n" if self._count == 0 else ",\n"
        self._file.write(lead + self._shown(as_json(name, document, indent=2)))
        self._count += 1
        return ()

    def close(self) -> None:
        if self._many:
            self._file.write("\n]\n" if self._count else "[]\n")
        elif self._count:
            self._file.write("\n")


class JsonLinesSink(Sink):
    """One JSON object per line."""

    def __init__(self, file: IO[str], *, shown: Callable[[str], str]) -> None:
        self._file, self._shown = file, shown

    def put(self, name: str, document: Document) -> tuple[str, ...]:
        self._file.write(self._shown(as_json(name, document)) + "\n")
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

    def __init__(self, folder: Path, kind: str) -> None:
        self._folder, self._kind = folder, kind
        self._taken: set[str] = set()
        folder.mkdir(parents=True, exist_ok=True)

    def put(self, name: str, document: Document) -> tuple[str, ...]:
        text = io.StringIO()
        sink = _sink(text, self._kind, many=False, shown=_as_is)
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
        from scythe.fetch.judge import require_ok

        options = FetchOptions(timeout_s=reach.timeout_s, allow_private=reach.allow_private)
        response = require_ok(fetch(url, options=options))
        if response.cut_at_bytes is not None:
            raise FetchFailed(url, "the download ended early")
        return response.body

    return download


def open_sink(output: str | None, kind: str | None, *, many: bool, download: Reach | None = None) -> Sink:
    """Open standard output (None or -), a file or a folder; without `kind` the file's suffix names the format."""
    if output is not None and output != "-" and is_folder(output):
        return FolderSink(Path(output), kind) if kind else ExportSink(Path(output), download)
    if output is None or output == "-":
        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(errors="replace")
        return _sink(sys.stdout, kind or "txt", many=many, shown=neutralise if sys.stdout.isatty() else _as_is)
    kind = kind or format_of(Path(output))
    if kind is None:
        known = " ".join(_SUFFIXES)
        raise BadInput(f"-o {output}: the suffix names no format (known: {known}); add -f, or end a folder with /")
    file = open(output, "w", encoding="utf-8", errors="replace", newline="\n")  # noqa: SIM115 (closed by the sink)
    return FileSink(file, _sink(file, kind, many=many, shown=_as_is))


def _sink(file: IO[str], kind: str, *, many: bool, shown: Callable[[str], str]) -> Sink:
    if kind == "json":
        return JsonSink(file, many=many, shown=shown)
    if kind == "jsonl":
        return JsonLinesSink(file, shown=shown)
    return TextSink(file, kind, many=many, shown=shown)


def _as_is(text: str) -> str:
    return text
