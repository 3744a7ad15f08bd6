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

    def mean(self, values: NDArray[np.generic]) -> Floats:
        """Return the mean over the records of each candidate."""
        single = values.dtype == np.bool_  # exact, and a third faster
        sums = np.add.reduceat(values.astype(np.float32 if single else np.float64), self.start, axis=0)
        mean: Floats = sums / (self.count if sums.ndim == 1 else self.count[:, None])
        return mean


def ranges_of(candidates: Sequence[Candidate]) -> Ranges:
    """Put the records of all candidates, at least one, into columns; of very many records every n-th is measured."""
    records = np.array([len(one.rows) for one in candidates], dtype=np.int64)
    step = np.ones(len(records), dtype=np.int64)
    if records.sum() > MEASURED:
        step = -(-records // max(MEASURED // len(records), 1))
    rows = [one.rows[::every] for one, every in zip(candidates, step.tolist(), strict=True)]
    leaves = [one.leaves[::every] for one, every in zip(candidates, step.tolist(), strict=True)]
    count = -(-records // step)
    first, end = _edges(rows, int(count.sum()))
    leaf, leaf_end = _edges(leaves, int(count.sum()))
    holder = np.array([one.holder for one in candidates], dtype=np.int64)
    owner = np.repeat(np.arange(len(count)), count)
    return Ranges(np.cumsum(count) - count, count, records, holder, owner, first, end, leaf, leaf_end)


def _edges(ranges: list[tuple[tuple[int, int], ...]], count: int) -> tuple[Ints, Ints]:
    flat = chain.from_iterable(chain.from_iterable(ranges))
    edges = np.fromiter(flat, dtype=np.int64, count=2 * count).reshape(-1, 2)
    return np.ascontiguousarray(edges[:, 0]), np.ascontiguousarray(edges[:, 1])
