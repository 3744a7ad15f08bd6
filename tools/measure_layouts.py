"""Measure how pages of a site are grouped into layouts and how unseen pages find theirs.

python tools/measure_layouts.py DIR/sites/swde.jsonl.xz DIR/sites/wordpress.jsonl.xz DIR/images/tc_urls.jsonl.xz

A file holds one page a line as JSON: `site`, `id`, `html` (and `url`), or `site` and `url` alone for addresses. Ten
pages of each site are learned, the others assigned; the truth is what grouping all pages together says.
"""

from __future__ import annotations

import json
import lzma
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time

from scythe.page import Page
from scythe.site.cut.cutter import Dispatcher
from scythe.site.learn.layout_marks import choose_marks
from scythe.site.learn.layouts import cluster_urls, group_pages, spread
from scythe.site.rules import Layout

LEARNED = 10


@dataclass(frozen=True, slots=True)
class Kept:
    """One page of a site."""

    page: Page
    body: bytes


def read_lines(path: Path) -> dict[str, list[dict[str, str]]]:
    """Return the lines of a file by site."""
    sites: dict[str, list[dict[str, str]]] = {}
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            # one site of several years has one template a year: its name is in the id
            site = str(row["id"]).split("/")[0] if "-" in str(row.get("id", "")).split("/")[0] else row["site"]
            sites.setdefault(site, []).append(row)
    return sites


def teach(pages: Sequence[Kept]) -> tuple[Dispatcher, list[list[int]]]:
    """Learn the layouts of some pages."""
    groups = group_pages([kept.page for kept in pages])
    marks = choose_marks([[pages[at].body for at in group] for group in groups])
    layouts = [
        Layout(str(n), (), own, pages=len(group)) for n, (own, group) in enumerate(zip(marks, groups, strict=True))
    ]
    return Dispatcher(layouts), groups


def assign(pages: Sequence[Kept], truth: Sequence[int], chosen: Sequence[int], found: Counter[str]) -> float:
    """Learn the chosen pages, count how the others are assigned and return the seconds this took."""
    dispatcher, groups = teach([pages[at] for at in chosen])
    known = [{truth[chosen[at]] for at in group} for group in groups]
    others = sorted(set(range(len(pages))) - set(chosen))
    started = process_time()
    picked = [dispatcher.pick(pages[at].body) for at in others]
    took = process_time() - started
    for at, layout in zip(others, picked, strict=True):
        seen = any(truth[at] in group for group in known)
        if layout is None:
            found["missed" if seen else "new layout, unknown"] += 1
        else:
            right = truth[at] in known[layout]
            found["right" if right else "wrong" if seen else "new layout, taken for a known one"] += 1
    return took


def measure_pages(sites: dict[str, list[dict[str, str]]]) -> None:
    """Print how the sites of one file fare."""
    layouts: Counter[int] = Counter()
    spread_out: Counter[str] = Counter()
    first: Counter[str] = Counter()
    took, count = 0.0, 0
    for rows in sites.values():
        pages = [Kept(Page.from_text(row["html"], url=row.get("url")), row["html"].encode()) for row in rows]
        truth = [0] * len(pages)
        groups = group_pages([kept.page for kept in pages])
        for number, group in enumerate(groups):
            for at in group:
                truth[at] = number
        layouts[len(groups)] += 1
        if len(pages) > LEARNED:
            took += assign(pages, truth, spread(range(len(pages)), LEARNED), spread_out)
            assign(pages, truth, range(LEARNED), first)
            count += len(pages) - LEARNED
    print("  sites by number of layouts:", dict(sorted(layouts.items())))
    if count:
        print(f"  learned from ten spread: {dict(spread_out)}, {1e6 * took / count:.1f} us a page")
        print(f"  learned from the first ten: {dict(first)}")


def measure_addresses(sites: dict[str, list[dict[str, str]]]) -> None:
    """Print what the clusters of the TC paper leave out."""
    labels = [cluster_urls([row["url"] for row in rows]) for rows in sites.values()]
    noise, total = sum(found.count(-1) for found in labels), sum(map(len, labels))
    print(f"  {total} addresses of {len(labels)} sites, {noise / total:.0%} in no cluster")


def main(paths: Sequence[str]) -> None:
    """Measure each file."""
    for path in paths:
        print(path.rpartition("/")[2])
        sites = read_lines(Path(path))
        has_pages = "html" in next(iter(sites.values()))[0]
        (measure_pages if has_pages else measure_addresses)(sites)


if __name__ == "__main__":
    main(sys.argv[1:])
