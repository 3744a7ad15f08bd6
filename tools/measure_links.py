"""Compare links found in bytes with those of the tree: `python tools/measure_links.py DIR` over every page set in DIR.

Prints the share of pages whose links are the same, for scythe and for the expression of paper 000, and CPU time a page.
Every page is read twice; the second time is that of a page whose menu has been seen before, as on a crawl.
"""

from __future__ import annotations

import json
import lzma
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import mean, median

from scythe.page import Page
from scythe.page.links_from_bytes import find_by_tree, find_links, read_hrefs
from scythe.url import absolute

PAPER = re.compile(rb"<a.href.(.*?).>")


def read_pages(folder: Path) -> Iterator[tuple[str, bytes, str]]:
    """Yield set, body and address of every page below a folder."""
    for path in sorted(folder.rglob("*.jsonl.xz")):
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                if not isinstance(row.get("html"), str):
                    break
                url = absolute(row.get("url") or "") or "https://example.org/folder/page"
                yield path.stem.partition(".")[0], row["html"].encode("utf-8", "replace"), url


def by_paper(body: bytes, base: str | None) -> set[str]:
    """Return the links that the published expression finds, made absolute as kindly as can be."""
    hrefs = (found.strip(b"\"'").decode("utf-8", "replace") for found in PAPER.findall(body))
    return {url for href in hrefs if not href.startswith("#") and (url := absolute(href, base))}


def timed(function, *arguments):  # type: ignore[no-untyped-def]
    began = time.thread_time()
    result = function(*arguments)
    return result, time.thread_time() - began


def main(folder: Path) -> None:
    sizes, links, times = [], [], {name: [] for name in ("tree", "first", "again", "search", "by tree", "paper")}
    same = same_paper = pages = found_paper = in_tree = 0
    for _, body, url in read_pages(folder):
        page = Page.from_bytes(body, url=url)
        tree, seconds = timed(lambda page=page: {link.url for link in page.links})
        times["tree"].append(seconds)
        for name in ("first", "again"):
            hrefs, seconds = timed(read_hrefs, body, url)
            times[name].append(seconds)
        times["search"].append(timed(find_links, body)[1])
        times["by tree"].append(timed(find_by_tree, body, 50_000, 2_000, 1_000_000)[1])
        paper, seconds = timed(by_paper, body, page.base)
        times["paper"].append(seconds)
        pages += 1
        same += {link.url for link in hrefs.links} == tree
        same_paper += paper == tree
        found_paper += len(paper & tree)
        in_tree += len(tree)
        sizes.append(len(body))
        links.append(len(hrefs.links))
    print(f"{pages} pages, {mean(sizes) / 1000:.0f} KB and {mean(links):.0f} links on average")
    print(f"links as in the tree: {same} pages of {pages}; by the paper's expression {same_paper}, ", end="")
    print(f"{found_paper / in_tree:.1%} of all links")
    for name, seconds in times.items():
        print(f"{name:7} {mean(seconds) * 1e6:7.0f} us mean, {median(seconds) * 1e6:6.0f} us median")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
