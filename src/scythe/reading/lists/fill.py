"""Turn a chosen group of elements into a `RecordList` with ordered, named columns, links and images.

Columns that no record has both of, and that look alike, are merged: lists may mix large and small teasers.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from html import escape

from scythe.model import Record, RecordList, Span
from scythe.page import Page
from scythe.page.elements import Elements
from scythe.page.images import source_of
from scythe.reading.lists.candidates import Candidate
from scythe.reading.lists.column_names import Column, Portrait, draw, likeness, make_unique, name_columns
from scythe.reading.lists.columns import Cell, align
from scythe.reading.lists.data_table import name_by_heads, read_heads, read_table
from scythe.reading.lists.pattern import pattern_of
from scythe.url import Url, absolute

_ALIKE = 2.0
_COMPARED = 2_000  # pairs of columns


def unify(records: Sequence[set[int]], places: Sequence[float], portraits: Sequence[Portrait], total: int) -> list[int]:
    """Return for each column the number of the one it joins, its own where it stays.

    `records` are those that have the column, `places` where it stands in them (0 first, 1 last), `total` their number.
    """
    partial = [number for number, has in enumerate(records) if len(has) < total]
    looks = {number: (portraits[number].kind, portraits[number].said) for number in partial}
    further: dict[tuple[int, str], list[int]] = {}  # columns of each kind that are still to be compared
    for number in partial:
        further.setdefault(looks[number], []).append(number)
    pairs = []
    for one in partial:
        others, has_one = further[looks[one]], records[one]
        del others[0]
        for other in others:
            if len(has_one) + len(records[other]) <= total and has_one.isdisjoint(records[other]):
                score = likeness(portraits[one], portraits[other]) - 2.0 * abs(places[one] - places[other])
                if score >= _ALIKE:
                    pairs.append((-score, one, other))
        if len(pairs) > _COMPARED:
            break
    joins = list(range(len(records)))
    has = [set(of) for of in records] if pairs else []
    for _, one, other in sorted(pairs):
        one, other = sorted((joins[one], joins[other]), key=lambda number: (-len(has[number]), number))
        if one != other and has[one].isdisjoint(has[other]):
            has[one] |= has[other]
            joins = [one if number == other else number for number in joins]
    return joins


COLUMNS = 64  # of one list; what stands in further ones is joined in the last
_DESCRIBED = 128  # columns that are looked at; a list with more is no list of like records


def arrange(elements: Elements, candidate: Candidate, found: list[list[Cell]]) -> list[Column]:
    """Return columns as the records show them, `COLUMNS` at most; every cell is in one."""
    total = len(candidate.rows)
    found, rest = _set_rare_aside(found, _DESCRIBED)
    orders = _orders(found, total)
    columns = [draw(elements, cells, candidate) for cells in found]
    if any(len(cells) < total for cells in found):
        columns, orders = _join_alike(columns, orders, total)
    if len(columns) > COLUMNS - bool(rest):
        columns, orders, more = _join_rare(columns, orders)
        rest = sorted(rest + more)
    ordered = [columns[number] for number in merge_orders(Counter(orders))]
    return [*ordered, draw(elements, rest, candidate)] if rest else ordered


def _set_rare_aside(found: list[list[Cell]], most: int) -> tuple[list[list[Cell]], list[Cell]]:
    """Return the columns that most records have, and the cells of all others."""
    if len(found) <= most:
        return found, []
    ranked = sorted(range(len(found)), key=lambda number: (-len(found[number]), number))
    kept = sorted(ranked[:most])
    return [found[number] for number in kept], sorted(cell for number in ranked[most:] for cell in found[number])


def _orders(found: list[list[Cell]], total: int) -> list[tuple[int, ...]]:
    """Return for each record the columns it has, in the order of its text."""
    cells = sorted((start, record, number) for number, column in enumerate(found) for start, _, record in column)
    orders: list[dict[int, None]] = [{} for _ in range(total)]
    for _, record, number in cells:
        orders[record].setdefault(number)
    return [tuple(order) for order in orders]


def _join_alike(
    columns: list[Column], orders: list[tuple[int, ...]], total: int
) -> tuple[list[Column], list[tuple[int, ...]]]:
    """Join columns that stand in for each other."""
    places = [0.0] * len(columns)
    for order in orders:
        for place, number in enumerate(order):
            places[number] += place / len(order)
    records = [{record for _, _, record in column.cells} for column in columns]
    means = [place / len(has) for place, has in zip(places, records, strict=True)]
    joins = unify(records, means, [column.portrait for column in columns], total)
    if joins == list(range(len(columns))):
        return columns, orders
    numbers = {number: place for place, number in enumerate(sorted(set(joins)))}
    joined = [columns[number].joined([columns[i] for i, to in enumerate(joins) if to == number]) for number in numbers]
    return joined, [tuple(dict.fromkeys(numbers[joins[number]] for number in order)) for order in orders]


def _join_rare(
    columns: list[Column], orders: list[tuple[int, ...]]
) -> tuple[list[Column], list[tuple[int, ...]], list[Cell]]:
    """Keep as many columns as fit and return the cells of the others."""
    kept, rest = _set_rare_aside([column.cells for column in columns], COLUMNS - 1)
    kept_ids = {id(cells) for cells in kept}
    numbers: dict[int, int] = {}
    for number, column in enumerate(columns):
        if id(column.cells) in kept_ids:
            numbers[number] = len(numbers)
    orders = [tuple(numbers[number] for number in order if number in numbers) for order in orders]
    return [columns[number] for number in numbers], orders, rest


def merge_orders(orders: Counter[tuple[int, ...]]) -> list[int]:
    """Merge sequences into one order: the commonest as it is, then each new item behind the one it follows."""
    after: dict[int, int] = {}  # item -> the one behind it; -1 stands before the first
    known: set[int] = set()
    for sequence, _ in sorted(orders.items(), key=lambda pair: (-pair[1], -len(pair[0]))):
        before = -1
        for item in sequence:
            if item not in known:
                known.add(item)
                if before in after:
                    after[item] = after[before]
                after[before] = item
            before = item
    merged: list[int] = []
    at = -1
    while at in after:
        at = after[at]
        merged.append(at)
    return merged


def fill_list(page: Page, candidate: Candidate, score: float, kind: str) -> RecordList:
    """Return the list of a candidate; texts of its records are in columns, "" where a record has none."""
    return fill_placed(page, candidate, score, kind)[0]


def fill_placed(page: Page, candidate: Candidate, score: float, kind: str) -> tuple[RecordList, Candidate]:
    """Return the list of a candidate, and where its records are: rows of a table's head are none of them."""
    elements = page.elements
    candidate, columns, names = _find_columns(page, candidate)
    fields, spans = _fill_fields(columns, len(candidate.rows)), _find_places(page, columns, len(candidate.rows))
    links, images = _find_links(page, candidate), _find_images(page, candidate)
    records = tuple(
        Record(
            tuple(fields[i]),
            links[i],
            images[i],
            _html_of(elements, *candidate.rows[i], *candidate.leaves[i]),
            spans=tuple(spans[i]),
        )
        for i in range(len(candidate.rows))
    )
    return RecordList(records, names, kind, score, _pattern_of(elements, candidate)), candidate


def _pattern_of(elements: Elements, candidate: Candidate) -> str:
    """Return the tag tree that the records share, "" where they are bare text."""
    return str(pattern_of(elements, candidate)) if any(first < last for first, last in candidate.rows) else ""


def _find_columns(page: Page, candidate: Candidate) -> tuple[Candidate, list[Column], tuple[str, ...]]:
    """Return the records without rows of a table's head, and their columns with names."""
    elements = page.elements
    first, last = candidate.rows[0] if candidate.rows else (0, 0)
    heads: dict[int, str] = {}
    if first < last and elements.tag[first] == "tr":
        spans = bool(page.map.having("rowspan") or page.map.having("colspan"))
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


def _find_places(page: Page, columns: list[Column], records: int) -> list[list[Span | None]]:
    """Return where each field stands in the bytes of the page; one with others between its parts has no one place."""
    spans: list[list[Span | None]] = [[None] * len(columns) for _ in range(records)]
    runs, places = page.elements.leaf_run, page.places
    for place, column in enumerate(columns if getattr(page.map, "made", None) is not None else ()):
        leaves: dict[int, tuple[int, int] | None] = {}
        for start, end, record in column.cells:
            before = leaves.get(record, (start, start))
            leaves[record] = (before[0], end) if before is not None and before[1] == start else None
        for record, whole in leaves.items():
            if whole is not None:
                spans[record][place] = places.of_nodes(~runs[whole[0]], ~runs[whole[1] - 1])
    return spans


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
