"""Measure how often the next page of a list is found, and how often one is named where none is wanted.

python tools/measure_paging.py DIR/records/mixedlists.jsonl.xz DIR/records/recipes.jsonl.xz DIR/text/*.jsonl.xz [--list]

A file holds one page a line as JSON: `id`, `url`, `html` and, where the truth is known, `site` and `paging_css` with
the CSS of the link to the next page under NEXT. Of pages without truth only how often a next page is named is counted;
`--list` prints them, to look at.
"""

from __future__ import annotations

import json
import lzma
import statistics
import sys
from collections import defaultdict
from pathlib import Path
from time import process_time
from typing import Any

from bench.records import next_links

from scythe.page import Page
from scythe.reading.lists.paging import read_paging
from scythe.url import Url


def measure(path: Path, show: bool) -> str:
    """Return one line of figures for a page set."""
    sites: dict[str, list[bool]] = defaultdict(list)
    said = wrong = pages = without = 0
    took = []
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            page = Page.from_text(row["html"], url=row.get("url"))
            page.elements, page.head  # noqa: B018  (what all of reading shares)
            began = process_time()
            found = read_paging(page)
            took.append(process_time() - began)
            pages += 1
            said += found.next is not None
            css = (row.get("paging_css") or {}).get("NEXT")
            wanted = next_links(page, css or "")
            if wanted:
                sites[row["site"]].append(found.next in wanted)
            elif "paging_css" in row:
                without += 1
                wrong += found.next is not None
            if show and (found.next not in wanted if wanted else found.next):
                print_page(row, wanted, found.next)
    line = f"{path.name}: {pages} pages, next named on {said}, median {statistics.median(took) * 1000:.2f} ms"
    if sites:
        hits = [hit for site in sites.values() for hit in site]
        mean = statistics.mean(statistics.mean(site) for site in sites.values())
        share = sum(hits) / len(hits)
        line += f"; found on {sum(hits)} of {len(hits)} that have one ({share:.3f}, mean of sites {mean:.3f})"
        line += f"; named on {wrong} of {without} without"
    return line


def print_page(row: dict[str, Any], wanted: set[Url], found: Url | None) -> None:
    print(f"  {row.get('id')} {row.get('url')}\n    -> {found}" + (f", truth {sorted(wanted)}" if wanted else ""))


if __name__ == "__main__":
    paths = [Path(argument) for argument in sys.argv[1:] if argument != "--list"]
    for path in paths:
        print(measure(path, "--list" in sys.argv), flush=True)
