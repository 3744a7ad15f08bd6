"""Write an archive to files: an open archive and what is wanted of it come in, a file or a folder goes out.

A file appears under its name when it is whole, not before. Everything is read and written piece by piece, so that
memory stays flat however large the archive is.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from io import TextIOWrapper
from itertools import chain
from pathlib import Path
from typing import IO

from scythe.archive.archive import Archive
from scythe.archive.reading import count_pages, count_raw, count_records
from scythe.archive.stored import Wanted
from scythe.crawling.export_files import (
    CsvFile,
    JsonLinesFile,
    ParquetFile,
    RowFile,
    for_parquet,
    page_schema,
    table_schema,
)
from scythe.crawling.export_folder import FOLDER_FORMATS, PageFolder
from scythe.crawling.export_rows import (
    IMAGE_CELLS,
    PageTable,
    RecordTable,
    Row,
    image_rows,
    page_line,
    record_line,
)
from scythe.errors import BadInput
from scythe.export import replacing, require_parquet

TABLES = ("jsonl", "csv", "parquet")
WARCS = ("warc.gz", "warc")
FORMATS = (*TABLES, *FOLDER_FORMATS, *WARCS)
THINGS = ("pages", "records", "images")
_SUFFIXES = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".parquet": "parquet", ".txt": "txt"}
_SUFFIXES |= {".warc.gz": "warc.gz", ".warc": "warc", ".md": "md", ".html": "html"}
_NO_TEXT = dict.fromkeys(("first_seen", "last_seen"), "moment")  # columns of Parquet files
_NO_TEXT |= {"sightings": "count", "width": "count", "height": "count", "score": "measure", "relevant": "flag"}
Tell = Callable[[int], None]  # hears after each thing how many were written


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written."""

    what: str  # pages, records, images, responses
    count: int
    path: Path | None = None  # None: standard output


@dataclass(frozen=True, slots=True)
class Export:
    """Where to write what of an archive, and how; `plan_export` makes one that fits together."""

    path: Path | None  # None: standard output
    kind: str  # one of FORMATS
    what: str = "pages"  # one of THINGS
    is_folder: bool = False


def plan_export(output: str | Path | None, kind: str | None = None, what: str = "pages") -> Export:
    """Decide between file and folder and on the format; None and - are standard output. Raises BadInput, MissingExtra.

    Without `kind` the suffix names the format; a folder, which ends with a slash or has no suffix, gets Markdown.
    """
    if kind is not None and kind not in FORMATS:
        raise BadInput(f"{kind} is no format of exports; known are {', '.join(FORMATS)}")
    if what not in THINGS:
        raise BadInput(f"{what} cannot be exported; known are {', '.join(THINGS)}")
    if output is None or str(output) == "-":
        plan = Export(None, kind or "jsonl", what)
    else:
        named = str(output)
        kind = kind or format_of(named) or ("md" if _is_folder(named) else None)
        if kind is None:
            raise BadInput(f"{named}: the suffix names no format (known: {' '.join(_SUFFIXES)}); a folder ends with /")
        is_folder = kind in FOLDER_FORMATS and (_is_folder(named) or kind != "txt")
        plan = Export(Path(named), kind, what, is_folder)
        _check_path(named, plan)
    _check_form(plan)
    return plan


def read_date(text: str | None, option: str) -> datetime | None:
    """Return the moment that a date, or a date with a time, names; UTC where it names no zone. Raises BadInput."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise BadInput(f"{option} {text}: write a date as 2026-11-15 or 2026-11-15T12:30") from None


def _check_path(named: str, plan: Export) -> None:
    if plan.is_folder and not _is_folder(named):
        raise BadInput(f"{named}: {plan.kind} is one file per page; name a folder, such as {Path(named).stem}/")
    if not plan.is_folder and Path(named).is_dir():
        raise BadInput(f"{named}: {plan.kind} goes to a file, and this is a folder")


def _check_form(plan: Export) -> None:
    if plan.what != "pages" and plan.kind not in TABLES:
        raise BadInput(f"{plan.what} go to {', '.join(TABLES)}, not {plan.kind}")
    if plan.path is None and plan.kind not in ("jsonl", "csv", "txt"):
        raise BadInput(f"{plan.kind} goes to a file or a folder, not to standard output")
    if plan.kind == "parquet":
        require_parquet()


def format_of(output: str) -> str | None:
    """Return the format that a file name asks for by its suffix, or None."""
    return next((kind for suffix, kind in _SUFFIXES.items() if output.lower().endswith(suffix)), None)


def _is_folder(output: str) -> bool:
    path = Path(output)
    return output.endswith(("/", "\\")) or path.is_dir() or not path.suffix


def export_archive(
    archive: Archive,
    plan: Export | str | Path,
    wanted: Wanted | None = None,
    *,
    tell: Tell | None = None,
    shown: Callable[[str], str] = str,
) -> Exported:
    """Write what is wanted of an archive, by default the newest version of every page.

    `tell` hears how many things were written so far, `shown` changes text for a terminal. Raises BadInput where a site
    is not in the archive or no responses were kept, ArchiveFailed, and OSError where the file cannot be written.
    """
    plan = plan if isinstance(plan, Export) else plan_export(plan)
    wanted = wanted or Wanted()
    check_sites(archive, wanted)
    what = "responses" if plan.kind in WARCS else plan.what
    if plan.path is None:
        with _standard_output() as text:
            return Exported(what, _count(_write_text(archive, plan, wanted, text, shown), tell))
    if plan.is_folder:
        folder = PageFolder(plan.path, plan.kind, with_version=wanted.all_versions)
        return Exported(what, _count(map(folder.put, archive.read_pages(wanted)), tell), plan.path)
    if plan.kind in WARCS:
        _check_kept(archive, wanted)
    with _open(plan.path) as file:
        return Exported(what, _count(_write(archive, plan, wanted, file), tell), plan.path)


def count_wanted(archive: Archive, plan: Export, wanted: Wanted) -> int | None:
    """Return how many things an export would write now; None where only writing tells."""
    if plan.what == "images":
        return None
    count = count_raw if plan.kind in WARCS else count_records if plan.what == "records" else count_pages
    return count(archive.database, wanted)


def check_sites(archive: Archive, wanted: Wanted) -> None:
    """Raise BadInput where a site is not in the archive."""
    known = [site.key for site in archive.sites()] if wanted.sites else []
    for site in wanted.sites:
        if site not in known:
            some = ", ".join(known[:10]) + (", ..." if len(known) > 10 else "")
            raise BadInput(f"{site}: no such site in {archive.where}; it has {some or 'none'}")


def _check_kept(archive: Archive, wanted: Wanted) -> None:
    if next(archive.read_raw(Wanted(sites=wanted.sites)), None) is None:
        raise BadInput(
            f"{archive.where}: no responses were kept, so there is no WARC; crawl with --raw or -o FILE.warc.gz"
        )


def _write(archive: Archive, plan: Export, wanted: Wanted, file: IO[bytes]) -> Iterator[None]:
    """Write to a file, one thing with each step."""
    if plan.kind in WARCS:
        yield from _write_warc(archive, plan, wanted, file)
    elif plan.kind == "parquet":
        yield from _write_parquet(archive, plan, wanted, file)
    else:
        text = TextIOWrapper(file, encoding="utf-8", errors="replace", newline="\n", write_through=False)
        try:
            yield from _write_text(archive, plan, wanted, text, str)
        finally:
            text.detach()  # the file below is closed, or thrown away, by who opened it


def _write_warc(archive: Archive, plan: Export, wanted: Wanted, file: IO[bytes]) -> Iterator[None]:
    from scythe.archive.warc import WarcFile  # takes as long to import as all of a small export

    assert plan.path is not None
    warc = WarcFile(file, made_at=datetime.now(UTC), name=plan.path.name, compressed=plan.kind == "warc.gz")
    yield from map(warc.put, archive.read_raw(wanted))
    warc.close()


def _write_parquet(archive: Archive, plan: Export, wanted: Wanted, file: IO[bytes]) -> Iterator[None]:
    if plan.what == "pages":
        pages = map(page_line, archive.read_pages(wanted))
        return _fill(ParquetFile(file, page_schema()), map(for_parquet, pages))
    header, rows = _table(archive, plan.what, wanted)
    return _fill(ParquetFile(file, table_schema(header, _NO_TEXT)), rows)


def _write_text(
    archive: Archive, plan: Export, wanted: Wanted, file: IO[str], shown: Callable[[str], str]
) -> Iterator[None]:
    if plan.kind == "txt":
        for page in archive.read_pages(wanted):
            file.write(shown(f"==> {page.url} <==\n{page.text}\n\n"))
            yield
    elif plan.kind == "jsonl":
        yield from _fill(JsonLinesFile(file, shown), _lines(archive, plan.what, wanted))
    else:
        header, rows = _table(archive, plan.what, wanted)
        yield from _fill(CsvFile(file, header, shown), rows)


def _fill(file: RowFile, rows: Iterator[Row]) -> Iterator[None]:
    try:
        yield from map(file.put, rows)
    finally:
        file.close()


def _lines(archive: Archive, what: str, wanted: Wanted) -> Iterator[Row]:
    if what == "records":
        return map(record_line, archive.read_records(wanted))
    if what == "images":
        return _images(archive, wanted)
    return map(page_line, archive.read_pages(wanted))


def _table(archive: Archive, what: str, wanted: Wanted) -> tuple[tuple[str, ...], Iterator[Row]]:
    """Return the header of a flat table and its rows. All is looked through before, for columns that some have."""
    if what == "records":
        table = RecordTable.of(archive.read_records(wanted))
        return table.header, map(table.cells, archive.read_records(wanted))
    if what == "images":
        return IMAGE_CELLS, _images(archive, wanted)
    pages = PageTable.of(archive.read_rests(wanted))
    return pages.header, map(pages.cells, archive.read_pages(wanted))


def _images(archive: Archive, wanted: Wanted) -> Iterator[Row]:
    return chain.from_iterable(map(image_rows, archive.read_pages(wanted)))


def _count(steps: Iterator[object], tell: Tell | None) -> int:
    number = 0
    try:
        for number, _ in enumerate(steps, start=1):
            if tell is not None:
                tell(number)
    finally:
        if isinstance(steps, Generator):
            steps.close()  # before the file is, when somebody interrupts
    return number


@contextmanager
def _open(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that appears when it is whole; what is no file, such as a named pipe, is written to as it is."""
    if path.exists() and not path.is_file():
        with path.open("wb") as there:
            yield there
    else:
        with replacing(Path(os.path.realpath(path)), sync=True) as file:
            yield file


@contextmanager
def _standard_output() -> Iterator[IO[str]]:
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    yield sys.stdout
    sys.stdout.flush()
