"""Compare possible regions of one page with each other: ranges of records come in, columns of numbers go out.

Most candidates are parts or sums of others: a field of each record, the cells of its rows, the rows of its cells, a
list inside one record. Which of them is the record can only be told by looking at the others.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scythe.read.records.ranges import Floats, Ints, Ranges, fill_words

RIVALS = 64  # the candidates with the most text, with which all are compared: bounds time and memory
CELLS = 6_000_000  # leaves times rivals, and records times rivals, at most
_MOST = 0.8  # share of records from which a relation counts
_NEARLY = 0.88  # share of records that have a field
_LESS, _HALF = 0.98, 0.5  # share of the text: less than all, and not so little that the rest is something else


Numbers = NDArray[np.unsignedinteger[Any]]


class Pairs(NamedTuple):
    """Pairs of candidates: `whole[i]` has all of `part[i]`, and more."""

    part: Ints
    whole: Ints


class _Relations(NamedTuple):
    """Pairs of a rival and a candidate most of whose records lie each in one record of the rival."""

    rival: Ints  # 0 is the rival with the most text
    other: Ints  # number of the candidate
    share: Floats  # of the records of the candidate
    distinct: Floats  # records of the rival that have them
    ratio: Floats  # text of the candidate against that of the rival
    times: Floats  # records, likewise
    smaller: NDArray[np.bool_]  # the candidate has clearly less text


def compare(at: Ranges, chars: Floats, leaves: int) -> tuple[dict[str, NDArray[np.generic]], Pairs]:
    """Return what the relations to the largest rivals say, and which candidates are a field of the records of another.

    `chars` is the text of each candidate.
    """
    count = at.count.astype(np.float64)
    size = min(RIVALS, max(CELLS // max(leaves, len(at.owner)), 1), len(count))
    rivals = np.argsort(-chars, kind="stable")[:size]
    smaller = chars < 0.97 * chars[rivals, None]
    first, last = at.leaf[at.start], at.leaf_end[at.start + at.count - 1]
    spans = (first >= first[rivals, None]) & (last <= last[rivals, None]) & smaller
    related = _relate(at, rivals, leaves, chars, smaller)
    said, inside = _describe_relations(related, count, size)
    said["spans around"] = spans.sum(axis=0)
    inside = {"spans inside": spans.sum(axis=1)} | inside | {"a rival": np.ones(size)}
    for name, values in inside.items():
        column = np.zeros(len(count))
        column[rivals] = values
        said[name] = column
    own = count[related.other]
    alone = (related.share >= _NEARLY) & (related.distinct >= _NEARLY * own) & (own >= 3) & (related.times <= 1.0)
    alone &= (related.times >= _NEARLY) & (related.ratio <= _LESS) & (related.ratio >= _HALF)
    return said, Pairs(related.other[alone], rivals[related.rival[alone]])


def _relate(at: Ranges, rivals: Ints, leaves: int, chars: Floats, smaller: NDArray[np.bool_]) -> _Relations:
    """Return which candidates lie in rivals: few of all pairs, so that whatever is said of them is cheap."""
    within, distinct = _containment(at, rivals, leaves)
    share = within / at.count[:, None]
    at_most = np.flatnonzero(share >= _MOST)
    other, rival = np.divmod(at_most, share.shape[1])
    whole = rivals[rival]
    ratio = chars[other] / np.maximum(chars[whole], 1.0)
    times = at.count[other] / at.count[whole]
    found = distinct.ravel()[at_most].astype(np.float64)
    return _Relations(rival, other, share.ravel()[at_most], found, ratio, times, smaller[rival, other])


def _describe_relations(
    related: _Relations, count: Floats, rivals: int
) -> tuple[dict[str, NDArray[np.generic]], dict[str, NDArray[np.generic]]]:
    """Return what candidates are to rivals, and what rivals are to candidates."""
    rival, other, _, distinct, ratio, times, smaller = related
    own = count[other]
    column = np.flatnonzero((distinct >= _MOST * own) & smaller & (own >= 3))
    finer = np.flatnonzero((distinct <= 0.7 * own) & (distinct >= 2))
    nested = np.flatnonzero((distinct == 1) & smaller)
    full = column[times[column] >= _MOST]
    rows = finer[ratio[finer] >= _MOST]
    said: dict[str, NDArray[np.generic]] = {}
    for name, kept in (("column of", column), ("full column of", full), ("nested in", nested)):
        said[name] = np.bincount(other[kept], minlength=len(count))
        said[f"{name} share"] = least = np.ones(len(count))
        np.minimum.at(least, other[kept], ratio[kept])
    inside: dict[str, NDArray[np.generic]] = {}
    for name, kept in (("columns", column), ("full columns", full), ("lists inside", nested), ("finer ones", finer)):
        inside[name] = np.bincount(rival[kept], minlength=rivals)
    inside["full columns share"] = _most(rival[full], ratio[full], np.zeros(rivals))
    inside["lists inside share"] = _most(rival[nested], ratio[nested], np.zeros(rivals))
    said["finer than"] = np.bincount(other[finer], minlength=len(count))
    said["finer than share"] = _most(other[finer], ratio[finer], np.zeros(len(count)))
    said["cells of"] = np.bincount(other[rows], minlength=len(count))
    said["cells of times"] = _most(other[rows], times[rows], np.ones(len(count)))
    inside["cells"] = np.bincount(rival[rows], minlength=rivals)
    inside["cells times"] = _most(rival[rows], times[rows], np.ones(rivals))
    return said, inside


def _most(where: Ints, values: Floats, known: Floats) -> Floats:
    np.maximum.at(known, where, values)
    return known


def _containment(at: Ranges, rivals: Ints, leaves: int) -> tuple[Numbers, Numbers]:
    """Return per candidate and rival: how many of its records lie in one record of the rival, and in how many."""
    record = _record_of_leaf(at, rivals, leaves)  # leaves first: the rivals of a leaf lie side by side in memory
    first = record.take(np.minimum(at.leaf, leaves - 1), axis=0)
    last = record.take(np.clip(at.leaf_end - 1, 0, leaves - 1), axis=0)
    inside = first == last
    inside &= first > 0
    fresh = np.ones_like(inside)
    np.not_equal(first[1:], first[:-1], out=fresh[1:])
    fresh[at.start] = True
    fresh &= inside
    return at.counts(inside), at.counts(fresh)


def _record_of_leaf(at: Ranges, rivals: Ints, leaves: int) -> Numbers:
    """Return per leaf and rival the number of the record the leaf is in, from 1; 0 where it is in none.

    There are columns of zeros after those of the rivals.
    """
    number = np.full(len(at.count), -1)
    number[rivals] = np.arange(len(rivals))
    of = number[at.owner]
    kept = np.flatnonzero(of >= 0)
    of, start, end = of[kept], at.leaf[kept], at.leaf_end[kept]
    # running sums of several rivals share a 64-bit word, which none of them outgrows
    lane, lanes = (np.uint16, 4) if len(kept) < 1 << 16 else (np.uint32, 2)
    width = fill_words(len(rivals)) // lanes
    change = np.zeros((leaves + 1, width), dtype=np.uint64)
    order = np.arange(1, len(kept) + 1, dtype=np.uint64) << (of % lanes * (64 // lanes)).view(np.uint64)
    flat, of = change.reshape(-1), of // lanes
    np.add.at(flat, start * width + of, order)
    np.subtract.at(flat, end * width + of, order)
    return np.cumsum(change, axis=0, out=change)[:leaves].view(lane)


def describe_parts(pairs: Pairs, at: Ranges, chars: Floats, uniform: Floats) -> dict[str, Floats]:
    """Return how a candidate stands to those it is part of; `uniform` says how alike the records of each are."""
    part, whole = pairs
    count = at.records.astype(np.float64)
    times, share = count[whole] / count[part], _quotient(chars[part], chars[whole])
    nobody = np.zeros(len(count))
    said = {name: nobody.copy() for name in ("part of", "part of times", "part of uniform", "parts", "parts share")}
    said |= {name: np.ones(len(count)) for name in ("part of share", "part of next")}
    np.add.at(said["part of"], part, 1.0)
    np.maximum.at(said["part of times"], part, times)
    np.maximum.at(said["part of uniform"], part, uniform[whole])
    np.minimum.at(said["part of share"], part, share)
    said["part of next"][part] = 0.0
    np.maximum.at(said["part of next"], part, 1.0 / times)
    np.add.at(said["parts"], whole, 1.0)
    np.maximum.at(said["parts share"], whole, 1.0 / times)
    return said


def _quotient(part: Floats, whole: Floats) -> Floats:
    return part / np.maximum(whole, 1.0)


def find_parts(at: Ranges, leaves: int) -> Pairs:
    """Return which candidates are part of others: having the first, middle and last record counts as having all."""
    size = len(at.count)
    record = (at.leaf * (leaves + 1) + at.leaf_end) * size  # a page has too few leaves for this to overflow
    having = np.sort(record + at.owner, kind="stable")  # all (record, candidate); much is sorted already
    start = record[at.start]
    begin = np.searchsorted(having, start)
    sharing = np.searchsorted(having, start + size) - begin
    part = np.repeat(np.arange(size), sharing)
    offset = np.arange(len(part)) - np.repeat(np.cumsum(sharing) - sharing, sharing)
    whole = having[np.repeat(begin, sharing) + offset] % size
    kept = at.records[whole] > at.records[part]
    part, whole = part[kept], whole[kept]
    for probe in (at.start + at.count - 1, at.start + at.count // 2):
        wanted = record[probe[part]] + whole
        found = np.searchsorted(having, wanted)
        kept = having[np.minimum(found, len(having) - 1)] == wanted
        part, whole = part[kept], whole[kept]
    return Pairs(part, whole)
