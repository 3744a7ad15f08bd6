"""Read an HTML data table as records, with column names from its header rows.

A cell spanning rows is repeated in each; one spanning columns is placed in the first. The work is linear in the cells,
whatever the spans claim.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scythe.page.elements import Elements
from scythe.reading.lists.candidates import Candidate

if TYPE_CHECKING:
    from scythe.page.map import Node

WIDE = 1_000  # columns; what stands further right is joined in the last. The HTML standard clamps colspan there
_FIELDS = 4_000_000  # records x columns of one table
_FEWEST = 64  # columns that any table may have
_REPEATS = 10  # cells that rows above may hand down, for each cell of the table; beyond, rowspans are ignored
_FREE_REPEATS = 10_000
_SIMPLE = 1.5  # texts in a filled cell of a table of data, on average
_NAME_CHARS = 80
_GROUPS = ("thead", "tbody", "tfoot")

Cell = tuple[int, int, int]  # first leaf, one after the last, record
Placed = tuple[int, int, int]  # grid column, row of the element, columns it spans


@dataclass(frozen=True, slots=True)
class DataTable:
    """A table of data."""

    candidate: Candidate  # without the rows of the head
    columns: list[list[Cell]]
    heads: list[str]  # what the head says of each column, "" where nothing


def read_table(elements: Elements, candidate: Candidate, spans: bool) -> DataTable | None:
    """Return the table that the records are rows of, or None where they are none or hold more than values.

    `spans` says whether any cell of the page spans rows or columns; without, no attribute is read.
    """
    table = _table_of(elements, candidate)
    if table is None or not _holds_values(elements, candidate):
        return None
    rows = _rows_of(elements, table)
    heads = _find_heads(elements, rows)
    body = drop_heads(candidate, heads)
    places = {first: record for record, (first, _) in enumerate(body.rows)}
    wide = min(WIDE, max(_FEWEST, _FIELDS // max(1, len(places))))
    columns: dict[int, list[Cell]] = {}
    names: dict[int, list[str]] = {}
    for row, cells in zip(rows, _lay_out(elements, rows, spans), strict=True):
        if row in heads:
            _name(elements, cells, names, wide)
        elif row in places:
            for column, cell, _ in cells:
                span = (elements.leaf_start[cell], elements.leaf_end[cell], places[row])
                if span[0] < span[1]:
                    columns.setdefault(min(column, wide - 1), []).append(span)
    kept = sorted(columns)
    return DataTable(body, [columns[column] for column in kept], [" ".join(names.get(column, ())) for column in kept])


def read_heads(elements: Elements, candidate: Candidate, spans: bool) -> tuple[Candidate, dict[int, str]]:
    """Return records that are rows of any table without those of its head, and what this says of the cells by place."""
    table = _table_of(elements, candidate)
    if table is None:
        return candidate, {}
    rows = _rows_of(elements, table)
    heads = _find_heads(elements, rows)
    names: dict[int, list[str]] = {}
    head_rows = [row for row in rows if row in heads]
    for cells in _lay_out(elements, head_rows, spans):
        _name(elements, cells, names, WIDE)
    return drop_heads(candidate, heads), {place: " ".join(said) for place, said in names.items()}


def name_by_heads(
    elements: Elements, candidate: Candidate, columns: list[list[Cell]], heads: dict[int, str]
) -> list[str]:
    """Return what the head says of each column that has a cell of the table for itself, "" for others."""
    places = [_place_of(elements, candidate, cells[0]) for cells in columns]
    return [heads.get(place, "") if places.count(place) == 1 else "" for place in places]


def _place_of(elements: Elements, candidate: Candidate, cell: Cell) -> int:
    """Return the number of the table cell that a text stands in, -1 where it is in none."""
    start, _, record = cell
    inside = [row for row in elements.children(candidate.rows[record][0]) if elements.leaf_start[row] <= start]
    return len(inside) - 1 if inside and start < elements.leaf_end[inside[-1]] else -1


def _table_of(elements: Elements, candidate: Candidate) -> int | None:
    """Return the row of the table whose rows the records are, one each."""
    tags, parents, found = elements.tag, elements.parent, None
    for first, last in candidate.rows:
        if first >= last or tags[first] != "tr" or elements.end[first] != last:
            return None
        above = parents[first]
        if above >= 0 and tags[above] in _GROUPS:
            above = parents[above]
        if found is None:
            found = above
        if above != found or above < 0:
            return None
    return found


def _holds_values(elements: Elements, candidate: Candidate) -> bool:
    """Say whether the cells hold a value each rather than parts of a page."""
    tags, ends, starts, lasts = elements.tag, elements.end, elements.leaf_start, elements.leaf_end
    texts = filled = widest = 0
    for first, last in candidate.rows:
        row, cells = first + 1, 0
        while row < last:
            count = lasts[row] - starts[row]
            texts += count
            filled += count > 0
            cells += 1
            if count > 1 and "table" in tags[row : ends[row]]:
                return False
            row = ends[row]
        widest = max(widest, cells)
    return widest > 1 and 0 < texts <= _SIMPLE * filled


def _rows_of(elements: Elements, table: int) -> list[int]:
    """Return the rows of a table, without those of tables inside it."""
    rows = []
    for child in elements.children(table):
        if elements.tag[child] == "tr":
            rows.append(child)
        elif elements.tag[child] in _GROUPS:
            rows.extend(row for row in elements.children(child) if elements.tag[row] == "tr")
    return rows


def _find_heads(elements: Elements, rows: list[int]) -> set[int]:
    """Return the rows that name the columns: those of the thead, or the first ones if all their cells are heads."""
    tags, parents = elements.tag, elements.parent
    heads = {row for row in rows if tags[parents[row]] == "thead"}
    if len(heads) == len(rows):
        heads = set()
    for row in rows:
        if row in heads:
            continue
        if not is_head(elements, row):
            break
        heads.add(row)
    return heads if len(heads) < len(rows) else set()


def is_head(elements: Elements, row: int) -> bool:
    """Say whether all cells of a row are head cells, two at least."""
    cells = elements.children(row)
    return len(cells) > 1 and all(elements.tag[cell] == "th" for cell in cells)


def drop_heads(candidate: Candidate, heads: set[int]) -> Candidate:
    """Return the candidate without records that are rows of the head, unless nothing would be left."""
    if heads.isdisjoint(first for first, _ in candidate.rows):
        return candidate
    kept = [place for place, (first, _) in enumerate(candidate.rows) if first not in heads]
    if not kept:
        return candidate
    rows, leaves = tuple(candidate.rows[i] for i in kept), tuple(candidate.leaves[i] for i in kept)
    return Candidate(candidate.found, candidate.holder, rows, leaves)


def _lay_out(elements: Elements, rows: list[int], spans: bool) -> list[list[Placed]]:
    """Return the cells of each row with their columns, cells handed down by rowspan among them."""
    tags, ends, nodes = elements.tag, elements.end, elements.node
    grid: list[list[Placed]] = []
    handed: dict[int, tuple[int, int, int]] = {}  # column -> rows it still reaches, element, columns it spans
    repeats = _FREE_REPEATS + _REPEATS * (ends[rows[-1]] - rows[0] if rows else 0)
    group = -1
    for row in rows:
        if elements.parent[row] != group:  # no cell reaches out of its thead, tbody or tfoot
            group, handed = elements.parent[row], {}
        cells: list[Placed] = []
        taken: set[int] = set()
        for column, (left, cell, wide) in list(handed.items()):
            cells.append((column, cell, wide))
            taken.update(range(column, column + wide))
            repeats -= wide
            if left > 1:
                handed[column] = (left - 1, cell, wide)
            else:
                del handed[column]
        column, cell = 0, row + 1
        while cell < ends[row]:
            if tags[cell] in ("td", "th"):
                while column in taken:
                    column += 1
                wide, tall = _read_spans(nodes[cell]) if spans else (1, 1)
                wide = max(1, min(wide, WIDE - column))
                cells.append((column, cell, wide))
                if tall > 1:
                    handed[column] = (tall - 1, cell, wide)
                column += wide
            cell = ends[cell]
        if repeats < 0:
            handed.clear()
        cells.sort()
        grid.append(cells)
    return grid


def _read_spans(node: Node) -> tuple[int, int]:
    """Return columns and rows that a cell spans; a rowspan of 0 reaches down to the end."""
    attributes = node.attributes
    if not attributes:
        return 1, 1
    wide, tall = attributes.get("colspan") or "1", attributes.get("rowspan") or "1"
    return min(_number(wide), WIDE), _number(tall) or WIDE * WIDE


def _number(text: str) -> int:
    digits = text.strip()[:10]
    return int(digits) if digits.isdecimal() and digits.isascii() else 1


def _name(elements: Elements, cells: list[Placed], names: dict[int, list[str]], wide: int) -> None:
    """Add what a row of the head says to the names of the columns below it."""
    for column, cell, span in cells:
        text = " ".join(elements.text[elements.leaf_start[cell] : elements.leaf_end[cell]])[:_NAME_CHARS]
        for place in range(column, min(column + span, wide)) if text else ():
            said = names.setdefault(place, [])
            if text not in said:
                said.append(text)
