"""Load the pages that a command is given: files, folders, patterns, URLs, lists of URLs and standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from glob import glob, has_magic
from itertools import groupby
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeVar

from scythe.errors import BadInput, FetchFailed
from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.saved_pages import saved_address
from scythe.limits import LIMITS
from scythe.model import Document, Loss
from scythe.url import absolute, hide_users, without_user

if TYPE_CHECKING:
    from scythe.model import Response

T = TypeVar("T")

FROM_FILES = 40  # pages that a site is learned from where more are at hand: docs/why/learning.md


def spread(items: list[T], most: int | None) -> list[T]:
    """Return at most so many items, evenly spread, first and last included."""
    if most is None or len(items) <= most:
        return items
    return [items[i * (len(items) - 1) // max(most - 1, 1)] for i in range(most)]


PAGE_SUFFIXES = frozenset({".html", ".htm", ".xhtml", ".shtml"})


@dataclass(frozen=True, slots=True)
class Input:
    """One input: a local file, an address, standard input, or a complaint about what was given."""

    name: str  # as the user wrote it, with list file and line number where it came from a list
    path: Path | None = None
    root: Path | None = None  # the folder that was given
    url: str | None = None  # to fetch
    is_stdin: bool = False
    complaint: str = ""


@dataclass(frozen=True, slots=True)
class LoadedPage:
    """One page as bytes, or the complaint in its place."""

    name: str
    body: bytes = b""
    url: str | None = None
    content_type: str | None = None
    cut_at_bytes: int | None = None
    complaint: str = ""
    path: Path | None = None  # of a file
    root: Path | None = None  # the folder that was given, and the file found in
    example: object = None  # what a line of a page set says the page should give; not checked yet


def is_address(text: str) -> bool:
    """Tell whether an input is meant as an address of the web."""
    return text[:8].lower().startswith(("http://", "https://"))


def find_sources(inputs: Iterable[str]) -> Iterator[Input]:
    """Turn arguments into sources: addresses, files, folders of pages, patterns, and - for standard input."""
    for given in inputs:
        path = Path(given)
        if given == "-":
            yield Input("standard input", is_stdin=True)
        elif is_address(given):
            yield Input(hide_users(given), url=given)
        elif path.is_dir():
            yield from _folder(path)
        elif path.exists():
            yield Input(given, path=path)
        elif has_magic(given) and (matches := sorted(glob(given, recursive=True))):
            yield from (Input(match, path=Path(match)) for match in matches if Path(match).is_file())
        else:
            yield Input(given, complaint=_missing(given))


def _folder(folder: Path) -> Iterator[Input]:
    pages = sorted(path for path in folder.rglob("*") if path.suffix.lower() in PAGE_SUFFIXES and path.is_file())
    if not pages:
        yield Input(str(folder), complaint=f"no page in this folder ({', '.join(sorted(PAGE_SUFFIXES))} are read)")
    yield from (Input(str(path), path=path, root=folder) for path in pages)


def _missing(given: str) -> str:
    if has_magic(given):
        return "no file matches this pattern"
    if ":" in given.split("/", 1)[0]:
        return "no such file; only http:// and https:// addresses are fetched"
    host, slash, _ = given.partition("/")
    looks_like_host = "." in host.strip(".") and (slash or Path(host).suffix.lower() not in PAGE_SUFFIXES)
    return f"no such file; for the address write https://{given}" if looks_like_host else "no such file"


def list_sources(list_file: str) -> Iterator[Input]:
    """Read addresses from a file (or -), one per line, as they are needed. Blank lines and # comments are skipped."""
    name = "standard input" if list_file == "-" else list_file
    lines = sys.stdin.buffer if list_file == "-" else open(list_file, "rb")  # noqa: SIM115 (closed below)
    try:
        for number, line in enumerate(_starts(lines), start=1):
            text = line.decode("utf-8-sig", "replace").strip()
            if not text or text.startswith("#"):
                continue
            if is_address(text) and absolute(text):
                yield Input(hide_users(text), url=text)
            else:
                yield Input(f"{name}:{number}", complaint=f"not an http or https address: {text[:80]!r}")
    finally:
        if list_file != "-":
            lines.close()


def _starts(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the beginning of each line: as much as an address may have, however long the line is."""
    most = LIMITS.url_chars + 2
    while start := file.readline(most):
        yield start
        while len(start) == most and not start.endswith(b"\n"):
            start = file.readline(most)


def load(sources: Iterable[Input], base: str | None, fetch: FetchOptions) -> Iterator[LoadedPage]:
    """Load sources one by one; a run of addresses is fetched a few hosts at a time. `base` is the address of files."""
    for remote, group in groupby(sources, key=lambda source: source.url is not None):
        if remote:
            yield from _fetch_all(group, fetch)
        else:
            yield from (_load_local(source, base) for source in group)


def _load_local(source: Input, base: str | None) -> LoadedPage:
    if source.complaint:
        return LoadedPage(source.name, complaint=source.complaint)
    try:
        if source.path is None:
            body = sys.stdin.buffer.read(LIMITS.body_bytes + 1)
        else:
            with source.path.open("rb") as file:
                body = file.read(LIMITS.body_bytes + 1)
    except OSError as error:
        return LoadedPage(source.name, complaint=f"cannot be read: {error.strerror or error}")
    return LoadedPage(source.name, body, url=base or saved_address(body), path=source.path, root=source.root)


def _fetch_all(sources: Iterable[Input], fetch: FetchOptions) -> Iterator[LoadedPage]:
    import asyncio

    from scythe.fetch import fetch_all

    names: list[str] = []  # of those under way: results come in the order asked for

    def urls() -> Iterator[str]:
        for source in sources:
            names.append(source.name)
            yield source.url or ""

    results = fetch_all(urls(), options=fetch)

    async def take() -> Response | FetchFailed | None:
        return await anext(results, None)

    with asyncio.Runner() as runner:
        try:
            while (result := runner.run(take())) is not None:
                yield _loaded(names.pop(0), result)
        finally:
            runner.run(results.aclose())


def _loaded(name: str, result: Response | FetchFailed) -> LoadedPage:
    from scythe.fetch import require_page
    from scythe.fetch.page_check import header

    if isinstance(result, FetchFailed):
        return LoadedPage(name, complaint=result.why)
    try:
        page = require_page(result)
    except FetchFailed as failure:
        return LoadedPage(name, complaint=failure.why)
    return LoadedPage(name, page.body, page.url, header(page, "Content-Type") or None, page.cut_at_bytes)


def note_cut(document: Document, cut_at_bytes: int | None) -> Document:
    """Return the document of a page; where its download ended early that is among its losses."""
    if cut_at_bytes is None:
        return document
    return replace(document, losses=(*document.losses, Loss("download ended early, bytes received", cut_at_bytes)))


def check_base(url: str | None) -> str | None:
    """Return the base address made absolute; raise `BadInput` when it is none."""
    if url is None:
        return None
    address = absolute(url)
    if address is None:
        raise BadInput(f"--url expects an http or https address, got {url!r}")
    return without_user(address)
