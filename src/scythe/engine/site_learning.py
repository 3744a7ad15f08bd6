"""Decide when a run learns a site, and share the profile between processes.

One process has the right to learn; the others pick up its profile within seconds.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from time import monotonic

from scythe.archive.archive import Archive
from scythe.archive.host_leases import Owner
from scythe.archive.results import LearningState
from scythe.archive.stored_sites import leave_learning, save_learned, take_learning
from scythe.engine.context import RunContext
from scythe.engine.worker_protocol import Job, SiteSetup, WorkerAnswer
from scythe.site.learning_cost import LearningCost

_LOOK_S = 2.0  # how often the right is renewed, or a newer profile is looked for
_SIGNS = 4  # times at least in the time of a lease
_NONE = LearningState(is_held=False, version=-1)


class Learning:
    """One site in the hands of one run, from `begin` to `close`."""

    def __init__(self, kit: RunContext, owner: Owner, site: int, setup: SiteSetup) -> None:
        self.setup = setup
        self.changes = 0  # profiles that this run stored
        self.cost: LearningCost | None = None  # known once the site was closed
        self._kit, self._owner, self._site = kit, owner, site
        self._is_given = setup.profile is not None  # by a person, who wants just that one
        self._lesson = _NONE
        self._told = _NONE  # what the worker was last told of it
        self._saving: set[asyncio.Future[None]] = set()
        self._looked_at = float("-inf")
        self._alone = kit.alone_at(setup.key)
        self._order = asyncio.Lock()  # what one answer brought is stored before the next is looked at

    @property
    def is_learned(self) -> bool:
        return self.setup.profile is not None

    async def begin(self) -> None:
        """Wait until no other run of this process has the site, then ask for the right and for what is known."""
        await self._alone.acquire()
        try:
            await self._look_up()
        except BaseException:
            self._alone.release()
            raise

    async def warm(self) -> None:
        """Start the worker, which takes the better part of a second, and tell it of the site anew."""
        is_known = self._told.version == self._lesson.version
        self._told = self._lesson
        await self._kit.pool.renew(replace(self.setup, profile=None) if is_known else self.setup)

    async def until_free(self) -> None:
        """Wait until it is of use to ask for a page: what waits for extraction is asked for again after a crash."""
        await self._kit.pool.until_free(self.setup)

    async def extract(self, job: Job) -> WorkerAnswer:
        """Extract one response with what is known of the site by now, and store what was learned from it."""
        async with self._order:
            await self._look_again()
        known = 0 if self.setup.profile is None else self._lesson.version
        answer = await self._kit.pool.work(job)
        if answer.extracted is not None:
            answer = replace(answer, extracted=replace(answer.extracted, profile=known))
        if answer.profile is not None:
            await self._save(answer.profile)
        return answer

    async def _save(self, profile: str) -> None:
        """Store what was learned, to the end even where the visit is broken off that brought it."""
        saving = asyncio.ensure_future(self._store(profile))
        self._saving.add(saving)
        saving.add_done_callback(self._forget)
        await asyncio.shield(saving)

    def _forget(self, saved: asyncio.Future[None]) -> None:
        self._saving.discard(saved)
        if not saved.cancelled():
            saved.exception()  # where nobody waits for it any more, the run has failed already and says why

    async def close(self) -> None:
        """Learn from what there is, if nothing was learned yet; store it, and give the right back."""
        try:
            await asyncio.gather(*self._saving, return_exceptions=True)
            try:
                answers = [await self._kit.pool.finish_sample(self.setup)]
            finally:
                last = await self._kit.pool.close_site(self.setup)
                self.cost = last.learning
            for profile in [answer.profile for answer in (*answers, last) if answer.profile is not None]:
                await self._store(profile)
        finally:
            await self._end()

    async def break_off(self) -> None:
        """Give the right back at once, for another to go on; what was not stored by now is learned again."""
        try:
            self._kit.pool.drop_site(self.setup)
            await asyncio.gather(*self._saving, return_exceptions=True)
        finally:
            await self._end()

    async def _end(self) -> None:
        try:
            await self._kit.clerk.ask(leave_learning, self._archive, self._site, self._owner)
        finally:
            self._alone.release()

    @property
    def _archive(self) -> Archive:
        return self._kit.clerk.archive

    async def _look_again(self) -> None:
        if monotonic() - self._looked_at > min(_LOOK_S, self._kit.lease_s / _SIGNS):
            await self._look_up()
        if self._told != self._lesson:
            await self.warm()

    async def _look_up(self) -> None:
        """Claim the right, and read a profile that is newer than ours."""
        self._looked_at = monotonic()
        now, lease_s, known = self._kit.now(), self._kit.lease_s, self._lesson.version
        asked = (self._archive, self._site, self._owner, known)
        lesson, newest = await self._kit.clerk.ask(take_learning, *asked, now=now, lease_s=lease_s)
        profile = self.setup.profile if lesson.version == known or self._is_given else newest
        self._lesson, self.setup = lesson, replace(self.setup, profile=profile, is_learner=lesson.is_held)

    async def _store(self, profile: str) -> None:
        """Store what was learned; where that is another's to do, or was done meanwhile, take what there is instead."""
        async with self._order:
            version, lesson = None, self._lesson
            if lesson.is_held:
                asked = (self._archive, self._site, profile, self._owner)
                version = await self._kit.clerk.ask(save_learned, *asked, after=lesson.version)
            if version is not None:
                self.changes += version != lesson.version
                self._lesson = self._told = replace(lesson, version=version)
                self.setup = replace(self.setup, profile=profile)
            else:
                self._lesson = self._told = _NONE
                await self._look_up()
