"""Archive the pages of new records: an address comes in, its document is extracted and stored, as a crawl would.

What is learned of a site on the way is kept in the archive; its pages are cut from then on.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime

from scythe.crawling.addresses import Addresses
from scythe.crawling.clerk import Clerk
from scythe.crawling.jobs import Job, SiteSetup
from scythe.crawling.judge import Judge
from scythe.crawling.lane import LaneWork
from scythe.crawling.manners import Getter, Manners
from scythe.crawling.options import CrawlOptions
from scythe.crawling.pool import Pool
from scythe.crawling.scope import host_of
from scythe.errors import FetchFailed
from scythe.fetch.judge import header
from scythe.model import Response
from scythe.url import Url
from scythe.visits import Outcome, Receipt, Task
from scythe.watching.clock import Clock
from scythe.watching.events import DocumentEvent, Event

_ATTEMPTS = 3
_SITES = 64  # learned at once; the one used least lately is let go


class Items:
    """What archives the pages of records."""

    def __init__(
        self,
        clerk: Clerk,
        getter: Getter,
        pool: Pool,
        manners: Manners,
        clock: Clock,
        tell: Callable[[Event], Awaitable[None]],
    ) -> None:
        self._clerk, self._getter, self._pool, self._manners = clerk, getter, pool, manners
        self._clock, self._tell = clock, tell
        self._setups: OrderedDict[int, SiteSetup] = OrderedDict()

    async def visit(self, task: Task, work: LaneWork, parts: tuple[str, ...]) -> Receipt:
        """Ask for a page, extract it, store it."""
        outcome, response = await self._ask(task, work)
        if response is not None:
            outcome = await self._extract(outcome, response, parts)
        receipt = await self._clerk.store(outcome)
        if outcome.state != "retry":
            title = outcome.extracted.title if outcome.extracted is not None else ""
            head = (outcome.at, host_of(task.url), task.url)
            await self._tell(DocumentEvent(*head, task.url, title, receipt.stored, outcome.why))
        return receipt

    async def close(self) -> None:
        """Keep what was learned."""
        for site in list(self._setups):
            await self._let_go(site)

    async def _ask(self, task: Task, work: LaneWork) -> tuple[Outcome, Response | None]:
        judge = Judge(Addresses(Url(task.url), CrawlOptions()), _ATTEMPTS)
        validators = {"etag": task.etag, "modified": task.modified}
        try:
            response = await self._manners.get(self._getter, task.url, work, **validators)
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
        setup = await self._setup(task, parts)
        whole = response.cut_at_bytes is None
        tag = header(response, "X-Robots-Tag")
        job = Job(setup, task.url, response.body, "page", outcome.content_type, response.status, whole, tag)
        answer = await self._pool.work(job)
        if answer.profile is not None:
            await self._clerk.ask(self._clerk.archive.save_profile, task.site, answer.profile)
        if answer.extracted is None:
            return replace(outcome, state="failed", why=answer.why)
        return replace(outcome, extracted=answer.extracted)

    async def _setup(self, task: Task, parts: tuple[str, ...]) -> SiteSetup:
        """Return what a worker must know of the site, and let the one go that was not asked for longest."""
        known = self._setups.get(task.site)
        if known is None:
            profile = await self._clerk.ask(self._clerk.archive.profile, task.site)
            known = self._setups[task.site] = SiteSetup(f"site {task.site}", parts, profile, task.url)
        self._setups.move_to_end(task.site)
        if len(self._setups) > _SITES:
            await self._let_go(next(iter(self._setups)))
        return known

    async def _let_go(self, site: int) -> None:
        setup = self._setups.pop(site)
        for last in (await self._pool.finish_sample(setup), await self._pool.close_site(setup)):
            if last.profile is not None:
                await self._clerk.ask(self._clerk.archive.save_profile, site, last.profile)
