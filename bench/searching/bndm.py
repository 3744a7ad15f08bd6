"""Backward nondeterministic DAWG matching (Navarro and Raffinot 1998): a suffix automaton in the bits of a number."""

from __future__ import annotations

from typing import NamedTuple


class Table(NamedTuple):
    """A pattern's size and, for each byte, a bit for each place where the pattern has it (the first place highest)."""

    size: int
    masks: list[int]


def prepare(pattern: bytes) -> Table:
    """Compute the masks; numbers have any length, so patterns may be longer than a machine word."""
    masks = [0] * 256
    bit = 1
    for byte in reversed(pattern):
        masks[byte] |= bit
        bit <<= 1
    return Table(len(pattern), masks)


def search(table: Table, body: bytes, start: int) -> int:
    """Find the pattern from `start` on, or return -1."""
    size, masks = table
    high, full = 1 << (size - 1), (1 << size) - 1
    at, end = start, len(body) - size
    while at <= end:
        i, shift, state = size - 1, size, full
        while i >= 0 and state:
            state &= masks[body[at + i]]
            i -= 1
            if state & high:  # what was read is a prefix of the pattern
                if i < 0:
                    return at
                shift = i + 1
            state = (state << 1) & full
        at += shift
    return -1
