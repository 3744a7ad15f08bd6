"""Extract one unit into Parquet files and a manifest; every engine calls this.

Rows depend only on the files, options and profiles. The manifest is written last, so a unit that has one is done. Pages
are converted to UTF-8, so that one set of rules serves a site.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from scythe.atomic_files import replacing, write_atomically
from scythe.batch.batch_options import BatchOptions
from scythe.batch.captures import Capture, UnitContents, read_captures
from scythe.batch.units import FAILURES, FailedCapture, Unit, UnitReport, sign_unit
from scythe.engine.worker_protocol import describe
from scythe.errors import ScytheError
from scythe.method_parameters import split_methods
from scythe.model import Document
from scythe.output.arrow_tables import TableBuilder
from scythe.reader import read
from scythe.site.extract import Extractor
from scythe.site.learning_cost import LearningCost
from scythe.site.profile_folder import ProfileFolder, site_of
from scythe.site.rules import Profile
from scythe.version import version

TABLES = ("documents", "images", "records")
DONE = "_done"
_LEVEL = 1  # of zstd: level 3 takes twice the time for files that are 8 % shorter
_VERSION = 1  # of the manifest


class TableFiles:
    """The files of one unit, open for writing; a context that leaves nothing behind when it ends early."""

    def __init__(self, unit: Unit, out: Path, options: BatchOptions) -> None:
        self._unit, self._out = unit, out
        tables = [name for name in TABLES if name == "documents" or name in options.parts]
        kept = [part for part in options.parts if part not in TABLES]
        self._builder = TableBuilder(tables, kept, extra=_origin_output(), keys=("file", "offset"))
        self._files = ExitStack()
        self._writers: dict[str, Any] = {}
        self.rows = dict.fromkeys(TABLES, 0)

    def __enter__(self) -> TableFiles:
        self._files.__enter__()
        return self

    def __exit__(self, *why: Any) -> None:
        for writer in self._writers.values():
            writer.is_open = False  # it would end its file when it is forgotten, which is gone by then
        self._files.__exit__(*why)

    def add(self, document: Document, origin: Mapping[str, object]) -> None:
        """Add the rows of one document."""
        self._builder.add(document, origin)
        if self._builder.is_full:
            self._flush()

    def finish(self) -> dict[str, int]:
        """Put the files in their places; return their sizes by path below the output folder."""
        self._flush()
        for writer in self._writers.values():
            writer.close()
        self._files.close()
        names = {table: f"{table}/{self._unit.name}.parquet" for table in TABLES}
        for table in TABLES:
            if table not in self._writers:
                (self._out / names[table]).unlink(missing_ok=True)  # of a run that was told otherwise
        return {names[table]: (self._out / names[table]).stat().st_size for table in self._writers}

    def _flush(self) -> None:
        for table, batch in self._builder.take().items():
            self.rows[table] += batch.num_rows
            self._writer(table).write_batch(batch)

    def _writer(self, table: str) -> Any:
        if table not in self._writers:
            from pyarrow import parquet

            folder = self._out / table
            folder.mkdir(parents=True, exist_ok=True)
            file = self._files.enter_context(replacing(folder / f"{self._unit.name}.parquet", sync=True))
            schema = self._builder.schemas[table]
            self._writers[table] = parquet.ParquetWriter(file, schema, compression="zstd", compression_level=_LEVEL)
        return self._writers[table]


def _origin_output() -> dict[str, Any]:
    """Return the columns that say where a row comes from."""
    import pyarrow as pa

    columns = dict.fromkeys(("site", "content_type", "digest", "truncated", "file"), pa.string())
    return columns | {"offset": pa.int64(), "status": pa.int32(), "fetched_at": pa.timestamp("us", "UTC")}


def read_manifest(unit: Unit, out: Path, options: BatchOptions) -> UnitReport | None:
    """Return what came of a unit in an earlier run; None where it is to be done (again)."""
    try:
        kept = json.loads(_manifest(unit, out).read_bytes())
        if kept["version"] != _VERSION or kept["input"] != _input_of(unit) or kept["options"] != _digest(options):
            return None
        report = replace(msgspec.convert(kept["report"], UnitReport), resumed=True)
        are_there = all((out / name).stat().st_size == size for name, size in report.files.items())
    except (OSError, ValueError, KeyError, TypeError, msgspec.ValidationError):  # none that this version wrote
        return None
    folder = ProfileFolder(options.profiles) if options.profiles is not None else None
    is_same = all((folder.digest_of(site) if folder else "") == known for site, known in report.profiles.items())
    return report if are_there and is_same else None


def write_manifest(report: UnitReport, out: Path, options: BatchOptions) -> None:
    """Say that a unit is done, and what came of it."""
    kept = {"version": _VERSION, "input": _input_of(report.unit), "options": _digest(options)}
    path = _manifest(report.unit, out)
    path.parent.mkdir(parents=True, exist_ok=True)
    plain = kept | {"report": msgspec.to_builtins(replace(report, resumed=False))}
    write_atomically(path, json.dumps(plain, ensure_ascii=False, indent=1).encode("utf-8", "replace"))


def forget(unit: Unit, out: Path) -> None:
    """Take back that a unit is done, before its files are written anew."""
    _manifest(unit, out).unlink(missing_ok=True)


def _manifest(unit: Unit, out: Path) -> Path:
    return out / DONE / f"{unit.name}.json"


def _input_of(unit: Unit) -> dict[str, Any]:
    """Return what tells whether the files of a unit are still those that were read."""
    return {"unit": msgspec.to_builtins(unit) | {"files": list(unit.files)}, "signs": sign_unit(unit)}


def _digest(options: BatchOptions) -> str:
    """Return what tells options from others that give other rows. Profiles are compared by what is in them."""
    told = {name: getattr(options, name) for name in ("parts", "address", "page_bytes")} | {"scythe": version()}
    return blake2b(json.dumps(told, sort_keys=True).encode(), digest_size=8).hexdigest()


# what a bug of ours raises on one page of millions, which must not stop a file; what memory raises ends the process
_BUGS = (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
_KINDS = 200  # of reasons that are told apart
_SITES = 64  # of a unit whose rules are kept ready; making them so takes 0.1 ms
_WAYS = ("cut", "tree", "missing")
_NOTHING: Mapping[int, str] = {}


def extract_unit(
    unit: Unit,
    out: str | Path,
    options: BatchOptions,
    *,
    blamed: Mapping[int, str] = _NOTHING,
    note: Callable[[int], None] | None = None,
) -> UnitReport:
    """Extract a unit into `out`, unless an earlier run did, and return what came of it.

    `blamed` has numbers of captures that ended a process, with how: they are left out and told as failed. `note` is
    called with the number of every capture before it is extracted. Raises OSError where a file cannot be read or
    written.
    """
    out = Path(out)
    done = read_manifest(unit, out, options)
    if done is not None:
        return done
    forget(unit, out)
    report = _UnitExtraction(unit, out, options, blamed, note).run()
    write_manifest(report, out, options)
    return report


class _UnitExtraction:
    """The extraction of one unit."""

    def __init__(
        self,
        unit: Unit,
        out: Path,
        options: BatchOptions,
        blamed: Mapping[int, str],
        note: Callable[[int], None] | None,
    ) -> None:
        self._unit, self._out, self._options = unit, out, options
        self._blamed, self._note = blamed, note
        self._reader = _UnitReader(options)
        self._skipped: Counter[str] = Counter()
        self._failures: list[FailedCapture] = []
        self._failed = self._body_bytes = 0
        self._how: Counter[str] = Counter()
        self._fields: Counter[str] = Counter()

    def run(self) -> UnitReport:
        began = time.process_time()
        found, options = UnitContents(), self._options
        with TableFiles(self._unit, self._out, self._options) as files:
            for capture in read_captures(
                self._unit, page_bytes=options.page_bytes, address=options.address, found=found
            ):
                self._take(capture, files)
            if self._note is not None:
                self._note(-1)
            written = files.finish()
        return UnitReport(
            self._unit,
            responses=found.captures,
            documents=files.rows["documents"],
            images=files.rows["images"],
            records=files.rows["records"],
            skipped=dict(self._skipped),
            others=dict(found.others),
            failed=self._failed,
            failures=tuple(self._failures),
            damaged=found.damaged,
            damages=tuple(found.damages),
            how=dict(self._how),
            fields=dict(self._fields),
            body_bytes=self._body_bytes,
            cpu_s=round(time.process_time() - began, 3),
            cost=self._reader.cost,
            files=written,
            profiles=self._reader.profiles,
        )

    def _take(self, capture: Capture, files: TableFiles) -> None:
        """Add the rows of one capture, or count why there are none."""
        why = capture.why or self._blamed.get(capture.number, "")
        if capture.why and not capture.is_bad:
            self._skipped[why if why in self._skipped or len(self._skipped) < _KINDS else "another reason"] += 1
            return
        if not why:
            if self._note is not None:
                self._note(capture.number)
            why = self._extract(capture, files)
        if why:
            self._failed += 1
            if len(self._failures) < FAILURES:
                self._failures.append(FailedCapture(capture.offset or capture.number, why, capture.url))

    def _extract(self, capture: Capture, files: TableFiles) -> str:
        """Add the rows of one page; return why it could not be extracted, or nothing."""
        try:
            document = self._reader.read(capture)
            for part in self._options.parts:
                getattr(document, part)  # before a row is begun
        except ScytheError as error:
            return f"could not be extracted: {error}"
        except _BUGS as error:
            return f"could not be extracted: {describe(error)}"
        files.add(document, _origin(capture))
        self._body_bytes += len(capture.body)
        self._count_ways(document)
        return ""

    def _count_ways(self, document: Document) -> None:
        """Take note of how the fields of a page were got, once all parts were asked for."""
        if not document.fields:
            self._how["cold"] += 1
            return
        parts, how = self._options.parts, document.how
        found = set()
        for name in (*document.fields, "records"):
            if (name != "images" and name != "records") or name in parts:
                way = how.get(name, "missing").partition(":")[0]
                if way in _WAYS:
                    self._fields[way] += 1
                found.add(way)
        self._how["cut" if "tree" not in found else "mixed" if "cut" in found else "tree"] += 1


class _UnitReader:
    """Reads pages, by the rules of their sites where there are some. What it learns on the way ends with the unit."""

    def __init__(self, options: BatchOptions) -> None:
        by_rules = options.profiles is not None and not options.methods
        self._folder = ProfileFolder(options.profiles) if by_rules and options.profiles is not None else None
        self._parts = options.parts
        self._methods = split_methods(options.methods)
        self.cost = LearningCost()
        self._extractors: dict[str, Extractor | None] = {}

    @property
    def profiles(self) -> dict[str, str]:
        """The profiles that pages were looked for in, by site."""
        return dict(self._folder.used) if self._folder is not None else {}

    def read(self, capture: Capture) -> Document:
        """Return what a page holds."""
        extractor = self._extractor(capture.url)
        began = time.process_time()
        if extractor is None:
            text, records = self._methods
            url = capture.url or None
            document = read(capture.body, url, method=text, content_type=capture.content_type, record_method=records)
            self.cost += LearningCost(read=1, read_s=time.process_time() - began)
            return document
        body = capture.in_utf8()
        page = extractor.extract_page(body, capture.url, "auto")
        spent = time.process_time() - began
        is_cut = page.cold is None
        self.cost += LearningCost(cut=1, cut_s=spent) if is_cut else LearningCost(read=1, read_s=spent)
        return page.document

    def _extractor(self, url: str) -> Extractor | None:
        if self._folder is None:
            return None
        key = site_of(url)
        if key not in self._extractors:
            if len(self._extractors) >= _SITES:
                self._extractors.pop(next(iter(self._extractors)))
            profile = self._folder.profile_for(url)
            # not `Site.extract`: it learns from pages on the way, so that units would depend on their order
            self._extractors[key] = Extractor(profile, self._asked(profile)) if profile else None
        return self._extractors[key]

    def _asked(self, profile: Profile) -> tuple[str, ...]:
        """Return the fields to extract: a row has every one of them, and images and records take the longest."""
        return tuple(name for name in profile.fields if name not in ("images", "records") or name in self._parts)


def _origin(capture: Capture) -> dict[str, object]:
    return {
        "site": site_of(capture.url),
        "content_type": capture.content_type,
        "digest": capture.digest or None,
        "truncated": capture.truncated or None,
        "file": capture.file,
        "offset": capture.offset,
        "status": capture.status,
        "fetched_at": _moment(capture.date),
    }


def _moment(text: str) -> datetime | None:
    """Return when a record says it was made, in UTC; None where it does not."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
