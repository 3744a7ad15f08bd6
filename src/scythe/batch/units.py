"""Split the inputs of a batch into units of work of similar size, and count their results.

A unit is a WARC file, a part of a large one, or some HTML files. Its name depends only on path and position, so that a
later run recognises what is done.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from glob import glob, has_magic
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from scythe.errors import BadInput
from scythe.fetch.inputs import PAGE_SUFFIXES
from scythe.output.document_writers import safe_name
from scythe.site.learning_cost import LearningCost

if TYPE_CHECKING:
    from scythe.batch.learn_sites import LearnReport

PART_BYTES = 64_000_000  # of a large compressed WARC at most: some 4 000 pages, ten seconds of work
_LEAST_BYTES = 8_000_000  # a shorter part is not worth files of its own
_PARTS = 16  # of one file at least, as long as they are not shorter: the last ones keep fewer workers waiting
_LARGE = 1.5  # parts; a shorter file is not split
_FILES = 500  # HTML files of one unit
_NAME_CHARS = 80
_WARC_SUFFIXES = (".warc", ".warc.gz")


@dataclass(frozen=True, slots=True)
class Unit:
    """What one worker reads at a time: the records of a WARC file that begin in [begin, end), or some HTML files."""

    path: str  # of the WARC file, or the folder that the HTML files are in
    name: str  # stable and safe: of the files that are written
    begin: int = 0
    end: int | None = None  # None: up to the end of the file
    files: tuple[str, ...] = ()  # HTML files by their whole paths; empty: a WARC file


def sign_unit(unit: Unit) -> list[list[int]]:
    """Return what changes where the files of a unit do."""
    signs = []
    for name in unit.files or (unit.path,):
        try:
            stat = Path(name).stat()
            signs.append([stat.st_size, stat.st_mtime_ns])
        except OSError:
            signs.append([])
    return signs


def plan_units(inputs: Iterable[str], part_bytes: int = PART_BYTES) -> list[Unit]:
    """Return the units of files, folders and patterns, each file once. Raises BadInput where there is nothing."""
    warcs: dict[str, None] = {}
    pages: dict[str, list[str]] = {}
    for given in inputs:
        for path in _find(given):
            whole = str(path.resolve())
            if is_warc(path):
                warcs[whole] = None
            else:
                pages.setdefault(str(Path(whole).parent), []).append(whole)
    units = [unit for path in warcs for unit in _split(path, part_bytes)]
    return units + [unit for folder, files in pages.items() for unit in _gather(folder, dict.fromkeys(files))]


def is_warc(path: str | Path) -> bool:
    """Say whether a file is one of records, by its name."""
    return str(path).lower().endswith(_WARC_SUFFIXES)


def _find(given: str) -> list[Path]:
    path = Path(given)
    if path.is_dir():
        found = sorted(each for each in path.rglob("*") if _is_wanted(each))
        why = f"no page in this folder ({', '.join((*_WARC_SUFFIXES, *sorted(PAGE_SUFFIXES)))} are read)"
    elif path.exists():
        found, why = [path], ""
    else:
        found = sorted(Path(match) for match in glob(given, recursive=True) if Path(match).is_file())
        why = "no file matches this pattern" if has_magic(given) else "no such file"
    if not found:
        raise BadInput(f"{given}: {why}")
    return found


def _is_wanted(path: Path) -> bool:
    return (is_warc(path) or path.suffix.lower() in PAGE_SUFFIXES) and path.is_file()


def _split(path: str, part_bytes: int) -> Iterator[Unit]:
    """Yield the parts of a file. Where records begin is found by whoever reads a part: nothing is read here.

    Only compressed files are split: there, a record begins with a magic number and unpacks to `WARC/`, which nothing
    else does. In a plain file a page may hold the beginning of a record.
    """
    stem = _stem(path)
    size = Path(path).stat().st_size
    part_bytes = min(part_bytes, max(size // _PARTS, _LEAST_BYTES))
    if not path.lower().endswith(".gz") or size < _LARGE * part_bytes:
        yield Unit(path, stem)
        return
    begins = range(0, size - part_bytes // 2, part_bytes)  # the last one takes a short rest along
    for begin in begins:
        end = begin + part_bytes if begin != begins[-1] else None
        yield Unit(path, f"{stem}-{begin:012d}", begin, end)


def _gather(folder: str, files: Iterable[str]) -> Iterator[Unit]:
    waiting, stem = iter(files), _stem(folder)
    while some := tuple(islice(waiting, _FILES)):
        yield Unit(folder, f"{stem}-{_digest(some)}", files=some)


def _stem(path: str) -> str:
    """Return a name for a path that no other path has, which can be used on any system."""
    name = Path(path).name
    for suffix in (".gz", ".warc"):
        name = name.removesuffix(suffix)
    return f"{safe_name(name, 'part')[:_NAME_CHARS]}-{_digest((path,))}"


def _digest(texts: Sequence[str]) -> str:
    return blake2b("\0".join(texts).encode("utf-8", "surrogateescape"), digest_size=4).hexdigest()


FAILURES = 100  # of one unit that are told one by one; all are counted


@dataclass(frozen=True, slots=True)
class FailedCapture:
    """One record, or HTML file, that gave no row though it should have."""

    offset: int  # of the record in the WARC file, or number of the file in its unit
    why: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class UnitReport:
    """What came of one unit: responses = documents + skipped + failed."""

    unit: Unit
    responses: int = 0  # HTTP responses, or HTML files
    documents: int = 0  # rows, one for each page
    images: int = 0
    records: int = 0
    skipped: dict[str, int] = field(default_factory=dict)  # responses that are no pages, by reason
    others: dict[str, int] = field(default_factory=dict)  # WARC records that are no responses, by type
    failed: int = 0
    failures: tuple[FailedCapture, ...] = ()  # the first ones
    damaged: int = 0  # stretches of the file in which no record could be read
    damages: tuple[FailedCapture, ...] = ()  # the first ones
    how: dict[str, int] = field(default_factory=dict)  # documents by way: cut by rules, mixed, tree, cold (unlearned)
    fields: dict[str, int] = field(default_factory=dict)  # of learned pages, and records: cut, tree, missing
    body_bytes: int = 0  # of pages, unpacked
    cpu_s: float = 0.0
    cost: LearningCost = field(default_factory=LearningCost)  # of its pages, read and cut
    files: dict[str, int] = field(default_factory=dict)  # written: size by path below the output folder
    profiles: dict[str, str] = field(default_factory=dict)  # digest of the profile by site; "": there was none
    why: str = ""  # the unit failed as a whole: nothing was written
    resumed: bool = False  # done by an earlier run


@dataclass(frozen=True, slots=True)
class BatchReport:
    """What came of all units."""

    units: tuple[UnitReport, ...]
    seconds: float = 0.0  # of extracting, in this run
    learned: LearnReport | None = None  # None: nothing was looked for

    def total(self, name: str) -> int:
        """Return the sum of a count over all units."""
        return sum(getattr(unit, name) for unit in self.units)

    def by_kind(self, name: str) -> Counter[str]:
        """Return the sums of counts by reason or kind: skipped, others, how, fields."""
        return _sum(getattr(unit, name) for unit in self.units)

    @property
    def cpu_s(self) -> float:
        return sum(unit.cpu_s for unit in self.units if not unit.resumed)

    @property
    def cost(self) -> LearningCost:
        """What learning has cost and saved in this run."""
        fresh = (unit.cost for unit in self.units if not unit.resumed)
        learned = self.learned
        return sum(fresh, learned.cost if learned is not None and not learned.resumed else LearningCost())

    @property
    def fresh_documents(self) -> int:
        """How many rows this run wrote itself."""
        return sum(unit.documents for unit in self.units if not unit.resumed)

    @property
    def broken(self) -> list[UnitReport]:
        """The units that failed as a whole."""
        return [unit for unit in self.units if unit.why]

    def cut_share(self) -> float | None:
        """Return the share of the fields of learned pages that were cut out of bytes; None where none were learned."""
        fields = self.by_kind("fields")
        asked = fields["cut"] + fields["tree"]
        return fields["cut"] / asked if asked else None


def _sum(counts: Iterable[dict[str, int]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return total
