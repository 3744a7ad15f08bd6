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


@dataclass(frozen=True, slots=True)
class Ranges:
    """The records of all candidates, one after the other."""

    start: Ints  # per candidate: number of its first record
    count: Ints  # per candidate: how many records
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

    def mean(self, values: NDArray[np.generic]) -> Floats:
        """Return the mean over the records of each candidate."""
        sums = self.total(values.astype(np.float64))
        return sums / (self.count if sums.ndim == 1 else self.count[:, None])


def ranges_of(candidates: Sequence[Candidate]) -> Ranges:
    """Put the records of all candidates, at least one, into columns."""
    count = np.array([len(one.rows) for one in candidates], dtype=np.int64)
    edges = chain.from_iterable
    size = 2 * int(count.sum())
    rows = np.fromiter(edges(edges([one.rows for one in candidates])), dtype=np.int64, count=size).reshape(-1, 2)
    leaves = np.fromiter(edges(edges([one.leaves for one in candidates])), dtype=np.int64, count=size).reshape(-1, 2)
    holder = np.array([one.holder for one in candidates], dtype=np.int64)
    owner = np.repeat(np.arange(len(count)), count)
    return Ranges(np.cumsum(count) - count, count, holder, owner, rows[:, 0], rows[:, 1], leaves[:, 0], leaves[:, 1])
