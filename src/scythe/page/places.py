"""Find the images that stand with chosen blocks: block numbers come in, image rows with their places go out."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from scythe.page.blocks import Blocks

INSIDE, BETWEEN, BEFORE = "inside", "between", "before"

_PICTURE_NAMES = ("caption", "figure", "image", "img", "media", "photo", "picture")
_CAPTION_BLOCKS = 4  # caption, credit and the like; a figure with more words is a box of teasers


def image_places(blocks: Blocks, kept: Sequence[int]) -> dict[int, str]:
    """Map rows of the image columns to their place: inside a kept block, between two, or right before the first.

    An image outside of blocks counts only next to a kept one, and not where the box it shares with other words lost all
    of them: adverts and teasers have their own images. A figure may lose its caption and keep its image.
    """
    if not kept:
        return {}
    chosen, first, last = set(kept), kept[0], kept[-1]
    groups = _Groups(blocks, kept)
    places: dict[int, str] = {}
    for row, (block, box) in enumerate(zip(blocks.image_block, blocks.image_box, strict=True)):
        if block in chosen and blocks.box[block] == box:
            places[row] = INSIDE
        elif first <= (after := groups.next_block(box, block)) <= last:
            before = groups.block_before(box, block)
            if after in chosen or before in chosen:
                places[row] = BEFORE if before < first else BETWEEN
    return places


class _Groups:
    """Knows for each box the words that an image in it stands with."""

    def __init__(self, blocks: Blocks, kept: Sequence[int]) -> None:
        self._blocks = blocks
        self._kept = kept
        self._known: dict[int, tuple[int, bool]] = {}  # box -> innermost box with words, a figure on the way there

    def next_block(self, box: int, block: int) -> int:
        """Return the block after an image, past its own caption; -1 in a box of which no words were kept."""
        group, pictured = self._group(box)
        if self._has_kept(group):
            return block
        start, end = self._blocks.box_start[group], self._blocks.box_end[group]
        return end if pictured and end - start <= _CAPTION_BLOCKS else -1

    def block_before(self, box: int, block: int) -> int:
        """Return the block before an image and its caption."""
        group, _ = self._group(box)
        return block - 1 if self._has_kept(group) else self._blocks.box_start[group] - 1

    def _has_kept(self, box: int) -> bool:
        end = bisect_left(self._kept, self._blocks.box_end[box])
        return end > bisect_left(self._kept, self._blocks.box_start[box])

    def _group(self, box: int) -> tuple[int, bool]:
        blocks, path = self._blocks, []
        while box not in self._known:
            if box == 0 or blocks.box_end[box] > blocks.box_start[box]:
                self._known[box] = (box, self._is_figure(box))
                break
            path.append(box)
            box = blocks.box_parent[box]
        group, pictured = self._known[box]
        for box in reversed(path):
            pictured = pictured or self._is_figure(box)
            self._known[box] = (group, pictured)
        return group, pictured

    def _is_figure(self, box: int) -> bool:
        if self._blocks.box_tag[box] == "figure":
            return True
        names = self._blocks.box_names[box].lower()
        return any(name in names for name in _PICTURE_NAMES)
