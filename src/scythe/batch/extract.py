"""Extract one unit: a unit and a folder come in, Parquet files and a report of exact counts go out.

This is the function that every engine calls, on this machine or on others. Rows depend on the files of the unit, the
options and the profiles, and on nothing else: not on the clock, the other units, or who runs it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from scythe.batch.captures import Capture, Found, read_captures
from scythe.batch.codecs import Codecs
from scythe.batch.options import BatchOptions
from scythe.batch.output import TableFiles, forget, read_manifest, write_manifest
from scythe.batch.profiles import ProfileFolder, site_of
from scythe.batch.report import FAILURES, Failure, UnitReport
from scythe.batch.unit import Unit
from scythe.crawling.bounds import describe
from scythe.crawling.extraction import is_cold
from scythe.errors import ScytheError
from scythe.extracting.harvest import Harvester
from scythe.learn.thrift import Thrift
from scythe.model import Document, Metadata
from scythe.page.said import read_said
from scythe.reader import read

# what a bug of ours raises on one page of millions, which must not stop a file; what memory raises ends the process
_BUGS = (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
_KINDS = 200  # of reasons that are told apart
_SITES = 64  # of a unit whose rules are kept ready; making them so takes 0.1 ms
_VAIN = 3  # trees that lack an optional field, for one reason, before others are spared: parts have few pages of a site
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
    report = _Extraction(unit, out, options, blamed, note).run()
    write_manifest(report, out, options)
    return report


class _Extraction:
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
        self._reader = _Reader(options)
        self._skipped: Counter[str] = Counter()
        self._failures: list[Failure] = []
        self._failed = self._body_bytes = 0
        self._how: Counter[str] = Counter()
        self._fields: Counter[str] = Counter()

    def run(self) -> UnitReport:
        began = time.process_time()
        found, options = Found(), self._options
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
                self._failures.append(Failure(capture.offset or capture.number, why, capture.url))

    def _extract(self, capture: Capture, files: TableFiles) -> str:
        """Add the rows of one page; return why it could not be extracted, or nothing."""
        try:
            document, said = self._reader.read(capture)
            for part in self._options.parts:
                getattr(document, part)  # before a row is begun
        except ScytheError as error:
            return f"could not be extracted: {error}"
        except _BUGS as error:
            return f"could not be extracted: {describe(error)}"
        files.add(document, _origin(capture), said)
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


class _Reader:
    """Reads pages, by the rules of their sites where there are some. What it learns on the way ends with the unit."""

    def __init__(self, options: BatchOptions) -> None:
        self._folder = ProfileFolder(options.profiles) if options.profiles is not None else None
        self._codecs = Codecs()
        self._harvesters: dict[str, Harvester | None] = {}

    @property
    def profiles(self) -> dict[str, str]:
        """The profiles that pages were looked for in, by site."""
        return dict(self._folder.used) if self._folder is not None else {}

    def read(self, capture: Capture) -> tuple[Document, Metadata | None]:
        """Return what a page holds, and what its head says where the document does not have it."""
        harvester = self._harvester(capture.url)
        if harvester is None:
            return read(capture.body, capture.url or None, content_type=capture.content_type), None
        body = self._codecs.to_utf8(capture.body, capture.content_type, capture.url)
        document = harvester.harvest(body, capture.url, "auto").document
        return document, None if is_cold(document) else read_said(body, capture.url)

    def _harvester(self, url: str) -> Harvester | None:
        if self._folder is None:
            return None
        key = site_of(url)
        if key not in self._harvesters:
            if len(self._harvesters) >= _SITES:
                self._harvesters.pop(next(iter(self._harvesters)))
            profile = self._folder.profile_for(url)
            # not `Site.extract`: it keeps watch over its rules, which takes as long as cutting does
            self._harvesters[key] = Harvester(profile, profile.fields, None, Thrift(_VAIN)) if profile else None
        return self._harvesters[key]


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
