"""Describe the images of a page by how they stand to each other: columns of single images in, more columns out."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.float64]

GROUP_NAMES = "count|share|run|first order|order span|links away|linked|mean alt|mean gap|widest".split("|")


def number_groups(keys: Sequence[Hashable], start: int = 0) -> list[int]:
    """Return a number for each key, equal ones having the same, counted from `start` in order of appearance."""
    known: dict[Hashable, int] = {}
    return [known.setdefault(key, start + len(known)) for key in keys]


def count_equal(keys: Sequence[Hashable]) -> Column:
    """Return for each key how many are equal to it."""
    numbers = number_groups(keys)
    return np.bincount(numbers)[numbers].astype(np.float64)


def describe_groups(groupings: Sequence[Sequence[Hashable]], facts: dict[str, Column]) -> list[Column]:
    """Return the columns of `GROUP_NAMES` for each way to group the images, one way after the other.

    All ways are worked out together: the groups of the second are numbered on from those of the first, and so on.
    """
    images, ways = len(facts["order"]), len(groupings)
    numbers: list[int] = []
    for keys in groupings:
        numbers += number_groups(keys, max(numbers, default=-1) + 1)
    of = np.array(numbers)
    sizes = np.bincount(of).astype(np.float64)
    order = _again(facts["order"], ways)
    first, last = np.full(len(sizes), np.inf), np.full(len(sizes), -np.inf)
    np.minimum.at(first, of, order)
    np.maximum.at(last, of, order)
    widest = np.zeros(len(sizes))
    np.maximum.at(widest, of, _again(facts["shown"], ways))
    means = [np.bincount(of, _again(facts[name], ways)) / sizes for name in ("away", "linked", "alt", "gap")]
    found = [sizes, sizes / images, first, last - first, *means, widest]
    columns = [values[of].reshape(ways, images) for values in found]
    columns.insert(2, _runs(of, images).reshape(ways, images))
    return [column[way] for way in range(ways) for column in columns]


def _again(values: Column, times: int) -> Column:
    return np.concatenate([values] * times)  # a third of what np.tile takes


def _runs(of: NDArray[np.int64], images: int) -> Column:
    """Return how many images in a row are of the group of each image."""
    new = np.ones(len(of), dtype=bool)
    new[1:] = of[1:] != of[:-1]
    new[::images] = True
    starts = np.flatnonzero(new)
    lengths = steps_between(starts, len(of))
    return np.repeat(lengths, lengths).astype(np.float64)


def steps_between(values: NDArray[Any], end: float) -> NDArray[Any]:
    """Return how far it is from each value to the next, from the last one to `end`."""
    steps = np.empty_like(values)
    np.subtract(values[1:], values[:-1], out=steps[:-1])
    steps[-1] = end - values[-1]
    return steps


def rank(values: Column) -> Column:
    """Return how many images have a higher value."""
    return (len(values) - np.searchsorted(np.sort(values), values, "right")).astype(np.float64)
