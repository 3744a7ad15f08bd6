"""Extractions of one batch in, pages and versions stored: new, changed, the same, a duplicate, or cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import BindParameter, Connection, bindparam, func, insert, select, update

from scythe.archive.database import Database, write_rows
from scythe.archive.hashes import checksum, digest_text, seconds, storable
from scythe.archive.near import find_near, forget, signed
from scythe.archive.schema import CHECKED, EXTRACTIONS, PAGES, VERSIONS
from scythe.visits import Extracted, Outcome

TEXT_CHARS = 200  # shorter texts ("Not found", "Log in") are equal on pages that are not

_TEXT_AT = func.coalesce(EXTRACTIONS.c.text_of, EXTRACTIONS.c.version).label("text_at")
_WITH_TEXT = select(PAGES, _TEXT_AT).join(EXTRACTIONS, EXTRACTIONS.c.version == PAGES.c.version)
_KNOWN = _WITH_TEXT.where(PAGES.c.id.in_(bindparam("ids", expanding=True)))
_SAME_BODY = select(PAGES.c.id, PAGES.c.body_hash).where(
    PAGES.c.duplicate_of.is_(None), PAGES.c.body_hash.in_(bindparam("hashes", expanding=True))
)
_SAME_TEXT = (
    select(PAGES.c.id, PAGES.c.text_hash, _TEXT_AT)
    .join(EXTRACTIONS, EXTRACTIONS.c.version == PAGES.c.version)
    .where(PAGES.c.duplicate_of.is_(None), PAGES.c.text_hash.in_(bindparam("hashes", expanding=True)))
)
_INSERT_PAGE, _INSERT_VERSION, _INSERT_EXTRACTION = insert(PAGES), insert(VERSIONS), insert(EXTRACTIONS)
_CHANGING = (
    "version", "versions", "is_complete", "body_hash", "text_hash", "simhash", "duplicate_of", "changed_at", "seen_at"
)  # fmt: skip
_CHANGE = (
    update(PAGES)
    .where(PAGES.c.id == bindparam("of"))
    .values(gone_at=None, **{name: bindparam(name) for name in _CHANGING})
)
_SEE = update(PAGES).where(PAGES.c.id == bindparam("of")).values(seen_at=bindparam("at"), gone_at=None)
_MISS = update(PAGES).where(PAGES.c.id == bindparam("of"), PAGES.c.gone_at.is_(None)).values(gone_at=bindparam("at"))
_LEFT: BindParameter[int] = bindparam("ids", expanding=True)
_HEIRS = (
    select(PAGES.c.duplicate_of, func.max(PAGES.c.id))
    .where(PAGES.c.duplicate_of.in_(_LEFT), PAGES.c.id.not_in(_LEFT))
    .group_by(PAGES.c.duplicate_of)
)
_REPOINT = update(PAGES).where(PAGES.c.duplicate_of == bindparam("of")).values(duplicate_of=bindparam("heir"))
_STAND_ALONE = update(PAGES).where(PAGES.c.id == bindparam("heir")).values(duplicate_of=None)


@dataclass(slots=True)
class Shelved:
    """What became of one outcome's page."""

    stored: str = ""
    version: int | None = None
    duplicate_of: int | None = None
    near: int | None = None


@dataclass(slots=True)
class _Plan:
    """One version to be written."""

    outcome: Outcome
    extracted: Extracted
    shelved: Shelved
    known: Any  # the page's row before, or None
    body_hash: bytes
    text: str
    text_hash: bytes | None
    text_at: int | None = None  # version that holds the same text
    version: int = 0

    @property
    def page(self) -> int:
        return self.outcome.task.id

    @property
    def is_complete(self) -> bool:
        return self.outcome.cut_at_bytes is None

    @property
    def simhash(self) -> int | None:
        if self.extracted.simhash is None or not self.is_complete or self.outcome.task.kind == "list":
            return None
        return signed(self.extracted.simhash)


@dataclass(slots=True)
class _Content:
    """Pages by content: those of the archive and those of this batch so far."""

    bodies: dict[bytes, int] = field(default_factory=dict)  # -> page
    texts: dict[bytes, tuple[int | None, int]] = field(default_factory=dict)  # -> page, version that holds it


def shelve(database: Database, connection: Connection, outcomes: Sequence[Outcome]) -> list[Shelved]:
    """Store pages, versions and extractions of outcomes, each of another address; tell what became of each."""
    known = {row.id: row for row in connection.execute(_KNOWN, {"ids": [outcome.task.id for outcome in outcomes]})}
    plans: list[_Plan] = []
    seen, missed, shelves = [], [], []
    for outcome in outcomes:
        page = known.get(outcome.task.id)
        plan = _plan(outcome, page)
        shelved = Shelved()
        at = {"of": outcome.task.id, "at": seconds(outcome.at)}
        if plan is not None:
            plans.append(plan)
            shelved = plan.shelved
        elif page is not None and (outcome.extracted is not None or outcome.is_unchanged):
            shelved = Shelved("cut" if outcome.cut_at_bytes is not None else "same", page.version, page.duplicate_of)
            seen.append(at)
        elif page is not None and outcome.state == "gone":
            missed.append(at)
        shelves.append(shelved)
    write_rows(connection, _SEE, seen)
    write_rows(connection, _MISS, missed)
    if plans:
        _write(database, connection, plans)
    return shelves


def _plan(outcome: Outcome, known: Any) -> _Plan | None:
    """Return the version to be written for an outcome, or None where there is nothing new to write."""
    extracted = outcome.extracted
    if extracted is None:
        return None
    is_cut = outcome.cut_at_bytes is not None
    if known is not None and is_cut:  # never a change; and two cuts of one page are not two versions
        return None
    text = storable(extracted.text)
    text_hash = digest_text(text)
    is_list = (
        outcome.task.kind == "list"
    )  # of which the records are kept, not what it looked like: one version is enough
    body_hash = digest_text(f"list {outcome.task.id}") if is_list else outcome.body_hash or text_hash
    if known is not None and known.is_complete and bytes(known.body_hash) == body_hash:
        return None
    stored = "cut" if is_cut else "changed" if known is not None and known.is_complete else "new"
    told = not is_cut and not is_list and len(text) >= TEXT_CHARS
    return _Plan(outcome, extracted, Shelved(stored), known, body_hash, text, text_hash if told else None)


def _write(database: Database, connection: Connection, plans: Sequence[_Plan]) -> None:
    for plan, version in zip(plans, database.take_ids(connection, VERSIONS, len(plans)), strict=True):
        plan.version = plan.shelved.version = version
    changed = [plan for plan in plans if plan.known is not None]
    if changed:
        _let_copies_go(connection, [plan.page for plan in changed])
        forget(connection, [(p.known.site, p.page, p.known.simhash) for p in changed if p.known.simhash is not None])
    content = _look_up(connection, plans)
    for plan in plans:
        _compare(plan, content)
    _insert_pages(connection, [plan for plan in plans if plan.known is None])
    write_rows(connection, _CHANGE, [{"of": plan.page, **_page_row(plan)} for plan in changed])
    fingerprints = [
        (plan.outcome.task.site, plan.page, plan.simhash)
        for plan in plans
        if plan.simhash is not None and plan.shelved.duplicate_of is None
    ]
    near = find_near(connection, fingerprints)
    for plan in plans:
        plan.shelved.near = near.get(plan.page)
    write_rows(connection, _INSERT_VERSION, [_version_row(plan) for plan in plans])
    # whatever holds a text comes before what points to it
    write_rows(connection, _INSERT_EXTRACTION, [_extraction_row(plan) for plan in plans])


def _let_copies_go(connection: Connection, pages: Sequence[int]) -> None:
    """Make one copy of each changed page, none that changes too, the one that the others are duplicates of.

    The newest: where all copies change one after the other, as a site is visited again, the oldest would be the next
    to go, and all others would be written again each time.
    """
    heirs = [{"of": of, "heir": heir} for of, heir in connection.execute(_HEIRS, {"ids": list(pages)})]
    write_rows(connection, _REPOINT, heirs)
    write_rows(connection, _STAND_ALONE, [{"heir": row["heir"]} for row in heirs])


def _look_up(connection: Connection, plans: Sequence[_Plan]) -> _Content:
    """Find the pages with content of these plans; those that are about to change lend their texts, no more."""
    content = _Content()
    leaving = {plan.page for plan in plans if plan.known is not None}
    bodies = [plan.body_hash for plan in plans if plan.is_complete]
    if bodies:
        for page, body_hash in connection.execute(_SAME_BODY, {"hashes": bodies}):
            if page not in leaving:
                content.bodies[bytes(body_hash)] = page
    texts = [plan.text_hash for plan in plans if plan.text_hash is not None]
    if texts:
        for page, text_hash, version in connection.execute(_SAME_TEXT, {"hashes": texts}):
            if page not in leaving:
                content.texts[bytes(text_hash)] = (page, version)
            else:
                content.texts.setdefault(bytes(text_hash), (None, version))
    return content


def _compare(plan: _Plan, content: _Content) -> None:
    """Find what has the same content among the archive and the plans before this one, then add this one."""
    if not plan.is_complete:
        return
    same = content.bodies.get(plan.body_hash)
    if plan.text_hash is not None:
        page, plan.text_at = content.texts.get(plan.text_hash, (None, None))
        same = same or page
        if plan.text_at is None and plan.known is not None and plan.known.text_hash == plan.text_hash:
            plan.text_at = plan.known.text_at  # a copy until now, of which only what is around the text changed
    if same is not None:
        plan.shelved.duplicate_of = same
        if plan.shelved.stored == "new":
            plan.shelved.stored = "duplicate"
        return
    content.bodies[plan.body_hash] = plan.page
    if plan.text_hash is not None:
        content.texts[plan.text_hash] = (plan.page, plan.text_at or plan.version)


def _insert_pages(connection: Connection, plans: Sequence[_Plan]) -> None:
    rows = [
        {"id": plan.page, "site": plan.outcome.task.site, "first_at": seconds(plan.outcome.at), **_page_row(plan)}
        for plan in plans
    ]
    write_rows(connection, _INSERT_PAGE, rows)


def _page_row(plan: _Plan) -> dict[str, Any]:
    at = seconds(plan.outcome.at)
    return {
        "version": plan.version,
        "versions": 1 if plan.known is None else plan.known.versions + 1,
        "is_complete": plan.is_complete,
        "body_hash": plan.body_hash if plan.is_complete else b"",
        "text_hash": plan.text_hash,
        "simhash": plan.simhash,
        "duplicate_of": plan.shelved.duplicate_of,
        "changed_at": at,
        "seen_at": at,
    }


def _version_row(plan: _Plan) -> dict[str, Any]:
    outcome = plan.outcome
    return {
        "id": plan.version,
        "page": plan.page,
        "number": 1 if plan.known is None else plan.known.versions + 1,
        "at": seconds(outcome.at),
        "body_hash": plan.body_hash,
        "size": outcome.size,
        "content_type": storable(outcome.content_type),
        "is_complete": plan.is_complete,
        "duplicate_of": plan.shelved.duplicate_of,
        "near": plan.shelved.near,
    }


def _extraction_row(plan: _Plan) -> dict[str, Any]:
    extracted = plan.extracted
    row: dict[str, Any] = {
        "version": plan.version,
        "text_of": plan.text_at,
        "title": storable(extracted.title),
        "text": plan.text if plan.text_at is None else None,
        "markdown": None if extracted.markdown is None else storable(extracted.markdown),
        "html": None if extracted.html is None else storable(extracted.html),
        "rest": storable(extracted.rest),
        "kind": storable(extracted.kind),
        "language": storable(extracted.language),
        "published": storable(extracted.published),
        "how": extracted.how,
        "cut_fields": extracted.cut_fields,
        "tree_fields": extracted.tree_fields,
        "missing_fields": extracted.missing_fields,
    }
    row["checksum"] = checksum([row[name] for name in CHECKED[EXTRACTIONS.name]])
    return row
