"""Measure the leaves and elements of a page: its columns come in, running sums that answer for any range go out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from scythe.page.elements import Elements
from scythe.read.records.words import roles, roles_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Hashes = NDArray[np.uint64]

HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
LEAF_TRAITS = (
    "one chars words link heading hidden bold digit date price sentence short long quantity measure repeated colon "
    "comma score"
).split()
TAG_TRAITS = {
    "a": ("a",), "img": ("img", "amp-img", "picture", "figure"), "heading": tuple(sorted(HEADINGS)), "p": ("p",),
    "li": ("li",), "cell": ("tr", "td", "th"), "time": ("time",), "button": ("button", "form", "label"),
    "inline": ("span", "b", "strong", "em", "i", "small"), "div": ("div", "section", "article"),
}  # fmt: skip
ABOVE_TAGS = "nav header footer aside main article form table ul li p".split()

_DATE = re.compile(
    r"\b(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\d{1,2}:\d{2}|(?:19|20)\d{2})\b"
    r"|\b\d{1,2}(?:st|nd|rd|th|\.)? ?(?:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[czk])"
    r"|\b(?:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[czk])[a-zä]{0,8}\.? ?\d{1,2}\b"
    r"|\b\d{1,3} ?(?:min|hour|day|week|month|year|stund|tag|woche|jahr|heure|jour|hora|d[ií]a|ago|hari|minggu)"
    r"|\d{1,2}[年月日時]",
    re.IGNORECASE,
)
_PRICE = re.compile(
    r"[€$£¥₹₽₺]|\b(?:eur|usd|gbp|chf|pln|czk|sek|nok|dkk|rub|inr|aud|cad)\b|\d ?(?:zł|kr|kč|ft|lei|руб|元|円)\b",
    re.IGNORECASE,
)
_READ_CHARS = 300  # of a leaf: a date or a price stands near its beginning, or the leaf is running text
_ENDS = (".", "!", "?", "…", "。", "！", "？", '."', ".”", "»", "[…]")


@dataclass(frozen=True, slots=True)
class Traits:
    """Running sums over leaves and rows of one page: what lies in a range is a difference of two rows."""

    leaves: Floats  # one row more than leaves, one column per LEAF_TRAITS
    tags: Floats  # one row more than elements, one column per TAG_TRAITS
    roles: Floats  # one row more than elements, one column per role
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
    above_roles, above_tags, leaf_above = _look_up(elements)
    texts = dict[str, int]()
    leaf_text = np.array([texts.setdefault(text, len(texts)) for text in elements.text], dtype=np.int64)
    leaves = _leaf_traits(elements, texts, leaf_text, leaf_above)
    if scores is not None and len(scores) == len(leaves):
        leaves[:, LEAF_TRAITS.index("score")] = scores * leaves[:, LEAF_TRAITS.index("chars")]
    own = np.array([roles_of(names) if names else 0 for names in elements.names], dtype=np.int64)
    link_rows = np.array(list(elements.href), dtype=np.int64)
    targets = dict[str, int]()
    link_target = np.array([targets.setdefault(href, len(targets)) for href in elements.href.values()], dtype=np.int64)
    heading_leaves = np.flatnonzero(leaves[:, LEAF_TRAITS.index("heading")] > 0)
    return Traits(
        leaves=_running(leaves),
        tags=_running(_tag_traits(elements)),
        roles=_running(own[:, None] >> np.arange(len(roles())) & 1),
        text_hash=_running_hash(leaf_text),
        tag_hash=_running_hash(_numbers(elements.tag)),
        class_hash=_running_hash(_numbers([f"{t} {c}" for t, c in zip(elements.tag, elements.classes, strict=True)])),
        leaf_text=leaf_text,
        own_roles=own,
        above_roles=above_roles,
        above_tags=above_tags,
        link_rows=link_rows,
        link_target=link_target,
        heading_leaves=heading_leaves,
        heading_roles=np.array([roles_of(elements.text[leaf]) for leaf in heading_leaves], dtype=np.int64),
    )


_LINK, _HEADING, _HIDDEN, _BOLD = 1, 2, 4, 8


def _look_up(elements: Elements) -> tuple[Ints, Ints, Ints]:
    """Return per row what it and all above it say: roles, tags, and whether its text is a link, a heading or hidden."""
    tag_bits = {tag: 1 << bit for bit, tag in enumerate(ABOVE_TAGS)}
    text_bits = dict.fromkeys(HEADINGS, _HEADING) | dict.fromkeys(("b", "strong"), _BOLD)
    above_roles, above_tags, above_text = list[int](), list[int](), list[int]()
    rows = zip(elements.parent, elements.tag, elements.names, elements.hidden, strict=True)
    for row, (parent, tag, names, hidden) in enumerate(rows):
        text = (
            text_bits.get(tag, 0) | (_HIDDEN if hidden else 0) | (_LINK if tag == "a" and row in elements.href else 0)
        )
        role = roles_of(names) if names and row > 1 else 0
        if parent >= 0:
            role, text = role | above_roles[parent], text | above_text[parent]
        above_tags.append(tag_bits.get(tag, 0) | (above_tags[parent] if parent >= 0 else 0))
        above_roles.append(role if tag != "body" else 0)  # a body's class names everything on the site
        above_text.append(text)
    as_ints = [np.array(column, dtype=np.int64) for column in (above_roles, above_tags, above_text)]
    return as_ints[0], as_ints[1], as_ints[2]


def _leaf_traits(elements: Elements, texts: dict[str, int], leaf_text: Ints, above: Ints) -> Floats:
    """Return one row of numbers per leaf; equal texts are read once."""
    read = np.array([_read(text) for text in texts], dtype=np.float64).reshape(-1, _READ_COUNT)[leaf_text]
    chars, words = read[:, 0], read[:, 1]
    marks = above[np.array(elements.leaf_row, dtype=np.int64)]
    uses = np.bincount(leaf_text, minlength=len(texts))[leaf_text]
    columns = {
        "one": np.ones(len(chars)), "chars": chars, "words": words,
        "link": chars * (marks & _LINK > 0), "heading": chars * (marks & _HEADING > 0),
        "hidden": chars * (marks & _HIDDEN > 0), "bold": chars * (marks & _BOLD > 0),
        "digit": read[:, 2], "date": read[:, 3], "price": read[:, 4], "sentence": read[:, 5],
        "short": words <= 3, "long": words >= 12, "quantity": read[:, 6], "measure": read[:, 7],
        "repeated": uses > 1, "colon": read[:, 8], "comma": read[:, 9], "score": np.zeros(len(chars)),
    }  # fmt: skip
    return np.stack([columns[name] for name in LEAF_TRAITS], axis=1).astype(np.float64)


_READ_COUNT = 10


@lru_cache(maxsize=1)
def _measures() -> frozenset[str]:
    text = resources.files("scythe.read.records").joinpath("tables/measures.txt").read_text("utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())


_QUANTITY = frozenset("0123456789½¼¾⅓⅔⅛⅜⅝⅞")


def _read(text: str) -> tuple[float, ...]:
    """Return what one text is made of."""
    words = text.count(" ") + 1
    start = text[:_READ_CHARS]
    digit = not _QUANTITY.isdisjoint(start)
    sentence = words >= 5 and text.endswith(_ENDS)
    measured = words <= 30 and not _measures().isdisjoint(start.lower().replace(".", " ").split())
    date = digit and _DATE.search(start) is not None
    price = words <= 12 and _PRICE.search(start) is not None
    return (
        len(text), words, digit, date, price, sentence, start[0] in _QUANTITY, measured, text.endswith(":"),
        min(text.count(","), 10),
    )  # fmt: skip


def _tag_traits(elements: Elements) -> Floats:
    """Return one row of zeros and ones per element."""
    kind = {tag: column for column, tags in enumerate(TAG_TRAITS.values()) for tag in tags}
    codes = np.array([kind.get(tag, -1) for tag in elements.tag], dtype=np.int64)
    found: Floats = (codes[:, None] == np.arange(len(TAG_TRAITS))).astype(np.float64)
    return found


def _numbers(values: list[str]) -> Ints:
    known = dict[str, int]()
    return np.array([known.setdefault(value, len(known)) for value in values], dtype=np.int64)


def _running(values: NDArray[np.generic]) -> Floats:
    sums = np.zeros((len(values) + 1, values.shape[1]))
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
