"""Mark the images that stand with the kept blocks: a page and its chosen blocks come in, its images go out, scored.

A plain rule by position and declared size; no image is downloaded.
"""

from __future__ import annotations

from dataclasses import replace

from scythe.model import Image
from scythe.page import Page
from scythe.page.content import is_icon
from scythe.page.places import AFTER, BEFORE, BETWEEN, INSIDE, image_places
from scythe.read.images.marks import mark_scores

_SURE = {INSIDE: 0.9, BETWEEN: 0.8, BEFORE: 0.6, AFTER: 0.6}  # how sure each place makes us
_DECLARED = 0.7  # the page names it as the image to show for it


def mark_relevant(page: Page, kept: tuple[int, ...]) -> tuple[Image, ...]:
    """Return every image of the page in page order, with `score` and `relevant` set."""
    if not page.images:
        return ()
    nodes = page.blocks.image_node
    places = {nodes[row].mem_id: _SURE[place] for row, place in image_places(page.blocks, kept).items()}
    lead = page.metadata.image
    scores = []
    for use in page.images:
        score = max(places.get(use.node_id, 0.0), _DECLARED if lead is not None and lead in use.addresses else 0.0)
        scores.append(score * 0.5 if is_icon(use.image) else score)
    return mark_scores(page, scores)


def mark_chosen(page: Page, kept: tuple[int, ...], *, chosen: tuple[int, ...]) -> tuple[Image, ...]:
    """Do the same for a text method that chose the images itself: the rows in `chosen` are relevant, no others."""
    nodes = page.blocks.image_node
    ids = {nodes[row].mem_id for row in chosen}
    marks = ((use.image, use.node_id in ids) for use in page.images)
    return tuple(replace(image, score=float(mark), relevant=mark) for image, mark in marks)
