"""Put the texts of records into learned columns: elements and the rows of records come in, `Record`s go out.

A text whose place was not met before goes where its nearest relative went: no text of a record is lost, and the columns
stay those that were learned.
"""

from __future__ import annotations

from collections.abc import Sequence

from scythe.model import Record
from scythe.page.elements import Elements
from scythe.page.entry_places import Places, unclassed, uncounted
from scythe.page.page import Page
from scythe.rules import ColumnRules
from scythe.url import Url, absolute

Range = tuple[int, int]

_MAKES = 1_000  # makes of records kept


class ColumnFinder:
    """Knows the column of every place: its own, or that of the place most like it."""

    def __init__(self, columns: Sequence[ColumnRules]) -> None:
        self._exact: dict[str, int] = {}
        self._alike: dict[str, int] = {}  # without the numbers of siblings: those beyond the known share the last one
        self._tags: dict[str, int] = {}
        self._below: dict[str, int] = {"": 0}
        for number, column in enumerate(columns):
            for name in column.places:
                self._exact[name] = number
                self._alike[uncounted(name)] = number
                self._tags[unclassed(name)] = number
                above = uncounted(name)
                while above:
                    self._below[above] = number
                    above = above.rpartition(">")[0]

    def find(self, name: str) -> int:
        """Return the number of the column of a place."""
        number = self._exact.get(name)
        if number is None:
            number = self._alike.get(above := uncounted(name))
        if number is None:
            number = self._tags.get(unclassed(name))
        while number is None:
            number = self._below.get(above)
            above = above.rpartition(">")[0]
        return number


class EntryReader:
    """Reads the records of one region. What it remembers of those it met changes the time taken, nothing else."""

    def __init__(self, columns: Sequence[ColumnRules]) -> None:
        self._finder = ColumnFinder(columns)
        self._width = len(columns)
        self._places = Places()
        self._columns: list[int] = []  # of each place
        self._makes: dict[tuple[object, ...], list[int]] = {}  # the columns of the leaves of records built alike

    def fields(self, elements: Elements, rows: Range, leaves: Range) -> tuple[str, ...]:
        """Return the texts of one record, one per column."""
        found = [""] * self._width
        for at, text in zip(self._find(elements, rows, leaves), elements.text[slice(*leaves)], strict=True):
            found[at] = f"{found[at]} {text}" if found[at] else text
        return tuple(found)

    def _find(self, elements: Elements, rows: Range, leaves: Range) -> list[int]:
        """Return the column of each leaf. Most records are built alike, down to the classes: each make once."""
        first, last = rows
        inner = slice(first + (elements.end[first] == last), last)
        holders = [row - first for row in elements.leaf_row[slice(*leaves)]]
        depths = elements.depth[inner]  # with the order they tell what is inside what
        make = (depths[0] - elements.depth[first] if depths else 0, *holders, "", *elements.tag[inner], "")
        make += (*elements.classes[inner], "", *depths) if depths else ()
        known = self._makes.get(make)
        if known is None:
            known = self._makes[make] = self._work_out(elements, rows, leaves)
        return known

    def _work_out(self, elements: Elements, rows: Range, leaves: Range) -> list[int]:
        if self._places.is_full or len(self._makes) > _MAKES:
            self._places, self._columns = Places(), []
            self._makes.clear()
        places, columns = self._places, self._columns
        numbers = places.number(elements, rows, leaves)
        columns.extend([self._finder.find(name) for name in places.names[len(columns) :]])
        return [columns[number] for number in numbers]


def read_entries(page: Page, reader: EntryReader, rows: Sequence[Range], leaves: Sequence[Range]) -> tuple[Record, ...]:
    """Return the records whose rows and leaves are given."""
    elements, base = page.elements, page.base
    sources = page.image_sources
    return tuple(
        Record(
            reader.fields(elements, row, leaf),
            links_in(elements, row, base),
            images_in(elements, row, sources),
            html_of(elements, row),
        )
        for row, leaf in zip(rows, leaves, strict=True)
    )


def links_in(elements: Elements, rows: Range, base: str | None) -> tuple[Url, ...]:
    """Return the addresses that the elements of a range link to, each once."""
    hrefs = elements.href
    written = dict.fromkeys([hrefs[row] for row in range(*rows) if row in hrefs])  # most link twice to the same
    return tuple(dict.fromkeys([url for text in written if (url := absolute(text, base)) is not None]))


def images_in(elements: Elements, rows: Range, sources: dict[int, Url]) -> tuple[Url, ...]:
    """Return the addresses of the images in a range, each once."""
    if not sources:
        return ()
    tags, nodes = elements.tag, elements.node
    shown = (sources.get(nodes[row].mem_id) for row in range(*rows) if tags[row] in ("img", "amp-img"))
    return tuple(dict.fromkeys(src for src in shown if src is not None))


def html_of(elements: Elements, rows: Range) -> str:
    """Return the elements of a range as they are on the page."""
    row, last = rows
    parts = []
    while row < last:
        parts.append(elements.node[row].html or "")
        row = elements.end[row]
    return "".join(parts)
