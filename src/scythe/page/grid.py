"""Tell tables of data from tables of layout: the blocks of a page come in, the cells that belong to data go out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import accumulate

from scythe.page.blocks import Blocks

_LONG_CELL = (
    1_000  # characters; no data cell of the page sets comes near, an article in a layout cell passes it at once
)
_SHORT_CELL = 200
_FEW_BLOCKS = 4  # a cell of data holds a value or a short list, a cell of layout holds a part of the page
_CELLS = frozenset({"td", "th"})
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
    row_of = _rows_by_cell(blocks)
    table_of = _tables_by_row(blocks, set(row_of.values()))
    outer = _tables_with_tables(blocks, set(table_of.values()))
    for table, cells in _rows_by_table(row_of, table_of).items():
        if table not in outer and _holds_data(blocks, table, cells, ends):
            _enter(grid, table, cells)
    return grid


def _rows_by_cell(blocks: Blocks) -> dict[int, int]:
    """Return the box around each cell."""
    parents = blocks.box_parent
    return {box: parents[box] for box, tag in enumerate(blocks.box_tag) if tag in _CELLS}


def _tables_by_row(blocks: Blocks, rows: set[int]) -> dict[int, int]:
    """Return the table of each row, where it is one."""
    parents, tags = blocks.box_parent, blocks.box_tag
    tables: dict[int, int] = {}
    for row in rows:
        table = parents[row] if row >= 0 else -1
        if table >= 0 and tags[table] in ("tbody", "thead", "tfoot"):
            table = parents[table]
        if table >= 0 and tags[row] == "tr" and tags[table] == "table":
            tables[row] = table
    return tables


def _rows_by_table(row_of: dict[int, int], table_of: dict[int, int]) -> dict[int, dict[int, list[int]]]:
    """Return the cells by table and row, of the tables that have two cells in a row somewhere: others hold no data."""
    wide = {table_of[row] for row, count in Counter(row_of.values()).items() if count > 1 and row in table_of}
    tables: dict[int, dict[int, list[int]]] = {}
    if wide:
        for cell, row in row_of.items():
            table = table_of.get(row, -1)
            if table in wide:
                tables.setdefault(table, {}).setdefault(row, []).append(cell)
    return tables


def _tables_with_tables(blocks: Blocks, tables: set[int]) -> set[int]:
    outer: set[int] = set()
    for table in tables:
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
