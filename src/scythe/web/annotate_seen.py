"""What is shown of a sitting, to people and to programs: it comes in, plain records go out."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from scythe.model import RELEVANT, Image
from scythe.web.annotate_desk import Kept
from scythe.web.annotate_sitting import Sheet, Sitting
from scythe.web.filters import shorten
from scythe.web.room import Room

_NAME_CHARS = 80


@dataclass(frozen=True, slots=True)
class SheetSeen:
    """One page of a sitting."""

    page: int
    name: str
    url: str | None
    title: str
    why: str  # it was chosen
    images: int
    relevant: int  # as said so far
    is_touched: bool
    is_confirmed: bool


@dataclass(frozen=True, slots=True)
class SittingSeen:
    """A sitting as it stands."""

    site: str
    by: str
    sheets: list[SheetSeen]
    confirmed: int
    at_hand: int  # pages of the site
    labelled: int  # pages that the profile has labels of
    is_taught: bool  # predictions are those of the site's own model and mark pages beforehand
    is_unsaved: bool
    has_consent: bool
    can_undo: bool
    can_redo: bool
    job: int  # that saves, or saved last; 0: none
    note: str


@dataclass(frozen=True, slots=True)
class ImageMarked:
    """One image of a page, what the model makes of it, and what is said of it."""

    row: int
    address: str
    name: str  # to call it by: its alternative text, caption or file
    alt: str
    caption: str
    width: int | None  # as the page says, pixels
    height: int | None
    score: float  # 0..1, how likely it is relevant
    is_suggested: bool
    is_relevant: bool


@dataclass(frozen=True, slots=True)
class SheetOpened:
    """One page with its images."""

    sheet: SheetSeen
    images: list[ImageMarked]
    is_taught: bool


@dataclass(frozen=True, slots=True)
class Stepped:
    """What was undone or done again, if anything."""

    page: int | None
    sitting: SittingSeen


def see_kept(room: Room, key: str, kept: Kept) -> SittingSeen:
    """Return a sitting as it stands."""
    sitting = kept.sitting
    return SittingSeen(
        key,
        sitting.by,
        [see_sheet(sitting, sheet) for sheet in sitting.sheets],
        len(sitting.confirmed),
        len(room.pages(key)),
        len(sitting.known.labelled),
        sitting.is_taught,
        sitting.is_unsaved,
        room.has_consent(key),
        bool(sitting.steps),
        bool(sitting.undone),
        kept.job,
        sitting.note,
    )


def see_sheet(sitting: Sitting, sheet: Sheet) -> SheetSeen:
    """Return a page of a sitting as it stands."""
    said = sitting.said.get(sheet.page.number)
    return SheetSeen(
        sheet.page.number,
        sheet.page.name,
        sheet.page.url,
        shorten(sheet.around.title, 200) or sheet.page.name,
        sheet.why,
        len(sheet.images),
        len(said.relevant) if said is not None else 0,
        said is not None,
        said is not None and said.is_confirmed,
    )


def open_images(sitting: Sitting, sheet: Sheet) -> SheetOpened:
    """Return a page with its images, what the model makes of them, and what is said of them."""
    scores = sitting.score(sheet)
    relevant = sitting.marks(sheet, scores)
    images = [_mark(row, sheet, scores[row], row in relevant) for row in range(len(sheet.images))]
    return SheetOpened(see_sheet(sitting, sheet), images, sitting.is_taught)


def _mark(row: int, sheet: Sheet, score: float, is_relevant: bool) -> ImageMarked:
    image, address = sheet.images[row], sheet.around.images[row].src
    return ImageMarked(
        row,
        address[:_NAME_CHARS] if address.startswith("data:") else address,
        _call(image, address),
        image.alt,
        image.caption,
        image.width,
        image.height,
        round(score, 4),
        score >= RELEVANT,
        is_relevant,
    )


def _call(image: Image, address: str) -> str:
    """Return what a person would call an image."""
    said = shorten(image.alt, _NAME_CHARS) or shorten(image.caption, _NAME_CHARS)
    if said or address.startswith("data:"):
        return said or "a picture inside the page"
    return shorten(unquote(urlsplit(address).path.rstrip("/").rpartition("/")[2]), _NAME_CHARS) or "an image"
