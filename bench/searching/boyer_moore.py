"""Boyer and Moore (1977): compare from the right, shift by the larger of the bad byte and the good suffix."""

from __future__ import annotations

from typing import NamedTuple


class Table(NamedTuple):
    """A pattern and its two tables of shifts."""

    pattern: bytes
    bad: list[int]  # by byte, seen from the end of the window
    good: list[int]  # by the place of the mismatch


def prepare(pattern: bytes) -> Table:
    """Compute both tables of shifts."""
    size = len(pattern)
    bad = [size] * 256
    for i in range(size - 1):
        bad[pattern[i]] = size - 1 - i
    return Table(pattern, bad, _good_suffixes(pattern))


def search(table: Table, body: bytes, start: int) -> int:
    """Find the pattern from `start` on, or return -1."""
    pattern, bad, good = table
    size = len(pattern)
    at, end = start, len(body) - size
    while at <= end:
        i = size - 1
        while i >= 0 and pattern[i] == body[at + i]:
            i -= 1
        if i < 0:
            return at
        at += max(good[i], bad[body[at + i]] - size + 1 + i)
    return -1


def _good_suffixes(pattern: bytes) -> list[int]:
    size = len(pattern)
    suffixes = _common_suffixes(pattern)
    good = [size] * size
    j = 0
    for i in range(size - 1, -1, -1):
        if suffixes[i] == i + 1:
            while j < size - 1 - i:
                if good[j] == size:
                    good[j] = size - 1 - i
                j += 1
    for i in range(size - 1):
        good[size - 1 - suffixes[i]] = size - 1 - i
    return good


def _common_suffixes(pattern: bytes) -> list[int]:
    """Return for each place the length of the longest suffix of the pattern that ends there."""
    size = len(pattern)
    suffixes = [size] * size
    f, g = 0, size - 1
    for i in range(size - 2, -1, -1):
        if i > g and suffixes[i + size - 1 - f] < i - g:
            suffixes[i] = suffixes[i + size - 1 - f]
        else:
            g, f = min(g, i), i
            while g >= 0 and pattern[g] == pattern[g + size - 1 - f]:
                g -= 1
            suffixes[i] = f - g
    return suffixes
