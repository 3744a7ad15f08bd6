"""The cost of a page after so many pages of a site: learned page by page, read one by one, and by other tools.

All pages of a site go through `Site.extract` in their order, the site unknown at first, as a crawl does it. A row has
the milliseconds of CPU a page from the first page to that one, learning included, as the mean over the sites that have
so many pages.
"""

from __future__ import annotations

import gc
import itertools
import json
import lzma
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean

from bench.cut_tables import Cell, Table
from bench.peers import Extract, peer
from scythe.reader import read
from scythe.site.site import Site

AFTER = (1, 3, 6, 12, 25, 50, 100, 200, 400)
SLOW = {"trafilatura": 10, "readability-lxml": 10}  # one page of so many is taken for all
_FIELDS = ("title", "text", "date", "author")

Pages = list[tuple[str, bytes]]


def read_whole(path: Path, limit: int | None = None) -> Iterator[tuple[str, Pages]]:
    """Yield the pages of each site of a file of rows with `site`, `url` and `html`, one site after the other."""
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        sites = itertools.groupby(map(json.loads, lines), key=lambda row: str(row["site"]))
        for name, rows in itertools.islice(sites, limit):
            yield name, [(row["url"], row["html"].encode()) for row in rows]


def draw_curve(path: Path, peers: Sequence[str], *, limit: int | None = None) -> Table:
    """Return the table of what a page costs after so many."""
    ways = ["scythe, learned on the way", "scythe.read", *peers]
    sums: dict[str, list[list[float]]] = {way: [] for way in ways}
    extractors = [peer(name) for name in peers]
    for _, pages in read_whole(path, limit):
        site = Site.begin(_FIELDS)
        calls = [partial(_extract, site), _read, *(partial(_ask, extract) for extract in extractors)]
        for way, call in zip(ways, calls, strict=True):
            sums[way].append(_times(call, pages, SLOW.get(way, 1)))
    title = "What a page costs after so many pages of a site, ms of CPU"
    return Table("cost", title, ("pages", "sites", *ways), tuple(_rows(list(sums.values()))))


def _rows(ways: list[list[list[float]]]) -> Iterator[tuple[Cell, ...]]:
    for count in AFTER:
        there = [[site for site in way if len(site) >= count] for way in ways]
        if there[0]:
            yield (count, len(there[0]), *(fmean(1e3 * sum(site[:count]) / count for site in way) for way in there))


def _extract(site: Site, url: str, body: bytes) -> object:
    return site.extract(body, url).text


def _read(url: str, body: bytes) -> object:
    return read(body, url).text


def _ask(extract: Extract, url: str, body: bytes) -> object:
    return extract(body.decode("utf-8", "replace"), url)


def _times(call: Callable[[str, bytes], object], pages: Pages, every: int) -> list[float]:
    """Return the seconds of each page; those between two that are tried take as long as the one before."""
    gc.collect()
    spent: list[float] = []
    for number, (url, body) in enumerate(pages):
        if number % every:
            spent.append(spent[-1])
            continue
        began = time.process_time()
        call(url, body)
        spent.append(time.process_time() - began)
    return spent
