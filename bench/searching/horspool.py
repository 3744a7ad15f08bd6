"""Horspool (1980): compare at the end of the window, shift by the last byte of the window."""

from __future__ import annotations

from typing import NamedTuple


class Table(NamedTuple):
    """A pattern and how far each byte at the end of the window lets it move."""

    pattern: bytes
    shifts: list[int]


def prepare(pattern: bytes) -> Table:
    """Compute the shifts."""
    size = len(pattern)
    shifts = [size] * 256
    for i in range(size - 1):
        shifts[pattern[i]] = size - 1 - i
    return Table(pattern, shifts)


def search(table: Table, body: bytes, start: int) -> int:
    """Find the pattern from `start` on, or return -1."""
    pattern, shifts = table
    size, last = len(pattern), pattern[-1]
    at = start + size - 1
    while at < len(body):
        byte = body[at]
        if byte == last and body[at - size + 1 : at + 1] == pattern:
            return at - size + 1
        at += shifts[byte]
    return -1
