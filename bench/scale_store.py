"""Measure what crawling and storing cost: an archive comes in, times and bytes of a page in it go out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from sqlalchemy import text
from tests.sites.demo_process import serve_demo_process

from bench.scale_measure import Body
from scythe.archive.archive import Archive
from scythe.archive.frontier import add_urls, next_tasks
from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.stored_documents import to_extracted
from scythe.archive.stored_sites import add_site
from scythe.crawl_model import Extracted, FoundUrl, Outcome, Task
from scythe.crawling.crawl import crawl
from scythe.crawling.crawl_options import CrawlOptions
from scythe.demo.serve import DemoOptions
from scythe.reader import read
from scythe.url import Url

LINKS = 10  # new addresses that each stored page names: a frontier grows faster than an archive
_BATCH = 64  # as crawls store them
_LANE = "stored.example"
_ADDRESSES = 10_000  # enough that pages of the database that are half full do not matter


@dataclass(frozen=True, slots=True)
class Stored:
    """What it took to store a page with its links."""

    wall_ms: float  # of a page, in the batch at the median
    kb: float
    address_bytes: float  # of an address that waits, indexes included


@dataclass(frozen=True, slots=True)
class Crawled:
    """What a small crawl took."""

    pages: int
    cpu_ms: float  # of a page, in the process that asks, finds links and stores
    more_requests: int
    gap_s: float  # between two requests, at the median: starting is none of it


def measure_store(where: str | None, pages: Sequence[Body], times: int) -> Stored:
    """Store so many pages in a new archive, in SQLite where no address says otherwise, and see what it took."""
    extracted = [to_extracted(read(body, url), ("text", "images")) for url, body in pages]
    with TemporaryDirectory() as folder, open_archive(where or Path(folder) / "scale.db") as archive:
        site = add_site(archive, _LANE, Url(f"https://{_LANE}/"))
        address_bytes = _measure_addresses(archive, site)
        before, spent = _size(archive), list[float]()
        for start in range(0, times, _BATCH):
            add_urls(archive, site, [_found(f"page/{start + i}") for i in range(_BATCH)])
            tasks = next_tasks(archive, site, _LANE, _BATCH, now=datetime.now(UTC))
            outcomes = [_outcome(task, extracted[task.id % len(extracted)]) for task in tasks]
            began = time.perf_counter()
            store_outcomes(archive, outcomes)
            spent.append((time.perf_counter() - began) / len(tasks))
        return Stored(median(spent) * 1e3, (_size(archive) - before) / times / 1e3, address_bytes)


def _measure_addresses(archive: Archive, site: int) -> float:
    before = _size(archive)
    for start in range(0, _ADDRESSES, 1_000):
        add_urls(
            archive,
            site,
            [_found(f"wait/{number}/of-a-common-length", rank=2) for number in range(start, start + 1_000)],
        )
    return (_size(archive) - before) / _ADDRESSES


def _outcome(task: Task, extracted: Extracted) -> Outcome:
    """Return a visit to a page like this one that says something of its own and names addresses that nobody did."""
    return Outcome(
        task,
        "done",
        datetime.now(UTC),
        status=200,
        seconds=0.1,
        size=100_000,
        body_hash=blake2b(task.url.encode(), digest_size=16).digest(),
        extracted=replace(extracted, text=f"{extracted.text} {task.url}"),
        found=tuple(_found(f"link/{task.id}/{number}", rank=1) for number in range(LINKS)),
    )


def _found(path: str, rank: int = 0) -> FoundUrl:
    return FoundUrl(Url(f"https://{_LANE}/{path}"), _LANE, rank=rank)


def _size(archive: Archive) -> int:
    """Return the bytes of an archive with all its indexes."""
    with archive.reading() as connection:
        if archive.is_sqlite:
            pages = connection.execute(text("PRAGMA page_count")).scalar_one()
            return int(pages) * int(connection.execute(text("PRAGMA page_size")).scalar_one())
        return int(
            connection.execute(
                text(
                    "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c "
                    "WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace"
                )
            ).scalar_one()
        )


def measure_crawl(pages: int, delay_s: float = 0.0) -> Crawled:
    """Crawl a site served on this machine, and see what it took."""
    options = CrawlOptions(delay=delay_s, allow_private=True, parts=("text",))
    with TemporaryDirectory() as folder, serve_demo_process(DemoOptions(pages=pages)) as demo:
        began = time.process_time()
        count = sum(1 for _ in crawl(demo.url, archive=Path(folder) / "crawl.db", options=options, limit=pages))
        cpu_s = time.process_time() - began
        log = demo.log
    gap_s = median(later.at - sooner.at for sooner, later in pairwise(log))
    return Crawled(count, cpu_s / count * 1e3, len(log) - count, gap_s)
