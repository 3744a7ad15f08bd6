"""Find the images that stand with chosen blocks: block numbers come in, image rows with their places go out."""

from __future__ import annotations

from collections.abc import Sequence

from scythe.page.blocks import Blocks

INSIDE, BETWEEN, BEFORE = "inside", "between", "before"


def image_places(blocks: Blocks, kept: Sequence[int]) -> dict[int, str]:
    """Map rows of the image columns to their place: inside a kept block, between two, or right before the first.

    An image between two kept blocks counts only next to one of them: a box of teasers in between has its own images.
    """
    if not kept:
        return {}
    chosen, first, last = set(kept), kept[0], kept[-1]
    places: dict[int, str] = {}
    for row, (block, box) in enumerate(zip(blocks.image_block, blocks.image_box, strict=True)):
        if block in chosen and blocks.box[block] == box:
            places[row] = INSIDE
        elif first < block <= last and (block in chosen or block - 1 in chosen):
            places[row] = BETWEEN
        elif block == first:
            places[row] = BEFORE
    return places
