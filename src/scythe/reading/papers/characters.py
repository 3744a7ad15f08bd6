"""The character counter of Joshi and Liu (DocEng 2009): keep the first `div` with 500 characters in its own paragraphs.

As described, and used as baseline, by Radilova et al. (2022), see `sentences`.
"""

from __future__ import annotations

from dataclasses import dataclass

from scythe.model import Reading, TextOptions
from scythe.page import Page
from scythe.page.blocks import Blocks
from scythe.reading.papers.sentences import body_of, images_inside

MIN_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class Characters:
    """The method with its parameter."""

    minimum: int = MIN_CHARACTERS

    def __call__(self, page: Page, options: TextOptions) -> Reading:
        """Keep the first div that has enough text in paragraphs of its own, or the body when it has enough in all."""
        blocks = page.blocks
        box = choose(blocks, self.minimum)
        if box is None:
            return Reading("characters", why=f"no div and no body of at least {self.minimum} characters")
        kept = tuple(range(blocks.box_start[box], blocks.box_end[box]))
        return Reading("characters", kept=kept, images=images_inside(blocks, [box]))


read = Characters()


def choose(blocks: Blocks, minimum: int = MIN_CHARACTERS) -> int | None:
    """Return the number of the chosen box. Linear in boxes and blocks."""
    sizes = [0] * len(blocks.box_tag)
    for text, box in zip(blocks.text, blocks.box, strict=True):
        # paragraphs are made by div, p and br: a p's text counts for the div around it
        sizes[blocks.box_parent[box] if blocks.box_tag[box] == "p" and box else box] += len(text)
    for box, size in enumerate(sizes):
        if size >= minimum and blocks.box_tag[box] == "div":
            return box
    body = body_of(blocks)
    if body is None or sum(map(len, blocks.text[blocks.box_start[body] : blocks.box_end[body]])) < minimum:
        return None
    return body
