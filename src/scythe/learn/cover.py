"""Choose pages worth annotating: pages of images with scores come in, the numbers of those that teach most go out."""

from __future__ import annotations

import heapq
import math
import random
from collections import Counter, defaultdict
from collections.abc import Sequence

from scythe.model import ImageContext, PageImages
from scythe.page.image_signature import signature

# chosen on sites with labels, all near them do as well: docs/why/image-update.md
_DEPTHS = (2, 4)  # of kinds of images: those of a template, and finer ones
_FLOOR = 0.02  # of doubt about an image: kinds of images that the model is sure of are worth a look as well
_FADE = 3  # a kind that n pages show already counts as 1 / (1 + n) ** 3

_Kind = tuple[int, str]


def choose_pages(
    pages: Sequence[PageImages],
    scores: Sequence[Sequence[float]],
    count: int,
    *,
    seed: int = 0,
    known: Sequence[PageImages] = (),
) -> list[int]:
    """Return the numbers of up to `count` pages, best first, none twice.

    Each next page is the one whose kinds of images hold the most doubt on the whole site, where what the pages chosen
    and `known` show already counts for little. `scores` are the probabilities of the shared model; `seed` decides
    between equal pages.
    """
    worth = _doubt(pages, scores)
    kinds = [_kinds(page) for page in pages]
    seen: Counter[_Kind] = Counter()
    for page in known:
        seen.update(_kinds(page))

    def gain(number: int) -> float:
        # exact, so that pages with the same kinds in another order are equal
        return math.fsum(worth[kind] / math.pow(1 + seen[kind], _FADE) for kind in kinds[number])

    order = list(range(len(pages)))
    random.Random(seed).shuffle(order)
    waiting = [(-gain(number), place, number) for place, number in enumerate(order)]
    heapq.heapify(waiting)
    chosen: list[int] = []
    while waiting and len(chosen) < count:
        _, place, number = heapq.heappop(waiting)
        now = (-gain(number), place, number)
        if waiting and now > waiting[0]:  # gains only fall: what stays ahead of the others' old gains is the best
            heapq.heappush(waiting, now)
            continue
        chosen.append(number)
        seen.update(kinds[number])
    return chosen


def _doubt(pages: Sequence[PageImages], scores: Sequence[Sequence[float]]) -> dict[_Kind, float]:
    """Return how much the model doubts about each kind of image; four times as many images count twice as much."""
    doubt: defaultdict[_Kind, float] = defaultdict(float)
    for page, page_scores in zip(pages, scores, strict=True):
        for image, score in zip(page.images, page_scores, strict=True):
            for kind in _kinds_of(image):
                doubt[kind] += score * (1 - score) + _FLOOR
    return {kind: math.sqrt(total) for kind, total in doubt.items()}


def _kinds(page: PageImages) -> list[_Kind]:
    return list(dict.fromkeys(kind for image in page.images for kind in _kinds_of(image)))


def _kinds_of(image: ImageContext) -> list[_Kind]:
    return [(depth, signature(image, depth)) for depth in _DEPTHS]
