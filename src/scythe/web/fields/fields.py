"""Pick fields: choose an element and name it, check what is found on the other pages, correct it and save."""

from __future__ import annotations

import json
import shlex
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Annotated, Any
from urllib.parse import quote, urlsplit

import msgspec

from scythe.errors import BadInput
from scythe.model import DEFAULT_FIELDS
from scythe.page import Page
from scythe.site.rules import Profile
from scythe.site.site import Site
from scythe.site.url_clusters import spread
from scythe.site.value_places import words_of
from scythe.web.auth import NOTHING_POLICY
from scythe.web.fields.field_pages import VALUE_CHARS, Block, ElementView, FieldPage, FieldPages, squeeze
from scythe.web.fields.fields_trial import DOUBTFUL, FieldTrial, TrialRow, teach, try_out
from scythe.web.operations import RequestInput, Sent, SiteKey, WebArea
from scythe.web.state import PROFILE, BackgroundJob, JobView, NotNow, NotThere, PageAtHand, State, see

AREA = WebArea("fields", __doc__)

NAME_CHARS = 60  # of a field; it is the head of a column
FIELDS = 50  # of one session
VALUES = 200  # of one field and page
_UNDONE = 200  # steps that can be taken back
# what is asked for elsewhere, and has no single value
_ELSEWHERE = {"images": "Annotate", "records": "Records"}
USUAL_NAMES = "title price author date name description category rating image link address phone maker size".split()


@dataclass(frozen=True, slots=True)
class Pick:
    """One value that somebody says a page has."""

    value: str
    element: int | None = None  # its number on the page; None: typed, or from the head
    attribute: str = ""  # empty: it is, or is in, the element's text
    by: str = "picked"  # picked, typed, accepted


Picks = Mapping[str, tuple[Pick, ...]]  # by field; (): the page has none
Shown = Mapping[int, Picks]  # by page


@dataclass
class FieldSession:
    """One site's fields, as they are being picked. Whoever changes it holds the lock of the state."""

    site: str
    shown: Shown = field(default_factory=dict)
    past: list[Shown] = field(default_factory=list)
    trial: FieldTrial | None = None  # what was learned last
    tried: Shown | None = None  # ... and of what
    earlier: FieldTrial | None = None  # what was learned before the last change
    saved: str = ""  # where to
    kept: Shown | None = None  # what was saved
    before: str | None = None  # the profile that was there before, as text

    @property
    def names(self) -> list[str]:
        """The fields shown, in the order they came."""
        return list(dict.fromkeys(name for picks in self.shown.values() for name in picks))

    @property
    def is_tried(self) -> bool:
        """Whether what was learned last is of all that is shown."""
        return self.trial is not None and self.tried is self.shown

    def show(self, page: int, name: str, picks: tuple[Pick, ...]) -> None:
        """Say what a page has of a field. Raises BadInput where it is too much."""
        if name not in self.names and len(self.names) >= FIELDS:
            raise BadInput(f"at most {FIELDS} fields are possible")
        if len(picks) > VALUES:
            raise BadInput(f"at most {VALUES} values per page are possible")
        self._change({**self.shown, page: {**self.shown.get(page, {}), name: picks}})

    def forget(self, name: str, page: int | None) -> None:
        """Forget a field, or what was said of it on one page. Raises NotThere."""
        pages = [number for number, picks in self.shown.items() if name in picks and page in (None, number)]
        if not pages:
            raise NotThere(f"nothing was shown of {name!r:.80}")
        left = {
            number: {each: values for each, values in picks.items() if each != name or number not in pages}
            for number, picks in self.shown.items()
        }
        self._change({number: picks for number, picks in left.items() if picks})

    def undo(self) -> None:
        """Take the last change back. Raises NotNow where there is none."""
        if not self.past:
            raise NotNow("there is nothing to take back")
        self.shown = self.past.pop()

    def _change(self, shown: Shown) -> None:
        self.past = [*self.past[1 - _UNDONE :], self.shown]
        self.shown = shown


def examples_of(shown: Shown, page: int) -> dict[str, tuple[str, ...]] | None:
    """Return what was said of a page in the form that learning takes; None where nothing was."""
    picks = shown.get(page)
    return None if picks is None else {name: tuple(pick.value for pick in given) for name, given in picks.items()}


def check_name(given: str) -> str:
    """Return the name of a field as it is kept. Raises BadInput with the reason where it cannot be one."""
    name = " ".join(unicodedata.normalize("NFC", given).split())
    if not name:
        raise BadInput("the field needs a name, such as price")
    if len(name) > NAME_CHARS:
        raise BadInput(f"the name of a field has {NAME_CHARS} characters at most, this one {len(name)}")
    if not name.isprintable():
        raise BadInput("the name has a character that cannot be seen; write it with letters, digits and spaces")
    if name.lower() in _ELSEWHERE:
        raise BadInput(f"{name} are not fields with a value; use the page {_ELSEWHERE[name.lower()]!r}")
    return name


class FieldSessions:
    """All sessions of a state, one for each site."""

    def __init__(self, state: State) -> None:
        self.by_site: dict[str, FieldSession] = {}


def session_of(state: State, site: str) -> FieldSession:
    """Return the session of a site. Raises NotThere where there is no such site."""
    key = state.site_key(site)
    if key not in state.site_keys():
        raise NotThere(f"there is no site {key!r:.80}")
    with state.lock:
        return state.part(FieldSessions).by_site.setdefault(key, FieldSession(key))


LEARNED_FROM = 40  # pages, those with examples among them: as many as `scythe learn` takes
TRIED_ON = 200  # pages in the table; each takes some 10 ms


@dataclass(frozen=True, slots=True)
class LearnResult:
    """That something was learned, and how it went."""

    names: tuple[str, ...]
    pages: int
    doubtful: int  # cells worth a look
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SaveResult:
    """Where a profile is now."""

    where: str
    fields: tuple[str, ...]  # all that it has
    notes: tuple[str, ...] = ()


def learn(state: State, session: FieldSession, job: BackgroundJob) -> LearnResult:
    """Learn what was shown and try it on the pages at hand; the session has the outcome. Raises NotNow."""
    shown, names = session.shown, session.names
    if not names:
        raise NotNow("nothing is shown yet: click a value on a page and name it")
    chosen, others = choose_pages(state, session.site, shown)
    opened_pages = state.part(FieldPages)
    total = len(chosen) + len(others)
    job.step(0, total, "learning")
    with opened_pages.lock:
        learned = [opened_pages.get(page) for page in chosen]
        known = state.load_site(session.site)
        examples = [examples_of(shown, page.number) for page in chosen]
        site, taught = teach(known.profile if known is not None else Profile(()), learned, examples)
        every = [*chosen, *others]
        before = session.earlier if session.is_tried else session.trial
        trial = try_out(
            site.profile,
            taught,
            names,
            [partial(opened_pages.get, page) for page in every],
            [*examples, *[None] * len(others)],
            lambda done: job.step(done, total, "trying"),
            before.raw if before is not None else {},
        )
    with state.lock:
        session.trial, session.tried, session.earlier = trial, shown, before
    return LearnResult(tuple(names), len(every), trial.doubtful, taught.notes)


def choose_pages(state: State, site: str, shown: Shown) -> tuple[list[PageAtHand], list[PageAtHand]]:
    """Return the pages that are learned from, and those that it is tried on besides."""
    pages = state.pages(site)
    named = [page for page in pages if page.number in shown]
    rest = [page for page in pages if page.number not in shown]
    count = max(0, LEARNED_FROM - len(named))
    more = spread(rest, count) if count else []
    chosen = {page.number for page in (*named, *more)}
    others = [page for page in rest if page.number not in chosen]
    return [page for page in pages if page.number in chosen], others[: max(0, TRIED_ON - len(chosen))]


def save(state: State, session: FieldSession, *, with_usual: bool) -> SaveResult:
    """Add what was shown to the profile of a site, which is learned first where there is none. Raises BadInput."""
    shown, names = session.shown, session.names
    if not names:
        raise NotNow("nothing is shown yet: click a value on a page and name it")
    chosen, _ = choose_pages(state, session.site, shown)
    given = [(page.url, page.body) for page in chosen]
    is_new = state.load_site(session.site) is None
    fresh = (Site.learn(given) if with_usual else Site(Profile(()))) if is_new else None
    with state.lock:  # nobody saves in between
        old = state.load_site(session.site)
        before = old.to_json() if old is not None else None
        site = old or fresh
        if site is None:
            raise NotNow("the profile went away meanwhile; save again")
        taught = site.add_fields(given, [examples_of(shown, page.number) for page in chosen])
        learned = {rules.name for layout in site.profile.layouts for rules in layout.fields}
        if not learned & set(names):
            raise BadInput(f"nothing could be learned from the examples: {'; '.join(taught.notes)}")
        where = state.save_site(session.site, site)
        session.saved, session.before, session.kept = where, before, shown
    return SaveResult(where, site.profile.fields, taught.notes)


def plan_saving(state: State, session: FieldSession) -> list[str]:
    """Say in words what saving would keep, add and replace."""
    names = session.names
    if not names:
        return []
    if session.kept is session.shown:
        return [f"All that you showed is saved in {session.saved}."]
    if not state.has_place(session.site):
        return ["There is no file to save to. Start again with --profile FILE, or use the command below."]
    site = state.load_site(session.site)
    if site is None:
        return [f"A new profile is written, with {', '.join(names)}."]
    profile = site.profile
    replaced = [name for name in names if name in profile.fields]
    added = [name for name in names if name not in profile.fields]
    kept = [name for name in profile.fields if name not in names]
    lines = [f"Added: {', '.join(added)}."] if added else []
    if replaced:
        lines.append(f"Replaced, on the kinds of pages where you showed it: {', '.join(replaced)}.")
    read = [name for name in replaced if name in DEFAULT_FIELDS and name not in profile.named]
    if read:
        lines.append(f"Until now scythe found {', '.join(read)} by itself; from then on what you showed counts.")
    if kept:
        lines.append(f"Kept as it is: {', '.join(kept)}.")
    if profile.images.labelled:
        lines.append(f"Kept: what people said of images on {len(profile.images.labelled)} pages.")
    if session.trial is not None and session.is_tried:
        taught = session.trial.taught
        lines += [f"New kinds of pages: {len(taught.new)}."] if taught.new else []
        lines += [note for note in taught.notes if not any(f": {name}: " in note for name in names)]
    return lines


Number = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
Name = Annotated[str, msgspec.Meta(max_length=1_000, description="the name of a field, such as price")]
Value = Annotated[str, msgspec.Meta(max_length=4 * VALUE_CHARS)]


class PickWanted(RequestInput, frozen=True):
    """A value of a field on a page."""

    page: Number
    name: Name
    element: Number | None = None  # without one, `value` must stand somewhere on the page
    attribute: Annotated[str, msgspec.Meta(max_length=100)] = ""  # empty: the text
    value: Value = ""  # a part of what stands there; empty: all of it
    also: bool = False  # besides the values that were shown before, not instead of them


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


@AREA.get("/api/fields")
def see_fields(state: State, site: SiteKey = "") -> FieldsView:
    """Say what was shown of a site's fields, and what the rules learned of it find."""
    return _see(state, session_of(state, site))


def _see(state: State, session: FieldSession) -> FieldsView:
    trial, known, path = session.trial, state.load_site(session.site), state.options.profile
    rows = trial.rows if trial is not None and session.names else ()
    shown = ((page, len(session.shown.get(page.number, ()))) for page in state.pages(session.site))
    return FieldsView(
        session.site,
        tuple(PageListed(page.number, page.url or page.name, count) for page, count in shown),
        tuple(_see_field(session, name) for name in session.names),
        session.is_tried,
        rows,
        trial.others if trial is not None else 0,
        known.profile.fields if known is not None else (),
        known is not None,
        state.has_place(session.site),
        tuple(plan_saving(state, session)),
        bool(session.past),
        session.before is not None,
        session.saved if session.kept is session.shown else "",
        f"scythe learn pages.jsonl -o {shlex.quote(path.name if path is not None else 'site.json')}",
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


@AREA.get("/api/fields/element")
def see_element(state: State, page: Number, element: Number) -> ElementView:
    """Say what can be taken at an element of a page at hand."""
    with state.part(FieldPages).lock:
        return _open(state, page).see(element)


@AREA.get("/api/fields/texts")
def list_texts(state: State, page: Number, text: Annotated[str, msgspec.Meta(max_length=1_000)] = "") -> Texts:
    """List the texts of a page at hand, to choose from without a mouse."""
    sought = squeeze(text).casefold()
    with state.part(FieldPages).lock:
        found = [block for block in _open(state, page).blocks() if block.text and sought in block.text.casefold()]
    shown = islice((Block(one.element, one.says, one.text[:_TEXT_CHARS]) for one in found), _TEXTS)
    return Texts(len(found), tuple(shown))


def _open(state: State, page: int) -> FieldPage:
    return state.part(FieldPages).get(state.page(page))


@AREA.post("/api/fields/pick")
def pick_value(state: State, wanted: PickWanted) -> FieldsView:
    """Say that a value, picked by its element or typed, is one of a field."""
    name = check_name(wanted.name)
    page = state.page(wanted.page)
    with state.part(FieldPages).lock:
        pick = _pick(_open(state, wanted.page), wanted)
    session = session_of(state, page.site)
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


@AREA.post("/api/fields/none")
def say_none(state: State, page: Number, name: Name) -> FieldsView:
    """Say that a page does not have a field."""
    name = check_name(name)
    session = session_of(state, state.page(page).site)
    with state.lock:
        session.show(page, name, ())
    return _see(state, session)


@AREA.post("/api/fields/accept")
def accept_found(state: State, page: Number, name: Name) -> FieldsView:
    """Say that what the rules find on a page is right; it counts as shown from then on."""
    session = session_of(state, state.page(page).site)
    with state.lock:
        trial = session.trial
        if trial is None:
            raise NotNow("nothing is learned yet")
        row = next((row for row in trial.rows if row.page == page), None)
        cell = next((cell for cell in (row.cells if row else ()) if cell.name == name), None)
        values = trial.raw.get((page, name), ())
        if cell is None or not values:
            raise NotThere(f"nothing was found for {name!r:.80} on this page")
        element = cell.elements[0] if cell.elements else None
        session.show(page, name, tuple(Pick(value, element, "", "accepted") for value in values))
    return _see(state, session)


@AREA.post("/api/fields/forget")
def forget_field(state: State, name: Name, page: Number | None = None, site: SiteKey = PROFILE) -> FieldsView:
    """Forget a field, or what was said of it on one page."""
    session = session_of(state, site)
    with state.lock:
        session.forget(name, page)
    return _see(state, session)


@AREA.post("/api/fields/undo")
def undo_pick(state: State, site: SiteKey = "") -> FieldsView:
    """Take the last change back."""
    session = session_of(state, site)
    with state.lock:
        session.undo()
    return _see(state, session)


@AREA.post("/api/fields/learn")
def learn_picked(state: State, site: SiteKey = "") -> JobView:
    """Learn what was shown and try it on the pages at hand; short work is done when this answers."""
    session = session_of(state, site)
    return _started(state, "fields", "Learn fields", lambda job: learn(state, session, job))


@AREA.post("/api/fields/save")
def save_fields(
    state: State,
    site: SiteKey = PROFILE,
    with_usual: bool = True,  # also learn title, text, date, author, images and records, where there is no profile yet
) -> JobView:
    """Learn what was shown once more, and save it with the profile, which keeps what it has."""
    session = session_of(state, site)
    state.require_place(site)
    return _started(state, "fields", "Save fields", lambda job: save(state, session, with_usual=with_usual))


def _started(state: State, kind: str, title: str, work: Callable[[BackgroundJob], object]) -> JobView:
    job = state.jobs.start(kind, title, work, most=2)
    job.ended.wait(_SHORT_S)
    return see(job)


@AREA.post("/api/fields/restore")
def restore_profile(state: State, site: SiteKey = "") -> SaveResult:
    """Put the profile back that was there before the last saving."""
    session = session_of(state, site)
    with state.lock:
        if session.before is None:
            raise NotNow("there is no earlier profile to go back to")
        restored = Site.from_json(session.before)
        where = state.save_site(session.site, restored)
        session.before, session.saved, session.kept = None, "", None
    return SaveResult(where, restored.profile.fields)


@AREA.view("/fields", "fields.html")
def show_fields(
    state: State, site: SiteKey = "", page: Number | None = None, element: Number | None = None
) -> dict[str, Any]:
    """Return what the page for picking fields shows."""
    keys = state.site_keys()
    with_pages = [key for key in keys if state.pages(key)]
    site = site or next(iter(with_pages or keys), PROFILE)
    if keys and site not in keys:
        raise NotThere(f"there is no site {site!r:.80}")
    pages = state.pages(site)
    numbers = [page.number for page in pages]
    first = page if page in numbers else next(iter(numbers), None)
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


@AREA.file("/fields/examples")
def send_examples(state: State, site: SiteKey = "") -> Sent:
    """Send what was shown, by page and field, as `scythe learn --examples FILE` reads it."""
    session = session_of(state, site)
    pages = {page.number: page for page in state.pages(session.site)}
    shown = [number for number in session.shown if number in pages]
    rows = {pages[number].url or pages[number].name: examples_of(session.shown, number) for number in shown}
    body = json.dumps(rows, ensure_ascii=False, indent=1).encode()
    return Sent(body, "application/json", NOTHING_POLICY, "fields.json")


@AREA.file("/fields/pages")
def send_page_set(state: State, site: SiteKey = "") -> Sent:
    """Send the pages at hand with what was shown on them, as `scythe learn FILE` reads them, one a line."""
    session = session_of(state, site)
    lines = []
    for page in state.pages(session.site):
        row: dict[str, object] = {"url": page.url} if page.url else {}
        row["html"] = Page.from_bytes(page.body, content_type=page.content_type).html
        example = examples_of(session.shown, page.number)
        lines.append(json.dumps(row if example is None else row | {"fields": example}, ensure_ascii=False))
    body = "".join(f"{line}\n" for line in lines).encode()
    return Sent(body, "application/jsonl", NOTHING_POLICY, "pages.jsonl")
