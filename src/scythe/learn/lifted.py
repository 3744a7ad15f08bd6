"""Look for a better tag to begin records with: records come in, the same records one element further out or in go out.

An element around a record that holds no other text, or one inside that holds all of its text, is the record as well,
and its tag may be the one that can be told by how it begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from scythe.learn.columns import Shown
from scythe.page.elements import Elements
from scythe.page.source import MARK

_OUT = 3  # elements further out that are tried, and ...
_IN = 5  # ... further in

Range = tuple[int, int]
Tops = tuple[tuple[int, ...], ...]


def lift_out(shown: Shown) -> tuple[Tops, Shown] | None:
    """Return the region made of the outermost elements that hold just its records' texts, if these are not its own."""
    found = [(level, tops, region) for level, tops, region in lift(shown) if level > 0]
    return found[-1][1:] if found else None


def lift(shown: Shown) -> Iterator[tuple[int, Tops, Shown]]:
    """Yield how far out (or in, below 0), the offsets of the records' elements there, and the region made of them."""
    for step, most in ((_outer, _OUT), (_inner, _IN)):
        rows = shown.rows
        for level in range(1, most + 1):
            moved = _move(shown, rows, step)
            if moved is None:
                break
            rows = moved
            tops = tuple((_offset(shown.elements, first),) for first, _ in rows)
            if all(top[0] >= 0 for top in tops):
                yield (level if step is _outer else -level), tops, replace(shown, rows=rows)


def _move(
    shown: Shown, rows: tuple[Range, ...], step: Callable[[Elements, int, Range], int]
) -> tuple[Range, ...] | None:
    """Return the rows of the next elements out or in, None where a record has none."""
    elements = shown.elements
    moved: list[Range] = []
    for (first, last), leaves in zip(rows, shown.leaves, strict=True):
        row = step(elements, first, leaves) if first < last == elements.end[first] else -1
        if row < 0:
            return None
        moved.append((row, elements.end[row]))
    return tuple(moved) if len({row for row, _ in moved}) == len(moved) else None


def _outer(elements: Elements, row: int, leaves: Range) -> int:
    above = elements.parent[row]
    return above if above > 0 and (elements.leaf_start[above], elements.leaf_end[above]) == leaves else -1


def _inner(elements: Elements, row: int, leaves: Range) -> int:
    for child in elements.children(row)[:8]:
        if (elements.leaf_start[child], elements.leaf_end[child]) == leaves:
            return child
    return -1


def _offset(elements: Elements, row: int) -> int:
    mark = elements.node[row].attributes.get(MARK)
    return int(mark) if mark and mark.isdecimal() else -1
