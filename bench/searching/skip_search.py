"""Skip Search (Charras, Lecroq and Pehoushek 1998): look at every m-th byte, compare where the pattern has it."""

from __future__ import annotations

from typing import NamedTuple


class Table(NamedTuple):
    """A pattern and the places of each byte in it, last first."""

    pattern: bytes
    places: dict[int, list[int]]


def prepare(pattern: bytes) -> Table:
    """Collect the places of each byte."""
    places: dict[int, list[int]] = {}
    for i in range(len(pattern) - 1, -1, -1):
        places.setdefault(pattern[i], []).append(i)
    return Table(pattern, places)


def search(table: Table, body: bytes, start: int) -> int:
    """Find the pattern from `start` on, or return -1."""
    pattern, places = table
    size = len(pattern)
    for at in range(start + size - 1, len(body), size):
        for place in places.get(body[at], ()):
            if body[at - place : at - place + size] == pattern:
                return at - place
    return -1
