"""Annotate: mark the relevant images of pages, confirm them, see the expected quality, and save what was learned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import unquote, urlsplit

import msgspec

from scythe.errors import BadInput
from scythe.fetch.inputs import FROM_FILES, spread
from scythe.limits import LIMITS
from scythe.model import RELEVANT, Image
from scythe.site.judge_images import Quality, expect_quality
from scythe.site.site import Site
from scythe.web.annotate.annotate_session import (
    PAGES,
    AnnotatedPage,
    AnnotationSession,
    AnnotationSessions,
    PageMarks,
)
from scythe.web.filters import shorten
from scythe.web.operations import Key, Number, SiteKey, WebArea
from scythe.web.state import PROFILE, BackgroundJob, JobView, NotNow, State, fill, see, there

AREA = WebArea("annotate", __doc__)

_STEPS = 3


@dataclass(frozen=True, slots=True)
class QualityView:
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
    pages: int  # of this session
    images: int
    relevant: int
    labelled: int  # pages that the profile has labels of
    layouts: int
    conflicts: int  # images that people do not agree on
    quality: QualityView | None
    note: str  # why a published method has no model


def see_quality(quality: Quality | None) -> QualityView | None:
    """Say a quality in plain words, too."""
    if quality is None:
        return None
    found, right = round(100 * quality.recall), round(100 * quality.precision)
    words = (
        f"Tried on {quality.pages} pages, each left out of learning in turn: it finds {found} of 100 relevant images, "
    )
    words += f"and {right} of 100 that it picks are relevant."
    return QualityView(quality.pages, quality.precision, quality.recall, quality.f, words)


def save_session(state: State, key: str, job: BackgroundJob) -> MarksSaved:
    """Learn from what was confirmed and save it. Raises BadInput, OSError, ArchiveFailed, MissingExtra."""
    sessions = state.part(AnnotationSessions)
    with state.lock:
        session = sessions.open(key)
        labels, said, method = session.labels(), dict(session.marked), session.method
        pages = [(page.url, page.body) for page in state.pages(key)]
    if not labels:
        raise BadInput("no page with images is confirmed yet")
    job.step(0, _STEPS, f"reading {len(pages)} pages")
    site = state.load_site(key) or Site.learn([*spread(pages, FROM_FILES)])
    job.step(1, _STEPS, f"learning from {len(labels)} labelled pages")
    outcome = site.annotate(labels, pages, method=method)
    job.step(2, _STEPS, "saving")
    where = state.save_site(key, site)
    with state.lock:
        session.known = site.profile.images
        session.saved |= {page: one for page, one in said.items() if one.is_confirmed}
        sessions.keep(key)
    job.step(_STEPS, _STEPS, where)
    marks = [marks for each in labels for marks in each.marks]
    relevant = sum(len(each.relevant) for each in marks)
    images = relevant + sum(len(each.irrelevant) for each in marks)
    labelled, layouts = len(outcome.profile.images.labelled), len(outcome.profile.layouts)
    quality, conflicts = see_quality(outcome.quality), len(outcome.conflicts)
    return MarksSaved(where, len(labels), images, relevant, labelled, layouts, conflicts, quality, outcome.note)


_NAME_CHARS = 80


@dataclass(frozen=True, slots=True)
class PageSummary:
    """One page of a session."""

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
class SessionView:
    """A session as it stands."""

    site: str
    by: str
    pages: list[PageSummary]
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
class OpenedPage:
    """One page with its images."""

    summary: PageSummary
    images: list[ImageMarked]
    is_taught: bool


@dataclass(frozen=True, slots=True)
class Stepped:
    """What was undone or done again, if anything."""

    page: int | None
    session: SessionView


def see_stored(state: State, key: str, session: AnnotationSession) -> SessionView:
    """Return a session as it stands."""
    return fill(
        SessionView,
        session,
        site=key,
        pages=[summarise_page(session, opened) for opened in session.pages],
        confirmed=len(session.confirmed),
        at_hand=len(state.pages(key)),
        labelled=len(session.known.labelled),
        has_consent=state.has_consent(key),
        can_undo=bool(session.steps),
        can_redo=bool(session.undone),
    )


def summarise_page(session: AnnotationSession, opened: AnnotatedPage) -> PageSummary:
    """Return a page of a session as it stands."""
    said = session.marked.get(opened.page.number)
    page, title = opened.page, shorten(opened.around.title, 200) or opened.page.name
    counts = len(opened.images), len(said.relevant) if said is not None else 0
    is_confirmed = said is not None and said.is_confirmed
    return PageSummary(page.number, page.name, page.url, title, opened.why, *counts, said is not None, is_confirmed)


def open_images(session: AnnotationSession, opened: AnnotatedPage) -> OpenedPage:
    """Return a page with its images, what the model makes of them, and what is said of them."""
    scores = session.score(opened)
    relevant = session.marks(opened, scores)
    images = []
    for row, (image, score) in enumerate(zip(opened.images, scores, strict=True)):
        address = opened.around.images[row].src
        shown = address[:_NAME_CHARS] if address.startswith("data:") else address
        said = {"name": _call(image, address), "is_suggested": score >= RELEVANT, "is_relevant": row in relevant}
        images.append(fill(ImageMarked, image, row=row, address=shown, score=round(score, 4), **said))
    return OpenedPage(summarise_page(session, opened), images, session.is_taught)


def _call(image: Image, address: str) -> str:
    """Return what a person would call an image."""
    said = shorten(image.alt, _NAME_CHARS) or shorten(image.caption, _NAME_CHARS)
    if said or address.startswith("data:"):
        return said or "a picture inside the page"
    return shorten(unquote(urlsplit(address).path.rstrip("/").rpartition("/")[2]), _NAME_CHARS) or "an image"


_MOST = 50  # pages of one session: more than anybody does at once

Person = Annotated[str, msgspec.Meta(max_length=LIMITS.name_chars, description="Who says so.")]
Row = Annotated[int, msgspec.Meta(ge=0, lt=LIMITS.page_images)]


@AREA.get("/api/annotate")
def see_session(state: State, site: SiteKey = "") -> SessionView:
    """Say which pages are being annotated and how far it is."""
    with state.lock:
        key, kept = _open(state, site)
        return see_stored(state, key, kept)


@AREA.get("/api/annotate/page")
def open_annotated_page(state: State, page: Number, site: Key = "") -> OpenedPage:
    """Return a page of the session with its images, predictions and marks."""
    with state.lock:
        session = _open(state, site)[1]
        return open_images(session, _find(session, page))


@AREA.post("/api/annotate/page")
def mark_images(
    state: State,
    page: Number,
    relevant: Annotated[tuple[Row, ...], msgspec.Meta(max_length=LIMITS.page_images, description="Numbers of images.")],
    is_confirmed: bool = True,
    site: Key = "",
    by: Person | None = None,
) -> SessionView:
    """Say which images of a page are relevant, and whether somebody is done with the page."""
    with state.lock:
        key, kept = _open(state, site)
        opened = _find(kept, page)
        if any(row >= len(opened.images) for row in relevant):
            raise BadInput(f"page {page} has {len(opened.images)} images, numbered from 0")
        _name(kept, by)
        was_confirmed = kept.is_confirmed(opened)
        kept.say(page, PageMarks(frozenset(relevant), is_confirmed))
        if was_confirmed or is_confirmed:
            state.part(AnnotationSessions).keep(key)
        return see_stored(state, key, kept)


@AREA.post("/api/annotate/undo")
def undo_marks(state: State, site: SiteKey = "") -> Stepped:
    """Take the last change back."""
    return _step(state, site, AnnotationSession.undo)


@AREA.post("/api/annotate/redo")
def redo_marks(state: State, site: SiteKey = "") -> Stepped:
    """Make the last change again that was taken back."""
    return _step(state, site, AnnotationSession.redo)


def _step(state: State, site: str, step: Callable[[AnnotationSession], int | None]) -> Stepped:
    with state.lock:
        key, kept = _open(state, site)
        page = step(kept)
        state.part(AnnotationSessions).keep(key)
        return Stepped(page, see_stored(state, key, kept))


@AREA.post("/api/annotate/begin")
def begin_session(
    state: State,
    site: Key = "",
    pages: Annotated[int, msgspec.Meta(ge=1, le=_MOST, description="How many pages to annotate.")] = PAGES,
    again: bool = False,  # those that are labelled already, to correct them
) -> SessionView:
    """Choose pages to annotate anew; pages with marks that are not saved stay among them."""
    with state.lock:
        key, _ = _open(state, site)
        return see_stored(state, key, state.part(AnnotationSessions).begin(key, pages, again=again))


@AREA.get("/api/annotate/quality")
def expect_marks(state: State, site: SiteKey = "") -> QualityView | None:
    """Say how well the model would do by what is confirmed so far; null while nobody can tell."""
    with state.lock:
        taught = _open(state, site)[1].taught
    return see_quality(expect_quality(taught))


@AREA.post("/api/annotate/save")
def save_marks(state: State, site: Key = "", by: Person | None = None) -> JobView:
    """Learn from the confirmed pages and write labels and model into the profile."""
    with state.lock:
        key, kept = _open(state, site)
        running = state.jobs.find(kept.job)
        if running is not None and running.state == "running":
            raise NotNow("these marks are being saved already")
        state.require_place(key)
        _name(kept, by)
        job = state.jobs.start("annotate", "Learn from marked images", lambda job: save_session(state, key, job))
        kept.job = job.number
        return see(job)


@AREA.view("/annotate", "annotate.html")
def show_annotate(state: State, site: SiteKey = "") -> dict[str, Any]:
    """Return what the page for annotating shows before its script takes over."""
    with state.lock:
        key, kept = _open(state, site)
        file = str(state.options.profile or "") if state.is_in_file(key) else None
        title = (state.options.title or "this site") if key == PROFILE else key
        bare = not any(opened.images for opened in kept.pages)
        return {
            "key": key,
            "title": title,
            "file": file,  # None: the archive
            "session": see_stored(state, key, kept),
            "is_bare": bare and any(page.url is None for page in state.pages(key)),
        }


def _open(state: State, site: str) -> tuple[str, AnnotationSession]:
    key = state.site_key(site)
    return key, state.part(AnnotationSessions).open(key)


def _find(session: AnnotationSession, page: int) -> AnnotatedPage:
    return there(session.find(page), f"page {page} is not among those being annotated")


def _name(session: AnnotationSession, by: str | None) -> None:
    """Take note of who is speaking. Raises BadInput."""
    if by is not None:
        if not by.isprintable():
            raise BadInput("the name of a person was expected")
        session.by = by.strip()
