"""The rules of a learned site: profile, layouts, and the rules of their fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scythe.model import SiteImages
from scythe.site.element_rules import ElementRule
from scythe.site.record_rules import USUALLY, LayoutRecords
from scythe.site.select import Selector
from scythe.site.value_rules import ValueRules

SOURCES = ELEMENT, ATTRIBUTE, META, ADDRESS, HEADING = ("element", "attribute", "meta", "address", "heading")


@dataclass(frozen=True, slots=True)
class TextRule:
    """Which elements hold the main text of a layout's pages, and which inside them do not belong to it."""

    roots: tuple[Selector, ...]
    drops: tuple[Selector, ...] = ()
    score: float = 0.0  # F1 in words, as expected from the pages learned

    @property
    def dropped(self) -> tuple[tuple[int, int], ...]:
        """The keys of what is dropped and of their parents, 0 for any."""
        return tuple((selector.key, selector.parent) for selector in self.drops)


@dataclass(frozen=True, slots=True)
class PlaceRule:
    """Where one value of a page stands: in an element, an attribute, the value of a meta element or the address."""

    source: str  # element, attribute, meta, address, heading: the first of the main text
    selector: Selector | None = None
    attribute: str = ""  # of the element; of a meta element: the one that names it
    name: str = ""  # of a meta element
    shared: str = ""  # what the pages of the layout put before or behind the value
    share: float = 0.0  # of the pages learned that agree


@dataclass(frozen=True, slots=True)
class Usual:
    """What a field looked like on the pages learned: against it later pages are judged."""

    pages: int = 0  # on which it was looked for
    present: int = 0  # on which it was found
    shortest: int = 0  # characters
    longest: int = 0
    middle: int = 0  # median length
    script: str = ""  # Unicode script of most letters: latin, cyrillic, han, ...; "" where there are too few
    form: str = ""  # what every value has: "digits", "letters", "no letters", several joined by "+"

    @property
    def is_expected(self) -> bool:
        """Whether nearly all pages learned have the field, so that a page without it is worth a second look."""
        return 0 < USUALLY * self.pages <= self.present


@dataclass(frozen=True, slots=True)
class FieldRules:
    """How to get one field of one layout: as text, at the first place that has it, or as it was shown by example."""

    name: str
    text: TextRule | None = None
    places: tuple[PlaceRule, ...] = ()
    values: ValueRules | None = None
    usual: Usual = Usual()


@dataclass(frozen=True, slots=True)
class Layout:
    """Pages of one template and the fields they have."""

    name: str
    fields: tuple[FieldRules, ...] = ()
    pages: int = 0  # read to learn it
    marks: tuple[tuple[int, int], ...] = ()  # keys with a class or an id, and on how many of its first pages they were
    marked: int = 0  # these first pages
    outside: tuple[tuple[int, int], ...] = ()  # the same of keys outside of the text
    is_settled: bool = False  # no more pages are read to learn it
    is_empty: bool = False  # its pages have no main text
    kind: str = ""  # of its pages, as PageKind names it
    kind_score: int = 0  # thousandths: how probable that kind was on the pages read, on average
    absent: tuple[str, ...] = ()  # fields that reading its pages did not find either
    records: LayoutRecords = LayoutRecords()  # what its pages list; without pages: not known  # noqa: RUF009
    parent: str = ""  # the layout of which it has the pages that the rule of the text does not fit

    def field(self, name: str) -> FieldRules | None:
        """Return the rules of a field, if there are any."""
        return next((rules for rules in self.fields if rules.name == name), None)


def told_layout(rows: Sequence[ElementRule]) -> Layout:
    """Return the rules that people wrote as fields of all pages, to be watched like those of a layout."""
    usual = ((row, Usual(row.pages, row.held)) for row in rows if row.is_told)
    return Layout("", tuple(FieldRules(row.field, usual=seen) for row, seen in usual))


@dataclass(frozen=True, slots=True)
class Profile:
    """Everything learned of one site."""

    layouts: tuple[Layout, ...]
    fields: tuple[str, ...] = ()  # the names that were asked for
    learned: str = ""  # ISO 8601, UTC
    named: tuple[str, ...] = ()  # of the fields, those learned by example: reading a page cold says nothing of them
    images: SiteImages = SiteImages()  # noqa: RUF009  it is frozen
    rules: tuple[ElementRule, ...] = ()  # the rule table: those told are followed before what was learned
    types: tuple[tuple[str, str], ...] = ()  # of fields, as VALUE_TYPES names them
    method: str = ""  # the published one by which pages are read to learn the text, its parameters behind it
