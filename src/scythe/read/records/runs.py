"""Find records of several siblings: groups of heads come in, the runs from each head to the next go out.

A heading with the paragraphs below it, `dt` with its `dd`, a table row with the rows that continue it, what stands
between two rules: a label that comes back every few siblings begins a record each time.
"""

from __future__ import annotations

from itertools import islice, pairwise, repeat

import numpy as np

from scythe.page.elements import Elements
from scythe.read.records.groups import Columns, Groups, group_rows, starts_of
from scythe.read.records.labels import BREAK, Ints, Labels, join

LEAST = 3  # runs of one page, fewer are found everywhere
_LOOKED_AT = 5  # records that say what a record holds; all of them would make many heads of one parent quadratic
_BEFORE = 200  # siblings before the first rule looked at, for the same reason
_LONGEST = 40  # siblings of one record in those


def find_runs(elements: Elements, columns: Columns, labels: Labels) -> list[Groups]:
    """Group the elements that come back every few siblings, each with what follows it."""
    siblings = np.bincount(columns.parent[1:], minlength=len(columns.end))
    rows = np.flatnonzero((siblings[columns.parent] >= LEAST) & (labels.role != BREAK))  # breaks part lines
    rows = rows[rows > 0]
    up = columns.parent[rows]
    above, above_grand = up.astype(np.uint64), columns.parent[up].astype(np.uint64)
    exact = labels.exact[rows]
    keys = [
        ("runs by classes", join(above, exact)),
        ("runs by tag", join(above, labels.tag[rows])),
        ("runs by shape", join(above, labels.shape[rows])),
        ("runs by shape", join(above, labels.deep_shape[rows])),
        ("runs of cousins", join(above_grand, labels.exact[up], exact)),
    ]
    listed = labels.exact.tolist()
    return [_runs(found, *group_rows(key, rows, LEAST), columns, elements, listed) for found, key in keys]


def _runs(found: str, rows: Ints, sizes: Ints, columns: Columns, elements: Elements, labels: list[int]) -> Groups:
    """Return the runs of the groups of heads between which more text stands than not.

    Of heads of one parent that come back equally often, the first is the head and the others belong to its records.
    """
    spans: list[tuple[int, int, int]] = []  # group, first row, row after the last
    chosen = _choose(rows, starts_of(sizes), columns)
    for number, (start, end) in enumerate(chosen):
        heads = rows[start:end].tolist()
        lead = _lead(heads, elements, labels)
        if lead is not None:
            spans.append((number, lead, heads[0]))
        spans.extend(zip(repeat(number), heads, _run_ends(heads, elements, labels), strict=False))
    group, first, row_end = np.array(spans, dtype=np.int64).reshape(-1, 3).T
    up = columns.parent[first]
    to_end = row_end == columns.end[up]
    leaf_end = np.where(to_end, columns.leaf_end[up], columns.leaf_start[np.where(to_end, 0, row_end)])
    told = leaf_end > columns.leaf_start[first]
    counts = np.bincount(group[told], minlength=len(chosen))
    told &= counts[group] >= LEAST
    counts = counts[counts >= LEAST]
    first, row_end, leaf_end = first[told], row_end[told], leaf_end[told]
    return Groups([found] * len(counts), counts, first, row_end, columns.leaf_start[first], leaf_end)


def _choose(rows: Ints, starts: Ints, columns: Columns) -> list[tuple[int, int]]:
    """Return the bounds of the groups that are heads of runs, in page order."""
    if len(rows) < LEAST:
        return []
    beside = np.zeros(len(rows), dtype=bool)  # the next row of the group is a sibling
    beside[:-1] = columns.parent[rows[1:]] == columns.parent[rows[:-1]]
    beside[starts[1:] - 1] = False
    followed = np.zeros(len(rows), dtype=bool)  # ... and there is text in between
    followed[:-1] = columns.leaf_start[rows[1:]] > columns.leaf_end[rows[:-1]]
    pairs = np.add.reduceat(beside, starts[:-1], dtype=np.int64)
    texts = np.add.reduceat(beside & followed, starts[:-1], dtype=np.int64)
    heads = np.flatnonzero((texts >= 2) & (2 * texts >= pairs))
    taken: set[tuple[int, int]] = set()
    chosen: list[tuple[int, int]] = []
    for i in heads[np.argsort(rows[starts[heads]])].tolist():
        start, end = int(starts[i]), int(starts[i + 1])
        key = (int(columns.parent[rows[start]]), end - start)
        if key not in taken:
            taken.add(key)
            chosen.append((start, end))
    return chosen


def _run_ends(heads: list[int], elements: Elements, labels: list[int]) -> list[int]:
    """Return the row after each run: the next head, or where siblings no longer look like those of other runs."""
    parent, end = elements.parent, elements.end
    ends = [*heads[1:], 0]
    open_ends = [i for i, (head, after) in enumerate(pairwise(heads)) if parent[head] != parent[after]]
    open_ends.append(len(heads) - 1)
    apart = set(open_ends)
    known: set[int] = set()
    longest = 0
    for i in islice((i for i in range(len(heads)) if i not in apart), _LOOKED_AT):
        row, length = end[heads[i]], 0
        while row < ends[i] and length < _LONGEST:
            known.add(labels[row])
            row, length = end[row], length + 1
        longest = max(longest, length)
    for i in open_ends:
        row, length, stop = end[heads[i]], 0, end[parent[heads[i]]]
        while row < stop and length < longest and labels[row] in known:
            row, length = end[row], length + 1
        ends[i] = row
    return ends


def _lead(heads: list[int], elements: Elements, labels: list[int]) -> int | None:
    """Return where the record before the first head begins when heads are only rules between records, else None."""
    first, end = heads[0], elements.end
    if elements.leaf_end[first] > elements.leaf_start[first] or end[first] >= len(elements):
        return None
    opening = labels[end[first]]  # what stands after the first rule, if only its neighbours can tell where to begin
    row, lead, seen = elements.parent[first] + 1, None, 0
    while row < first and seen < _BEFORE:
        if labels[row] == opening:
            lead = row
        row, seen = end[row], seen + 1
    return lead if row >= first else None
