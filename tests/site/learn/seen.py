"""Say by hand what reading finds on a page, for tests of learning."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from scythe.page.elements import Elements
from scythe.page.source import MARK
from scythe.reading.lists.candidates import Candidate
from scythe.reading.lists.fill import fill_list
from scythe.site.learn.learn_lists import LearnedLists, learn_layout_lists
from scythe.site.learn.learn_site import LessonPage, make_lesson_page
from scythe.site.learn.list_groups import ListOnPage, ObservedList

LEAST = 0.3


def see(number: int, lesson: LessonPage, css: str, *, score: float = 0.8, size: int = 1, skip: int = 0) -> ObservedList:
    """Return the region whose records begin with the elements that `css` selects, each of `size` siblings."""
    elements = lesson.page.elements
    row_of = {node.mem_id: row for row, node in enumerate(elements.node)}
    firsts = [row_of[node.mem_id] for node in lesson.page.tree.css(css)][skip::size]
    rows = tuple((first, _end(elements, first, size)) for first in firsts)
    leaves = tuple((elements.leaf_start[first], elements.leaf_end[_last(elements, first, size)]) for first in firsts)
    holder = elements.parent[firsts[0]]
    candidate = Candidate("by hand", holder, rows, leaves)
    shown = ListOnPage(elements, rows, leaves, partial(fill_list, lesson.page, candidate, score, "list"))
    tops = tuple(_tops(elements, *one) for one in rows)
    return ObservedList(number, _offset(elements, holder), tops, score, "list", shown)


def learn(pages: Sequence[bytes], css: str | Sequence[str], *, size: int = 1) -> LearnedLists:
    """Learn the region that `css` selects on each page."""
    lessons = [make_lesson_page(page) for page in pages]
    each = [css] * len(pages) if isinstance(css, str) else css
    seen = [see(i, lesson, own, size=size) for i, (lesson, own) in enumerate(zip(lessons, each, strict=True)) if own]
    return learn_layout_lists([lesson.source for lesson in lessons], seen, LEAST)


def _tops(elements: Elements, row: int, end: int) -> tuple[int, ...]:
    found = []
    while row < end:
        found.append(_offset(elements, row))
        row = elements.end[row]
    return tuple(found)


def _last(elements: Elements, row: int, size: int) -> int:
    for _ in range(size - 1):
        row = elements.end[row]
    return row


def _end(elements: Elements, row: int, size: int) -> int:
    return elements.end[_last(elements, row, size)]


def _offset(elements: Elements, row: int) -> int:
    return int(elements.node[row].attributes.get(MARK) or -1)
