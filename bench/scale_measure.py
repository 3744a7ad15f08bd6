"""Measure what pages cost: pages of sites come in, CPU times of every step and sizes go out.

Each site is learned from pages spread over it; the others are cut, read cold, and written as tables. Times are seconds
of CPU of this process, the least of two rounds, so that other work on the machine moves them little.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from bench.scale_costs import FULL, TEXT, Line, Ways
from bench.sites import load_sites
from scythe.archive.results import StoredRaw
from scythe.batch.captures import read_captures, require_warc
from scythe.batch.units import Unit
from scythe.errors import BadInput
from scythe.model import Document
from scythe.output.arrow_tables import TableBuilder, require_arrow
from scythe.output.warc import WarcFile
from scythe.reader import read
from scythe.site.extract import Extractor
from scythe.site.profile import load_profile
from scythe.site.site import Site
from scythe.url import Url

LEARN_PAGES = 24
_ROUNDS = 2
_TABLES = {TEXT: ("documents",), FULL: ("documents", "images", "records")}
_EXTRACTED = 12  # pages of a site: sites differ more than pages of one do
_LEAST_PAGES = 6  # left to extract, that a site is worth measuring

Body = tuple[str, bytes]  # an address and its page
Tick = Callable[[str, int], None]


@dataclass(slots=True)
class Timed:
    """Pages by size and what each took."""

    kb: list[float] = field(default_factory=list)
    us: list[float] = field(default_factory=list)

    def add(self, body: bytes, seconds: float) -> None:
        self.kb.append(len(body) / 1e3)
        self.us.append(seconds * 1e6)

    def line(self) -> Line:
        """Return the line through all pages; one that would begin below nothing begins at nothing."""
        if not self.us:
            return Line(0.0, 0.0)
        kb, us = np.array(self.kb), np.array(self.us)
        slope, fixed = np.polyfit(kb, us, 1) if np.ptp(kb) > 1 else (0.0, us.mean())
        if fixed < 0:
            slope, fixed = us.sum() / kb.sum(), 0.0
        elif slope < 0:
            slope, fixed = 0.0, us.mean()
        return Line(round(float(fixed), 2), round(float(slope), 4))


@dataclass(slots=True)
class Measured:
    """All that was timed on some sites."""

    pages: int = 0
    kb: float = 0.0
    decode: Line = field(default_factory=lambda: Line(0.0, 0.0))
    packed: float = 0.0
    ways: dict[str, Ways] = field(default_factory=dict)
    learn_s: list[float] = field(default_factory=list)
    learn_pages: list[int] = field(default_factory=list)
    take_up_s: list[float] = field(default_factory=list)
    profile_kb: list[float] = field(default_factory=list)


def make_sites(data: Path | None, *, limit: int | None = None) -> list[list[Body]]:
    """Return the pages of the sites at `data`, or else of sites made up here, fifteen of them."""
    if data is not None:
        sites = load_sites(data, limit=limit)
        found = [
            [(url or f"https://{_host(site.name)}/{i}", body) for i, (url, body) in enumerate(pages)]
            for site in sites
            for pages in [list(zip(site.urls, site.bodies, strict=True))]
        ]
        return [pages for pages in found if len(pages) >= 2 * _LEAST_PAGES]
    from scythe.demo import site as demo_site

    made = (demo_site(seed=seed, pages=70, design=seed % 2) for seed in range(1, 1 + (limit or 15)))
    return [[(page.url, page.html) for page in pages] for pages in made]


def _host(name: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in name.lower()) + ".example"


def choose(pages: Sequence[Body]) -> tuple[list[Body], list[Body]]:
    """Return the pages to learn from, spread over the site, and the others."""
    some = min(LEARN_PAGES, len(pages) - _LEAST_PAGES)
    chosen = {i * len(pages) // some for i in range(some)}
    return [pages[i] for i in sorted(chosen)], [page for i, page in enumerate(pages) if i not in chosen]


def measure_pages(sites: Sequence[list[Body]], tick: Tick = lambda name, total: None) -> Measured:
    """Time every step on every site. Raises MissingExtra where fastwarc or pyarrow are not installed."""
    require_arrow()
    require_warc()
    done = Measured()
    timed = {parts: {way: Timed() for way in ("cut", "tree", "cold")} for parts in (TEXT, FULL)}
    documents: list[tuple[bytes, Document]] = []
    bodies: list[Body] = []
    for pages in sites:
        tick(pages[0][0], len(sites))
        lessons, others = choose(pages)
        others = others[:: max(1, len(others) // _EXTRACTED)][:_EXTRACTED]
        extractor = _learn(done, lessons)
        for url, body in others:
            document = _time_both(timed, "learned", body, partial(_harvest, extractor, url, body))
            _time_both(timed, "cold", body, partial(read, body, url))
            documents.append((body, document))
        bodies += others
    done.pages, done.kb = len(bodies), sum(len(body) for _, body in bodies) / 1e3
    if not bodies:
        raise BadInput("there are no sites of 12 pages or more to measure")
    done.decode, done.packed = time_decoding(bodies)
    for parts in (TEXT, FULL):
        write, row_kb = time_writing(documents, parts)
        known = timed[parts]
        share = len(known["tree"].us) / max(1, len(known["tree"].us) + len(known["cut"].us))
        lines = {way: known[way].line() for way in ("cut", "tree", "cold")}
        done.ways[parts] = Ways(**lines, write=write, tree_share=round(share, 4), row_kb=round(row_kb, 3))
    return done


def _learn(done: Measured, lessons: Sequence[Body]) -> Extractor:
    """Learn a site, and take it up again as a batch does."""
    began = time.process_time()
    site = Site.learn(lessons)
    done.learn_s.append(time.process_time() - began)
    done.learn_pages.append(len(lessons))
    text = site.to_json()
    began = time.process_time()
    profile = load_profile(text).profile
    extractor = Extractor(profile, profile.fields)
    done.take_up_s.append(time.process_time() - began)
    done.profile_kb.append(len(text) / 1e3)
    return extractor


def _harvest(extractor: Extractor, url: str, body: bytes) -> Document:
    """Extract a page as a batch does: by rules, and what the page says of itself from its head."""
    document = extractor.extract_page(body, url, "auto").document
    document.metadata  # noqa: B018  (worked out when asked for)
    return document


def _time_both(
    timed: dict[str, dict[str, Timed]], manner: str, body: bytes, extract: Callable[[], Document]
) -> Document:
    """Extract a page, first what is there at once, then everything; note both times under the way it went."""
    best: dict[str, tuple[float, str]] = {}
    for _ in range(_ROUNDS):
        began = time.process_time()
        document = extract()
        text_s, text_way = time.process_time() - began, _way(document, ("title", "text", "date", "author"))
        document.images  # noqa: B018 (worked out when first asked for)
        document.lists  # noqa: B018
        full_s = time.process_time() - began
        for parts, seconds, way in ((TEXT, text_s, text_way), (FULL, full_s, _way(document, tuple(document.how)))):
            if parts not in best or seconds < best[parts][0]:
                best[parts] = (seconds, way)
    for parts, (seconds, way) in best.items():
        kind = "cold" if manner == "cold" else "cut" if way == "cut" else "tree"
        timed[parts][kind].add(body, seconds)
    return document


def _way(document: Document, names: Iterable[str]) -> str:
    """Return whether any of these was got by the tree."""
    by_tree = any(document.how.get(name, "").startswith(("tree", "auto")) for name in names)
    return "tree" if by_tree or not document.fields else "cut"


def write_warc(path: Path, bodies: Iterable[Body]) -> Unit:
    """Write pages as a .warc.gz file, and return it as a unit of work."""
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    with path.open("wb") as file:
        warc = WarcFile(file, made_at=moment)
        for url, body in bodies:
            warc.put(StoredRaw(Url(url), moment, 200, (("Content-Type", "text/html"),), body))
        warc.close()
    return Unit(str(path), path.stem)


def time_decoding(bodies: Sequence[Body]) -> tuple[Line, float]:
    """Return what it takes to get a page out of a WARC file, and how many bytes there are there for one of its own."""
    kb = sum(len(body) for _, body in bodies) / 1e3
    with TemporaryDirectory() as folder:
        unit = write_warc(Path(folder) / "pages.warc.gz", bodies)
        packed_kb = Path(unit.path).stat().st_size / 1e3
        seconds = min(_time_reading(unit) for _ in range(_ROUNDS))
    return Line(0.0, round(seconds * 1e6 / kb, 4)), packed_kb / kb


def _time_reading(unit: Unit) -> float:
    began = time.process_time()
    for _ in read_captures(unit):
        pass
    return time.process_time() - began


def time_writing(documents: Sequence[tuple[bytes, Document]], parts: str) -> tuple[Line, float]:
    """Return what it takes to write a page to Parquet files, and how many kilobytes it has there."""
    from pyarrow import parquet

    builder = TableBuilder(_TABLES[parts], ("text",))
    builder.add(documents[0][1])
    builder.take()  # the first time imports much
    files = {name: BytesIO() for name in builder.schemas}
    began = time.process_time()
    writers: dict[str, Any] = {
        name: parquet.ParquetWriter(files[name], schema, compression="zstd") for name, schema in builder.schemas.items()
    }
    for _, document in documents:
        builder.add(document)
    for name, batch in builder.take().items():
        writers[name].write_batch(batch)
    for writer in writers.values():
        writer.close()
    each_us = (time.process_time() - began) / len(documents) * 1e6
    kb = sum(file.tell() for file in files.values()) / len(documents) / 1e3
    mean_kb = sum(len(body) for body, _ in documents) / len(documents) / 1e3
    return Line(0.0, round(each_us / mean_kb, 4)), kb
