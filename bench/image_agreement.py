"""Compare what is seen around images with what a labelled set says: pages and rows in, shares that agree out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

from bench.image_rows import load_rows
from bench.pages import read_rows
from scythe.model import ImageContext, PageImages
from scythe.page import Page
from scythe.page.image_context import read_image_contexts

_NEAR = 0.01  # shares of a page that count as equal
_EQUAL = ("src", "tags", "path", "link", "is_figure", "is_lead", "is_stated")
_CLOSE = ("order", "text_before")


def measure_agreement(pages: Path, rows: Path) -> dict[str, float]:
    """Return the share of images for which a page and its rows agree, by field, the rest in counts and microseconds.

    Images are paired by their own tag, in page order; those of one side only are counted.
    """
    said = {one.page.url: one.page for site in load_rows(rows).values() for one in site}
    counts: dict[str, float] = dict.fromkeys((*_EQUAL, *_CLOSE), 0.0)
    uses = pairs = 0
    spent = 0.0
    for url, html in read_rows(pages, _page):
        if url not in said:
            continue
        page = Page.from_text(html, url=url)
        _ = page.images, page.blocks, page.metadata  # read for other ends anyway
        started = process_time()
        seen = read_image_contexts(page)
        spent += process_time() - started
        uses += len(seen.images)
        for image, row in _pair(seen, said[url]):
            pairs += 1
            for name in _EQUAL:
                counts[name] += getattr(image, name) == getattr(row, name)
            for name in _CLOSE:
                counts[name] += abs(getattr(image, name) - getattr(row, name)) < _NEAR
    shares = {name: count / max(pairs, 1) for name, count in counts.items()}
    rows_said = sum(len(page.images) for page in said.values())
    return {**shares, "pairs": pairs, "uses": uses, "rows": rows_said, "us": 1e6 * spent / max(uses, 1)}


def _page(row: dict[str, Any], place: str) -> tuple[str, str]:
    return str(row.get("url") or place), str(row["html"])


def _pair(seen: PageImages, said: PageImages) -> Iterator[tuple[ImageContext, ImageContext]]:
    rows: dict[str, list[ImageContext]] = {}
    for row in reversed(said.images):
        rows.setdefault(row.tags[2], []).append(row)
    for image in seen.images:
        same = rows.get(image.tags[2])
        if same:
            yield image, same.pop()
