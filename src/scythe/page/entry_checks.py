"""Judge whether rules still select what they were learned for: records come in, what is strange about them goes out."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Sequence
from itertools import pairwise

from scythe.rules import RegionRules

Span = tuple[int, int]  # bytes

_FEW = 3  # times fewer records than the page with the fewest had: worth a second look
_SPANNING = re.compile(rb"(?:row|col)span", re.I)
_FOLLOWING = re.compile(rb"[\t\n\f\r ]*+(<[A-Za-z][^\t\n\f\r />]*)")
_NAME = re.compile(rb"<[A-Za-z][^\t\n\f\r />]*")


def judge_count(rules: RegionRules, count: int) -> str:
    """Say what is strange about the number of records, if anything is. One alone is no list.

    Where records stand side by side, one of an unknown make would be noticed, and few are just few.
    """
    if count < 2 and rules.is_expected:
        return "no records begin as learned"
    is_few = not rules.tight and 1 < count * _FEW < rules.fewest
    return "far fewer records than usual" if is_few else ""


def find_lookalike(body: bytes, names: Collection[bytes], spans: Sequence[Span]) -> bool:
    """Say whether a tag with the name of a record stands between two or next to them: perhaps one of a new make."""
    gaps = ((end, start) for (_, end), (start, _) in pairwise(spans))
    if any(body.find(name, end, start) >= 0 for end, start in gaps if start - end > 2 for name in names):
        return True
    following = _FOLLOWING.match(body, spans[-1][1]) if spans else None
    return following is not None and following[1] in names


def leave_taken(spans: Sequence[Span], taken: list[Span]) -> list[int]:
    """Return the numbers of the ranges that overlap none of those taken, which are sorted, and take them too."""
    free = [i for i, (start, end) in enumerate(spans) if not _overlaps(start, end, taken)]
    taken.extend(spans[i] for i in free)
    taken.sort()
    return free


def _overlaps(start: int, end: int, taken: list[Span]) -> bool:
    at = bisect_left(taken, (end, 0))  # those before it begin before `end`
    return at > 0 and taken[at - 1][1] > start


def judge_outside(rules: RegionRules, outside: int) -> str:
    """Say whether there are many more elements like records outside of the holder than ever: another list, perhaps."""
    many = 2 * rules.outside + 2
    return "more records than usual stand elsewhere" if rules.holder and outside > many else ""


def judge_cells(body: bytes, names: Collection[bytes], spans: Sequence[Span]) -> str:
    """Say whether cells of rows span others: their columns are then told by the whole table, not by their number."""
    rows = spans if any(name.lower() == b"<tr" for name in names) else ()
    return "cells that span others" if any(_SPANNING.search(body, *row) for row in rows) else ""


def head_names(rules: RegionRules) -> frozenset[bytes]:
    """Return the `<name` of each literal that begins a record."""
    found = (_NAME.match(literal) for literal in rules.heads)
    return frozenset(name[0] for name in found if name)
