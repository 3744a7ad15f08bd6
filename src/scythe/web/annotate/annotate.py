"""Annotate: mark the relevant images of pages, confirm them, see the expected quality, and save what was learned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import unquote, urlsplit

import msgspec

from scythe.errors import BadInput
from scythe.fetch.inputs import FROM_FILES, spread
from scythe.limits import LIMITS
from scythe.model import RELEVANT, Image, LabelledPage
from scythe.site.judge_images import Quality, expect_quality
from scythe.site.site import Site
from scythe.web.annotate.annotate_session import (
    PAGES,
    AnnotatedPage,
    AnnotationSession,
    AnnotationSessions,
    Said,
    StoredSession,
)
from scythe.web.filters import shorten
from scythe.web.operations import Key, Number, Operation, RequestInput, View
from scythe.web.state import PROFILE, BackgroundJob, JobSeen, NotNow, NotThere, State, see

_STEPS = 3


@dataclass(frozen=True, slots=True)
class QualitySeen:
    """How well the model does on pages left out of learning, one after the other."""

    pages: int
    precision: float
    recall: float
    f: float
    words: str


@dataclass(frozen=True, slots=True)
class MarksSaved:
    """What came of saving."""

    where: str
    pages: int  # of this sitting
    images: int
    relevant: int
    labelled: int  # pages that the profile has labels of
    layouts: int
    by_tree: int  # layouts whose images are read by the tree, which is slower
    conflicts: int  # images that people do not agree on
    quality: QualitySeen | None
    note: str  # why a published method has no model


def see_quality(quality: Quality | None) -> QualitySeen | None:
    """Say a quality in plain words, too."""
    if quality is None:
        return None
    found, right = round(100 * quality.recall), round(100 * quality.precision)
    words = (
        f"Tried on {quality.pages} pages, each left out of learning in turn: it finds {found} of 100 relevant images, "
    )
    words += f"and {right} of 100 that it picks are relevant."
    return QualitySeen(quality.pages, quality.precision, quality.recall, quality.f, words)


def save_sitting(room: State, key: str, job: BackgroundJob) -> MarksSaved:
    """Learn from what was confirmed and save it. Raises BadInput, OSError, ArchiveFailed, MissingExtra."""
    desk = room.part(AnnotationSessions)
    with room.lock:
        sitting = desk.open(key).sitting
        labels, said, method = sitting.labels(), dict(sitting.said), sitting.method
        pages = [(page.url, page.body) for page in room.pages(key)]
    if not labels:
        raise BadInput("no page with images is confirmed yet")
    job.step(0, _STEPS, f"reading {len(pages)} pages")
    site = room.load_site(key) or Site.learn([*spread(pages, FROM_FILES)])
    job.step(1, _STEPS, f"learning from {len(labels)} labelled pages")
    outcome = site.annotate(labels, pages, method=method)
    job.step(2, _STEPS, "saving")
    where = room.save_site(key, site)
    with room.lock:
        sitting.known = site.profile.images
        sitting.saved |= {page: one for page, one in said.items() if one.is_confirmed}
        desk.keep(key)
    job.step(_STEPS, _STEPS, where)
    relevant, images = _count(labels)
    return MarksSaved(
        where,
        len(labels),
        images,
        relevant,
        len(outcome.profile.images.labelled),
        len(outcome.profile.layouts),
        outcome.by_tree,
        len(outcome.conflicts),
        see_quality(outcome.quality),
        outcome.note,
    )


def _count(labels: Sequence[LabelledPage]) -> tuple[int, int]:
    """Return how many images are relevant, and how many were looked at."""
    marks = [marks for each in labels for marks in each.marks]
    relevant = sum(len(each.relevant) for each in marks)
    return relevant, relevant + sum(len(each.irrelevant) for each in marks)


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


def see_kept(room: State, key: str, kept: StoredSession) -> SittingSeen:
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


def see_sheet(sitting: AnnotationSession, sheet: AnnotatedPage) -> SheetSeen:
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


def open_images(sitting: AnnotationSession, sheet: AnnotatedPage) -> SheetOpened:
    """Return a page with its images, what the model makes of them, and what is said of them."""
    scores = sitting.score(sheet)
    relevant = sitting.marks(sheet, scores)
    images = [_mark(row, sheet, scores[row], row in relevant) for row in range(len(sheet.images))]
    return SheetOpened(see_sheet(sitting, sheet), images, sitting.is_taught)


def _mark(row: int, sheet: AnnotatedPage, score: float, is_relevant: bool) -> ImageMarked:
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


_MOST = 50  # pages of one sitting: more than anybody does at once

Person = Annotated[str, msgspec.Meta(max_length=LIMITS.name_chars, description="Who says so.")]
Row = Annotated[int, msgspec.Meta(ge=0, lt=LIMITS.page_images)]


class AnnotateWanted(RequestInput, frozen=True):
    """The site whose pages are annotated; empty: the first one."""

    site: Key = ""


class SheetWanted(RequestInput, frozen=True):
    """One page of the sitting."""

    page: Number
    site: Key = ""


class MarksWanted(RequestInput, frozen=True):
    """What is said of the images of one page: those not named are not relevant."""

    page: Number
    relevant: Annotated[tuple[Row, ...], msgspec.Meta(max_length=LIMITS.page_images, description="Numbers of images.")]
    is_confirmed: bool = True
    site: Key = ""
    by: Person | None = None


class BeginWanted(RequestInput, frozen=True):
    """A new sitting."""

    site: Key = ""
    pages: Annotated[int, msgspec.Meta(ge=1, le=_MOST, description="How many pages to annotate.")] = PAGES
    again: bool = False  # those that are labelled already, to correct them


class SaveWanted(RequestInput, frozen=True):
    """What is confirmed is to be saved."""

    site: Key = ""
    by: Person | None = None


def see_sitting(room: State, wanted: AnnotateWanted) -> SittingSeen:
    """Say which pages are being annotated and how far it is."""
    with room.lock:
        key, kept = _open(room, wanted.site)
        return see_kept(room, key, kept)


def open_sheet(room: State, wanted: SheetWanted) -> SheetOpened:
    """Return a page of the sitting with its images, predictions and marks."""
    with room.lock:
        sitting = _open(room, wanted.site)[1].sitting
        return open_images(sitting, _find(sitting, wanted.page))


def mark_images(room: State, wanted: MarksWanted) -> SittingSeen:
    """Say which images of a page are relevant, and whether somebody is done with the page."""
    with room.lock:
        key, kept = _open(room, wanted.site)
        sheet = _find(kept.sitting, wanted.page)
        if any(row >= len(sheet.images) for row in wanted.relevant):
            raise BadInput(f"page {wanted.page} has {len(sheet.images)} images, numbered from 0")
        _name(kept.sitting, wanted.by)
        was_confirmed = kept.sitting.is_confirmed(sheet)
        kept.sitting.say(wanted.page, Said(frozenset(wanted.relevant), wanted.is_confirmed))
        if was_confirmed or wanted.is_confirmed:
            room.part(AnnotationSessions).keep(key)
        return see_kept(room, key, kept)


def undo_marks(room: State, wanted: AnnotateWanted) -> Stepped:
    """Take the last change back."""
    return _step(room, wanted, AnnotationSession.undo)


def redo_marks(room: State, wanted: AnnotateWanted) -> Stepped:
    """Make the last change again that was taken back."""
    return _step(room, wanted, AnnotationSession.redo)


def _step(room: State, wanted: AnnotateWanted, step: Callable[[AnnotationSession], int | None]) -> Stepped:
    with room.lock:
        key, kept = _open(room, wanted.site)
        page = step(kept.sitting)
        room.part(AnnotationSessions).keep(key)
        return Stepped(page, see_kept(room, key, kept))


def begin_sitting(room: State, wanted: BeginWanted) -> SittingSeen:
    """Choose pages to annotate anew; pages with marks that are not saved stay among them."""
    with room.lock:
        key, _ = _open(room, wanted.site)
        return see_kept(room, key, room.part(AnnotationSessions).begin(key, wanted.pages, again=wanted.again))


def expect_marks(room: State, wanted: AnnotateWanted) -> QualitySeen | None:
    """Say how well the model would do by what is confirmed so far; null while nobody can tell."""
    with room.lock:
        taught = _open(room, wanted.site)[1].sitting.taught
    return see_quality(expect_quality(taught))


def save_marks(room: State, wanted: SaveWanted) -> JobSeen:
    """Learn from the confirmed pages and write labels and model into the profile."""
    with room.lock:
        key, kept = _open(room, wanted.site)
        running = room.jobs.find(kept.job)
        if running is not None and running.state == "running":
            raise NotNow("these marks are being saved already")
        if key == PROFILE and room.options.profile is None:
            raise BadInput("there is no file to save to: start again with --profile FILE")
        _name(kept.sitting, wanted.by)
        job = room.jobs.start("annotate", "Learn from marked images", lambda job: save_sitting(room, key, job))
        kept.job = job.number
        return see(job)


def show_annotate(room: State, wanted: AnnotateWanted) -> dict[str, Any]:
    """Return what the page for annotating shows before its script takes over."""
    with room.lock:
        key, kept = _open(room, wanted.site)
        profile = room.options.profile
        file = ("" if profile is None else str(profile)) if key == PROFILE else None
        title = (room.options.title or "this site") if key == PROFILE else key
        bare = not any(sheet.images for sheet in kept.sitting.sheets)
        return {
            "key": key,
            "title": title,
            "file": file,  # None: the archive
            "sitting": see_kept(room, key, kept),
            "is_bare": bare and any(page.url is None for page in room.pages(key)),
        }


def _open(room: State, site: str) -> tuple[str, StoredSession]:
    desk = room.part(AnnotationSessions)
    key = desk.find_key(site)
    return key, desk.open(key)


def _find(sitting: AnnotationSession, page: int) -> AnnotatedPage:
    sheet = sitting.find(page)
    if sheet is None:
        raise NotThere(f"page {page} is not among those being annotated")
    return sheet


def _name(sitting: AnnotationSession, by: str | None) -> None:
    """Take note of who is speaking. Raises BadInput."""
    if by is not None:
        if not by.isprintable():
            raise BadInput("the name of a person was expected")
        sitting.by = by.strip()


OPERATIONS = (
    Operation("GET", "/api/annotate", see_sitting, AnnotateWanted, SittingSeen, "The pages that are being annotated."),
    Operation("GET", "/api/annotate/page", open_sheet, SheetWanted, SheetOpened, "A page's images, guesses and marks."),
    Operation("POST", "/api/annotate/page", mark_images, MarksWanted, SittingSeen, "Mark relevant images of a page."),
    Operation("POST", "/api/annotate/undo", undo_marks, AnnotateWanted, Stepped, "Take the last change back."),
    Operation("POST", "/api/annotate/redo", redo_marks, AnnotateWanted, Stepped, "Make that change again."),
    Operation("POST", "/api/annotate/begin", begin_sitting, BeginWanted, SittingSeen, "Choose pages to annotate."),
    Operation(
        "GET", "/api/annotate/quality", expect_marks, AnnotateWanted, QualitySeen | None, "The quality to expect."
    ),
    Operation("POST", "/api/annotate/save", save_marks, SaveWanted, JobSeen, "Learn from what is confirmed."),
)
VIEWS = (View("/annotate", "annotate.html", show_annotate, AnnotateWanted, "annotate"),)
