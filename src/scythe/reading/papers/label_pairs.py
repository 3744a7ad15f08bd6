"""Pair labels with values once the area of the attributes is known; shared by the published attribute methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scythe.page.blocks import BOX, KIND
from scythe.page.elements import Elements
from scythe.reading.attributes.dictionary import Dictionary

Pairs = tuple[tuple[str, str], ...]

VALUE_CHARS = 300  # longer is prose; the longest gold value among 30 attributes of 40 sites has 203
VALUE_LEAVES = 40  # looked at behind one label
CLIMBS = 3  # from the element of a label to the one that also holds its value: td in tr, span in div in li
LABEL_WORDS = 6
LABEL_CHARS = 40  # of a label that neither the dictionary nor a delimiter in the same leaf vouches for
PAIRS = 2_000  # of one page; specification tables have up to some hundred rows
_SEPARATORS = frozenset(", ; | / · • - – — & and und et y e en i och".split())


@dataclass(frozen=True, slots=True)
class PairLabel:
    """A leaf that names an attribute; `rest` is what stands behind the delimiter in the same leaf."""

    leaf: int
    name: str
    rest: str = ""
    marked: bool = True  # by a delimiter; else it is only a word that names attributes


@dataclass(frozen=True, slots=True)
class _LabelledPage:
    """What ends a value besides the element that it stands in."""

    elements: Elements
    labels: frozenset[int]  # leaves that are labels and nothing else
    breaks: frozenset[int]  # leaves with a line break just before them
    delimiters: str


def find_labels(elements: Elements, first: int, end: int, dictionary: Dictionary) -> list[PairLabel]:
    """Return the labels among leaves first:end: text before a delimiter, and dictionary names outside links."""
    found = []
    for leaf in range(first, end):
        text = elements.text[leaf]
        pair = dictionary.split_pair(text)
        if pair is not None:
            if len(pair[0].split()) <= LABEL_WORDS:
                found.append(PairLabel(leaf, *pair))
            continue
        marked = leaf + 1 < end and elements.text[leaf + 1][0] in dictionary.delimiters
        if marked and len(text) <= LABEL_CHARS and len(text.split()) <= LABEL_WORDS:
            found.append(PairLabel(leaf, text))
        elif dictionary.concept_of(text) and not in_link(elements, leaf):
            found.append(PairLabel(leaf, text, marked=False))
    return found


def pair_labels(elements: Elements, labels: Sequence[PairLabel], dictionary: Dictionary) -> Pairs:
    """Give each label the value that stands in the same leaf, the next cell, or the rest of its line.

    A value of several links is several values. Labels without a value are left out, and no pair is given twice.
    """
    alone = frozenset(label.leaf for label in labels if not label.rest)
    breaks = frozenset(start for start, tag in zip(elements.leaf_start, elements.tag, strict=True) if tag == "br")
    sheet = _LabelledPage(elements, alone, breaks, dictionary.delimiters)
    pairs: dict[tuple[str, str], None] = {}
    for label in labels:
        for value in [label.rest] if label.rest else _values_after(sheet, label):
            if len(value) <= VALUE_CHARS and any(map(str.isalnum, value)):
                pairs[label.name.rstrip(dictionary.delimiters + " "), value] = None
        if len(pairs) >= PAIRS:
            break
    return tuple(pairs)[:PAIRS]


def in_link(elements: Elements, leaf: int) -> bool:
    """Tell whether a leaf stands in a link, at most three elements up."""
    row = elements.leaf_row[leaf]
    for _ in range(3):
        if row < 0 or elements.tag[row] == "a":
            return row >= 0
        row = elements.parent[row]
    return False


def _values_after(sheet: _LabelledPage, label: PairLabel) -> list[str]:
    texts = sheet.elements.text
    shown = [(leaf, texts[leaf].lstrip(sheet.delimiters + " ")) for leaf in _leaves_after(sheet, label)]
    shown = [(leaf, text) for leaf, text in shown if text and text.casefold() not in _SEPARATORS]
    linked = [text.rstrip(",;| ") for leaf, text in shown if in_link(sheet.elements, leaf)]
    if len(linked) > 1 and 2 * len(linked) >= len(shown):
        return linked
    return [" ".join(text for _, text in shown)] if shown else []


def _leaves_after(sheet: _LabelledPage, label: PairLabel) -> range:
    """Return the leaves of the box that follows a label, or of the line that goes on behind it."""
    elements, first = sheet.elements, label.leaf + 1
    scope = elements.leaf_row[label.leaf]
    for _ in range(CLIMBS):
        if elements.leaf_end[scope] > first or scope <= 0 or (elements.tag[scope] == "tr" and not label.marked):
            break  # the last cell of a head names the column below, not the next row
        scope = elements.parent[scope]
    end = min(elements.leaf_end[scope], first + VALUE_LEAVES)
    if first >= end or first in sheet.labels:
        return range(0)
    branch = _branch(elements, first, scope)
    if not label.marked and elements.tag[scope] == "tr" and _heads_columns(elements, scope, branch):
        return range(0)
    if _is_box(elements, branch):
        end = min(elements.leaf_end[branch], end)
        return range(first, next((leaf for leaf in range(first, end) if leaf in sheet.labels), end))
    return range(first, _line_end(sheet, first, end, scope))


def _line_end(sheet: _LabelledPage, first: int, end: int, scope: int) -> int:
    """Return the leaf after the line that begins with leaf `first`: a label, a line break or a box ends it."""
    for leaf in range(first + 1, end):
        if (
            leaf in sheet.labels
            or leaf in sheet.breaks
            or _is_box(sheet.elements, _branch(sheet.elements, leaf, scope))
        ):
            return leaf
    return end


def _heads_columns(elements: Elements, row: int, cell: int) -> bool:
    """Tell whether the row of a table names columns: what follows is a head as well, or there are three cells."""
    return cell < 0 or elements.tag[cell] == "th" or elements.leaf_end[cell] < elements.leaf_end[row]


def _branch(elements: Elements, leaf: int, scope: int) -> int:
    """Return the child of `scope` that holds a leaf, -1 where the leaf stands directly in it."""
    row, below = elements.leaf_row[leaf], -1
    while row != scope and row >= 0:
        row, below = elements.parent[row], row
    return below


def _is_box(elements: Elements, row: int) -> bool:
    return row >= 0 and KIND.get(elements.tag[row]) == BOX
