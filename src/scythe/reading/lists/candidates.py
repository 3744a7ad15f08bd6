"""Find every group of elements that could be a list of records.

Elements are grouped by tag, classes and structure. Groups range from strict (siblings with the same classes) to loose
(the same tag anywhere), nested and overlapping; ranking chooses among them. Records may also be lines separated by
`<br>`, or runs of siblings such as a heading with its paragraphs or a `dt` with its `dd`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import islice, pairwise, repeat
from struct import Struct, pack
from typing import NamedTuple, Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from scythe.model import Loss
from scythe.page.blocks import BOX, KIND
from scythe.page.elements import Elements

Ints = NDArray[np.int64]
Marks = NDArray[np.uint64]  # numbers that are equal where what they stand for is equal, and else differ almost surely

CLASS_WORDS = 12  # looked at in one class attribute; frameworks of one-purpose classes write some 30
_DIGITS = re.compile(r"[0-9]+")
# what tells one record of a list from the next, not lists from other things
_STATES = frozenset(
    "odd even first last active current selected alt alternate alternative middle open closed hidden visible show "
    "hide collapsed expanded new sticky featured clear clearfix left right lazy lazyload lazyloaded hover "
    "disabled enabled unread read hot end start final".split()
)
_TOPICS = ("category-", "tag-", "author-", "has-", "is-")  # WordPress writes the first three on every post
_MODIFIERS = tuple(f"-{word}" for word in "odd even first last active current selected".split())
HEADINGS, BOLD, PARAGRAPH, BREAK = range(1, 7), 7, 8, 9  # roles of elements; 1 to 6 are h1 to h6
_ROLES = {f"h{level}": level for level in HEADINGS} | dict.fromkeys(("b", "strong", "u"), BOLD)
_ROLES |= {"p": PARAGRAPH, "div": PARAGRAPH, "br": BREAK}
_ALIKE, _ALL = Struct("5Q").pack, (1 << 64) - 1
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # its multiples lie far apart, so sums with small numbers do not meet


@dataclass(frozen=True, slots=True)
class ElementLabels:
    """One number per row for each strictness: rows with the same number are alike."""

    tag: Marks
    first: Marks  # tag and first class
    exact: Marks  # tag and all classes
    shape: Marks  # the same and which tags stand directly inside, and whether text does
    deep_shape: Marks  # the same and which shapes stand directly inside
    tag_path: Marks  # tags from the root to here
    exact_path: Marks
    role: Ints  # of headings, what may stand for them and breaks, else 0
    word_row: Ints  # one entry per row and word of its class, id, role and itemprop: the row ...
    word: Marks  # ... and the word


@lru_cache(maxsize=2_048)
def name_words(names: str) -> tuple[str, ...]:
    """Return the words of a class attribute without numbers and without words for the state of one record."""
    words = map(_name_word, names[:1_000].lower().split()[:CLASS_WORDS])
    return tuple(dict.fromkeys(filter(None, words)))


@lru_cache(maxsize=2_048)
def _name_word(word: str) -> str:
    """Return a word without numbers, or nothing if it is one for a state."""
    word = _DIGITS.sub("#", word)
    return "" if word in _STATES or word.startswith(_TOPICS) or word.endswith(_MODIFIERS) else word


@lru_cache(maxsize=2_048)
def _number(word: str) -> int:
    """Return the number of a word, the same in every process, so that what is found has the same order; 0 for none."""
    return int.from_bytes(blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()) if word else 0


@lru_cache(maxsize=2_048)
def _number_name(word: str) -> int:
    return _number(_name_word(word))


@lru_cache(maxsize=2_048)  # pages of a site share their opening tags
def _look_up(tag: str, classes: str, names: str) -> tuple[bytes, bytes]:
    """Return what one opening tag is alike with, and the numbers for its words, each one number after the other.

    The first are those for the tag, for it with its first class and with all, its role, and how many words it has.
    """
    own = _number(tag)
    words = _number_names(names) if names else ()
    of = words if classes == names else _number_names(classes)
    alike = (own >> 32, (own + sum(of[:1])) & _ALL, (own + sum(of)) & _ALL)  # a short one has room beside a row
    return _ALIKE(*alike, _ROLES.get(tag, 0), len(words)), pack(f"{len(words)}Q", *words)


def _number_names(names: str) -> tuple[int, ...]:
    """Return the numbers of the words of a class attribute."""
    found = map(_number_name, names[:1_000].lower().split()[:CLASS_WORDS])
    return tuple(dict.fromkeys(filter(None, found)))


def join(*keys: Marks) -> Marks:
    """Return marks that differ where any of the keys differs."""
    joined = keys[0]
    for key in keys[1:]:
        joined = joined * _GOLDEN + key
    return joined


def label(elements: Elements, parent: Ints) -> ElementLabels:
    """Number tags, classes and paths of a page. Linear in the number of elements for trees of bounded depth."""
    kinds = list(map(_look_up, elements.tag, elements.classes, elements.names))
    columns = np.frombuffer(b"".join([numbers for numbers, _ in kinds]), np.uint64).reshape(-1, 5).T
    tag, first, exact, role, word_count = np.ascontiguousarray(columns)
    tag_path, exact_path = _chain(np.stack((tag, exact)), parent)
    leaf_row = np.array(elements.leaf_row, dtype=np.int64)
    shape = join(_inside(tag, parent, leaf_row), exact)
    deep_shape = join(_inside(shape >> np.uint64(32), parent, leaf_row), exact)
    word_row = np.arange(len(kinds)).repeat(word_count.view(np.int64))
    word = np.frombuffer(b"".join([words for _, words in kinds]), np.uint64)
    return ElementLabels(
        tag, first, exact, shape, deep_shape, tag_path, exact_path, role.view(np.int64), word_row, word
    )


def _chain(labels: Marks, parent: Ints) -> Marks:
    """Mark the chains of labels from the root to each row, for several columns of labels at once.

    Every pass makes the known end of each chain twice as long.
    """
    root = len(parent)  # nothing stands above it, so it is given a place of its own after the last row
    chains = np.zeros((len(labels), root + 1), dtype=np.uint64)
    chains[:, :root] = labels
    above = np.append(parent, root)
    above[0] = root
    factor = np.array([_GOLDEN])
    while above.min() < root:
        chains += chains.take(above, axis=1) * factor
        above = above[above]
        factor *= factor
    return chains[:, :root]


def _inside(labels: Marks, parent: Ints, leaf_row: Ints) -> Marks:
    """Mark which labels (of 32 bits) stand directly inside each row, and whether text does, in any order and number."""
    marks = np.zeros(len(labels), dtype=np.uint64)
    pairs = parent[1:].astype(np.uint64) << np.uint64(32) | labels[1:]
    pairs.sort()
    other = np.ones(len(pairs), dtype=bool)
    np.not_equal(pairs[1:], pairs[:-1], out=other[1:])
    pairs = pairs[other]
    inner = ((pairs & np.uint64(0xFFFFFFFF)) + np.uint64(1)) * _GOLDEN
    np.add.at(marks, (pairs >> np.uint64(32)).astype(np.int64), inner ^ (inner >> np.uint64(29)))
    marks[leaf_row] += np.uint64(1)  # one assignment per row, however many texts it has
    return marks


@dataclass(frozen=True, slots=True)
class ElementColumns:
    """The columns of a page's elements that grouping reads, as arrays."""

    parent: Ints  # 0 for the root
    end: Ints
    leaf_start: Ints
    leaf_end: Ints

    @classmethod
    def of(cls, elements: Elements) -> Self:
        """Copy the columns of a page."""
        columns = (elements.parent, elements.end, elements.leaf_start, elements.leaf_end)
        parent, *others = (np.array(column, dtype=np.int64) for column in columns)
        parent[0] = 0
        return cls(parent, *others)


class Finder(NamedTuple):
    """What makes rows alike: those of the same key are one set, if there are enough of them."""

    name: str
    least: int  # rows of a set
    key: Marks
    rows: Ints  # of the page, one for each mark of the key and in page order; a row may come more than once
    nested: bool = False  # rows of the same key may lie inside each other: the outermost are taken


@dataclass(frozen=True, slots=True)
class Groups:
    """Sets of records, by finder and within each by key."""

    names: list[str]  # of the finders
    finder: Ints  # for each set: by which it was found
    starts: Ints  # for each set: where its records begin
    counts: Ints  # for each set: how many they are
    records: Ints  # the numbers of their spans, those of one set together and in page order


class Spans(NamedTuple):
    """Where records begin and end."""

    row_start: Ints
    row_end: Ints
    leaf_start: Ints
    leaf_end: Ints


def group_alike(finders: Sequence[Finder], end: Ints) -> Groups:
    """Return the sets of several finders, in their order; each row is a record. Those of nested rows must come last.

    Finders of the same rows are worked on together: on most pages calling numpy takes longer than what it does.
    """
    batches: dict[int, list[int]] = {}
    for number, finder in enumerate(finders):
        batches.setdefault(id(finder.rows), []).append(number)
    least = np.array([finder.least for finder in finders])
    found = [_group_batch([finders[number] for number in of], np.array(of), least) for of in batches.values()]
    of, counts, records = (np.concatenate(column) for column in zip(*found, strict=True))
    starts = starts_of(counts)[:-1]
    order = np.lexsort((records[starts], of)) if len(of) else starts  # of those with the same texts the outermost first
    records, counts = records[places_of(starts[order], counts[order])], counts[order]
    groups = Groups([of.name for of in finders], of[order], starts_of(counts)[:-1], counts, records)
    flat = sum(not finder.nested for finder in finders)
    return groups if flat == len(finders) else _take_outermost(groups, flat, least, end)


def _group_batch(finders: Sequence[Finder], numbers: Ints, least: Ints) -> tuple[Ints, Ints, Ints]:
    """Group the rows of finders that share them: the number of the finder and the size of each set, and the rows."""
    rows = finders[0].rows
    keys, order = _sort(np.array([finder.key for finder in finders]))
    alike = np.zeros((len(keys), len(rows) + 1), dtype=bool)  # with the one before
    np.equal(keys[:, 1:], keys[:, :-1], out=alike[:, 1:-1])
    changes = alike.ravel()
    changes = (changes[1:] != changes[:-1]).nonzero()[0]  # by turns the first and the last of two or more alike
    starts, counts = changes[::2], changes[1::2] - changes[::2] + 1
    line = starts // (len(rows) + 1)
    of = numbers[line]
    large = counts >= least[of]
    counts = counts[large]
    return of[large], counts, rows[order.ravel()[places_of((starts - line)[large], counts)]]


def _sort(keys: Marks) -> tuple[Marks, Ints]:
    """Sort each line of the keys, the earlier first of equal ones, and say where each stood."""
    size = keys.shape[1]
    bits = np.uint64(size.bit_length())
    # plain sorting is twice as fast as sorting places, so the place is put instead of the last bits of the key ...
    packed = keys >> bits
    packed <<= bits
    packed |= np.arange(size, dtype=np.uint64)
    packed.sort(axis=1)
    packed &= (np.uint64(1) << bits) - np.uint64(1)
    order: Ints = packed.view(np.int64)
    lines = np.arange(len(keys))[:, np.newaxis] * size
    ordered = keys.take(order + lines)
    if (ordered[:, 1:] < ordered[:, :-1]).any():  # ... which alone tell these keys apart
        order = keys.argsort(axis=1, kind="stable")
        ordered = keys.take(order + lines)
    return ordered, order


def _take_outermost(groups: Groups, flat: int, least: Ints, end: Ints) -> Groups:
    """Leave rows out that lie inside another of their set, and sets that have too few others, after flat finders."""
    split = int(groups.finder.searchsorted(flat))
    of, counts = groups.finder[split:], groups.counts[split:]
    rows = groups.records[places_of(groups.starts[split:], counts)]
    group = np.arange(len(counts)).repeat(counts)
    # sets are put one after the other on one line of rows, so that one running maximum serves all of them
    shift = group * (len(end) + 1)
    outer = np.ones(len(rows), dtype=bool)
    outer[1:] = (rows + shift)[1:] >= np.maximum.accumulate(end[rows] + shift)[:-1]
    counts = np.bincount(group[outer], minlength=len(counts))
    large = counts >= least[of]
    starts = starts_of(counts)[:-1] + len(groups.records)
    return Groups(
        groups.names,
        np.append(groups.finder[:split], of[large]),
        np.append(groups.starts[:split], starts[large]),
        np.append(groups.counts[:split], counts[large]),
        np.append(groups.records, rows[outer]),
    )


def starts_of(counts: Ints) -> Ints:
    """Return where runs of these lengths start, and after them where the last one ends."""
    starts = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=starts[1:])
    return starts


def places_of(starts: Ints, counts: Ints) -> Ints:
    """Return all places of runs with these starts and lengths, one run after the other."""
    ends = np.cumsum(counts)
    places: Ints = (starts - ends + counts).repeat(counts)
    places += np.arange(len(places))
    return places


def merge(parts: Sequence[tuple[Groups, Spans]]) -> tuple[Groups, Spans]:
    """Put the sets of several parts one after the other."""
    names: list[str] = []
    columns = []
    records = spans = 0
    for groups, of in parts:
        columns.append((groups.finder + len(names), groups.starts + records, groups.counts, groups.records + spans))
        names += groups.names
        records += len(groups.records)
        spans += len(of.row_start)
    merged = (np.concatenate(column) for column in zip(*columns, strict=True))
    return Groups(names, *merged), Spans(*map(np.concatenate, zip(*(of for _, of in parts), strict=True)))


_LOOKED_AT = 5  # records that say what a record holds; all of them would make many heads of one parent quadratic
_BEFORE = 200  # siblings before the first rule looked at, for the same reason
_LONGEST = 40  # siblings of one record in those


def find_runs(elements: Elements, columns: ElementColumns, labels: ElementLabels) -> tuple[Groups, Spans]:
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


def _follow(heads: Groups, columns: ElementColumns, elements: Elements, labels: ElementLabels) -> tuple[Groups, Spans]:
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
    names: list[str], finders: Ints, spans: list[tuple[int, int, int]], columns: ElementColumns
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


def _choose(groups: Groups, columns: ElementColumns) -> list[tuple[int, int, int]]:
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


LEAST = 3  # lines of a list; addresses and captions have fewer
_Line = tuple[int, int, int, int]  # rows and leaves, each from and to


def find_lines(elements: Elements, columns: ElementColumns, labels: ElementLabels) -> list[tuple[Groups, Spans]]:
    """Return the lines of each box, of each block in it and of alike boxes together, and the blocks."""
    boxes = _breaks_by_box(elements, (labels.role == BREAK).nonzero()[0].tolist())
    if not boxes:
        return []
    lines: dict[int, list[_Line]] = {}
    blocks: list[list[_Line]] = []
    block_lines: list[list[_Line]] = []
    for box, breaks in boxes.items():
        lines[box], parts = _cut(elements, box, breaks)
        if len(parts) > 1:
            blocks.append([(part[0][0], part[-1][1], part[0][2], part[-1][3]) for part in parts])
            block_lines.extend(parts)
    found = [
        ("lines", [*lines.values()]),
        ("lines of a block", block_lines),
        ("lines of alike boxes", _lines_of_alike(columns, labels, lines)),
        ("blocks of lines", blocks),
    ]
    return _group(found)


def _breaks_by_box(elements: Elements, breaks: list[int]) -> dict[int, list[int]]:
    """Return the rows of the breaks in each innermost box, both in page order."""
    tags, ups, of = elements.tag, elements.parent, dict[int, list[int]]()
    boxed: dict[int, int] = {}  # inline row -> its box; the walk up is bounded by the depth of the tree
    for row in breaks:
        up = box = ups[row]
        if up in boxed:
            box = boxed[up]
        while box > 0 and KIND.get(tags[box]) != BOX:
            box = ups[box]
        boxed[up] = box
        of.setdefault(box, []).append(row)
    return of


def _cut(elements: Elements, box: int, breaks: list[int]) -> tuple[list[_Line], list[list[_Line]]]:
    """Return the lines of one box, and the same in blocks that empty lines part."""
    lines: list[_Line] = []
    parts: list[list[_Line]] = []
    row, leaf, empty = box + 1, elements.leaf_start[box], True
    for stop in [*breaks, elements.end[box]]:
        last = stop == elements.end[box]
        leaf_stop = elements.leaf_end[box] if last else elements.leaf_start[stop]
        if leaf_stop > leaf:
            # a line that begins or ends inside an element has no whole elements to name
            whole = row < stop and max(elements.end[row:stop]) <= stop
            line = (row if whole else stop, stop, leaf, leaf_stop)
            lines.append(line)
            if empty:
                parts.append([])
            parts[-1].append(line)
        empty = leaf_stop == leaf
        row, leaf = stop + 1, leaf_stop
    return lines, parts


def _lines_of_alike(columns: ElementColumns, labels: ElementLabels, lines: dict[int, list[_Line]]) -> list[list[_Line]]:
    """Return the lines of boxes of the same path together, boxes of one line among them."""
    paths = np.sort(labels.exact_path[[*lines]])
    places = np.minimum(paths.searchsorted(labels.exact_path), len(paths) - 1)
    rows = ((columns.leaf_end > columns.leaf_start) & (paths[places] == labels.exact_path)).nonzero()[0]
    whole = (rows, columns.end[rows], columns.leaf_start[rows], columns.leaf_end[rows])
    alike: dict[int, list[_Line]] = {}
    for path, *line in zip(labels.exact_path[rows].tolist(), *(column.tolist() for column in whole), strict=True):
        alike.setdefault(path, []).extend(lines.get(line[0]) or [tuple(line)])
    return [of for of in alike.values() if all(before[3] <= after[2] for before, after in pairwise(of))]


def _group(found: list[tuple[str, list[list[_Line]]]]) -> list[tuple[Groups, Spans]]:
    sets = [(finder, of) for finder, (_, some) in enumerate(found) for of in some if len(of) >= LEAST]
    if not sets:
        return []
    spans = np.array([line for _, of in sets for line in of], dtype=np.int64)
    counts = np.array([len(of) for _, of in sets], dtype=np.int64)
    finders = np.array([finder for finder, _ in sets], dtype=np.int64)
    groups = Groups([name for name, _ in found], finders, starts_of(counts)[:-1], counts, np.arange(len(spans)))
    return [(groups, Spans(*spans.T))]


@dataclass(frozen=True, slots=True)
class Candidate:
    """Where the records of a possible list begin and end, in rows and leaves of `page.elements`.

    A record is a run of siblings: its rows `first : end` hold whole elements with all inside them, and may be none for
    a line of bare text. Its leaves are one range as well. Records are in page order, none overlap.
    """

    found: str  # by which finder
    holder: int  # row of the innermost element around all records
    rows: tuple[tuple[int, int], ...]  # per record: first row, row after the last
    leaves: tuple[tuple[int, int], ...]  # per record: first leaf, leaf after the last


class PageCandidates(Sequence[Candidate]):
    """The candidates of a page, in columns; each is made when asked for: few of them are lists."""

    def __init__(self, names: list[str], holders: Ints, starts: Ints, counts: Ints, records: Spans) -> None:
        self._names = names
        self.holders = holders
        self.starts = starts  # per candidate: number of its first record
        self.counts = counts  # per candidate
        self.records = records  # of all candidates, one after the other
        self._made: dict[int, Candidate] = {}

    @classmethod
    def of(cls, candidates: Sequence[Candidate]) -> Self:
        """Return candidates in columns, as those of a page are already."""
        if isinstance(candidates, cls):
            return candidates
        spans = [(*rows, *leaves) for one in candidates for rows, leaves in zip(one.rows, one.leaves, strict=True)]
        records = Spans(*np.array(spans, dtype=np.int64).reshape(-1, 4).T.copy())
        counts = np.array([len(one.rows) for one in candidates], dtype=np.int64)
        holders = np.array([one.holder for one in candidates], dtype=np.int64)
        return cls([one.found for one in candidates], holders, starts_of(counts)[:-1], counts, records)

    def __len__(self) -> int:
        return len(self._names)

    @overload
    def __getitem__(self, place: int) -> Candidate: ...
    @overload
    def __getitem__(self, place: slice) -> list[Candidate]: ...
    def __getitem__(self, place: int | slice) -> Candidate | list[Candidate]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        place = range(len(self))[place]
        if place not in self._made:
            first, last, start, end = (column.tolist() for column in self.spans_of(place))
            rows, leaves = tuple(zip(first, last, strict=True)), tuple(zip(start, end, strict=True))
            self._made[place] = Candidate(self._names[place], int(self.holders[place]), rows, leaves)
        return self._made[place]

    def spans_of(self, place: int) -> Spans:
        """Return where the records of one candidate are."""
        start = self.starts[place]
        return Spans(*(column[start : start + self.counts[place]] for column in self.records))


MOST = 400  # candidates of one page; beyond it those with the most text are kept, text of links counted a quarter
MOST_RECORDS = 500_000  # in all candidates of one page together, likewise; more need a gigabyte
_Number = TypeVar("_Number", np.int64, np.uint64)


def find_candidates(elements: Elements, losses: list[Loss] | None = None) -> Sequence[Candidate]:
    """Return every plausible list of a page, the strictest finders first.

    At most `MOST`; of more, those with the most text, where the text of links counts a quarter. The others are a loss.
    """
    if not elements.text:
        return []
    columns = ElementColumns.of(elements)
    labels = label(elements, columns.parent)
    whole = Spans(np.arange(len(elements)), columns.end, columns.leaf_start, columns.leaf_end)
    parts = [(_find_rows(columns, labels), whole), find_runs(elements, columns, labels)]
    return _build(elements, columns, *merge([*parts, *find_lines(elements, columns, labels)]), losses)


def _find_rows(columns: ElementColumns, labels: ElementLabels) -> Groups:
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


def _number_sections(columns: ElementColumns, labels: ElementLabels) -> tuple[Marks, Marks, Marks]:
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


def _build(
    elements: Elements, columns: ElementColumns, found: Groups, spans: Spans, losses: list[Loss] | None
) -> Sequence[Candidate]:
    """Make candidates of the sets, each set of texts once and within the bounds."""
    if not len(found.counts):
        return []
    kept = _first_of_each(_add_up(_mark(spans.leaf_start, spans.leaf_end), found))
    if len(kept) > MOST or found.counts[kept].sum() > MOST_RECORDS:
        every, kept = kept, _keep_longest(kept, found.counts, _add_up(_weigh(elements, spans), found))
        if losses is not None:
            losses.append(Loss("groups of elements beyond the limit of lists", len(every) - len(kept)))
    if not len(kept):
        return []
    counts = found.counts[kept]
    starts = starts_of(counts)
    records = found.records[places_of(found.starts[kept], counts)]
    holders = _find_holders(columns, spans, records[starts[:-1]], records[starts[1:] - 1])
    names = [found.names[finder] for finder in found.finder[kept].tolist()]
    return PageCandidates(names, holders, starts[:-1], counts, Spans(*(column[records] for column in spans)))


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


def _find_holders(columns: ElementColumns, spans: Spans, first: Ints, last: Ints) -> Ints:
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
