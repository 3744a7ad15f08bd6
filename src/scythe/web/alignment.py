"""Two sequences come in; which parts of them are the same goes out, in time that grows with their length only.

What stands once in both holds the two together (patience diff); between such places the same is done again, and small
rests are compared one by one. difflib by itself is quadratic and worse: a megabyte of text would take minutes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

_SMALL = 20_000  # pairs of a rest that is compared one by one: some 5 ms
_ALL_SMALL = 600_000  # pairs of all such rests together
_DEPTH = 6  # how often rests are looked at again


class Stretch(NamedTuple):
    """A part of both sequences: the same in both, or what one has in place of the other's."""

    is_same: bool
    start: int  # in the first
    end: int
    first: int  # in the second
    last: int


def align(one: Sequence[Hashable], other: Sequence[Hashable]) -> list[Stretch]:
    """Return both sequences as stretches, in order, which cover all of them; no two neighbours are of one kind."""
    merged: list[Stretch] = []
    for stretch in _Aligning(one, other).run():
        if merged and merged[-1].is_same == stretch.is_same:
            merged[-1] = merged[-1]._replace(end=stretch.end, last=stretch.last)
        else:
            merged.append(stretch)
    return merged


class _Aligning:
    """One comparison, with what is left of its time."""

    def __init__(self, one: Sequence[Hashable], other: Sequence[Hashable]) -> None:
        self._one, self._other = one, other
        self._left = _ALL_SMALL

    def run(self) -> Iterator[Stretch]:
        waiting = [(0, len(self._one), 0, len(self._other), _DEPTH)]
        while waiting:
            start, end, first, last, depth = waiting.pop()
            if depth < 0:  # known to be the same
                yield Stretch(True, start, end, first, last)
                continue
            head, tail = self._ends(start, end, first, last)
            if head:
                yield Stretch(True, start, start + head, first, first + head)
            if tail:
                waiting.append((end - tail, end, last - tail, last, -1))
            start, first, end, last = start + head, first + head, end - tail, last - tail
            if start < end or first < last:
                parts = self._split(start, end, first, last, depth)
                if parts is None:
                    yield Stretch(False, start, end, first, last)
                else:
                    waiting += reversed(parts)

    def _ends(self, start: int, end: int, first: int, last: int) -> tuple[int, int]:
        """Return how many are the same at the beginning, and at the end."""
        most = min(end - start, last - first)
        head = 0
        while head < most and self._one[start + head] == self._other[first + head]:
            head += 1
        tail = 0
        while tail < most - head and self._one[end - 1 - tail] == self._other[last - 1 - tail]:
            tail += 1
        return head, tail

    def _split(
        self, start: int, end: int, first: int, last: int, depth: int
    ) -> list[tuple[int, int, int, int, int]] | None:
        """Return the parts of two stretches that differ, None where nothing in them is known to be the same."""
        if start == end or first == last:
            return None
        size = (end - start) * (last - first)
        if size <= min(_SMALL, self._left):
            self._left -= size
            matcher = SequenceMatcher(None, self._one[start:end], self._other[first:last], autojunk=False)
            matches = [(start + a, first + b, length) for a, b, length in matcher.get_matching_blocks() if length]
            depth = 0
        elif depth:
            matches = [(a, b, 1) for a, b in self._anchors(start, end, first, last)]
        else:
            return None
        return self._between(matches, (start, end, first, last), depth - 1) if matches else None

    def _between(
        self, matches: Sequence[tuple[int, int, int]], whole: tuple[int, int, int, int], depth: int
    ) -> list[tuple[int, int, int, int, int]]:
        start, end, first, last = whole
        parts = []
        for a, b, length in (*matches, (end, last, 0)):
            if start < a or first < b:
                parts.append((start, a, first, b, max(depth, 0)))
            parts.append((a, a + length, b, b + length, -1))
            start, first = a + length, b + length
        return parts

    def _anchors(self, start: int, end: int, first: int, last: int) -> list[tuple[int, int]]:
        """Return places of what stands once in both, as many as are in the same order in both."""
        ours, theirs = Counter(self._one[start:end]), Counter(self._other[first:last])
        places = {self._other[b]: b for b in range(first, last) if theirs[self._other[b]] == 1}
        pairs = [
            (a, places[self._one[a]]) for a in range(start, end) if ours[self._one[a]] == 1 and self._one[a] in places
        ]
        return _longest_rising(pairs)


def _longest_rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest series of pairs, given by rising first place, whose second places rise, too."""
    tops: list[int] = []  # the lowest end of a series, by its length
    holders: list[int] = []  # which pair that is
    before: list[int] = []  # the pair in front of each
    for number, (_, b) in enumerate(pairs):
        length = bisect_left(tops, b)
        before.append(holders[length - 1] if length else -1)
        if length == len(tops):
            tops.append(b)
            holders.append(number)
        else:
            tops[length], holders[length] = b, number
    series = []
    number = holders[-1] if holders else -1
    while number >= 0:
        series.append(pairs[number])
        number = before[number]
    return series[::-1]
