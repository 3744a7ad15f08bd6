"""Judge images by size: the unsupervised rules of paper 003 (Table 5), each under its authors' names.

Sizes are declared or measured; an image of unknown size is never called large.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import islice

from scythe.limits import LIMITS
from scythe.model import ImageContext, PageImages
from scythe.package_files import packaged_text
from scythe.page.images import declared_size
from scythe.page.tag_attributes import read_attributes, split_srcset

Size = tuple[int | None, int | None]  # width and height in pixels, None where unknown
SizeRule = Callable[[PageImages, Sequence[Size]], list[float]]

_SETS = frozenset(("srcset", "data-srcset", "data-lazy-srcset"))
_RATIO = 1.8
_SIDE = 100
_READ_CHARS = 1_000  # of an address, alt or title that are looked at for words
_LETTERS = re.compile(r"[a-z]{1,40}")


def declared_sizes(page: PageImages) -> list[Size]:
    """Return the size of every image as its own tag has it: declared, or as wide as the widest file it offers."""
    return [_declared(read_attributes(image.tags[2])) for image in page.images]


def _declared(attributes: Mapping[str, str]) -> Size:
    width, height = declared_size(attributes)
    if width is None and not _SETS.isdisjoint(attributes):
        offers = (
            offer for name in _SETS for offer in islice(split_srcset(attributes.get(name, "")), LIMITS.srcset_items)
        )
        width = max((int(number) for _, number, unit in offers if unit == "w"), default=None)
    return width, height


def largest_width(page: PageImages, sizes: Sequence[Size]) -> list[float]:
    """Choose the widest images (Helfman and Hollan). All that are equally wide: docs/why/papers.md."""
    return _largest([width or 0 for width, _ in sizes])


def largest_height(page: PageImages, sizes: Sequence[Size]) -> list[float]:
    """Choose the highest images (Helfman and Hollan)."""
    return _largest([height or 0 for _, height in sizes])


def largest_area(page: PageImages, sizes: Sequence[Size]) -> list[float]:
    """Choose the images with most pixels (Helfman and Hollan)."""
    return _largest([(width or 0) * (height or 0) for width, height in sizes])


def largest_bytes(lengths: Sequence[int | None]) -> list[float]:
    """Choose the images whose files are longest, the paper's IS (Helfman and Hollan); only servers know lengths."""
    return _largest([length or 0 for length in lengths])


def larger_than(page: PageImages, sizes: Sequence[Size], *, width: int, height: int) -> list[float]:
    """Choose every image that is wider and higher: 300 x 400 (Bhardwaj and Mangat) or 400 x 400 (Fazal et al.)."""
    return [float((wide or 0) > width and (high or 0) > height) for wide, high in sizes]


def more_pixels_than(page: PageImages, sizes: Sequence[Size], *, pixels: int) -> list[float]:
    """Choose every image with more pixels: Bhardwaj and Mangat's 120 000 as section 2 of the paper has it."""
    return [float((wide or 0) * (high or 0) > pixels) for wide, high in sizes]


def without_words(page: PageImages, sizes: Sequence[Size]) -> list[float]:
    """Choose every image that is neither small nor a strip and that no ignored word describes (Gali et al.)."""
    return [
        float(_is_picture(size) and not _is_described_as_furniture(image))
        for image, size in zip(page.images, sizes, strict=True)
    ]


def named_by_page(page: PageImages, sizes: Sequence[Size]) -> list[float]:
    """Choose the images that the page names as its own: og:image and the like, or its JSON-LD."""
    return [float(image.is_lead or image.is_stated) for image in page.images]


SIZE_RULES: dict[str, SizeRule] = {
    "largest-width": largest_width,
    "largest-height": largest_height,
    "largest-area": largest_area,
    "300x400": partial(larger_than, width=300, height=400),
    "120000": partial(more_pixels_than, pixels=120_000),
    "400x400": partial(larger_than, width=400, height=400),
    "words": without_words,
    "og": named_by_page,
}


def _largest(measures: list[int]) -> list[float]:
    most = max(measures, default=0)
    return [float(most > 0 and measure == most) for measure in measures]


def _is_picture(size: Size) -> bool:
    width, height = size
    if width is None or height is None or min(width, height) <= _SIDE:
        return False
    return max(width, height) / min(width, height) < _RATIO


def _is_described_as_furniture(image: ImageContext) -> bool:
    attributes = read_attributes(image.tags[2])
    texts = (image.src, attributes.get("alt", ""), attributes.get("title", ""))
    return any(_has_ignored_word(text[:_READ_CHARS]) for text in texts)


@lru_cache(maxsize=4_096)
def _has_ignored_word(text: str) -> bool:
    return not _ignored_words().isdisjoint(_LETTERS.findall(text.lower()))


@lru_cache(maxsize=1)
def _ignored_words() -> frozenset[str]:
    lines = packaged_text("scythe.reading.papers", "tables/ignored_words.txt").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())
