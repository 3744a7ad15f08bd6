"""Measure what plans for many pages are made from: page sets come in, costs go out, and how far plans are off."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean

from bench.machine import describe_machine
from bench.scale_batch import Cluster
from bench.scale_check import Checked, check_plans
from bench.scale_costs import TEXT, Costs
from bench.scale_measure import make_sites, measure_pages
from bench.scale_store import LINKS, measure_crawl, measure_store

_STORED = 2_048  # pages: an archive of this size takes as long for one as a small one does
_CRAWLED = 300  # pages: starting is a small part of it then


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of the plans."""

    pages: float = 1e9
    parts: str = TEXT
    delay_s: float = 1.0
    cluster: Cluster = field(default_factory=Cluster)

    def with_machines(self, machines: int) -> Cluster:
        return replace(self.cluster, machines=machines)


def measure_costs(
    data: Path | None,
    where: str | None,
    *,
    limit: int | None = None,
    tick: Callable[[str, int], None] = lambda name, total: None,
) -> tuple[Costs, list[Checked]]:
    """Measure on every other site, then run what was foretold for the rest. Raises BadInput, MissingExtra."""
    sites = make_sites(data, limit=limit)
    total = len(sites) // 2 + len(sites) % 2
    measured = measure_pages(sites[::2], lambda name, _: tick(name, total + 3))
    tick("a crawl", total + 3)
    crawled = measure_crawl(_CRAWLED)
    tick("an archive", total + 3)
    stored = measure_store(where, sites[0], _STORED)
    costs = Costs(
        machine=describe_machine().summary(),
        pages=f"{measured.pages} pages of {len(sites[::2])} sites from {data.name if data else 'the demo site'}",
        page_kb=round(measured.kb / measured.pages, 1),
        decode=measured.decode,
        ways=measured.ways,
        learn_s=round(fmean(measured.learn_s), 3),
        learn_pages=round(fmean(measured.learn_pages)),
        take_up_ms=round(fmean(measured.take_up_s) * 1e3, 3),
        profile_kb=round(fmean(measured.profile_kb), 1),
        crawl_ms=round(crawled.cpu_ms, 3),
        more_requests=crawled.more_requests,
        store_ms=round(stored.wall_ms, 3),
        stored_kb=round(stored.kb, 2),
        address_bytes=round(stored.address_bytes),
        links=LINKS,
    )
    tick("what was foretold", total + 3)
    return costs, check_plans(costs, sites[1::2]) if len(sites) > 1 else []
