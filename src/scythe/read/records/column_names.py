"""Guess names for columns: described columns in reading order come in, one unique name for each goes out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from scythe.read.records.portrait import Column, Portrait
from scythe.read.records.recognise import ADDRESS, DATE, NUMBER, PRICE, RATING, TEXT
from scythe.read.records.typed import BUTTON, opening_state

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
