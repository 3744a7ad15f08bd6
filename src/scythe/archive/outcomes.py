"""Store the outcomes of visits in one transaction: URL states, pages, versions, duplicates and records.

Near-duplicates are found by 64-bit fingerprints that differ in at most three bits, looked up in four bands (Manku et
al.: Detecting Near-Duplicates for Web Crawling, WWW 2007). They are only a hint; nothing is left out because of them.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import BindParameter, Connection, bindparam, delete, func, insert, select, update

from scythe.archive.archive import Archive, in_parts, insert_new, write_rows
from scythe.archive.bodies import keep, put_aside, tend
from scythe.archive.frontier import add_found, waiting_among
from scythe.archive.host_leases import LONGEST_LIST_S, LONGEST_S
from scythe.archive.observations import note_looks
from scythe.archive.schema import (
    CHECKED,
    EXTRACTIONS,
    FETCHES,
    NEAR,
    PAGES,
    URLS,
    VERSIONS,
    checksum,
    digest_text,
    seconds,
    storable,
)
from scythe.archive.stored_records import Reread, sight
from scythe.crawl_model import STATES, WAITING, Extracted, Outcome, Receipt
from scythe.errors import BadInput
from scythe.version import version

BANDS, BAND_BITS = 4, 16
BITS_APART = 3
BUCKET = 64

_LOOK = select(NEAR.c.bucket, NEAR.c.page, NEAR.c.simhash).where(
    NEAR.c.bucket.in_(bindparam("buckets", expanding=True))
)
_DROP = delete(NEAR).where(NEAR.c.bucket == bindparam("in_bucket"), NEAR.c.page == bindparam("of_page"))


def signed(simhash: int) -> int:
    """Return an unsigned number of 64 bits as the signed one that databases hold."""
    return simhash - 2**64 if simhash >= 2**63 else simhash


def find_near(connection: Connection, pages: Sequence[tuple[int, int, int]]) -> dict[int, int]:
    """Return the near page of each (site, page, signed fingerprint) that has one; the others are put down."""
    if not pages:
        return {}
    wanted = {bucket for site, _, simhash in pages for bucket in _buckets(site, simhash)}
    shelves: dict[int, dict[int, int]] = {}
    for row in connection.execute(_LOOK, {"buckets": list(wanted)}):
        shelves.setdefault(row.bucket, {})[row.page] = row.simhash
    near: dict[int, int] = {}
    rows = []
    for site, page, simhash in pages:
        buckets = _buckets(site, simhash)
        found = _nearest(page, simhash, [shelves.get(bucket, {}) for bucket in buckets])
        if found is not None:
            near[page] = found
            continue
        for bucket in buckets:
            shelf = shelves.setdefault(bucket, {})
            if len(shelf) < BUCKET:
                shelf[page] = simhash
                rows.append({"bucket": bucket, "page": page, "simhash": simhash})
    insert_new(connection, NEAR, sorted(rows, key=lambda row: (row["bucket"], row["page"])))
    return near


def forget(connection: Connection, pages: Sequence[tuple[int, int, int]]) -> None:
    """Drop what was put down for pages, given as (site, page, signed fingerprint), before they changed."""
    rows = [
        {"in_bucket": bucket, "of_page": page} for site, page, simhash in pages for bucket in _buckets(site, simhash)
    ]
    write_rows(connection, _DROP, rows)


def _nearest(page: int, simhash: int, shelves: Sequence[dict[int, int]]) -> int | None:
    best: tuple[int, int] | None = None
    for shelf in shelves:
        for other, theirs in shelf.items():
            apart = ((simhash ^ theirs) & (2**64 - 1)).bit_count()
            if apart <= BITS_APART and other != page and (best is None or (apart, other) < best):
                best = (apart, other)
    return None if best is None else best[1]


def _buckets(site: int, simhash: int) -> list[int]:
    bits = simhash & (2**64 - 1)
    return [
        ((site * BANDS + band) << BAND_BITS) | (bits >> (band * BAND_BITS) & (2**BAND_BITS - 1))
        for band in range(BANDS)
    ]


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
_PAGES_CHANGING = (
    "version", "versions", "is_complete", "body_hash", "text_hash", "simhash", "duplicate_of", "changed_at", "seen_at"
)  # fmt: skip
_CHANGE = (
    update(PAGES)
    .where(PAGES.c.id == bindparam("of"))
    .values(gone_at=None, **{name: bindparam(name) for name in _PAGES_CHANGING})
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
    body: bytes | None = None  # BODIES.hash of what came, where that is kept
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


def shelve(
    archive: Archive, connection: Connection, outcomes: Sequence[Outcome], bodies: Mapping[int, bytes]
) -> list[Shelved]:
    """Store pages, versions and extractions of outcomes, each of another address; tell what became of each.

    `bodies` are the hashes of those that are kept, by address.
    """
    known = {row.id: row for row in connection.execute(_KNOWN, {"ids": [outcome.task.id for outcome in outcomes]})}
    plans: list[_Plan] = []
    seen, missed, shelves = [], [], []
    for outcome in outcomes:
        page = known.get(outcome.task.id)
        plan = _plan(outcome, page, bodies.get(outcome.task.id))
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
        _write(archive, connection, plans)
    return shelves


def _plan(outcome: Outcome, known: Any, body: bytes | None) -> _Plan | None:
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
    known_by = text_hash if told else None
    return _Plan(outcome, extracted, Shelved(stored), known, body_hash, text, known_by, None if is_list else body)


def _write(archive: Archive, connection: Connection, plans: Sequence[_Plan]) -> None:
    for plan, number in zip(plans, archive.take_ids(connection, VERSIONS, len(plans)), strict=True):
        plan.version = plan.shelved.version = number
    changed = [plan for plan in plans if plan.known is not None]
    if changed:
        _let_copies_go(connection, [plan.page for plan in changed])
        forget(connection, [(p.known.site, p.page, p.known.simhash) for p in changed if p.known.simhash is not None])
    bodies = [plan.body_hash for plan in plans if plan.is_complete]
    texts = [plan.text_hash for plan in plans if plan.text_hash is not None]
    content = _look_up(connection, {plan.page for plan in changed}, bodies, texts)
    for plan in plans:
        _compare(plan, content)
    new = [(plan, {"id": plan.page, "site": plan.outcome.task.site}) for plan in plans if plan.known is None]
    rows = [{**place, "first_at": seconds(plan.outcome.at), **_page_row(plan)} for plan, place in new]
    write_rows(connection, _INSERT_PAGE, rows)
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
    made_by = version()
    extracted = [(plan.version, extraction_values(plan.extracted, plan.text_at, made_by)) for plan in plans]
    write_rows(connection, _INSERT_EXTRACTION, [{"version": number, **row} for number, row in extracted])


def _let_copies_go(connection: Connection, pages: Sequence[int]) -> None:
    """Make one copy of each changed page, none that changes too, the one that the others are duplicates of.

    The newest: where all copies change one after the other, as a site is visited again, the oldest would be the next
    to go, and all others would be written again each time.
    """
    heirs = [{"of": of, "heir": heir} for of, heir in connection.execute(_HEIRS, {"ids": list(pages)})]
    write_rows(connection, _REPOINT, heirs)
    write_rows(connection, _STAND_ALONE, [{"heir": row["heir"]} for row in heirs])


def _look_up(
    connection: Connection, leaving: Collection[int], bodies: Sequence[bytes], texts: Sequence[bytes]
) -> _Content:
    """Find the pages with these bodies and texts; those that are about to change lend their texts, no more."""
    content = _Content()
    if bodies:
        for page, body_hash in connection.execute(_SAME_BODY, {"hashes": bodies}):
            if page not in leaving:
                content.bodies[bytes(body_hash)] = page
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
        "body": plan.body,
    }


def extraction_values(extracted: Extracted, text_of: int | None, made_by: str) -> dict[str, Any]:
    """Return what is stored of an extraction; its text where no other version has the same."""
    said = {name: storable(getattr(extracted, name)) for name in ("title", "rest", "kind", "language", "published")}
    kept = {"markdown": extracted.markdown, "html": extracted.html}
    ways = {name: getattr(extracted, name) for name in ("how", "cut_fields", "tree_fields", "missing_fields")}
    row: dict[str, Any] = {"text_of": text_of, "profile": extracted.profile, "made_by": made_by, **said, **ways}
    row["text"] = storable(extracted.text) if text_of is None else None
    row |= {name: None if text is None else storable(text) for name, text in kept.items()}
    row["checksum"] = checksum([row[name] for name in CHECKED[EXTRACTIONS.name]])
    return row


def _text_hash(one: Reread) -> bytes | None:
    """Return the hash by which pages with the same text are found."""
    text = storable(one.extracted.text)
    return digest_text(text) if one.is_complete and len(text) >= TEXT_CHARS else None


def _fingerprint(one: Reread) -> int | None:
    found = one.extracted.simhash
    return signed(found) if found is not None and one.is_complete else None


_RESHELVE = update(PAGES).where(PAGES.c.id == bindparam("of"))
_RESHELVE = _RESHELVE.values({name: bindparam(name) for name in ("text_hash", "simhash", "duplicate_of")})
_RESHELVE_VERSION = update(VERSIONS).where(VERSIONS.c.id == bindparam("of"))
_RESHELVE_VERSION = _RESHELVE_VERSION.values(duplicate_of=bindparam("copy_of"), near=bindparam("near_to"))


def reshelve(connection: Connection, rereads: Sequence[Reread]) -> None:
    """Find anew what pages are copies of, or nearly, whose texts are others now."""
    if not rereads:
        return
    ids = [one.page for one in rereads]
    _let_copies_go(connection, ids)
    known = {row.id: row for row in connection.execute(_KNOWN, {"ids": ids})}
    forget(connection, [(row.site, row.id, row.simhash) for row in known.values() if row.simhash is not None])
    bodies = [bytes(row.body_hash) for row in known.values() if row.body_hash]
    content = _look_up(connection, ids, bodies, list(filter(None, map(_text_hash, rereads))))
    rows = []
    for one in rereads:
        body_hash = bytes(known[one.page].body_hash)
        same = content.bodies.get(body_hash) or content.texts.get(_text_hash(one) or b"", (None, 0))[0]
        text_hash = _text_hash(one)
        if same is None:
            content.bodies[body_hash] = one.page
            if text_hash is not None:
                content.texts[text_hash] = (one.page, one.version)
        rows.append({"of": one.page, "text_hash": text_hash, "simhash": _fingerprint(one), "duplicate_of": same})
    write_rows(connection, _RESHELVE, rows)
    own = [(one, row["duplicate_of"]) for one, row in zip(rereads, rows, strict=True)]
    alone = [(one, print_) for one, same in own if same is None and (print_ := _fingerprint(one)) is not None]
    near = find_near(connection, [(one.site, one.page, print_) for one, print_ in alone])
    again = [{"of": one.version, "copy_of": same, "near_to": near.get(one.page)} for one, same in own]
    write_rows(connection, _RESHELVE_VERSION, again)


_CHANGING = ("state", "why", "attempts", "due_at", "visited_at", "etag", "modified")
_SETTLE = update(URLS).where(URLS.c.id == bindparam("of")).values({name: bindparam(name) for name in _CHANGING})
_FETCH = insert(FETCHES)
LIST_WRITERS = -1  # writers of lists queue as those of one site do: so records are numbered as they appear


def store_outcomes(archive: Archive, outcomes: Sequence[Outcome]) -> list[Receipt]:
    """Store outcomes whole or not at all; one whose address does not wait for it any more is dropped as "lost"."""
    for outcome in outcomes:
        if outcome.state not in STATES or outcome.state == "new":
            raise BadInput(f"no visit leaves an address {outcome.state!r}")
    if not outcomes:
        return []
    receipts = []
    sites = {outcome.task.site for outcome in outcomes} | {LIST_WRITERS for one in outcomes if one.task.kind == "list"}
    put_aside(archive, [outcome.raw.body for outcome in outcomes if outcome.raw is not None])
    with archive.writing(*sites) as connection:
        for some in in_parts(outcomes):
            receipts += _store_waiting(archive, connection, some)
    return receipts


def _store_waiting(archive: Archive, connection: Connection, outcomes: Sequence[Outcome]) -> list[Receipt]:
    """Store the first outcome of each address that waits, and drop the others."""
    waiting = waiting_among(connection, {outcome.task.id for outcome in outcomes})
    receipts: list[Receipt | None] = []
    taken = []
    for outcome in outcomes:
        due = waiting.get(outcome.task.id)
        if due is not None and _was_due(outcome, due):
            del waiting[outcome.task.id]
            taken.append(outcome)
            receipts.append(None)
        else:
            receipts.append(Receipt(outcome.task, "lost"))
    stored = iter(_store(archive, connection, taken))
    return [receipt or next(stored) for receipt in receipts]


def _was_due(outcome: Outcome, due: float) -> bool:
    """Say whether an address waited for this visit. A list waits for the next one as soon as another was stored."""
    at = seconds(outcome.at)
    return outcome.task.kind != "list" or due <= at or due > at + LONGEST_LIST_S


def _store(archive: Archive, connection: Connection, outcomes: Sequence[Outcome]) -> list[Receipt]:
    if not outcomes:
        return []
    at = seconds(max(outcome.at for outcome in outcomes))
    found = add_found(connection, [(one.task.site, one.found, one.task.id) for one in outcomes], at)
    came = [(one.task, one.raw.body) for one in outcomes if one.raw is not None]
    hashes = keep(archive, connection, [(task.site, body) for task, body in came])
    bodies = {task.id: hashed for (task, _), hashed in zip(came, hashes, strict=True)}
    shelved = shelve(archive, connection, outcomes, bodies)
    write_rows(connection, _SETTLE, [_state_row(outcome) for outcome in outcomes])
    _log(connection, outcomes, bodies)
    tend(archive, connection, {task.site for task, _ in came})
    on_pages = [outcome for outcome, one in zip(outcomes, shelved, strict=True) if one.stored]
    records = sight(archive, connection, on_pages)
    note_looks(connection, outcomes)
    receipts = []
    for outcome, new, one in zip(outcomes, found, shelved, strict=True):
        receipt = Receipt(outcome.task, one.stored, found=new)
        if one.stored:
            new_records, seen = records.get(outcome.task.id, ((), 0))
            receipt = replace(
                receipt,
                page=outcome.task.id,
                version=one.version,
                duplicate_of=one.duplicate_of,
                near=one.near,
                records=len(new_records),
                fresh=new_records if outcome.task.kind == "list" else (),
                sightings=seen,
            )
        receipts.append(receipt)
    return receipts


def _state_row(outcome: Outcome) -> dict[str, Any]:
    """Return the new state of an address. A body that was cut leaves no mark to ask by: a 304 would keep it cut."""
    at = seconds(outcome.at)
    is_list = outcome.task.kind == "list"  # which waits for the next visit when all went well, too
    due = None
    if outcome.state in WAITING:
        longest_s = LONGEST_LIST_S if is_list else LONGEST_S
        due = at if outcome.retry_at is None else min(seconds(outcome.retry_at), at + longest_s)
    is_cut = outcome.cut_at_bytes is not None
    is_read = outcome.state == "done" or (is_list and outcome.extracted is not None)
    old = outcome.task if outcome.is_unchanged or outcome.status is None or not is_read else None
    has_failed = outcome.state in ("retry", "failed") and not (is_list and (is_read or outcome.is_unchanged))
    return {
        "of": outcome.task.id,
        "state": outcome.state,
        "why": storable(outcome.why),
        "attempts": outcome.task.attempts + outcome.is_counted if has_failed else 0,
        "due_at": due,
        "visited_at": at,
        "etag": "" if is_cut else storable(outcome.etag or (old.etag if old else "")),
        "modified": "" if is_cut else storable(outcome.modified or (old.modified if old else "")),
    }


def _log(connection: Connection, outcomes: Sequence[Outcome], bodies: Mapping[int, bytes]) -> None:
    """Write down every request; an outcome with neither an answer nor a duration asked nothing."""
    asked = [outcome for outcome in outcomes if outcome.status is not None or outcome.seconds > 0]
    rows = []
    for outcome in asked:
        plain = ("status", "state", "seconds", "size", "is_unchanged", "cut_at_bytes")
        row: dict[str, Any] = {name: getattr(outcome, name) for name in plain}
        row |= {"url": outcome.task.id, "site": outcome.task.site, "at": seconds(outcome.at)}
        row |= {"why": storable(outcome.why), "content_type": storable(outcome.content_type)}
        raw = outcome.raw
        row["headers"] = None if raw is None else storable(json.dumps(raw.headers, ensure_ascii=False))
        row["body"] = bodies.get(outcome.task.id)
        rows.append(row)
    write_rows(connection, _FETCH, rows)
