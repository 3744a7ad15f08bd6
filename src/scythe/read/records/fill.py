"""Fill a region: where its records are on a page comes in, records with named columns, links and images go out."""

from __future__ import annotations

from bisect import bisect_left
from html import escape

from scythe.model import Record, Region
from scythe.page import Page
from scythe.page.elements import Elements
from scythe.read.records.candidate import Candidate
from scythe.read.records.column_names import make_unique, name_columns
from scythe.read.records.columns import align
from scythe.read.records.order import arrange
from scythe.read.records.portrait import Column, draw
from scythe.read.records.table import drop_heads, is_head, read_table
from scythe.url import Url, absolute

_SPANS = ("rowspan", "colspan", "ROWSPAN", "COLSPAN", "rowSpan", "colSpan", "Rowspan", "Colspan", "RowSpan", "ColSpan")


def fill_region(page: Page, candidate: Candidate, score: float, kind: str) -> Region:
    """Return the region of a candidate; texts of its records are in columns, "" where a record has none."""
    elements = page.elements
    candidate, columns, names = _find_columns(page, candidate)
    fields = _fill_fields(columns, len(candidate.rows))
    links, images = _find_links(page, candidate), _find_images(page, candidate)
    records = tuple(
        Record(tuple(fields[i]), links[i], images[i], _html_of(elements, *candidate.rows[i], *candidate.leaves[i]))
        for i in range(len(candidate.rows))
    )
    return Region(records, names, kind, score)


def _find_columns(page: Page, candidate: Candidate) -> tuple[Candidate, list[Column], tuple[str, ...]]:
    """Return the records without rows of a table's head, and their columns with names."""
    elements = page.elements
    first, last = candidate.rows[0] if candidate.rows else (0, 0)
    if first < last and elements.tag[first] == "tr":
        table = read_table(elements, candidate, spans=any(name in page.html for name in _SPANS))
        if table is not None:
            columns = [draw(elements, cells, table.candidate) for cells in table.columns]
            guessed = name_columns(columns, len(table.candidate.rows))
            names = [head or name for head, name in zip(table.heads, guessed, strict=True)]
            return table.candidate, columns, make_unique(names)
        heads = {row for row, _ in candidate.rows if is_head(elements, row)}
        candidate = drop_heads(candidate, heads)
    columns = arrange(elements, candidate, align(elements, candidate))
    return candidate, columns, name_columns(columns, len(candidate.rows))


def _fill_fields(columns: list[Column], records: int) -> list[list[str]]:
    fields = [[""] * len(columns) for _ in range(records)]
    for place, column in enumerate(columns):
        for (_, _, record), text in zip(column.cells, column.texts, strict=True):
            before = fields[record][place]
            fields[record][place] = f"{before} {text}" if before else text
    return fields


def _find_links(page: Page, candidate: Candidate) -> list[tuple[Url, ...]]:
    """Return the addresses that each record links to, each once; a link around the record counts."""
    hrefs, base = page.elements.href, page.base
    linked = sorted(hrefs)
    return (
        [()] * len(candidate.rows)
        if not linked
        else [_absolute_links(hrefs, linked, first, last, base) for first, last in candidate.rows]
    )


def _absolute_links(
    hrefs: dict[int, str], linked: list[int], first: int, last: int, base: str | None
) -> tuple[Url, ...]:
    found: dict[Url, None] = {}
    for place in range(bisect_left(linked, first), bisect_left(linked, last)):
        url = absolute(hrefs[linked[place]], base)
        if url is not None:
            found[url] = None
    return tuple(found)


def _find_images(page: Page, candidate: Candidate) -> list[tuple[Url, ...]]:
    """Return the addresses of the images that each record shows, each once."""
    sources = {use.node_id: use.image.src for use in page.images}
    if not sources:
        return [()] * len(candidate.rows)
    elements = page.elements
    tags, nodes = elements.tag, elements.node
    found = []
    for first, last in candidate.rows:
        shown = [sources.get(nodes[row].mem_id) for row in range(first, last) if tags[row] in ("img", "amp-img")]
        found.append(tuple(dict.fromkeys(src for src in shown if src is not None)))
    return found


def _html_of(elements: Elements, first: int, last: int, start: int, end: int) -> str:
    """Return the elements of a record as written, or its text where it has no element."""
    if first == last:
        return escape(" ".join(elements.text[start:end]), quote=False)
    parts = []
    while first < last:
        parts.append(elements.node[first].html or "")
        first = elements.end[first]
    return "".join(parts)
