"""Crawl the demo site as it is served: a site and an archive come in, everything that happened goes out."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING

from sqlalchemy import select

from scythe.archive.schema import URLS
from scythe.crawling.options import CrawlOptions
from scythe.crawling.run import Crawl, run_watched
from scythe.demo.corners import LAB
from scythe.visits import Extracted, Outcome, Receipt

if TYPE_CHECKING:
    from scythe.archive.archive import Archive
    from scythe.crawling.tally import Tally
    from scythe.demo.serve import Served

AT_ONCE = 8  # requests under way
_MOST, _MORE = 2, 1_000  # pages wanted: so many times those of the site, and some; corners without end are left sooner

Watch = Callable[[Crawl], Awaitable[None]]  # shows a run until it is cancelled
Each = Callable[[Crawl], None]  # is called after every page that was stored


@dataclass(frozen=True, slots=True)
class Visited:
    """One page that came into the archive."""

    path: str
    stored: str  # what the archive made of it
    extracted: Extracted | None


@dataclass(frozen=True, slots=True)
class Address:
    """One address the crawl knew, and how it ended."""

    path: str
    state: str
    why: str


@dataclass
class Crawled:
    """What one or more runs over a served site came to."""

    base: str  # of the site
    visited: list[Visited] = field(default_factory=list)  # in the order they came
    tallies: list[Tally] = field(default_factory=list)  # one for each run
    endings: list[str] = field(default_factory=list)  # why each run ended
    seconds: float = 0.0

    async def take(self, outcome: Outcome, receipt: Receipt) -> None:
        """Take note of a page that was stored."""
        path = outcome.task.url.removeprefix(self.base)
        self.visited.append(Visited(path, receipt.stored, outcome.extracted))


def crawl_on(
    crawled: Crawled,
    served: Served,
    archive: Archive,
    *,
    watch: Watch,
    each: Each | None = None,
    corners: bool = True,
    patience_s: float = 0.0,
) -> None:
    """Crawl, or go on crawling, until nothing is left that is due within `patience_s`, or `each` stops the run.

    Without `corners` the page that leads into them is left out; with them a run begins there, for they may be left.
    """

    async def take(outcome: Outcome, receipt: Receipt) -> None:
        await crawled.take(outcome, receipt)
        if each is not None:
            each(run)

    began = monotonic()
    start = served.url + LAB.path[1:] if corners and served.site.corners else served.url
    run = Crawl(start, archive, _options(served, patience_s, corners), listener=take)
    asyncio.run(run_watched(run, watch))
    crawled.tallies.append(run.tally)
    crawled.endings.append(run.why_ended)
    crawled.seconds += monotonic() - began


def _options(served: Served, patience_s: float, corners: bool) -> CrawlOptions:
    """Say how: the site is ours and on this machine, so without a pause. What failed is tried once more."""
    return CrawlOptions(
        limit=_MOST * len(served.world.paths) + _MORE,
        delay=0.0,
        concurrency=AT_ONCE,
        per_host=AT_ONCE,
        deny=() if corners else (f"*{LAB.path}",),
        attempts=2,
        allow_private=True,
        patience_s=patience_s,
    )


def list_addresses(archive: Archive, base: str) -> list[Address]:
    """Return every address of the archive's only site with what became of it."""
    with archive.database.reading() as connection:
        rows = connection.execute(select(URLS.c.url, URLS.c.state, URLS.c.why).order_by(URLS.c.id)).all()
    return [Address(row.url.removeprefix(base), row.state, row.why or "") for row in rows]
