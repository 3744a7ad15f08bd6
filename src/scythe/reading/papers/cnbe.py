"""CNBE: read attribute-value pairs by co-trained naive Bayes (Wu, Cheng, Wang, Guo, Song, WI-IAT 2009).

Two classifiers, one for the text of a leaf and one for its position, train each other on the page, starting from the
dictionary; attributes are where their names are dense. docs/why/papers.md says what is ours.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scythe.page.elements import Elements
from scythe.page.page import Page
from scythe.reading.attributes.dictionary import Dictionary, shipped
from scythe.reading.papers.label_pairs import LABEL_CHARS, LABEL_WORDS, PairLabel, Pairs, in_link, pair_labels

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

ROUNDS = 5  # of teaching; docs/why/papers.md tells how little it does
GROWTH = 0.25  # leaves that one view may teach the other in a round, as a share of those known for names
SMOOTHING = 0.5
DENSITY = 0.1  # names among the leaves of an area, above which it grows
NAME_ODDS = 2.0  # log odds from which a leaf is a name: names are rarer than other leaves
CANDIDATES = 20_000  # leaves judged on one page; the rest is taken for text


@dataclass(frozen=True, slots=True)
class _Leaves:
    """The short leaves of a page with what each view sees of them: one column of numbers per property."""

    labels: list[PairLabel]
    text: Ints  # labels x properties
    place: Ints
    seed: Ints  # 1 a name by the dictionary, 0 none by its looks, -1 unknown


def read_by_cnbe(page: Page, dictionary: Dictionary | None = None) -> Pairs:
    """Read the attribute-value pairs of the area where names are dense, in page order, names as printed."""
    dictionary = dictionary or shipped()
    elements = page.elements
    labels = find_names(elements, dictionary)
    area = find_dense_area(elements, [label.leaf for label in labels])
    first, end = elements.leaf_start[area], elements.leaf_end[area]
    return pair_labels(elements, [label for label in labels if first <= label.leaf < end], dictionary)


def find_names(elements: Elements, dictionary: Dictionary) -> list[PairLabel]:
    """Return the leaves that both views together take for attribute names; none where nothing is known at first."""
    leaves = _look_at(elements, dictionary)
    known = leaves.seed.copy()  # the classifiers' own guesses are added to it
    if not (known == 1).any() or not (known == 0).any():
        return [label for label, name in zip(leaves.labels, known, strict=True) if name == 1]
    for _ in range(ROUNDS):
        for view in (leaves.text, leaves.place):
            _teach(known, _odds(view, known))
    odds = _odds(leaves.text, known) + _odds(leaves.place, known)
    is_name = (leaves.seed == 1) | (odds > NAME_ODDS)
    return [label for label, name in zip(leaves.labels, is_name, strict=True) if name]


def find_dense_area(elements: Elements, names: Iterable[int], density: float = DENSITY) -> int:
    """Return the row with the most names beyond `density` times its leaves; the root where names are rare."""
    marks = np.zeros(len(elements.text) + 1)
    marks[[leaf + 1 for leaf in names]] = 1.0
    sums = np.cumsum(marks)
    starts, ends = np.asarray(elements.leaf_start), np.asarray(elements.leaf_end)
    surplus = sums[ends] - sums[starts] - density * (ends - starts)
    best = int(len(surplus) - 1 - np.argmax(surplus[::-1]))  # the innermost of those that are equal
    return best if surplus[best] > 0 else 0


def _odds(view: Ints, known: Ints) -> Floats:
    """Return log odds for being a name, by categorical naive Bayes on the leaves known so far; even prior."""
    yes, no = view[known == 1], view[known == 0]
    total = np.zeros(len(view))
    for column in range(view.shape[1]):
        kinds = int(view[:, column].max()) + 1
        for rows, sign in ((yes, 1.0), (no, -1.0)):
            counts = np.bincount(rows[:, column], minlength=kinds) + SMOOTHING
            total += sign * np.log(counts / counts.sum())[view[:, column]]
    return total


def _teach(known: Ints, odds: Floats) -> None:
    """Add to what is known the leaves of which one view is most sure, names and others alike."""
    unknown = np.flatnonzero(known < 0)
    if not len(unknown):
        return
    order = unknown[np.argsort(odds[unknown], kind="stable")]
    share = max(1, int(GROWTH * (known == 1).sum()))
    surest = order[-share:]
    known[surest[odds[surest] > 1.0]] = 1
    least = order[: 2 * share]
    known[least[(odds[least] < -1.0) & (known[least] < 0)]] = 0


def _look_at(elements: Elements, dictionary: Dictionary) -> _Leaves:
    """Describe the leaves that could be names, and tell those that surely are or are not."""
    labels: list[PairLabel] = []
    texts: list[tuple[object, ...]] = []
    places: list[tuple[object, ...]] = []
    seeds: list[int] = []
    after_name = -1
    for leaf, text in enumerate(elements.text):
        label = _as_label(leaf, text, elements, dictionary)
        if label is None or len(labels) >= CANDIDATES:
            continue
        linked = in_link(elements, leaf)
        named = not linked and dictionary.concept_of(label.name) is not None
        labels.append(label)
        texts.append(_describe_text(label, named))
        places.append(_describe_place(elements, label, linked))
        seeds.append(1 if named else 0 if linked or after_name == leaf - 1 or not label.name[0].isalpha() else -1)
        after_name = leaf if (named or label.marked) and not label.rest else after_name
    return _Leaves(labels, _number(texts), _number(places), np.asarray(seeds, dtype=np.int64))


def _as_label(leaf: int, text: str, elements: Elements, dictionary: Dictionary) -> PairLabel | None:
    pair = dictionary.split_pair(text)
    name, rest = pair or (text, "")
    if len(name) > LABEL_CHARS or len(name.split()) > LABEL_WORDS or not any(map(str.isalnum, name)):
        return None
    following = elements.text[leaf + 1] if leaf + 1 < len(elements.text) else " "
    return PairLabel(leaf, name, rest, marked=pair is not None or following[0] in dictionary.delimiters)


def _describe_text(label: PairLabel, named: bool) -> tuple[object, ...]:
    name = label.name
    words = name.casefold().split()
    return (
        label.marked,
        bool(label.rest),
        min(len(words), 4),
        min(len(name) // 6, 4),
        any(map(str.isdigit, name)),
        name[0].isupper() + name.isupper(),
        words[-1] if named or len(words) > 1 else "",  # "screen size", "package size" are told by their last word
    )


def _describe_place(elements: Elements, label: PairLabel, linked: bool) -> tuple[object, ...]:
    leaf, row = label.leaf, elements.leaf_row[label.leaf]
    parent = max(elements.parent[row], 0)
    following = elements.text[leaf + 1] if leaf + 1 < len(elements.text) else ""
    return (
        f"{elements.tag[parent]} {elements.tag[row]}",
        elements.classes[row][:80],
        elements.classes[parent][:80],
        elements.leaf_start[row] == leaf,
        min(leaf - elements.leaf_start[parent], 3),
        min(elements.leaf_end[parent] - leaf, 4),
        linked,
        min(len(following) // 12, 4),
        any(map(str.isdigit, following[:24])),
    )


def _number(rows: list[tuple[object, ...]]) -> Ints:
    """Turn descriptions into numbers, each property for itself."""
    columns = []
    for values in zip(*rows, strict=True):
        seen: dict[object, int] = {}
        columns.append([seen.setdefault(value, len(seen)) for value in values])
    return np.asarray(columns, dtype=np.int64).T
