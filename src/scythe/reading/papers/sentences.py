"""The sentence counter of Radilova et al. (2022): keep every `div` of at least five sentences, else the body.

M. Radilova, P. Kamencay, R. Hudec, M. Benco, R. Radil: Tool for Parsing Important Data from Web Pages. Applied Sciences
12 (2022) 12031. Sentences are pieces between "dot + space". docs/why/papers.md has the open points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scythe.model import Reading, TextOptions
from scythe.page import Page
from scythe.page.blocks import Blocks


def innermost(blocks: Blocks, tag: str) -> list[int]:
    """Return for every box the nearest box called `tag`, itself included; 0, the root, where there is none."""
    homes = [0] * len(blocks.box_tag)
    for box in range(1, len(homes)):  # parents come before children
        homes[box] = box if blocks.box_tag[box] == tag else homes[blocks.box_parent[box]]
    return homes


def images_inside(blocks: Blocks, boxes: Sequence[int]) -> tuple[int, ...]:
    """Return the images anywhere inside the given boxes."""
    inside = [False] * len(blocks.box_tag)
    for box in boxes:
        inside[box] = True
    for box in range(1, len(inside)):
        inside[box] = inside[box] or inside[blocks.box_parent[box]]
    return tuple(i for i, box in enumerate(blocks.image_box) if inside[box])


def body_of(blocks: Blocks) -> int | None:
    """Return the body's box, or None on a page without one (a frame set)."""
    return next((box for box, tag in enumerate(blocks.box_tag) if tag == "body"), None)


# Chinese and Japanese, Hindi, Urdu, Armenian, Amharic: scripts whose full stop is not a dot, or takes no space
FULL_STOPS = "\u3002\u0964\u06d4\u0589\u1362"


@dataclass(frozen=True, slots=True)
class BlockChoice:
    """The elements that one search chose and the blocks taken from them, in page order."""

    boxes: tuple[int, ...] = ()
    blocks: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Sentences:
    """The method with its parameters."""

    minimum: int = 5  # sentences
    full_stops: str = FULL_STOPS  # marks that end a sentence without a space; none in the paper
    printed: bool = False  # take whole elements, unless their HTML begins with a div, as the paper's listing does

    def __call__(self, page: Page, options: TextOptions) -> Reading:
        """Keep the text of all divs that hold enough sentences, or the whole body when none does."""
        blocks = page.blocks
        ends = [self.count_ends(text) for text in blocks.text]
        choice = self._choose_printed(blocks, ends) if self.printed else self._choose(blocks, ends)
        choice = choice if choice.blocks else self._choose_body(blocks, ends)
        if not choice.blocks:
            return Reading("sentences", why=f"no div and no body of at least {self.minimum} sentences")
        return Reading("sentences", kept=choice.blocks, images=images_inside(blocks, choice.boxes))

    def count_ends(self, text: str) -> int:
        """Count the sentences that end in a block of text; its end is white space too."""
        ends = text.count(". ") + text.endswith(".")
        return ends if text.isascii() else ends + sum(map(text.count, self.full_stops))

    def _choose(self, blocks: Blocks, ends: Sequence[int]) -> BlockChoice:
        # first protection against duplicates: a line belongs to its innermost div alone
        homes = innermost(blocks, "div")
        held: dict[int, list[int]] = {}
        for block, box in enumerate(blocks.box):
            held.setdefault(homes[box], []).append(block)
        boxes = sorted(box for box, own in held.items() if box and self._suffices(blocks, ends, own))
        kept: list[int] = []
        seen: set[str] = set()
        for box in boxes:
            text = " ".join(blocks.text[i] for i in held[box])
            if text not in seen:  # second protection: text taken before is not taken again
                seen.add(text)
                kept.extend(held[box])
        return BlockChoice(tuple(boxes), tuple(sorted(kept)))

    def _choose_printed(self, blocks: Blocks, ends: Sequence[int]) -> BlockChoice:
        before = [0]  # sentence ends in all blocks before
        for count in ends:
            before.append(before[-1] + count)
        boxes: list[int] = []
        kept: list[int] = []
        seen: set[str] = set()
        covered = 0
        for box, tag in enumerate(blocks.box_tag):
            start, end = blocks.box_start[box], blocks.box_end[box]
            if tag != "div" or start < covered or start == end or _begins_with_div(blocks, box):
                continue
            if before[end] - before[start] + self._is_open(blocks.text[end - 1]) < self.minimum:
                continue
            covered = end
            text = " ".join(blocks.text[start:end])
            if text not in seen:
                seen.add(text)
                boxes.append(box)
                kept.extend(range(start, end))
        return BlockChoice(tuple(boxes), tuple(kept))

    def _choose_body(self, blocks: Blocks, ends: Sequence[int]) -> BlockChoice:
        body = body_of(blocks)
        if body is None:
            return BlockChoice()
        span = range(blocks.box_start[body], blocks.box_end[body])
        return BlockChoice((body,), tuple(span)) if self._suffices(blocks, ends, span) else BlockChoice()

    def _suffices(self, blocks: Blocks, ends: Sequence[int], own: Sequence[int]) -> bool:
        return bool(own) and sum(ends[i] for i in own) + self._is_open(blocks.text[own[-1]]) >= self.minimum

    def _is_open(self, text: str) -> bool:
        # the piece after the last end counts as a sentence, as it does when the text is split
        return not text.endswith((".", *self.full_stops))


read = Sentences()


def _begins_with_div(blocks: Blocks, box: int) -> bool:
    node = blocks.box_node[box].first_child
    while node is not None and (node.tag or "-").startswith(("-", "!", "_")):
        if node.tag == "-text" and (node.text_content or "").strip():
            return False
        node = node.next
    return node is not None and node.tag == "div"
