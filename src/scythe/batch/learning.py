"""Learn the sites of a batch before it is extracted: units come in, a profile for each site that lacks one goes out.

Units are looked through side by side for pages of such sites (scan.py), then sites are learned side by side. The same
input gives the same profiles, whoever does what part of it when; what an interrupted run has done is not done again.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from pathlib import Path
from shutil import rmtree
from typing import Any, Protocol

from scythe.batch.options import BatchOptions
from scythe.batch.profiles import ProfileFolder
from scythe.batch.scan import Sampled, Seen, Spot, merge_scans, read_spots, scan_unit, sign_unit
from scythe.batch.unit import Unit
from scythe.errors import BadInput
from scythe.export import write_atomically
from scythe.site import Site

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
    spots: tuple[Spot, ...]  # of pages to learn from, then of those to try rules on
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
        seconds=time.monotonic() - began,
    )
    write_atomically(path / _DONE, json.dumps({"input": mark, "report": asdict(report)}).encode())
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


def _plan(sites: Iterable[Seen], few: list[str], folder: Path, options: BatchOptions) -> Iterator[LearnTask]:
    """Yield what is to be learned; sites with too few pages go into `few`."""
    for seen in sites:
        known = sum(len(found.spots) for found in seen.kinds.values())  # without those that come twice
        if known < min(options.learn_from, _LEAST) or seen.pages < options.learn_from:
            few.append(seen.site)
            continue
        samples = min(max(_LEAST, seen.pages // _SHARE), MOST)
        spots = choose(seen, samples * (1 + _LOOKED_AT))
        yield LearnTask(seen.site, spots, samples, options, str(folder))


def choose(seen: Seen, count: int) -> tuple[Spot, ...]:
    """Return pages of a site, of each kind about as many as its size lets expect, and some of the small ones too."""
    taken: Counter[str] = Counter()
    chosen: list[Spot] = []
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
    plain = json.dumps([[unit.to_dict(), sign_unit(unit)] for unit in units])
    return blake2b(plain.encode(), digest_size=16).hexdigest()


def _recall(folder: Path, mark: str) -> LearnReport | None:
    """Return the report of an earlier run over the same input, if all that it learned is still there."""
    try:
        plain = json.loads((folder / _DONE).read_bytes())
    except (FileNotFoundError, ValueError):
        return None
    if not isinstance(plain, dict) or plain.get("input") != mark:
        return None
    said = plain["report"]
    if not all(ProfileFolder(folder).has(site) for site in said["learned"]):
        return None
    return LearnReport(**{**said, "learned": tuple(said["learned"]), "resumed": True})
