"""Mark relevant images with clicks: the page for people, and the same for programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import msgspec

from scythe.errors import BadInput
from scythe.extracting.judge_images import expect_quality
from scythe.limits import LIMITS
from scythe.web.annotate_desk import PAGES, Desk, Kept
from scythe.web.annotate_save import QualitySeen, save_sitting, see_quality
from scythe.web.annotate_seen import SheetOpened, SittingSeen, Stepped, open_images, see_kept
from scythe.web.annotate_sitting import Said, Sheet, Sitting
from scythe.web.jobs import JobSeen, see
from scythe.web.operation import Key, NotNow, NotThere, Number, Operation, View, Wanted
from scythe.web.room import PROFILE, Room

_MOST = 50  # pages of one sitting: more than anybody does at once

Person = Annotated[str, msgspec.Meta(max_length=LIMITS.name_chars, description="Who says so.")]
Row = Annotated[int, msgspec.Meta(ge=0, lt=LIMITS.page_images)]


class AnnotateWanted(Wanted, frozen=True):
    """The site whose pages are annotated; empty: the first one."""

    site: Key = ""


class SheetWanted(Wanted, frozen=True):
    """One page of the sitting."""

    page: Number
    site: Key = ""


class MarksWanted(Wanted, frozen=True):
    """What is said of the images of one page: those not named are not relevant."""

    page: Number
    relevant: Annotated[tuple[Row, ...], msgspec.Meta(max_length=LIMITS.page_images, description="Numbers of images.")]
    is_confirmed: bool = True
    site: Key = ""
    by: Person | None = None


class BeginWanted(Wanted, frozen=True):
    """A new sitting."""

    site: Key = ""
    pages: Annotated[int, msgspec.Meta(ge=1, le=_MOST, description="How many pages to annotate.")] = PAGES
    again: bool = False  # those that are labelled already, to correct them


class SaveWanted(Wanted, frozen=True):
    """What is confirmed is to be saved."""

    site: Key = ""
    by: Person | None = None


def see_sitting(room: Room, wanted: AnnotateWanted) -> SittingSeen:
    """Say which pages are being annotated and how far it is."""
    with room.lock:
        key, kept = _open(room, wanted.site)
        return see_kept(room, key, kept)


def open_sheet(room: Room, wanted: SheetWanted) -> SheetOpened:
    """Return a page of the sitting with its images, predictions and marks."""
    with room.lock:
        sitting = _open(room, wanted.site)[1].sitting
        return open_images(sitting, _find(sitting, wanted.page))


def mark_images(room: Room, wanted: MarksWanted) -> SittingSeen:
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
            room.part(Desk).keep(key)
        return see_kept(room, key, kept)


def undo_marks(room: Room, wanted: AnnotateWanted) -> Stepped:
    """Take the last change back."""
    return _step(room, wanted, Sitting.undo)


def redo_marks(room: Room, wanted: AnnotateWanted) -> Stepped:
    """Make the last change again that was taken back."""
    return _step(room, wanted, Sitting.redo)


def _step(room: Room, wanted: AnnotateWanted, step: Callable[[Sitting], int | None]) -> Stepped:
    with room.lock:
        key, kept = _open(room, wanted.site)
        page = step(kept.sitting)
        room.part(Desk).keep(key)
        return Stepped(page, see_kept(room, key, kept))


def begin_sitting(room: Room, wanted: BeginWanted) -> SittingSeen:
    """Choose pages to annotate anew; pages with marks that are not saved stay among them."""
    with room.lock:
        key, _ = _open(room, wanted.site)
        return see_kept(room, key, room.part(Desk).begin(key, wanted.pages, again=wanted.again))


def expect_marks(room: Room, wanted: AnnotateWanted) -> QualitySeen | None:
    """Say how well the model would do by what is confirmed so far; null while nobody can tell."""
    with room.lock:
        taught = _open(room, wanted.site)[1].sitting.taught
    return see_quality(expect_quality(taught))


def save_marks(room: Room, wanted: SaveWanted) -> JobSeen:
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


def show_annotate(room: Room, wanted: AnnotateWanted) -> dict[str, Any]:
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


def _open(room: Room, site: str) -> tuple[str, Kept]:
    desk = room.part(Desk)
    key = desk.find_key(site)
    return key, desk.open(key)


def _find(sitting: Sitting, page: int) -> Sheet:
    sheet = sitting.find(page)
    if sheet is None:
        raise NotThere(f"page {page} is not among those being annotated")
    return sheet


def _name(sitting: Sitting, by: str | None) -> None:
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
