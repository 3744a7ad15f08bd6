"""A pool of extraction processes that replaces processes which die.

All pages of a site go to one worker, which learns the site. If it dies, the page under way is reported as failed and
never retried; the rest go to a new worker with the last profile.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from scythe.engine.sampling import Kept
from scythe.engine.worker_protocol import Caps, FinishedSite, Job, Message, SiteSetup, WorkerAnswer, write_frame
from scythe.engine.worker_slot import Slot, WorkerTask

_WORKER = "scythe.engine.worker_process"  # the module that every worker process runs


@dataclass(slots=True)
class SiteProfiles:
    """What all workers together found out about sites: what a fresh worker must be told."""

    setups: dict[str, SiteSetup] = field(default_factory=dict)  # as they were last renewed
    profiles: dict[str, str] = field(default_factory=dict)
    untold: set[str] = field(default_factory=set)  # sites whose profile is still to be passed on
    unlearnable: set[str] = field(default_factory=set)  # learning them ended a worker

    def brief(self, site: SiteSetup) -> SiteSetup:
        profile = self.profiles.get(site.key, site.profile)
        site = self.setups.get(site.key, site)
        return replace(site, profile=profile, learns=site.learns and site.key not in self.unlearnable)

    def note(self, site: str, answer: WorkerAnswer) -> WorkerAnswer:
        """Keep the profile of an answer, and pass one on that was learned between two answers."""
        if answer.profile is not None:
            self.profiles[site] = answer.profile
        elif site in self.untold:
            answer = replace(answer, profile=self.profiles[site])
        self.untold.discard(site)
        return answer

    def renew(self, site: SiteSetup) -> None:
        """Take what is said of a site in place of what was; without a profile, what was learned of it stays."""
        if site.profile is not None:
            self.profiles[site.key] = site.profile
            self.untold.discard(site.key)
        self.setups[site.key] = site

    def forget(self, site: str) -> None:
        """Forget a site that was left, but not that it must not be learned."""
        self.setups.pop(site, None)
        self.profiles.pop(site, None)
        self.untold.discard(site)


@dataclass(slots=True, eq=False)
class SiteTask(WorkerTask[WorkerAnswer]):
    """A job of a site done, or else the site learned, left or taken up anew."""

    known: SiteProfiles
    site: SiteSetup
    job: Job | None = None
    pages: Sequence[Kept] = ()  # to learn from, besides those that the worker has kept
    learn: bool = False
    leave: bool = False
    renew: bool = False

    @property
    def is_wanted(self) -> bool:
        """False: the run that asked for a page has ended."""
        return self.job is None or not self.answer.cancelled()

    def to_frames(self, told: set[str]) -> list[bytes]:
        key, frames = self.site.key, []
        if key not in told or self.renew:
            frames.append(write_frame("enter", self.known.brief(self.site)))
            told.add(key)
        if self.job is not None:
            return [*frames, write_frame("extract", replace(self.job, site=SiteSetup(key)))]  # it was told the rest
        if self.leave:
            told.discard(key)
        return [*frames, write_frame("finish", FinishedSite(key, tuple(self.pages), self.learn, self.leave))]

    def take(self, message: Message) -> None:
        answer = self.known.note(self.site.key, message.read(WorkerAnswer))
        if not self.settle(answer) and answer.profile is not None:
            self.known.untold.add(self.site.key)

    def blame(self, why: str) -> None:
        if self.learn:
            self.known.unlearnable.add(self.site.key)
        self.settle(WorkerAnswer(why=why, died=True))


class Pool:
    """Some workers. Use `open_pool`."""

    def __init__(self, workers: int, caps: Caps) -> None:
        self._sites = SiteProfiles()
        self._slots = [Slot(caps, _WORKER) for _ in range(max(1, workers))]
        self._slot_of: dict[str, Slot] = {}
        self._load: Counter[Slot] = Counter()  # sites of each

    async def work(self, job: Job) -> WorkerAnswer:
        """Extract one response; a page that cannot be extracted says `why`. Raises ScytheError if no worker starts."""
        return await self._slot(job.site.key).ask(SiteTask(self._sites, job.site, job))

    async def warm(self, site: SiteSetup) -> None:
        """Start the worker of a site before its first page is there: that takes the better part of a second."""
        await self._slot(site.key).ask(SiteTask(self._sites, site))

    async def renew(self, site: SiteSetup) -> None:
        """Go on with what `site` says now; its addresses are named again. Starts the worker if it does not run."""
        self._sites.renew(site)
        await self._slot(site.key).ask(SiteTask(self._sites, site, renew=True))

    async def until_free(self, site: SiteSetup) -> None:
        """Wait while the worker of a site has more to do than it will get done in the time of a request."""
        await self._slot(site.key).until_free()

    async def finish_sample(self, site: SiteSetup) -> WorkerAnswer:
        """Learn a site from the pages there are, once no more will come; the answer has its profile, if any."""
        return await self._ask_last(SiteTask(self._sites, site, learn=True))

    async def learn(self, site: SiteSetup, pages: Sequence[Kept]) -> WorkerAnswer:
        """Learn a site from these pages, which somebody else has fetched and reads; the answer has its profile, if any.

        Raises ScytheError if no worker starts.
        """
        return await self._slot(site.key).ask(SiteTask(self._sites, site, pages=pages, learn=True))

    async def close_site(self, site: SiteSetup) -> WorkerAnswer:
        """Return the profile of a site as it is now, if it changed since it was last answered, and forget the site."""
        try:
            return await self._ask_last(SiteTask(self._sites, site, leave=True))
        finally:
            self._forget(site)

    async def _ask_last(self, task: SiteTask) -> WorkerAnswer:
        """Ask for what was learned by a worker; where it is gone a fresh one would know nothing."""
        slot = self._slot(task.site.key)
        return await slot.ask(task) if slot.is_alive else self._sites.note(task.site.key, WorkerAnswer())

    def drop_site(self, site: SiteSetup) -> None:
        """Forget a site without waiting for the worker, which may have to do with another one."""
        if site.key in self._slot_of:
            slot, leave = self._slot(site.key), SiteTask(self._sites, site, leave=True)
            leave.answer.add_done_callback(lambda answer: answer.cancelled() or answer.exception())  # nobody asks
            if slot.is_alive:
                slot.put(leave)
            self._forget(site)

    def _forget(self, site: SiteSetup) -> None:
        self._load[self._slot_of.pop(site.key)] -= 1
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
            self._slot_of[site] = min(self._slots, key=self._load.__getitem__)
            self._load[self._slot_of[site]] += 1
        return self._slot_of[site]


@asynccontextmanager
async def open_pool(workers: int = 1, caps: Caps | None = None) -> AsyncIterator[Pool]:
    """Open workers for extraction; each starts with its first job and ends with the pool, or with this process."""
    pool = Pool(workers, caps or Caps())
    try:
        yield pool
    finally:
        await pool.close()
