"""Cut the main text of a page out of its map: what rendering the chosen blocks of the page gives, and nothing else.

A rule leads to elements; the blocks inside them, without those of dropped elements and hidden boxes, are rendered as
`page.content` renders them. Markdown, HTML and images come from there, when someone asks for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from scythe.page import Page
from scythe.page.blocks import Blocks, read_blocks
from scythe.page.content import MarkImages, PageContent
from scythe.page.map import PageMap
from scythe.page.where import SourcePlaces
from scythe.site.evidence import leaf_rows
from scythe.site.rules import TextRule


@dataclass(frozen=True, slots=True)
class CutText:
    """The main text of one page, and where it stands."""

    text: str
    span: tuple[int, int]  # bytes of the source of the map
    roots: Sequence[int]
    drops: Sequence[int]  # elements inside that were left out


def cut_text(page: PageMap, rule: TextRule, roots: Sequence[int]) -> CutText:
    """Return the text of some elements without what the rule drops."""
    text, start, end, dropped = page.cut_text(roots, rule.dropped)
    return CutText(text, (start, end), roots, dropped)


def chosen_blocks(page: PageMap, rows: Sequence[int], dropped: Sequence[int]) -> tuple[Blocks, list[int]]:
    """Return the blocks of the innermost element around the chosen ones, and which of them are shown inside those."""
    top = rows[0] if len(rows) == 1 else _around(page, rows)
    blocks = read_blocks(page, top, page.mem_ids(dropped))
    kept = _visible(blocks)
    if len(rows) == 1:
        return blocks, kept
    inside = np.zeros(len(page.run_row) + 1, bool)
    for row in rows:
        inside[page.run_from[row] : page.run_to[row]] = True
    leaves = leaf_rows(page, blocks)
    runs = np.array([~leaves[at] if leaves[at] < 0 else -1 for at in blocks.leaf_start], np.int64)
    return blocks, [block for block in kept if inside[runs[block]]]


def kept_in_page(page: Page, mapped: PageMap, cut: CutText) -> tuple[int, ...]:
    """Return the blocks of the whole page that a text was cut from."""
    blocks = page.blocks
    inside = np.zeros(len(mapped.run_row) + 1, bool)
    for rows, is_kept in ((cut.roots, True), (cut.drops, False)):
        for row in rows:
            inside[mapped.run_from[row] : mapped.run_to[row]] = is_kept
    leaves = leaf_rows(mapped, blocks)
    runs = np.array([~leaves[at] if leaves[at] < 0 else -1 for at in blocks.leaf_start], np.int64)
    return tuple(block for block in _visible(blocks) if inside[runs[block]])


def cut_content(
    page: Page, mapped: PageMap, cut: CutText, mark_images: MarkImages, *, as_came: bool = False
) -> PageContent:
    """Return the content whose text was cut, to be rendered in other ways."""
    blocks, kept = chosen_blocks(mapped, cut.roots, cut.drops)
    part = replace(page)
    part.__dict__.update(_mapped=(mapped, ()), blocks=blocks, places=SourcePlaces(part, as_came=as_came))
    return PageContent(part, tuple(kept), mark_images=mark_images)


def _around(page: PageMap, rows: Sequence[int]) -> int:
    """Return the innermost element around several."""
    row = rows[0]
    while page.last[row] <= rows[-1]:
        row = int(page.parent[row])
    return row


def _visible(blocks: Blocks) -> list[int]:
    hidden = blocks.box_hidden
    if True not in hidden:
        return list(range(len(blocks)))
    return [block for block, box in enumerate(blocks.box) if not hidden[box]]
