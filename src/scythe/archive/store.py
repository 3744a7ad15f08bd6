"""Outcomes of visits in, receipts out: the state of each address and all that came of it, in one transaction."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, bindparam, insert, update

from scythe.archive.bodies import keep, put_aside
from scythe.archive.database import Database, write_rows
from scythe.archive.frontier import add_found, waiting_among
from scythe.archive.hashes import seconds, storable
from scythe.archive.lanes import LONGEST_LIST_S, LONGEST_S
from scythe.archive.looks import note_looks
from scythe.archive.pages import shelve
from scythe.archive.records import sight
from scythe.archive.schema import FETCHES, URLS
from scythe.errors import BadInput
from scythe.visits import STATES, WAITING, Outcome, Receipt

_CHANGING = ("state", "why", "attempts", "due_at", "visited_at", "etag", "modified")
_SETTLE = update(URLS).where(URLS.c.id == bindparam("of")).values({name: bindparam(name) for name in _CHANGING})
_FETCH = insert(FETCHES)
LISTS = -1  # writers of lists queue as those of one site do: so records of lists are numbered in the order they appear
AT_ONCE = 500  # outcomes looked up with one query; SQLite takes 32 766 values in one, some outcomes need five


def store(database: Database, outcomes: Sequence[Outcome]) -> list[Receipt]:
    """Store outcomes whole or not at all; one whose address does not wait for it any more is dropped as "lost"."""
    for outcome in outcomes:
        if outcome.state not in STATES or outcome.state == "new":
            raise BadInput(f"no visit leaves an address {outcome.state!r}")
    if not outcomes:
        return []
    receipts = []
    sites = {outcome.task.site for outcome in outcomes} | {LISTS for one in outcomes if one.task.kind == "list"}
    put_aside(database, [outcome.raw.body for outcome in outcomes if outcome.raw is not None])
    with database.writing(*sites) as connection:
        for start in range(0, len(outcomes), AT_ONCE):
            receipts += _store_waiting(database, connection, outcomes[start : start + AT_ONCE])
    return receipts


def _store_waiting(database: Database, connection: Connection, outcomes: Sequence[Outcome]) -> list[Receipt]:
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
    stored = iter(_store(database, connection, taken))
    return [receipt or next(stored) for receipt in receipts]


def _was_due(outcome: Outcome, due: float) -> bool:
    """Say whether an address waited for this visit. A list waits for the next one as soon as another was stored."""
    at = seconds(outcome.at)
    return outcome.task.kind != "list" or due <= at or due > at + LONGEST_LIST_S


def _store(database: Database, connection: Connection, outcomes: Sequence[Outcome]) -> list[Receipt]:
    if not outcomes:
        return []
    at = seconds(max(outcome.at for outcome in outcomes))
    found = add_found(connection, [(one.task.site, one.found, one.task.id) for one in outcomes], at)
    shelved = shelve(database, connection, outcomes)
    write_rows(connection, _SETTLE, [_state_row(outcome) for outcome in outcomes])
    _log(database, connection, outcomes)
    on_pages = [outcome for outcome, one in zip(outcomes, shelved, strict=True) if one.stored]
    records = sight(database, connection, on_pages)
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


def _log(database: Database, connection: Connection, outcomes: Sequence[Outcome]) -> None:
    """Write down every request; an outcome with neither an answer nor a duration asked nothing."""
    asked = [outcome for outcome in outcomes if outcome.status is not None or outcome.seconds > 0]
    bodies = iter(keep(database, connection, [outcome.raw.body for outcome in asked if outcome.raw is not None]))
    rows = [
        {
            "url": outcome.task.id,
            "site": outcome.task.site,
            "at": seconds(outcome.at),
            "status": outcome.status,
            "state": outcome.state,
            "why": storable(outcome.why),
            "seconds": outcome.seconds,
            "size": outcome.size,
            "content_type": storable(outcome.content_type),
            "is_unchanged": outcome.is_unchanged,
            "cut_at_bytes": outcome.cut_at_bytes,
            "headers": None if outcome.raw is None else storable(json.dumps(outcome.raw.headers, ensure_ascii=False)),
            "body": None if outcome.raw is None else next(bodies),
        }
        for outcome in asked
    ]
    write_rows(connection, _FETCH, rows)
