"""Find the images that stand with chosen blocks: block numbers come in, image rows with their places go out."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

from scythe.page.blocks import Blocks

INSIDE, BETWEEN, BEFORE, AFTER = "inside", "between", "before", "after"

_PICTURE_NAMES = ("caption", "figure", "image", "img", "media", "photo", "picture")
_CAPTION_BLOCKS = 4  # caption, credit and the like; a figure with more words is a box of teasers
_MOST = 0.8  # of the kept words lie in the content's box; a title or a note may stand outside
_TEXT_TAGS = frozenset("p li td th dt dd pre h1 h2 h3 h4 h5 h6 blockquote".split())


def content_box(blocks: Blocks, kept: Sequence[int]) -> int:
    """Return the innermost box, above the level of paragraphs, that holds most of the kept words."""
    ends = [0, *accumulate(len(blocks.text[i]) for i in kept)]
    box = blocks.box[max(kept, key=lambda i: len(blocks.text[i]))]
    while box > 0:
        inside = ends[bisect_left(kept, blocks.box_end[box])] - ends[bisect_left(kept, blocks.box_start[box])]
        if inside >= _MOST * ends[-1] and blocks.box_tag[box] not in _TEXT_TAGS:
            break
        box = blocks.box_parent[box]
    return box


def image_places(blocks: Blocks, kept: Sequence[int]) -> dict[int, str]:
    """Map rows of the image columns to their place: inside a kept block, between two, right before or after all.

    An image outside of blocks counts only next to a kept one, and not where the box it shares with other words lost all
    of them: adverts and teasers have their own images. A figure may lose its caption and keep its image. After the last
    block an image must still be inside the box of the content.
    """
    if not kept:
        return {}
    chosen, first, last = set(kept), kept[0], kept[-1]
    groups = _Groups(blocks, kept)
    places: dict[int, str] = {}
    for row, (block, box) in enumerate(zip(blocks.image_block, blocks.image_box, strict=True)):
        if block in chosen and blocks.box[block] == box:
            places[row] = INSIDE
            continue
        before, after = groups.neighbours(box, block)
        if before == last and groups.is_in_content(box):
            places[row] = AFTER
        elif first <= after <= last and (after in chosen or before in chosen):
            places[row] = BEFORE if before < first else BETWEEN
    return places


class _Groups:
    """Knows for each box the words that an image in it stands with."""

    def __init__(self, blocks: Blocks, kept: Sequence[int]) -> None:
        self._blocks = blocks
        self._kept = kept
        self._known: dict[int, tuple[int, bool]] = {}  # box -> innermost box with words, a figure on the way there
        self._in_content: dict[int, bool] = {content_box(blocks, kept): True, 0: False, -1: False}

    def neighbours(self, box: int, block: int) -> tuple[int, int]:
        """Return the blocks before and after an image, past its own caption; -2 in a box that lost all its words."""
        group, pictured = self._group(box)
        if self._has_kept(group):
            return block - 1, block
        start, end = self._blocks.box_start[group], self._blocks.box_end[group]
        return (start - 1, end) if pictured and end - start <= _CAPTION_BLOCKS else (-2, -2)

    def is_in_content(self, box: int) -> bool:
        """Say whether a box lies inside the box of the content."""
        path = []
        while box not in self._in_content:
            path.append(box)
            box = self._blocks.box_parent[box]
        found = self._in_content[box]
        self._in_content.update(dict.fromkeys(path, found))
        return found

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
