"""Tuned Boyer-Moore (Hume and Sunday 1991): three blind shifts at a time until the last byte fits, then compare."""

from __future__ import annotations

from typing import NamedTuple


class Table(NamedTuple):
    """A pattern, shifts that are 0 for its last byte, and the shift after a comparison that failed."""

    pattern: bytes
    shifts: list[int]
    after: int


def prepare(pattern: bytes) -> Table:
    """Compute the shifts."""
    size = len(pattern)
    shifts = [size] * 256
    for i in range(size - 1):
        shifts[pattern[i]] = size - 1 - i
    after = shifts[pattern[-1]]
    shifts[pattern[-1]] = 0
    return Table(pattern, shifts, after)


def search(table: Table, body: bytes, start: int) -> int:
    """Find the pattern from `start` on, or return -1."""
    pattern, shifts, after = table
    size, end = len(pattern), len(body)
    at = start + size - 1
    blind = end - 2 * size  # so far three shifts cannot leave the body: the original appends the pattern instead
    while at < end:
        shift = shifts[body[at]]
        while shift:
            at += shift
            if at < blind:
                at += shifts[body[at]]
                at += shifts[body[at]]
            if at >= end:
                return -1
            shift = shifts[body[at]]
        if body[at - size + 1 : at + 1] == pattern:
            return at - size + 1
        at += after
    return -1
