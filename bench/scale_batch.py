"""Plan a batch over WARC files: a web, costs and machines come in, core hours, bytes and days of each plan go out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log

import numpy as np

from bench.scale_costs import Costs
from bench.scale_web import Hosts, Web, make_hosts

PLANS = ("cold", "as it comes", "by host")
LEAST_PAGES = 8  # that a host must have to be learned at all
BUSY = 0.9  # share of the time that a core works: reading, starting and ending take the rest
RELEARNED = 0.05  # hosts that are learned twice, because they changed or had more layouts than were seen
_HOUR_US = 3.6e9
_TRIED = 60  # thresholds


@dataclass(frozen=True, slots=True)
class Cluster:
    """What a batch or a crawl runs on."""

    machines: int = 10
    cores: int = 32
    network_gbit: float = 10.0  # of each machine, to where the files are
    places: int = 2_000  # hosts that one machine asks at a time


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """One way to extract all pages, and what it costs."""

    name: str  # of PLANS
    learn_from: float  # pages that a host must have to be learned; infinite: none is
    hosts_learned: float
    pages_learned: float  # share of the pages that are on those
    pages_cut: float  # share of all pages that need no tree
    core_hours: Mapping[str, float]  # by step
    read_tb: float  # from the files, compressed
    written_tb: float
    days: float
    bottleneck: str

    @property
    def total_core_hours(self) -> float:
        return sum(self.core_hours.values())


def plan_batches(web: Web, costs: Costs, parts: str, pages: float, cluster: Cluster) -> list[BatchPlan]:
    """Return the plans: none learned; learned with pages in any order; with the pages of a host together.

    Of the latter two each twice: learning every host that can be, and only those that are worth it.
    """
    hosts = make_hosts(web, pages)
    maker = BatchPlanner(web, costs, parts, hosts, cluster)
    plans = [maker.make("cold", float("inf"))]
    for name in PLANS[1:]:
        plans += [maker.make(name, LEAST_PAGES), maker.make_cheapest(name)]
    return plans


@dataclass(frozen=True, slots=True)
class BatchPlanner:
    """Works plans out for some hosts."""

    web: Web
    costs: Costs
    parts: str
    hosts: Hosts
    cluster: Cluster

    def make_cheapest(self, name: str) -> BatchPlan:
        largest = float(self.hosts.pages[-1])
        tried = np.exp(np.linspace(log(LEAST_PAGES), log(max(largest, LEAST_PAGES + 1)), _TRIED))
        plans = [self.make(name, float(least)) for least in (*tried, float("inf"))]
        return min(plans, key=lambda plan: plan.total_core_hours)

    def make(self, name: str, learn_from: float) -> BatchPlan:
        web, ways = self.web, self.costs.ways[self.parts]
        total, learned = self.hosts.total_pages, self.hosts.from_pages(learn_from)
        pages, kb = learned.total_pages, self.web.page_kb
        trees = pages * ways.tree_share
        times = {
            "decode": total * self.costs.decode.us(kb),
            "cold": (total - pages) * ways.cold.us(kb),
            "cut": (pages - trees) * ways.cut.us(kb),
            "tree": trees * ways.tree.us(kb),
            "write": total * ways.write.us(kb),
        }
        passes = 1
        if learned.total:
            passes = 2  # the first finds the pages to learn from or, by host, puts pages of a host together
            times["first pass"] = total * self.costs.decode.us(kb)
            times["learn"] = learned.total * (1 + RELEARNED) * self.costs.learn_s * 1e6
            times["take up profiles"] = self._taken_up(name, learned) * self.costs.take_up_ms * 1e3
        copied = total * kb * web.packed / 1e9 if name == "by host" and learned.total else 0.0
        read_tb = passes * total * kb * web.packed / 1e9
        written_tb = total * ways.row_kb / 1e9 + copied
        core_hours = {step: us / _HOUR_US for step, us in times.items() if us}
        days, bottleneck = self._last(sum(core_hours.values()), read_tb + written_tb)
        shares = (pages / total, (pages - trees) / total)
        return BatchPlan(name, learn_from, learned.total, *shares, core_hours, read_tb, written_tb, days, bottleneck)

    def _taken_up(self, name: str, learned: Hosts) -> float:
        """Return how often a profile is read: for every host in every file, or once where its pages are together."""
        if name == "by host":
            return learned.total
        files = max(1.0, self.hosts.total_pages / self.web.file_pages)
        return float(learned.count @ (files * -np.expm1(learned.pages * np.log1p(-1 / max(files, 1.0 + 1e-9)))))

    def _last(self, core_hours: float, moved_tb: float) -> tuple[float, str]:
        """Return for how many days it runs, and what it waits for."""
        cluster = self.cluster
        by_cores = core_hours / (cluster.machines * cluster.cores * BUSY) / 24
        by_network = moved_tb * 8e3 / (cluster.machines * cluster.network_gbit) / 86_400
        return max(by_cores, by_network), "cores" if by_cores >= by_network else "network"
