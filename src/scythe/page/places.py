"""Find the images that stand with chosen blocks: block numbers come in, image rows with their places go out."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from scythe.page.blocks import Blocks

INSIDE, BETWEEN, BEFORE = "inside", "between", "before"

_PICTURE_NAMES = ("caption", "figure", "image", "img", "media", "photo", "picture")


def image_places(blocks: Blocks, kept: Sequence[int]) -> dict[int, str]:
    """Map rows of the image columns to their place: inside a kept block, between two, or right before the first.

    An image between two kept blocks counts only next to one of them, and not where the box it shares with other words
    lost all of them: adverts and teasers have their own images.
    """
    if not kept:
        return {}
    chosen, first, last = set(kept), kept[0], kept[-1]
    foreign = _ForeignBoxes(blocks, kept)
    places: dict[int, str] = {}
    for row, (block, box) in enumerate(zip(blocks.image_block, blocks.image_box, strict=True)):
        if block in chosen and blocks.box[block] == box:
            places[row] = INSIDE
        elif first <= block <= last and (block in chosen or block - 1 in chosen) and not foreign.holds(box):
            places[row] = BEFORE if block == first else BETWEEN
    return places


class _ForeignBoxes:
    """Tells boxes whose words were all left out; figures and their like may lose a caption and keep the image."""

    def __init__(self, blocks: Blocks, kept: Sequence[int]) -> None:
        self._blocks = blocks
        self._kept = kept
        self._known: dict[int, bool] = {}

    def holds(self, box: int) -> bool:
        """Say whether the innermost box around an image that has any words lost all of them."""
        path = []
        while box not in self._known:
            path.append(box)
            decided = self._decide(box)
            if decided is not None:
                self._known[box] = decided
                break
            box = self._blocks.box_parent[box]
        found = self._known[box]
        for passed in path:
            self._known[passed] = found
        return found

    def _decide(self, box: int) -> bool | None:
        blocks = self._blocks
        start, end = blocks.box_start[box], blocks.box_end[box]
        if box == 0 or bisect_left(self._kept, end) > bisect_left(self._kept, start):
            return False
        if blocks.box_tag[box] == "figure" or any(name in blocks.box_names[box].lower() for name in _PICTURE_NAMES):
            return False
        return True if end > start else None
