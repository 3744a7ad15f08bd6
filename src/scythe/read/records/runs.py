"""Find records of several siblings: groups of heads come in, the runs from each head to the next go out.

A heading with the paragraphs below it, `dt` with its `dd`, a table row with the rows that continue it, what stands
between two rules: a label that comes back every few siblings begins a record each time.
"""

from __future__ import annotations

from itertools import islice, pairwise, repeat

import numpy as np

from scythe.page.elements import Elements
from scythe.read.records.groups import Columns, Finder, Groups, Spans, group_alike, starts_of
from scythe.read.records.labels import BREAK, Ints, Labels, join

LEAST = 3  # runs of one page, fewer are found everywhere
_LOOKED_AT = 5  # records that say what a record holds; all of them would make many heads of one parent quadratic
_BEFORE = 200  # siblings before the first rule looked at, for the same reason
_LONGEST = 40  # siblings of one record in those


def find_runs(elements: Elements, columns: Columns, labels: Labels) -> tuple[Groups, Spans]:
    """Group the elements that come back every few siblings, each with what follows it."""
    siblings = np.bincount(columns.parent[1:], minlength=len(columns.end))
    is_head = (siblings[columns.parent] >= LEAST) & (labels.role != BREAK)  # breaks part lines
    is_head[0] = False
    rows = is_head.nonzero()[0]
    up = columns.parent[rows]
    above, above_grand = up.view(np.uint64), columns.parent[up].view(np.uint64)
    exact = labels.exact[rows]
    found = [
        Finder("runs by classes", LEAST, join(above, exact), rows),
        Finder("runs by tag", LEAST, join(above, labels.tag[rows]), rows),
        Finder("runs by shape", LEAST, join(above, labels.shape[rows]), rows),
        Finder("runs by shape", LEAST, join(above, labels.deep_shape[rows]), rows),
        Finder("runs of cousins", LEAST, join(above_grand, labels.exact[up], exact), rows),
    ]
    return _follow(group_alike(found, columns.end), columns, elements, labels)


def _follow(heads: Groups, columns: Columns, elements: Elements, labels: Labels) -> tuple[Groups, Spans]:
    """Return the runs of the groups of heads between which more text stands than not."""
    spans: list[tuple[int, int, int]] = []  # set, first row, row after the last
    finders: list[int] = []
    known: set[tuple[int, ...]] = set()
    listed = labels.exact.tolist()
    for finder, start, count in _choose(heads, columns):
        rows = heads.records[start : start + count].tolist()
        if (key := tuple(rows)) in known:  # by a stricter finder
            continue
        known.add(key)
        lead = _lead(rows, elements, listed)
        if lead is not None:
            spans.append((len(finders), lead, rows[0]))
        spans.extend(zip(repeat(len(finders)), rows, _run_ends(rows, elements, listed), strict=False))
        finders.append(finder)
    return _keep_told(heads.names, np.array(finders, dtype=np.int64), spans, columns)


def _keep_told(
    names: list[str], finders: Ints, spans: list[tuple[int, int, int]], columns: Columns
) -> tuple[Groups, Spans]:
    """Leave out runs without text, and sets of too few others."""
    of, first, row_end = np.array(spans, dtype=np.int64).reshape(-1, 3).T
    up = columns.parent[first]
    to_end = row_end == columns.end[up]
    leaf_end = np.where(to_end, columns.leaf_end[up], columns.leaf_start[np.where(to_end, 0, row_end)])
    told = leaf_end > columns.leaf_start[first]
    counts = np.bincount(of[told], minlength=len(finders))
    told &= counts[of] >= LEAST
    large = counts >= LEAST
    first, counts = first[told], counts[large]
    groups = Groups(names, finders[large], starts_of(counts)[:-1], counts, np.arange(len(first)))
    return groups, Spans(first, row_end[told], columns.leaf_start[first], leaf_end[told])


def _choose(groups: Groups, columns: Columns) -> list[tuple[int, int, int]]:
    """Return finder, start and size of the groups that are heads of runs, by finder and then in page order.

    Of heads of one parent that come back equally often, the first is the head and the others belong to its records.
    """
    rows, starts, counts = groups.records, groups.starts, groups.counts
    if not len(rows):
        return []
    parent = columns.parent[rows]
    beside = np.zeros(len(rows), dtype=bool)  # the next row of the group is a sibling
    beside[:-1] = parent[1:] == parent[:-1]
    beside[starts[1:] - 1] = False
    followed = beside.copy()  # ... and there is text in between
    followed[:-1] &= columns.leaf_start[rows[1:]] > columns.leaf_end[rows[:-1]]
    pairs = np.add.reduceat(beside, starts, dtype=np.int64)
    texts = np.add.reduceat(followed, starts, dtype=np.int64)
    heads = ((texts >= 2) & (2 * texts >= pairs)).nonzero()[0]
    heads = heads[np.lexsort((rows[starts[heads]], groups.finder[heads]))]
    starts, counts = starts[heads], counts[heads]
    chosen: dict[tuple[int, int, int], tuple[int, int, int]] = {}
    columns_of = (groups.finder[heads], starts, counts, parent[starts])
    for finder, start, count, up in zip(*(column.tolist() for column in columns_of), strict=True):
        chosen.setdefault((finder, up, count), (finder, start, count))
    return list(chosen.values())


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
