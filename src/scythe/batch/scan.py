"""Choose pages to learn sites from: units come in, for every site some places where its pages stand go out.

Each unit is looked through by itself, in any order and process, and what is found is written down, sorted by site. Then
all these lists are read side by side, so that memory holds one site at a time, however many there are. Which pages are
chosen goes by a digest of their addresses: it does not matter in which order they are met.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import groupby, islice
from pathlib import Path
from typing import IO, NamedTuple

from scythe.batch.captures import Capture, read_captures
from scythe.batch.codecs import Codecs
from scythe.batch.options import BatchOptions
from scythe.batch.profiles import ProfileFolder, site_of
from scythe.batch.unit import Unit, is_warc
from scythe.crawling.sample import kind_of
from scythe.export import replacing

SAMPLE_BYTES = 2_000_000  # of a page that is learned from: learning takes some seconds a megabyte
_KINDS = 64  # kinds of addresses of one site; sites have some ten
_OF_A_KIND = 24  # pages kept of each
_FAN_IN = 256  # lists read at a time: systems let a process open some thousand files


class Spot(NamedTuple):
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
class Found:
    """What is known of one kind of address of a site."""

    pages: int = 0
    spots: list[Spot] = field(default_factory=list)  # those of the lowest ranks, sorted

    def add(self, pages: int, spots: Iterable[Spot]) -> None:
        """Take in more pages."""
        self.pages += pages
        by_rank = {spot.rank: spot for spot in sorted((*self.spots, *spots), reverse=True)}  # of copies the first
        self.spots = sorted(by_rank.values())[:_OF_A_KIND]


@dataclass(slots=True)
class Seen:
    """What is known of one site: pages by kind of address."""

    site: str
    kinds: dict[str, Found] = field(default_factory=dict)

    @property
    def pages(self) -> int:
        return sum(found.pages for found in self.kinds.values())

    def add(self, kind: str, pages: int, spots: Iterable[Spot]) -> None:
        """Take in pages of one kind; of too many kinds those stay whose digests are lowest."""
        self.kinds.setdefault(kind, Found()).add(pages, spots)
        if len(self.kinds) > _KINDS:
            del self.kinds[max(self.kinds, key=_rank)]

    def to_line(self) -> str:
        plain = {kind: [found.pages, found.spots] for kind, found in sorted(self.kinds.items())}
        return json.dumps([self.site, plain], ensure_ascii=True) + "\n"

    @classmethod
    def from_line(cls, line: str) -> Seen:
        site, plain = json.loads(line)
        kinds = {kind: Found(pages, [Spot(*spot) for spot in spots]) for kind, (pages, spots) in plain.items()}
        return cls(site, kinds)


def scan_unit(unit: Unit, options: BatchOptions, folder: Path, profiles: str | Path) -> int:
    """Write down where pages of sites without a profile stand in a unit, unless that was done; return how many."""
    path = folder / f"{unit.name}.jsonl"
    head = json.dumps([unit.to_dict(), sign_unit(unit)]) + "\n"
    if path.exists():
        with path.open(encoding="ascii") as lines:
            if lines.readline() == head:
                return sum(Seen.from_line(line).pages for line in lines)
    found = _look_through(unit, options, ProfileFolder(profiles))
    with replacing(path) as file:
        file.write(head.encode())
        for _, seen in sorted(found.items()):
            file.write(seen.to_line().encode())
    return sum(seen.pages for seen in found.values())


def _look_through(unit: Unit, options: BatchOptions, profiles: ProfileFolder) -> dict[str, Seen]:
    known: dict[str, bool] = {"": True}  # pages of no site are not learned from
    found: dict[str, Seen] = {}
    for capture in read_captures(unit, page_bytes=options.page_bytes, address=options.address):
        if capture.why or capture.truncated or len(capture.body) > SAMPLE_BYTES:
            continue
        site = site_of(capture.url)
        if site not in known:
            known[site] = profiles.has(site)
        if not known[site]:
            # a page that was kept twice is one page; HTML files may have but one address between them
            rank = _rank(f"{capture.url}{capture.file}" if unit.files else capture.url)
            spot = Spot(rank, capture.url, capture.file, capture.offset, capture.number)
            found.setdefault(site, Seen(site)).add(kind_of(capture.url), 1, (spot,))
    return found


def _rank(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


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


def merge_scans(folder: Path, names: Sequence[str]) -> Iterator[Seen]:
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


def _merge(paths: Sequence[Path]) -> Iterator[Seen]:
    with ExitStack() as stack:
        files = [stack.enter_context(path.open(encoding="ascii")) for path in paths]
        lists = [_read_list(file) for file in files]
        for site, some in groupby(heapq.merge(*lists, key=lambda seen: seen.site), key=lambda seen: seen.site):
            whole = Seen(site)
            for seen in some:
                for kind, found in seen.kinds.items():
                    whole.add(kind, found.pages, found.spots)
            yield whole


def _read_list(lines: IO[str]) -> Iterator[Seen]:
    next(lines)  # what the list is of
    return map(Seen.from_line, lines)


def read_spots(spots: Sequence[Spot], options: BatchOptions) -> list[Sampled]:
    """Return the pages that stand there, in this order; what is there no more is left out."""
    codecs = Codecs()
    found: dict[Spot, Sampled] = {}
    streams: dict[str, dict[int, Spot]] = {}  # files that can be read only from their beginning
    for spot in spots:
        if spot.number and not spot.offset and is_warc(spot.file):
            streams.setdefault(spot.file, {})[spot.number] = spot
        else:
            for capture in islice(read_captures(_unit_at(spot), address=options.address), 1):
                found[spot] = _sampled(capture, codecs)
    for file, wanted in streams.items():
        for capture in read_captures(Unit(file, "")):
            if capture.number in wanted:
                found[wanted[capture.number]] = _sampled(capture, codecs)
    return [found[spot] for spot in spots if spot in found and found[spot].url == spot.url and found[spot].body]


def _unit_at(spot: Spot) -> Unit:
    if is_warc(spot.file):
        return Unit(spot.file, "", spot.offset, spot.offset + 1)
    return Unit(spot.file, "", files=(spot.file,))


def _sampled(capture: Capture, codecs: Codecs) -> Sampled:
    return Sampled(capture.url, codecs.to_utf8(capture.body, capture.content_type, capture.url))
