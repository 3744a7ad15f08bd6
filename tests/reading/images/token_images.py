"""Texts of images with answers, for tests of classifiers over tokens."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from bench.image_rows import split_tags

from scythe.demo import site

Examples = list[tuple[str, bool]]


@cache
def demo_pages() -> tuple[Examples, ...]:
    """Return the images of the demo's pages, each page's own; relevant are those the demo says belong to its text."""
    pages = (list(_images(page.html.decode("utf-8", "replace"), page.gold_images)) for page in site(pages=12))
    return tuple(page for page in pages if page)


def _images(html: str, wanted: tuple[str, ...]) -> Iterator[tuple[str, bool]]:
    at = html.find("<img")
    while at >= 0:
        end = html.find(">", at) + 1
        names = [address.rpartition("/")[2] for address in wanted]
        yield "".join(split_tags(html[:end])), any(name in html[at:end] for name in names)
        at = html.find("<img", end)
