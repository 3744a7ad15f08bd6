"""Archive the pages of new records: an address comes in, its document is extracted and stored, as a crawl would.

What is learned of a site on the way is kept in the archive; its pages are cut from then on.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime

from scythe.crawling.addresses import Addresses
from scythe.crawling.jobs import Job, SiteSetup
from scythe.crawling.judge import Judge
from scythe.crawling.kit import Kit
from scythe.crawling.lane import LaneWork
from scythe.crawling.learning import Learning
from scythe.crawling.manners import Getter, Manners
from scythe.crawling.options import CrawlOptions
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
        kit: Kit,
        getter: Getter,
        manners: Manners,
        clock: Clock,
        tell: Callable[[Event], Awaitable[None]],
    ) -> None:
        self._kit, self._clerk, self._getter, self._manners = kit, kit.clerk, getter, manners
        self._clock, self._tell = clock, tell
        self._owner = kit.new_owner()
        self._sites: OrderedDict[int, Learning] = OrderedDict()
        self._entering = asyncio.Lock()

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

    async def close(self, *, hurry: bool = False) -> None:
        """Keep what was learned; in a hurry, what is stored by now."""
        for site in list(self._sites):
            learning = self._sites.pop(site)
            await (learning.break_off() if hurry else learning.close())

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
                setup = SiteSetup(f"site {task.site}", parts, start=task.url)
                known = Learning(self._kit, self._owner, task.site, setup)
                await known.begin()
                self._sites[task.site] = known
            self._sites.move_to_end(task.site)
            if len(self._sites) > _SITES:
                await self._sites.popitem(last=False)[1].close()
        return known
