"""Selectors: what a rule says of where an element stands, and the rows of a page map that it means.

A selector is a conjunction of what is known of one element: its path from the root, its key (tag, id and first class,
digits masked), the key of its parent, its number among its siblings of the same key. Of the elements that match, those
inside another match are left out; `place` then takes one of them, or all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scythe.errors import BadInput

if TYPE_CHECKING:
    from scythe.page.map import PageMap

FIRST = 0
EVERY = None
_NAME_CHARS = 60


@dataclass(frozen=True, slots=True)
class Selector:
    """Which elements of a page are meant; 0 stands for what does not matter."""

    path: int = 0
    key: int = 0
    parent: int = 0  # the key of the parent
    child: int = 0  # number among the siblings of the same key: 1 the first, -1 the last
    place: int | None = FIRST  # which of the outermost matches: 0 the first, -1 the last, None all of them
    name: str = ""  # what people call it: `div#content > p.lead`

    def __post_init__(self) -> None:
        if not (self.path or self.key):
            raise BadInput("a selector needs a path or a key")
        if not all(0 <= hash_ < 1 << 64 for hash_ in (self.path, self.key, self.parent)):
            raise BadInput("the hashes of a selector have 64 bits")


def rows(page: PageMap, selector: Selector) -> NDArray[np.intp]:
    """Return the elements a selector means, ascending; none of them lies inside another."""
    return _placed(matches(page, selector), selector.place)


def matches(page: PageMap, selector: Selector) -> NDArray[np.intp]:
    """Return the outermost elements that match, whatever the place asked for."""
    matching = getattr(page, "matching", None)  # not so of the pages of a layout taken together
    if not selector.child and matching is not None:
        return np.array(matching(selector.path, selector.key, selector.parent), np.intp)
    wanted = page.path == selector.path if selector.path else page.key == selector.key
    found = wanted.nonzero()[0]  # twice as fast as `flatnonzero`
    if len(found) and selector.path and selector.key:
        found = found[page.key[found] == selector.key]
    if len(found) and selector.parent:
        above = page.parent[found]
        found = found[(above >= 0) & (page.key[above] == selector.parent)]
    if len(found) and selector.child:
        parents = page.parent[found].astype(np.int64)
        numbers = sibling_numbers(parents, from_end=selector.child < 0)
        found = found[numbers == abs(selector.child)]
    return outermost(found, page.last)


def distinct(values: NDArray[Any]) -> NDArray[Any]:
    """Return different values in ascending order; `np.unique` takes 10 ms when first called, for masked arrays."""
    ordered = np.sort(values)
    return ordered[np.concatenate(([True], ordered[1:] != ordered[:-1]))] if len(ordered) else ordered


def outermost(found: NDArray[np.intp], last: NDArray[np.int32]) -> NDArray[np.intp]:
    """Leave out of ascending rows those that lie inside another."""
    if len(found) < 2:
        return found
    covered = np.maximum.accumulate(last[found])
    outside = np.ones(len(found), bool)
    outside[1:] = found[1:] >= covered[:-1]
    return found[outside]


def _placed(found: NDArray[np.intp], place: int | None) -> NDArray[np.intp]:
    if place is EVERY:
        return found
    if place >= 0:
        return found[place : place + 1]
    return found[place : place + 1 or None] if -place <= len(found) else found[:0]


def sibling_numbers(groups: NDArray[Any], *, from_end: bool) -> NDArray[np.intp]:
    """Number ascending rows among those of the same group, from 1 on; `groups` has that of each."""
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-(1 << 62)))
    sizes = np.diff(starts, append=len(order))
    at = np.arange(len(order)) - np.repeat(starts, sizes) + 1
    numbers = np.empty(len(order), np.intp)
    numbers[order] = np.repeat(sizes, sizes) - at + 1 if from_end else at
    return numbers


def candidates(page: PageMap, row: int, *, is_keyed: bool) -> Iterator[Selector]:
    """Yield selectors that mean exactly this element, the plainest first.

    `is_keyed` says that the element has an id or a class of its own; without, its key is that of every such tag, and
    is only used with a parent's.
    """
    path, key = int(page.path[row]), int(page.key[row])
    above = int(page.parent[row])
    parent = int(page.key[above]) if above >= 0 else 0
    bases = [Selector(path=path), *([Selector(key=key)] if is_keyed else [])]
    bases += [Selector(key=key, parent=parent)] if parent else []
    yield from _with_places(page, row, bases)
    siblings = np.flatnonzero((page.key == page.key[row]) & (page.parent == above))
    at = int(np.searchsorted(siblings, row))
    numbers = (at + 1, at - len(siblings))
    yield from _with_places(page, row, [Selector(path=path, child=number) for number in numbers])


def _with_places(page: PageMap, row: int, bases: list[Selector]) -> Iterator[Selector]:
    for base in bases:
        found = matches(page, base)
        at = int(np.searchsorted(found, row))
        if at == len(found) or found[at] != row:
            continue  # it lies inside another match
        for place in dict.fromkeys((at, at - len(found))):
            yield Selector(base.path, base.key, base.parent, base.child, place)


def every(selector: Selector) -> Selector:
    """Return the selector of all outermost elements that match."""
    return Selector(selector.path, selector.key, selector.parent, selector.child, EVERY, selector.name)


def with_name(page: PageMap, selector: Selector) -> Selector:
    """Return a selector with what people call its elements on a page; as it is where the page has none."""
    found = matches(page, selector)
    if not len(found):
        return selector
    row = int(found[0])
    above = int(page.parent[row]) if selector.parent or selector.path else -1
    name = " > ".join(_name_of(page, each) for each in (above, row) if each >= 0)
    return Selector(selector.path, selector.key, selector.parent, selector.child, selector.place, name)


def _name_of(page: PageMap, row: int) -> str:
    node = page.element(row)
    given = node.attributes
    said = (given.get("id") or "").strip()[:_NAME_CHARS], *(given.get("class") or "").split()[:1]
    return f"{node.tag}{'#' if said[0] else ''}{said[0]}{''.join(f'.{each[:_NAME_CHARS]}' for each in said[1:])}"
