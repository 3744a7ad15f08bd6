"""Weigh the elements of a page by the characteristics of the text below them: elements come in, weights go out.

Formula 3 of Zhang et al. 2018 (Data Science and Engineering 3, 101-114): WVC(i) is the sum over the characteristics k
of n_k log(N / n_k), where n_k leaves below element i have the characteristic and the page has N leaves. We take
log(1 + N / n_k), so that a whole never weighs less than its part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from scythe.page.elements import Elements
from scythe.read.records.dictionary import Dictionary, shipped
from scythe.read.records.label_pairs import in_link

QUANTITY_CHARS = 24  # "1,299.00 EUR", "12 x 30 x 4.5 cm": longer text is prose with a number in it


class Marks(Protocol):
    """What is asked of a characteristic; other packages may bring theirs."""

    def mark(self, elements: Elements) -> Sequence[bool]:
        """Return one answer per text leaf of `elements`: whether it has the characteristic."""
        ...


@dataclass(frozen=True, slots=True)
class Characteristic:
    """Something that leaves of an area with records have more often than others."""

    name: str
    mark: Callable[[Elements], Sequence[bool]]  # one answer per leaf


def mark_delimiters(dictionary: Dictionary) -> Characteristic:
    """Make the characteristic of leaves that are cut in two by a delimiter or end with one: "Price: 12", "Price:"."""

    def mark(elements: Elements) -> Sequence[bool]:
        return [dictionary.split_pair(text) is not None for text in elements.text]

    return Characteristic("delimiter", mark)


def mark_names(dictionary: Dictionary) -> Characteristic:
    """Make the characteristic of leaves that are, or begin with, an attribute name of the dictionary.

    Links are left out: menus are full of words like "location", "size" or "author".
    """

    def mark(elements: Elements) -> Sequence[bool]:
        named = (_begins_with_name(text, dictionary) for text in elements.text)
        return [found and not in_link(elements, leaf) for leaf, found in enumerate(named)]

    return Characteristic("name", mark)


def mark_quantities() -> Characteristic:
    """Make the characteristic of short leaves with a digit: prices, measures, dates, numbers of all kinds."""

    def mark(elements: Elements) -> Sequence[bool]:
        return [len(text) <= QUANTITY_CHARS and any(map(str.isdigit, text)) for text in elements.text]

    return Characteristic("quantity", mark)


def make_container(dictionary: Dictionary | None = None) -> tuple[Characteristic, ...]:
    """Return the characteristics that the paper names for records: delimiters and the words of a dictionary."""
    dictionary = dictionary or shipped()
    return (mark_delimiters(dictionary), mark_names(dictionary))


def weigh(elements: Elements, container: Iterable[Marks], *, as_printed: bool = False) -> NDArray[np.float64]:
    """Return WVC of every element. Linear: what lies below an element is one range of leaves, so n_k is a difference.

    A characteristic that no leaf below has adds nothing. `as_printed` leaves out the 1: then more than N / e leaves
    with a characteristic weigh less the more they are, and all of them nothing.
    """
    leaves, one = len(elements.text), 0.0 if as_printed else 1.0
    starts, ends = np.asarray(elements.leaf_start), np.asarray(elements.leaf_end)
    total = np.zeros(len(elements))
    for characteristic in container:
        sums = np.concatenate(([0], np.cumsum(np.asarray(characteristic.mark(elements), dtype=np.int64))))
        found = (sums[ends] - sums[starts]).astype(float)
        total += found * np.log(one + max(leaves, 1) / np.maximum(found, 1.0))
    return total


def _begins_with_name(text: str, dictionary: Dictionary) -> bool:
    pair = dictionary.split_pair(text)
    return dictionary.concept_of(pair[0] if pair else text) is not None
