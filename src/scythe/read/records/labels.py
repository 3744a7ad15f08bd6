"""Label the elements of a page: its elements come in, integer columns that say which are alike go out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from scythe.page.elements import Elements

IntArray = NDArray[np.int64]

CLASS_WORDS = 12  # looked at in one class attribute; frameworks of one-purpose classes write some 30
_DIGITS = re.compile(r"[0-9]+")
# what tells one record of a list from the next, not lists from other things
_STATES = frozenset(
    "odd even first last active current selected alt alternate alternative middle open closed hidden visible show "
    "hide collapsed expanded is-active is-first is-last is-selected is-current new sticky featured clear clearfix "
    "left right item-odd item-even row-odd row-even views-row-odd views-row-even views-row-first views-row-last "
    "lazy lazyload lazyloaded hover disabled enabled unread read hot end start final".split()
)


@dataclass(frozen=True, slots=True)
class Labels:
    """One number per row for each strictness: rows with the same number are alike."""

    tag: IntArray
    first: IntArray  # tag and first class
    exact: IntArray  # tag and all classes
    word_row: IntArray  # one entry per row and class word: the row ...
    word: IntArray  # ... and the word


@lru_cache(maxsize=20_000)
def class_words(classes: str) -> tuple[str, ...]:
    """Return the words of a class attribute without numbers and without words for the state of one record."""
    words = _DIGITS.sub("#", classes[:1_000].lower()).split()[:CLASS_WORDS]
    return tuple(dict.fromkeys(word for word in words if word not in _STATES))


def label(elements: Elements) -> Labels:
    """Number the tags and classes of a page. Linear in the number of elements."""
    ids: dict[tuple[str, str], int] = {}
    pairs = [ids.setdefault(pair, len(ids)) for pair in zip(elements.tag, elements.classes, strict=True)]
    tags: dict[object, int] = {}
    firsts: dict[object, int] = {}
    exacts: dict[object, int] = {}
    names: dict[str, int] = {}
    columns: list[tuple[int, int, int]] = []
    words: list[list[int]] = []
    for tag, classes in ids:
        of = class_words(classes) if classes else ()
        columns.append(
            (
                tags.setdefault(tag, len(tags)),
                firsts.setdefault((tag, of[:1]), len(firsts)),
                exacts.setdefault((tag, frozenset(of)), len(exacts)),
            )
        )
        words.append([names.setdefault(word, len(names)) for word in of])
    pair = np.array(pairs, dtype=np.int64)
    table = np.array(columns, dtype=np.int64)[pair]
    word_row, word = _spread(pair, words)
    return Labels(table[:, 0], table[:, 1], table[:, 2], word_row, word)


def _spread(pair: IntArray, words: list[list[int]]) -> tuple[IntArray, IntArray]:
    """List the words of every row, where the words of every kind of row are given."""
    counts = np.array([len(of) for of in words], dtype=np.int64)
    starts = np.cumsum(counts) - counts
    flat = np.array([word for of in words for word in of], dtype=np.int64)
    per_row = counts[pair]
    rows = np.repeat(np.arange(len(pair), dtype=np.int64), per_row)
    within = np.arange(len(rows), dtype=np.int64) - np.repeat(np.cumsum(per_row) - per_row, per_row)
    return rows, flat[np.repeat(starts[pair], per_row) + within]
