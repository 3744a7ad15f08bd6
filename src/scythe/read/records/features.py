"""Describe possible regions by numbers: a page's traits and candidates come in, one row per candidate goes out.

Everything is measured for all records of all candidates at once: a record is a range of rows and a range of leaves, so
what is in it is a difference of running sums, and a candidate is a run of records.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scythe.page.elements import Elements
from scythe.read.records.candidate import Candidate
from scythe.read.records.feature_names import (
    HOLDER_TAGS,
    MARKS,
    RECORD_TAGS,
    SAID,
    SHARES,
    feature_columns,
    feature_names,
)
from scythe.read.records.ranges import Floats, Ints, Ranges, fill_words, ranges_of
from scythe.read.records.rivals import Pairs, compare, describe_parts, find_parts
from scythe.read.records.traits import ABOVE_TAGS, LEAF_TRAITS, TAG_TRAITS, Counts, Traits, bits_of
from scythe.read.records.words import roles

_NEAR = 6  # leaves: a heading this close above a region speaks about it
_FAR = 50
_FURNITURE = frozenset(
    "menu breadcrumb pager tags share footer header side related advert filter form language brand toc tool".split()
)
_COUNTED = {name: column for column, name in enumerate(LEAF_TRAITS)}
_SHARE_COLUMNS, _MARK_COLUMNS = ([_COUNTED[name] for name in names] for names in (SHARES, MARKS))
_SIZES = [_COUNTED[name] for name in ("chars", "one", "words")]  # how evenly they are spread over records tells
_LINKED, _UNLINKED, _NEW_PARENT, _NEXT = range(4)  # flags of records that are no sums


class Described(NamedTuple):
    """The candidates of a page in numbers."""

    names: tuple[str, ...]  # of the columns
    rows: Floats  # one per candidate
    parts: Pairs  # which candidates have all records of another, and more
    fields: Pairs  # which candidates have in each record one of another, and more

    def column(self, name: str) -> Floats:
        """Return one number per candidate."""
        return self.rows[:, feature_columns()[name]]


class Table:
    """The rows of a page while they are filled, by names of columns."""

    def __init__(self, candidates: int) -> None:
        self.rows = np.empty((candidates, len(feature_names())))
        self._at = feature_columns()

    def __setitem__(self, name: str, values: NDArray[np.generic]) -> None:
        self.rows[:, self._at[name]] = values

    def __getitem__(self, name: str) -> Floats:
        return self.rows[:, self._at[name]]

    def put(self, first: str, block: NDArray[np.generic]) -> None:
        """Fill several columns that stand side by side."""
        start = self._at[first]
        self.rows[:, start : start + block.shape[1]] = block


class Measured(NamedTuple):
    """What the records of each candidate amount to; columns as those of `Traits`."""

    at: Ranges
    leaves: Floats  # sums over records
    tags: Counts
    apart: Floats  # how far the tags of records are from their mean, all together
    with_leaves: Floats  # shares of records that have any
    with_tags: Floats
    with_roles: Floats
    with_own: Floats  # shares of records whose first row has the role
    flags: Floats  # shares of records
    sizes: Floats  # per candidate: spread, least and most, against the mean, of each of _SIZES and rows


def describe(elements: Elements, traits: Traits, candidates: Sequence[Candidate]) -> Described:
    """Measure the candidates, of which there must be one."""
    at, table = ranges_of(candidates), Table(len(candidates))
    measured = _measure(at, traits)
    _describe_texts(table, measured, traits)
    _describe_place(table, measured, traits, elements)
    _describe_marks(table, measured)
    _describe_roles(table, measured, traits)
    _describe_likeness(table, at, traits)
    chars, leaves = np.ascontiguousarray(table["chars total"]), len(traits.leaf_text)
    _describe_size(table, chars)
    parts = find_parts(at, leaves)
    rivalry, fields = compare(at, chars, leaves)
    for relations in (rivalry, describe_parts(parts, at, chars, table["heads usual"])):
        for name, values in relations.items():
            table[name] = values
    return Described(feature_names(), table.rows, parts, fields)


def _measure(at: Ranges, traits: Traits) -> Measured:
    """Measure all records, and what those of each candidate amount to."""
    leaves, tags = traits.leaves.take(at.leaf_end, axis=0), traits.tags.take(at.row_end, axis=0)
    leaves -= traits.leaves.take(at.leaf, axis=0)
    tags -= traits.tags.take(at.row, axis=0)
    row = np.minimum(at.row, len(traits.parent) - 1)
    with_roles = traits.roles.take(at.row_end, axis=0) != traits.roles.take(np.minimum(at.row + 1, at.row_end), axis=0)
    count, all_tags = at.count[:, None], np.add.reduceat(tags.view(np.uint64), at.start, axis=0).view(tags.dtype)
    away = (all_tags / count).take(at.owner, axis=0)
    away -= tags
    np.abs(away, out=away)
    return Measured(
        at,
        at.total(leaves[:, : len(LEAF_TRAITS)]),
        all_tags,
        np.add.reduceat(away.ravel(), at.start * away.shape[1]),
        at.counts(leaves > 0.0) / count,
        at.counts(tags > 0) / count,
        at.counts(with_roles) / count,
        at.counts(bits_of(traits.own_roles[row], with_roles.shape[1])) / count,
        at.counts(_flag(at, leaves, traits.parent[row])) / count,
        _spread(at, np.concatenate((leaves[:, _SIZES], (at.row_end - at.row)[:, None]), axis=1)),
    )


def _flag(at: Ranges, leaves: Floats, parent: Ints) -> NDArray[np.bool_]:
    """Say per record whether it is a link, has none, has another parent than the one before, follows it at once."""
    flags, linked = np.zeros((len(at.owner), fill_words(4)), dtype=np.bool_), leaves[:, _COUNTED["link"]]
    np.greater(linked, 0.9 * leaves[:, _COUNTED["chars"]], out=flags[:, _LINKED])
    np.equal(linked, 0.0, out=flags[:, _UNLINKED])
    np.not_equal(parent[1:], parent[:-1], out=flags[1:, _NEW_PARENT])
    flags[at.start, _NEW_PARENT] = True
    np.equal(at.row_end[:-1], at.row[1:], out=flags[1:, _NEXT])
    return flags


def _spread(at: Ranges, sizes: Floats) -> Floats:
    """Return how unlike in size the records are: spread, smallest and largest against the mean."""
    mean = np.maximum(at.total(sizes) / at.count[:, None], 1e-9)
    spread = np.sqrt(np.maximum(at.total(sizes * sizes) / at.count[:, None] - mean * mean, 0.0))
    least, most = np.minimum.reduceat(sizes, at.start, axis=0), np.maximum.reduceat(sizes, at.start, axis=0)
    return np.stack((spread, least, most), axis=1) / mean[:, None]


def _share(part: Floats, whole: Floats) -> Floats:
    return part / np.maximum(whole, 1.0)


def _describe_texts(table: Table, measured: Measured, traits: Traits) -> None:
    """Say how much text there is and of which kind."""
    at, page = measured.at, traits.leaves[-1]
    sums = measured.leaves * (at.records / at.count)[:, None]  # of all records, where only some are measured
    chars, leaves, score = (sums[:, _COUNTED[name]] for name in ("chars", "one", "score"))
    table["records"] = at.records
    table["chars"] = chars / at.records
    table["chars share"] = chars / max(page[_COUNTED["chars"]], 1.0)
    table["chars total"] = chars
    table["leaves"] = leaves / at.records
    table["leaves share"] = leaves / max(page[_COUNTED["one"]], 1.0)
    table["leaf chars"] = _share(chars, leaves)
    table["comma"] = sums[:, _COUNTED["comma"]] / at.records
    table.put(f"{SHARES[0]} share", sums.take(_SHARE_COLUMNS, axis=1) / np.maximum(chars, 1.0)[:, None])
    table.put(f"{MARKS[0]} leaves", sums.take(_MARK_COLUMNS, axis=1) / np.maximum(leaves, 1.0)[:, None])
    table.put(f"{MARKS[0]} records", measured.with_leaves.take(_MARK_COLUMNS, axis=1))
    table.put("linked records", measured.flags[:, _LINKED : _UNLINKED + 1])
    table["headed records"] = measured.with_leaves[:, _COUNTED["heading"]]
    table.put("chars spread", measured.sizes[:, :, :-1].reshape(len(chars), -1))
    table["score of page"] = score / max(page[_COUNTED["score"]], 1.0)
    table["score against page"] = score / np.maximum(chars, 1.0) - page[_COUNTED["score"]] / max(page[0], 1.0)


def _describe_place(table: Table, measured: Measured, traits: Traits, elements: Elements) -> None:
    """Say where on the page a region lies, and what is around and between its records."""
    at, sums = measured.at, traits.leaves[:, _COUNTED["chars"]]
    all_chars, all_leaves = max(sums[-1], 1.0), max(len(sums) - 1, 1)
    first, last = at.leaf[at.start], at.leaf_end[at.start + at.count - 1]
    holders, rows = at.holder.tolist(), np.minimum(at.row[at.start], len(elements) - 1).tolist()
    leaf, leaf_end, depth = (
        _pick(column, holders) for column in (elements.leaf_start, elements.leaf_end, elements.depth)
    )
    before, until, held = sums[first], sums[last], sums[leaf_end] - sums[leaf]
    table["first leaf"] = first / all_leaves
    table["last leaf"] = last / all_leaves
    table["chars before"] = before / all_chars
    table["chars after"] = 1.0 - until / all_chars
    table["gaps"] = 1.0 - _share(table["chars total"], until - before)
    table["held"] = _share(table["chars total"], held)
    table["holder share"] = held / all_chars
    table["holder depth"] = depth
    table["record depth"] = _pick(elements.depth, rows) - depth
    table.put("parents", measured.flags[:, _NEW_PARENT : _NEXT + 1])
    _describe_heading(table, first, traits)


def _pick(column: list[int], rows: list[int]) -> Ints:
    return np.fromiter(map(column.__getitem__, rows), dtype=np.int64, count=len(rows))


def _describe_heading(table: Table, first: Ints, traits: Traits) -> None:
    """Say how far above the last heading is, and what it says."""
    bits = _bits(SAID)
    if not len(traits.heading_leaves):
        distance, said = np.full(len(first), _FAR), np.zeros(len(first), dtype=np.int64)
    else:
        before = np.searchsorted(traits.heading_leaves, first) - 1
        distance = first - traits.heading_leaves[np.maximum(before, 0)]
        distance = np.where(before >= 0, np.minimum(distance, _FAR), _FAR)
        said = np.where(distance <= _NEAR, traits.heading_roles[np.maximum(before, 0)], 0)
    table["heading distance"] = distance
    table.put(f"heading says {roles()[bits[0]]}", bits_of(said, len(roles())).take(bits, axis=1))


@lru_cache(maxsize=2)
def _bits(named: frozenset[str]) -> list[int]:
    return [bit for bit, role in enumerate(roles()) if role in named]


def _describe_marks(table: Table, measured: Measured) -> None:
    """Say which elements are inside."""
    at, tags = measured.at, measured.tags[:, : len(TAG_TRAITS)]
    table.put("a each", tags / at.count[:, None])
    table.put("a records", measured.with_tags[:, : len(TAG_TRAITS)])
    table["tags apart"] = _share(measured.apart, tags.sum(axis=1))
    table["rows"] = np.add.reduceat(at.row_end - at.row, at.start) / at.count
    table.put("rows spread", measured.sizes[:, :, -1])


def _describe_roles(table: Table, measured: Measured, traits: Traits) -> None:
    """Say what tags and names mean: of records, of what is inside them, of the holder and of everything above."""
    names, at, count = roles(), measured.at, len(roles())
    are, have = measured.with_own[:, :count], measured.with_roles[:, :count]
    holder, above = bits_of(traits.own_roles[at.holder], count), bits_of(traits.above_roles[at.holder], count)
    for place, block in (("records are", are), ("records have", have), ("holder is", holder), ("above is", above)):
        table.put(f"{place} {names[0]}", block)
    furniture = _bits(_FURNITURE)
    table["furniture above"] = above.take(furniture, axis=1).sum(axis=1)
    table["furniture near"] = are.take(furniture, axis=1).sum(axis=1) + holder.take(furniture, axis=1).sum(axis=1)
    table.put(f"inside {ABOVE_TAGS[0]}", bits_of(traits.above_tags[at.holder], len(ABOVE_TAGS)))
    row = np.minimum(at.row[at.start], len(traits.tag) - 1)
    for name, known, rows in (("record", RECORD_TAGS, row), ("holder", HOLDER_TAGS, at.holder)):
        flags = np.array([known.get(tag, -1) for tag in traits.tag_names])[:, None] == np.arange(len(known))
        table.put(f"{name} tag {next(iter(known))}", flags[traits.tag[rows]])


def _describe_likeness(table: Table, at: Ranges, traits: Traits) -> None:
    """Say how alike the records are in structure, and how different in text and in where their first links lead."""
    links, classes = traits.links[at.row], traits.class_hash[at.row]
    linked = links < traits.links[at.row_end]
    marks = np.empty((6, len(at.owner)), dtype=np.uint64)
    np.subtract(traits.tag_hash[at.row_end], traits.tag_hash[at.row], out=marks[0])
    np.subtract(traits.class_hash[at.row_end], classes, out=marks[1])
    np.subtract(traits.text_hash[at.leaf_end], traits.text_hash[at.leaf], out=marks[2])
    marks[3] = traits.leaf_text[np.minimum(at.leaf, len(traits.leaf_text) - 1)]
    np.subtract(traits.class_hash[np.minimum(at.row + 1, at.row_end)], classes, out=marks[4])
    marks[5] = np.where(linked, traits.link_target[links], 0).view(np.uint64)
    kinds, usual = _agree(at, marks)
    alike = np.stack((kinds[:5], usual[:5]), axis=2) / at.count[:, None]
    table.put("tags kinds", alike.transpose(1, 0, 2).reshape(len(at.count), -1))
    leading = np.add.reduceat(linked.astype(np.int64), at.start)
    table["targets"] = (kinds[5] - (leading < at.count)) / np.maximum(leading, 1)


def _agree(at: Ranges, marks: NDArray[np.uint64]) -> tuple[Ints, Ints]:
    """Return per row of marks and candidate how many different ones there are, and how many records have the usual."""
    keys = np.sort(
        at.owner.astype(np.uint64) << _OWNER_SHIFT | (marks * _SPREAD) >> (_WHOLE - _OWNER_SHIFT), axis=1, kind="stable"
    )
    fresh = np.ones(keys.shape, dtype=np.bool_)
    np.not_equal(keys[:, 1:], keys[:, :-1], out=fresh[:, 1:])
    first = np.flatnonzero(fresh)
    counts = np.diff(first, append=keys.size)
    starts = (np.arange(0, keys.size, len(at.owner))[:, None] + at.start).ravel()  # sorted, candidates stay in place
    place = np.searchsorted(first, starts)
    kinds, usual = np.diff(place, append=len(first)), np.maximum.reduceat(counts, place)
    return kinds.reshape(len(marks), -1), usual.reshape(len(marks), -1)


_WHOLE, _OWNER_SHIFT = np.uint64(64), np.uint64(48)  # keys sort by candidate, then by 48 bits of the mark
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


def _describe_size(table: Table, total: Floats) -> None:
    """Say how a candidate compares in size with the others of the page."""
    count, order = table["records"], np.empty(len(total))
    order[np.argsort(-total, kind="stable")] = np.arange(len(total))
    table["rivals"] = np.full(len(total), len(total))
    table["size rank"] = order / len(total)
    table["of largest"] = total / max(total.max(), 1.0)
    table["of most records"] = count / count.max()
