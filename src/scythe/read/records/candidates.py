"""Find what could be a list: the elements of a page come in, every plausible region of records goes out.

Nothing is chosen here: groups are offered from strict (siblings of the same classes) to loose (the same tag anywhere),
nested and overlapping, each set of texts once. Choosing is the work of ranking.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from scythe.page.elements import Elements
from scythe.read.records.candidate import Candidate
from scythe.read.records.groups import Columns, Groups, group_outermost, group_rows, merge, starts_of, whole_rows
from scythe.read.records.labels import BOLD, PARAGRAPH, Ints, Labels, Marks, join, label
from scythe.read.records.lines import find_lines
from scythe.read.records.runs import find_runs

MOST = 400  # candidates of one page; beyond it those with the most text are kept, text of links counted a quarter
MOST_RECORDS = 500_000  # in all candidates of one page together, likewise; more need a gigabyte


def find_candidates(elements: Elements) -> list[Candidate]:
    """Return every plausible region of a page, the strictest finders first.

    At most `MOST`; of more, those with the most text, where the text of links counts a quarter.
    """
    if not elements.text:
        return []
    columns = Columns.of(elements)
    labels = label(elements, columns.parent)
    found = [_find_rows(columns, labels), *find_runs(elements, columns, labels), *find_lines(elements, columns, labels)]
    return _build(elements, merge(found))


def _find_rows(columns: Columns, labels: Labels) -> Groups:
    """Group the elements that hold text, each a record."""
    told = columns.leaf_end > columns.leaf_start
    told[0] = False  # the root is nobody's record
    rows = np.flatnonzero(told)
    with_words = told[labels.word_row]
    word_row, word = labels.word_row[with_words], labels.word[with_words]
    up = columns.parent[rows]
    grand = columns.parent[up]
    above, above_grand, above_great = (_numbers(column) for column in (up, grand, columns.parent[grand]))
    tag, first, exact = labels.tag[rows], labels.first[rows], labels.exact[rows]
    tags_up, exacts_up = join(labels.tag[up], tag), join(labels.exact[up], exact)
    cousins = join(above_grand, exacts_up)
    below, below_second, below_third = (sections[rows] for sections in _number_sections(columns, labels))
    found = [
        ("siblings by classes", *group_rows(join(above, exact), rows, 2)),
        ("siblings by first class", *group_rows(join(above, first), rows, 2)),
        ("siblings by word", *group_rows(join(_numbers(columns.parent[word_row]), word), word_row, 3)),
        ("siblings by tag", *group_rows(join(above, tag), rows, 3)),
        ("siblings by shape", *group_rows(join(above, labels.shape[rows]), rows, 3)),
        ("siblings below a heading", *group_rows(join(below, above, exact), rows, 3)),
        ("cousins by classes", *group_rows(cousins, rows, 2)),
        ("cousins by tag", *group_rows(join(above_grand, tags_up), rows, 3)),
        ("cousins below a heading", *group_rows(join(below_third, cousins), rows, 3)),
        ("cousins below a heading", *group_rows(join(below_second, cousins), rows, 3)),
        ("second cousins by classes", *group_rows(join(above_great, labels.exact[grand], exacts_up), rows, 2)),
        ("second cousins by tag", *group_rows(join(above_great, labels.tag[grand], tags_up), rows, 3)),
        ("paths by classes", *group_rows(labels.exact_path[rows], rows, 2)),
        ("paths by tag", *group_rows(labels.tag_path[rows], rows, 3)),
        ("page by classes", *group_outermost(exact, rows, 2, columns.end)),
        ("page by first class", *group_outermost(first, rows, 3, columns.end)),
        ("page by word", *group_outermost(word, word_row, 3, columns.end)),
        ("page by tag", *group_outermost(tag, rows, 3, columns.end)),
    ]
    return whole_rows(found, columns)


def _number_sections(columns: Columns, labels: Labels) -> tuple[Marks, Marks, Marks]:
    """Say for each row how many headings stand before it: of any kind, of the first two levels, of the first three.

    A paragraph all in bold print is a heading too, though its siblings may be of the same label.
    """
    heads = (labels.role >= 1) & (labels.role <= 6)
    bold = np.flatnonzero(labels.role == BOLD)
    up = columns.parent[bold]
    alone = (columns.leaf_start[bold] == columns.leaf_start[up]) & (columns.leaf_end[bold] == columns.leaf_end[up])
    heads[up[alone & (labels.role[up] == PARAGRAPH)]] = True
    second, third = (np.cumsum((labels.role >= 1) & (labels.role <= level), dtype=np.int64) for level in (2, 3))
    # a heading is no sibling of what it heads: it has a number of its own
    own: Ints = np.cumsum(heads) * 2 + heads
    return _numbers(own), _numbers(second), _numbers(third)


def _numbers(column: Ints) -> Marks:
    return column.astype(np.uint64)


def _build(elements: Elements, found: Groups) -> list[Candidate]:
    """Make candidates of the sets, each set of texts once and within the bounds."""
    counts = found.counts
    if not len(counts):
        return []
    starts = starts_of(counts)[:-1]
    marks = np.add.reduceat(_mark(found.leaf_start, found.leaf_end), starts)
    kept = np.sort(np.unique(marks, return_index=True)[1])  # the first of each, so that of the strictest finder
    if len(kept) > MOST or counts[kept].sum() > MOST_RECORDS:
        kept = _keep_longest(kept, counts, _weigh(elements, found, starts))
    of_kept = np.zeros(len(marks), dtype=bool)
    of_kept[kept] = True
    chosen = of_kept.repeat(counts)
    rows = list(zip(found.row_start[chosen].tolist(), found.row_end[chosen].tolist(), strict=True))
    leaves = list(zip(found.leaf_start[chosen].tolist(), found.leaf_end[chosen].tolist(), strict=True))
    candidates = []
    for number, (start, end) in zip(kept.tolist(), pairwise(starts_of(counts[kept]).tolist()), strict=True):
        holder = _holder(elements, rows[start], rows[end - 1])
        candidates.append(Candidate(found.found[number], holder, tuple(rows[start:end]), tuple(leaves[start:end])))
    return candidates


def _mark(leaf_start: Ints, leaf_end: Ints) -> Marks:
    """Spread the ranges over 64 bits (as splitmix64 does), so that the sums of them tell sets of ranges apart."""
    values = leaf_start.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + leaf_end.astype(np.uint64)
    values ^= values >> np.uint64(30)
    values *= np.uint64(0xBF58476D1CE4E5B9)
    values ^= values >> np.uint64(27)
    values *= np.uint64(0x94D049BB133111EB)
    return values


def _weigh(elements: Elements, found: Groups, starts: Ints) -> Ints:
    """Return how much text each set has, that of links at a quarter: pages with many lists have them in their menus."""
    linked = np.zeros(len(elements.text) + 1, dtype=np.int64)
    for row in elements.href:
        linked[elements.leaf_start[row]] += 1
        linked[elements.leaf_end[row]] -= 1
    chars = np.fromiter(map(len, elements.text), dtype=np.int64, count=len(elements.text))
    before = starts_of(np.where(np.cumsum(linked[:-1]) > 0, chars, 4 * chars))
    return np.add.reduceat(before[found.leaf_end] - before[found.leaf_start], starts)


def _keep_longest(sets: Ints, counts: Ints, weights: Ints) -> Ints:
    """Return the sets with the most text within the bounds, in their order."""
    sets = sets[np.argsort(-weights[sets], kind="stable")][:MOST]
    return np.sort(sets[np.cumsum(counts[sets]) <= MOST_RECORDS])


def _holder(elements: Elements, first: tuple[int, int], last: tuple[int, int]) -> int:
    """Return the innermost element around the rows of the first and the last record, and so around all of them."""
    ups, ends = elements.parent, elements.end
    # a line of bare text has no rows: what stands before it is inside the same element, or is that element
    holder = first[0] - 1 if first[0] == first[1] else ups[first[0]]
    while ends[holder] < last[1] or holder >= first[0]:
        holder = ups[holder]
    return holder
