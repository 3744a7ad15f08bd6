"""Render chosen blocks as text: block numbers come in, lines and paragraphs as a reader sees them go out."""

from __future__ import annotations

from collections.abc import Container, Sequence

from scythe.page.blocks import Blocks
from scythe.page.grid import Grid

PRE = frozenset({"pre", "listing", "xmp", "plaintext"})
_TIGHT = frozenset({"li", "dt", "dd", "option"})  # shown line under line, without space between


class Surroundings:
    """Answer which preformatted box and which data cell a box lies in; every box is climbed from once."""

    def __init__(self, blocks: Blocks, grid: Grid) -> None:
        self._blocks = blocks
        self._grid = grid
        self._pre = {box for box, tag in enumerate(blocks.box_tag) if tag in PRE}
        self._pre_memo: dict[int, int] = {}
        self._cell_memo: dict[int, int] = {}

    def pre(self, box: int) -> int:
        """Return the innermost preformatted box around `box`, itself included, or -1."""
        return self._nearest(box, self._pre, self._pre_memo) if self._pre else -1

    def cell(self, box: int) -> int:
        """Return the data cell around `box`, itself included, or -1."""
        cells = self._grid.table_of
        return self._nearest(box, cells, self._cell_memo) if cells else -1

    def _nearest(self, box: int, targets: Container[int], memo: dict[int, int]) -> int:
        parents, path = self._blocks.box_parent, []
        while box >= 0 and box not in targets and box not in memo:
            path.append(box)
            box = parents[box]
        found = memo.get(box, box)
        for passed in path:
            memo[passed] = found
        return found


def render_text(blocks: Blocks, kept: Sequence[int], grid: Grid) -> str:
    """Join the chosen blocks: a blank line between paragraphs, one line per line break, list item and table row.

    Cells of one row are set apart by tabs, one per column passed; preformatted text keeps its line breaks.
    """
    around = Surroundings(blocks, grid)
    boxes, texts = blocks.box, blocks.text
    parts: list[str] = []
    last = -1
    for i in kept:
        box = boxes[i]
        parts.append(_gap(blocks, grid, around, last, i))
        parts.append(texts[i] if around.pre(box) < 0 else preformatted(blocks, i))
        last = i
    return "".join(parts).strip("\n\t ")


def preformatted(blocks: Blocks, block: int) -> str:
    """Return the text of a block with its own line breaks and indents."""
    leaves = blocks.leaves[blocks.leaf_start[block] : blocks.leaf_end[block]]
    raw = "".join(leaf.text_content or "" for leaf in leaves if leaf.tag == "-text")
    return "\n".join(line.rstrip() for line in raw.splitlines()).strip("\n")


def _gap(blocks: Blocks, grid: Grid, around: Surroundings, last: int, i: int) -> str:
    box = blocks.box[i]
    cell = around.cell(box)
    before = blocks.box[last] if last >= 0 else -1
    if cell >= 0:
        gap = _gap_to_cell(grid, around.cell(before) if before >= 0 else -1, cell)
        if gap:
            return gap
    if before < 0:
        return ""
    if blocks.breaks[i] and box == before and i == last + 1:
        return "\n" if blocks.breaks[i] == 1 else "\n\n"
    pre = around.pre(box)
    if pre >= 0 and pre == around.pre(before):
        return "\n"
    tags = blocks.box_tag
    return "\n" if tags[box] in _TIGHT and tags[before] in _TIGHT else "\n\n"


def _gap_to_cell(grid: Grid, before: int, cell: int) -> str:
    if before == cell:
        return " "  # a row stays one line, also where a cell holds several
    column = grid.column_of[cell]
    if before < 0 or grid.table_of[before] != grid.table_of[cell]:
        return "\n\n" + "\t" * column
    if grid.row_of[before] != grid.row_of[cell]:
        return "\n" + "\t" * column
    return "\t" * (column - grid.column_of[before])
