"""The table of output formats that every command and the web page share, and what a writer of one does.

A new format is a row here, with the writer of each thing that it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from scythe.errors import BadInput, MissingExtra

# what a format can hold
DOCUMENTS = "documents"  # one after the other
ONE_DOCUMENT = "one document"
FIELDS = "fields"  # of documents, as a profile gives them
ROWS = "rows"  # of lists, of attributes
IMAGES = "images"
ADDRESSES = "addresses"  # that are suggested
PAGES = "pages"  # of an archive, in one file
PAGE_FOLDER = "page folder"  # one file per page of an archive
STORED_ROWS = "stored rows"  # records and images of an archive

T = TypeVar("T")
U = TypeVar("U")
T_contra = TypeVar("T_contra", contravariant=True)


class Writer(Protocol[T_contra]):
    """Takes things one by one; `close` finishes what was written and leaves the file open."""

    def put(self, thing: T_contra, /) -> tuple[str, ...]:
        """Write one thing, now or at the end; return what could not be written along with it."""

    def close(self) -> None:
        """Write what is left."""


class MappedWriter(Generic[T]):
    """Writes what a function makes of each thing to another writer."""

    def __init__(self, writer: Writer[U], made_of: Callable[[T], Iterable[U]]) -> None:
        self._writer: Writer[Any] = writer
        self._made_of: Callable[[T], Iterable[Any]] = made_of

    def put(self, thing: T) -> tuple[str, ...]:
        return tuple(left for one in self._made_of(thing) for left in self._writer.put(one))

    def close(self) -> None:
        self._writer.close()


@dataclass(frozen=True, slots=True)
class Format:
    """A format by the name that `-f` takes."""

    name: str
    suffixes: tuple[str, ...]  # of files that ask for it
    holds: frozenset[str]
    label: str = ""  # on the web page
    media_type: str = ""
    is_binary: bool = False  # nothing for a terminal


_TEXTS = {DOCUMENTS, ONE_DOCUMENT, FIELDS, PAGE_FOLDER}
_TABLES = {ROWS, IMAGES, ADDRESSES}
_STORED = {PAGES, STORED_ROWS}
FORMATS = {
    one.name: one
    for one in (
        Format("table", (), frozenset(_TABLES)),
        Format("txt", (".txt", ".text"), frozenset(_TEXTS | {IMAGES, ADDRESSES, PAGES})),
        Format("md", (".md", ".markdown"), frozenset(_TEXTS)),
        Format("html", (".html", ".htm"), frozenset(_TEXTS)),
        Format("csv", (".csv",), frozenset({FIELDS} | _TABLES | _STORED), "CSV", "text/csv; charset=utf-8"),
        Format(
            "jsonl", (".jsonl", ".ndjson"), frozenset({DOCUMENTS, FIELDS} | _TABLES | _STORED),
            "JSON Lines", "application/x-ndjson; charset=utf-8",
        ),
        Format(
            "json", (".json",), frozenset({DOCUMENTS, ONE_DOCUMENT, FIELDS} | _TABLES),
            "JSON", "application/json; charset=utf-8",
        ),
        Format(
            "parquet", (".parquet",), frozenset(_TABLES | _STORED),
            "Parquet", "application/vnd.apache.parquet", is_binary=True,
        ),
        Format(
            "sqlite", (".sqlite", ".sqlite3"), frozenset(_TABLES | _STORED),
            "SQLite", "application/vnd.sqlite3", is_binary=True,
        ),
        Format("warc.gz", (".warc.gz",), frozenset({PAGES}), is_binary=True),
        Format("warc", (".warc",), frozenset({PAGES}), is_binary=True),
    )
}  # fmt: skip


def formats_of(*things: str) -> tuple[str, ...]:
    """Return the names of the formats that hold any of these."""
    return tuple(one.name for one in FORMATS.values() if not one.holds.isdisjoint(things))


def suffixes_of(*things: str) -> str:
    """Return the suffixes that ask for a format which holds any of these, for a message."""
    return " ".join(suffix for name in formats_of(*things) for suffix in FORMATS[name].suffixes)


def format_by_suffix(output: str, *things: str) -> str | None:
    """Return the format that a file name asks for, None where it asks for none that holds any of these."""
    _refuse_address(output)
    named = output.lower()
    return next((name for name in formats_of(*things) if named.endswith(FORMATS[name].suffixes)), None)


def _refuse_address(output: str) -> None:
    """Raise BadInput where an address was given for a file: its password would become the name of one."""
    if "://" in output:
        raise BadInput(f"{output}: an output is a file or a folder")


def is_folder(output: str) -> bool:
    """Tell whether `-o` names a folder: it is one, ends in a slash, or has no suffix."""
    _refuse_address(output)
    path = Path(output)
    return path.is_dir() or output.endswith(("/", "\\")) or not path.suffix


def require_parquet() -> None:
    """Raise MissingExtra where Parquet cannot be written."""
    if find_spec("pyarrow") is None:
        raise MissingExtra("Parquet needs the package pyarrow: pip install 'webscythe[parquet]'")
