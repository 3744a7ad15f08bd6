"""Find what could be a list: the elements of a page come in, every plausible region of records goes out.

Nothing is chosen here: groups are offered from strict (siblings of the same classes) to loose (the same tag anywhere),
nested and overlapping, each set of texts once. Choosing is the work of ranking.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scythe.page.elements import Elements
from scythe.read.records.candidate import Candidate
from scythe.read.records.labels import IntArray, Labels, label

MOST = 400  # candidates of one page; those with the most text are kept


@dataclass(frozen=True, slots=True)
class Groups:
    """Sets of rows found in one way: the rows of set i are `rows[starts[i] : starts[i + 1]]`, in page order."""

    found: str
    rows: IntArray
    starts: IntArray  # one more than there are sets


def find_candidates(elements: Elements) -> list[Candidate]:
    """Return every plausible region of a page, the strictest finders first; at most `MOST`, longest texts kept."""
    if not elements.text:
        return []
    ends = np.array(elements.end, dtype=np.int64)
    groups = _find_groups(elements, label(elements), ends)
    return _build(elements, groups)


def _find_groups(elements: Elements, labels: Labels, ends: IntArray) -> list[Groups]:
    leaf_start = np.array(elements.leaf_start, dtype=np.int64)
    leaf_end = np.array(elements.leaf_end, dtype=np.int64)
    told = leaf_end > leaf_start
    told[0] = False  # the root is nobody's record
    rows = np.flatnonzero(told)
    parent = np.maximum(np.array(elements.parent, dtype=np.int64), 0)
    words_told = told[labels.word_row]
    word_row, word = labels.word_row[words_told], labels.word[words_told]

    def gather(found: str, keys: tuple[IntArray, ...], least: int, of: IntArray = rows) -> Groups:
        return _gather(found, _join(keys), of, ends, least)

    up, first, exact, tag = parent[rows], labels.first, labels.exact, labels.tag
    grand, great = parent[up], parent[parent[up]]
    tag_path = _paths(tag, parent)[rows]
    exact_path = _paths(exact, parent)[rows]
    return [
        gather("siblings by classes", (up, exact[rows]), 2),
        gather("siblings by first class", (up, first[rows]), 2),
        gather("siblings by word", (parent[word_row], word), 2, word_row),
        gather("siblings by tag", (up, tag[rows]), 2),
        gather("cousins by classes", (grand, exact[up], exact[rows]), 2),
        gather("cousins by tag", (grand, tag[up], tag[rows]), 3),
        gather("second cousins by classes", (great, exact[grand], exact[up], exact[rows]), 2),
        gather("second cousins by tag", (great, tag[grand], tag[up], tag[rows]), 3),
        gather("paths by classes", (exact_path,), 2),
        gather("paths by tag", (tag_path,), 3),
        gather("page by classes", (exact[rows],), 2),
        gather("page by first class", (first[rows],), 2),
        gather("page by word", (word,), 2, word_row),
        gather("page by tag", (tag[rows],), 3),
    ]


def _join(keys: tuple[IntArray, ...]) -> IntArray:
    """Return one number per entry that differs where any of the keys differs."""
    joined = keys[0]
    for i, key in enumerate(keys[1:], 1):
        if i > 1:  # number anew, so that the product of many keys stays far from 64 bits
            joined = np.unique(joined, return_inverse=True)[1]
        joined = joined * (int(key.max(initial=0)) + 1) + key
    return joined


def _paths(labels: IntArray, parent: IntArray) -> IntArray:
    """Number the chains of labels from the root to each row."""
    seen: dict[tuple[int, int], int] = {}
    paths = [0] * len(parent)
    ups = parent.tolist()
    for row, own in enumerate(labels.tolist()):
        paths[row] = seen.setdefault((paths[ups[row]], own), len(seen))
    return np.array(paths, dtype=np.int64)


def _gather(found: str, key: IntArray, rows: IntArray, ends: IntArray, least: int) -> Groups:
    """Group rows of the same key, outermost only, and keep the groups of at least so many."""
    order = np.argsort(key, kind="stable")
    key, rows = key[order], rows[order]
    group = np.cumsum(np.concatenate(([0], key[1:] != key[:-1]))) if len(key) else key
    # groups are put one after the other on one line of rows, so that one running maximum serves all of them
    shift = group * (len(ends) + 1)
    reach = np.maximum.accumulate(ends[rows] + shift)
    outer = np.ones(len(rows), dtype=bool)
    outer[1:] = rows[1:] + shift[1:] >= reach[:-1]
    rows, group = rows[outer], group[outer]
    counts = np.bincount(group)
    rows = rows[counts[group] >= least]
    counts = counts[counts >= least]
    return Groups(found, rows, np.concatenate(([0], np.cumsum(counts))))


def _build(elements: Elements, groups: list[Groups]) -> list[Candidate]:
    """Make candidates of the groups, each set of texts once and those with the most text."""
    leaf_start = np.array(elements.leaf_start, dtype=np.int64)
    leaf_end = np.array(elements.leaf_end, dtype=np.int64)
    chars = np.concatenate(([0], np.cumsum([len(text) for text in elements.text])))
    size = chars[leaf_end] - chars[leaf_start]
    mark = _mix(leaf_start.astype(np.uint64) << np.uint64(32) | leaf_end.astype(np.uint64))
    seen: dict[int, tuple[int, int, int]] = {}  # mark of the texts -> text size, finder, number in it
    for finder, found in enumerate(groups):
        if len(found.starts) < 2:
            continue
        marks = np.add.reduceat(mark[found.rows], found.starts[:-1]).tolist()
        sizes = np.add.reduceat(size[found.rows], found.starts[:-1]).tolist()
        for number, key in enumerate(marks):
            if key not in seen:
                seen[key] = (sizes[number], finder, number)
    kept = sorted(sorted(seen.values(), key=lambda one: -one[0])[:MOST], key=lambda one: one[1:])
    return [_candidate(elements, groups[finder], number) for _, finder, number in kept]


def _mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread 64-bit numbers over all bits (the end of splitmix64), so that sums of them tell sets apart."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _candidate(elements: Elements, groups: Groups, number: int) -> Candidate:
    rows = groups.rows[groups.starts[number] : groups.starts[number + 1]].tolist()
    ends, starts, stops, ups = elements.end, elements.leaf_start, elements.leaf_end, elements.parent
    holder, last = ups[rows[0]], ends[rows[-1]]
    while ends[holder] < last:
        holder = ups[holder]
    return Candidate(
        groups.found,
        holder,
        tuple([(row, ends[row]) for row in rows]),
        tuple([(starts[row], stops[row]) for row in rows]),
    )
