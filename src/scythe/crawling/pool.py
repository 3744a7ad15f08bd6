"""Extraction in processes of its own: jobs come in, each is answered once, whatever becomes of the process.

A site's pages all go to one worker, which learns the site. A worker that dies takes one page with it, the one under
way: that page is answered with the reason and never tried again; those behind it go to a fresh worker, which takes up
the site from the last profile that came back.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from scythe.crawling.jobs import Answer, Caps, Job, SiteSetup
from scythe.crawling.slot import Ask, Sites, Slot

__all__ = ["Answer", "Caps", "Job", "Pool", "SiteSetup", "open_pool"]


class Pool:
    """Some workers. Use `open_pool`."""

    def __init__(self, workers: int, caps: Caps) -> None:
        self._sites = Sites()
        self._slots = [Slot(caps, self._sites) for _ in range(max(1, workers))]
        self._slot_of: dict[str, Slot] = {}

    async def work(self, job: Job) -> Answer:
        """Extract one response; a page that cannot be extracted says `why`. Raises ScytheError if no worker starts."""
        return await self._slot(job.site.key).ask(Ask(job.site, job))

    async def warm(self, site: SiteSetup) -> None:
        """Start the worker of a site before its first page is there: that takes the better part of a second."""
        await self._slot(site.key).ask(Ask(site))

    async def renew(self, site: SiteSetup) -> None:
        """Go on with what `site` says now; its addresses are named again. Starts the worker if it does not run."""
        self._sites.renew(site)
        await self._slot(site.key).ask(Ask(site, renew=True))

    async def until_free(self, site: SiteSetup) -> None:
        """Wait while the worker of a site has more to do than it will get done in the time of a request."""
        await self._slot(site.key).until_free()

    async def finish_sample(self, site: SiteSetup) -> Answer:
        """Learn a site from the pages there are, once no more will come; the answer has its profile, if any."""
        return await self._ask_last(Ask(site, learn=True))

    async def close_site(self, site: SiteSetup) -> Answer:
        """Return the profile of a site as it is now, if it changed since it was last answered, and forget the site."""
        try:
            return await self._ask_last(Ask(site, leave=True))
        finally:
            self._forget(site)

    async def _ask_last(self, ask: Ask) -> Answer:
        """Ask for what was learned by a worker; where it is gone a fresh one would know nothing."""
        slot = self._slot(ask.site.key)
        return await slot.ask(ask) if slot.is_alive else self._sites.note(ask.site.key, Answer())

    def drop_site(self, site: SiteSetup) -> None:
        """Forget a site without waiting for the worker, which may have to do with another one."""
        if site.key in self._slot_of:
            slot, leave = self._slot(site.key), Ask(site, leave=True)
            leave.answer.add_done_callback(lambda answer: answer.cancelled() or answer.exception())  # nobody asks
            if slot.is_alive:
                slot.put(leave)
            self._forget(site)

    def _forget(self, site: SiteSetup) -> None:
        self._slot_of.pop(site.key).sites -= 1
        self._sites.forget(site.key)

    @property
    def pids(self) -> list[int]:
        """The processes that run now."""
        return [slot.pid for slot in self._slots if slot.pid is not None]

    @property
    def deaths(self) -> int:
        """How many workers died of a page or were ended for it."""
        return sum(slot.deaths for slot in self._slots)

    async def close(self) -> None:
        """End the workers; what is still waiting is cancelled."""
        await asyncio.gather(*(slot.close() for slot in self._slots))

    def _slot(self, site: str) -> Slot:
        """Return the worker of a site; a new site gets the one with the fewest."""
        if site not in self._slot_of:
            self._slot_of[site] = min(self._slots, key=lambda slot: slot.sites)
            self._slot_of[site].sites += 1
        return self._slot_of[site]


@asynccontextmanager
async def open_pool(workers: int = 1, caps: Caps | None = None) -> AsyncIterator[Pool]:
    """Open workers for extraction; each starts with its first job and ends with the pool, or with this process."""
    pool = Pool(workers, caps or Caps())
    try:
        yield pool
    finally:
        await pool.close()
