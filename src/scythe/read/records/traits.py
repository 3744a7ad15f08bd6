"""Measure the leaves and elements of a page: its columns come in, running sums that answer for any range go out."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from scythe.page.elements import Elements
from scythe.read.records.ranges import Floats, Ints
from scythe.read.records.texts import TEXT_TRAITS, read_texts
from scythe.read.records.words import roles, roles_of

Hashes = NDArray[np.uint64]
T = TypeVar("T", bound=Hashable)
Number = TypeVar("Number", np.float64, np.int32)

LEAF_TRAITS = (*TEXT_TRAITS, "one", "link", "heading", "hidden", "bold", "short", "long", "repeated", "score")
TAG_TRAITS = {
    "a": ("a",),
    "img": ("img", "amp-img", "picture", "figure"),
    "heading": ("h1", "h2", "h3", "h4", "h5", "h6"),
    "p": ("p",),
    "li": ("li",),
    "cell": ("tr", "td", "th"),
    "time": ("time",),
    "button": ("button", "form", "label"),
    "inline": ("span", "b", "strong", "em", "i", "small"),
    "div": ("div", "section", "article"),
}
ABOVE_TAGS = ("nav", "header", "footer", "aside", "main", "article", "form", "table", "ul", "li", "p")
_LINK, _HEADING, _HIDDEN, _BOLD = (1 << bit for bit in range(4))
_TAG_SHIFT, _ROLE_SHIFT = 4, 4 + len(ABOVE_TAGS)


@dataclass(frozen=True, slots=True)
class Traits:
    """Running sums over leaves and rows of one page: what lies in a range is a difference of two rows."""

    leaves: Floats  # one row more than leaves, one column per LEAF_TRAITS
    tags: Floats  # one row more than elements, one column per TAG_TRAITS
    roles: NDArray[np.int32]  # one row more than elements, one column per role
    text_hash: Hashes  # of the texts of leaves
    tag_hash: Hashes  # of the tags of elements
    class_hash: Hashes  # of tags and classes of elements
    leaf_text: Ints  # which text a leaf holds: equal texts have equal numbers
    own_roles: Ints  # bits, per row
    above_roles: Ints  # bits of the row and everything above it
    above_tags: Ints  # bits of ABOVE_TAGS, of the row and everything above it
    link_rows: Ints  # rows of links, ascending
    link_target: Ints  # which address each links to: equal addresses have equal numbers
    heading_leaves: Ints  # leaves inside headings, ascending
    heading_roles: Ints  # what the words of those headings say, as bits


def measure(elements: Elements, scores: Floats | None = None) -> Traits:
    """Measure a page; `scores` says of each leaf how likely it is main text, where that is known."""
    own, above = _look_up(elements)
    leaf_text, distinct = _number(elements.text)
    leaves = _leaf_traits(elements, distinct, leaf_text, above)
    if scores is not None and len(scores) == len(leaves):
        leaves[:, LEAF_TRAITS.index("score")] = scores * leaves[:, LEAF_TRAITS.index("chars")]
    heading_leaves = np.flatnonzero(leaves[:, LEAF_TRAITS.index("heading")] > 0)
    return Traits(
        leaves=_running(leaves, np.float64),
        tags=_running(_tag_traits(elements), np.float64),
        roles=_running(bits_of(own, len(roles())), np.int32),
        text_hash=_running_hash(leaf_text),
        tag_hash=_running_hash(_number(elements.tag)[0]),
        class_hash=_running_hash(_number(zip(elements.tag, elements.classes, strict=True))[0]),
        leaf_text=leaf_text,
        own_roles=own,
        above_roles=above >> _ROLE_SHIFT,
        above_tags=above >> _TAG_SHIFT & (1 << len(ABOVE_TAGS)) - 1,
        link_rows=np.fromiter(elements.href, dtype=np.int64, count=len(elements.href)),
        link_target=_number(elements.href.values())[0],
        heading_leaves=heading_leaves,
        heading_roles=np.array([roles_of(elements.text[leaf]) for leaf in heading_leaves], dtype=np.int64),
    )


def _look_up(elements: Elements) -> tuple[Ints, Ints]:
    """Return per row its own roles, and what it and all above it say: text marks, tags and roles as bits."""
    marks = dict.fromkeys(TAG_TRAITS["heading"], _HEADING) | dict.fromkeys(("b", "strong"), _BOLD)
    for bit, tag in enumerate(ABOVE_TAGS, _TAG_SHIFT):
        marks[tag] = marks.get(tag, 0) | 1 << bit
    means = {names: roles_of(names) for names in set(elements.names)}
    own = np.array([means[names] for names in elements.names], dtype=np.int64)
    said = own.copy()
    said[:2] = 0  # classes of html and body name everything on the site
    if len(elements) > 2 and "body" in elements.tag[2:4]:
        said[elements.tag.index("body")] = 0
    said <<= _ROLE_SHIFT
    said |= np.array([marks.get(tag, 0) for tag in elements.tag], dtype=np.int64)
    said[np.array(elements.hidden, dtype=np.bool_)] |= _HIDDEN
    said[np.fromiter(elements.href, dtype=np.int64, count=len(elements.href))] |= _LINK
    above: list[int] = []
    for parent, bits in zip(elements.parent, said.tolist(), strict=True):
        above.append(bits | above[parent] if parent >= 0 else bits)
    return own, np.array(above, dtype=np.int64)


def _leaf_traits(elements: Elements, distinct: list[str], leaf_text: Ints, above: Ints) -> Floats:
    """Return one row of numbers per leaf; equal texts are read once."""
    read = np.array(read_texts(distinct), dtype=np.float64).reshape(-1, len(TEXT_TRAITS))[leaf_text]
    chars, words = read[:, 0], read[:, 1]
    marks = above[np.array(elements.leaf_row, dtype=np.int64)]
    uses = np.bincount(leaf_text, minlength=len(distinct))[leaf_text]
    rest = np.empty((len(read), len(LEAF_TRAITS) - len(TEXT_TRAITS)))
    rest[:, 0] = 1.0
    for column, mark in enumerate((_LINK, _HEADING, _HIDDEN, _BOLD), 1):
        rest[:, column] = chars * (marks & mark > 0)
    rest[:, 5] = words <= 3
    rest[:, 6] = words >= 12
    rest[:, 7] = uses > 1
    rest[:, 8] = 0.0
    return np.concatenate([read, rest], axis=1)


def _tag_traits(elements: Elements) -> Floats:
    """Return one row of zeros and ones per element."""
    kind = {tag: column for column, tags in enumerate(TAG_TRAITS.values()) for tag in tags}
    codes = np.array([kind.get(tag, -1) for tag in elements.tag], dtype=np.int64)
    found: Floats = (codes[:, None] == np.arange(len(TAG_TRAITS))).astype(np.float64)
    return found


def _number(values: Iterable[T]) -> tuple[Ints, list[T]]:
    """Give equal values equal numbers, from 0 in order of first use; return the numbers and the distinct values."""
    known: dict[T, int] = {}
    numbers = np.array([known.setdefault(value, len(known)) for value in values], dtype=np.int64)
    return numbers, list(known)


def bits_of(flags: Ints, count: int) -> NDArray[np.bool_]:
    """Return one column per bit, lowest first."""
    octets = flags.astype("<i8").view(np.uint8).reshape(-1, 8)
    return np.unpackbits(octets, axis=1, count=count, bitorder="little").view(np.bool_)


def _running(values: NDArray[np.generic], kind: type[Number]) -> NDArray[Number]:
    sums = np.zeros((len(values) + 1, values.shape[1]), dtype=kind)
    np.cumsum(values, axis=0, out=sums[1:])
    return sums


def _running_hash(numbers: Ints) -> Hashes:
    """Return running sums of scattered numbers: ranges with the same members have the same difference."""
    mixed = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(32)
    sums = np.zeros(len(numbers) + 1, dtype=np.uint64)
    np.cumsum(mixed, out=sums[1:])
    return sums
