"""Optimal Mismatch (Sunday 1990): compare the rarest bytes first, shift by what matched or by the byte behind."""

from __future__ import annotations

from typing import NamedTuple

# bytes of web pages from common to rare, as far as the order matters; what is not listed is rarer still
COMMON = b" etaionsrl\"/=<>cdhp-umg.fbyw\nkv1:0_2;3,5846x97jqzSCATDMBPELI&RNO#?FHGW%UKVYXJQZ\t'()"
_RANK = {byte: rank for rank, byte in enumerate(COMMON)}


class Table(NamedTuple):
    """A pattern, its places in the order of comparison, and both tables of shifts."""

    pattern: bytes
    order: list[tuple[int, int]]  # place, byte; rarest first
    matched: list[int]  # by how many comparisons succeeded
    behind: list[int]  # by the byte behind the window


def prepare(pattern: bytes) -> Table:
    """Order the places and compute both tables of shifts."""
    size = len(pattern)
    places = sorted(range(size), key=lambda i: (-_RANK.get(pattern[i], 256), -i))
    order = [(i, pattern[i]) for i in places]
    behind = [size + 1] * 256
    for i, byte in enumerate(pattern):
        behind[byte] = size - i
    return Table(pattern, order, _shifts(pattern, order), behind)


def search(table: Table, body: bytes, start: int) -> int:
    """Find the pattern from `start` on, or return -1."""
    pattern, order, matched, behind = table
    size = len(pattern)
    at, end = start, len(body) - size
    while at <= end:
        agreed = 0
        for place, byte in order:
            if body[at + place] != byte:
                break
            agreed += 1
        if agreed == size:
            return at
        if at == end:
            return -1
        at += max(matched[agreed], behind[body[at + size]])
    return -1


def _shifts(pattern: bytes, order: list[tuple[int, int]]) -> list[int]:
    """Return, by how many comparisons succeeded, the least shift that agrees with them and with the one that failed."""
    size = len(pattern)
    shifts, shift = [1], 1
    for agreed in range(1, size + 1):
        shift = _next_shift(pattern, order, agreed, shift)
        shifts.append(shift)
    for agreed, (place, byte) in enumerate(order):
        shift = shifts[agreed]
        # a shift that brings the same byte to the place of the mismatch would only fail there again
        while shift < size and place >= shift and pattern[place - shift] == byte:
            shift = _next_shift(pattern, order, agreed, shift + 1)
        shifts[agreed] = shift
    return shifts


def _next_shift(pattern: bytes, order: list[tuple[int, int]], agreed: int, shift: int) -> int:
    while shift < len(pattern):
        if all(place < shift or pattern[place - shift] == byte for place, byte in order[:agreed]):
            break
        shift += 1
    return shift
