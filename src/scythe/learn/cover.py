"""Choose pages worth annotating: pages of images with scores come in, the numbers of those that teach most go out."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence

from scythe.model import PageImages
from scythe.page.image_signature import signature

_FLOOR = 0.02  # of doubt about an image: kinds of images that the model is sure of are worth a look as well


def choose_pages(
    pages: Sequence[PageImages],
    scores: Sequence[Sequence[float]],
    count: int,
    *,
    seed: int = 0,
    known: Sequence[PageImages] = (),
) -> list[int]:
    """Return the numbers of up to `count` pages, best first, none twice.

    Greedy: each time the page whose kinds of images hold the most doubt on the whole site, where what the pages chosen
    and `known` show already counts less each time. `scores` are the probabilities of the shared model.
    """
    kinds = [frozenset(signature(image) for image in page.images) for page in pages]
    doubt: defaultdict[str, float] = defaultdict(float)
    for page, page_scores in zip(pages, scores, strict=True):
        for image, score in zip(page.images, page_scores, strict=True):
            doubt[signature(image)] += score * (1 - score) + _FLOOR
    seen: Counter[str] = Counter()
    for page in known:
        seen.update({signature(image) for image in page.images})
    left = list(range(len(pages)))
    random.Random(seed).shuffle(left)
    chosen: list[int] = []
    while left and len(chosen) < count:
        best = max(left, key=lambda number: sum(doubt[kind] / (1 + seen[kind]) ** 2 for kind in kinds[number]))
        left.remove(best)
        chosen.append(best)
        seen.update(kinds[best])
    return chosen
