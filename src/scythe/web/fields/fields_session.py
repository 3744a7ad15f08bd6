"""One person's picked fields of a site, and learning and saving them."""

from __future__ import annotations

import json
import shlex
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from scythe.errors import BadInput
from scythe.page import Page
from scythe.site.learn.layouts import spread
from scythe.site.learn.learn_site import make_lesson_page
from scythe.site.rules import DEFAULT_FIELDS, Profile
from scythe.site.site import Site
from scythe.web.fields.field_pages import FieldPage, FieldPages
from scythe.web.fields.fields_trial import FieldTrial, make_base, teach, try_out
from scythe.web.state import PROFILE, BackgroundJob, NotNow, NotThere, PageAtHand, State

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
    base: tuple[tuple[int, ...], Profile] | None = None  # layouts without fields, of the pages with these ids
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


def examples_of(shown: Shown, page: int) -> dict[str, list[str]] | None:
    """Return what was said of a page in the form that learning takes; None where nothing was."""
    picks = shown.get(page)
    return None if picks is None else {name: [pick.value for pick in given] for name, given in picks.items()}


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
        self._state = state
        self._sessions: dict[str, FieldSession] = {}

    def of(self, site: str) -> FieldSession:
        """Return the session of a site. Raises NotThere where there is no such site."""
        if site not in self._state.site_keys():
            raise NotThere(f"there is no site {site!r:.80}")
        with self._state.lock:
            return self._sessions.setdefault(site, FieldSession(site))


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
        base = _base(state, session, learned)
        examples = [examples_of(shown, page.number) for page in chosen]
        taught = teach(base, learned, examples)
        every = [*chosen, *others]
        before = session.earlier if session.is_tried else session.trial
        trial = try_out(
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


def _base(state: State, session: FieldSession, opened_pages: Sequence[FieldPage]) -> Profile:
    """Return the profile that is there, or bare layouts of the pages, which saving would find too."""
    site = state.load_site(session.site)
    if site is not None:
        return site.profile
    key = tuple(id(opened.at_hand) for opened in opened_pages)
    if session.base is None or session.base[0] != key:
        session.base = (key, make_base([opened.lesson for opened in opened_pages]))
    return session.base[1]


def save(state: State, session: FieldSession, *, with_usual: bool) -> SaveResult:
    """Add what was shown to the profile of a site, which is learned first where there is none. Raises BadInput."""
    shown, names = session.shown, session.names
    if not names:
        raise NotNow("nothing is shown yet: click a value on a page and name it")
    chosen, _ = choose_pages(state, session.site, shown)
    given = [(page.url, page.body) for page in chosen]
    fresh = _learn_first(state, session.site, given, with_usual=with_usual)
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


def _learn_first(state: State, key: str, given: Sequence[tuple[str | None, bytes]], *, with_usual: bool) -> Site | None:
    if state.load_site(key) is not None:
        return None
    if with_usual:
        return Site.learn(given)
    return Site(make_base([make_lesson_page(body, url) for url, body in given]))


def restore(state: State, session: FieldSession) -> SaveResult:
    """Put the profile back that was there before the last saving. Raises NotNow."""
    with state.lock:
        if session.before is None:
            raise NotNow("there is no earlier profile to go back to")
        site = Site.from_json(session.before)
        where = state.save_site(session.site, site)
        session.before, session.saved, session.kept = None, "", None
    return SaveResult(where, site.profile.fields)


def plan_saving(state: State, session: FieldSession) -> list[str]:
    """Say in words what saving would keep, add and replace."""
    names = session.names
    if not names:
        return []
    if session.kept is session.shown:
        return [f"All that you showed is saved in {session.saved}."]
    if not can_save(state, session.site):
        return ["There is no file to save to. Start again with --profile FILE, or use the command below."]
    site = state.load_site(session.site)
    if site is None:
        return [f"A new profile is written, with {_listed(names)}."]
    profile = site.profile
    replaced = [name for name in names if name in profile.fields]
    added = [name for name in names if name not in profile.fields]
    kept = [name for name in profile.fields if name not in names]
    lines = [f"Added: {_listed(added)}."] if added else []
    if replaced:
        lines.append(f"Replaced, on the kinds of pages where you showed it: {_listed(replaced)}.")
    read = [name for name in replaced if name in DEFAULT_FIELDS and name not in profile.named]
    if read:
        lines.append(f"Until now scythe found {_listed(read)} by itself; from then on what you showed counts.")
    if kept:
        lines.append(f"Kept as it is: {_listed(kept)}.")
    if profile.images.labelled:
        lines.append(f"Kept: what people said of images on {len(profile.images.labelled)} pages.")
    if session.trial is not None and session.is_tried:
        taught = session.trial.taught
        lines += [f"New kinds of pages: {len(taught.new)}."] if taught.new else []
        lines += [note for note in taught.notes if not any(f": {name}: " in note for name in names)]
    return lines


def can_save(state: State, site: str) -> bool:
    """Say whether there is a place to save a profile to."""
    return site != PROFILE or state.options.profile is not None


def write_examples(state: State, session: FieldSession) -> bytes:
    """Write what was shown as `scythe learn --examples FILE` reads it: page -> field -> values."""
    pages = {page.number: page for page in state.pages(session.site)}
    rows = {_named(pages[number]): examples_of(session.shown, number) for number in session.shown if number in pages}
    return json.dumps(rows, ensure_ascii=False, indent=1).encode()


def write_page_set(state: State, session: FieldSession) -> Iterator[bytes]:
    """Yield the pages at hand with what was shown on them as `scythe learn FILE` reads them, one a line."""
    for page in state.pages(session.site):
        html = Page.from_bytes(page.body, content_type=page.content_type).html
        row: dict[str, object] = {"url": page.url, "html": html} if page.url else {"html": html}
        example = examples_of(session.shown, page.number)
        yield json.dumps(row if example is None else row | {"fields": example}, ensure_ascii=False).encode() + b"\n"


def say_command(state: State) -> str:
    """Write the command that learns the same without this page."""
    path = state.options.profile
    return f"scythe learn pages.jsonl -o {shlex.quote(path.name if path is not None else 'site.json')}"


def _named(page: PageAtHand) -> str:
    return page.url or page.name


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
