"""Group what is alike: columns of a page and marks come in, sets of records go out as parallel columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scythe.page.elements import Elements
from scythe.read.records.labels import Ints, Marks


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a page's elements that grouping reads, as arrays."""

    parent: Ints  # 0 for the root
    end: Ints
    leaf_start: Ints
    leaf_end: Ints

    @classmethod
    def of(cls, elements: Elements) -> Columns:
        """Copy the columns of a page."""
        parent = np.array(elements.parent, dtype=np.int64)
        parent[0] = 0
        lists = (elements.end, elements.leaf_start, elements.leaf_end)
        return cls(parent, *(np.array(column, dtype=np.int64) for column in lists))


@dataclass(frozen=True, slots=True)
class Groups:
    """Sets of records, all in one line: first those of the first set, in page order, and so on."""

    found: list[str]  # by which finder, for each set
    counts: Ints  # records of each set
    row_start: Ints
    row_end: Ints
    leaf_start: Ints
    leaf_end: Ints


def group_rows(key: Marks, rows: Ints, least: int) -> tuple[Ints, Ints]:
    """Group rows of the same key and return the groups of at least so many.

    Returns the rows, group after group and in the given order within each, and the sizes of the groups.
    """
    order = key.argsort(kind="stable")
    key = key[order]
    edges = np.ones(len(key) + 1, dtype=bool)
    np.not_equal(key[1:], key[:-1], out=edges[1:-1])
    bounds = edges.nonzero()[0]
    counts = bounds[1:] - bounds[:-1]
    large = counts >= least
    return rows[order[large.repeat(counts)]], counts[large]


def group_outermost(key: Marks, rows: Ints, least: int, end: Ints) -> tuple[Ints, Ints]:
    """Do the same for rows that may lie inside each other: rows inside another of their group are left out."""
    rows, counts = group_rows(key, rows, least)
    if not len(rows):
        return rows, counts
    group = np.arange(len(counts)).repeat(counts)
    # groups are put one after the other on one line of rows, so that one running maximum serves all of them
    shift = group * (len(end) + 1)
    reach = np.maximum.accumulate(end[rows] + shift)
    outer = np.ones(len(rows), dtype=bool)
    outer[1:] = rows[1:] + shift[1:] >= reach[:-1]
    counts = np.bincount(group[outer], minlength=len(counts))
    large = counts >= least
    return rows[outer & large[group]], counts[large]


def starts_of(counts: Ints) -> Ints:
    """Return where runs of these lengths start, and after them where the last one ends."""
    starts = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=starts[1:])
    return starts


def whole_rows(found: Sequence[tuple[str, Ints, Ints]], columns: Columns) -> Groups:
    """Make every row a record of its own, in groups of several finders at once: name, rows and sizes of each."""
    names: list[str] = []
    for name, _, counts in found:
        names += [name] * len(counts)
    rows = np.concatenate([rows for _, rows, _ in found])
    all_counts = np.concatenate([counts for _, _, counts in found])
    return Groups(names, all_counts, rows, columns.end[rows], columns.leaf_start[rows], columns.leaf_end[rows])


def merge(all_groups: Sequence[Groups]) -> Groups:
    """Put the sets of several finders one after the other."""
    return Groups(
        [name for groups in all_groups for name in groups.found],
        np.concatenate([groups.counts for groups in all_groups]),
        np.concatenate([groups.row_start for groups in all_groups]),
        np.concatenate([groups.row_end for groups in all_groups]),
        np.concatenate([groups.leaf_start for groups in all_groups]),
        np.concatenate([groups.leaf_end for groups in all_groups]),
    )
