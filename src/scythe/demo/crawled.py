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
from scythe.visits import Extracted, Outcome, Receipt

if TYPE_CHECKING:
    from scythe.archive.archive import Archive
    from scythe.crawling.tally import Tally
    from scythe.demo.serve import Served

# The site is ours and on this machine: no pause between requests. What failed is tried once more.
_OPTIONS = {"delay": 0.0, "concurrency": 8, "per_host": 8, "attempts": 2, "allow_private": True}

Watch = Callable[[Crawl], Awaitable[None]]  # shows a run until it is cancelled


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


def crawl_on(crawled: Crawled, served: Served, archive: Archive, *, patience_s: float, watch: Watch) -> None:
    """Crawl, or go on crawling, until nothing is left that is due within `patience_s`."""
    began = monotonic()
    options = CrawlOptions(**_OPTIONS, patience_s=patience_s)  # type: ignore[arg-type]
    run = Crawl(served.url, archive, options, listener=crawled.take)
    asyncio.run(run_watched(run, watch))
    crawled.tallies.append(run.tally)
    crawled.endings.append(run.why_ended)
    crawled.seconds += monotonic() - began


def list_addresses(archive: Archive, base: str) -> list[Address]:
    """Return every address of the archive's only site with what became of it."""
    with archive.database.reading() as connection:
        rows = connection.execute(select(URLS.c.url, URLS.c.state, URLS.c.why).order_by(URLS.c.id)).all()
    return [Address(row.url.removeprefix(base), row.state, row.why or "") for row in rows]
