"""Score records and attributes against what a page lists: found and true ones of one page come in, counts go out."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from scythe.demo.scoring import Counts

SAME_RECORD = 0.6  # F1 of the words from which a found record counts as a true one
_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d[\d.,\s]{0,40}")
_CENTS = re.compile(r"[.,](\d{1,2})$")
_NO_NAME = re.compile(r"[^a-z0-9]+")
_CODES = frozenset({"isbn_13", "gtin", "sku", "phone"})  # compared without spaces
Rows = Sequence[Sequence[str]]  # records of texts


def fold(text: str) -> str:
    """Return the words of a text, lower case, with single spaces."""
    return " ".join(_WORD.findall(text.lower()))


def match_records(found: Rows, true: Rows) -> list[tuple[int, int]]:
    """Pair found with true records one to one by their words, the most alike first."""
    bags = [_bag(record) for record in found]
    wanted = [_bag(record) for record in true]
    holders: dict[str, list[int]] = defaultdict(list)
    for number, bag in enumerate(wanted):
        for word in bag:
            holders[word].append(number)
    telling = max(5, len(true) // 2)  # a word of more records than that tells none apart
    alike: list[tuple[float, int, int]] = []
    for number, bag in enumerate(bags):
        shared = Counter(other for word in bag if len(holders[word]) <= telling for other in holders[word])
        others = [other for other, _ in shared.most_common(8)] or range(min(len(true), 40))
        alike += [(same, number, other) for other in others if (same := _bag_f1(bag, wanted[other])) >= SAME_RECORD]
    pairs: list[tuple[int, int]] = []
    taken: tuple[set[int], set[int]] = (set(), set())
    for _, number, other in sorted(alike, reverse=True):
        if number not in taken[0] and other not in taken[1]:
            taken[0].add(number)
            taken[1].add(other)
            pairs.append((number, other))
    return pairs


def count_records(found: Rows, true: Rows) -> Counts:
    """Count the records that were found, too many, and missed."""
    hits = len(match_records(found, true))
    return Counts(hits, len(found) - hits, len(true) - hits)


def title_column(found: Rows, pairs: Sequence[tuple[int, int]], titles: Sequence[str]) -> float | None:
    """Return the share of matched records whose title is in the column where most titles are; None without any."""
    if not pairs:
        return None
    columns: Counter[int] = Counter()
    for number, other in pairs:
        title = fold(titles[other])
        columns.update(place for place, text in enumerate(found[number]) if _is_title(fold(text), title))
    return max(columns.values(), default=0) / len(pairs)


def _is_title(text: str, title: str) -> bool:
    if not text or not title:
        return False
    longer = title in text and len(text) < 1.6 * len(title)
    return text == title or longer or (text in title and len(text) > 0.6 * len(title))


def _bag(record: Sequence[str]) -> Counter[str]:
    return Counter(_WORD.findall(" ".join(text for text in record if text).lower()))


def _bag_f1(one: Counter[str], other: Counter[str]) -> float:
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 0.0


def count_attributes(pairs: Sequence[tuple[str, str]], gold: Mapping[str, Sequence[str]]) -> dict[str, Counts]:
    """Count for each true attribute whether the first pair of that name has one of its values.

    A wrong value is one too many and one missed; an attribute without values on this page can only be one too many.
    """
    names = [_NO_NAME.sub(" ", name.lower()).strip() for name, _ in pairs]
    counts: dict[str, Counts] = {}
    for attribute, values in gold.items():
        accepted = attribute_names().get(attribute, frozenset({attribute}))
        said = next((value for name, (_, value) in zip(names, pairs, strict=True) if name in accepted), None)
        right = said is not None and any(_is_same(attribute, said, value) for value in values)
        counts[attribute] = Counts(int(right), int(said is not None and not right), int(bool(values) and not right))
    return counts


@cache
def attribute_names() -> dict[str, frozenset[str]]:
    """Return for each attribute of the page sets the names it may have."""
    table = files("bench").joinpath("tables/attribute_names.txt").read_text("utf-8")
    rows = (line.partition(": ") for line in table.splitlines() if line and not line.startswith("#"))
    return {attribute: frozenset(names.split(", ")) for attribute, _, names in rows}


def _is_same(attribute: str, said: str, true: str) -> bool:
    if attribute == "price":
        return _price(said) is not None and _price(said) == _price(true)
    one, other = fold(said), fold(true)
    if attribute in _CODES:
        one, other = one.replace(" ", ""), other.replace(" ", "")
    return bool(one) and one == other


def _price(text: str) -> float | None:
    number = _NUMBER.search(text)
    if number is None:
        return None
    digits = "".join(number[0].split()).rstrip(".,")
    cents = _CENTS.search(digits)
    whole = digits[: cents.start()] if cents else digits
    value = whole.replace(".", "").replace(",", "") + (f".{cents[1]}" if cents else "")
    return round(float(value or 0), 2)
