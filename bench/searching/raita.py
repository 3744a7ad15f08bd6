"""Raita (1992): Horspool's shifts; the last, the first and the middle byte are compared before the rest."""

from __future__ import annotations

from bench.searching.horspool import Table, prepare

__all__ = ["prepare", "search"]


def search(table: Table, body: bytes, start: int) -> int:
    """Find the pattern from `start` on, or return -1."""
    pattern, shifts = table
    size = len(pattern)
    half = size // 2
    first, middle, last = pattern[0], pattern[half], pattern[-1]
    at, end = start, len(body) - size
    while at <= end:
        byte = body[at + size - 1]
        if byte == last and body[at] == first and body[at + half] == middle:
            if body[at + 1 : at + size - 1] == pattern[1:-1]:
                return at
        at += shifts[byte]
    return -1
