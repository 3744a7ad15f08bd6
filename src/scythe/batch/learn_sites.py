"""Learn the sites of a batch from a sample of their pages before it is extracted.

Units are scanned in parallel for pages of sites without a profile, then sites are learned in parallel. The same input
gives the same profiles in any order, and finished steps are not repeated.
"""

from __future__ import annotations

import heapq
import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import groupby, islice
from pathlib import Path
from shutil import rmtree
from typing import IO, Any, NamedTuple, Protocol

import msgspec

from scythe.atomic_files import replacing, write_atomically
from scythe.batch.batch_options import BatchOptions
from scythe.batch.captures import read_captures
from scythe.batch.units import Unit, is_warc, sign_unit
from scythe.engine.sampling import kind_of
from scythe.errors import BadInput
from scythe.site.learning_cost import LearningCost
from scythe.site.profile_folder import ProfileFolder, site_of
from scythe.site.site import Site

SAMPLE_BYTES = 2_000_000  # of a page that is learned from: learning takes some seconds a megabyte
_KINDS = 64  # kinds of addresses of one site; sites have some ten
_OF_A_KIND = 24  # pages kept of each
_FAN_IN = 256  # lists read at a time: systems let a process open some thousand files


class PagePlace(NamedTuple):
    """Where a page stands."""

    rank: str  # by which pages are chosen: a digest of the address
    url: str
    file: str
    offset: int  # of the record in its file
    number: int  # of the capture in its unit: for files that can be read only from their beginning


class Sampled(NamedTuple):
    """A page to learn from."""

    url: str
    body: bytes  # in UTF-8


@dataclass(slots=True)
class UrlKindSample:
    """What is known of one kind of address of a site."""

    pages: int = 0
    spots: list[PagePlace] = field(default_factory=list)  # those of the lowest ranks, sorted

    def add(self, pages: int, spots: Iterable[PagePlace]) -> None:
        """Take in more pages."""
        self.pages += pages
        by_rank = {spot.rank: spot for spot in sorted((*self.spots, *spots), reverse=True)}  # of copies the first
        self.spots = sorted(by_rank.values())[:_OF_A_KIND]


@dataclass(slots=True)
class SiteSample:
    """What is known of one site: pages by kind of address."""

    site: str
    kinds: dict[str, UrlKindSample] = field(default_factory=dict)

    @property
    def pages(self) -> int:
        return sum(found.pages for found in self.kinds.values())

    def add(self, kind: str, pages: int, spots: Iterable[PagePlace]) -> None:
        """Take in pages of one kind; of too many kinds those stay whose digests are lowest."""
        self.kinds.setdefault(kind, UrlKindSample()).add(pages, spots)
        if len(self.kinds) > _KINDS:
            del self.kinds[max(self.kinds, key=_rank)]

    def to_line(self) -> str:
        return json.dumps(msgspec.to_builtins(self, order="deterministic")) + "\n"

    @classmethod
    def from_line(cls, line: str) -> SiteSample:
        return msgspec.convert(json.loads(line), cls)


def scan_unit(unit: Unit, options: BatchOptions, folder: Path, profiles: str | Path) -> int:
    """Write down where pages of sites without a profile stand in a unit, unless that was done; return how many."""
    path = folder / f"{unit.name}.jsonl"
    head = json.dumps([msgspec.to_builtins(unit), sign_unit(unit)]) + "\n"
    if path.exists():
        with path.open(encoding="ascii") as lines:
            if lines.readline() == head:
                return sum(SiteSample.from_line(line).pages for line in lines)
    found = _look_through(unit, options, ProfileFolder(profiles))
    with replacing(path) as file:
        file.write(head.encode())
        for _, seen in sorted(found.items()):
            file.write(seen.to_line().encode())
    return sum(seen.pages for seen in found.values())


def _look_through(unit: Unit, options: BatchOptions, profiles: ProfileFolder) -> dict[str, SiteSample]:
    known: dict[str, bool] = {"": True}  # pages of no site are not learned from
    found: dict[str, SiteSample] = {}
    for capture in read_captures(unit, page_bytes=options.page_bytes, address=options.address):
        if capture.why or capture.truncated or len(capture.body) > SAMPLE_BYTES:
            continue
        site = site_of(capture.url)
        if site not in known:
            known[site] = profiles.has(site)
        if not known[site]:
            # a page that was kept twice is one page; HTML files may have but one address between them
            rank = _rank(f"{capture.url}{capture.file}" if unit.files else capture.url)
            spot = PagePlace(rank, capture.url, capture.file, capture.offset, capture.number)
            found.setdefault(site, SiteSample(site)).add(kind_of(capture.url), 1, (spot,))
    return found


def _rank(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def merge_scans(folder: Path, names: Sequence[str]) -> Iterator[SiteSample]:
    """Yield every site of the lists of these units once, sorted."""
    paths = [folder / f"{name}.jsonl" for name in names]
    made: list[Path] = []
    try:
        while len(paths) > _FAN_IN:
            group, paths = paths[:_FAN_IN], paths[_FAN_IN:]
            joined = folder / f".joined-{len(made)}.jsonl"
            made.append(joined)
            with replacing(joined) as file:
                file.write(b"[]\n")
                for seen in _merge(group):
                    file.write(seen.to_line().encode())
            paths.append(joined)
        yield from _merge(paths)
    finally:
        for path in made:
            path.unlink(missing_ok=True)


def _merge(paths: Sequence[Path]) -> Iterator[SiteSample]:
    with ExitStack() as stack:
        files = [stack.enter_context(path.open(encoding="ascii")) for path in paths]
        lists = [_read_list(file) for file in files]
        for site, some in groupby(heapq.merge(*lists, key=lambda seen: seen.site), key=lambda seen: seen.site):
            whole = SiteSample(site)
            for seen in some:
                for kind, found in seen.kinds.items():
                    whole.add(kind, found.pages, found.spots)
            yield whole


def _read_list(lines: IO[str]) -> Iterator[SiteSample]:
    next(lines)  # what the list is of
    return map(SiteSample.from_line, lines)


def read_spots(spots: Sequence[PagePlace], options: BatchOptions) -> list[Sampled]:
    """Return the pages that stand there, in this order; what is there no more is left out."""
    found: dict[PagePlace, Sampled] = {}
    streams: dict[str, dict[int, PagePlace]] = {}  # files that can be read only from their beginning
    for spot in spots:
        if spot.number and not spot.offset and is_warc(spot.file):
            streams.setdefault(spot.file, {})[spot.number] = spot
        else:
            for capture in islice(read_captures(_unit_at(spot), address=options.address), 1):
                found[spot] = Sampled(capture.url, capture.in_utf8())
    for file, wanted in streams.items():
        for capture in read_captures(Unit(file, "")):
            if capture.number in wanted:
                found[wanted[capture.number]] = Sampled(capture.url, capture.in_utf8())
    return [found[spot] for spot in spots if spot in found and found[spot].url == spot.url and found[spot].body]


def _unit_at(spot: PagePlace) -> Unit:
    if is_warc(spot.file):
        return Unit(spot.file, "", spot.offset, spot.offset + 1)
    return Unit(spot.file, "", files=(spot.file,))


MOST = 48  # pages that rules are learned from: learning takes 0.1 s each
_SHARE = 8  # of the pages of a site one in so many is learned from: learning one costs as much as reading ten
_LEAST = 8  # pages, where there are so many
_LOOKED_AT = 2  # times as many that the rules are tried on, and learned from where they do not fit
_BYTES = 16_000_000  # of all pages that one site is learned from
_FAILURES = 1_000  # sites that are told one by one
_SCANS = ".scans"  # folders and files below that of the profiles
_DONE = ".learned.json"


class Spread(Protocol):
    """Do something with all items side by side, in processes or on machines; yield each with what came, or why not."""

    def __call__(
        self, function: Callable[[Any], Any], items: Iterable[Any]
    ) -> Iterator[tuple[Any, Any | None, str]]: ...


@dataclass(frozen=True, slots=True)
class LearnReport:
    """What came of the first pass."""

    pages: int = 0  # of sites that had no profile
    learned: tuple[str, ...] = ()  # sites
    few: int = 0  # sites that have too few pages to be learned
    failed: dict[str, str] = field(default_factory=dict)  # sites that could not be learned, and why: some of them
    failures: int = 0  # all of them
    damages: int = 0  # units that could not be looked through
    cpu_s: float = 0.0
    cost: LearningCost = field(default_factory=LearningCost)  # of learning; its pages are read once more, as rows
    seconds: float = 0.0
    resumed: bool = False  # all of it was done by an earlier run


@dataclass(frozen=True, slots=True)
class ScanTask:
    """A unit to look through."""

    unit: Unit
    options: BatchOptions
    scans: str  # folder
    profiles: str  # folder


@dataclass(frozen=True, slots=True)
class LearnTask:
    """A site to learn."""

    site: str
    spots: tuple[PagePlace, ...]  # of pages to learn from, then of those to try rules on
    samples: int  # how many are of the first kind
    options: BatchOptions
    profiles: str  # folder


def learn_profiles(units: Sequence[Unit], folder: str | Path, options: BatchOptions, spread: Spread) -> LearnReport:
    """Learn all sites of these units that have enough pages and no profile in `folder`, and put theirs there."""
    began = time.monotonic()
    path = Path(folder)
    mark = f"{_digest(units)} {options.learn_from}"
    known = _recall(path, mark)
    if known is not None:
        return known
    scans = path / _SCANS
    scans.mkdir(parents=True, exist_ok=True)
    tasks = [ScanTask(unit, options, str(scans), str(path)) for unit in units]
    pages, cpu_s, read = 0, 0.0, []
    for task, found, _ in spread(scan, tasks):
        if found is not None:
            read.append(task.unit.name)
            pages, cpu_s = pages + found[0], cpu_s + found[1]
    few: list[str] = []
    learned, failed, cost_s = _learn_all(_plan(merge_scans(scans, sorted(read)), few, path, options), spread)
    report = LearnReport(
        pages=pages,
        learned=tuple(sorted(learned)),
        few=len(few),
        failed=dict(sorted(failed.items())[:_FAILURES]),
        failures=len(failed),
        damages=len(units) - len(read),
        cpu_s=cpu_s + cost_s,
        cost=LearningCost(learn_s=cpu_s + cost_s),
        seconds=time.monotonic() - began,
    )
    write_atomically(path / _DONE, json.dumps({"input": mark, "report": msgspec.to_builtins(report)}).encode())
    rmtree(scans, ignore_errors=True)
    return report


def scan(task: ScanTask) -> tuple[int, float]:
    """Look through one unit; return its pages and the CPU seconds it took."""
    began = time.process_time()
    pages = scan_unit(task.unit, task.options, Path(task.scans), task.profiles)
    return pages, time.process_time() - began


def learn_site(task: LearnTask) -> tuple[str, float]:
    """Learn one site and keep its profile; return why that was not possible, or nothing, and the CPU seconds."""
    began = time.process_time()
    why = _learn(task)
    return why, time.process_time() - began


def _learn(task: LearnTask) -> str:
    folder = ProfileFolder(task.profiles)
    if folder.has(task.site):  # by an earlier run that was interrupted
        return ""
    pages = _bounded(read_spots(task.spots, task.options))
    try:
        site = Site.learn(pages[: task.samples])
        for page in pages[task.samples :]:
            site.extract(page.body, page.url)  # it learns more from those that do not fit
        if not site.profile.layouts:
            return "its pages have nothing in common"
        if "records" in task.options.parts:
            site.learn_lists()
        folder.put(task.site, site)
    except BadInput as error:
        return str(error)
    return ""


def _bounded(pages: Sequence[Sampled]) -> list[Sampled]:
    kept, size = [], 0
    for page in pages:
        size += len(page.body)
        if size > _BYTES:
            break
        kept.append(page)
    return kept


def _plan(sites: Iterable[SiteSample], few: list[str], folder: Path, options: BatchOptions) -> Iterator[LearnTask]:
    """Yield what is to be learned; sites with too few pages go into `few`."""
    for seen in sites:
        known = sum(len(found.spots) for found in seen.kinds.values())  # without those that come twice
        if known < min(options.learn_from, _LEAST) or seen.pages < options.learn_from:
            few.append(seen.site)
            continue
        samples = min(max(_LEAST, seen.pages // _SHARE), MOST)
        spots = choose(seen, samples * (1 + _LOOKED_AT))
        yield LearnTask(seen.site, spots, samples, options, str(folder))


def choose(seen: SiteSample, count: int) -> tuple[PagePlace, ...]:
    """Return pages of a site, of each kind about as many as its size lets expect, and some of the small ones too."""
    taken: Counter[str] = Counter()
    chosen: list[PagePlace] = []
    kinds = sorted(seen.kinds)
    while len(chosen) < count:
        left = [kind for kind in kinds if taken[kind] < len(seen.kinds[kind].spots)]
        if not left:
            break
        kind = max(left, key=lambda kind: seen.kinds[kind].pages / (1 + taken[kind]) ** 2)
        chosen.append(seen.kinds[kind].spots[taken[kind]])
        taken[kind] += 1
    return tuple(chosen)


def _learn_all(tasks: Iterable[LearnTask], spread: Spread) -> tuple[list[str], dict[str, str], float]:
    learned: list[str] = []
    failed: dict[str, str] = {}
    cpu_s = 0.0
    for task, found, died in spread(learn_site, tasks):
        why, cost_s = found if found is not None else (died, 0.0)
        cpu_s += cost_s
        if why:
            failed[task.site] = why
        else:
            learned.append(task.site)
    return learned, failed, cpu_s


def _digest(units: Iterable[Unit]) -> str:
    plain = json.dumps([[msgspec.to_builtins(unit), sign_unit(unit)] for unit in units])
    return blake2b(plain.encode(), digest_size=16).hexdigest()


def _recall(folder: Path, mark: str) -> LearnReport | None:
    """Return the report of an earlier run over the same input, if all that it learned is still there."""
    try:
        plain = json.loads((folder / _DONE).read_bytes())
        known = msgspec.convert(plain["report"], LearnReport) if plain["input"] == mark else None
    except (FileNotFoundError, ValueError, KeyError, TypeError, msgspec.ValidationError):
        return None
    if known is None or not all(map(ProfileFolder(folder).has, known.learned)):
        return None
    return replace(known, resumed=True)
