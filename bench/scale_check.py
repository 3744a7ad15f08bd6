"""Hold plans against what really happens: costs come in, small runs are made, how far plans are off goes out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit, urlunsplit

import numpy as np

from bench.scale_batch import LEAST_PAGES, BatchPlanner, Cluster
from bench.scale_costs import FULL, Costs
from bench.scale_crawl import finish
from bench.scale_measure import LEARN_PAGES, Body, write_warc
from bench.scale_store import measure_crawl
from bench.scale_web import Hosts, Web
from scythe.batch.batch_options import BatchOptions
from scythe.batch.extract_unit import extract_unit
from scythe.site.profile_folder import ProfileFolder, site_of
from scythe.site.site import Site

_SIZES = (1.0, 0.5, 0.25, 0.1)  # of a site, in turn: hosts of all sizes, as there are
_DELAY_S = 0.2
_CRAWLED = 30


@dataclass(frozen=True, slots=True)
class Checked:
    """What was foretold and what came."""

    what: str
    foretold_s: float
    real_s: float

    @property
    def off(self) -> float:
        """By which share of it the real value was missed; above 0: foretold too long."""
        return self.foretold_s / self.real_s - 1


def check_plans(costs: Costs, sites: Sequence[list[Body]], parts: str = FULL) -> list[Checked]:
    """Run a batch and a crawl that costs were not measured on, and compare."""
    given = [pages[: max(2, int(len(pages) * _SIZES[i % len(_SIZES)]))] for i, pages in enumerate(sites)]
    return [
        check_batch(costs, given, parts, learn_from=float("inf")),
        check_batch(costs, given, parts, learn_from=LEAST_PAGES),
        check_crawl(),
    ]


def check_batch(costs: Costs, sites: Sequence[list[Body]], parts: str, *, learn_from: float) -> Checked:
    """Extract hosts one by one, those with enough pages by what is learned of them, and compare the CPU time."""
    pages = [len(each) for each in sites]
    kb = sum(len(body) for each in sites for _, body in each) / sum(pages) / 1e3
    hosts = Hosts(np.ones(len(sites)), np.array(sorted(pages), dtype=float))
    planner = BatchPlanner(Web(page_kb=kb), costs, parts, hosts, Cluster())
    plan = planner.make("by host", learn_from)
    foretold = sum(hours for step, hours in plan.core_hours.items() if step != "first pass") * 3_600
    name = "batch, all cold" if learn_from == float("inf") else f"batch, hosts of {learn_from:.0f} pages learned"
    what = f"{name}: CPU of {sum(pages)} pages on {len(sites)} hosts"
    return Checked(what, foretold, _run_batch(sites, parts, learn_from))


def _run_batch(sites: Sequence[list[Body]], parts: str, learn_from: float) -> float:
    """Learn and extract hosts as a batch does, and return the CPU time of both."""
    learning_s = 0.0
    with TemporaryDirectory() as folder:
        profiles = ProfileFolder(Path(folder) / "profiles")
        named = [[(_on_host(url, number), body) for url, body in pages] for number, pages in enumerate(sites)]
        unit = write_warc(Path(folder) / "pages.warc.gz", chain.from_iterable(named))
        for pages in named:
            if len(pages) >= learn_from:
                began = time.process_time()
                site = Site.learn(pages[:: max(1, len(pages) // LEARN_PAGES)][:LEARN_PAGES])
                learning_s += time.process_time() - began
                profiles.put(site_of(pages[0][0]), site)
        options = BatchOptions(parts=tuple(parts.split(",")), profiles=str(profiles.path))
        report = extract_unit(unit, Path(folder) / "out", options)
    assert report.documents == sum(map(len, sites)), report
    return learning_s + report.cpu_s


def _on_host(url: str, number: int) -> str:
    """Give each site a host of its own; made-up sites share one."""
    return urlunsplit(urlsplit(url)._replace(netloc=f"host{number}.example"))


def check_crawl(pages: int = _CRAWLED, delay_s: float = _DELAY_S) -> Checked:
    """Crawl one host with a delay, and compare for how long it was asked."""
    crawled = measure_crawl(pages, delay_s)
    requests = crawled.pages + crawled.more_requests
    host = Hosts(np.ones(1), np.array([float(requests)]))
    foretold = finish(host, delay_s, float("inf"))[1.0]  # on this machine an answer comes at once
    return Checked(
        f"crawl of one host, {delay_s * 1e3:.0f} ms apart: seconds of {requests} requests", foretold,
        crawled.gap_s * requests,
    )  # fmt: skip
