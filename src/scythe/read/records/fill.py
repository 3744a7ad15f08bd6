"""Fill a region: where its records are on a page comes in, records with named columns, links and images go out."""

from __future__ import annotations

from bisect import bisect_left
from html import escape

from scythe.model import Record, Region
from scythe.page import Page
from scythe.page.elements import Elements
from scythe.page.images import source_of
from scythe.read.records.candidate import Candidate
from scythe.read.records.column_names import make_unique, name_columns
from scythe.read.records.columns import align
from scythe.read.records.order import arrange
from scythe.read.records.pattern import pattern_of
from scythe.read.records.portrait import Column, draw
from scythe.read.records.table import name_by_heads, read_heads, read_table
from scythe.url import Url, absolute

_SPANS = "[rowspan],[colspan]"


def fill_region(page: Page, candidate: Candidate, score: float, kind: str) -> Region:
    """Return the region of a candidate; texts of its records are in columns, "" where a record has none."""
    return fill_placed(page, candidate, score, kind)[0]


def fill_placed(page: Page, candidate: Candidate, score: float, kind: str) -> tuple[Region, Candidate]:
    """Return the region of a candidate, and where its records are: rows of a table's head are none of them."""
    elements = page.elements
    candidate, columns, names = _find_columns(page, candidate)
    fields = _fill_fields(columns, len(candidate.rows))
    links, images = _find_links(page, candidate), _find_images(page, candidate)
    records = tuple(
        Record(tuple(fields[i]), links[i], images[i], _html_of(elements, *candidate.rows[i], *candidate.leaves[i]))
        for i in range(len(candidate.rows))
    )
    return Region(records, names, kind, score, _pattern_of(elements, candidate)), candidate


def _pattern_of(elements: Elements, candidate: Candidate) -> str:
    """Return the tag tree that the records share, "" where they are bare text."""
    return str(pattern_of(elements, candidate)) if any(first < last for first, last in candidate.rows) else ""


def _find_columns(page: Page, candidate: Candidate) -> tuple[Candidate, list[Column], tuple[str, ...]]:
    """Return the records without rows of a table's head, and their columns with names."""
    elements = page.elements
    first, last = candidate.rows[0] if candidate.rows else (0, 0)
    heads: dict[int, str] = {}
    if first < last and elements.tag[first] == "tr":
        spans = page.tree.css_first(_SPANS) is not None
        table = read_table(elements, candidate, spans)
        if table is not None:
            columns = [draw(elements, cells, table.candidate) for cells in table.columns]
            return table.candidate, columns, _name(columns, len(table.candidate.rows), table.heads)
        candidate, heads = read_heads(elements, candidate, spans)
    columns = arrange(elements, candidate, align(elements, candidate))
    said = name_by_heads(elements, candidate, [column.cells for column in columns], heads) if heads else []
    return candidate, columns, _name(columns, len(candidate.rows), said)


def _name(columns: list[Column], records: int, heads: list[str]) -> tuple[str, ...]:
    """Name columns by the head of their table, those it says nothing of by what they hold."""
    guessed = name_columns(columns, records)
    return make_unique(head or name for head, name in zip(heads, guessed, strict=True)) if heads else guessed


def _fill_fields(columns: list[Column], records: int) -> list[list[str]]:
    fields = [[""] * len(columns) for _ in range(records)]
    for place, column in enumerate(columns):
        for (_, _, record), text in zip(column.cells, column.texts, strict=True):
            before = fields[record][place]
            fields[record][place] = f"{before} {text}" if before else text
    return fields


def _find_links(page: Page, candidate: Candidate) -> list[tuple[Url, ...]]:
    """Return the addresses that each record links to, each once; a link around the record comes first."""
    hrefs, base = page.elements.href, page.base
    linked = sorted(hrefs)
    found: list[tuple[Url, ...]] = []
    for record, (first, last) in enumerate(candidate.rows):
        rows = linked[bisect_left(linked, first) : bisect_left(linked, last)]
        around = _link_around(page.elements, candidate, record)
        if around is not None:
            rows.insert(0, around)
        written = dict.fromkeys([hrefs[row] for row in rows])  # most link several times to the same
        found.append(tuple(dict.fromkeys([url for text in written if (url := absolute(text, base)) is not None])))
    return found


def _link_around(elements: Elements, candidate: Candidate, record: int) -> int | None:
    """Return the link that a record, and no other record, is inside of."""
    first, last = candidate.rows[record]
    row = elements.parent[first] if first < last else -1
    before = candidate.rows[record - 1][1] if record else 0
    after = candidate.rows[record + 1][0] if record + 1 < len(candidate.rows) else len(elements)
    while row > candidate.holder and row >= before and elements.end[row] <= after:
        if row in elements.href:
            return row
        row = elements.parent[row]
    return None


def _find_images(page: Page, candidate: Candidate) -> list[tuple[Url, ...]]:
    """Return the addresses of the images that each record shows, each once."""
    tags, nodes, base = page.elements.tag, page.elements.node, page.base
    shown = [_find_rows(tags, first, last) for first, last in candidate.rows]
    sources = {row: source_of(nodes[row], base) for rows in shown for row in rows}
    if None in sources.values():  # a placeholder: reading all images of the page tells what it stands for
        sources = {row: page.image_sources.get(nodes[row].mem_id) for row in sources}
    return [tuple(dict.fromkeys(src for row in rows if (src := sources[row]) is not None)) for rows in shown]


def _find_rows(tags: list[str], first: int, last: int) -> list[int]:
    """Return the rows of images."""
    inside = tags[first:last]
    if "img" not in inside and "amp-img" not in inside:
        return []
    return [first + place for place, tag in enumerate(inside) if tag in ("img", "amp-img")]


def _html_of(elements: Elements, first: int, last: int, start: int, end: int) -> str:
    """Return the elements of a record as written, with the text around them escaped."""
    parts = []
    while first < last:
        if start < elements.leaf_start[first]:
            parts.append(_escaped(elements, start, elements.leaf_start[first]) + " ")
        parts.append(elements.node[first].html or "")
        start = elements.leaf_end[first]
        first = elements.end[first]
    if start < end:
        parts.append(" " * bool(parts) + _escaped(elements, start, end))
    return "".join(parts)


def _escaped(elements: Elements, start: int, end: int) -> str:
    return escape(" ".join(elements.text[start:end]), quote=False)
