"""Plan a live crawl: a web, costs, machines and a delay come in, when which share of the pages is there goes out.

A host is asked by one at a time, and no sooner than the delay after the first byte of its last answer. So with enough
machines a crawl lasts as long as its largest host; with too few all hosts that still have pages share what there is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from bench.scale_batch import BUSY, Cluster
from bench.scale_costs import Costs
from bench.scale_web import Hosts, Web, make_hosts

SHARES = (0.5, 0.9, 0.99, 1.0)
DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class CrawlPlan:
    """How a crawl of all pages goes with so many machines."""

    machines: int
    delay_s: float
    pages_per_s: float  # at the most: what machines can fetch, extract and store
    limited_by: str  # cores or places, of the machines
    days: Mapping[float, float]  # until this share of the requests is answered
    polite_days: Mapping[float, float]  # the same with as many machines as one likes: what the delay alone takes
    requests: float  # in all: pages, and what robots.txt, sitemaps and feeds take
    busiest_hosts: float  # that have pages left when 99 % are there


def plan_crawl(web: Web, costs: Costs, parts: str, pages: float, cluster: Cluster, *, delay_s: float) -> CrawlPlan:
    """Return how long a crawl of so many pages takes on these machines, each host asked once per delay."""
    hosts = make_hosts(web, pages)
    hosts = Hosts(hosts.count, hosts.pages + costs.more_requests)  # which are asked for as pages are
    gap_s = delay_s + web.answer_s
    by_places = cluster.machines * cluster.places / gap_s
    by_cores = cluster.machines * cluster.cores * BUSY / page_cpu_s(web, costs, parts)
    most = min(by_places, by_cores)
    days = finish(hosts, gap_s, most)
    left = hosts.from_pages(_pages_at(hosts, gap_s, most, 0.99))
    return CrawlPlan(
        machines=cluster.machines,
        delay_s=delay_s,
        pages_per_s=most,
        limited_by="places" if by_places < by_cores else "cores",
        days={share: seconds / DAY_S for share, seconds in days.items()},
        polite_days={share: seconds / DAY_S for share, seconds in finish(hosts, gap_s, float("inf")).items()},
        requests=hosts.total_pages,
        busiest_hosts=left.total,
    )


def page_cpu_s(web: Web, costs: Costs, parts: str) -> float:
    """Return the CPU seconds of a page of a host with many: asked for, cut, stored; learning is shared by them."""
    ways, kb = costs.ways[parts], web.page_kb
    extracted_us = (1 - ways.tree_share) * ways.cut.us(kb) + ways.tree_share * ways.tree.us(kb)
    return costs.crawl_ms / 1e3 + extracted_us / 1e6


def finish(hosts: Hosts, gap_s: float, most_per_s: float) -> dict[float, float]:
    """Return after how many seconds each share of the pages is there."""
    moments, done = _course(hosts, gap_s, most_per_s)
    return {share: float(np.interp(share * done[-1], done, moments)) for share in SHARES}


def _course(hosts: Hosts, gap_s: float, most_per_s: float) -> tuple[np.ndarray, np.ndarray]:
    """Return moments and how many pages are there by then, from one stratum's end to the next.

    Hosts that are not done are asked equally often, so they end in the order of their size.
    """
    steps = np.diff(hosts.pages, prepend=0.0)  # pages of each host that is left, until the next stratum is done
    active = np.cumsum(hosts.count[::-1])[::-1]
    rate = np.minimum(active / gap_s, most_per_s)
    new = steps * active
    return np.concatenate(([0.0], np.cumsum(new / rate))), np.concatenate(([0.0], np.cumsum(new)))


def _pages_at(hosts: Hosts, gap_s: float, most_per_s: float, share: float) -> float:
    """Return how many pages a host has at least that is not done when this share of all pages is there."""
    _, done = _course(hosts, gap_s, most_per_s)
    return float(hosts.pages[min(int(np.searchsorted(done, share * done[-1])), len(hosts.pages) - 1)])
