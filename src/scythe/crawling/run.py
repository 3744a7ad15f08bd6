"""Crawl one site: its start comes in, its pages go into the archive and out to whoever listens, each once.

start -> frontier -> lane -> robots, pace -> fetch -> judge -> extract (in a worker) -> archive -> new addresses -> ...

The state of an address and what was extracted from it are stored together, or not at all. Whatever stops a run, the
next one goes on from there.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from itertools import count
from time import monotonic

from scythe.archive.archive import Archive
from scythe.archive.owner import Owner
from scythe.crawling.clerk import Clerk
from scythe.crawling.jobs import Answer, Caps, Job, Named, SiteSetup
from scythe.crawling.judge import Judge
from scythe.crawling.lane import LEASE_S, LaneWork, Room
from scythe.crawling.manners import Manners, origin_of
from scythe.crawling.normalise import normalise
from scythe.crawling.options import CrawlOptions
from scythe.crawling.params import Params
from scythe.crawling.pool import Pool, open_pool
from scythe.crawling.scope import Scope
from scythe.crawling.tally import Tally
from scythe.crawling.traps import Traps
from scythe.errors import BadInput, FetchFailed
from scythe.fetch.fetcher import Fetcher, open_fetcher
from scythe.fetch.judge import header
from scythe.fetch.options import FetchOptions
from scythe.fetch.pace import Pace
from scythe.model import Response
from scythe.url import Url, absolute
from scythe.visits import Extracted, Found, Outcome, Receipt, Task

_PAGES_UNDER_WAY = 4  # per request under way: fetched, in extraction or being stored
_POLL_S = 0.2  # how often a lane that another process holds is tried
_COUNT_S = 1.0  # how often the addresses that wait are counted, for the one who looks
_NOTES_TURNS = 30  # counts between two notes

Listener = Callable[[Outcome, Receipt], Awaitable[None]]


class Crawl:
    """One run over one site."""

    def __init__(
        self,
        start: str,
        archive: Archive,
        options: CrawlOptions | None = None,
        *,
        profile: str | None = None,
        listener: Listener | None = None,
    ) -> None:
        address = absolute(start)
        if address is None:
            raise BadInput(f"{start!r} is not an address to crawl; write it out, such as https://example.org/")
        self.options = options or CrawlOptions()
        self.start = normalise(address)
        self.scope = Scope.of(self.start, self.options)
        self.tally = Tally()
        self.why_ended = ""
        self._profile = profile
        self._listener = listener
        self._archive = archive
        self._clerk: Clerk
        self._fetcher: Fetcher
        self._pool: Pool
        self._manners: Manners
        self._setup: SiteSetup
        self._site = 0
        self._owner = Owner.of_this_process()
        self._judge = Judge(lambda: self.scope, self._widen, self.options.attempts, self.options.keep_raw)
        self._traps = Traps()
        self._params = Params()
        self._lanes: dict[asyncio.Task[None], LaneWork] = {}
        self._closed: list[LaneWork] = []
        self._with_sitemaps: set[str] = set()  # origins
        self._stop = asyncio.Event()

    async def run(self) -> Tally:
        """Crawl until nothing is left, the limit is reached or `stop` is called. Raises ArchiveFailed and BadInput."""
        under_way = self.options.concurrency
        self._room = Room(
            asyncio.Semaphore(under_way), asyncio.Semaphore(under_way * _PAGES_UNDER_WAY), self._is_wanted, self._stop
        )
        async with AsyncExitStack() as stack:
            self._clerk = Clerk(self._archive)
            stack.push_async_callback(self._clerk.close)
            await self._enter_site()
            self._fetcher = await stack.enter_async_context(open_fetcher(self._fetch_options()))
            self._pool = await stack.enter_async_context(open_pool(self.options.workers, Caps()))
            self._manners = Manners(self._fetcher, self._clerk, self.options, self._fetch_options().user_agent)
            looking = asyncio.ensure_future(self._look_around())
            try:
                await self._work()
            finally:
                looking.cancel()
                await self._close()
        self.tally.ended = monotonic()
        return self.tally

    def stop(self, why: str = "stopped") -> None:
        """End the run soon. What is under way is asked for again by the next run."""
        self.why_ended = self.why_ended or why
        self._stop.set()
        for lane in self._lanes.values():
            lane.stop()

    # -- beginning and end ---------------------------------------------------------------------------------------------

    async def _enter_site(self) -> None:
        """Find or make the site in the archive, with its start among the addresses."""
        ask, archive = self._clerk.ask, self._archive
        self._site = await ask(archive.add_site, self.scope.site_key, self.start)
        await ask(archive.add_found, self._site, [Found(self.start, self.scope.lane(self.start), "start", rank=-2)])
        if self.options.refresh:
            await ask(archive.requeue, self._site, now=datetime.now(UTC))
        counts = await ask(archive.counts, self._site)
        self.tally.pages = counts.pages
        self._recall(await ask(archive.notes, self._site))
        learned = await ask(archive.profile, self._site)
        self._setup = SiteSetup(self.scope.site_key, self.options.parts, self._profile or learned, self.start)
        self.tally.is_learned = self._setup.profile is not None

    def _recall(self, notes: str) -> None:
        """Take up what earlier runs found out about the addresses of the site."""
        if not notes:
            return
        kept = json.loads(notes)
        self._params = Params.from_json(kept["params"])
        self._traps = Traps.from_json(kept["traps"])
        for host in kept["hosts"]:
            self._widen(f"https://{host}/")

    async def _keep_notes(self) -> None:
        notes = {"params": self._params.to_json(), "traps": self._traps.to_json(), "hosts": self.scope.hosts}
        await self._clerk.ask(self._archive.save_notes, self._site, json.dumps(notes))

    def _fetch_options(self) -> FetchOptions:
        return FetchOptions(
            timeout_s=self.options.timeout_s,
            allow_private=self.options.allow_private,
            user_agent=self.options.user_agent or f"scythe/{version('scythe')} (crawler)",
            contact=self.options.contact,
            concurrency=self.options.concurrency,
            per_host=self.options.per_host,
        )

    async def _work(self) -> None:
        """Take lanes and work them off, until nothing is left to ask for."""
        while not self._stop.is_set():
            now = datetime.now(UTC)
            lane = await self._clerk.ask(self._archive.take_lane, self._site, self._owner, now=now, lease_s=LEASE_S)
            if lane is not None and self._has_room():
                pace = Pace(self.options.delay, slow=lane.slow)
                work = LaneWork(lane, self._owner, self._clerk, self.options, self._room, self, pace)
                await self._manners.recall(work)
                self._lanes[asyncio.ensure_future(work.run())] = work
            elif self._lanes:
                await self._join_lanes()
            elif not await self._wait_for_more():
                return

    def _has_room(self) -> bool:
        return self._is_wanted(self._room.under_way)

    async def _join_lanes(self) -> None:
        """Wait until a lane is worked off, or a moment, since other lanes may have got addresses."""
        done, _ = await asyncio.wait(self._lanes, timeout=_POLL_S, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            work = self._lanes.pop(task)
            if work.closed:
                self._closed.append(work)
                self.tally.note(work.closed)
            task.result()

    async def _wait_for_more(self) -> bool:
        """Wait for addresses to be tried again, or for a lane that another process holds; False: the run is over."""
        if not self._is_wanted(0):
            self.why_ended = self.why_ended or f"as many pages as asked for: {self.options.limit}"
            return False
        now = datetime.now(UTC)
        due = await self._clerk.ask(self._archive.next_due, self._site)
        if due is None or self._closed:
            self.why_ended = self.why_ended or ("; ".join(w.closed for w in self._closed) or "complete")
            return False
        wait_s = (due - now).total_seconds()
        if wait_s > self.options.patience_s:
            self.why_ended = f"what is left is to be tried again from {due:%Y-%m-%d %H:%M} UTC on"
            return False
        if wait_s <= 0:
            await self._clerk.ask(self._archive.want_lane, self._site, self._owner, now=now)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stop.wait(), min(max(wait_s, _POLL_S), 1.0))
        return True

    async def _close(self) -> None:
        """End what is under way, give lanes back, and keep what was learned."""
        for work in self._lanes.values():
            work.stop()
        self._stop.set()
        await asyncio.gather(*self._lanes, return_exceptions=True)
        for work in self._closed:
            await work.leave()
        for last in (await self._pool.finish_sample(self._setup), await self._pool.close_site(self._setup)):
            if last.profile is not None:
                await self._learned(last.profile)
        await self._keep_notes()
        self.tally.waiting = await self._count()

    async def _look_around(self) -> None:
        """Now and then count what waits, for whoever looks, and keep notes."""
        for turn in count(1):
            self.tally.waiting = await self._count()
            await asyncio.sleep(_COUNT_S)
            if turn % _NOTES_TURNS == 0:
                await self._keep_notes()

    async def _count(self) -> int:
        now = datetime.now(UTC)
        return sum(lane.waiting for lane in await self._clerk.ask(self._archive.lane_states, self._site, now=now))

    # -- visits, called by lanes ---------------------------------------------------------------------------------------

    def _is_wanted(self, under_way: int) -> bool:
        return self.options.limit is None or self.tally.pages + under_way < self.options.limit

    async def prepare(self, task: Task, work: LaneWork) -> Outcome | None:
        """Return the outcome where robots.txt or the scope forbids to ask, None where it may be asked for."""
        now = datetime.now(UTC)
        why = self.scope.why_not(task.url, task.depth) if task.kind == "page" else ""
        if not why and task.kind == "page" and task.depth:
            why = "the same page was visited under another address" if self._params.is_repeat(task.url) else ""
            why = why or self._traps.why_trapped(task.url)
        if why:
            return Outcome(task, "skipped", now, why=why)
        robots = await self._manners.robots_for(task.url, work)
        if robots is None:  # the lane is closed, or the run ended
            return None
        await self._add_sitemaps(task.url, robots.sitemaps)
        if not robots.allows(task.url):
            return Outcome(task, "refused", now, why="robots.txt does not allow it")
        return None

    async def visit(self, task: Task, work: LaneWork) -> Receipt:
        """Ask for one address, extract what came and store it."""
        try:
            outcome, response = await self._ask(task, work)
            if response is not None:
                outcome = await self._extract(outcome, response)
            return await self.settle(outcome)
        finally:
            self._room.pages.release()

    async def settle(self, outcome: Outcome) -> Receipt:
        """Store an outcome, count it and pass it on."""
        receipt = await self._clerk.store(outcome)
        self.tally.take(outcome, receipt)
        if self._listener is not None and receipt.stored:
            await self._listener(outcome, receipt)
        return receipt

    async def _ask(self, task: Task, work: LaneWork) -> tuple[Outcome, Response | None]:
        """Fetch; return what it means for the address, and the response where there is something to extract."""
        began = monotonic()
        try:
            response = await self._fetcher.get(task.url, etag=task.etag, modified=task.modified, follow=False)
        except FetchFailed as failure:
            work.pace.failed(monotonic(), monotonic() - began)
            return self._judge.settle_failure(task, failure, datetime.now(UTC)), None
        finally:
            work.free_place()
        outcome, is_page = self._judge.settle(task, response)
        self._manners.answered(work, response)
        self.tally.delay_s = work.pace.gap_s
        return outcome, response if is_page else None

    async def _extract(self, outcome: Outcome, response: Response) -> Outcome:
        """Have a worker extract the page; a page that did not change since the last visit is left alone."""
        task = outcome.task
        if task.body_hash and task.body_hash == outcome.body_hash:
            return outcome
        job = Job(
            self._setup,
            task.url,
            response.body,
            task.kind,
            outcome.content_type,
            response.status,
            response.cut_at_bytes is None,
            header(response, "X-Robots-Tag"),
        )
        answer = await self._pool.work(job)
        if answer.profile is not None:
            await self._learned(answer.profile)
        if answer.drift:
            self.tally.drift = answer.drift
        if answer.why and answer.extracted is None and task.kind == "page":
            return replace(outcome, state="failed", why=answer.why, raw=None)
        if answer.extracted is not None:
            self._note(task.url, answer.extracted)
        return replace(outcome, extracted=answer.extracted, found=self._found(task, answer))

    def _note(self, url: Url, extracted: Extracted) -> None:
        """Let a page say which parameters of addresses matter, and whether its kind has an end."""
        said = extracted.text or extracted.title
        if said:
            self._params.note(url, sha256(said.encode("utf-8", "replace")).digest())
        others = " ".join(link for region in extracted.regions for record in region.records for link in record.links)
        self._traps.note(url, extracted.title, extracted.text, others)

    async def _learned(self, profile: str) -> None:
        self.tally.is_learned = True
        self.tally.profiles += 1
        await self._clerk.ask(self._archive.save_profile, self._site, profile)

    def _widen(self, url: str) -> Scope:
        self.scope = self.scope.widen(url)
        return self.scope

    # -- addresses -----------------------------------------------------------------------------------------------------

    def _found(self, task: Task, answer: Answer) -> tuple[Found, ...]:
        """Return the addresses to visit among those that a page named; the others are counted by the reason."""
        depth = task.depth + 1
        kept: list[Found] = []
        for named in answer.found:
            why = "nofollow" if named.is_nofollow else self.scope.why_not(named.url, depth)
            why = why or (self._traps.why_trapped(named.url) if named.kind == "page" else "")
            if why:
                self.tally.skipped[why] += 1
            else:
                kept.append(self._make_found(named, depth))
        return tuple(kept)

    def _make_found(self, named: Named, depth: int) -> Found:
        url = normalise(named.url)
        return Found(
            url, self.scope.lane(url), named.how, named.kind, depth, rank=named.rank, key=self._params.key(url)
        )

    async def _add_sitemaps(self, url: str, declared: Sequence[Url]) -> None:
        """Ask an origin for its own lists of addresses, once: those robots.txt names, else that at the usual place."""
        origin = origin_of(url)
        if origin in self._with_sitemaps or not self.options.sitemaps or self.options.depth == 0:
            return
        self._with_sitemaps.add(origin)
        usual = absolute("/sitemap.xml", origin)
        urls = [normalise(each) for each in declared or ([usual] if usual else [])]
        urls = [each for each in urls if not self.scope.why_not(each, 0, "sitemap")]
        found = [Found(each, self.scope.lane(each), "sitemap", "sitemap", rank=-1) for each in urls]
        self.tally.found += await self._clerk.ask(self._archive.add_found, self._site, found)
