"""Find where a page states a value that reading reports of it: a title, an author, a date.

One page and a value come in; the elements and attributes that give this value go out, each under keys that tell it
apart from others and stay the same from page to page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from scythe.learn.sample import Sample
from scythe.page.dates import to_iso
from scythe.page.source import Opening

_NAMES = ("itemprop", "property", "name", "rel", "class", "id")
_DIGITS = re.compile(r"\d+")
_STATEMENTS = 60  # of one value on one page
_PART = 4  # letters of a heading that may be part of a title

Match = Callable[[str, str], float]


class Statement(NamedTuple):
    """A place that gives a value: what is taken there, how well it fits (1: exactly) and the text as it stands."""

    offset: int
    tag: str
    take: str
    attribute: str
    names: str  # itemprop, property, name, rel, class and id, digits folded
    fit: float
    text: str

    @property
    def keys(self) -> tuple[str, ...]:
        """Names under which the same place is looked for on other pages, the most telling first."""
        where = f"{self.tag} {self.take} {self.attribute}"
        return f"{where} {self.names}", where


def same_text(text: str, value: str) -> float:
    """Rate a text as a statement of a value: 1 when it is the value, less when it holds it."""
    if text == value:
        return 1.0
    if text.casefold() == value.casefold():
        return 0.9
    return 0.5 if value in text else 0.0


def same_title(text: str, value: str) -> float:
    """Rate a text as a statement of a title: headings leave out or add a word, and print other quotation marks."""
    fit = same_text(text, value)
    if fit == 1.0 or not value:
        return fit
    mine, wanted = _letters(text), _letters(value)
    if mine == wanted:
        return 0.95 if mine else 0.0
    if len(mine) >= _PART and mine in wanted and 2 * len(mine) >= len(wanted):
        return 0.8
    return fit


@lru_cache(maxsize=256)
def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def same_date(text: str, value: str) -> float:
    """Rate a text as a statement of a date: 1 when it says exactly this, less when only the day is the same."""
    if len(text) > 120 or not any(map(str.isdigit, text)):
        return 0.0
    found = to_iso(text)
    if found == value:
        return 1.0
    return 0.7 if found[:10] == value[:10] and found else 0.0


def find_statements(sample: Sample, values: Sequence[str], match: Match) -> list[Statement]:
    """Return the places of a page that give one of the values, in page order."""
    found: list[Statement] = []
    last = None
    for opening, take, attribute, text in sample.stated:
        if len(found) >= _STATEMENTS and opening is not last:
            break
        last = opening
        fit = max([match(text, value) for value in values])
        if fit:
            names = _names_of(opening)
            found.append(Statement(opening.offset, opening.name, take, attribute, names, fit, text))
    return found


def _names_of(opening: Opening) -> str:
    attributes = opening.node.attributes
    return " ".join(f"{key}={_DIGITS.sub('#', attributes[key] or '')}" for key in _NAMES if attributes.get(key))
