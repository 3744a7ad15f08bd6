"""Find what could be a list: the elements of a page come in, every plausible region of records goes out.

Nothing is chosen here: groups are offered from strict (siblings of the same classes) to loose (the same tag anywhere),
nested and overlapping, each set of texts once. Choosing is the work of ranking.
"""

from __future__ import annotations

from itertools import pairwise
from operator import itemgetter
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from scythe.page.elements import Elements
from scythe.read.records.candidate import Candidate
from scythe.read.records.groups import Columns, Finder, Groups, Spans, group_alike, merge, places_of, starts_of
from scythe.read.records.labels import BOLD, PARAGRAPH, Ints, Labels, Marks, join, label
from scythe.read.records.lines import find_lines
from scythe.read.records.runs import find_runs

MOST = 400  # candidates of one page; beyond it those with the most text are kept, text of links counted a quarter
MOST_RECORDS = 500_000  # in all candidates of one page together, likewise; more need a gigabyte
_Number = TypeVar("_Number", np.int64, np.uint64)


def find_candidates(elements: Elements) -> list[Candidate]:
    """Return every plausible region of a page, the strictest finders first.

    At most `MOST`; of more, those with the most text, where the text of links counts a quarter.
    """
    if not elements.text:
        return []
    columns = Columns.of(elements)
    labels = label(elements, columns.parent)
    whole = Spans(np.arange(len(elements)), columns.end, columns.leaf_start, columns.leaf_end)
    parts = [(_find_rows(columns, labels), whole), find_runs(elements, columns, labels)]
    return _build(elements, columns, *merge([*parts, *find_lines(elements, columns, labels)]))


def _find_rows(columns: Columns, labels: Labels) -> Groups:
    """Group the elements that hold text, each a record."""
    told = columns.leaf_end > columns.leaf_start
    told[0] = False  # the root is nobody's record
    rows = told.nonzero()[0]
    with_words = told[labels.word_row]
    word_row, word = labels.word_row[with_words], labels.word[with_words]
    up = columns.parent[rows]
    grand = columns.parent[up]
    above, above_grand, above_great = _numbers(up), _numbers(grand), _numbers(columns.parent[grand])
    tag, first, exact = labels.tag[rows], labels.first[rows], labels.exact[rows]
    tags_up, exacts_up = join(labels.tag[up], tag), join(labels.exact[up], exact)
    cousins = join(above_grand, exacts_up)
    below, below_second, below_third = (sections[rows] for sections in _number_sections(columns, labels))
    found = [
        Finder("siblings by classes", 2, join(above, exact), rows),
        Finder("siblings by first class", 2, join(above, first), rows),
        Finder("siblings by word", 3, join(_numbers(columns.parent[word_row]), word), word_row),
        Finder("siblings by tag", 3, join(above, tag), rows),
        Finder("siblings by shape", 3, join(above, labels.shape[rows]), rows),
        Finder("siblings below a heading", 3, join(below, above, exact), rows),
        Finder("cousins by classes", 2, cousins, rows),
        Finder("cousins by tag", 3, join(above_grand, tags_up), rows),
        Finder("cousins below a heading", 3, join(below_third, cousins), rows),
        Finder("cousins below a heading", 3, join(below_second, cousins), rows),
        Finder("second cousins by classes", 2, join(above_great, labels.exact[grand], exacts_up), rows),
        Finder("second cousins by tag", 3, join(above_great, labels.tag[grand], tags_up), rows),
        Finder("paths by classes", 2, labels.exact_path[rows], rows),
        Finder("paths by tag", 3, labels.tag_path[rows], rows),
        Finder("page by classes", 2, exact, rows, nested=True),
        Finder("page by first class", 3, first, rows, nested=True),
        Finder("page by word", 3, word, word_row, nested=True),
        Finder("page by tag", 3, tag << np.uint64(32), rows, nested=True),
    ]
    return group_alike(found, columns.end)


def _number_sections(columns: Columns, labels: Labels) -> tuple[Marks, Marks, Marks]:
    """Say for each row how many headings stand before it: of any kind, of the first two levels, of the first three.

    A paragraph all in bold print is a heading too, though its siblings may be of the same label.
    """
    heads = (labels.role >= 1) & (labels.role <= 6)
    bold = (labels.role == BOLD).nonzero()[0]
    up = columns.parent[bold]
    alone = (columns.leaf_start[bold] == columns.leaf_start[up]) & (columns.leaf_end[bold] == columns.leaf_end[up])
    heads[up[alone & (labels.role[up] == PARAGRAPH)]] = True
    second, third = (((labels.role >= 1) & (labels.role <= level)).astype(np.int64).cumsum() for level in (2, 3))
    # a heading is no sibling of what it heads: it has a number of its own
    own: Ints = np.cumsum(heads) * 2 + heads
    return _numbers(own), _numbers(second), _numbers(third)


def _numbers(column: Ints) -> Marks:
    return column.view(np.uint64)


def _build(elements: Elements, columns: Columns, found: Groups, spans: Spans) -> list[Candidate]:
    """Make candidates of the sets, each set of texts once and within the bounds."""
    if not len(found.counts):
        return []
    kept = _first_of_each(_add_up(_mark(spans.leaf_start, spans.leaf_end), found))
    if len(kept) > MOST or found.counts[kept].sum() > MOST_RECORDS:
        kept = _keep_longest(kept, found.counts, _add_up(_weigh(elements, spans), found))
    if not len(kept):
        return []
    counts = found.counts[kept]
    starts = starts_of(counts)
    records = found.records[places_of(found.starts[kept], counts)]
    holders = _find_holders(columns, spans, records[starts[:-1]], records[starts[1:] - 1])
    used = np.zeros(len(spans.row_start), dtype=bool)
    used[records] = True
    pick = itemgetter(*(np.cumsum(used) - 1)[records].tolist())
    rows = pick(list(zip(spans.row_start[used].tolist(), spans.row_end[used].tolist(), strict=True)))
    leaves = pick(list(zip(spans.leaf_start[used].tolist(), spans.leaf_end[used].tolist(), strict=True)))
    names = [found.names[finder] for finder in found.finder[kept].tolist()]
    bounds = pairwise(starts.tolist())
    return [
        Candidate(name, holder, rows[start:end], leaves[start:end])
        for name, holder, (start, end) in zip(names, holders.tolist(), bounds, strict=True)
    ]


def _add_up(values: NDArray[_Number], found: Groups) -> NDArray[_Number]:
    """Return for each set the sum of what its records have."""
    before = np.zeros(len(found.records) + 1, dtype=values.dtype)
    np.cumsum(values[found.records], out=before[1:])
    sums: NDArray[_Number] = before[found.starts + found.counts] - before[found.starts]
    return sums


def _first_of_each(marks: Marks) -> Ints:
    """Return the first set of each mark, so that of the strictest finder, in order."""
    order = marks.argsort(kind="stable")
    marks = marks[order]
    other = np.ones(len(marks), dtype=bool)
    np.not_equal(marks[1:], marks[:-1], out=other[1:])
    first = np.zeros(len(marks), dtype=bool)
    first[order[other]] = True
    return first.nonzero()[0]


def _mark(leaf_start: Ints, leaf_end: Ints) -> Marks:
    """Spread the ranges over 64 bits (as splitmix64 does), so that the sums of them tell sets of ranges apart."""
    values = leaf_start.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + leaf_end.astype(np.uint64)
    values ^= values >> np.uint64(30)
    values *= np.uint64(0xBF58476D1CE4E5B9)
    values ^= values >> np.uint64(27)
    values *= np.uint64(0x94D049BB133111EB)
    return values


def _weigh(elements: Elements, spans: Spans) -> Ints:
    """Return how much text each record has, that of links at a quarter: pages with many lists have them in menus."""
    linked = np.zeros(len(elements.text) + 1, dtype=np.int64)
    for row in elements.href:
        linked[elements.leaf_start[row]] += 1
        linked[elements.leaf_end[row]] -= 1
    chars = np.fromiter(map(len, elements.text), dtype=np.int64, count=len(elements.text))
    before = starts_of(np.where(np.cumsum(linked[:-1]) > 0, chars, 4 * chars))
    return before[spans.leaf_end] - before[spans.leaf_start]


def _keep_longest(sets: Ints, counts: Ints, weights: Ints) -> Ints:
    """Return the sets with the most text within the bounds, in their order."""
    sets = sets[counts[sets] <= MOST_RECORDS]  # one beyond the bound must not take the others with it
    sets = sets[np.argsort(-weights[sets], kind="stable")][:MOST]
    return np.sort(sets[np.cumsum(counts[sets]) <= MOST_RECORDS])


def _find_holders(columns: Columns, spans: Spans, first: Ints, last: Ints) -> Ints:
    """Return the innermost elements around the rows of the first and the last records, and so around all of them."""
    ups, ends = columns.parent, columns.end
    start, stop = spans.row_start[first], spans.row_end[last]
    # a line of bare text has no rows: what stands before it is inside the same element, or is that element
    bare = start == spans.row_end[first]
    holders = np.where(bare, start - 1, ups[np.minimum(start, len(ups) - 1)])
    low = ((ends[holders] < stop) | (holders >= start)).nonzero()[0]
    while len(low):  # as often as the tree is deep
        holders[low] = up = ups[holders[low]]
        low = low[(ends[up] < stop[low]) | (up >= start[low])]
    return holders
