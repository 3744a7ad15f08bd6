"""Load page sets with ground truth: a folder or a file of JSON lines comes in, cases of one metric go out."""

from __future__ import annotations

import gzip
import json
import lzma
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any, TypeVar

from bench.scoring import METRICS, Truth
from bench.site_names import site_of
from scythe.errors import BadInput

Row = TypeVar("Row")
SUFFIXES = (".jsonl.xz", ".jsonl.gz", ".jsonl")


@dataclass(frozen=True, slots=True)
class Case:
    """One page and what it should give."""

    id: str
    url: str | None
    html: str
    truth: Truth
    site: str = ""  # as `site_of` names it


@dataclass(frozen=True, slots=True)
class PageSet:
    """Pages that are scored together, all by one metric."""

    name: str
    metric: str
    cases: tuple[Case, ...]


def find_sets(data: Path, folder: str = "text") -> list[Path]:
    """Return the files of page sets at `data`: itself, those in its folder, or those in it. Raises BadInput."""
    if data.is_file():
        if not data.name.endswith(SUFFIXES):
            raise BadInput(f"{data} is no page set: expected a file ending in {', '.join(SUFFIXES)}")
        return [data]
    if not data.is_dir():
        raise BadInput(f"there is no file or folder {data}")
    for place in (data / folder, data):
        files = sorted(path for path in place.glob("*.jsonl*") if path.name.endswith(SUFFIXES))
        if files:
            return files
    raise BadInput(f"{data} holds no page sets: expected files such as {folder}/NAME.jsonl.xz")


def load_set(path: Path, *, limit: int | None = None) -> PageSet:
    """Read the first `limit` pages of a set. Raises BadInput, with the line, for anything but pages of one metric."""
    cases = tuple(islice(read_rows(path, _case), limit))
    if not cases:
        raise BadInput(f"{path} holds no pages")
    metrics = {case.truth.metric for case in cases}
    if len(metrics) > 1:
        raise BadInput(f"{path} mixes the metrics {', '.join(sorted(metrics))}: one set is scored by one metric")
    return PageSet(set_name(path), metrics.pop(), cases)


def set_name(path: Path) -> str:
    """Return the name of a page set: its file without the suffix."""
    return next(path.name.removesuffix(suffix) for suffix in SUFFIXES if path.name.endswith(suffix))


def _open(path: Path) -> IO[str]:
    if path.suffix == ".xz":
        return lzma.open(path, "rt", encoding="utf-8")
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8")
    return path.open(encoding="utf-8")


def read_rows(path: Path, make: Callable[[dict[str, Any], str], Row]) -> Iterator[Row]:
    """Yield what `make(row, place)` makes of each line. Raises BadInput, with the line, where it cannot."""
    number = 0
    try:
        with _open(path) as lines:
            for number, line in enumerate(lines, 1):
                row = json.loads(line)
                if not isinstance(row, dict):
                    raise TypeError(f"expected an object, got {type(row).__name__}")
                yield make(row, f"{path.name}:{number}")
    except (OSError, EOFError, lzma.LZMAError, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path}, after {number} lines: {type(error).__name__}: {error}") from error


def _case(row: dict[str, Any], place: str) -> Case:
    metric = row.get("metric")
    if metric not in METRICS:
        raise ValueError(f"metric is {metric!r}, expected one of {', '.join(METRICS)}")
    if metric == "chunks":
        truth = Truth(metric, must=tuple(row["must"]), must_not=tuple(row["must_not"]))
    else:
        truth = Truth(metric, gold=str(row["gold"]))
    url, name = row.get("url"), str(row.get("id", place))
    site = site_of(str(url or ""), str(row.get("site") or ""), name)
    return Case(name, str(url) if url else None, str(row["html"]), truth, site)
