"""Mark the images of the main block that speak of what the article speaks of: a page in, its images go out, scored.

Paper 001, section 4.1.2. The main block is the element that holds the text and the heading above it; an image that
stands with the text belongs to it anyway, another one when the words around it name whom and what the text names.
"""

from __future__ import annotations

from bisect import bisect_left

from scythe.model import RELEVANT, Image
from scythe.page import Page
from scythe.page.blocks import Blocks
from scythe.page.content import is_icon
from scythe.page.places import content_box
from scythe.read.images.marks import mark_scores
from scythe.read.images.nearby import mark_relevant
from scythe.read.images.similarity import entity_similarity, nearby_texts

SIMILAR = 0.15  # the paper names no threshold; .1 to .2 do alike, docs/why/image-baselines.md


def mark_by_entities(page: Page, kept: tuple[int, ...]) -> tuple[Image, ...]:
    """Return every image of the page in page order, with `score` and `relevant` set."""
    marked = mark_relevant(page, kept)
    if not kept or not marked:
        return marked
    blocks = page.blocks
    inside = _images_inside(blocks, main_block(blocks, kept))
    rows = [row for row, use in enumerate(page.images) if use.node_id in inside and not is_icon(use.image)]
    texts = nearby_texts(page)
    article = "\n".join(blocks.text[i] for i in kept)
    likeness = dict(zip(rows, entity_similarity(article, [texts[row] for row in rows]), strict=True))
    return mark_scores(page, [max(image.score, _score(likeness.get(row, 0.0))) for row, image in enumerate(marked)])


def main_block(blocks: Blocks, kept: tuple[int, ...]) -> int:
    """Return the innermost box that holds the kept blocks and a first-level heading; without one, only the blocks."""
    content = box = content_box(blocks, kept)
    headings = blocks.directly_in("h1")
    while box > 0:
        first = bisect_left(headings, blocks.box_start[box])
        if first < len(headings) and headings[first] < blocks.box_end[box]:
            return box
        box = blocks.box_parent[box]
    return box if headings else content


def _images_inside(blocks: Blocks, box: int) -> set[int]:
    inside = [False] * len(blocks.box_parent)  # parents come before children
    for row, parent in enumerate(blocks.box_parent):
        inside[row] = row == box or (parent >= 0 and inside[parent])
    return {node.mem_id for node, own in zip(blocks.image_node, blocks.image_box, strict=True) if inside[own]}


def _score(likeness: float) -> float:
    """Map a similarity to a score that is one half at the threshold."""
    if likeness < SIMILAR:
        return RELEVANT * likeness / SIMILAR
    return RELEVANT + (1 - RELEVANT) * (likeness - SIMILAR) / (1 - SIMILAR)
