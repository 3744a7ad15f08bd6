"""Learn and save what was shown: a sitting comes in, a trial on all pages, then a profile with the fields goes out."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from scythe.errors import BadInput
from scythe.learn.urls import spread
from scythe.page import Page
from scythe.rules import Profile
from scythe.site import Site
from scythe.teaching.teach import DEFAULT_FIELDS, make_lesson
from scythe.web.fields_sheet import Sheet, Sheets
from scythe.web.fields_sitting import Shown, Sitting, examples_of
from scythe.web.fields_trial import make_base, teach, try_out
from scythe.web.jobs import Job
from scythe.web.operation import NotNow
from scythe.web.room import PROFILE, PageAtHand, Room

LEARNED_FROM = 40  # pages, those with examples among them: as many as `scythe learn` takes
TRIED_ON = 200  # pages in the table; each takes some 10 ms


@dataclass(frozen=True, slots=True)
class Learned:
    """That something was learned, and how it went."""

    names: tuple[str, ...]
    pages: int
    doubtful: int  # cells worth a look
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Saved:
    """Where a profile is now."""

    where: str
    fields: tuple[str, ...]  # all that it has
    notes: tuple[str, ...] = ()


def learn(room: Room, sitting: Sitting, job: Job) -> Learned:
    """Learn what was shown and try it on the pages at hand; the sitting has the outcome. Raises NotNow."""
    shown, names = sitting.shown, sitting.names
    if not names:
        raise NotNow("nothing is shown yet: click a value on a page and name it")
    chosen, others = choose_pages(room, sitting.site, shown)
    sheets = room.part(Sheets)
    total = len(chosen) + len(others)
    job.step(0, total, "learning")
    with sheets.lock:
        learned = [sheets.get(page) for page in chosen]
        base = _base(room, sitting, learned)
        examples = [examples_of(shown, page.number) for page in chosen]
        taught = teach(base, learned, examples)
        every = [*chosen, *others]
        before = sitting.earlier if sitting.is_tried else sitting.trial
        trial = try_out(
            taught,
            names,
            [partial(sheets.get, page) for page in every],
            [*examples, *[None] * len(others)],
            lambda done: job.step(done, total, "trying"),
            before.raw if before is not None else {},
        )
    with room.lock:
        sitting.trial, sitting.tried, sitting.earlier = trial, shown, before
    return Learned(tuple(names), len(every), trial.doubtful, taught.notes)


def choose_pages(room: Room, site: str, shown: Shown) -> tuple[list[PageAtHand], list[PageAtHand]]:
    """Return the pages that are learned from, and those that it is tried on besides."""
    pages = room.pages(site)
    named = [page for page in pages if page.number in shown]
    rest = [page for page in pages if page.number not in shown]
    count = max(0, LEARNED_FROM - len(named))
    more = spread(rest, count) if count else []
    chosen = {page.number for page in (*named, *more)}
    others = [page for page in rest if page.number not in chosen]
    return [page for page in pages if page.number in chosen], others[: max(0, TRIED_ON - len(chosen))]


def _base(room: Room, sitting: Sitting, sheets: Sequence[Sheet]) -> Profile:
    """Return the profile that is there, or bare layouts of the pages, which saving would find too."""
    site = room.load_site(sitting.site)
    if site is not None:
        return site.profile
    key = tuple(id(sheet.at_hand) for sheet in sheets)
    if sitting.base is None or sitting.base[0] != key:
        sitting.base = (key, make_base([sheet.lesson for sheet in sheets]))
    return sitting.base[1]


def save(room: Room, sitting: Sitting, *, with_usual: bool) -> Saved:
    """Add what was shown to the profile of a site, which is learned first where there is none. Raises BadInput."""
    shown, names = sitting.shown, sitting.names
    if not names:
        raise NotNow("nothing is shown yet: click a value on a page and name it")
    chosen, _ = choose_pages(room, sitting.site, shown)
    given = [(page.url, page.body) for page in chosen]
    fresh = _learn_first(room, sitting.site, given, with_usual=with_usual)
    with room.lock:  # nobody saves in between
        old = room.load_site(sitting.site)
        before = old.to_json() if old is not None else None
        site = old or fresh
        if site is None:
            raise NotNow("the profile went away meanwhile; save again")
        taught = site.add_fields(given, [examples_of(shown, page.number) for page in chosen])
        learned = {rules.name for layout in site.profile.layouts for rules in layout.fields}
        if not learned & set(names):
            raise BadInput(f"nothing could be learned of what was shown: {'; '.join(taught.notes)}")
        where = room.save_site(sitting.site, site)
        sitting.saved, sitting.before, sitting.kept = where, before, shown
    return Saved(where, site.profile.fields, taught.notes)


def _learn_first(room: Room, key: str, given: Sequence[tuple[str | None, bytes]], *, with_usual: bool) -> Site | None:
    if room.load_site(key) is not None:
        return None
    if with_usual:
        return Site.learn(given)
    return Site(make_base([make_lesson(body, url) for url, body in given]))


def restore(room: Room, sitting: Sitting) -> Saved:
    """Put the profile back that was there before the last saving. Raises NotNow."""
    with room.lock:
        if sitting.before is None:
            raise NotNow("there is no earlier profile to go back to")
        site = Site.from_json(sitting.before)
        where = room.save_site(sitting.site, site)
        sitting.before, sitting.saved, sitting.kept = None, "", None
    return Saved(where, site.profile.fields)


def plan_saving(room: Room, sitting: Sitting) -> list[str]:
    """Say in words what saving would keep, add and replace."""
    names = sitting.names
    if not names:
        return []
    if sitting.kept is sitting.shown:
        return [f"All that you showed is saved in {sitting.saved}."]
    if not can_save(room, sitting.site):
        return ["There is no file to save to. Start again with --profile FILE, or use the command below."]
    site = room.load_site(sitting.site)
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
    if sitting.trial is not None and sitting.is_tried:
        taught = sitting.trial.taught
        lines += [f"New kinds of pages: {len(taught.new)}."] if taught.new else []
        lines += [note for note in taught.notes if not any(f": {name}: " in note for name in names)]
    return lines


def can_save(room: Room, site: str) -> bool:
    """Say whether there is a place to save a profile to."""
    return site != PROFILE or room.options.profile is not None


def write_examples(room: Room, sitting: Sitting) -> bytes:
    """Write what was shown as `scythe learn --examples FILE` reads it: page -> field -> values."""
    pages = {page.number: page for page in room.pages(sitting.site)}
    rows = {_named(pages[number]): examples_of(sitting.shown, number) for number in sitting.shown if number in pages}
    return json.dumps(rows, ensure_ascii=False, indent=1).encode()


def write_page_set(room: Room, sitting: Sitting) -> Iterator[bytes]:
    """Yield the pages at hand with what was shown on them as `scythe learn FILE` reads them, one a line."""
    for page in room.pages(sitting.site):
        html = Page.from_bytes(page.body, content_type=page.content_type).html
        row: dict[str, object] = {"url": page.url, "html": html} if page.url else {"html": html}
        example = examples_of(sitting.shown, page.number)
        yield json.dumps(row if example is None else row | {"fields": example}, ensure_ascii=False).encode() + b"\n"


def say_command(room: Room) -> str:
    """Write the command that learns the same without this page."""
    path = room.options.profile
    return f"scythe learn pages.jsonl -o {shlex.quote(path.name if path is not None else 'site.json')}"


def _named(page: PageAtHand) -> str:
    return page.url or page.name


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
