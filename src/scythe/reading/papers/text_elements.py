"""Number all elements and text leaves of a page, for the published density and path methods, which count every tag."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from scythe.page import Page
from scythe.page.elements import blocks_of_leaves


@dataclass(slots=True)
class TextElements:
    """Columns of one page; element 0 is the root. Filled by `number_elements`, read-only afterwards."""

    # one row per element, parents before children
    parent: list[int] = field(default_factory=list)
    tag: list[str] = field(default_factory=list)
    end: list[int] = field(default_factory=list)  # elements i:end[i] are element i and all inside it
    leaf_start: list[int] = field(default_factory=list)  # leaves leaf_start[i]:leaf_end[i] lie inside element i
    leaf_end: list[int] = field(default_factory=list)
    # one row per text leaf, page order; blank ones are left out
    leaf_text: list[str] = field(default_factory=list)  # white space squeezed
    leaf_parent: list[int] = field(default_factory=list)
    leaf_block: list[int] = field(default_factory=list)  # the block it belongs to
    leaf_linked: list[bool] = field(default_factory=list)  # inside a hyperlink

    def blocks_inside(self, element: int) -> tuple[int, int]:
        """Return the first block that has a leaf inside `element`, and the one after the last."""
        start, end = self.leaf_start[element], self.leaf_end[element]
        return (self.leaf_block[start], self.leaf_block[end - 1] + 1) if start < end else (0, 0)


def number_elements(page: Page) -> TextElements:
    """Return the elements of a page and the leaves of its blocks."""
    elements, blocks = page.elements, page.blocks
    inside = np.zeros(len(elements.text) + 1, dtype=np.int64)
    for row, tag in enumerate(elements.tag):
        if tag == "a":
            inside[elements.leaf_start[row]] += 1
            inside[elements.leaf_end[row]] -= 1
    return TextElements(
        list(elements.parent),
        elements.tag,
        list(elements.end),
        list(elements.leaf_start),
        list(elements.leaf_end),
        elements.text,
        list(elements.leaf_row),
        blocks_of_leaves(elements, blocks).tolist(),
        (np.cumsum(inside[:-1]) > 0).tolist(),
    )
