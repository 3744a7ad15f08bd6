"""Find the elements and attributes of a page that state a known value: a title, an author, a date."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from typing import NamedTuple

from scythe.page import Page
from scythe.page.blocks import Blocks, cut_blocks
from scythe.page.dates import to_iso
from scythe.page.source import Opening, Source, unmark
from scythe.site.follow.follow_fields import element_text
from scythe.site.rules import ATTRIBUTE, ELEMENT

Stated = tuple[Opening, str, str, str]  # where, what is taken there, the attribute it is taken from, the text

_TEXTS = frozenset(
    "title h1 h2 h3 h4 h5 h6 a abbr address b cite dd em i label li p q small span strong td time div font".split()
)
_ATTRIBUTES = {"meta": ("content",), "time": ("datetime",), "abbr": ("title",), "span": ("content", "title")}
_CHILDREN = 6  # elements directly inside; one with more holds more than a value
_LONGEST = 1_000  # characters of a text that may state a value


def list_stated(source: Source) -> Iterator[Stated]:
    """Yield the texts and attributes of a page that are short enough to state a value, in page order."""
    for opening in source.openings:
        if opening.shown and (opening.name in _TEXTS or opening.name in _ATTRIBUTES):
            yield from _texts_of(opening)


def _texts_of(opening: Opening) -> Iterator[Stated]:
    node = opening.node
    for name in _ATTRIBUTES.get(opening.name, ()):
        raw = node.attributes.get(name)
        if raw and len(raw) <= _LONGEST:
            yield opening, ATTRIBUTE, name, " ".join(unmark(raw).split())
    if opening.name not in _TEXTS or not _is_small(opening):
        return
    text = " ".join(unmark(element_text(node)).split())
    if text and len(text) <= _LONGEST:
        yield opening, ELEMENT, "", text


def _is_small(opening: Opening) -> bool:
    child, elements = opening.node.first_child, 0
    while child is not None:
        elements += not (child.tag or "-").startswith(("-", "!"))
        if elements > _CHILDREN:
            return False
        child = child.next
    return True


_ALIGNED = 2_000  # blocks; longer pages whose two trees differ are left out of learning


@dataclass(frozen=True)
class LearnedPage:
    """One page of a layout with what `scythe.read` reports of it."""

    source: Source
    page: Page
    kept: tuple[int, ...]  # numbers of `page.blocks`
    title: str = ""
    author: str = ""
    published: str = ""  # ISO 8601
    images: tuple[str, ...] = ()  # addresses of the relevant ones
    sure: float = 1.0  # the F1 that reading expects of its own choice of blocks

    @cached_property
    def blocks(self) -> Blocks:
        """The blocks of the source's own tree, whose boxes know their byte offsets."""
        root = self.source.tree.root
        blocks = cut_blocks(root) if root is not None else Blocks()
        blocks.text = [unmark(text) for text in blocks.text]
        return blocks

    @cached_property
    def stated(self) -> tuple[Stated, ...]:
        """The texts and attributes that may be values of a field: looked at for every field, listed once."""
        return tuple(list_stated(self.source))

    @cached_property
    def chosen(self) -> tuple[int, ...]:
        """`kept` as numbers of `blocks`; the two trees differ on pages that had to be repaired."""
        mine, theirs = self.blocks.text, self.page.blocks.text
        if mine == theirs:
            return self.kept
        if max(len(mine), len(theirs)) > _ALIGNED:
            return ()
        same = SequenceMatcher(None, theirs, mine, autojunk=False).get_matching_blocks()
        number = {a + i: b + i for a, b, size in same for i in range(size)}
        return tuple(number[i] for i in self.kept if i in number)


_NAMES = ("itemprop", "property", "name", "rel", "class", "id")
_DIGITS = re.compile(r"\d+")
_STATEMENTS = 60  # of one value on one page
_PART = 4  # letters of a heading that may be part of a title

Match = Callable[[str, str], float]


class ValueSource(NamedTuple):
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


def find_statements(sample: LearnedPage, values: Sequence[str], match: Match) -> list[ValueSource]:
    """Return the places of a page that give one of the values, in page order."""
    found: list[ValueSource] = []
    last = None
    for opening, take, attribute, text in sample.stated:
        if len(found) >= _STATEMENTS and opening is not last:
            break
        last = opening
        fit = max([match(text, value) for value in values])
        if fit:
            names = _names_of(opening)
            found.append(ValueSource(opening.offset, opening.name, take, attribute, names, fit, text))
    return found


def _names_of(opening: Opening) -> str:
    attributes = opening.node.attributes
    return " ".join(f"{key}={_DIGITS.sub('#', attributes[key] or '')}" for key in _NAMES if attributes.get(key))
