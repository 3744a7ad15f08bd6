"""Plan the database of a crawl: pages and costs come in, its size and among how many servers to divide it go out."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from bench.scale_costs import Costs

WRITERS = 8  # connections that store at a time: beyond, they wait for each other's log on the disk
SERVER_TB = 10.0  # of one server, that a backup and a restart remain a matter of hours
WARM_GB = 256.0  # memory of one server: addresses beyond are looked up on disk


@dataclass(frozen=True, slots=True)
class FrontierPlan:
    """What PostgreSQL has to hold and take."""

    addresses: float  # rows that wait or are done
    size_tb: float
    index_gb: float  # addresses with their indexes, where every new one is looked up
    writes_per_s: float  # pages that one server takes
    wanted_per_s: float  # pages that the crawl brings
    servers: int  # to divide sites among, for all three
    because: str  # which of the three asks for most


def plan_frontier(costs: Costs, pages: float, wanted_per_s: float, *, new_links: float = 2.0) -> FrontierPlan:
    """Return what the archive of so many pages needs; `new_links` are addresses that a page names first, on average."""
    addresses = pages * (1 + new_links)
    more = new_links - costs.links  # than the pages had that were measured
    size_tb = pages * (costs.stored_kb + more * costs.address_bytes / 1e3) / 1e9
    index_gb = addresses * costs.address_bytes / 1e9
    takes = WRITERS * 1e3 / costs.store_ms
    needs = {"size": size_tb / SERVER_TB, "memory": index_gb / WARM_GB, "writes": wanted_per_s / takes}
    because = max(needs, key=lambda name: needs[name])
    return FrontierPlan(addresses, size_tb, index_gb, takes, wanted_per_s, max(1, ceil(needs[because])), because)
