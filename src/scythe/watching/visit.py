"""Visit a watched page: its address comes in, its lists are read and what is new of them is stored, the next visit with
it, in one transaction; what happened is told.

fetch -> regions -> known again -> overlap with what was there? -> if not, older pages -> plan -> archive -> events
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, TypeVar

from scythe.archive.rows import RecordKey, WatchRow
from scythe.archive.stored import StoredRecord
from scythe.crawling.clerk import Clerk
from scythe.crawling.jobs import Job, SiteSetup
from scythe.crawling.judge import validator
from scythe.crawling.lane import LaneWork
from scythe.crawling.manners import Getter, Manners
from scythe.crawling.pool import Pool
from scythe.crawling.scope import host_of
from scythe.fetch.judge import header
from scythe.limits import LIMITS
from scythe.model import Region, Response
from scythe.page.own_links import own_links
from scythe.url import Url, absolute
from scythe.visits import Extracted, Found, Looked, Outcome, Receipt, Task
from scythe.watched import DAY_S, HOUR_S, Plan
from scythe.watching.clock import Clock
from scythe.watching.events import Event, MovedEvent
from scythe.watching.fetching import Answered, Asking
from scythe.watching.hints import heed, read_hints
from scythe.watching.notes import Notes
from scythe.watching.options import ListOptions
from scythe.watching.telling import tell_gone, tell_trouble, tell_visit
from scythe.watching.tracking import Lists

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

    clerk: Clerk
    getter: Getter
    pool: Pool
    manners: Manners
    clock: Clock
    tell: Tell
    setups: Sequence[SiteSetup]  # of workers that read lists


@dataclass(slots=True)
class Visit:
    """One visit to one watched page."""

    tools: Tools
    task: Task
    watch: WatchRow
    work: LaneWork

    async def run(self) -> Receipt:
        """Ask for the page, read it, store what came of it and tell."""
        options = ListOptions.from_json(self.watch.options)
        rows = await self._ask(self.tools.clerk.archive.regions, self.watch.id)
        lists = Lists(rows, Notes.from_json(self.watch.notes), options)
        is_open = any(row.has_gap for row in rows) or lists.is_chosen_anew
        asking = Asking(self.tools, self.work)
        # an open gap is to be closed, and what was just chosen to be read, even where the page says it did not change
        answered = await asking.ask(
            self.task.url, "" if is_open else self.task.etag, "" if is_open else self.task.modified
        )
        if answered.moved_to is not None:
            await self._move(answered.moved_to)
        if answered.response is None or answered.why:
            return await self._put_off(answered, options)
        return await self._look(answered, answered.response, lists)

    async def _look(self, answered: Answered, response: Response, lists: Lists) -> Receipt:
        at = self.tools.clock.at(response.answered_at)
        if response.status == 304:
            looked = lists.unchanged(at.timestamp())
            return await self._store(self._outcome(at, response, lists, looked, is_unchanged=True), lists)
        listed = await self._read(response)
        if listed is None or (not listed.regions and lists.rows):
            why = _NOTHING_FOUND if listed is None else _rest(listed).get("why") or _NOTHING_FOUND
            return await self._put_off(replace(answered, why=why), lists.options)
        await self._begin(lists, listed.regions[: LIMITS.watched_regions])
        await self._follow_back(lists, listed, response.url)
        lists.drop_strangers()
        if lists.options.regions and not lists.tracks:
            return await self._put_off(replace(answered, why=_NOT_CHOSEN), lists.options, lists)
        looked = lists.settle(at.timestamp())
        ttl_s = _rest(listed).get("ttl_s")
        outcome = self._outcome(at, response, lists, looked, ttl_s=ttl_s, title=listed.title)
        return await self._store(outcome, lists)

    async def _begin(self, lists: Lists, regions: Sequence[Region]) -> None:
        """Take the regions of the page, those that were chosen where some were."""
        keys = await self._keys(regions)
        if not lists.options.regions:
            lists.begin(regions, keys)
            return
        picked = lists.choose(regions, keys)
        # as they are stored, without the others: records that several regions show are known by all of them
        lists.begin([], await self._keys([one.region for one in picked]), picked)

    async def _follow_back(self, lists: Lists, listed: Extracted, url: Url) -> None:
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
            lists.add_older(older.regions, await self._keys(older.regions))
            before = _rest(older).get("next")

    async def _read_older(self, url: Url) -> Extracted | None:
        robots = await self.tools.manners.robots_for(url, self.work)
        if robots is None or not robots.allows(url) or not await self.work.take_place():
            return None
        answered = await Asking(self.tools, self.work).ask(url)
        if answered.response is None or answered.why:
            return None
        return await self._read(answered.response)

    async def _read(self, response: Response) -> Extracted | None:
        """Have a worker read the lists of a page; None where it could not."""
        setup = self.tools.setups[self.task.site % len(self.tools.setups)]
        content_type = header(response, "Content-Type")[:200]
        job = Job(setup, response.url, response.body, "list", content_type, response.status)
        return (await self.tools.pool.work(job)).extracted

    async def _keys(self, regions: Sequence[Region]) -> list[list[RecordKey]]:
        return await self._ask(self.tools.clerk.archive.known_records, self.task.site, regions)

    # -- what becomes of the address -----------------------------------------------------------------------------------

    def _outcome(
        self,
        at: datetime,
        response: Response,
        lists: Lists,
        looked: Sequence[Looked],
        *,
        ttl_s: float | None = None,
        title: str = "",
        is_unchanged: bool = False,
    ) -> Outcome:
        plan = heed(
            soonest(looked, lists.options), read_hints(response, ttl_s), latest_s=lists.options.goals.max_delay_s
        )
        extracted = None if is_unchanged else Extracted(title=title, regions=lists.regions())
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

    def _items(self, lists: Lists) -> tuple[Found, ...]:
        """Return the pages of new records, to be archived too; of older pages' records only those that were missed."""
        found: dict[str, Found] = {}
        for track in lists.tracks:
            region = replace(track.region, records=tuple(track.records))
            for key, link in zip(track.keys, own_links(region), strict=True):
                if link and lists.is_new(key) and not (track.is_first and key in track.older):
                    url = absolute(link)
                    if url is not None:
                        found.setdefault(url, Found(url, host_of(url), "record", "item", depth=1, rank=1))
        return tuple(found.values())

    async def _store(self, outcome: Outcome, lists: Lists) -> Receipt:
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
        return await self._ask(self.tools.clerk.archive.new_records, after, watches=(self.watch.id,), limit=count)

    async def _put_off(self, answered: Answered, options: ListOptions, lists: Lists | None = None) -> Receipt:
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
        await self._ask(self.tools.clerk.archive.move_watch, self.watch.id, target, host_of(target))
        event = MovedEvent(self.tools.clock.now(), self.watch.site_key, self.watch.url, target)
        await self.tools.tell(event)

    async def _ask(self, work: Callable[..., T], *given: Any, **named: Any) -> T:
        return await self.tools.clerk.ask(work, *given, **named)


def soonest(looked: Sequence[Looked], options: ListOptions) -> Plan:
    """Return the plan of the region that is due first; a page that shows no list is visited as rarely as may be."""
    plans = [one.plan for one in looked if one.plan is not None]
    if not plans:
        latest_s = min(options.goals.ceiling_s, options.goals.max_delay_s or DAY_S)
        return Plan(max(min(latest_s, DAY_S), options.goals.floor_s), why=_NOTHING_FOUND)
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
