"""The story of a crawl: `Crawl` runs it, `scythe.crawl` yields its documents.

start -> frontier -> host -> robots, pace -> fetch -> judge -> extract (in a worker) -> archive -> new URLs -> ...

The state of a URL and its content are stored in one transaction, so any run can be resumed.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack, suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, Literal

from scythe.archive.archive import Archive
from scythe.archive.frontier import add_urls, next_due
from scythe.archive.host_leases import host_rows, take_host, want_host
from scythe.archive.open import open_archive
from scythe.archive.stale_versions import is_stale
from scythe.archive.stored_documents import to_document
from scythe.archive.stored_sites import count_pages, enter_site, read_profile, save_notes, save_profile
from scythe.crawl_model import HostLease, Outcome, Receipt, Task
from scythe.crawling.crawl_options import USUAL_PARTS, CrawlOptions, recall_parts
from scythe.crawling.judge_response import Judge
from scythe.crawling.stats import CrawlStats
from scythe.crawling.url_filter import UrlFilter, start_address
from scythe.engine.archive_thread import ArchiveThread
from scythe.engine.background import Stream
from scythe.engine.context import RunContext, use_kit
from scythe.engine.host_queue import Capacity, HostQueue, both_clocks
from scythe.engine.pace import Pace
from scythe.engine.politeness import Politeness, origin_of
from scythe.engine.site_learning import Learning
from scythe.engine.worker_protocol import Job, SiteSetup
from scythe.errors import BadInput, FetchFailed
from scythe.fetch.fetch_options import with_given
from scythe.fetch.fetcher import Fetcher
from scythe.fetch.page_check import header
from scythe.model import Document, Response
from scythe.reading.method_names import check_methods
from scythe.version import version

if TYPE_CHECKING:
    from scythe.site.site import Site

_TOLD = 10  # names of fields
_PAGES_UNDER_WAY = 4  # per request under way: fetched, in extraction or being stored
_POLL_S = 0.2  # how often a host that another process holds is tried
_COUNT_S = 1.0  # how often the addresses that wait are counted, for the one who looks
_FAILED = ("failed", "gone", "refused", "other")  # states of addresses that gave no page
REVISITED = ("done", "redirect", "failed", "gone", "refused")
_COUNT_SHARE = 50  # times longer than a count takes
_NOTES_S = 30.0


Listener = Callable[[Outcome, Receipt], Awaitable[None]]


class Crawl:
    """One run over one site, with what it needs of its own, or with a kit that it shares with others."""

    def __init__(
        self,
        start: str,
        archive: Archive,
        options: CrawlOptions | None = None,
        *,
        profile: str | None = None,
        listener: Listener | None = None,
        kit: RunContext | None = None,
    ) -> None:
        self.options = options or CrawlOptions()
        self.start = start_address(start)
        self.addresses = UrlFilter(self.start, self.options)
        self.tally = CrawlStats(skipped=self.addresses.skipped)
        self.why_ended = ""
        self._profile = profile
        self._parts = self.options.parts  # None: nobody ever said what to extract of this site
        self._methods = self.options.methods  # None: ... by which methods
        self._listener = listener
        self._archive = archive
        self._shared = kit
        self._kit: RunContext
        self._clerk: ArchiveThread
        self._learning: Learning
        self._fetcher: Fetcher
        self._manners: Politeness
        self._site = 0
        self._judge = Judge(self.addresses, self.options.attempts, self.options.keep_raw)
        self._hosts: dict[asyncio.Task[None], HostQueue] = {}
        self._closed: list[HostQueue] = []
        self._settling: set[asyncio.Future[Receipt]] = set()
        self._stop = asyncio.Event()
        under_way = max(self.options.concurrency, self.options.places)
        self._capacity = Capacity(
            asyncio.Semaphore(under_way), asyncio.Semaphore(under_way * _PAGES_UNDER_WAY), self._stop
        )
        self._is_stopped = False
        self._is_ending = Event()

    async def run(self) -> CrawlStats:
        """Crawl until nothing is left, the limit is reached or `stop` is called. Raises ArchiveFailed and BadInput."""
        async with AsyncExitStack() as stack:
            self._kit = await stack.enter_async_context(use_kit(self._shared, self._archive, self.options.workers))
            self._clerk, self._owner = self._kit.clerk, self._kit.new_owner()
            await self._enter_site(stack)
            self._fetcher = await self._kit.fetcher(self.options.fetch)
            self._manners = Politeness(self._fetcher, self._clerk, self.options)
            self._getter = await stack.enter_async_context(self._manners.open_getter())
            aside = [asyncio.ensure_future(self._look_around()), asyncio.ensure_future(self._learning.warm())]
            try:
                await self._ask_hosts()
            finally:
                for task in aside:
                    task.cancel()
                await asyncio.gather(*aside, return_exceptions=True)
                await self._close()
        self._note_learned()
        self.tally.learning = self._learning.cost
        self.tally.ended = monotonic()
        return self.tally

    def stop(self, why: str = "stopped") -> None:
        """End the run soon. What is under way is asked for again by the next run."""
        self.why_ended = self.why_ended or why
        self._is_stopped = True
        self._is_ending.set()
        self._stop.set()
        for queue in self._hosts.values():
            queue.stop()

    async def _enter_site(self, stack: AsyncExitStack) -> None:
        """Find or make the site in the archive, with its start among the addresses, and take part in learning it."""
        key, again = self.addresses.scope.site_key, REVISITED if self.options.refresh else ()
        entered = await self._clerk.ask(
            enter_site, self._archive, key, self.addresses.start, now=datetime.now(UTC), again=again
        )
        self._site, self.tally.pages = entered.site, entered.pages
        self.addresses.recall(entered.notes)
        await self._keep_said(recall_parts(entered.notes), recall_methods(entered.notes))
        deep = self.options.depth is not None  # a page too deep today may be found nearer tomorrow
        parts = USUAL_PARTS if self._parts is None else self._parts
        setup = SiteSetup(key, parts, self._profile, self.start, tells_again=deep, methods=self._methods or ())
        self._learning = Learning(self._kit, self._owner, self._site, setup)
        await self._learning.begin()
        self._tell_before()
        stack.push_async_callback(self._leave_site)
        self._note_learned()

    async def _keep_said(self, parts: tuple[str, ...] | None, methods: tuple[str, ...] | None) -> None:
        """Keep what is said of the site with it, for runs that say nothing; where this one says nothing, recall it."""
        self._parts = parts if self._parts is None else self._parts
        self._methods = methods if self._methods is None else self._methods
        if (self._parts, self._methods) != (parts, methods):
            await self._keep_notes()
        if self._profile is not None:
            await self._clerk.ask(save_profile, self._archive, self._site, self._profile)

    def _tell_before(self) -> None:
        if self._shared is None:  # nobody looks at one of the runs that share a kit
            parts = self._parts if self.options.parts is None else None
            methods = self._methods if self.options.methods is None else None
            told = tell_before(parts, self._learning.setup.profile if self._profile is None else None, methods or ())
            if told:
                self.tally.note(told)

    async def _ask_hosts(self) -> None:
        """Take hosts of the site that have addresses waiting, until nothing is left to ask for."""
        while not self._stop.is_set():
            asked_at = both_clocks()  # the archive may take its time: how long the host is ours counts from here
            lease = await self._take_host()
            if lease is not None:
                queue = HostQueue(
                    lease,
                    self._owner,
                    self._clerk,
                    self.options,
                    self._capacity,
                    Pace(self.options.delay, slow=lease.slow),
                    now=self._kit.now,
                    lease_s=self._kit.lease_s,
                    kept_at=asked_at,
                )
                await self._manners.recall(queue)
                self._hosts[asyncio.ensure_future(self._ask_host(queue))] = queue
            elif self._hosts:
                await self._join_hosts()
            elif not await self._wait_for_more():
                return

    async def _take_host(self) -> HostLease | None:
        self._note_wanted()
        if not self._capacity.is_wanted:
            return None
        now, lease_s = self._kit.now(), self._kit.lease_s
        return await self._clerk.ask(take_host, self._archive, self._site, self._owner, now=now, lease_s=lease_s)

    async def _ask_host(self, queue: HostQueue) -> None:
        """Visit the addresses of one host, at its pace, until none waits or somebody else wants the host."""
        async with queue:
            while (task := await queue.next_task()) is not None:
                refusal = await queue.decide(self._refuse(task, queue))
                if refusal is not None:
                    queue.start(task, self._store(refusal))
                elif await queue.take_page():
                    queue.start(task, self._visit(task, queue), has_page=True)

    async def _refuse(self, task: Task, queue: HostQueue) -> Outcome | None:
        """Return the outcome where robots.txt or the scope forbids to ask, None where it may be asked for."""
        now = datetime.now(UTC)
        why = self.addresses.why_skip(task)
        if why:
            return Outcome(task, "skipped", now, why=why)
        robots = await self._manners.robots_for(task.url, queue)
        if robots is None:  # the host is closed, or the run ended
            return None
        sitemaps = self.addresses.sitemaps(origin_of(task.url), robots.sitemaps)
        if sitemaps:
            self.tally.found += await self._clerk.ask(add_urls, self._archive, self._site, sitemaps)
        if not robots.allows(task.url):
            return Outcome(task, "refused", now, why="robots.txt does not allow it")
        if self._shared is not None:
            await self._learning.until_free()
            await self._clerk.until_free()
        return None

    async def _visit(self, task: Task, queue: HostQueue) -> Receipt:
        """Ask for one address, extract what came and store it."""
        outcome, response = await self._fetch(task, queue)
        if response is not None:
            outcome = await self._extract(outcome, response)
        return await self._store(outcome)

    async def _fetch(self, task: Task, queue: HostQueue) -> tuple[Outcome, Response | None]:
        """Fetch; return what it means for the address, and the response where there is something to extract."""
        getter = self._getter if task.kind in ("page", "item") else self._fetcher
        try:
            response = await self._manners.get(getter, task.url, queue, etag=task.etag, modified=task.modified)
        except FetchFailed as failure:
            is_away = queue.pace.is_away
            return self._judge.settle_failure(task, failure, datetime.now(UTC), is_away=is_away), None
        outcome, is_page = self._judge.settle(task, response)
        self.tally.delay_s = queue.pace.gap_s
        return outcome, response if is_page else None

    async def _extract(self, outcome: Outcome, response: Response) -> Outcome:
        """Have a worker extract the page; a page that did not change since the last visit is left alone."""
        task = outcome.task
        if task.body_hash and task.body_hash == outcome.body_hash:
            return outcome if self.options.keep_raw else replace(outcome, raw=None)
        job = Job(
            self._learning.setup,
            task.url,
            response.body,
            "page" if task.kind == "item" else task.kind,
            outcome.content_type,
            response.status,
            response.cut_at_bytes is None,
            header(response, "X-Robots-Tag"),
        )
        answer = await self._learning.extract(job)
        self._note_learned()
        if answer.drift:
            self.tally.drift = answer.drift
        if answer.why and answer.extracted is None and job.kind == "page":
            return replace(outcome, state="failed", why=answer.why, raw=None)
        if answer.extracted is not None:
            self.addresses.note(task.url, answer.extracted)
        found = self.addresses.choose(task, answer.found)
        return replace(outcome, extracted=answer.extracted, found=found)

    async def _store(self, outcome: Outcome) -> Receipt:
        """Store an outcome, count it and pass it on; what is being stored when the run is stopped is counted, too."""
        settling = asyncio.ensure_future(self._settle(outcome))
        self._settling.add(settling)
        settling.add_done_callback(self._forget)
        return await asyncio.shield(settling)

    def _forget(self, settled: asyncio.Future[Receipt]) -> None:
        """Let go of what was stored, or could not be: of many that fail at once the first is told, and ends the run."""
        self._settling.discard(settled)
        if not settled.cancelled():
            settled.exception()  # else asyncio shows it, with its traceback, where nobody waits for it any more

    async def _settle(self, outcome: Outcome) -> Receipt:
        receipt = await self._clerk.store(outcome)
        self.tally.take(outcome, receipt)
        self._note_wanted()
        if self._listener is not None and (receipt.stored or outcome.state in (*_FAILED, "retry")):
            await self._listener(outcome, receipt)
        return receipt

    async def _join_hosts(self) -> None:
        """Wait until one host has no more, or a moment, since other hosts may have got addresses."""
        done, _ = await asyncio.wait(self._hosts, timeout=_POLL_S, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            queue = self._hosts.pop(task)
            if queue.is_lost:  # what its visits found may not be stored
                await self._learning.warm()
            if queue.closed:
                self._closed.append(queue)
                self.tally.note(queue.closed)
            task.result()

    async def _wait_for_more(self) -> bool:
        """Wait for addresses to be tried again, or for a host that another process holds; False: the run is over."""
        if self._capacity.pages_left is not None and self._capacity.pages_left <= 0:
            self.why_ended = self.why_ended or f"page limit reached: {self.options.limit}"
            return False
        now = self._kit.now()
        due = await self._clerk.ask(next_due, self._archive, self._site)
        if due is None or self._closed:
            self.why_ended = self.why_ended or ("; ".join(queue.closed for queue in self._closed) or "complete")
            return False
        wait_s = (due - now).total_seconds()
        if wait_s > self.options.patience_s:
            self.why_ended = f"what is left is to be tried again from {due:%Y-%m-%d %H:%M} UTC on"
            return False
        if wait_s <= 0:
            await self._clerk.ask(want_host, self._archive, self._site, self._owner, now=now)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stop.wait(), min(max(wait_s, _POLL_S), 1.0))
        return True

    async def _close(self) -> None:
        """End what is under way, give hosts back, and keep what was learned."""
        for queue in self._hosts.values():
            queue.stop()
        self._stop.set()
        await asyncio.gather(*self._hosts, return_exceptions=True)
        await asyncio.gather(*self._settling, return_exceptions=True)
        for queue in self._closed:
            await queue.leave()
        await self._keep_notes()
        self.tally.waiting = await self._count()
        self.tally.pages = await self._clerk.ask(count_pages, self._archive, self._site)  # other processes' too

    async def _leave_site(self) -> None:
        """Keep what was learned. A run that was stopped and shares its kit hurries: somebody else goes on."""
        if self._is_stopped and self._shared is not None:
            await self._learning.break_off()
        else:
            await self._learning.close()
            await self._refill()

    async def _refill(self) -> None:
        """Extract anew the pages that were read before there were rules for them."""
        if self._is_stopped:
            return
        key = self.addresses.scope.site_key
        if not await self._clerk.ask(partial(is_stale, self._archive, key, version(), cut_too=False)):
            return
        from scythe.crawling.refill import refill  # with all that extracts: the run itself leaves pages to its workers

        again = partial(refill, self._archive.beside(), [key], stop=self._is_ending, cut_too=False)
        done = await asyncio.to_thread(self._clerk.insist, again)  # which goes on where it was broken off
        if done.done:
            self.tally.note(f"{done.done} pages extracted anew by what was learned since")

    async def _look_around(self) -> None:
        """Now and then count what waits, for whoever looks, and keep notes; a large count is made less often.

        Nobody looks at one of the runs that share a kit.
        """
        noted = monotonic()
        while True:
            began = monotonic()
            if self._shared is None:
                self.tally.waiting = await self._count()
            await asyncio.sleep(max(_COUNT_S, _COUNT_SHARE * (monotonic() - began)))
            if monotonic() - noted > _NOTES_S:
                noted = monotonic()
                await self._keep_notes()
                await self._kit.set_clock()

    async def _count(self) -> int:
        now = self._kit.now()
        return sum(host.waiting for host in await self._clerk.ask(host_rows, self._archive, self._site, now=now))

    async def _keep_notes(self) -> None:
        notes = note_said(self.addresses.to_notes(), self._parts, self._methods)
        await self._clerk.ask(save_notes, self._archive, self._site, notes)

    def _note_learned(self) -> None:
        self.tally.is_learned, self.tally.profiles = self._learning.is_learned, self._learning.changes
        self._capacity.is_sampling = not self.tally.is_learned

    def _note_wanted(self) -> None:
        limit = self.options.limit
        self._capacity.pages_left = None if limit is None else limit - self.tally.pages


async def run_watched(crawl: Crawl, watch: Callable[[Crawl], Awaitable[None]]) -> CrawlStats:
    """Run a crawl with somebody who watches it, until it ends."""
    watching = asyncio.ensure_future(watch(crawl))
    try:
        return await crawl.run()
    finally:
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching


def crawl(
    start: str,
    *,
    archive: str | Path | None = None,
    limit: int | None = None,
    delay: float | None = None,
    depth: int | None = None,
    allow: Sequence[str] | None = None,
    deny: Sequence[str] | None = None,
    allow_private: bool | None = None,
    profile: Site | str | Path | None = None,
    store: str = "",
    on_error: Literal["raise", "keep"] = "raise",
    options: CrawlOptions | None = None,
) -> Iterator[Document]:
    """Crawl a site and yield its pages as they are stored, each once.

    `archive` is a file or a `postgresql://` address; a crawl into the same archive goes on where the last one stopped,
    and yields only what is new. Without it everything is forgotten at the end. `delay` is in seconds, `profile` what
    was learned before; it and `options.parts` are kept with the site, for runs that do not say them. Responses
    as they came, where `options` want them kept, go into `store` ("folder:responses"), else into the archive. `options`
    has everything else that can be said; what is named here goes before it. A page that fails is left out; with
    `on_error="keep"` it is an empty document that says `why`. Raises BadInput on wrong arguments, ArchiveFailed where
    the archive cannot be used, and, unless failures are kept, FetchFailed at the end where not a single page came.
    """
    if on_error not in ("raise", "keep"):
        raise BadInput(f"on_error must be raise or keep, not {on_error!r:.40}")
    given: dict[str, object] = {"limit": limit, "delay": delay, "depth": depth, "allow_private": allow_private}
    given |= {name: _patterns(patterns, name) for name, patterns in (("allow", allow), ("deny", deny))}
    said = with_given(options or CrawlOptions(), **given)
    with ExitStack() as stack:
        if archive is None:
            archive = Path(stack.enter_context(TemporaryDirectory(prefix="scythe-"))) / "crawl.db"
        opened = stack.enter_context(open_archive(archive, store=store))
        pages = _PageStream(on_error)
        run = Crawl(start, opened, said, profile=profile_text(profile), listener=pages.take)
        return pages.stream.follow(partial(pages.run_to_end, run), run.stop, stack.pop_all())
    # for the type checker: an exit stack may swallow errors, ours holds nothing that does
    raise AssertionError("unreachable")


class _PageStream:
    """Hands the pages of a crawl to the one who iterates and, where failures are kept, those that failed."""

    def __init__(self, on_error: Literal["raise", "keep"]) -> None:
        self.stream: Stream[Document] = Stream("scythe-crawl")
        self._on_error = on_error
        self._last_failure = ""

    async def take(self, outcome: Outcome, receipt: Receipt) -> None:
        """Hand on what came of one address."""
        if outcome.extracted is not None and receipt.stored in ("new", "changed", "duplicate", "cut"):
            await self.stream.put(to_document(outcome.extracted, outcome.task.url))
        elif outcome.state in (*_FAILED, "retry"):
            self._last_failure = outcome.why
            if self._on_error == "keep" and outcome.state != "retry":
                await self.stream.put(Document(url=outcome.task.url, why=outcome.why))

    async def run_to_end(self, run: Crawl) -> None:
        """Crawl; say what went wrong where not a single page came."""
        tally = await run.run()
        if tally.pages or run.why_ended == "stopped":
            return
        why = self._last_failure or run.why_ended
        if self._on_error == "raise":
            raise FetchFailed(run.start, why)
        if not any(tally.states[state] for state in _FAILED):
            await self.stream.put(Document(url=run.start, why=why))  # it is to be tried again, much later


def _patterns(given: Sequence[str] | None, name: str) -> tuple[str, ...] | None:
    if isinstance(given, str):
        raise BadInput(f"{name} is a list of patterns, not one text")
    return None if given is None else tuple(given)


def profile_text(profile: Site | str | Path | None) -> str | None:
    """Return what was learned of a site as a crawl takes it, checked. Raises BadInput, OSError and ArchiveFailed."""
    if profile is None:
        return None
    if not isinstance(profile, str | Path):
        return profile.to_json()
    from scythe.site.profile import load_profile  # with numpy: the run itself leaves pages to its workers

    text = read_profile(profile)
    load_profile(text, name=str(profile))
    return text


def recall_methods(notes: str) -> tuple[str, ...] | None:
    """Return the methods that were last asked for; None where nobody has said, or they are not known here."""
    kept = json.loads(notes).get("methods") if notes else None
    try:
        check_methods(kept or ())
    except BadInput:
        return None
    return None if kept is None else tuple(kept)


def note_said(notes: str, parts: tuple[str, ...] | None, methods: tuple[str, ...] | None) -> str:
    """Write parts and methods into notes, for `recall_parts` and `recall_methods`."""
    said = {"parts": parts, "methods": methods}
    known = {name: value for name, value in said.items() if value is not None}
    return json.dumps({**json.loads(notes), **known}) if known else notes


def tell_before(parts: tuple[str, ...] | None, profile: str | None, methods: tuple[str, ...] = ()) -> str:
    """Say in a line what is used since it was used before; empty where that is nothing a person once said."""
    used = [] if parts is None else [f"--parts {','.join(parts)}"]
    used += [f"--method {method}" for method in methods]
    names = _taught(profile)
    if names:
        more = f" and {len(names) - _TOLD} more" if len(names) > _TOLD else ""
        used.append(f"a profile with {', '.join(names[:_TOLD])}{more}")
    return f"as when this site was crawled before: {' and '.join(used)}" if used else ""


def _taught(profile: str | None) -> tuple[str, ...]:
    """Return the fields of a profile that were learned by example."""
    if not profile:
        return ()
    from scythe.site.profile import load_profile  # as above

    try:
        return load_profile(profile).profile.named
    except BadInput:  # of a newer version: it is not used either
        return ()
