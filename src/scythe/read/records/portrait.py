"""Describe a column of texts: its cells and texts come in, what they are and where they stand goes out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from itertools import pairwise
from math import log2

from scythe.page.elements import Elements
from scythe.read.records.candidate import Candidate
from scythe.read.records.recognise import TEXT, kind_of
from scythe.read.text.names import split_names

_SEEN = 8  # cells of a column that are looked at, spread evenly
_PATHS = 3  # of these whose elements are looked at
_NAMED_LEAVES = 4  # of an element whose names say what a text in it is; larger ones name the record
_CLIMBED = 5  # elements from a text upwards whose names count
_SAME = 0.8  # share of equal texts that makes a column constant
Cell = tuple[int, int, int]  # first leaf, one after the last, record

_HEADINGS = frozenset(f"h{level}" for level in range(1, 7))
_REMEMBERED = 2_048


@dataclass(frozen=True, slots=True)
class Portrait:
    """What the cells of a column have in common."""

    kind: int  # of most texts
    sure: float  # share of the texts that are of this kind
    size: float  # mean binary logarithm of the number of characters
    link: bool  # most texts are inside a link
    heading: bool  # most texts are inside a heading
    tag: str  # of the element around the first text
    words: frozenset[str]  # of class, id and itemprop around the first text
    fields: frozenset[str]  # what these words name
    said: str  # what nearly all texts say, "" where they differ


@dataclass(frozen=True, slots=True)
class Column:
    """Cells that say the same kind of thing, page order, with their texts; a record may have several."""

    cells: list[Cell]
    texts: list[str]
    portrait: Portrait

    def joined(self, columns: list[Column]) -> Column:
        """Return this column with the cells of several, page order."""
        if columns == [self]:
            return self
        pairs = sorted(pair for column in columns for pair in zip(column.cells, column.texts, strict=True))
        return Column([cell for cell, _ in pairs], [text for _, text in pairs], self.portrait)


def draw(elements: Elements, cells: list[Cell], candidate: Candidate) -> Column:
    """Describe a column by some of its cells."""
    text = elements.text
    texts = [text[start] if end - start == 1 else " ".join(text[start:end]) for start, end, _ in cells]
    seen = range(0, len(cells), max(1, len(cells) // _SEEN))
    shown = [texts[i] for i in seen]
    kinds = [kind_of(one) for one in shown]
    kind = kinds[0] if kinds.count(kinds[0]) == len(kinds) else max(kinds, key=kinds.count)
    first, tops, tags = _climb(elements, cells[0][0], candidate.rows[cells[0][2]][0]), candidate.rows, elements.tag
    links = headings = 0
    for i in seen[:_PATHS]:
        path = [tags[row] for row in (_climb(elements, cells[i][0], tops[cells[i][2]][0]) if i else first)]
        links += "a" in path
        headings += not _HEADINGS.isdisjoint(path)
    starts, lasts = elements.leaf_start, elements.leaf_end
    names = [elements.names[row] for row in first if lasts[row] - starts[row] <= _NAMED_LEAVES]
    portrait = Portrait(
        kind,
        kinds.count(kind) / len(shown),
        sum([log2(1 + len(one)) for one in shown]) / len(shown),
        links * 2 > min(len(seen), _PATHS),
        headings * 2 > min(len(seen), _PATHS),
        tags[first[0]],
        _words_of(names[0] if names else "") | _words_of(names[1] if len(names) > 1 else ""),
        fields_of(names),
        _said(shown),
    )
    return Column(cells, texts, portrait)


def _said(texts: list[str]) -> str:
    """Return what nearly all texts say."""
    if len(texts) < 2 or len(set(texts)) == len(texts):
        return ""
    said = max(texts, key=texts.count)
    return said if texts.count(said) >= _SAME * len(texts) else ""


def _climb(elements: Elements, leaf: int, top: int) -> list[int]:
    """Return the elements around a text, innermost first, up to the one that the record begins with."""
    parents, row = elements.parent, elements.leaf_row[leaf]
    above = [row]
    while row > top and len(above) < _CLIMBED:
        row = parents[row]
        if row >= top:
            above.append(row)
    return above


@lru_cache(maxsize=_REMEMBERED)
def _words_of(names: str) -> frozenset[str]:
    return frozenset(split_names(names))


def fields_of(names: Iterable[str]) -> frozenset[str]:
    """Return the fields that attribute texts name, those of the innermost element that names any."""
    for name in names:
        if name and (found := _fields_of(name)):
            return found
    return frozenset()


@lru_cache(maxsize=_REMEMBERED)
def _fields_of(names: str) -> frozenset[str]:
    table, words = _table(), split_names(names)
    joined = [one + other for one, other in pairwise(words)]
    return frozenset(table[word] for word in (*words, *joined) if word in table)


@lru_cache(maxsize=1)
def _table() -> dict[str, str]:
    found = {}
    text = resources.files("scythe.read.records").joinpath("tables/fields.txt").read_text("utf-8")
    for line in text.splitlines():
        field, colon, words = line.partition(": ")
        if colon and not line.startswith("#"):
            found.update(dict.fromkeys(words.split(), field))
    return found


def likeness(one: Portrait, other: Portrait) -> float:
    """Say how likely two columns hold the same field in records of two makes: above 2 they may."""
    if one.kind != other.kind or bool(one.said) != bool(other.said) or (one.said and one.said != other.said):
        return 0.0
    if one.said:
        return 3.0
    score = 1.0 if one.kind != TEXT else 0.0
    if one.fields and other.fields:
        score += 2.0 if one.fields & other.fields else -2.0
    if one.heading or other.heading:
        score += 2.0 if one.heading and other.heading else -0.5
    score += 0.5 if one.link == other.link else -0.5
    score += 0.5 if one.tag == other.tag else 0.0
    shared = len(one.words & other.words)
    score += shared / len(one.words | other.words) if shared else 0.0
    return score + 1.0 - abs(one.size - other.size)
