"""Compare possible regions of one page with each other: ranges of records come in, columns of numbers go out.

Most candidates are parts or sums of others: a field of each record, the cells of its rows, the rows of its cells, a
list inside one record. Which of them is the record can only be told by looking at the others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scythe.read.records.ranges import Floats, Ints, Ranges

RIVALS = 64  # the candidates with the most text, with which all are compared: bounds time and memory
CELLS = 6_000_000  # leaves times rivals, and records times rivals, at most
_MOST = 0.8  # share of records from which a relation counts
_NEARLY = 0.88  # share of records that have a field
_LESS, _HALF = 0.98, 0.5  # share of the text: less than all, and not so little that the rest is something else


class Pairs(NamedTuple):
    """Pairs of candidates: `whole[i]` has all of `part[i]`, and more."""

    part: Ints
    whole: Ints


def compare(at: Ranges, chars: Floats, leaves: int) -> tuple[dict[str, Floats], Pairs]:
    """Return what the relations to the largest rivals say, and which candidates are a field of the records of another.

    `chars` is the text of each candidate.
    """
    count = at.count.astype(np.float64)
    size = min(RIVALS, max(CELLS // max(leaves, len(at.owner)), 1), len(count))
    rivals = np.argsort(-chars, kind="stable")[:size]
    within, distinct = _containment(at, rivals, leaves)
    share = within / count
    most = share >= _MOST
    smaller = chars[None, :] < 0.97 * chars[rivals, None]
    first, last = at.leaf[at.start], at.leaf_end[at.start + at.count - 1]
    spans = (first >= first[rivals, None]) & (last <= last[rivals, None]) & smaller
    column = most & (distinct >= _MOST * count) & smaller & (count >= 3)
    finer = most & (distinct <= 0.7 * count) & (distinct >= 2)
    nested = most & (distinct == 1) & smaller
    ratio = chars[None, :] / np.maximum(chars[rivals, None], 1.0)
    times = count[None, :] / np.maximum(count[rivals, None], 1.0)
    full = column & (times >= _MOST)
    rows = finer & (ratio >= _MOST)
    said: dict[str, Floats] = {
        "column of": column.sum(axis=0),
        "column of share": np.where(column, ratio, 1.0).min(axis=0),
        "full column of": full.sum(axis=0),
        "full column of share": np.where(full, ratio, 1.0).min(axis=0),
        "finer than": finer.sum(axis=0),
        "finer than share": np.where(finer, ratio, 0.0).max(axis=0),
        "cells of": rows.sum(axis=0),
        "cells of times": np.where(rows, times, 1.0).max(axis=0),
        "nested in": nested.sum(axis=0),
        "nested in share": np.where(nested, ratio, 1.0).min(axis=0),
    }
    said["spans around"] = spans.sum(axis=0)
    own: dict[str, Floats] = {
        "spans inside": spans.sum(axis=1),
        "columns": column.sum(axis=1),
        "full columns": full.sum(axis=1),
        "full columns share": np.where(full, ratio, 0.0).max(axis=1),
        "lists inside": nested.sum(axis=1),
        "lists inside share": np.where(nested, ratio, 0.0).max(axis=1),
        "finer ones": finer.sum(axis=1),
        "cells": rows.sum(axis=1),
        "cells times": np.where(rows, times, 1.0).max(axis=1),
    }
    for name, values in own.items():
        said[name] = np.zeros(len(count))
        said[name][rivals] = values
    said["a rival"] = np.zeros(len(count))
    said["a rival"][rivals] = 1.0
    alone = (share >= _NEARLY) & (distinct >= _NEARLY * count) & (count >= 3) & (times <= 1.0) & (times >= _NEARLY)
    whole, field = np.nonzero(alone & (ratio <= _LESS) & (ratio >= _HALF))
    return said, Pairs(field, rivals[whole])


def _containment(at: Ranges, rivals: Ints, leaves: int) -> tuple[Floats, Floats]:
    """Return per rival and candidate: how many of its records lie in one record of the rival, and in how many."""
    record = _record_of_leaf(at, rivals, leaves)  # leaves first: the rivals of a leaf lie side by side in memory
    first = record.take(np.minimum(at.leaf, leaves - 1), axis=0)
    last = record.take(np.clip(at.leaf_end - 1, 0, leaves - 1), axis=0)
    inside = (first == last) & (first > 0)
    fresh = first[1:] != first[:-1]
    fresh[at.start[1:] - 1] = True
    fresh &= inside[1:]
    fresh = np.concatenate([inside[:1], fresh])
    within = np.add.reduceat(inside.astype(np.float32), at.start, axis=0)
    distinct = np.add.reduceat(fresh.astype(np.float32), at.start, axis=0)
    return within.T.astype(np.float64), distinct.T.astype(np.float64)


def _record_of_leaf(at: Ranges, rivals: Ints, leaves: int) -> NDArray[np.int32]:
    """Return per leaf and rival the number of the record the leaf is in, from 1; 0 where it is in none."""
    number = np.full(len(at.count), -1)
    number[rivals] = np.arange(len(rivals))
    of = number[at.owner]
    kept = of >= 0
    of, start, end = of[kept], at.leaf[kept], at.leaf_end[kept]
    order = np.arange(1, len(of) + 1, dtype=np.int32)
    change = np.zeros((leaves + 1, len(rivals)), dtype=np.int32)
    np.add.at(change, (start, of), order)
    np.add.at(change, (end, of), -order)
    found: NDArray[np.int32] = np.cumsum(change, axis=0, dtype=np.int32)[:leaves]
    return found


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
    record = np.unique(at.leaf * (leaves + 1) + at.leaf_end, return_inverse=True)[1].ravel()
    size = len(at.count)
    having = np.sort(record * size + at.owner)  # all (record, candidate), by record
    last = at.start + at.count - 1
    begin = np.searchsorted(having, record[at.start] * size)
    end = np.searchsorted(having, (record[at.start] + 1) * size)
    part = np.repeat(np.arange(size), end - begin)
    offset = np.arange(len(part)) - np.repeat(np.cumsum(end - begin) - (end - begin), end - begin)
    whole = having[np.repeat(begin, end - begin) + offset] % size
    kept = at.records[whole] > at.records[part]
    part, whole = part[kept], whole[kept]
    for probe in (record[last], record[at.start + at.count // 2]):
        wanted = probe[part] * size + whole
        found = np.searchsorted(having, wanted)
        kept = having[np.minimum(found, len(having) - 1)] == wanted
        part, whole = part[kept], whole[kept]
    return Pairs(part, whole)
