"""Score fold models on whole pages: `SCYTHE_IMAGE_FOLDS=FILE python train/images/pages.py --data DIR`.

Pages of text/fundus that name their relevant images are read from HTML, each judged by a model that has not seen its
site. An image counts as right when one of its addresses is a true one.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

from bench.image_rows import load_rows
from bench.pages import read_rows
from crossval import held_forest

from scythe.demo.scoring import Counts, rate
from scythe.page import Page
from scythe.page.image_context import read_image_contexts
from scythe.reading.images.relevance import image_logits
from scythe.url import absolute


def judge(row: dict[str, Any], site: str) -> Counts:
    """Count the relevant images of one page: found, wrong, missed."""
    page = Page.from_text(row["html"], url=row["url"])
    logits = image_logits(read_image_contexts(page), None, held_forest(site))
    true = {absolute(address, page.url) or address for address in row["relevant_images"]}
    taken = [use.image for use, logit in zip(page.images, logits, strict=True) if logit >= 0]
    found = [true.intersection((image.src, *image.sources)) for image in taken]
    hits = set().union(*found) if found else set()
    return Counts(len(hits), sum(not one for one in found), len(true - hits))


def judged(data: Path) -> Iterator[tuple[str, Counts]]:
    """Yield the site and the counts of each page."""
    labelled = load_rows(data / "images" / "fundus.jsonl.xz")
    sites = {one.page.url: site for site, pages in labelled.items() for one in pages}
    for row in read_rows(data / "text" / "fundus.jsonl.xz", lambda row, place: row):
        if row.get("relevant_images") and row["url"] in sites:
            yield sites[row["url"]], judge(row, sites[row["url"]])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with images/ and text/")
    by_site: dict[str, list[float]] = {}
    pooled = Counts()
    for site, counts in judged(parser.parse_args().data):
        by_site.setdefault(site, []).append(rate(counts).f1 if counts.hits else 0.0)
        pooled += counts
    every = [f for fs in by_site.values() for f in fs]
    sites = fmean(map(fmean, by_site.values()))
    print(f"{len(every)} pages: mean f {fmean(every):.3f}, by site {sites:.3f}, pooled f {rate(pooled).f1:.3f}")


if __name__ == "__main__":
    main()
