"""Put the records of all candidates of a page side by side: candidates come in, columns go out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from scythe.read.records.candidate import Candidate

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MEASURED = (
    60_000  # records of all candidates of a page: bounds time and memory; the largest page of our sets has 16 000
)
_LANES = 8  # flags are counted by so many at once


@dataclass(frozen=True, slots=True)
class Ranges:
    """The records of all candidates, one after the other."""

    start: Ints  # per candidate: number of its first record
    count: Ints  # per candidate: how many records are measured
    records: Ints  # per candidate: how many there are
    holder: Ints  # per candidate: row
    owner: Ints  # per record: number of its candidate
    row: Ints  # per record: first row
    row_end: Ints
    leaf: Ints  # per record: first leaf
    leaf_end: Ints

    def total(self, values: Floats) -> Floats:
        """Add up what was measured per record."""
        sums: Floats = np.add.reduceat(values, self.start, axis=0)
        return sums

    def counts(self, flags: NDArray[np.bool_]) -> NDArray[np.unsignedinteger]:
        """Count per candidate the records that have each flag; there must be as many flags as `fill_words` says."""
        # several counts share a 64-bit word, which is fast; a candidate has fewer records than a lane can count
        lane = np.uint8 if self.count.max() < 1 << 8 else np.uint16
        words = flags.view(np.uint8).astype(lane, copy=False).view(np.uint64)
        return np.add.reduceat(words, self.start, axis=0).view(lane)


def fill_words(flags: int) -> int:
    """Return how many flags to make of so many, for them to be counted together."""
    return -(-flags // _LANES) * _LANES


def ranges_of(candidates: Sequence[Candidate]) -> Ranges:
    """Put the records of all candidates, at least one, into columns; of very many records every n-th is measured."""
    records = np.array([len(one.rows) for one in candidates], dtype=np.int64)
    step = np.ones(len(records), dtype=np.int64)
    rows, leaves = [one.rows for one in candidates], [one.leaves for one in candidates]
    if records.sum() > MEASURED:
        step = -(-records // max(MEASURED // len(records), 1))
        rows = [one[::every] for one, every in zip(rows, step.tolist(), strict=True)]
        leaves = [one[::every] for one, every in zip(leaves, step.tolist(), strict=True)]
    count = -(-records // step)
    flat = chain.from_iterable(chain.from_iterable(chain(rows, leaves)))
    edges = np.fromiter(flat, dtype=np.int64, count=4 * int(count.sum())).reshape(2, -1, 2)
    (first, end), (leaf, leaf_end) = np.ascontiguousarray(edges.transpose(0, 2, 1))
    holder = np.array([one.holder for one in candidates], dtype=np.int64)
    owner = np.repeat(np.arange(len(count)), count)
    return Ranges(np.cumsum(count) - count, count, records, holder, owner, first, end, leaf, leaf_end)
