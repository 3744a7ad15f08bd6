"""Pick fields: choose an element and name it, check what is found on the other pages, correct it and save."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Any
from urllib.parse import quote, urlsplit

import msgspec

from scythe.errors import BadInput
from scythe.site.learn.page_text import words_of
from scythe.web.auth import NOTHING_POLICY
from scythe.web.fields.field_pages import VALUE_CHARS, Block, ElementView, FieldPage, FieldPages, squeeze
from scythe.web.fields.fields_session import (
    USUAL_NAMES,
    FieldSession,
    FieldSessions,
    Pick,
    SaveResult,
    can_save,
    check_name,
    learn,
    plan_saving,
    restore,
    save,
    say_command,
    write_examples,
    write_page_set,
)
from scythe.web.fields.fields_trial import DOUBTFUL, TrialRow
from scythe.web.frames.frames import find_page
from scythe.web.operations import Operation, RequestInput, Sent, ServedFile, View
from scythe.web.state import PROFILE, BackgroundJob, JobView, NotNow, NotThere, PageAtHand, State, see

SiteKey = Annotated[str, msgspec.Meta(max_length=300, description="the key of a site, or profile")]
Number = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
Name = Annotated[str, msgspec.Meta(max_length=1_000, description="the name of a field, such as price")]
Value = Annotated[str, msgspec.Meta(max_length=4 * VALUE_CHARS)]


class SiteWanted(RequestInput, frozen=True):
    """A site."""

    site: SiteKey = PROFILE


class FieldsShown(RequestInput, frozen=True):
    """A site, and a place to look at first."""

    site: SiteKey = ""
    page: Number | None = None
    element: Number | None = None


class ElementWanted(RequestInput, frozen=True):
    """An element of a page at hand."""

    page: Number
    element: Number


class TextsWanted(RequestInput, frozen=True):
    """Texts of a page at hand that hold some words."""

    page: Number
    text: Annotated[str, msgspec.Meta(max_length=1_000)] = ""


class PickWanted(RequestInput, frozen=True):
    """A value of a field on a page."""

    page: Number
    name: Name
    element: Number | None = None  # without one, `value` must stand somewhere on the page
    attribute: Annotated[str, msgspec.Meta(max_length=100)] = ""  # empty: the text
    value: Value = ""  # a part of what stands there; empty: all of it
    also: bool = False  # besides the values that were shown before, not instead of them


class CellWanted(RequestInput, frozen=True):
    """A field on a page."""

    page: Number
    name: Name


class ForgetWanted(RequestInput, frozen=True):
    """A field, or what was said of it on one page."""

    name: Name
    page: Number | None = None
    site: SiteKey = PROFILE


class SaveWanted(RequestInput, frozen=True):
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
class FieldView:
    """A field that is being shown."""

    name: str
    shown: tuple[ShownOn, ...]
    found: int  # pages that it is found on
    doubtful: int
    changed: int  # pages on which something else is found than before the last change
    why: str  # it was not learned, or not from all pages
    advice: str


@dataclass(frozen=True, slots=True)
class FieldsView:
    """Where picking fields of a site stands."""

    site: str
    pages: tuple[PageListed, ...]
    fields: tuple[FieldView, ...]
    is_tried: bool  # the table is of all that was shown
    rows: tuple[TrialRow, ...]
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


_TEXTS = 200  # of a page that are listed at once
_TEXT_CHARS = 300  # of each
_SHORT_S = 1.5  # learning that takes no longer is answered at once

_ADVICE = (
    ("on none of the example pages", "Pick the whole text of an element, or a part that it writes in one piece."),
    ("fewer than two rules", "Show it on a second page, so that scythe sees what both have in common."),
    ("is not on", "One of the values shown does not stand on its page; look at it again."),
)


def see_fields(state: State, wanted: SiteWanted) -> FieldsView:
    """Say what was shown of a site's fields, and what the rules learned of it find."""
    return _see(state, state.part(FieldSessions).of(wanted.site))


def _see(state: State, session: FieldSession) -> FieldsView:
    trial, known = session.trial, state.load_site(session.site)
    rows = trial.rows if trial is not None and session.names else ()
    pages = [
        PageListed(p.number, p.url or p.name, len(session.shown.get(p.number, ()))) for p in state.pages(session.site)
    ]
    return FieldsView(
        session.site,
        tuple(pages),
        tuple(_see_field(session, name) for name in session.names),
        session.is_tried,
        rows,
        trial.others if trial is not None else 0,
        known.profile.fields if known is not None else (),
        known is not None,
        can_save(state, session.site),
        tuple(plan_saving(state, session)),
        bool(session.past),
        session.before is not None,
        session.saved if session.kept is session.shown else "",
        say_command(state),
    )


def _see_field(session: FieldSession, name: str) -> FieldView:
    trial = session.trial
    shown = tuple(ShownOn(page, picks[name]) for page, picks in session.shown.items() if name in picks)
    cells = [cell for row in (trial.rows if trial else ()) for cell in row.cells if cell.name == name]
    notes = [
        note.partition(f": {name}: ")[2] for note in (trial.taught.notes if trial else ()) if f": {name}: " in note
    ]
    why = notes[0] if notes and session.is_tried else ""
    advice = next((advice for sign, advice in _ADVICE if sign in why), "") if why else ""
    found, doubtful = sum(bool(cell.values) for cell in cells), sum(cell.doubt >= DOUBTFUL for cell in cells)
    changed = trial.changed.get(name, 0) if trial is not None and session.is_tried else 0
    return FieldView(name, shown, found, doubtful, changed, why, advice)


def see_element(state: State, wanted: ElementWanted) -> ElementView:
    """Say what can be taken at an element of a page at hand."""
    with state.part(FieldPages).lock:
        return _open(state, wanted.page).see(wanted.element)


def list_texts(state: State, wanted: TextsWanted) -> Texts:
    """List the texts of a page at hand, to choose from without a mouse."""
    sought = squeeze(wanted.text).casefold()
    with state.part(FieldPages).lock:
        found = [
            block for block in _open(state, wanted.page).blocks() if block.text and sought in block.text.casefold()
        ]
    shown = islice((Block(one.element, one.says, one.text[:_TEXT_CHARS]) for one in found), _TEXTS)
    return Texts(len(found), tuple(shown))


def _open(state: State, page: int) -> FieldPage:
    return state.part(FieldPages).get(find_page(state, page))


def pick_value(state: State, wanted: PickWanted) -> FieldsView:
    """Say that a value, picked by its element or typed, is one of a field."""
    name = check_name(wanted.name)
    page = find_page(state, wanted.page)
    with state.part(FieldPages).lock:
        pick = _pick(_open(state, wanted.page), wanted)
    session = _session(state, page)
    with state.lock:
        old = session.shown.get(page.number, {}).get(name, ()) if wanted.also else ()
        kept = tuple(each for each in old if each.value != pick.value)
        session.show(page.number, name, (*kept, pick))
    return _see(state, session)


def _pick(opened: FieldPage, wanted: PickWanted) -> Pick:
    value = squeeze(wanted.value)
    if wanted.element is None:
        if not value:
            raise BadInput("say which value: an element, or a text that the page shows")
        if not opened.shows(value):
            raise BadInput(f"the page does not show {value!r:.80}")
        return Pick(value, None, "", "typed")
    whole = opened.take(wanted.element, wanted.attribute)
    if value and value not in whole:
        raise BadInput(f"{value!r:.80} does not occur in this element")
    if value and value != whole and words_of(value) == words_of(whole):
        raise BadInput(f"{value!r:.80} has all words of {whole!r:.80}; signs alone cannot be left out, take the whole")
    return Pick(value or whole, wanted.element, wanted.attribute)


def say_none(state: State, wanted: CellWanted) -> FieldsView:
    """Say that a page does not have a field."""
    name = check_name(wanted.name)
    page = find_page(state, wanted.page)
    session = _session(state, page)
    with state.lock:
        session.show(page.number, name, ())
    return _see(state, session)


def accept_found(state: State, wanted: CellWanted) -> FieldsView:
    """Say that what the rules find on a page is right; it counts as shown from then on."""
    page = find_page(state, wanted.page)
    session = _session(state, page)
    with state.lock:
        trial = session.trial
        if trial is None:
            raise NotNow("nothing is learned yet")
        row = next((row for row in trial.rows if row.page == page.number), None)
        cell = next((cell for cell in row.cells if cell.name == wanted.name), None) if row is not None else None
        values = trial.raw.get((page.number, wanted.name), ())
        if cell is None or not values:
            raise NotThere(f"nothing was found for {wanted.name!r:.80} on this page")
        element = cell.elements[0] if cell.elements else None
        session.show(page.number, wanted.name, tuple(Pick(value, element, "", "accepted") for value in values))
    return _see(state, session)


def forget_field(state: State, wanted: ForgetWanted) -> FieldsView:
    """Forget a field, or what was said of it on one page."""
    session = state.part(FieldSessions).of(wanted.site)
    with state.lock:
        session.forget(wanted.name, wanted.page)
    return _see(state, session)


def undo_pick(state: State, wanted: SiteWanted) -> FieldsView:
    """Take the last change back."""
    session = state.part(FieldSessions).of(wanted.site)
    with state.lock:
        session.undo()
    return _see(state, session)


def learn_picked(state: State, wanted: SiteWanted) -> JobView:
    """Learn what was shown and try it on the pages at hand; short work is done when this answers."""
    session = state.part(FieldSessions).of(wanted.site)
    return _started(state, "fields", "Learn fields", lambda job: learn(state, session, job))


def save_fields(state: State, wanted: SaveWanted) -> JobView:
    """Learn what was shown once more, and save it with the profile, which keeps what it has."""
    session = state.part(FieldSessions).of(wanted.site)
    if not can_save(state, wanted.site):
        raise BadInput("there is no file to save to: start again with --profile FILE")
    return _started(state, "fields", "Save fields", lambda job: save(state, session, with_usual=wanted.with_usual))


def _started(state: State, kind: str, title: str, work: Callable[[BackgroundJob], object]) -> JobView:
    job = state.jobs.start(kind, title, work, most=2)
    job.ended.wait(_SHORT_S)
    return see(job)


def restore_profile(state: State, wanted: SiteWanted) -> SaveResult:
    """Put the profile back that was there before the last saving."""
    return restore(state, state.part(FieldSessions).of(wanted.site))


def _session(state: State, page: PageAtHand) -> FieldSession:
    return state.part(FieldSessions).of(page.site)


def show_fields(state: State, wanted: FieldsShown) -> dict[str, Any]:
    """Return what the page for picking fields shows."""
    keys = state.site_keys()
    with_pages = [key for key in keys if state.pages(key)]
    site = wanted.site or next(iter(with_pages or keys), PROFILE)
    if keys and site not in keys:
        raise NotThere(f"there is no site {site!r:.80}")
    pages = state.pages(site)
    numbers = [page.number for page in pages]
    first = wanted.page if wanted.page in numbers else next(iter(numbers), None)
    return {
        "keys": keys,
        "site": site,
        "pages": [{"number": page.number, "label": _label(page)} for page in pages],
        "first": first,
        "names": USUAL_NAMES,
        "doubtful": DOUBTFUL,
        "has_consent": state.has_consent(site),
        "take": {"site": site, "next": f"/fields?site={quote(site)}"},
    }


def _label(page: PageAtHand) -> str:
    """Name a page in a list of pages of one site: by what differs."""
    if page.url is None:
        return page.name
    parts = urlsplit(page.url)
    return parts.path + (f"?{parts.query}" if parts.query else "") or page.url


def send_examples(state: State, wanted: SiteWanted) -> Sent:
    """Send what was shown, by page and field."""
    session = state.part(FieldSessions).of(wanted.site)
    return Sent(write_examples(state, session), "application/json", NOTHING_POLICY, "fields.json")


def send_page_set(state: State, wanted: SiteWanted) -> Sent:
    """Send the pages at hand with what was shown on them."""
    session = state.part(FieldSessions).of(wanted.site)
    body = b"".join(write_page_set(state, session))
    return Sent(body, "application/jsonl", NOTHING_POLICY, "pages.jsonl")


OPERATIONS = (
    Operation("GET", "/api/fields", see_fields, SiteWanted, FieldsView, "What was shown of a site's fields."),
    Operation(
        "GET", "/api/fields/element", see_element, ElementWanted, ElementView, "What can be taken at an element."
    ),
    Operation("GET", "/api/fields/texts", list_texts, TextsWanted, Texts, "The texts of a page at hand."),
    Operation("POST", "/api/fields/pick", pick_value, PickWanted, FieldsView, "Show a value of a field on a page."),
    Operation("POST", "/api/fields/none", say_none, CellWanted, FieldsView, "Say that a page does not have a field."),
    Operation("POST", "/api/fields/accept", accept_found, CellWanted, FieldsView, "Say that what is found is right."),
    Operation("POST", "/api/fields/forget", forget_field, ForgetWanted, FieldsView, "Forget what was shown."),
    Operation("POST", "/api/fields/undo", undo_pick, SiteWanted, FieldsView, "Take the last change back."),
    Operation("POST", "/api/fields/learn", learn_picked, SiteWanted, JobView, "Learn what was shown, and try it."),
    Operation("POST", "/api/fields/save", save_fields, SaveWanted, JobView, "Save the fields with the profile."),
    Operation("POST", "/api/fields/restore", restore_profile, SiteWanted, SaveResult, "Put the earlier profile back."),
)
VIEWS = (View("/fields", "fields.html", show_fields, FieldsShown, area="fields"),)
DOCUMENTS = (
    ServedFile("/fields/examples", send_examples, SiteWanted),
    ServedFile("/fields/pages", send_page_set, SiteWanted),
)
