"""One visit to a watched page, from the request to the stored records and the next plan.

fetch -> lists -> recognised -> overlap with the last visit? -> if not, older pages -> plan -> archive -> events

Everything is stored in one transaction. Redirects obey robots.txt and stay on the leased host.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import sha256
from time import monotonic
from typing import Any, Protocol, TypeVar

from scythe.archive.observations import lists_of_watch
from scythe.archive.results import RecordKey, StoredRecord, WatchRow
from scythe.archive.retrieval import new_records
from scythe.archive.stored_records import known_records
from scythe.archive.watches import move_watch
from scythe.crawl_model import Extracted, FoundUrl, Looked, Outcome, Receipt, Task
from scythe.crawling.judge_response import is_cut_short, validator
from scythe.crawling.scope import host_of
from scythe.engine.archive_thread import ArchiveThread
from scythe.engine.host_queue import HostQueue
from scythe.engine.politeness import Politeness, RobotsGetter
from scythe.engine.worker_pool import Pool
from scythe.engine.worker_protocol import Job, SiteSetup
from scythe.errors import FetchFailed
from scythe.fetch.page_check import header, mail_moment, said_retry_s
from scythe.fetch.redirects import REDIRECTS
from scythe.limits import LIMITS
from scythe.model import RecordList, Response
from scythe.reading.lists.own_link import own_links
from scythe.url import Url, absolute
from scythe.watch_model import DAY_S, HOUR_S, VisitPlan
from scythe.watching.clock import Clock
from scythe.watching.events import (
    Event,
    GapEvent,
    ListEvent,
    LostEvent,
    MovedEvent,
    TroubleEvent,
    VisitEvent,
    record_events,
)
from scythe.watching.list_choice import Notes, unfound
from scythe.watching.list_identity import is_redesigned
from scythe.watching.tracking import GONE_AFTER, TrackedList, TrackedLists
from scythe.watching.watch_options import ListOptions

_LONGEST_S = HOUR_S  # promises beyond are often a careless default: they put a visit off by so much at most
_DIGITS = 9


def keep_promise(plan: VisitPlan, promised_s: float, *, latest_s: float | None) -> VisitPlan:
    """Put a visit off that would only see what a cache or a feed promised to show, but never beyond `latest_s`."""
    until_s = min(promised_s, _LONGEST_S, latest_s if latest_s is not None else _LONGEST_S)
    if until_s <= plan.wait_s:
        return plan
    rate_s = plan.rate / 86_400.0
    return VisitPlan(
        until_s, plan.expected + rate_s * (until_s - plan.wait_s), plan.risk, plan.rate, "nothing new before"
    )


def read_fresh_s(response: Response) -> float | None:
    """Return how long the answer counts as fresh (RFC 9111, 4.2.1); None where nothing is said."""
    said = _directives(header(response, "Cache-Control"))
    if "no-cache" in said or "no-store" in said:
        return None
    age_s = _number(header(response, "Age")) or 0.0
    lifetime_s = _number(said.get("max-age", ""))
    if lifetime_s is None:
        expires, date = mail_moment(header(response, "Expires")), mail_moment(header(response, "Date"))
        if expires is None or date is None:
            return None
        lifetime_s = (expires - date).total_seconds()
    return max(lifetime_s - age_s, 0.0)


def _directives(line: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in line[:1_000].lower().split(","):
        name, _, value = part.partition("=")
        found.setdefault(name.strip(), value.strip().strip('"'))
    return found


def _number(text: str) -> float | None:
    text = text.strip()
    return float(text[:_DIGITS]) if text.isdecimal() and text.isascii() else None


_FOR_GOOD = frozenset({301, 308})


class Means(Protocol):
    """What asking needs."""

    getter: RobotsGetter
    manners: Politeness


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of asking."""

    response: Response | None
    why: str = ""  # it is no use: the reason
    retry_s: float | None = None  # what the server asks for
    moved_to: Url | None = None  # for good
    seconds: float = 0.0
    status: int | None = field(default=None)


class Asking:
    """Ask a host whose place is taken already."""

    def __init__(self, means: Means, queue: HostQueue) -> None:
        self._means = means
        self._queue = queue

    async def ask(self, url: Url, etag: str = "", modified: str = "") -> Answered:
        """Fetch an address through its redirects; the place at the host is free again afterwards."""
        began = monotonic()
        getter, manners = self._means.getter, self._means.manners
        is_for_good, here = True, url
        for _ in range(LIMITS.redirects + 1):
            try:
                response = await manners.get(getter, here, self._queue, etag=etag, modified=modified)
            except FetchFailed as failure:
                return Answered(None, failure.why, seconds=monotonic() - began)
            target = _target(response)
            if target is None:
                return _judge(response, here if is_for_good and here != url else None, etag or modified)
            is_for_good = is_for_good and response.status in _FOR_GOOD
            if host_of(target) != host_of(url):
                moved = target if is_for_good else None
                return Answered(None, f"it leads to {target}", moved_to=moved, status=response.status)
            why = await self._take_turn(target)
            if why:
                return Answered(None, why, seconds=monotonic() - began)
            here, etag, modified = target, "", ""
        self._queue.free_place()
        return Answered(None, f"more than {LIMITS.redirects} redirects", seconds=monotonic() - began)

    async def _take_turn(self, url: Url) -> str:
        """Wait for the turn of a redirect's target; return why it must not be asked, or an empty text."""
        robots = await self._means.manners.robots_for(url, self._queue)
        if robots is None:
            return "its robots.txt cannot be read"
        if not robots.allows(url):
            return f"it leads to {url}, which robots.txt does not allow"
        return "" if await self._queue.take_place() else "the run ended"


def _target(response: Response) -> Url | None:
    if response.status not in REDIRECTS:
        return None
    return absolute(header(response, "Location"), response.url)


def _judge(response: Response, moved_to: Url | None, asked_for_change: str) -> Answered:
    status = response.status
    if status == 304 and asked_for_change:
        return Answered(response, moved_to=moved_to, status=status)
    if not 200 <= status < 300:
        said_s = said_retry_s(response)
        return Answered(response, f"the server answered {status}", said_s, seconds=response.seconds, status=status)
    if is_cut_short(response):  # what a limit cut is taken: its first part is the newest of a list
        return Answered(response, f"the answer was cut: {response.why_cut}", seconds=response.seconds, status=status)
    return Answered(response, moved_to=moved_to, status=status)


def tell_visit(
    watch: WatchRow, outcome: Outcome, receipt: Receipt, lists: TrackedLists, records: Sequence[StoredRecord]
) -> Iterator[Event]:
    """Yield what happened, the visit itself first."""
    looked = {one.number: one for one in outcome.looked}
    yield _visit(watch, outcome, receipt, lists)
    for track in lists.tracks:
        yield from _list(watch, outcome, track)
        yield from _gap(watch, outcome, track, looked[track.number])
    if not outcome.is_unchanged:
        yield from tell_gone(watch, outcome, lists)
    yield from record_events(records)


def tell_gone(watch: WatchRow, outcome: Outcome, lists: TrackedLists) -> Iterator[Event]:
    """Yield which lists are there no more: those not seen for some visits, and those chosen that never were."""
    for row in lists.missing:
        if row.missing + 1 == GONE_AFTER:
            yield ListEvent(outcome.at, watch.site_key, watch.url, "gone", row.number, row.name)
    for one in unfound(lists.notes, lists.options) if not lists.rows else ():
        yield ListEvent(outcome.at, watch.site_key, watch.url, "gone", one.place, one.name)


def tell_trouble(watch: WatchRow, outcome: Outcome) -> TroubleEvent:
    """Return what is to be said of a visit that failed."""
    attempts = outcome.task.attempts + 1
    head = (outcome.at, watch.site_key, watch.url)
    return TroubleEvent(*head, outcome.why, outcome.status, attempts, outcome.retry_at)


def _visit(watch: WatchRow, outcome: Outcome, receipt: Receipt, lists: TrackedLists) -> VisitEvent:
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


def _list(watch: WatchRow, outcome: Outcome, track: TrackedList) -> Iterator[Event]:
    row = track.row
    what = ""
    if row is None:
        what = "found"
    elif row.missing >= GONE_AFTER:
        what = "back"
    elif is_redesigned(row.pattern, track.region.pattern):
        what = "redesigned"
    if what:
        yield ListEvent(outcome.at, watch.site_key, watch.url, what, track.number, track.name, track.shown)


def _gap(watch: WatchRow, outcome: Outcome, track: TrackedList, looked: Looked) -> Iterator[Event]:
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


T = TypeVar("T")

_FIRST_RETRY_S = 60.0
_HOURLY = 24  # attempts that failed in a row; from then on four times a day, and later once
_DAILY = 60
_NOTHING_FOUND = "no list was found on it"
_NOT_CHOSEN = "no list that was chosen was found on it"

Tell = Callable[[Event], Awaitable[None]]


@dataclass(slots=True)
class Tools:
    """What visits need, shared by all of them."""

    clerk: ArchiveThread
    getter: RobotsGetter
    pool: Pool
    manners: Politeness
    clock: Clock
    tell: Tell
    setups: Sequence[SiteSetup]  # of workers that read lists


@dataclass(slots=True)
class ListVisit:
    """One visit to one watched page."""

    tools: Tools
    task: Task
    watch: WatchRow
    queue: HostQueue

    async def run(self) -> Receipt:
        """Ask for the page, read it, store what came of it and tell."""
        options = ListOptions.from_json(self.watch.options)
        rows = await self._ask(lists_of_watch, self.tools.clerk.archive, self.watch.id)
        lists = TrackedLists(rows, Notes.from_json(self.watch.notes), options)
        is_open = any(row.has_gap for row in rows) or lists.is_chosen_anew
        asking = Asking(self.tools, self.queue)
        # an open gap is to be closed, and what was just chosen to be read, even where the page says it did not change
        answered = await asking.ask(
            self.task.url, "" if is_open else self.task.etag, "" if is_open else self.task.modified
        )
        if answered.moved_to is not None:
            await self._move(answered.moved_to)
        if answered.response is None or answered.why:
            return await self._put_off(answered, options)
        return await self._look(answered, answered.response, lists)

    async def _look(self, answered: Answered, response: Response, lists: TrackedLists) -> Receipt:
        at = self.tools.clock.at(response.answered_at)
        if response.status == 304:
            looked = lists.unchanged(at.timestamp())
            return await self._store(self._outcome(at, response, lists, looked, is_unchanged=True), lists)
        listed = await self._read(response)
        if listed is None or (not listed.lists and lists.rows):
            why = _NOTHING_FOUND if listed is None else _rest(listed).get("why") or _NOTHING_FOUND
            return await self._put_off(replace(answered, why=why), lists.options)
        await self._begin(lists, listed.lists[: LIMITS.watched_regions])
        await self._follow_back(lists, listed, response.url)
        lists.drop_strangers()
        if lists.options.regions and not lists.tracks:
            return await self._put_off(replace(answered, why=_NOT_CHOSEN), lists.options, lists)
        looked = lists.settle(at.timestamp())
        ttl_s = _rest(listed).get("ttl_s")
        outcome = self._outcome(at, response, lists, looked, ttl_s=ttl_s, title=listed.title)
        return await self._store(outcome, lists)

    async def _begin(self, lists: TrackedLists, regions: Sequence[RecordList]) -> None:
        """Take the regions of the page, those that were chosen where some were."""
        keys = await self._keys(regions)
        if not lists.options.regions:
            lists.begin(regions, keys)
            return
        picked = lists.choose(regions, keys)
        # as they are stored, without the others: records that several regions show are known by all of them
        lists.begin([], await self._keys([one.region for one in picked]), picked)

    async def _follow_back(self, lists: TrackedLists, listed: Extracted, url: Url) -> None:
        """Read older pages until what was there at the last visit is found again."""
        seen = {url}
        before = _rest(listed).get("next")
        while (lists.wants_older or lists.wants_proof) and lists.requests <= lists.options.older_pages:
            if not isinstance(before, str) or before in seen or host_of(before) != host_of(url):
                return
            seen.add(Url(before))
            older = await self._read_older(Url(before))
            lists.requests += 1
            if older is None:
                lists.is_broken_off = True
                return
            lists.add_older(older.lists, await self._keys(older.lists))
            before = _rest(older).get("next")

    async def _read_older(self, url: Url) -> Extracted | None:
        robots = await self.tools.manners.robots_for(url, self.queue)
        if robots is None or not robots.allows(url) or not await self.queue.take_place():
            return None
        answered = await Asking(self.tools, self.queue).ask(url)
        if answered.response is None or answered.why:
            return None
        return await self._read(answered.response)

    async def _read(self, response: Response) -> Extracted | None:
        """Have a worker read the lists of a page; None where it could not."""
        setup = self.tools.setups[self.task.site % len(self.tools.setups)]
        content_type = header(response, "Content-Type")[:200]
        job = Job(setup, response.url, response.body, "list", content_type, response.status)
        return (await self.tools.pool.work(job)).extracted

    async def _keys(self, regions: Sequence[RecordList]) -> list[list[RecordKey]]:
        return await self._ask(known_records, self.tools.clerk.archive, self.task.site, regions)

    # -- what becomes of the address -----------------------------------------------------------------------------------

    def _outcome(
        self,
        at: datetime,
        response: Response,
        lists: TrackedLists,
        looked: Sequence[Looked],
        *,
        ttl_s: float | None = None,
        title: str = "",
        is_unchanged: bool = False,
    ) -> Outcome:
        promised_s = max(read_fresh_s(response) or 0.0, ttl_s or 0.0)
        plan = keep_promise(soonest(looked, lists.options), promised_s, latest_s=lists.options.goals.max_delay_s)
        extracted = None if is_unchanged else Extracted(title=title, lists=lists.regions())
        return Outcome(
            self.task,
            "retry",
            at,
            why=plan.why,
            status=response.status,
            seconds=response.seconds,
            size=len(response.body),
            content_type=header(response, "Content-Type")[:200],
            etag=validator(response, "ETag"),
            modified=validator(response, "Last-Modified"),
            is_unchanged=is_unchanged,
            body_hash=sha256(f"list {self.task.id}".encode()).digest(),  # always the same: a list has no versions
            retry_at=at + timedelta(seconds=plan.wait_s),
            extracted=extracted,
            found=self._items(lists) if lists.options.follow else (),
            looked=tuple(looked),
            notes=lists.notes.to_json(),
        )

    def _items(self, lists: TrackedLists) -> tuple[FoundUrl, ...]:
        """Return the pages of new records, to be archived too; of older pages' records only those that were missed."""
        found: dict[str, FoundUrl] = {}
        for track in lists.tracks:
            region = replace(track.region, records=tuple(track.records))
            for key, link in zip(track.keys, own_links(region), strict=True):
                if link and lists.is_new(key) and not (track.is_first and key in track.older):
                    url = absolute(link)
                    if url is not None:
                        found.setdefault(url, FoundUrl(url, host_of(url), "record", "item", depth=1, rank=1))
        return tuple(found.values())

    async def _store(self, outcome: Outcome, lists: TrackedLists) -> Receipt:
        receipt = await self.tools.clerk.store(outcome)
        if receipt.stored != "lost":
            records = await self._fresh(receipt)
            for event in tell_visit(self.watch, outcome, receipt, lists, records):
                await self.tools.tell(event)
        return receipt

    async def _fresh(self, receipt: Receipt) -> list[StoredRecord]:
        if not receipt.fresh:
            return []
        after, count = min(receipt.fresh) - 1, len(receipt.fresh)
        return await self._ask(new_records, self.tools.clerk.archive, after, watches=(self.watch.id,), limit=count)

    async def _put_off(self, answered: Answered, options: ListOptions, lists: TrackedLists | None = None) -> Receipt:
        """Plan the next try of a page that could not be read, or that shows `lists` no more."""
        at = self.tools.clock.now()
        wait_s = max(retry_s(self.task.attempts, options), answered.retry_s or 0.0)
        if answered.moved_to is not None and not self.task.attempts:
            wait_s = 0.0  # it is known where it is; a second move in a row has to wait
        outcome = Outcome(
            self.task,
            "retry",
            at,
            why=answered.why[:300],
            status=answered.status,
            seconds=answered.seconds,
            retry_at=at + timedelta(seconds=wait_s),
            looked=() if lists is None else lists.gone(),
            notes=None if lists is None else lists.notes.to_json(),
        )
        receipt = await self.tools.clerk.store(outcome)
        await self.tools.tell(tell_trouble(self.watch, outcome))
        for event in tell_gone(self.watch, outcome, lists) if lists is not None else ():
            await self.tools.tell(event)
        return receipt

    async def _move(self, target: Url) -> None:
        await self._ask(move_watch, self.tools.clerk.archive, self.watch.id, target, host_of(target))
        event = MovedEvent(self.tools.clock.now(), self.watch.site_key, self.watch.url, target)
        await self.tools.tell(event)

    async def _ask(self, work: Callable[..., T], *given: Any, **named: Any) -> T:
        return await self.tools.clerk.ask(work, *given, **named)


def soonest(looked: Sequence[Looked], options: ListOptions) -> VisitPlan:
    """Return the plan of the region that is due first; a page that shows no list is visited as rarely as may be."""
    plans = [one.plan for one in looked if one.plan is not None]
    if not plans:
        latest_s = min(options.goals.ceiling_s, options.goals.max_delay_s or DAY_S)
        return VisitPlan(max(min(latest_s, DAY_S), options.goals.floor_s), why=_NOTHING_FOUND)
    return min(plans, key=lambda plan: plan.wait_s)


def retry_s(attempts: int, options: ListOptions) -> float:
    """Return how long to wait after a visit that failed, `attempts` having failed before."""
    if attempts >= _DAILY:
        return DAY_S
    if attempts >= _HOURLY:
        return 6 * HOUR_S
    return min(_FIRST_RETRY_S * 2.0**attempts, HOUR_S, max(options.goals.max_delay_s or HOUR_S, _FIRST_RETRY_S))


def _rest(extracted: Extracted) -> dict[str, Any]:
    rest = json.loads(extracted.rest)
    return rest if isinstance(rest, dict) else {}
