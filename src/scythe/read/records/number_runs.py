"""Find the page numbers of a pager: elements come in, rising runs of numbers with their addresses go out."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from scythe.page.elements import Elements
from scythe.page.page import Page
from scythe.read.records.page_links import context_of, is_other_page, link_address
from scythe.read.records.page_numbers import Step, compare, is_same
from scythe.read.records.paging_words import read_names
from scythe.url import Url

_MOST_NUMBERS = 1_000  # half of them from the end of the page
_MOST_RUNS = 100
_AROUND = "[](){}.,|-–—·•: \u00a0"
_GAP = 3  # leaves between two numbers of a run: dots, bars, arrows
_GAP_CHARS = 12
_LEVELS = 3  # elements between a number and its link


@dataclass(frozen=True, slots=True)
class Entry:
    """One number of a run."""

    number: int
    url: Url | None
    marked: bool  # named as the page that is shown


@dataclass(frozen=True, slots=True)
class Run:
    """Rising numbers that stand close together."""

    entries: tuple[Entry, ...]
    current: int | None  # the number of the page that is shown, where the run tells
    own: bool  # its addresses are the page's own but for a page number
    pager: bool

    def address_of(self, number: int) -> Url | None:
        """Return where a number leads."""
        return next((entry.url for entry in self.entries if entry.number == number), None)


def find_runs(page: Page, own: str) -> list[Run]:
    """Return the runs whose addresses change with their numbers, in page order."""
    runs = []
    for leaves in _rising(page.elements)[:_MOST_RUNS]:
        run = _read_run(page, leaves, own)
        if run is not None:
            runs.append(run)
    return runs


def _rising(elements: Elements) -> list[list[tuple[int, int]]]:
    """Group leaves that are whole numbers: (leaf, number), rising, with little between them."""
    texts = elements.text
    found = []
    for leaf, text in enumerate(texts):
        if len(text) <= 8:
            text = text.strip(_AROUND)
            if text.isdecimal() and len(text) <= 5:
                found.append((leaf, int(text)))
    if len(found) > _MOST_NUMBERS:
        found = found[: _MOST_NUMBERS // 2] + found[-_MOST_NUMBERS // 2 :]
    groups: list[list[tuple[int, int]]] = []
    last = (-1_000, -1)
    for leaf, number in found:
        between = texts[last[0] + 1 : leaf] if leaf - last[0] <= _GAP else None
        if between is None or number <= last[1] or any(len(text) > _GAP_CHARS for text in between):
            groups.append([])
        groups[-1].append((leaf, number))
        last = (leaf, number)
    return [group for group in groups if len(group) > 1]


def _read_run(page: Page, leaves: list[tuple[int, int]], own: str) -> Run | None:
    elements = page.elements
    pager, turning, _ = context_of(elements, elements.leaf_row[leaves[0][0]])
    if turning or (not pager and not _leads_on(page, leaves, own)):
        return None  # most runs are those of something else, and end here
    places = [_link_above(elements, elements.leaf_row[leaf]) for leaf, _ in leaves]
    rows = [row if row >= 0 else elements.leaf_row[leaf] for (leaf, _), (row, _) in zip(leaves, places, strict=True)]
    entries = [
        Entry(number, _address(page, row) if row >= 0 else None, marked)
        for (_, number), (row, marked) in zip(leaves, places, strict=True)
    ]
    linked = [entry for entry in entries if entry.url and is_other_page(own, entry.url)]
    steps = [compare(own, entry.url) for entry in linked if entry.url] if own else []
    of_own = bool(steps) and all(step is not None and (step.exact or step.named) for step in steps)
    if not linked or (not of_own and not (pager and _change_together(linked))):
        return None
    if _is_calendar(elements, rows, entries) or not _counts(linked, entries, steps):
        return None
    exact = bool(steps) and all(step is not None and step.exact for step in steps)
    named = pager or all(step is not None and step.named for step in steps)
    return Run(tuple(entries), _current(entries, own if exact else "", named), exact, pager)


def _leads_on(page: Page, leaves: list[tuple[int, int]], own: str) -> bool:
    """Tell whether the first or last number leads to a page of the page's own list."""
    for leaf in (leaves[-1][0], leaves[0][0]):
        row, _ = _link_above(page.elements, page.elements.leaf_row[leaf])
        url = _address(page, row) if row >= 0 else None
        if url and own and compare(own, url):
            return True
    return False


def _address(page: Page, row: int) -> Url | None:
    elements = page.elements
    return link_address(elements.node[row].attributes, page.base, elements.href.get(row, ""))[0]


def _link_above(elements: Elements, row: int) -> tuple[int, bool]:
    """Return the link around a leaf (-1: none), and whether it is marked as the page that is shown."""
    marked, link = False, -1
    for level in range(_LEVELS):
        if row < 0 or elements.leaf_end[row] - elements.leaf_start[row] > 2:
            break
        named = read_names(elements.names[row])
        marked = marked or named.current
        if elements.tag[row] == "a":
            link = row
        if not marked and level == 0:
            marked = (elements.node[row].attributes.get("aria-current") or "false") != "false"
        row = elements.parent[row]
    return link, marked


def _change_together(linked: list[Entry]) -> bool:
    """Tell whether the addresses differ from each other in one number only."""
    for one, other in pairwise(linked):
        step = compare(one.url or "", other.url or "")
        if step is None or not step.exact:
            return False
    return len(linked) > 1


def _counts(linked: list[Entry], entries: list[Entry], steps: list[Step | None]) -> bool:
    """Tell whether addresses rise evenly with numbers that follow each other; those of how many to show do not."""
    numbers = {entry.number for entry in entries}
    if min(numbers) > 2 and not any(number + 1 in numbers for number in numbers):
        return False
    places = [
        (entry.number, step.after)
        for entry, step in zip(linked, steps, strict=False)
        if step is not None and step.after is not None
    ]
    rises = {(after - before) / (to - at) for (at, before), (to, after) in pairwise(places)}
    # the first page may have a number of its own, which the others do not count from
    return len(rises) < 3 and all(rise >= 1 for rise in rises)


def _is_calendar(elements: Elements, rows: list[int], entries: list[Entry]) -> bool:
    """Tell days of a month and years of an archive from pages."""
    if all(1900 <= entry.number <= 2100 for entry in entries):
        return True
    cells = sum(elements.tag[elements.parent[row]] == "td" or elements.tag[row] == "td" for row in rows)
    return len(entries) > 7 and cells > len(entries) * 0.9 and entries[-1].number <= 31 and entries[-1].number >= 28


def _current(entries: list[Entry], own: str, named: bool) -> int | None:
    """Return the number of the page that is shown: the marked one, the one without a link, or the own address's."""
    marked = [entry.number for entry in entries if entry.marked]
    if len(marked) == 1:
        return marked[0]
    bare = [entry.number for entry in entries if entry.url is None or (own and is_same(own, entry.url))]
    if len(bare) == 1:
        return bare[0]
    if bare or not own:
        return None
    for entry in entries:
        step = compare(own, entry.url or "")
        if step is not None and step.before == entry.number:
            return entry.number
    return 1 if named and entries[0].number == 2 else None
