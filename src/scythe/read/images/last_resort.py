"""Choose images where the model chose none: scores and where images stand come in, scores go out.

The model learned from pages of the web, which are long and crowded. On a short page with one picture it is unsure, and
there the place says more: what stands in the main text and leads nowhere is taken at even odds.
"""

from __future__ import annotations

from collections.abc import Sequence

from scythe.model import RELEVANT, PageImages
from scythe.page import Page
from scythe.page.content import is_icon
from scythe.page.places import image_places

_LEAST = 0.05  # below it the model is sure that an image is furniture
_NEAR_BEST = 0.5  # of the best score there: one that is much worse is another kind of image


def judge_by_place(page: Page, kept: tuple[int, ...], around: PageImages, scores: Sequence[float]) -> list[float]:
    """Return the scores, with even odds for images in the kept text where no image of the page is relevant."""
    found = list(scores)
    if not kept or not found or max(found) >= RELEVANT:
        return found
    nodes = page.blocks.image_node
    standing = {nodes[row].mem_id for row in image_places(page.blocks, kept)}
    candidates = [
        number
        for number, (use, image) in enumerate(zip(page.images, around.images, strict=True))
        if use.node_id in standing and image.link is None and found[number] >= _LEAST and not is_icon(use.image)
    ]
    best = max((found[number] for number in candidates), default=0.0)
    for number in candidates:
        if found[number] >= _NEAR_BEST * best:
            found[number] = RELEVANT
    return found
