"""Arrivals in files: a CSV of `site,unix_time` (packed as .xz or not) comes in, one trace a list goes out."""

from __future__ import annotations

import csv
import json
import lzma
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from scythe.errors import BadInput
from scythe.limits import LIMITS

SUFFIXES = (".csv", ".csv.xz")
META = "meta.json"  # beside the files: {"NAME": {"P": 30}}, the records each list shows
_LATEST = 253_402_300_800.0  # the year 10000
_SHOWN_MOST = 1_000_000


@dataclass(frozen=True, slots=True)
class Trace:
    """When the records of one list came, and how many of them it shows."""

    name: str
    shown: int
    arrivals: tuple[float, ...]  # seconds since 1970, UTC, sorted


def read_traces(path: Path, shown: int | None = None) -> list[Trace]:
    """Read a file, or all those of a folder; `shown` holds where no meta.json says how many records a list shows.

    A file with several sites gives a trace for each; a file with one is called what the file is. Raise BadInput with
    the line where a file is none, and where it is not known how many records a list shows.
    """
    files = _files(path)
    meta = _read_meta((path if path.is_dir() else path.parent) / META)
    traces = []
    for file in files:
        for name, arrivals in _read_file(file).items():
            said = meta.get(name, shown)
            if said is None:
                raise BadInput(
                    f"{file}: how many records {name!r} shows is not known: neither --shown nor {META} says it"
                )
            traces.append(Trace(name, said, arrivals))
    return traces


def write_trace(path: Path, name: str, arrivals: Sequence[float]) -> None:
    """Write arrivals as `site,unix_time`, packed where the name ends in .xz."""
    with _open(path, "wt") as handle:
        rows = csv.writer(handle, lineterminator="\n")
        rows.writerow(("site", "unix_time"))
        rows.writerows((name, int(at) if float(at).is_integer() else at) for at in arrivals)


def name_of(path: Path) -> str:
    """Return what a file of arrivals is called, without its suffixes."""
    return path.name.removesuffix(".xz").removesuffix(".csv")


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        if not path.is_file():
            raise BadInput(f"{path}: there is no such file or folder")
        return [path]
    files = sorted(file for file in path.iterdir() if file.name.endswith(SUFFIXES))
    if not files:
        raise BadInput(f"{path}: no file here ends in {' or '.join(SUFFIXES)}")
    if len(files) > LIMITS.traces:
        raise BadInput(f"{path}: {len(files)} traces, more than {LIMITS.traces}")
    return files


def _open(path: Path, mode: str) -> TextIO:
    if path.name.endswith(".xz"):
        return lzma.open(path, mode, encoding="utf-8", newline="")  # type: ignore[return-value]  # text, by the mode
    return path.open(mode, encoding="utf-8", newline="")  # type: ignore[return-value]


def _read_file(path: Path) -> dict[str, tuple[float, ...]]:
    """Return the arrivals of each site in a file, sorted."""
    found: dict[str, list[float]] = {}
    try:
        with _open(path, "rt") as handle:
            for site, at in _rows(path, handle):
                found.setdefault(site, []).append(at)
    except (OSError, EOFError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: cannot be read: {error}") from None
    if not found:
        raise BadInput(f"{path}: holds no arrivals")
    named = {name_of(path): times for times in found.values()} if len(found) == 1 else found
    return {site: tuple(sorted(times)) for site, times in named.items()}


def _rows(path: Path, handle: TextIO) -> Iterator[tuple[str, float]]:
    """Yield site and time of every line; a first line without a number is a header."""
    count = 0
    for number, line in enumerate(iter(lambda: handle.readline(LIMITS.trace_line_chars + 1), ""), 1):
        if len(line) > LIMITS.trace_line_chars:
            raise BadInput(f"{path}, line {number}: is longer than {LIMITS.trace_line_chars} characters")
        site, at = _split(line)
        if at is None:
            if number > 1 and line.strip():
                raise BadInput(f"{path}, line {number}: expected site,unix_time, found {line.strip()[:60]!r}")
            continue
        count += 1
        if count > LIMITS.trace_arrivals:
            raise BadInput(f"{path}, line {number}: more than {LIMITS.trace_arrivals} arrivals")
        yield site, at


def _split(line: str) -> tuple[str, float | None]:
    """Return the site and the time of a line; None where the last column is no time."""
    site, _, written = line.strip().rpartition(",")
    try:
        at = float(written)
    except ValueError:
        return site, None
    return site.strip('"'), at if 0 <= at < _LATEST else None


def _read_meta(path: Path) -> dict[str, int]:
    """Return the records that each list shows, as far as a file says so."""
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise BadInput(f"{path}: cannot be read: {error}") from None
    if not isinstance(told, dict):
        raise BadInput(f"{path}: expected an object with a P for each list")
    shown = {}
    for name, said in told.items():
        count = said.get("P") if isinstance(said, dict) else None
        if type(count) is not int or not 1 <= count <= _SHOWN_MOST:
            raise BadInput(f"{path}: P of {name!r} is not a number of records: {count!r}")
        shown[name] = count
    return shown
