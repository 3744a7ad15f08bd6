"""Describe the images of a page by how they stand to each other: columns of single images in, more columns out."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.float64]

GROUP_NAMES = (
    "count|share|number|run|place in run|first order|order span|links away|mean alt|mean gap|has lead|widest|targets"
).split("|")


def number_groups(keys: Sequence[Hashable]) -> NDArray[np.int64]:
    """Return the number of each key, equal ones having the same, counted from 0 in order of appearance."""
    known: dict[Hashable, int] = {}
    return np.array([known.setdefault(key, len(known)) for key in keys], dtype=np.int64)


class Group:
    """Images of a page that share a key, and what can be summed up over them."""

    def __init__(self, keys: Sequence[Hashable]) -> None:
        self.of = number_groups(keys)
        self.sizes = np.bincount(self.of).astype(np.float64)

    def count(self) -> Column:
        return self.sizes[self.of]

    def mean(self, values: Column) -> Column:
        """Return the mean of the group of each image."""
        return (np.bincount(self.of, values, len(self.sizes)) / self.sizes)[self.of]

    def mean_of_others(self, values: Column, alone: float) -> Column:
        """Return the mean over the other images of the group, `alone` where there is none."""
        sums = np.bincount(self.of, values, len(self.sizes))[self.of] - values
        others = self.sizes[self.of] - 1
        return np.where(others > 0, sums / np.maximum(others, 1), alone)

    def highest(self, values: Column) -> Column:
        best = np.full(len(self.sizes), -np.inf)
        np.maximum.at(best, self.of, values)
        return best[self.of]

    def lowest(self, values: Column) -> Column:
        return -self.highest(-values)

    def place(self) -> Column:
        """Return how many images of the group come before each image."""
        order = np.argsort(self.of, kind="stable")
        starts = np.cumsum(self.sizes) - self.sizes
        found = np.empty(len(self.of))
        found[order] = np.arange(len(order)) - np.repeat(starts, self.sizes.astype(np.int64))
        return found

    def runs(self) -> tuple[Column, Column]:
        """Return how many images in a row are of the group of each image, and the place of the image among them."""
        new = np.ones(len(self.of), dtype=bool)
        new[1:] = self.of[1:] != self.of[:-1]
        starts = np.flatnonzero(new)
        run = np.cumsum(new) - 1
        lengths = np.diff(np.append(starts, len(self.of)))
        return lengths[run].astype(np.float64), (np.arange(len(self.of)) - starts[run]).astype(np.float64)


def describe_groups(group: Group, facts: dict[str, Column]) -> list[Column]:
    """Return the columns of `GROUP_NAMES` for one way to group the images."""
    count, order = group.count(), facts["order"]
    run, place = group.runs()
    first, last = group.lowest(order), group.highest(order)
    return [
        count,
        count / len(order),
        group.place(),
        run,
        place,
        first,
        last - first,
        group.mean(facts["away"]),
        group.mean(facts["alt"]),
        group.mean(facts["gap"]),
        group.highest(facts["lead"]),
        group.highest(facts["shown"]),
        group.mean(facts["distinct target"]),
    ]


def rank(values: Column) -> Column:
    """Return how many images have a higher value."""
    ordered = np.sort(values)
    return (len(values) - np.searchsorted(ordered, values, "right")).astype(np.float64)
