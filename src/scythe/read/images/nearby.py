"""Mark the images that stand with the kept blocks: a page and its chosen blocks come in, its images go out, scored.

A plain rule by position and declared size; no image is downloaded.
"""

from __future__ import annotations

from dataclasses import replace

from scythe.model import Image
from scythe.page import Page

_INSIDE, _BETWEEN, _BEFORE, _DECLARED = 0.9, 0.8, 0.6, 0.7  # a share of certainty each, highest that applies
_ICON_PX = 48  # avatars, share buttons and bullets are declared this small
_RELEVANT = 0.5


def mark_relevant(page: Page, kept: tuple[int, ...]) -> tuple[Image, ...]:
    """Return every image of the page in page order, with `score` and `relevant` set."""
    uses = page.images
    if not uses:
        return ()
    places = _places(page, kept) if kept else {}
    lead = page.metadata.image
    marked = []
    for use in uses:
        score = max(places.get(use.node_id, 0.0), _DECLARED if lead is not None and lead in use.addresses else 0.0)
        if _is_icon(use.image):
            score *= 0.5
        marked.append(replace(use.image, score=score, relevant=score >= _RELEVANT))
    return tuple(marked)


def _places(page: Page, kept: tuple[int, ...]) -> dict[int, float]:
    """Map the node of each image to how sure its place among the kept blocks makes us."""
    blocks, chosen = page.blocks, set(kept)
    places: dict[int, float] = {}
    for node, block, leaf_box in zip(blocks.image_node, blocks.image_block, blocks.image_box, strict=True):
        if block in chosen and block < len(blocks) and blocks.box[block] == leaf_box:
            places[node.mem_id] = _INSIDE
        elif kept[0] < block <= kept[-1] and (block in chosen or block - 1 in chosen):
            places[node.mem_id] = _BETWEEN
        elif block == kept[0]:
            places[node.mem_id] = _BEFORE
    return places


def _is_icon(image: Image) -> bool:
    sides = [side for side in (image.width, image.height) if side is not None]
    return bool(sides) and max(sides) <= _ICON_PX
