"""The story of a watch: `Watch` visits pages when they are due, `scythe.watch` yields its events.

due? -> lease on its host -> visit -> archive -> when next? -> due?

All state is in the archive when a visit ends, so any run can be resumed. `visit.py` tells one visit.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from scythe.archive.archive import Archive
from scythe.archive.frontier import next_due
from scythe.archive.host_leases import take_host
from scythe.archive.open import open_archive
from scythe.archive.results import WatchRow
from scythe.archive.stored_sites import add_site
from scythe.archive.watches import add_watch, due_sites, end_watch, watch_rows, wind_watches
from scythe.crawl_model import WATCHED, FoundUrl, HostLease, Outcome, Receipt, Task
from scythe.crawling.crawl_options import CrawlOptions
from scythe.crawling.judge_response import Judge
from scythe.crawling.scope import host_of
from scythe.crawling.url_filter import UrlFilter, start_address
from scythe.engine.background import Stream
from scythe.engine.context import RunContext, use_kit
from scythe.engine.host_queue import Capacity, HostQueue, both_clocks
from scythe.engine.pace import Pace
from scythe.engine.politeness import Politeness, RobotsGetter
from scythe.engine.site_learning import Learning
from scythe.engine.worker_protocol import Job, SiteSetup
from scythe.errors import BadInput, FetchFailed
from scythe.fetch.fetch_options import with_given
from scythe.fetch.fetcher import Fetcher
from scythe.fetch.page_check import header
from scythe.model import Response
from scythe.url import Url
from scythe.watch_model import DAY_S
from scythe.watching.clock import Clock
from scythe.watching.events import DocumentEvent, Event, TroubleEvent
from scythe.watching.hooks import HookOptions, Outbox
from scythe.watching.visit import ListVisit, Tools, tell_trouble
from scythe.watching.watch_options import ListOptions, WatchOptions

_ATTEMPTS = 3
_SITES = 64  # learned at once; the one used least lately is let go
_LOOK_S = 30.0  # how often the archive is asked for pages that another process added, and the clock for jumps
_HELD_S = 2.0  # a host that another process asks at the moment is tried again after so long
_CLOSED_S = 600.0  # one whose robots.txt cannot be read
_END_S = 5.0  # for hooks to take what is new, when a run is stopped
_ONCE_S = 60.0  # and when it ends by itself
_WAITING = 16  # pages asked for and not yet stored, per request under way

Listener = Callable[[Event], Awaitable[None]]


@dataclass(slots=True)
class Totals:
    """What a run came to so far."""

    visits: int = 0
    records: int = 0
    troubles: int = 0


class Watch:
    """One run over any number of watched pages, with what it needs of its own, or with a kit shared with others."""

    def __init__(
        self,
        archive: Archive,
        options: WatchOptions | None = None,
        *,
        listener: Listener | None = None,
        clock: Clock | None = None,
        only: Iterable[int] | None = None,
        hooks: HookOptions | None = None,
        kit: RunContext | None = None,
    ) -> None:
        self.options = options or WatchOptions()
        self.clock = clock or (Clock() if kit is None else Clock(wall=kit.seconds))
        self.rows: dict[int, WatchRow] = {}  # of pages that are watched, as last read
        self.totals = Totals()
        self._archive = archive
        self._shared = kit
        self._listener = listener
        self._hooks = hooks or HookOptions()
        self._only = None if only is None else frozenset(only)  # watches; None: all of the archive
        self._due: dict[int, datetime] = {}  # by site
        self._due_by: datetime | None = None  # with `once`: what became due later waits for another run
        self._off: dict[int, float] = {}  # sites that have to wait although due, by the steady clock
        self._rounds: dict[asyncio.Task[None], int] = {}
        self._stop = asyncio.Event()
        self._nudged = asyncio.Event()
        under_way = self.options.concurrency
        self._capacity = Capacity(asyncio.Semaphore(under_way), asyncio.Semaphore(under_way * _WAITING), self._stop)
        self._is_stopped = False
        self._looked_at = float("-inf")

    @property
    def is_stopped(self) -> bool:
        """Whether somebody ended the run."""
        return self._is_stopped

    def stop(self) -> None:
        """End the run soon. A visit that is under way is done again by the next one."""
        self._is_stopped = True
        self._stop.set()

    def look_soon(self) -> None:
        """Ask the archive at once what is due: somebody changed it. To be called from the loop of the run."""
        self._looked_at = float("-inf")
        self._nudged.set()

    async def run(self) -> Totals:
        """Watch until `stop` is called or, with `once`, until what was due is visited, once. Raises ArchiveFailed."""
        async with AsyncExitStack() as stack:
            kit = await stack.enter_async_context(use_kit(self._shared, self._archive, self.options.workers))
            self._clerk, self._owner, self._lease_s = kit.clerk, kit.new_owner(), kit.lease_s * self.clock.speed
            fetcher, pool = await kit.fetcher(self.options.fetch), kit.pool
            self._manners = Politeness(fetcher, self._clerk, self.options)
            methods = self.options.methods
            setups = [
                SiteSetup(f"lists {n}", ("records",), learns=False, methods=methods)
                for n in range(self.options.workers)
            ]
            getter = await stack.enter_async_context(self._manners.open_getter())
            self._tools = Tools(self._clerk, getter, pool, self._manners, self.clock, self._tell, setups)
            self._items = Items(kit, getter, self._manners, self.clock, self._tell, methods)
            await self._open_outbox(stack, fetcher)
            try:
                await self._work()
            finally:
                self._stop.set()
                await asyncio.gather(*self._rounds, return_exceptions=True)
                await self._items.close(hurry=self._is_stopped and self._shared is not None)
        return self.totals

    async def _open_outbox(self, stack: AsyncExitStack, fetcher: Fetcher) -> None:
        """Begin to tell hooks and feed files what is new; they end before the archive is left."""
        self._outbox = Outbox(self._clerk, self._hooks, fetcher, self._tell, now=self.clock.now)
        rows = await self._clerk.ask(watch_rows, self._archive)
        stack.push_async_callback(self._outbox.close, _ONCE_S if self.options.once else _END_S)
        await self._outbox.start([row.id for row in rows if self._only is None or row.id in self._only])

    async def _work(self) -> None:
        """Begin a round for every site that is due, and sleep until the next one is."""
        self._due_by = self.clock.now() if self.options.once else None
        while not self._stop.is_set():
            await self._look_around()
            self._begin_rounds()
            if self.options.once and not self._rounds and not self._due_now():
                return
            await self._sleep()
            await self._end_rounds()

    async def _look_around(self) -> None:
        """Read from the archive what is watched and when it is due; after a jump of the clock put that right first."""
        if not self.clock.jumped_s() and self.clock.steady() - self._looked_at < _LOOK_S:
            return
        self._looked_at = self.clock.steady()
        await self._clerk.ask(wind_watches, self._archive, self.clock.now())
        rows = await self._clerk.ask(watch_rows, self._archive)
        self.rows = {row.id: row for row in rows if self._only is None or row.id in self._only}
        due = await self._clerk.ask(due_sites, self._archive)
        for site in {row.site for row in self.rows.values()} - set(self._rounds.values()):
            self._note_due(site, due.get(site))

    def _note_due(self, site: int, due: datetime | None) -> None:
        if due is None:
            self._due.pop(site, None)
        else:
            self._due[site] = due

    def _due_now(self) -> list[int]:
        """Return the sites to be visited, the one that waits longest first."""
        by, steady = self._due_by or self.clock.now(), self.clock.steady()
        active = set(self._rounds.values())
        due = [(at, site) for site, at in self._due.items() if at <= by and site not in active]
        return [site for _, site in sorted(due) if self._off.get(site, steady) <= steady]

    def _begin_rounds(self) -> None:
        for site in self._due_now()[: max(0, self.options.concurrency - len(self._rounds))]:
            self._rounds[asyncio.ensure_future(self._round(site))] = site

    async def _sleep(self) -> None:
        """Wait until something is due, a round ends or the run does."""
        now, steady = self.clock.now(), self.clock.steady()
        active = set(self._rounds.values())
        waits = [_LOOK_S]
        if len(self._rounds) < self.options.concurrency:
            for site, at in self._due.items():
                if site not in active and (self._due_by is None or at <= self._due_by):
                    wait_s = self.clock.real_s((at - now).total_seconds())
                    waits.append(max(wait_s, self._off.get(site, steady) - steady))
        called = [asyncio.ensure_future(event.wait()) for event in (self._stop, self._nudged)]
        try:
            await asyncio.wait([*called, *self._rounds], timeout=max(min(waits), 0.0), return_when="FIRST_COMPLETED")
        finally:
            self._nudged.clear()
            for task in called:
                task.cancel()
            await asyncio.gather(*called, return_exceptions=True)

    async def _end_rounds(self) -> None:
        for task in [task for task in self._rounds if task.done()]:
            site = self._rounds.pop(task)
            task.result()
            self._note_due(site, await self._clerk.ask(next_due, self._archive, site, kinds=WATCHED))

    async def _round(self, site: int) -> None:
        """Visit what is due at one site, all of its hosts at the same time."""
        hosts: set[asyncio.Task[None]] = set()
        worked = False
        try:
            while not self._stop.is_set():
                asked_at = both_clocks()
                steady = self.clock.steady()
                is_off = self._off.get(site, steady) > steady  # a host of it was found closed
                lease = None if is_off else await self._take_host(site)
                if lease is not None:
                    worked = True
                    hosts.add(asyncio.ensure_future(self._ask_host(lease, asked_at)))
                    continue
                if not hosts:
                    break
                done, hosts = await asyncio.wait(hosts, timeout=_HELD_S, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
        finally:
            await asyncio.gather(*hosts, return_exceptions=True)
        if not worked:
            self._put_off(site, self.clock.real_s(_HELD_S))  # another process asks that host just now

    def _put_off(self, site: int, seconds: float) -> None:
        self._off[site] = self.clock.steady() + seconds

    async def _take_host(self, site: int) -> HostLease | None:
        now, lease_s, by = self.clock.now(), self._lease_s, self._due_by
        asked = (take_host, self._archive, site, self._owner)
        return await self._clerk.ask(*asked, now=now, lease_s=lease_s, kinds=WATCHED, due_by=by)

    async def _ask_host(self, lease: HostLease, asked_at: tuple[float, float]) -> None:
        """Visit what is due at one host, at its pace."""
        queue = HostQueue(
            lease,
            self._owner,
            self._clerk,
            self.options,
            self._capacity,
            Pace(self.options.delay, slow=lease.slow, speed=self.clock.speed),
            kinds=WATCHED,
            now=self.clock.now,
            due_by=self._due_by,
            lease_s=self._lease_s,
            kept_at=asked_at,
        )
        await self._manners.recall(queue)
        async with queue:
            while (task := await queue.next_task()) is not None:
                refusal = await queue.decide(self._refuse(task, queue))
                if refusal is not None:
                    queue.start(task, self._store(refusal))
                elif await queue.take_page():
                    queue.start(task, self._visit(task, queue), has_page=True)
        if queue.closed:
            self._put_off(lease.site, self.clock.real_s(_CLOSED_S))
            await queue.leave()
            await self._tell(TroubleEvent(self.clock.now(), lease.name, "", queue.closed))

    async def _refuse(self, task: Task, queue: HostQueue) -> Outcome | None:
        """Return the outcome where robots.txt forbids to ask, None where it may be asked for."""
        robots = await self._manners.robots_for(task.url, queue)
        if robots is None or robots.allows(task.url):
            return None
        now, why = self.clock.now(), "robots.txt does not allow it"
        if task.kind != "list":
            return Outcome(task, "refused", now, why=why)
        return Outcome(task, "retry", now, why=why, retry_at=now + timedelta(seconds=DAY_S))

    async def _visit(self, task: Task, queue: HostQueue) -> Receipt:
        """Visit a watched page, or the page of a record."""
        if task.kind != "list":
            return await self._items.visit(task, queue, self._parts(task.site))
        row = await self._row(task)
        receipt = await ListVisit(self._tools, task, row, queue).run()
        if receipt.records:
            self._outbox.note(task.id)
        return receipt

    async def _store(self, outcome: Outcome) -> Receipt:
        """Store an outcome that asked for nothing."""
        receipt = await self._clerk.store(outcome)
        if outcome.task.kind == "list":
            await self._tell(tell_trouble(await self._row(outcome.task), outcome))
        return receipt

    async def _row(self, task: Task) -> WatchRow:
        """Return a watched page as the archive has it now."""
        rows = await self._clerk.ask(watch_rows, self._archive, task.site)
        row: WatchRow = next(row for row in rows if row.id == task.id)
        self.rows[row.id] = row
        return row

    def _parts(self, site: int) -> tuple[str, ...]:
        options = [ListOptions.from_json(row.options) for row in self.rows.values() if row.site == site]
        return tuple(dict.fromkeys(part for one in options if one.follow for part in one.parts)) or ListOptions().parts

    async def _tell(self, event: Event) -> None:
        if event.kind == "visit":
            self.totals.visits += 1
        elif event.kind == "trouble":
            self.totals.troubles += 1
        elif event.kind == "record":
            self.totals.records += 1
        if self._listener is not None:
            await self._listener(event)


class Items:
    """Archives the pages that new records lead to, as a crawl would; what is learned of their sites is kept."""

    def __init__(
        self,
        kit: RunContext,
        getter: RobotsGetter,
        manners: Politeness,
        clock: Clock,
        tell: Callable[[Event], Awaitable[None]],
        methods: tuple[str, ...] = (),
    ) -> None:
        self._methods = methods
        self._kit, self._clerk, self._getter, self._manners = kit, kit.clerk, getter, manners
        self._clock, self._tell = clock, tell
        self._owner = kit.new_owner()
        self._sites: OrderedDict[int, Learning] = OrderedDict()
        self._entering = asyncio.Lock()

    async def visit(self, task: Task, queue: HostQueue, parts: tuple[str, ...]) -> Receipt:
        """Ask for a page, extract it, store it."""
        outcome, response = await self._ask(task, queue)
        if response is not None:
            outcome = await self._extract(outcome, response, parts)
        receipt = await self._clerk.store(outcome)
        if outcome.state != "retry":
            title = outcome.extracted.title if outcome.extracted is not None else ""
            head = (outcome.at, host_of(task.url), task.url)
            await self._tell(DocumentEvent(*head, task.url, title, receipt.stored, outcome.why))
        return receipt

    async def close(self, *, hurry: bool = False) -> None:
        """Keep what was learned; in a hurry, what is stored by now."""
        for site in list(self._sites):
            learning = self._sites.pop(site)
            await (learning.break_off() if hurry else learning.close())

    async def _ask(self, task: Task, queue: HostQueue) -> tuple[Outcome, Response | None]:
        judge = Judge(UrlFilter(Url(task.url), CrawlOptions()), _ATTEMPTS)
        validators = {"etag": task.etag, "modified": task.modified}
        try:
            response = await self._manners.get(self._getter, task.url, queue, **validators)
        except FetchFailed as failure:
            return judge.settle_failure(task, failure, self._clock.now()), None
        outcome, is_page = judge.settle(task, response)
        outcome = replace(outcome, at=self._clock.at(response.answered_at))
        if outcome.retry_at is not None:
            wait = outcome.retry_at - datetime.now(UTC)
            outcome = replace(outcome, retry_at=self._clock.now() + wait)
        return outcome, response if is_page else None

    async def _extract(self, outcome: Outcome, response: Response, parts: tuple[str, ...]) -> Outcome:
        task = outcome.task
        learning = await self._enter(task, parts)
        whole = response.cut_at_bytes is None
        tag = header(response, "X-Robots-Tag")
        job = Job(learning.setup, task.url, response.body, "page", outcome.content_type, response.status, whole, tag)
        answer = await learning.extract(job)
        if answer.extracted is None:
            return replace(outcome, state="failed", why=answer.why)
        return replace(outcome, extracted=answer.extracted)

    async def _enter(self, task: Task, parts: tuple[str, ...]) -> Learning:
        """Return what is known of the site, and let the one go that was not asked for longest."""
        async with self._entering:
            known = self._sites.get(task.site)
            if known is None:
                setup = SiteSetup(f"site {task.site}", parts, start=task.url, methods=self._methods)
                known = Learning(self._kit, self._owner, task.site, setup)
                await known.begin()
                self._sites[task.site] = known
            self._sites.move_to_end(task.site)
            if len(self._sites) > _SITES:
                await self._sites.popitem(last=False)[1].close()
        return known


def add_lists(
    archive: Archive, addresses: Sequence[str], options: ListOptions, clock: Clock | None = None
) -> list[int]:
    """Have pages watched from now on; return their numbers. Raises BadInput where one is no address."""
    now = (clock or Clock()).now()
    watches = []
    for address in [start_address(text) for text in addresses]:
        key = host_of(address)
        site = add_site(archive, key, address)
        found = FoundUrl(address, key, "start", "list", key=f"list {address}")
        watches.append(add_watch(archive, site, found, options.to_json(), now=now))
    return watches


def forget_lists(archive: Archive, addresses: Sequence[str]) -> list[str]:
    """Have pages watched no longer; return them. What was archived stays. Raises BadInput where one is not watched."""
    watched = {row.url: row for row in watch_rows(archive)}
    rows = []
    for address in [start_address(text) for text in addresses]:
        if address not in watched:
            raise BadInput(f"{address} is not watched")
        rows.append(watched[address])
    for row in rows:
        end_watch(archive, row.id, "watched no longer")
    return [row.url for row in rows]


def watch(
    sites: Sequence[str] = (),
    *,
    archive: str | Path,
    miss: float | None = None,
    max_delay_s: float | None = None,
    follow: bool | None = None,
    once: bool | None = None,
    allow_private: bool | None = None,
    lists: ListOptions | None = None,
    options: WatchOptions | None = None,
    hooks: HookOptions | None = None,
) -> Iterator[Event]:
    """Watch pages with lists and yield what happens: visits, new records, gaps, troubles.

    `archive` is a file or a `postgresql://` address; a watch of the same archive goes on where the last one stopped,
    and without `sites` with all that it watches. `miss` is the share of records that may be missed, `max_delay_s` the
    longest that one may stay unseen. With `once` it visits what is due, once; otherwise it goes on until you stop
    iterating. `lists`, `options` and `hooks` have everything else that can be said; what is named here goes before.
    Raises BadInput on wrong arguments, ArchiveFailed where the archive cannot be used.
    """
    if isinstance(sites, str):
        raise BadInput("sites is a list of addresses, not one text")
    wanted = lists or ListOptions()
    wanted = with_given(wanted, goals=with_given(wanted.goals, miss=miss, max_delay_s=max_delay_s), follow=follow)
    said = with_given(options or WatchOptions(), once=once, allow_private=allow_private)
    stack = ExitStack()
    with stack:
        opened = stack.enter_context(open_archive(archive))
        only = add_lists(opened, sites, wanted) if sites else None
        stream: Stream[Event] = Stream("scythe-watch")
        run = Watch(opened, said, listener=stream.put, only=only, hooks=hooks)
        return stream.follow(run.run, run.stop, stack.pop_all())
    raise AssertionError("unreachable")
