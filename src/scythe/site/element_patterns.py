"""Find elements on a page map by pattern: what opening tags, CSS selectors and XPaths of people are compiled to.

A pattern is a union of chains; each step of a chain names an axis, a tag and tests. Everything is answered from the
columns of the map: attributes are looked at only where the bytes of an opening tag can hold what is asked for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from scythe.limits import LIMITS
from scythe.page.map import CONTINUES, IN_TEMPLATE, PageMap
from scythe.site.evidence import tag_number
from scythe.site.select import sibling_numbers

Rows: TypeAlias = NDArray[Any]

INSIDE, CHILD, NEXT, AFTER, FOLLOWING, PARENT = "inside", "child", "next", "after", "following", "parent"  # axes
_SIBLINGS = (AFTER, FOLLOWING)  # counted from each element that they start at
HAS, IS, WORD, BEGINS, ENDS, HOLDS, DASH, WORDS = "has", "=", "~=", "^=", "$=", "*=", "|=", "words"


class TooMuchWork(Exception):
    """A pattern asks more of a page than `LIMITS.pattern_rows` and `pattern_bytes` allow."""


@dataclass(frozen=True, slots=True)
class AttributeTest:
    """What an attribute is like; `WORDS`: it has these words and no others, in any order."""

    name: str
    op: str = HAS
    value: str = ""
    any_case: bool = False


@dataclass(frozen=True, slots=True)
class TextTest:
    """What the text of an element is like, white space squeezed; `own`: its own text nodes, one by one."""

    op: str  # IS, HOLDS, BEGINS
    value: str
    own: bool = False


@dataclass(frozen=True, slots=True)
class NthTest:
    """The number among the siblings is a * n + b for some n from 0 on: `:nth-child` and its like."""

    a: int
    b: int
    of_type: bool = False
    from_end: bool = False


@dataclass(frozen=True, slots=True)
class AtTest:
    """The n-th of those that are left at each parent, from 1 on; -1 the last: `[2]`, `[last()]`."""

    at: int


@dataclass(frozen=True, slots=True)
class NotTest:
    """Not all of some tests hold."""

    tests: tuple[Test, ...]


@dataclass(frozen=True, slots=True)
class AnyTest:
    """All tests of one of several rows of them hold."""

    rows: tuple[tuple[Test, ...], ...]


Test: TypeAlias = AttributeTest | TextTest | NthTest | AtTest | NotTest | AnyTest


@dataclass(frozen=True, slots=True)
class PatternStep:
    """From what was found so far to the next elements."""

    axis: str
    tag: str = ""  # lower case; "": any
    tests: tuple[Test, ...] = ()


@dataclass(frozen=True, slots=True)
class ElementPattern:
    """Which elements are meant, and what is taken of each."""

    chains: tuple[tuple[PatternStep, ...], ...]
    place: int | None = None  # which of all that were found: 1 the first, -1 the last, None all
    attribute: str = ""  # taken instead of the text
    own_text: bool = False  # only the text nodes directly in the element are taken


def find_elements(page: PageMap, pattern: ElementPattern) -> list[int]:
    """Return the rows that a pattern means, ascending. Raises TooMuchWork beyond the limits."""
    matcher = _Matcher(page)
    found: set[int] = set()
    for chain in pattern.chains:
        found.update(matcher.follow(chain).tolist())
    rows = sorted(found)
    if pattern.place is None:
        return rows
    at = pattern.place - 1 if pattern.place > 0 else len(rows) + pattern.place
    return rows[at : at + 1] if at >= 0 else []


class _Matcher:
    """Follows chains on one page."""

    def __init__(self, page: PageMap) -> None:
        self._page = page
        self._rows_left = LIMITS.pattern_rows
        self._bytes_left = LIMITS.pattern_bytes
        self._numbers: dict[tuple[bool, bool], NDArray[np.intp]] = {}
        self._references: NDArray[np.intp] | None = None

    def follow(self, chain: Sequence[PatternStep]) -> Rows:
        """Return what a chain leads to, ascending."""
        found: Rows | None = None
        for step in chain:
            found = self._step(found, step)
            if not len(found):
                break
        return found if found is not None else np.zeros(0, np.intp)

    def _step(self, start: Rows | None, step: PatternStep) -> Rows:
        if step.axis == PARENT:
            assert start is not None
            above = np.unique(self._page.parent[start]).astype(np.intp)
            return self._pass_all(above[(above >= 0) & self._is_named(above, step.tag)], step.tests)
        rows = self._candidates(step)
        if start is None:
            if step.axis == CHILD:
                rows = rows[self._page.parent[rows] < 0]
            return self._pass_all(rows, step.tests)
        if step.axis not in _SIBLINGS or not any(isinstance(test, AtTest) for test in step.tests):
            return self._pass_all(self._related(rows, start, step.axis), step.tests)
        found: set[int] = set()
        for one in start.tolist():
            self._spend(len(rows))
            own = self._related(rows, np.array([one], np.intp), step.axis)
            found.update(self._pass_all(own, step.tests, is_one_row=True).tolist())
        return np.array(sorted(found), np.intp)

    def _is_named(self, rows: Rows, tag: str) -> NDArray[np.bool_]:
        page = self._page
        if not tag:
            return np.ones(len(rows), bool)
        named: NDArray[np.bool_] = page.tag[rows] == tag_number(page, tag)
        return named

    def _candidates(self, step: PatternStep) -> Rows:
        """Return the elements with the tag of a step whose opening tags may hold what its first tests ask for."""
        page = self._page
        shown = page.flags & IN_TEMPLATE == 0
        if step.tag:
            shown = shown & (page.tag == tag_number(page, step.tag))
        rows: Rows = shown.nonzero()[0]
        for test in step.tests:
            if not isinstance(test, AttributeTest):
                break  # what comes behind a number is asked of fewer
            rows = self._that_may_have(rows, test)
        self._spend(len(rows))
        return rows

    def _that_may_have(self, rows: Rows, test: AttributeTest) -> Rows:
        """Leave out elements whose opening tag lacks the bytes that an attribute needs, unless it has references."""
        words = test.value.split()
        literal = max(words, key=len) if words else ""
        if test.any_case or test.op == HAS or not literal or "\ufffd" in literal or not len(rows):
            return rows
        page = self._page
        if self._references is None:
            self._references = (np.frombuffer(page.source, np.uint8) == ord("&")).nonzero()[0]
        may = self._hold(rows, occurrences(page.source, literal.encode())) | self._hold(rows, self._references)
        may |= (rows == 0) | (rows == page.body)  # the attributes of further body tags are theirs
        kept: Rows = rows[may]
        return kept

    def _hold(self, rows: Rows, offsets: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Say of each element whether one of some offsets lies in its opening tag."""
        if not len(offsets):
            return np.zeros(len(rows), bool)
        first = offsets.searchsorted(self._page.start[rows])
        held: NDArray[np.bool_] = (first < len(offsets)) & (
            offsets[np.minimum(first, len(offsets) - 1)] < self._page.inner[rows]
        )
        return held

    def _related(self, rows: Rows, start: Rows, axis: str) -> Rows:
        """Leave out what cannot be reached from some elements, which ascend."""
        page = self._page
        if axis == CHILD:
            reached = np.isin(page.parent[rows], start)
        elif axis == INSIDE:
            furthest = np.maximum.accumulate(page.last[start])
            before = start.searchsorted(rows) - 1  # the last that begins in front
            reached = (before >= 0) & (rows < furthest[before])
        elif axis == FOLLOWING:
            reached = rows >= page.last[start].min()
        elif axis == NEXT:
            ends = start[page.last[start] < page.last[np.maximum(page.parent[start], 0)]]
            reached = np.isin(rows, page.last[ends])
        else:
            reached = self._behind_sibling(rows, start)
        kept: Rows = rows[reached]
        return kept

    def _behind_sibling(self, rows: Rows, start: Rows) -> NDArray[np.bool_]:
        """Say of each element whether it stands behind one of some others at the same parent."""
        page = self._page
        first: dict[int, int] = {}
        for row, parent in zip(start.tolist(), page.parent[start].tolist(), strict=True):
            first.setdefault(parent, row)
        parents = np.array(sorted(first), np.intp)
        firsts = np.array([first[parent] for parent in parents.tolist()], np.intp)
        above = page.parent[rows]
        at = np.minimum(parents.searchsorted(above), len(parents) - 1)
        behind: NDArray[np.bool_] = (parents[at] == above) & (rows > firsts[at])
        return behind

    def _pass_all(self, rows: Rows, tests: Sequence[Test], *, is_one_row: bool = False) -> Rows:
        for test in tests:
            if not len(rows):
                break
            if isinstance(test, AtTest):
                rows = self._at(rows, test.at, is_one_row=is_one_row)
            else:
                self._spend(len(rows))
                rows = rows[np.array([self._holds(row, test) for row in rows.tolist()], bool)]
        return rows

    def _at(self, rows: Rows, at: int, *, is_one_row: bool) -> Rows:
        """Keep the n-th at each parent."""
        groups: dict[int, list[int]] = defaultdict(list)
        for row, parent in zip(rows.tolist(), self._page.parent[rows].tolist(), strict=True):
            groups[0 if is_one_row else parent].append(row)
        at = at - 1 if at > 0 else at
        kept = [group[at] for group in groups.values() if -len(group) <= at < len(group)]
        return np.array(sorted(kept), np.intp)

    def _holds(self, row: int, test: Test) -> bool:
        """Say whether a test holds for one element."""
        if isinstance(test, AttributeTest):
            return self._has(row, test)
        if isinstance(test, TextTest):
            return any(_is_like(text, test.op, test.value) for text in self._texts(row, own=test.own))
        if isinstance(test, NthTest):
            number = int(self._number(test)[row]) - test.b
            return number == 0 if test.a == 0 else number % test.a == 0 and number // test.a >= 0
        if isinstance(test, NotTest):
            return not all(self._holds(row, one) for one in test.tests)
        assert isinstance(test, AnyTest)
        return any(all(self._holds(row, one) for one in tests) for tests in test.rows)

    def _has(self, row: int, test: AttributeTest) -> bool:
        if test.op == HAS:
            return test.name in self._page.element(row).attributes
        value = self._page.attribute(row, test.name)
        if value is None:
            return test.op in (IS, WORDS) and not test.value and test.name in self._page.element(row).attributes
        wanted = test.value
        if test.any_case:
            value, wanted = value.lower(), wanted.lower()
        if test.op == WORDS:
            return set(value.split()) == set(wanted.split())
        return _is_like(value, test.op, wanted)

    def _texts(self, row: int, *, own: bool) -> list[str]:
        page = self._page
        self._bytes_left -= int(page.close[row]) - int(page.inner[row])
        if self._bytes_left < 0:
            raise TooMuchWork("too much text to compare")
        return own_texts(page, row) if own else [page.text(row)]

    def _number(self, test: NthTest) -> NDArray[np.intp]:
        """Return the number of every element among its siblings."""
        known = self._numbers.get((test.of_type, test.from_end))
        if known is None:
            kind = self._page.parent.astype(np.int64) * 65_536 + (self._page.tag if test.of_type else 0)
            known = sibling_numbers(kind, from_end=test.from_end)
            self._numbers[test.of_type, test.from_end] = known
        return known

    def _spend(self, rows: int) -> None:
        self._rows_left -= rows
        if self._rows_left < 0:
            raise TooMuchWork("too many elements to compare")


def occurrences(source: bytes, part: bytes) -> NDArray[np.intp]:
    """Return where some bytes stand in a page; nowhere if there are none."""
    found: list[int] = []
    at = source.find(part) if part else -1
    while at >= 0:
        found.append(at)
        at = source.find(part, at + 1)
    return np.array(found, np.intp)


def own_texts(page: PageMap, row: int) -> list[str]:
    """Return the text nodes directly in an element, white space squeezed."""
    runs = range(int(page.run_from[row]), int(page.run_to[row]))
    direct = (run for run in runs if page.run_row[run] == row and not page.run_flags[run] & CONTINUES)
    return [" ".join(page.run_text(run).split()) for run in direct]


def _is_like(value: str, op: str, wanted: str) -> bool:
    if op == IS:
        return value == wanted
    if op == WORD:
        return wanted in value.split()
    if op == DASH:
        return value == wanted or value.startswith(f"{wanted}-")
    if not wanted:
        return False
    return value.startswith(wanted) if op == BEGINS else value.endswith(wanted) if op == ENDS else wanted in value
