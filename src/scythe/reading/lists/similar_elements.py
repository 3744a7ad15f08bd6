"""Group similar elements of a page by tag, classes and structure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from struct import Struct, pack
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

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
