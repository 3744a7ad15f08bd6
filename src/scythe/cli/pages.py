"""Pages of one site: inputs of a command come in, loaded pages with their addresses go out, in order.

Beyond files, folders, patterns and addresses these may be page sets: JSON lines with `html` and, where known, `url`,
`id` and `fields` (the values that an example should give).
"""

from __future__ import annotations

import gzip
import json
import lzma
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from glob import has_magic
from itertools import islice
from pathlib import Path
from typing import IO
from urllib.parse import quote

from scythe.cli.ending import complain
from scythe.cli.progress import show_progress
from scythe.limits import LIMITS
from scythe.sources import Loaded, Reach, Source, find_sources, load
from scythe.teaching.spread import spread
from scythe.url import absolute

SETS = (".jsonl", ".ndjson", ".jsonl.xz", ".jsonl.gz")
_LINE_BYTES = 2 * LIMITS.body_bytes  # JSON escapes make a page longer


def load_pages(inputs: Sequence[str], base: str | None, reach: Reach, *, most: int | None = None) -> Iterator[Loaded]:
    """Load every page that the inputs name; `base` is the address that files lie below, or that of a single file.

    With `most`, an input that stands for more pages gives so many: files spread over it, or the first of a page set.
    """
    for given in inputs:
        if given.lower().endswith(SETS) and Path(given).is_file():
            yield from islice(_read_set(Path(given), base), most)
        else:
            sources = spread(list(find_sources([given])), most)
            root = None if len(inputs) == len(sources) == 1 and sources[0].path == Path(given) else _root(given)
            yield from _addressed(load(sources, base, reach), sources, base, root)


def keep_good(pages: Iterable[Loaded]) -> list[Loaded]:
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


def _addressed(pages: Iterable[Loaded], sources: list[Source], base: str | None, root: Path | None) -> Iterator[Loaded]:
    for page, source in zip(pages, sources, strict=True):
        if base is None or root is None or source.path is None:
            yield page
        else:
            below = quote(source.path.relative_to(root).as_posix())
            yield replace(page, url=absolute(below, base if base.endswith("/") else f"{base}/"))


def _read_set(path: Path, base: str | None) -> Iterator[Loaded]:
    number = 0
    try:
        with _open(path) as lines:
            while line := lines.readline(_LINE_BYTES):
                number += 1
                if line.strip():
                    yield _row(line, f"{path}:{number}", base)
    except (OSError, EOFError, lzma.LZMAError) as error:
        yield Loaded(f"{path}:{number + 1}", complaint=f"cannot be read: {error}")


def _open(path: Path) -> IO[bytes]:
    if path.suffix == ".xz":
        return lzma.open(path, "rb")
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")  # type: ignore[return-value]


def _row(line: bytes, place: str, base: str | None) -> Loaded:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return Loaded(place, complaint="not a line of JSON")
    if not isinstance(row, dict) or not isinstance(row.get("html"), str):
        return Loaded(place, complaint='an object with the page under "html" was expected')
    name, url = row.get("id"), row.get("url")
    return Loaded(
        name if isinstance(name, str) else place,
        row["html"].encode("utf-8", "replace"),
        url=absolute(url, base) if isinstance(url, str) else None,
        example=row.get("fields"),
    )
