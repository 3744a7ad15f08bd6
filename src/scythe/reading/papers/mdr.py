"""MDR: mine data records (Liu, Grossman, Zhai 2003, as used by paper 004).

A generalised node is a run of one to `most_nodes` siblings. Adjacent generalised nodes of the same length whose tag
strings differ by at most `threshold` form a data region. docs/why/papers.md says where this departs from the papers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rapidfuzz.distance import Levenshtein

from scythe.model import Record, RecordList
from scythe.page import Page
from scythe.page.elements import Elements, html_of, images_in, links_in
from scythe.reading.lists.candidates import Candidate

THRESHOLD = 0.3  # the paper's: edit distance of two tag strings by the length of the longer
MOST_NODES = 10  # the paper's k: siblings in one generalised node
LEAST_LEVELS = 3  # of a region: its holder, its records, what is in them
MOST_SYMBOLS = 1_000  # of a tag string that are compared; ten siblings of a hundred elements
MOST_TAGS = 50_000  # told apart on one page: symbols below the surrogates

Rows = tuple[int, int]  # first row, row after the last


@dataclass(frozen=True, slots=True)
class DataRegion:
    """Generalised nodes of one parent that are similar, and the records found in them."""

    holder: int  # row of the parent
    nodes: tuple[Rows, ...]  # generalised nodes
    records: tuple[tuple[Rows, ...], ...]  # parts of each record: several when they are not contiguous


class TagStrings:
    """The tags of a page as one string, a symbol per row, so that any run of siblings is a slice of it."""

    def __init__(self, elements: Elements, threshold: float) -> None:
        codes: dict[str, str] = {}
        for tag in elements.tag:
            if tag not in codes:
                codes[tag] = chr(1 + min(len(codes), MOST_TAGS))
        self.symbols = "".join([codes[tag] for tag in elements.tag])
        self.threshold = threshold
        self._known: dict[tuple[str, str], bool] = {}

    def are_near(self, first: int, middle: int, end: int) -> bool:
        """Return whether the rows `first : middle` and `middle : end` have similar tag strings."""
        size, other_size = middle - first, end - middle
        bound = self.threshold * max(size, other_size)
        if abs(size - other_size) > bound:
            return False
        return self._compare(self.symbols[first:middle], self.symbols[middle:end], bound)

    def are_alike(self, one: Rows, other: Rows) -> bool:
        """Return the same of rows that need not be neighbours."""
        a, b = self.symbols[one[0] : one[1]], self.symbols[other[0] : other[1]]
        bound = self.threshold * max(len(a), len(b))
        return abs(len(a) - len(b)) <= bound and self._compare(a, b, bound)

    def _compare(self, a: str, b: str, bound: float) -> bool:
        if a == b:
            return True
        if len(a) > MOST_SYMBOLS or len(b) > MOST_SYMBOLS:
            a, b = a[:MOST_SYMBOLS], b[:MOST_SYMBOLS]
            bound = self.threshold * max(len(a), len(b))
        if (known := self._known.get((a, b))) is None:
            known = Levenshtein.distance(a, b, score_cutoff=int(bound)) <= bound
            self._known[a, b] = known
        return known


def find_mdr_regions(
    elements: Elements, *, threshold: float = THRESHOLD, most_nodes: int = MOST_NODES
) -> list[Candidate]:
    """Return the data regions of a page; where records are not contiguous, their generalised nodes instead."""
    candidates = []
    for region in find_data_regions(elements, threshold=threshold, most_nodes=most_nodes):
        whole = all(len(parts) == 1 for parts in region.records)
        rows = tuple(parts[0] for parts in region.records) if whole else region.nodes
        leaves = tuple(leaves_of(elements, each) for each in rows)
        candidates.append(Candidate("mdr", region.holder, rows, leaves))
    return candidates


def find_data_regions(
    elements: Elements, *, threshold: float = THRESHOLD, most_nodes: int = MOST_NODES
) -> list[DataRegion]:
    """Return the data regions of a page that show text, from the root down; no region lies inside another."""
    strings, levels = TagStrings(elements, threshold), count_levels(elements)
    found, stack = [], [0] if len(elements) else []
    while stack:
        row = stack.pop()
        children = elements.children(row)
        spans = identify_regions(strings, [*children, elements.end[row]], most_nodes)
        uncovered, at = [], 0
        for size, first, count in spans:
            uncovered.extend(children[at:first])
            at = first + count
            bounds = [*children[first:at], elements.end[children[at - 1]]]
            nodes = [(bounds[start], bounds[start + size]) for start in range(0, count, size)]
            beyond = children[at] if at < len(children) else None
            found.append(DataRegion(row, tuple(nodes), find_records(elements, strings, nodes, size, beyond)))
        uncovered.extend(children[at:])
        stack.extend(child for child in reversed(uncovered) if levels[child] >= LEAST_LEVELS)
    return [region for region in found if sum(has_text(elements, parts) for parts in region.records) >= 2]


def count_levels(elements: Elements) -> list[int]:
    """Return how many levels the tree of each row has, itself included; text is a level."""
    levels = [1] * len(elements)
    for row in elements.leaf_row:
        levels[row] = 2
    parents = elements.parent
    for row in range(len(levels) - 1, 0, -1):
        if levels[row] >= levels[parents[row]]:
            levels[parents[row]] = levels[row] + 1
    return levels


def identify_regions(strings: TagStrings, starts: Sequence[int], most_nodes: int) -> Iterator[tuple[int, int, int]]:
    """Yield the data regions among siblings: length of the generalised nodes, first sibling, siblings covered.

    `starts` has the row of each sibling and the row after the last. Of all regions the one that covers most is taken
    if it begins no later than those found with shorter nodes (IdentDRs); then the search goes on behind it.
    """
    count = len(starts) - 1
    runs = [compare_runs(strings, starts, size) for size in range(1, min(most_nodes, count // 2) + 1)]
    begin = 0
    while begin < count - 1:
        best, first, covered = 0, count, 0
        for size, (following, lengths) in enumerate(runs, 1):
            for start in range(begin, min(begin + size, count - 2 * size + 1)):
                at = following[start]
                if at <= first and at < count and (lengths[at] + 1) * size > covered:
                    best, first, covered = size, at, (lengths[at] + 1) * size
        if not best:
            return
        yield best, first, covered
        begin = first + covered


def compare_runs(strings: TagStrings, starts: Sequence[int], size: int) -> tuple[list[int], list[int]]:
    """Compare neighbouring generalised nodes of one length (CombComp).

    Returns for each sibling where, in steps of that length, the next similar pair begins, and how many follow in a row.
    """
    count = len(starts) - 1
    following, lengths = [count] * (count + size), [0] * (count + size)
    for at in range(count - 2 * size, -1, -1):
        if strings.are_near(starts[at], starts[at + size], starts[at + 2 * size]):
            following[at], lengths[at] = at, lengths[at + size] + 1
        else:
            following[at] = following[at + size]
    return following, lengths


def find_records(
    elements: Elements, strings: TagStrings, nodes: Sequence[Rows], size: int, beyond: int | None
) -> tuple[tuple[Rows, ...], ...]:
    """Find the records in generalised nodes: the nodes themselves, or the children of each when they are similar.

    `beyond` is the sibling behind the region: the last row of a grid may be shorter and then lies outside.
    """
    inner = [[split_children(elements, top) for top in tops_of(elements, node)] for node in nodes]
    if not all(_are_similar(strings, rows) for tops in inner for rows in tops):
        return tuple((node,) for node in nodes)
    if size > 1:
        if any(len({len(rows) for rows in tops}) > 1 for tops in inner):
            return tuple((node,) for node in nodes)
        return tuple(tuple(parts) for tops in inner for parts in zip(*tops, strict=True))
    if any(elements.tag[first] == "tr" for first, _ in nodes):
        return tuple((node,) for node in nodes)
    records = [part for tops in inner for part in tops[0]]
    if beyond is not None and elements.tag[beyond] == elements.tag[nodes[0][0]]:
        records += [part for part in split_children(elements, beyond) if strings.are_alike(records[0], part)]
    return tuple((record,) for record in records)


def _are_similar(strings: TagStrings, rows: Sequence[Rows]) -> bool:
    """Return whether there are several elements, each with something inside, and each similar to the one before."""
    return (
        len(rows) > 1
        and all(end - first > 1 for first, end in rows)
        and all(strings.are_alike(one, other) for one, other in pairwise(rows))
    )


def tops_of(elements: Elements, node: Rows) -> list[int]:
    """Return the rows of the siblings that a generalised node consists of."""
    row, end = node
    tops = []
    while row < end:
        tops.append(row)
        row = elements.end[row]
    return tops


def split_children(elements: Elements, row: int) -> list[Rows]:
    """Return the rows of each child of an element."""
    return [(child, elements.end[child]) for child in elements.children(row)]


def leaves_of(elements: Elements, rows: Rows) -> tuple[int, int]:
    """Return the leaves inside a run of siblings."""
    if rows[0] == rows[1]:
        return (0, 0)
    return elements.leaf_start[rows[0]], elements.leaf_end[tops_of(elements, rows)[-1]]


def has_text(elements: Elements, parts: Sequence[Rows]) -> bool:
    """Return whether a record shows any text."""
    return any(start < end for start, end in (leaves_of(elements, part) for part in parts))


def read_by_mdr(page: Page, *, threshold: float = THRESHOLD, most_nodes: int = MOST_NODES) -> tuple[RecordList, ...]:
    """Return the data regions of a page, most text first. Fields are the texts of a record in order, not aligned."""
    elements = page.elements
    regions = []
    for found in find_data_regions(elements, threshold=threshold, most_nodes=most_nodes):
        shown = [parts for parts in found.records if has_text(elements, parts)]
        texts = [texts_of(elements, parts) for parts in shown]
        regions.append(write_region(page, shown, texts))
    return sort_by_text(regions)


def texts_of(elements: Elements, parts: Sequence[Rows]) -> list[str]:
    """Return the texts of a record in page order."""
    return [text for part in parts for text in elements.text[slice(*leaves_of(elements, part))]]


def sort_by_text(regions: list[RecordList]) -> tuple[RecordList, ...]:
    """Put the region with most text first: neither paper ranks regions."""
    return tuple(sorted(regions, key=lambda region: -sum(len(f) for r in region.records for f in r.fields)))


def write_region(
    page: Page, records: Sequence[Sequence[Rows]], texts: Sequence[list[str]], pattern: str = ""
) -> RecordList:
    """Make a region of records and their texts, filled up to the same number of columns."""
    wide = max(map(len, texts))
    columns = tuple(f"field_{number}" for number in range(1, wide + 1))
    written = tuple(
        write_record(page, parts, (*fields, *[""] * (wide - len(fields))))
        for parts, fields in zip(records, texts, strict=True)
    )
    return RecordList(written, columns, pattern=pattern)


def write_record(page: Page, parts: Sequence[Rows], fields: tuple[str, ...]) -> Record:
    """Make a record with the addresses it links to and shows, and its elements as written."""
    elements = page.elements
    links = (url for part in parts for url in links_in(elements, part, page.base))
    images = (url for part in parts for url in images_in(elements, part, page.image_sources))
    html = "".join(html_of(elements, part) for part in parts)
    return Record(fields, tuple(dict.fromkeys(links)), tuple(dict.fromkeys(images)), html)
