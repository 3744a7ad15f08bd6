"""Grouping rows by marks, many finders at once."""

from __future__ import annotations

import numpy as np

from scythe.reading.lists.similar_elements import Finder, Groups, group_alike


def _sets(groups: Groups) -> list[tuple[str, list[int]]]:
    """Return the finder and the rows of each set."""
    bounds = zip(groups.finder.tolist(), groups.starts.tolist(), groups.counts.tolist(), strict=True)
    return [(groups.names[of], groups.records[start : start + count].tolist()) for of, start, count in bounds]


def _marks(*values: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.array(values, dtype=np.uint64)


END = np.arange(1, 9)  # eight rows, none with anything inside


def test_keys_that_differ_only_in_their_last_bits_are_told_apart():
    rows = np.arange(1, 7)
    large = 1 << 63
    groups = group_alike([Finder("a", 2, _marks(*(large + last for last in (1, 0, 1, 0, 2, 1))), rows)], END)
    assert _sets(groups) == [("a", [2, 4]), ("a", [1, 3, 6])]


def test_sets_come_by_finder_whatever_rows_the_finders_share():
    rows, others = np.array([1, 2, 3]), np.array([4, 5, 5, 6])
    key, other = _marks(7 << 40, 7 << 40, 7 << 40), _marks(1 << 50, 2 << 50, 1 << 50, 2 << 50)
    finders = [Finder("a", 3, key, rows), Finder("b", 2, other, others), Finder("c", 2, key, rows)]
    assert _sets(group_alike(finders, END)) == [("a", [1, 2, 3]), ("b", [4, 5]), ("b", [5, 6]), ("c", [1, 2, 3])]


def test_sets_end_where_the_next_finder_begins():
    rows = np.array([1, 2, 3])
    finders = [Finder("a", 2, _marks(1, 9, 9), rows), Finder("b", 2, _marks(9, 9, 1), rows)]
    assert _sets(group_alike(finders, END)) == [("a", [2, 3]), ("b", [1, 2])]


def test_too_few_alike_are_no_set():
    rows = np.array([1, 2, 3])
    assert _sets(group_alike([Finder("a", 3, _marks(5, 5, 6), rows)], END)) == []


def test_no_rows_are_no_set():
    none = np.array([], dtype=np.int64)
    finders = [Finder("a", 2, _marks(), none), Finder("b", 2, _marks(), none, nested=True)]
    assert _sets(group_alike(finders, END)) == []


def test_rows_inside_another_of_their_set_are_left_out():
    end = np.array([8, 4, 3, 4, 5, 8, 7, 8])  # 2 and 3 inside 1, 6 and 7 inside 5
    rows = np.arange(1, 8)
    finders = [
        Finder("all", 2, _marks(1, 1, 1, 1, 1, 1, 1), rows),
        Finder("outermost", 2, _marks(1, 1, 2, 2, 1, 1, 2), rows, nested=True),
        Finder("too few", 3, _marks(1, 1, 1, 2, 2, 3, 3), rows, nested=True),
    ]
    found = _sets(group_alike(finders, end))
    assert found == [("all", [*range(1, 8)]), ("outermost", [1, 5]), ("outermost", [3, 4, 7])]
