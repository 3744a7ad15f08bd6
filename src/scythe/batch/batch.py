"""The story of a batch: `run_batch` plans units, learns sites, extracts and reports.

inputs -> units -> those not done yet -> sites learned from samples -> units extracted -> report

An interrupted run is resumed by the next one: finished units have a manifest.
"""

from __future__ import annotations

import fcntl
import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from scythe.batch.batch_options import BatchOptions
from scythe.batch.captures import require_warc
from scythe.batch.extract_unit import DONE, TABLES, read_manifest
from scythe.batch.learn_sites import LearnReport, learn_profiles
from scythe.batch.units import BatchReport, Unit, UnitReport, plan_units
from scythe.errors import BadInput
from scythe.output.arrow_tables import require_arrow

_PROFILES = "profiles"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is."""

    doing: str  # "learning" or "extracting"
    units: int  # in all
    done: int = 0
    pages: int = 0  # extracted by this run, about
    seconds: float = 0.0  # of extracting


Watch = Callable[[Progress], None]


def run_batch(
    inputs: Iterable[str], out: str | Path, options: BatchOptions | None = None, *, watch: Watch | None = None
) -> BatchReport:
    """Extract WARC files, HTML files, folders and patterns of them into Parquet tables below `out`.

    Sites that have no profile in `options.profiles` (`out`/profiles where it is None) are learned first, unless
    `options.learn` is False. `watch` is told how it goes, some times a second. What went wrong with single files and
    pages is in the report. Raises BadInput where there is nothing to read or another run is under way in `out`,
    MissingExtra where a package is missing, OSError where `out` cannot be written.
    """
    require_arrow()
    require_warc()
    options = options or BatchOptions()
    units = plan_units([inputs] if isinstance(inputs, str) else inputs)
    out = Path(out)
    (out / DONE).mkdir(parents=True, exist_ok=True)
    if options.profiles is None and options.learn:
        options = replace(options, profiles=str((out / _PROFILES).resolve()))
    with _alone_in(out), _engine(options).cluster(options):  # from the first unit that is looked through to the last
        _tidy(units, out)
        return _Run(units, out, options, watch).run()


class _Run:
    """One run over all units."""

    def __init__(self, units: Sequence[Unit], out: Path, options: BatchOptions, watch: Watch | None) -> None:
        self._units, self._out, self._options = units, out, options
        self._watch = watch or (lambda _: None)
        self._reports: dict[str, UnitReport] = {}
        self._began = time.monotonic()
        self._pages = 0

    def run(self) -> BatchReport:
        self._take_up()
        learned = None
        if self._options.learn and len(self._reports) < len(self._units):
            learned = self._learn()
        self._began = time.monotonic()
        waiting = [unit for unit in self._units if unit.name not in self._reports]
        run_units = _engine(self._options).run_units
        for report in run_units(waiting, self._out, self._options, self._tell) if waiting else ():
            self._reports[report.unit.name] = report
            self._tell(self._pages)
        seconds = time.monotonic() - self._began
        return BatchReport(tuple(self._reports[unit.name] for unit in self._units), seconds, learned)

    def _take_up(self) -> None:
        """Find out what earlier runs did."""
        for unit in self._units:
            done = read_manifest(unit, self._out, self._options)
            if done is not None:
                self._reports[unit.name] = done

    def _learn(self) -> LearnReport:
        self._watch(Progress("learning", len(self._units), len(self._reports)))
        assert self._options.profiles is not None
        return learn_profiles(
            self._units, self._options.profiles, self._options, _engine(self._options).spread(self._options)
        )

    def _tell(self, pages: int) -> None:
        fresh = sum(report.documents for report in self._reports.values() if not report.resumed)
        self._pages = max(pages, fresh)
        seconds = time.monotonic() - self._began
        self._watch(Progress("extracting", len(self._units), len(self._reports), self._pages, seconds))


def _engine(options: BatchOptions) -> Any:
    """Return the module with the engine that is wanted."""
    return import_module(f"scythe.batch.{options.engine}_engine")


@contextmanager
def _alone_in(out: Path) -> Iterator[None]:
    """Hold the output folder as long as a run goes, so that no other clears up what this one writes."""
    with (out / DONE / ".lock").open("wb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BadInput(f"{out}: another batch is writing there") from None
        yield


def _tidy(units: Sequence[Unit], out: Path) -> None:
    """Remove what killed runs left behind, and the rows of parts that a file no longer has."""
    for folder in (*TABLES, DONE):
        for left in (out / folder).glob(".*.unfinished"):
            left.unlink(missing_ok=True)
    planned, paths = {unit.name for unit in units}, {unit.path for unit in units if not unit.files}
    for manifest in (out / DONE).glob("*.json"):
        if manifest.stem not in planned and _path_of(manifest) in paths:
            manifest.unlink()
            for table in TABLES:
                (out / table / f"{manifest.stem}.parquet").unlink(missing_ok=True)


def _path_of(manifest: Path) -> str:
    try:
        return str(json.loads(manifest.read_bytes())["input"]["unit"]["path"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""
