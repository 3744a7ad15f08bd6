"""Tell the layouts of a site apart by the keys that their pages have.

A page belongs to the layout with which it shares most keys of elements with a class or an id, each counted by how many
of the layout's first pages had it. Where content brings its own classes, what stands outside of the text decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from scythe.page.map import PageMap, PlaceSpec
from scythe.site.evidence import Flags, Floats, Hashes, keyed_elements
from scythe.site.rules import ATTRIBUTE, ELEMENT, META, Layout, PlaceRule, TextRule
from scythe.site.select import EVERY, FIRST, Selector, distinct, outermost, rows

_COUNTED_PAGES = 30  # a layout's first pages say what is usual on it
_SAME, _ALIKE = 0.7, 0.5  # Jaccard similarity; with the second, what stands outside of the text must be the same
_SAME_OUTSIDE = 0.85
_SURE = 0.85  # score of a rule that may say that a page is of its layout
_COMPARED = 3
_REMEMBERED = 300  # pages with different keys
_NO_KEY = (1 << 64) - 1  # behind all others: what greater keys find
_NOTHING = 1e-9


@dataclass(slots=True)
class LayoutMarks:
    """How often each key was there on a layout's first pages."""

    pages: int = 0
    counts: dict[int, int] = field(default_factory=dict)

    def observe(self, keys: Hashes) -> bool:
        """Count one page more, unless enough were; say whether it was counted."""
        if self.pages >= _COUNTED_PAGES:
            return False
        self.pages += 1
        for key in keys.tolist():
            self.counts[key] = self.counts.get(key, 0) + 1
        return True

    def jaccard(self, keys: Hashes) -> float:
        """Say how much a page has in common with the layout: 1 everything, 0 nothing."""
        if not self.counts:
            return 0.0
        shared = sum(self.counts.get(key, 0) for key in keys.tolist()) / self.pages
        return shared / (sum(self.counts.values()) / self.pages + len(keys) - shared)

    def dump(self) -> tuple[tuple[int, int], ...]:
        """Return keys and counts, ascending."""
        return tuple(sorted(self.counts.items()))


class MappedPage:
    """A page map with what finding its layout asks of it."""

    def __init__(self, page: PageMap) -> None:
        self.map = page

    @cached_property
    def keyed(self) -> Flags:
        """Which elements have a class or an id."""
        return keyed_elements(self.map)

    @property
    def keys(self) -> Hashes:
        """The distinct keys of these elements."""
        return self.map.signature

    def roots(self, rule: TextRule) -> list[int]:
        """Return the elements that hold the text by a rule, in page order."""
        if len(rule.roots) == 1:
            return row_list(self.map, rule.roots[0])
        found = sorted({row for selector in rule.roots for row in row_list(self.map, selector)})
        outer: list[int] = outermost(np.array(found, np.intp), self.map.last).tolist()
        return outer

    def keys_outside(self, roots: Sequence[int]) -> Hashes:
        """Return the distinct keys of elements that are not inside the text."""
        outside = self.keyed.copy()
        for row in roots:
            outside[row + 1 : self.map.last[row]] = False
        return distinct(self.map.key[outside])


def row_list(page: PageMap, selector: Selector) -> list[int]:
    """Return what `select.rows` does as a list, at a third of the cost."""
    if selector.child:
        numbered: list[int] = rows(page, selector).tolist()
        return numbered
    found, at = page.matching(selector.path, selector.key, selector.parent), selector.place
    if at is EVERY or not found:
        return found
    return found[at : at + 1] if at >= 0 else found[at:][:1] if -at <= len(found) else []


def _spec_of(place: PlaceRule) -> PlaceSpec | None:
    at = place.selector
    if place.source == META:
        return (0, 0, 0, place.attribute, place.name) if not place.shared else None
    if place.source not in (ELEMENT, ATTRIBUTE) or at is None or at.child or at.place != FIRST or place.shared:
        return None
    return at.path, at.key, at.parent, place.attribute if place.source == ATTRIBUTE else None, None


class KnownLayout:
    """A layout with the marks that its pages are known by; what is learned replaces `layout`."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.marks = LayoutMarks(layout.marked, dict(layout.marks))
        self.outside = LayoutMarks(layout.marked, dict(layout.outside))
        self.child: KnownLayout | None = None  # for its pages that the rule of its text does not fit
        self.samples: list[tuple[PageMap, str]] = []  # pages that it was learned from, with their addresses

    @property
    def layout(self) -> Layout:
        """The rules, as far as they are learned."""
        return self._layout

    @layout.setter
    def layout(self, layout: Layout) -> None:
        self._layout = layout
        found = layout.field("text")
        self.text = found.text if found is not None else None  # the rule of the main text
        self.dropped = self.text.dropped if self.text is not None else ()  # keys, and of parents, 0 for any
        # the places of each field as the page map takes them, None for those that it cannot follow
        self.specs = {rules.name: tuple(map(_spec_of, rules.places)) for rules in layout.fields}

    def frozen(self) -> Layout:
        """Return the layout with its marks as they are now."""
        return replace(self.layout, marks=self.marks.dump(), marked=self.marks.pages, outside=self.outside.dump())


class LayoutIndex:
    """The layouts of a site, to find that of a page among them."""

    def __init__(self, layouts: Iterable[Layout] = ()) -> None:
        self.known: list[KnownLayout] = []
        self._is_stale = True
        self._words = np.zeros(0, np.uint64)
        self._shares = np.zeros((0, 0))
        self._totals = np.zeros(0)
        self._compared: dict[object, tuple[Floats, int]] = {}  # by the mark of pages met since, with the nearest
        by_name: dict[str, KnownLayout] = {}
        for layout in layouts:
            known = by_name[layout.name] = KnownLayout(layout)
            if layout.parent in by_name:
                by_name[layout.parent].child = known
            else:
                self.known.append(known)

    def __iter__(self) -> Iterator[KnownLayout]:
        for known in self.known:
            found: KnownLayout | None = known
            while found is not None:
                yield found
                found = found.child

    def add(self, known: KnownLayout) -> None:
        """Add a layout that pages may be of from now on."""
        self.known.append(known)
        self._is_stale = True

    def depth_of(self, wanted: KnownLayout) -> int:
        """Return how many layouts a layout is a child of, one of another."""
        for known in self.known:
            depth, found = 0, known
            while found is not wanted and found.child is not None:
                depth, found = depth + 1, found.child
            if found is wanted:
                return depth
        return 0

    def observe(self, known: KnownLayout, page: MappedPage) -> None:
        """Count what a page of a layout has."""
        if known.marks.observe(page.keys):
            self._is_stale = True

    def find(self, page: MappedPage) -> tuple[KnownLayout | None, list[int]]:
        """Return the layout of a page, None where none is near, and the elements that the rule of its text leads to."""
        if not self.known:
            return None, []
        likeness, best = self._compare(page)
        if likeness[best] >= _SAME:
            return self._down(self.known[best], page)
        order = np.argsort(-likeness, kind="stable")[:_COMPARED].tolist()
        near = (self.known[at] for at in order if likeness[at] >= _ALIKE)
        known = next((each for each in near if self._is_same_outside(each, page)), None)
        return self._down(known, page) if known is not None else (None, [])

    def _down(self, known: KnownLayout, page: MappedPage) -> tuple[KnownLayout, list[int]]:
        while True:
            rule = known.text
            roots = page.roots(rule) if rule is not None else []
            if roots or known.child is None:
                return known, roots
            known = known.child

    def _is_same_outside(self, known: KnownLayout, page: MappedPage) -> bool:
        rule = known.text
        if rule is None or rule.score < _SURE or not known.outside.counts:
            return False
        roots = page.roots(rule)
        return len(roots) > 0 and known.outside.jaccard(page.keys_outside(roots)) >= _SAME_OUTSIDE

    def _compare(self, page: MappedPage) -> tuple[Floats, int]:
        """Say how much a page is like each layout, and which is the nearest."""
        if self._is_stale:
            self._tabulate()
        mark = page.map.mark
        known = self._compared.get(mark)
        if known is None:
            keys = page.keys
            at = self._words.searchsorted(keys)
            shared = self._shares[at[self._words[at] == keys]].sum(axis=0)
            likeness = shared / np.maximum(self._totals + len(keys) - shared, _NOTHING)
            known = likeness, int(likeness.argmax())
            if len(self._compared) < _REMEMBERED:
                self._compared[mark] = known
        return known

    def _tabulate(self) -> None:
        """Put the marks of all layouts into one table: a row for each key, a column for each layout."""
        words = sorted({key for known in self.known for key in known.marks.counts})
        self._words = np.array([*words, _NO_KEY], np.uint64)
        self._shares = np.zeros((len(self._words), len(self.known)))
        for column, known in enumerate(self.known):
            if known.marks.counts:
                at = np.searchsorted(self._words, np.fromiter(known.marks.counts, np.uint64, len(known.marks.counts)))
                self._shares[at, column] = np.fromiter(known.marks.counts.values(), float) / known.marks.pages
        self._totals = self._shares.sum(axis=0)
        self._compared = {}
        self._is_stale = False


def layouts_of(index: LayoutIndex) -> tuple[Layout, ...]:
    """Return the layouts of which something was learned as they are now, parents first."""
    return tuple(known.frozen() for known in index if known.layout.pages or known.layout.fields)
