"""Load the pages, examples and state that commands work on.

Besides files, folders, patterns and URLs, inputs may be page sets: JSON lines with `html` and optionally `url`, `id`
and `fields`. Examples are JSON (page -> field -> value or values) or CSV with a column `page`; rows of one page add
up, and an empty cell says that the page has no such field.
"""

from __future__ import annotations

import csv
import gzip
import html
import json
import lzma
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from glob import has_magic
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING
from urllib.parse import quote

from scythe.cli.console import complain, show_progress
from scythe.errors import BadInput
from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.inputs import Input, LoadedPage, find_sources, load, spread
from scythe.limits import LIMITS
from scythe.url import absolute

if TYPE_CHECKING:
    from scythe.site.profile import Saved
    from scythe.site.site import Site
    from scythe.web.state import State, StateOptions

Example = dict[str, list[str]]
_FILE_BYTES = 50_000_000


def read_examples(path: Path, pages: Sequence[LoadedPage]) -> list[Example | None]:
    """Read an examples file and return one example per page, None where it names none. Raises BadInput, OSError."""
    with path.open("rb") as file:
        text = file.read(_FILE_BYTES).decode("utf-8-sig", "replace")
    named = _read_csv(text, str(path)) if path.suffix.lower() in (".csv", ".tsv") else _read_json(text, str(path))
    found: list[Example | None] = [None] * len(pages)
    for name, example in named.items():
        at = page_named(name, pages)
        if isinstance(at, str):
            raise BadInput(f"{path}: {at}")
        found[at] = example
    return found


def own_examples(pages: Sequence[LoadedPage]) -> list[Example | None]:
    """Return the examples that lines of page sets carry. Raises BadInput."""
    return [None if page.example is None else _example(page.example, page.name) for page in pages]


def show_on_a_page(wanted: Sequence[str], pages: Sequence[LoadedPage]) -> list[Example | None]:
    """Turn `name=value` options into the example of the first page that shows all values. Raises BadInput."""
    example: Example = {}
    for option in wanted:
        name, equals, value = option.partition("=")
        if not (name.strip() and equals and value.strip()):
            raise BadInput(f"--field {option}: write it as name=value, with a value that one of the pages shows")
        example.setdefault(name.strip(), []).append(value.strip())
    values = [_squeeze(value) for name in example for value in example[name]]
    for number, page in enumerate(pages):
        shown = _shown(page)
        if all(value in shown for value in values):
            return [example if i == number else None for i in range(len(pages))]
    raise BadInput(f"--field: no page shows {'all of ' if len(values) > 1 else ''}{', '.join(map(repr, values))}")


def merge(*several: Sequence[Example | None]) -> list[Example | None]:
    """Put several lists of examples together, page by page; the first that names a field wins."""
    merged: list[Example | None] = []
    for row in zip(*several, strict=True):
        given = [example for example in row if example is not None]
        merged.append(
            {name: values for example in reversed(given) for name, values in example.items()} if given else None
        )
    return merged


def _shown(page: LoadedPage) -> str:
    """Return what a page says, entities resolved, once as its source has it and once without tags."""
    from scythe.page import Page

    loaded = Page.from_bytes(page.body)
    return _squeeze(html.unescape(loaded.html)) + "\n" + _squeeze(" ".join(loaded.blocks.text))


def _squeeze(text: str) -> str:
    return " ".join(text.split())


def _read_json(text: str, where: str) -> dict[str, Example]:
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{where}: not JSON: {error}") from None
    if isinstance(rows, list):
        rows = {str(number): row for number, row in enumerate(rows, 1) if row is not None}
    if not isinstance(rows, dict):
        raise BadInput(f'{where}: an object such as {{"page.html": {{"price": "$12"}}}} was expected')
    return {name: _example(row, f"{where}: {name}") for name, row in rows.items()}


def _example(row: object, where: str) -> Example:
    if not isinstance(row, dict):
        raise BadInput(f'{where}: an object such as {{"price": "$12"}} was expected, not {row!r:.60}')
    example: Example = {}
    for name, given in row.items():
        values = [given] if isinstance(given, str) else given
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise BadInput(f"{where}: {name}: a text or a list of texts was expected, not {given!r:.60}")
        example[name] = values
    return example


def _read_csv(text: str, where: str) -> dict[str, Example]:
    lines = text.splitlines()
    rows = csv.DictReader(lines, delimiter="\t" if lines and "\t" in lines[0] else ",")
    try:
        if "page" not in (rows.fieldnames or ()):
            raise BadInput(f"{where}: the first line must name the columns, one of them page")
        return _gather(rows)
    except csv.Error as error:
        raise BadInput(f"{where}: line {rows.line_num}: {error}") from None


def _gather(rows: Iterable[Mapping[str, str | None]]) -> dict[str, Example]:
    named: dict[str, Example] = {}
    for row in rows:
        example = named.setdefault((row.get("page") or "").strip(), {})
        for name, value in row.items():
            if name and name != "page":
                example.setdefault(name, []).extend([value.strip()] if value and value.strip() else [])
    return named


def page_named(name: str, pages: Sequence[LoadedPage]) -> int | str:
    """Return the number of the page that a name means: its address, its path, the end of either, or its number.

    Where it means none, or several, the reason is returned.
    """
    exact = [i for i, page in enumerate(pages) if name in (page.name, page.url)]
    ending = [i for i, page in enumerate(pages) if _ends(page.name, name) or _ends(page.url or "", name)]
    number = [int(name) - 1] if name.isdecimal() and 0 < int(name[:9]) <= len(pages) else []
    for found in (exact, ending, number):
        if len(found) == 1:
            return found[0]
        if found:
            return f"{name!r} is the name of {len(found)} pages; write more of the path"
    return f"unknown page {name!r}; the first is {pages[0].name!r}" if pages else "no pages"


def _ends(whole: str, end: str) -> bool:
    return whole.replace("\\", "/").endswith("/" + end.lstrip("./"))


SETS = (".jsonl", ".ndjson", ".jsonl.xz", ".jsonl.gz")
_LINE_BYTES = 2 * LIMITS.body_bytes  # JSON escapes make a page longer


def load_pages(
    inputs: Sequence[str], base: str | None, fetch: FetchOptions, *, most: int | None = None
) -> Iterator[LoadedPage]:
    """Load every page that the inputs name; `base` is the address that files lie below, or that of a single file.

    With `most`, an input that stands for more pages gives so many: files spread over it, or the first of a page set.
    """
    for given in inputs:
        if given.lower().endswith(SETS) and Path(given).is_file():
            yield from islice(_read_set(Path(given), base), most)
        else:
            sources = spread(list(find_sources([given])), most)
            root = None if len(inputs) == len(sources) == 1 and sources[0].path == Path(given) else _root(given)
            yield from _addressed(load(sources, base, fetch), sources, base, root)


def keep_good(pages: Iterable[LoadedPage]) -> list[LoadedPage]:
    """Load all pages under a progress bar; what fails is said and left out."""
    good = []
    for page in show_progress(pages, "loading", None):
        if page.complaint:
            complain(f"{page.name}: {page.complaint}")
        else:
            good.append(page)
    return good


def _root(given: str) -> Path:
    """Return the folder that the addresses of an input's files are relative to."""
    path = Path(given)
    if path.is_dir():
        return path
    first_pattern = next((i for i, part in enumerate(path.parts) if has_magic(part)), -1)
    return Path(*path.parts[:first_pattern])


def _addressed(
    pages: Iterable[LoadedPage], sources: list[Input], base: str | None, root: Path | None
) -> Iterator[LoadedPage]:
    for page, source in zip(pages, sources, strict=True):
        if base is None or root is None or source.path is None:
            yield page
        else:
            below = quote(source.path.relative_to(root).as_posix())
            yield replace(page, url=absolute(below, base if base.endswith("/") else f"{base}/"))


def _read_set(path: Path, base: str | None) -> Iterator[LoadedPage]:
    number = 0
    try:
        with _open(path) as lines:
            while line := lines.readline(_LINE_BYTES):
                number += 1
                if line.strip():
                    yield _row(line, f"{path}:{number}", base)
    except (OSError, EOFError, lzma.LZMAError) as error:
        yield LoadedPage(f"{path}:{number + 1}", complaint=f"cannot be read: {error}")


def _open(path: Path) -> IO[bytes]:
    if path.suffix == ".xz":
        return lzma.open(path, "rb")
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")  # type: ignore[return-value]


def _row(line: bytes, place: str, base: str | None) -> LoadedPage:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return LoadedPage(place, complaint="not a line of JSON")
    if not isinstance(row, dict) or not isinstance(row.get("html"), str):
        return LoadedPage(place, complaint='an object with the page under "html" was expected')
    name, url = row.get("id"), row.get("url")
    return LoadedPage(
        name if isinstance(name, str) else place,
        row["html"].encode("utf-8", "replace"),
        url=absolute(url, base) if isinstance(url, str) else None,
        example=row.get("fields"),
    )


@contextmanager
def _reading(path: str) -> Iterator[None]:
    """Name the file that cannot be read."""
    try:
        yield
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror or error}") from None


def load_site(path: str) -> Site:
    """Load a profile of a file or an archive. Raises BadInput with the path where that is not possible."""
    from scythe.archive.stored_sites import is_in_archive, read_profile
    from scythe.site.site import Site

    with _reading(path):
        return Site.from_json(read_profile(path)) if is_in_archive(path) else Site.load(path)


def save_site(path: str, site: Site, start: str | None = None) -> None:
    """Save a profile in a file or an archive; what pages list is learned first. Raises BadInput, OSError.

    A site that the archive does not have is added where one of its pages is named as the `start`.
    """
    from scythe.archive.stored_sites import is_in_archive, write_profile

    if is_in_archive(path):
        site.learn_lists()
        write_profile(path, site.to_json(), start)
    else:
        site.save(path)


def profile_at(path: str) -> Saved:
    """Open a profile without what extracting needs. Raises BadInput with the path where that is not possible."""
    from scythe.archive.stored_sites import is_in_archive, read_profile
    from scythe.site.profile import load_profile, open_profile

    with _reading(path):
        return load_profile(read_profile(path), name=path) if is_in_archive(path) else open_profile(path)


def open_state(inputs: Sequence[str], base: str | None, options: StateOptions) -> State:
    """Load pages and open a state on them. Raises BadInput, and ArchiveFailed now rather than at the first look."""
    from scythe.web.state import State

    loaded = keep_good(load_pages(inputs, base, options.reach))
    if inputs and not loaded:
        raise BadInput("none of the pages could be loaded")
    state = State(options, loaded)
    if options.archive is not None:
        with state.archive():
            pass
    return state
