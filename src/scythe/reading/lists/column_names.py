"""Guess unique names for the columns of a list from their contents and markup."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from math import log2
from typing import NamedTuple

from scythe.package_files import packaged_words
from scythe.page.elements import Elements
from scythe.reading.attributes.values import BUTTON, opening_state
from scythe.reading.lists.candidates import Candidate
from scythe.reading.lists.value_kinds import ADDRESS, DATE, NUMBER, PRICE, RATING, TEXT, kind_of
from scythe.reading.text.block_features import split_names

_PATHS = 3  # of these whose elements are looked at
_NAMED_LEAVES = 4  # of an element whose names say what a text in it is; larger ones name the record
_CLIMBED = 5  # elements from a text upwards whose names count
_SAME = 0.8  # share of equal texts that makes a column constant
Cell = tuple[int, int, int]  # first leaf, one after the last, record

_HEADINGS = frozenset(f"h{level}" for level in range(1, 7))
_REMEMBERED = 2_048


class Portrait(NamedTuple):
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


class Column(NamedTuple):
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
    table = packaged_words("scythe.reading.lists", "tables/fields.txt")
    return {word: field for field, words in table.items() for word in words}


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


_BY_KIND = {DATE: "date", PRICE: "price", RATING: "rating", NUMBER: "number", ADDRESS: "link"}
_NAMED = ("date", "price", "author", "rating", "category", "tags", "comments", "views", "location")
_SURE = 0.6  # share of texts of one kind that names a column
_TITLE = 2.1  # a text of the right length in the first column has 2
_TITLE_SIZE = (3.0, 7.5)  # binary logarithm of characters: 7 to 180
_LONG = 6.5  # 90 characters: nobody signs so
_SEEN = 8  # texts of a column that are looked at
_STOCK_SIZE = 5.4  # 40 characters: "in stock, ready to ship in two days"
_NAME_CHARS = 30
_NAME_WORDS = 3
_DIGITS = re.compile(r"(?<![^\W_])\d[\d.,]{0,20}(?![^\W_])")  # whole numbers: e0.org and e1.org share no word
_LETTERS = re.compile(r"[^\W\d_]{1,30}")
_BY = frozenset("by von par por de da di af av od przez door yazan oleh szerző автор от author autor auteur".split())


def name_columns(columns: list[Column], records: int) -> tuple[str, ...]:
    """Return a name for each column: title, date, price, author, rating, text, ..., or what its label says."""
    title = _find_title(columns, records)
    names, label = [], ""
    for place, column in enumerate(columns):
        name = "title" if place == title else _name(column, label)
        label = column.portrait.said
        names.append(name)
    return make_unique(names)


def make_unique(names: Iterable[str]) -> tuple[str, ...]:
    """Number names that were given before: text, text_2, text_3."""
    seen: Counter[str] = Counter()
    taken: set[str] = set()
    unique = []
    for name in names:
        seen[name] += 1
        given = name if seen[name] == 1 else f"{name}_{seen[name]}"
        while given in taken:
            seen[name] += 1
            given = f"{name}_{seen[name]}"
        taken.add(given)
        unique.append(given)
    return tuple(unique)


def _find_title(columns: list[Column], records: int) -> int | None:
    """Return the place of the column that best tells the records apart as a title does."""
    scores = [_title_score(column, place, records) for place, column in enumerate(columns)]
    best = max(range(len(scores)), key=scores.__getitem__, default=0)
    if scores and scores[best] >= _TITLE:
        return best
    texts = [
        place
        for place, column in enumerate(columns)
        if column.portrait.kind == TEXT and not column.portrait.said and not _says_stock(column)
    ]
    typed = any(column.portrait.kind in (DATE, PRICE, RATING) for column in columns)
    return texts[0] if len(texts) == 1 and typed else None  # the only text beside a price is what it is the price of


def _title_score(column: Column, place: int, records: int) -> float:
    portrait = column.portrait
    if portrait.kind != TEXT or portrait.said:
        return 0.0
    score = 2.0 * portrait.heading + 1.5 * portrait.link
    score += 1.5 if "title" in portrait.fields else -1.5 * bool(portrait.fields - {"text"})
    score += 0.7 if portrait.tag in ("b", "strong", "dt", "th", "caption") else 0.0
    score += 1.0 if _TITLE_SIZE[0] <= portrait.size <= _TITLE_SIZE[1] else -1.5
    different = len(set(column.texts)) / len(column.texts)
    return (score + 1.0 - 0.1 * min(place, 10)) * min(1.0, len(column.cells) / records) * different


def _name(column: Column, label: str) -> str:
    portrait = column.portrait
    if _says_stock(column):
        return "availability"
    if portrait.said:
        return _name_constant(portrait)
    if portrait.kind in _BY_KIND and portrait.sure >= _SURE:
        return _name_value(portrait, label)
    if shared := _shared_words(column):
        return shared
    if portrait.tag == "time" and portrait.size <= _LONG:
        return "date"
    for name in _NAMED:
        if (
            name in portrait.fields
            and portrait.size <= _LONG
            and (name not in ("date", "price") or portrait.kind != TEXT)
        ):
            return name
    if label.strip(" :|,").lower() in _BY and portrait.size <= _LONG:
        return "author"
    return (_slug(label) if label.endswith((":", "：")) else "") or "text"


def _name_constant(portrait: Portrait) -> str:
    if portrait.kind != TEXT:
        return _BY_KIND.get(portrait.kind, "sign")
    if portrait.link:
        return "link"
    return "label" if portrait.said.endswith((":", "：")) else _slug(portrait.said) or "label"


def _name_value(portrait: Portrait, label: str) -> str:
    """Name a column of dates, prices or numbers by its kind, numbers by their label or class where they have any."""
    if portrait.kind == NUMBER:
        said = next((name for name in ("price", "rating", "comments", "views") if name in portrait.fields), "")
        return said or (_slug(label) if label.endswith((":", "：")) else "") or "number"
    return _BY_KIND[portrait.kind]


def _says_stock(column: Column) -> bool:
    """Say whether most texts tell if something can be had, not only by what buttons say: `In stock`, `Sold out`."""
    texts = column.texts
    if column.portrait.kind != TEXT or column.portrait.size > _STOCK_SIZE or len(texts) < 2:
        return False
    if not opening_state(texts[0].lower()) and not opening_state(texts[-1].lower()):
        return False
    states = [opening_state(text.lower()) for text in texts]
    return states.count("") <= (1.0 - _SURE) * len(states) and not {"", BUTTON}.issuperset(states)


def _shared_words(column: Column) -> str:
    """Return the words of texts that differ only in numbers: `12 comments` gives comments."""
    texts = column.texts[:_SEEN]
    if len(texts) < 2 or not any(map(str.isdigit, texts[0])):
        return ""
    bare = {_DIGITS.sub("", text).strip(" ()[]:|") for text in texts}
    return _slug(bare.pop()) if len(bare) == 1 else ""


def _slug(text: str) -> str:
    """Return a short text as a name: lower case, words joined by underscores, "" where it has no letters."""
    words = _LETTERS.findall(text[: 2 * _NAME_CHARS].lower())
    return "_".join(words) if len(words) <= _NAME_WORDS and len(text) <= _NAME_CHARS else ""
