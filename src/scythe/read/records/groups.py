"""Group what is alike: columns of a page and marks come in, sets of records go out as parallel columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

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
    def of(cls, elements: Elements) -> Self:
        """Copy the columns of a page."""
        lists = (elements.parent, elements.end, elements.leaf_start, elements.leaf_end)
        parent, *others = (np.fromiter(column, dtype=np.int64, count=len(column)) for column in lists)
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


@dataclass(frozen=True, slots=True)
class Spans:
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
    order = of.astype(np.uint8).argsort(kind="stable")  # so few numbers are sorted by counting them
    groups = Groups([of.name for of in finders], of[order], starts_of(counts)[order], counts[order], records)
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
    fields = ((of.row_start, of.row_end, of.leaf_start, of.leaf_end) for _, of in parts)
    return Groups(names, *merged), Spans(*(np.concatenate(column) for column in zip(*fields, strict=True)))
