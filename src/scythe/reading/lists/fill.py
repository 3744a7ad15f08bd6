"""Turn a chosen group of elements into a `RecordList` with ordered, named columns, links and images.

Columns that no record has both of, and that look alike, are merged: lists may mix large and small teasers. Their names
are guessed from contents and markup.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from html import escape
from itertools import pairwise
from math import log2
from typing import NamedTuple

from scythe.model import Record, RecordList, Span
from scythe.package_files import packaged_words
from scythe.page import Page
from scythe.page.elements import Elements
from scythe.page.images import source_of
from scythe.reading.attributes.values import BUTTON, opening_state
from scythe.reading.lists.candidates import Candidate
from scythe.reading.lists.columns import Cell, align
from scythe.reading.lists.data_table import name_by_heads, read_heads, read_table
from scythe.reading.lists.pattern import pattern_of
from scythe.reading.lists.value_kinds import ADDRESS, DATE, NUMBER, PRICE, RATING, TEXT, kind_of
from scythe.reading.text.block_features import split_names
from scythe.url import Url, absolute

_PATHS = 3  # of these whose elements are looked at
_NAMED_LEAVES = 4  # of an element whose names say what a text in it is; larger ones name the record
_CLIMBED = 5  # elements from a text upwards whose names count
_SAME = 0.8  # share of equal texts that makes a column constant

_HEADINGS = frozenset(f"h{level}" for level in range(1, 7))
_REMEMBERED = 2_048


class Portrait(NamedTuple):
    """What the cells of a column have in common."""

    kind: int  # of most texts
    sure: float  # share of the texts that are of this kind
    size: float  # mean binary logarithm of the number of characters
    link: bool  # most texts are inside a link
    heading: bool  # most texts are inside a heading
    tag: str  # of the element around the first text
    words: frozenset[str]  # of class, id and itemprop around the first text
    fields: frozenset[str]  # what these words name
    said: str  # what nearly all texts say, "" where they differ


class Column(NamedTuple):
    """Cells that say the same kind of thing, page order, with their texts; a record may have several."""

    cells: list[Cell]
    texts: list[str]
    portrait: Portrait

    def joined(self, columns: list[Column]) -> Column:
        """Return this column with the cells of several, page order."""
        if columns == [self]:
            return self
        pairs = sorted(pair for column in columns for pair in zip(column.cells, column.texts, strict=True))
        return Column([cell for cell, _ in pairs], [text for _, text in pairs], self.portrait)


def draw(elements: Elements, cells: list[Cell], candidate: Candidate) -> Column:
    """Describe a column by some of its cells."""
    text = elements.text
    texts = [text[start] if end - start == 1 else " ".join(text[start:end]) for start, end, _ in cells]
    seen = range(0, len(cells), max(1, len(cells) // _SEEN))
    shown = [texts[i] for i in seen]
    kinds = [kind_of(one) for one in shown]
    kind = kinds[0] if kinds.count(kinds[0]) == len(kinds) else max(kinds, key=kinds.count)
    first, tops, tags = _climb(elements, cells[0][0], candidate.rows[cells[0][2]][0]), candidate.rows, elements.tag
    links = headings = 0
    for i in seen[:_PATHS]:
        path = [tags[row] for row in (_climb(elements, cells[i][0], tops[cells[i][2]][0]) if i else first)]
        links += "a" in path
        headings += not _HEADINGS.isdisjoint(path)
    starts, lasts = elements.leaf_start, elements.leaf_end
    names = [elements.names[row] for row in first if lasts[row] - starts[row] <= _NAMED_LEAVES]
    portrait = Portrait(
        kind,
        kinds.count(kind) / len(shown),
        sum([log2(1 + len(one)) for one in shown]) / len(shown),
        links * 2 > min(len(seen), _PATHS),
        headings * 2 > min(len(seen), _PATHS),
        tags[first[0]],
        _words_of(names[0] if names else "") | _words_of(names[1] if len(names) > 1 else ""),
        fields_of(names),
        _said(shown),
    )
    return Column(cells, texts, portrait)


def _said(texts: list[str]) -> str:
    """Return what nearly all texts say."""
    if len(texts) < 2 or len(set(texts)) == len(texts):
        return ""
    said = max(texts, key=texts.count)
    return said if texts.count(said) >= _SAME * len(texts) else ""


def _climb(elements: Elements, leaf: int, top: int) -> list[int]:
    """Return the elements around a text, innermost first, up to the one that the record begins with."""
    parents, row = elements.parent, elements.leaf_row[leaf]
    above = [row]
    while row > top and len(above) < _CLIMBED:
        row = parents[row]
        if row >= top:
            above.append(row)
    return above


@lru_cache(maxsize=_REMEMBERED)
def _words_of(names: str) -> frozenset[str]:
    return frozenset(split_names(names))


def fields_of(names: Iterable[str]) -> frozenset[str]:
    """Return the fields that attribute texts name, those of the innermost element that names any."""
    for name in names:
        if name and (found := _fields_of(name)):
            return found
    return frozenset()


@lru_cache(maxsize=_REMEMBERED)
def _fields_of(names: str) -> frozenset[str]:
    table, words = _table(), split_names(names)
    joined = [one + other for one, other in pairwise(words)]
    return frozenset(table[word] for word in (*words, *joined) if word in table)


@lru_cache(maxsize=1)
def _table() -> dict[str, str]:
    table = packaged_words("scythe.reading.lists", "tables/fields.txt")
    return {word: field for field, words in table.items() for word in words}


def likeness(one: Portrait, other: Portrait) -> float:
    """Say how likely two columns hold the same field in records of two makes: above 2 they may."""
    if one.kind != other.kind or bool(one.said) != bool(other.said) or (one.said and one.said != other.said):
        return 0.0
    if one.said:
        return 3.0
    score = 1.0 if one.kind != TEXT else 0.0
    if one.fields and other.fields:
        score += 2.0 if one.fields & other.fields else -2.0
    if one.heading or other.heading:
        score += 2.0 if one.heading and other.heading else -0.5
    score += 0.5 if one.link == other.link else -0.5
    score += 0.5 if one.tag == other.tag else 0.0
    shared = len(one.words & other.words)
    score += shared / len(one.words | other.words) if shared else 0.0
    return score + 1.0 - abs(one.size - other.size)


_BY_KIND = {DATE: "date", PRICE: "price", RATING: "rating", NUMBER: "number", ADDRESS: "link"}
_NAMED = ("date", "price", "author", "rating", "category", "tags", "comments", "views", "location")
_SURE = 0.6  # share of texts of one kind that names a column
_TITLE = 2.1  # a text of the right length in the first column has 2
_TITLE_SIZE = (3.0, 7.5)  # binary logarithm of characters: 7 to 180
_LONG = 6.5  # 90 characters: nobody signs so
_SEEN = 8  # texts of a column that are looked at
_STOCK_SIZE = 5.4  # 40 characters: "in stock, ready to ship in two days"
_NAME_CHARS = 30
_NAME_WORDS = 3
_DIGITS = re.compile(r"(?<![^\W_])\d[\d.,]{0,20}(?![^\W_])")  # whole numbers: e0.org and e1.org share no word
_LETTERS = re.compile(r"[^\W\d_]{1,30}")
_BY = frozenset("by von par por de da di af av od przez door yazan oleh szerző автор от author autor auteur".split())


def name_columns(columns: list[Column], records: int) -> tuple[str, ...]:
    """Return a name for each column: title, date, price, author, rating, text, ..., or what its label says."""
    title = _find_title(columns, records)
    names, label = [], ""
    for place, column in enumerate(columns):
        name = "title" if place == title else _name_column(column, label)
        label = column.portrait.said
        names.append(name)
    return make_unique(names)


def make_unique(names: Iterable[str]) -> tuple[str, ...]:
    """Number names that were given before: text, text_2, text_3."""
    seen: Counter[str] = Counter()
    taken: set[str] = set()
    unique = []
    for name in names:
        seen[name] += 1
        given = name if seen[name] == 1 else f"{name}_{seen[name]}"
        while given in taken:
            seen[name] += 1
            given = f"{name}_{seen[name]}"
        taken.add(given)
        unique.append(given)
    return tuple(unique)


def _find_title(columns: list[Column], records: int) -> int | None:
    """Return the place of the column that best tells the records apart as a title does."""
    scores = [_title_score(column, place, records) for place, column in enumerate(columns)]
    best = max(range(len(scores)), key=scores.__getitem__, default=0)
    if scores and scores[best] >= _TITLE:
        return best
    texts = [
        place
        for place, column in enumerate(columns)
        if column.portrait.kind == TEXT and not column.portrait.said and not _says_stock(column)
    ]
    typed = any(column.portrait.kind in (DATE, PRICE, RATING) for column in columns)
    return texts[0] if len(texts) == 1 and typed else None  # the only text beside a price is what it is the price of


def _title_score(column: Column, place: int, records: int) -> float:
    portrait = column.portrait
    if portrait.kind != TEXT or portrait.said:
        return 0.0
    score = 2.0 * portrait.heading + 1.5 * portrait.link
    score += 1.5 if "title" in portrait.fields else -1.5 * bool(portrait.fields - {"text"})
    score += 0.7 if portrait.tag in ("b", "strong", "dt", "th", "caption") else 0.0
    score += 1.0 if _TITLE_SIZE[0] <= portrait.size <= _TITLE_SIZE[1] else -1.5
    different = len(set(column.texts)) / len(column.texts)
    return (score + 1.0 - 0.1 * min(place, 10)) * min(1.0, len(column.cells) / records) * different


def _name_column(column: Column, label: str) -> str:
    portrait = column.portrait
    if _says_stock(column):
        return "availability"
    if portrait.said:
        return _name_constant(portrait)
    if portrait.kind in _BY_KIND and portrait.sure >= _SURE:
        return _name_value(portrait, label)
    if shared := _shared_words(column):
        return shared
    if portrait.tag == "time" and portrait.size <= _LONG:
        return "date"
    for name in _NAMED:
        if (
            name in portrait.fields
            and portrait.size <= _LONG
            and (name not in ("date", "price") or portrait.kind != TEXT)
        ):
            return name
    if label.strip(" :|,").lower() in _BY and portrait.size <= _LONG:
        return "author"
    return (_slug(label) if label.endswith((":", "：")) else "") or "text"


def _name_constant(portrait: Portrait) -> str:
    if portrait.kind != TEXT:
        return _BY_KIND.get(portrait.kind, "sign")
    if portrait.link:
        return "link"
    return "label" if portrait.said.endswith((":", "：")) else _slug(portrait.said) or "label"


def _name_value(portrait: Portrait, label: str) -> str:
    """Name a column of dates, prices or numbers by its kind, numbers by their label or class where they have any."""
    if portrait.kind == NUMBER:
        said = next((name for name in ("price", "rating", "comments", "views") if name in portrait.fields), "")
        return said or (_slug(label) if label.endswith((":", "：")) else "") or "number"
    return _BY_KIND[portrait.kind]


def _says_stock(column: Column) -> bool:
    """Say whether most texts tell if something can be had, not only by what buttons say: `In stock`, `Sold out`."""
    texts = column.texts
    if column.portrait.kind != TEXT or column.portrait.size > _STOCK_SIZE or len(texts) < 2:
        return False
    if not opening_state(texts[0].lower()) and not opening_state(texts[-1].lower()):
        return False
    states = [opening_state(text.lower()) for text in texts]
    return states.count("") <= (1.0 - _SURE) * len(states) and not {"", BUTTON}.issuperset(states)


def _shared_words(column: Column) -> str:
    """Return the words of texts that differ only in numbers: `12 comments` gives comments."""
    texts = column.texts[:_SEEN]
    if len(texts) < 2 or not any(map(str.isdigit, texts[0])):
        return ""
    bare = {_DIGITS.sub("", text).strip(" ()[]:|") for text in texts}
    return _slug(bare.pop()) if len(bare) == 1 else ""


def _slug(text: str) -> str:
    """Return a short text as a name: lower case, words joined by underscores, "" where it has no letters."""
    words = _LETTERS.findall(text[: 2 * _NAME_CHARS].lower())
    return "_".join(words) if len(words) <= _NAME_WORDS and len(text) <= _NAME_CHARS else ""


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
