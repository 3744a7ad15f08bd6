"""Read attribute-value pairs by a hidden Markov model over the tree: a page comes in, (name, value) pairs go out.

J. Zhang, Q. Wang, Q. Yang, R. Zhou, Y. Zhang: Exploiting Multi-Category Characteristics and Unified Framework to
Extract Web Content. Data Science and Engineering 3 (2018) 101-114, section 4.3.2. docs/why/attributes-methods.md says
what the paper leaves open and which way we took.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from scythe.page.elements import Elements
from scythe.page.page import Page
from scythe.read.records.dictionary import Dictionary, shipped
from scythe.read.records.label_pairs import Pairs, find_labels, pair_labels
from scythe.read.records.wvc import Marks, make_container, weigh

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


def build_model(elements: Elements, container: Iterable[Marks]) -> Model:
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


def find_area(page: Page, dictionary: Dictionary | None = None, added: Sequence[Marks] = ()) -> int:
    """Return the row of the element that holds the attributes of a page."""
    elements = page.elements
    return find_path(elements, build_model(elements, (*make_container(dictionary), *added)))[-1]


def read_by_hmm(page: Page, dictionary: Dictionary | None = None, added: Sequence[Marks] = ()) -> Pairs:
    """Read the attribute-value pairs of the area that the model finds, in page order, names as printed.

    `added` are characteristics beside those of the paper.
    """
    dictionary = dictionary or shipped()
    area, elements = find_area(page, dictionary, added), page.elements
    labels = find_labels(elements, elements.leaf_start[area], elements.leaf_end[area], dictionary)
    return pair_labels(elements, labels, dictionary)
