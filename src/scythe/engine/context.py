"""What all runs of one process share: archive access, worker processes, connections and a lease."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from time import monotonic, time
from weakref import WeakValueDictionary

from scythe.archive.archive import Archive
from scythe.archive.host_leases import Owner
from scythe.engine.archive_thread import ArchiveThread
from scythe.engine.host_queue import LEASE_S
from scythe.engine.worker_pool import Pool, open_pool
from scythe.engine.worker_protocol import Caps
from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.fetcher import Fetcher, open_fetcher

_CLOCK_S = 5.0  # the clocks are compared again after so long
_NOTICED_S = 1.0  # clocks that differ by less are taken as equal
REQUESTS = 256  # under way in all runs together, each of which has a bound of its own: sockets are few


@dataclass(slots=True)
class RunContext:
    """What `Crawl` and `Watch` need to work, for any number of them at once. Use `open_kit`."""

    clerk: ArchiveThread
    pool: Pool
    owner: Owner  # this process; every run is an owner of its own in it
    lease_s: float  # what a run holds is another's when it says nothing for so long
    requests: int
    _stack: AsyncExitStack
    ahead_s: float = 0.0  # the clock by which holds are counted, of ours; machines may differ
    _looks_from: tuple[float, float] = (float("-inf"), float("-inf"))  # by the steady clock and by that on the wall
    _fetchers: dict[FetchOptions, Fetcher] = field(default_factory=dict)
    _opening: asyncio.Lock = field(default_factory=asyncio.Lock)
    _sites: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary)

    async def fetcher(self, options: FetchOptions) -> Fetcher:
        """Return the client for these options, opened when it is first asked for and closed with the kit."""
        wide = replace(options, concurrency=max(options.concurrency, self.requests))
        async with self._opening:
            if wide not in self._fetchers:
                self._fetchers[wide] = await self._stack.enter_async_context(open_fetcher(wide))
            return self._fetchers[wide]

    async def set_clock(self) -> None:
        """Look how far the database's clock is from ours; a little is the time that looking takes.

        It is looked at every few seconds: of runs that begin together only the first one waits for it.
        """
        if monotonic() < self._looks_from[0] and time() < self._looks_from[1]:
            return
        self._looks_from = monotonic() + _CLOCK_S, time() + _CLOCK_S
        ahead_s = await self.clerk.ask(self.clerk.archive.clock_ahead_s)
        self.ahead_s = ahead_s if abs(ahead_s) > _NOTICED_S else 0.0

    def seconds(self) -> float:
        """Return the time that all processes agree on, in seconds since 1970."""
        return time() + self.ahead_s

    def now(self) -> datetime:
        """Return the time that all processes agree on."""
        return datetime.fromtimestamp(self.seconds(), UTC)

    def new_owner(self) -> Owner:
        """Return an owner for one run: two runs of a process must not take each other's holds for their own."""
        return self.owner.another()

    def alone_at(self, site: str) -> asyncio.Lock:
        """Return what a run holds while it has a site in the pool, so that another waits until it was left."""
        lock = self._sites.get(site)
        if lock is None:
            lock = self._sites[site] = asyncio.Lock()
        return lock


@asynccontextmanager
async def open_kit(
    archive: Archive,
    *,
    extractors: int = 1,
    owner: Owner | None = None,
    lease_s: float = LEASE_S,
    requests: int = REQUESTS,
) -> AsyncIterator[RunContext]:
    """Open what runs share; close it when the last of them has ended. The archive stays open."""
    clerk = ArchiveThread(archive)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(clerk.close)
        pool = await stack.enter_async_context(open_pool(extractors, Caps()))
        kit = RunContext(clerk, pool, owner or Owner.of_this_process(), lease_s, requests, stack)
        await kit.set_clock()
        yield kit


@asynccontextmanager
async def use_kit(shared: RunContext | None, archive: Archive, extractors: int) -> AsyncIterator[RunContext]:
    """Give the kit that others use too, and leave it open; where there is none, one that ends with the block."""
    if shared is not None:
        await shared.set_clock()
        yield shared
        return
    async with open_kit(archive, extractors=extractors, requests=1) as own:  # a run's own bound holds
        yield own
