"""Tell tables of data from tables of layout: the blocks of a page come in, the cells that belong to data go out."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate

from scythe.page.blocks import Blocks

_LONG_CELL = (
    1_000  # characters; no data cell of the page sets comes near, an article in a layout cell passes it at once
)
_SHORT_CELL = 200
_FEW_BLOCKS = 4  # a cell of data holds a value or a short list, a cell of layout holds a part of the page
_SHARE = 0.8  # of the filled cells must be short


@dataclass(slots=True)
class Grid:
    """The data tables of one page, by box number."""

    table_of: dict[int, int] = field(default_factory=dict)  # cell -> its table
    row_of: dict[int, int] = field(default_factory=dict)  # cell -> its row
    column_of: dict[int, int] = field(default_factory=dict)  # cell -> its place in the row, from 0, spans not counted
    cells: dict[int, list[int]] = field(default_factory=dict)  # row -> its cells


def find_grid(blocks: Blocks) -> Grid:
    """Return the cells of all tables that hold data: two columns or more, mostly short cells, no table inside."""
    grid = Grid()
    if "tr" not in blocks.box_tag:
        return grid
    ends = [0, *accumulate(map(len, blocks.text))]
    rows = _rows_by_table(blocks)
    outer = _tables_with_tables(blocks, rows)
    for table, cells in rows.items():
        if table not in outer and _holds_data(blocks, table, cells, ends):
            _enter(grid, table, cells)
    return grid


def _rows_by_table(blocks: Blocks) -> dict[int, dict[int, list[int]]]:
    parents, tags = blocks.box_parent, blocks.box_tag
    tables: dict[int, dict[int, list[int]]] = {}
    for box, tag in enumerate(tags):
        if tag != "td" and tag != "th":
            continue
        row = parents[box]
        table = parents[row] if row >= 0 else -1
        if table >= 0 and tags[table] in ("tbody", "thead", "tfoot"):
            table = parents[table]
        if table >= 0 and tags[row] == "tr" and tags[table] == "table":
            tables.setdefault(table, {}).setdefault(row, []).append(box)
    return tables


def _tables_with_tables(blocks: Blocks, rows: dict[int, dict[int, list[int]]]) -> set[int]:
    outer: set[int] = set()
    for table in rows:
        box = blocks.box_parent[table]
        while box >= 0 and box not in outer:  # stops at the first table known to be outer: linear over all tables
            if blocks.box_tag[box] == "table":
                outer.add(box)
                break
            box = blocks.box_parent[box]
    return outer


def _holds_data(blocks: Blocks, table: int, rows: dict[int, list[int]], ends: list[int]) -> bool:
    if "presentation" in blocks.box_names[table].split():
        return False
    if max(map(len, rows.values())) < 2:
        return False
    filled = short = 0
    for cells in rows.values():
        for cell in cells:
            start, end = blocks.box_start[cell], blocks.box_end[cell]
            chars = ends[end] - ends[start]
            if chars > _LONG_CELL:
                return False
            filled += chars > 0
            short += 0 < chars <= _SHORT_CELL and end - start <= _FEW_BLOCKS
    return filled >= 2 and short >= filled * _SHARE


def _enter(grid: Grid, table: int, rows: dict[int, list[int]]) -> None:
    for row, cells in rows.items():
        grid.cells[row] = cells
        for column, cell in enumerate(cells):
            grid.table_of[cell] = table
            grid.row_of[cell] = row
            grid.column_of[cell] = column
