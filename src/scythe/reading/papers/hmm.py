"""Read attribute-value pairs by a hidden Markov model over the page's tree (Zhang et al. 2018, section 4.3.2).

J. Zhang, Q. Wang, Q. Yang, R. Zhou, Y. Zhang: Exploiting Multi-Category Characteristics and Unified Framework to
Extract Web Content. Data Science and Engineering 3 (2018) 101-114. Element weights follow formula 3, with log(1 + N /
n_k), so that a whole never weighs less than its part. docs/why/papers.md has the open points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from scythe.page.elements import Elements
from scythe.page.page import Page
from scythe.reading.attributes.dictionary import Dictionary, shipped
from scythe.reading.papers.label_pairs import Pairs, find_labels, in_link, pair_labels

QUANTITY_CHARS = 24  # "1,299.00 EUR", "12 x 30 x 4.5 cm": longer text is prose with a number in it


class LeafMarks(Protocol):
    """What is asked of a characteristic; other packages may bring theirs."""

    def mark(self, elements: Elements) -> Sequence[bool]:
        """Return one answer per text leaf of `elements`: whether it has the characteristic."""
        ...


@dataclass(frozen=True, slots=True)
class RecordCharacteristic:
    """Something that leaves of an area with records have more often than others."""

    name: str
    mark: Callable[[Elements], Sequence[bool]]  # one answer per leaf


def mark_delimiters(dictionary: Dictionary) -> RecordCharacteristic:
    """Make the characteristic of leaves that are cut in two by a delimiter or end with one: "Price: 12", "Price:"."""

    def mark(elements: Elements) -> Sequence[bool]:
        return [dictionary.split_pair(text) is not None for text in elements.text]

    return RecordCharacteristic("delimiter", mark)


def mark_names(dictionary: Dictionary) -> RecordCharacteristic:
    """Make the characteristic of leaves that are, or begin with, an attribute name of the dictionary.

    Links are left out: menus are full of words like "location", "size" or "author".
    """

    def mark(elements: Elements) -> Sequence[bool]:
        named = (_begins_with_name(text, dictionary) for text in elements.text)
        return [found and not in_link(elements, leaf) for leaf, found in enumerate(named)]

    return RecordCharacteristic("name", mark)


def mark_quantities() -> RecordCharacteristic:
    """Make the characteristic of short leaves with a digit: prices, measures, dates, numbers of all kinds."""

    def mark(elements: Elements) -> Sequence[bool]:
        return [len(text) <= QUANTITY_CHARS and any(map(str.isdigit, text)) for text in elements.text]

    return RecordCharacteristic("quantity", mark)


def make_container(dictionary: Dictionary | None = None) -> tuple[RecordCharacteristic, ...]:
    """Return the characteristics that the paper names for records: delimiters and the words of a dictionary."""
    dictionary = dictionary or shipped()
    return (mark_delimiters(dictionary), mark_names(dictionary))


def weigh(elements: Elements, container: Iterable[LeafMarks], *, as_printed: bool = False) -> NDArray[np.float64]:
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


STAY = 0.8  # the descent ends where no child has more than this share of the weight; docs/why has the others


@dataclass(frozen=True, slots=True)
class Model:
    """Lambda = (pi, A, B) of one page; states are the rows of `page.elements`."""

    start: int  # pi: all probability lies on the body
    transition: Sequence[float]  # A: from its parent into each row, the same for all children of one parent
    emission: Sequence[float]  # B: WVC of each row

    def delta(self, row: int, before: float = 1.0) -> float:
        """Return the weight of a state that follows one of weight `before`."""
        return before * self.transition[row] * self.emission[row]


Ends = Callable[[Model, int, int], bool]  # whether the descent ends at the first row instead of going to the second


def by_share(stay: float = STAY) -> Ends:
    """End where the weight is spread over several children: what holds it together is the area."""
    return lambda model, here, best: model.emission[best] <= stay * model.emission[here]


def by_weight(model: Model, here: int, best: int) -> bool:
    """End as printed, the highest weights compared: at the body, since no part weighs more than the whole."""
    return model.emission[here] >= model.emission[best]


def by_delta(model: Model, here: int, best: int) -> bool:
    """End as printed, delta compared from t_1 on, each step for itself: fan-out decides, and seldom well."""
    return here != model.start and model.delta(here) >= model.delta(best)


def by_product(model: Model, here: int, best: int) -> bool:
    """End as printed, delta multiplied along the path: where a child's share of weight is no longer above one."""
    return model.delta(best) <= 1.0


def by_number(model: Model, here: int, best: int) -> bool:
    """End as printed, numbers of nodes compared: never, since a child always comes after its parent."""
    return here >= best


def build_model(elements: Elements, container: Iterable[LeafMarks]) -> Model:
    """Build the model of a page. Children without text cannot hold records and get no share of the probability."""
    parents = np.asarray(elements.parent)
    full = (np.asarray(elements.leaf_end) > np.asarray(elements.leaf_start)) & (parents >= 0)
    fan_out = np.bincount(parents[full], minlength=len(elements))
    shares = np.where(full, 1.0 / np.maximum(fan_out[parents], 1), 0.0)
    start = elements.tag.index("body") if "body" in elements.tag else 0
    return Model(start, shares.tolist(), weigh(elements, container).tolist())


def find_path(elements: Elements, model: Model, ends: Ends | None = None) -> tuple[int, ...]:
    """Return the most probable path from the body to the area with the records, as rows; the last is the area."""
    ends = ends or by_share()
    path = [model.start]
    while children := elements.children(path[-1]):
        best = max(children, key=model.delta)
        if model.emission[best] <= 0 or ends(model, path[-1], best):
            break
        path.append(best)
    return tuple(path)


def find_area(page: Page, dictionary: Dictionary | None = None, added: Sequence[LeafMarks] = ()) -> int:
    """Return the row of the element that holds the attributes of a page."""
    elements = page.elements
    return find_path(elements, build_model(elements, (*make_container(dictionary), *added)))[-1]


def read_by_hmm(page: Page, dictionary: Dictionary | None = None, added: Sequence[LeafMarks] = ()) -> Pairs:
    """Read the attribute-value pairs of the area that the model finds, in page order, names as printed.

    `added` are characteristics beside those of the paper.
    """
    dictionary = dictionary or shipped()
    area, elements = find_area(page, dictionary, added), page.elements
    labels = find_labels(elements, elements.leaf_start[area], elements.leaf_end[area], dictionary)
    return pair_labels(elements, labels, dictionary)
