"""Count what the images of a site share: pages of images come in, what repeats across them goes out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from scythe.limits import LIMITS
from scythe.model import PageImages
from scythe.page.image_signature import signature
from scythe.rules import SiteImages


def count_images(pages: Sequence[PageImages]) -> SiteImages:
    """Return on how many pages each address and each kind of image stands, the most frequent of them first.

    Addresses of a single page say nothing of the site and are left out. No more of either than a profile holds.
    """
    sources: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    uses: Counter[str] = Counter()
    for page in pages:
        shown = Counter(signature(image) for image in page.images)
        sources.update({image.src for image in page.images})
        kinds.update(shown.keys())
        uses.update(shown)
    return SiteImages(
        pages=len(pages),
        sources=tuple((src, count) for src, count in _most_frequent(sources) if count > 1),
        signatures=tuple((kind, count, uses[kind]) for kind, count in _most_frequent(kinds)),
    )


def count_again(known: SiteImages, pages: Sequence[PageImages]) -> SiteImages:
    """Return what is known of a site with the counts of these pages in place of those it had."""
    counted = count_images(pages)
    return replace(known, pages=counted.pages, sources=counted.sources, signatures=counted.signatures)


def _most_frequent(counts: Counter[str]) -> list[tuple[str, int]]:
    """Return as many as a profile holds, by name where they are as frequent as each other."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[: LIMITS.site_signatures]
