"""Crawls and watches as they are shown: figures that one thread takes, and any other may read."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime

from scythe.crawling.tally import Tally
from scythe.visits import Outcome, Receipt
from scythe.watching.events import Event, RecordEvent
from scythe.watching.run import Watch

_REASONS = 12  # shown of each kind
_SOON = 6  # visits


@dataclass(frozen=True, slots=True)
class Happened:
    """One thing that a run did: a page or a record that it stored, or a trouble."""

    at: datetime
    what: str  # new, changed, same, duplicate, cut; record, visit, trouble, ...
    title: str
    url: str
    said: str = ""  # more of it


@dataclass(frozen=True, slots=True)
class CrawlFigures:
    """What a crawl has come to."""

    pages: int  # of the site in the archive
    limit: int | None  # None: all there are
    new: int  # of this run, however often it was paused; so are the counts below
    waiting: int  # addresses
    requests: int
    received: int  # bytes
    records: int  # new ones
    errors: int
    per_s: float  # pages, lately
    delay_s: float  # between requests at present
    is_learned: bool
    cut_share: float | None  # of fields of learned pages; None: nothing was learned yet
    how: dict[str, int]  # pages by cut, mixed, tree, cold
    drift: int
    why: dict[str, int]  # addresses that did not become pages, by the reason
    skipped: dict[str, int]  # addresses that were not followed


@dataclass(frozen=True, slots=True)
class Due:
    """A visit that is to come."""

    page: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class WatchFigures:
    """What a watch has come to."""

    pages: int  # that are watched
    visits: int
    records: int  # new ones
    troubles: int
    soon: list[Due]


def see_crawl(tally: Tally, limit: int | None) -> CrawlFigures:
    """Return the figures of a crawl. To be called from its own thread: it counts on meanwhile."""
    return CrawlFigures(
        pages=tally.pages,
        limit=limit,
        new=tally.stored["new"] + tally.stored["duplicate"] + tally.stored["cut"],
        waiting=tally.waiting,
        requests=tally.requests,
        received=tally.received,
        records=tally.records,
        errors=tally.errors,
        per_s=round(tally.pages_per_second(), 2),
        delay_s=tally.delay_s,
        is_learned=tally.is_learned,
        cut_share=tally.cut_share(),
        how={kind: tally.how[kind] for kind in ("cut", "mixed", "tree", "cold") if tally.how[kind]},
        drift=tally.drift,
        why=_most(tally.why),
        skipped=_most(tally.skipped),
    )


def see_watch(watch: Watch) -> WatchFigures:
    """Return the figures of a watch. To be called from its own thread."""
    totals = watch.totals
    due = [row for row in watch.rows.values() if row.due_at is not None]
    soon = sorted(due, key=lambda row: row.due_at.timestamp() if row.due_at else 0.0)[:_SOON]
    return WatchFigures(
        len(watch.rows),
        totals.visits,
        totals.records,
        totals.troubles,
        [Due(str(row.url), row.due_at) for row in soon],
    )


def add_crawl(now: CrawlFigures, before: CrawlFigures | None) -> CrawlFigures:
    """Return the figures of a crawl with those of its parts before it was paused."""
    if before is None:
        return now
    return replace(
        now,
        new=now.new + before.new,
        requests=now.requests + before.requests,
        received=now.received + before.received,
        records=now.records + before.records,
        errors=now.errors + before.errors,
        how=dict(Counter(before.how) + Counter(now.how)),
        why=_most(Counter(before.why) + Counter(now.why)),
        skipped=_most(Counter(before.skipped) + Counter(now.skipped)),
    )


def add_watch(now: WatchFigures, before: WatchFigures | None) -> WatchFigures:
    """Return the figures of a watch with those of its parts before it was paused."""
    if before is None:
        return now
    return replace(
        now,
        visits=now.visits + before.visits,
        records=now.records + before.records,
        troubles=now.troubles + before.troubles,
    )


def happened_page(outcome: Outcome, receipt: Receipt) -> Happened:
    """Say what was stored of a page."""
    extracted = outcome.extracted
    title = "" if extracted is None else extracted.title
    how = "" if extracted is None else {"cut": "cut out of its bytes", "mixed": "cut, in part"}.get(extracted.how, "")
    records = f"{receipt.records} new records" if receipt.records > 1 else "1 new record" if receipt.records else ""
    said = ", ".join(part for part in (how, records) if part)
    return Happened(outcome.at, receipt.stored, title[:200], str(outcome.task.url), said)


def happened_event(event: Event) -> Happened:
    """Say what happened on a watched page."""
    if isinstance(event, RecordEvent):
        title = event.fields.get("title") or next(iter(event.fields.values()), "")
        return Happened(event.at, "record", title[:200], event.link or event.page, event.region)
    url = str(getattr(event, "url", "") or getattr(event, "to", "") or event.page)
    said = ", ".join(str(part) for name in ("what", "region", "why") if (part := getattr(event, name, "")))
    title = str(getattr(event, "title", ""))[:200]
    if event.kind == "visit":
        said = f"{getattr(event, 'new', 0)} new, {getattr(event, 'known', 0)} known"
    return Happened(event.at, event.kind, title, url, said[:300])


def _most(reasons: Counter[str]) -> dict[str, int]:
    return dict(reasons.most_common(_REASONS))
