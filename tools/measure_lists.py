"""Learn sites and cut the records of their other pages: `python tools/measure_lists.py FILE... [--learn N] [--cap N]`.

Each FILE holds pages as JSON lines (`site html`, perhaps `url`), compressed or not. Of each site N pages, spread over
it, are learned; on the others the records that were cut are compared with those of the same rules on the tree and with
those read cold, and the time of each is taken. Only pages count whose best region scores `--score` when read cold.
"""

from __future__ import annotations

import argparse
import gzip
import json
import lzma
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from bench.record_scoring import count_records

from scythe import Page, RecordList, Site
from scythe.reading.lists.find_lists import read_records
from scythe.site.extract import ListExtractor
from scythe.url import absolute

P = TypeVar("P")


class Body(NamedTuple):
    """One page, and the records that people marked on it, if anyone did: their texts, and those of its main region."""

    url: str
    source: bytes
    marked: tuple[tuple[str, ...], ...] = ()
    main: tuple[tuple[str, ...], ...] = ()


_SCORES = ("page cut", "page cold", "main cut", "main cold")


class Times(NamedTuple):
    """Microseconds of CPU on one page."""

    find: float
    cut: float
    cold: float


def read_sites(paths: Sequence[str], cap: int) -> dict[str, list[Body]]:
    """Return the pages of each site, `cap` at most."""
    sites: dict[str, list[Body]] = defaultdict(list)
    for path in paths:
        for line in open_lines(path):
            page = json.loads(line)
            own = sites[page["site"]]
            if len(own) < cap:
                own.append(_body(page, len(own)))
    return {site: pages for site, pages in sites.items() if len(pages) > 1}


def open_lines(path: str) -> Iterator[str]:
    """Yield the lines of a file, compressed or not."""
    opener: Any = {".xz": lzma.open, ".gz": gzip.open}.get(Path(path).suffix, open)
    with opener(path, "rt", encoding="utf-8") as lines:
        yield from lines


def _body(page: dict[str, Any], number: int) -> Body:
    gold = page["gold"] if isinstance(page.get("gold"), list) else []
    marked = tuple(tuple(record["leaves"]) for record in gold)
    main = tuple(tuple(record["leaves"]) for record in gold if record["region"] == 0)
    return Body(page.get("url") or f"https://www.example.org/{number}", page["html"].encode(), marked, main)


def split(pages: Sequence[P], count: int) -> tuple[list[P], list[P]]:
    """Return pages to learn, spread over the site, and the others."""
    count = min(count, len(pages) - 1)
    chosen = {int(i * len(pages) / count) for i in range(count)}
    return [pages[i] for i in sorted(chosen)], [page for i, page in enumerate(pages) if i not in chosen]


def words_of(regions: Sequence[RecordList]) -> Counter[tuple[str, ...]]:
    """Return the records of all regions by their words, whatever the columns."""
    return Counter(tuple(sorted(" ".join(record.fields).split())) for region in regions for record in region.records)


def measure(site: Site, page: Body, least: float, tally: Counter[str]) -> None:
    """Extract one page and note how its records were got and whether they are right."""
    url, body = page.url, page.source
    cold = read_records(Page.from_bytes(body, url=url))
    if not cold or cold[0].score < least:
        return
    tally["pages"] += 1
    document = site.extract(body, url)
    records = document.lists
    how = document.how.get("records", "tree: read cold")
    kind = "cut" if how.startswith("cut") else "by rules on the tree" if "by rules" in how else "read cold"
    tally[kind] += 1
    if kind != "cut":
        return
    by_tree = site.extract(body, url, via="tree")
    followed = by_tree.lists
    tally["as the tree rule"] += records == followed
    mine, theirs = words_of(records), words_of(cold)
    tally["as read cold"] += mine == theirs
    tally["records"] += sum(mine.values())
    tally["records cold"] += sum(theirs.values())
    tally["records in both"] += sum((mine & theirs).values())
    if page.marked:
        for name, regions in (("cut", records), ("cold", cold)):
            tally[f"F1 page {name}"] += round(1e6 * f1_of(regions, page.marked))
            tally[f"F1 main {name}"] += round(1e6 * f1_of(regions[:1], page.main))
    times = take_times(site, page)
    for name, value in times._asdict().items():
        tally[f"us {name}"] += round(value)


def f1_of(regions: Sequence[RecordList], marked: Sequence[Sequence[str]]) -> float:
    """Return the F1 of the records of some regions against those marked."""
    counts = count_records([record.fields for region in regions for record in region.records], marked)
    return 2 * counts.hits / max(1, 2 * counts.hits + counts.extra + counts.missed)


def take_times(site: Site, page: Body) -> Times:
    """Time finding, cutting and reading cold; the least of three."""
    url, body = page.url, page.source
    number = site._harvester._dispatcher.pick(body, url)
    assert number is not None
    cutter = ListExtractor(site.profile.layouts[number]).cutter
    base = absolute(url)

    def cut() -> None:
        cutter.read(body, cutter.find(body), base)

    cut()
    return Times(best(lambda: cutter.find(body)), best(cut), best(lambda: read_records(Page.from_bytes(body, url=url))))


def best(work: Callable[[], object]) -> float:
    """Return the least time of three runs in microseconds of CPU."""
    return min(_time(work) for _ in range(3))


def _time(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return 1e6 * (time.process_time() - start)


def report(tally: Counter[str]) -> Iterator[str]:
    """Yield what was counted."""
    ways = ", ".join(f"{kind} {tally[kind]}" for kind in ("cut", "by rules on the tree", "read cold"))
    yield f"pages {tally['pages']}: {ways}"
    cut = tally["cut"]
    if not cut:
        return
    yield f"as the tree rule {tally['as the tree rule']}, as read cold {tally['as read cold']} of {cut} pages cut"
    yield f"records cut {tally['records']}, cold {tally['records cold']}, in both {tally['records in both']}"
    if tally["F1 page cold"]:
        scores = [f"{name} {tally[f'F1 {name}'] / 1e6 / cut:.3f}" for name in _SCORES]
        yield f"record F1 against what is marked: {', '.join(scores)}"
    find, whole, cold = (tally[f"us {name}"] / cut for name in ("find", "cut", "cold"))
    yield f"us a page: find {find:.0f}, cut {whole:.0f}, cold {cold:.0f}; x {cold / find:.0f} and {cold / whole:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--learn", type=int, default=8)
    parser.add_argument("--cap", type=int, default=40)
    parser.add_argument("--score", type=float, default=0.5)
    options = parser.parse_args()
    every: Counter[str] = Counter()
    for name, pages in read_sites(options.files, options.cap).items():
        learned, others = split(pages, options.learn)
        site = Site.learn([page[:2] for page in learned], fields=["title", "records"])
        tally: Counter[str] = Counter()
        for page in others:
            measure(site, page, options.score, tally)
        every += tally
        print(name, *report(tally), sep="\n  ", flush=True)
    print("all", *report(every), sep="\n  ")


if __name__ == "__main__":
    main()
