"""Say what a visit meant: what was seen and stored comes in, events go out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scythe.archive.rows import WatchRow
from scythe.archive.stored import StoredRecord
from scythe.visits import Looked, Outcome, Receipt
from scythe.watching.choosing import unfound
from scythe.watching.events import (
    Event,
    GapEvent,
    LostEvent,
    RegionEvent,
    TroubleEvent,
    VisitEvent,
    record_events,
)
from scythe.watching.identity import is_redesigned
from scythe.watching.tracking import GONE_AFTER, Lists, Track


def tell_visit(
    watch: WatchRow, outcome: Outcome, receipt: Receipt, lists: Lists, records: Sequence[StoredRecord]
) -> Iterator[Event]:
    """Yield what happened, the visit itself first."""
    looked = {one.number: one for one in outcome.looked}
    yield _visit(watch, outcome, receipt, lists)
    for track in lists.tracks:
        yield from _region(watch, outcome, track)
        yield from _gap(watch, outcome, track, looked[track.number])
    if not outcome.is_unchanged:
        yield from tell_gone(watch, outcome, lists)
    yield from record_events(records)


def tell_gone(watch: WatchRow, outcome: Outcome, lists: Lists) -> Iterator[Event]:
    """Yield which lists are there no more: those not seen for some visits, and those chosen that never were."""
    for row in lists.missing:
        if row.missing + 1 == GONE_AFTER:
            yield RegionEvent(outcome.at, watch.site_key, watch.url, "gone", row.number, row.name)
    for one in unfound(lists.notes, lists.options) if not lists.rows else ():
        yield RegionEvent(outcome.at, watch.site_key, watch.url, "gone", one.place, one.name)


def tell_trouble(watch: WatchRow, outcome: Outcome) -> TroubleEvent:
    """Return what is to be said of a visit that failed."""
    attempts = outcome.task.attempts + 1
    head = (outcome.at, watch.site_key, watch.url)
    return TroubleEvent(*head, outcome.why, outcome.status, attempts, outcome.retry_at)


def _visit(watch: WatchRow, outcome: Outcome, receipt: Receipt, lists: Lists) -> VisitEvent:
    seen = [one for one in outcome.looked if one.seen is not None]
    plans = [one.plan for one in seen if one.plan is not None]
    return VisitEvent(
        outcome.at,
        watch.site_key,
        watch.url,
        receipt.records,
        shown=sum(one.seen.shown for one in seen if one.seen is not None),
        known=sum(one.known for one in seen),
        requests=lists.requests,
        regions=len(seen),
        next_at=outcome.retry_at,
        expected=sum(plan.expected for plan in plans),
        risk=max((plan.risk for plan in plans), default=0.0),
        rate=sum(plan.rate for plan in plans),
        why=outcome.why,
        status=outcome.status,
        is_unchanged=outcome.is_unchanged,
    )


def _region(watch: WatchRow, outcome: Outcome, track: Track) -> Iterator[Event]:
    row = track.row
    what = ""
    if row is None:
        what = "found"
    elif row.missing >= GONE_AFTER:
        what = "back"
    elif is_redesigned(row.pattern, track.region.pattern):
        what = "redesigned"
    if what:
        yield RegionEvent(outcome.at, watch.site_key, watch.url, what, track.number, track.name, track.shown)


def _gap(watch: WatchRow, outcome: Outcome, track: Track, looked: Looked) -> Iterator[Event]:
    """Yield whether records fell off the page since the last visit, and what became of them."""
    if track.is_first or looked.seen is None:
        return
    head = (outcome.at, watch.site_key, watch.url)
    if track.pages and not track.has_gap:
        yield GapEvent(*head, track.number, track.name, track.pages, looked.recovered)
    elif looked.has_gap:
        yield GapEvent(*head, track.number, track.name, track.pages, looked.recovered, is_closed=False)
    elif track.has_gap and looked.seen.new:
        why = "no older page shows what was there" if track.pages else "it has no older pages"
        yield LostEvent(*head, track.number, track.name, looked.lost, why)
