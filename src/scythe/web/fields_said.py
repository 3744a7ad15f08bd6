"""What is said with requests about fields, and what is answered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import msgspec

from scythe.web.fields_sheet import VALUE_CHARS, Block
from scythe.web.fields_sitting import Pick
from scythe.web.fields_trial import Row
from scythe.web.operation import Wanted
from scythe.web.room import PROFILE

SiteKey = Annotated[str, msgspec.Meta(max_length=300, description="the key of a site, or profile")]
Number = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
Name = Annotated[str, msgspec.Meta(max_length=1_000, description="the name of a field, such as price")]
Value = Annotated[str, msgspec.Meta(max_length=4 * VALUE_CHARS)]


class SiteWanted(Wanted, frozen=True):
    """A site."""

    site: SiteKey = PROFILE


class FieldsShown(Wanted, frozen=True):
    """A site, and a place to look at first."""

    site: SiteKey = ""
    page: Number | None = None
    element: Number | None = None


class ElementWanted(Wanted, frozen=True):
    """An element of a page at hand."""

    page: Number
    element: Number


class TextsWanted(Wanted, frozen=True):
    """Texts of a page at hand that hold some words."""

    page: Number
    text: Annotated[str, msgspec.Meta(max_length=1_000)] = ""


class PickWanted(Wanted, frozen=True):
    """A value of a field on a page."""

    page: Number
    name: Name
    element: Number | None = None  # without one, `value` must stand somewhere on the page
    attribute: Annotated[str, msgspec.Meta(max_length=100)] = ""  # empty: the text
    value: Value = ""  # a part of what stands there; empty: all of it
    also: bool = False  # besides the values that were shown before, not instead of them


class CellWanted(Wanted, frozen=True):
    """A field on a page."""

    page: Number
    name: Name


class ForgetWanted(Wanted, frozen=True):
    """A field, or what was said of it on one page."""

    name: Name
    page: Number | None = None
    site: SiteKey = PROFILE


class SaveWanted(Wanted, frozen=True):
    """A site whose fields are to be saved."""

    site: SiteKey = PROFILE
    with_usual: bool = True  # also learn title, text, date, author, images and records, where there is no profile yet


@dataclass(frozen=True, slots=True)
class PageListed:
    """A page at hand, and how many fields were shown on it."""

    number: int
    name: str
    shown: int


@dataclass(frozen=True, slots=True)
class ShownOn:
    """What was said of a field on one page; no values: it has none."""

    page: int
    values: tuple[Pick, ...]


@dataclass(frozen=True, slots=True)
class FieldSeen:
    """A field that is being shown."""

    name: str
    shown: tuple[ShownOn, ...]
    found: int  # pages that it is found on
    doubtful: int
    changed: int  # pages on which something else is found than before the last change
    why: str  # it was not learned, or not from all pages
    advice: str


@dataclass(frozen=True, slots=True)
class FieldsSeen:
    """Where picking fields of a site stands."""

    site: str
    pages: tuple[PageListed, ...]
    fields: tuple[FieldSeen, ...]
    is_tried: bool  # the table is of all that was shown
    rows: tuple[Row, ...]
    others: int  # pages of other kinds, which are not in the table
    known: tuple[str, ...]  # fields that the profile has
    has_profile: bool
    can_save: bool
    plan: tuple[str, ...]  # what saving does, in words
    can_undo: bool
    can_restore: bool
    saved: str  # where to; empty: something was shown since
    command: str


@dataclass(frozen=True, slots=True)
class Texts:
    """Some texts of a page."""

    total: int
    texts: tuple[Block, ...]
