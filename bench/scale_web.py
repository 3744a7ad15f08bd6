"""A web to plan for: how many pages come in, hosts by how many pages they have go out.

Pages per host are log-normal, fitted to what Common Crawl publishes of CC-MAIN-2024-42
(github.com/commoncrawl/cc-crawl-statistics, plots/crawlsize/domain.csv and plots/domains-top-500.csv): 2.48e9 addresses
on 47.6e6 hosts, and a domain at rank 400 of 38.3e6 that has 135 000 pages where the mean has 65. The spread that gives
both is 2.56; it says 930 000 pages for rank 10 and 285 000 for rank 100, where the list has 1 500 000 and 355 000.
Bytes are those of May 2024: 2.7e9 pages in 377 TiB. Nothing is drawn by chance: a stratum stands for the hosts between
two quantiles, so the same question has the same answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from statistics import NormalDist
from typing import Any

import numpy as np

from scythe.errors import BadInput

Numbers = Any  # an array of floats: one per stratum

_STRATA = 4_000  # more change no figure in its third digit
_LOWEST = -6.0  # standard deviations: below are none


@dataclass(frozen=True, slots=True)
class Web:
    """What a crawl of the web looks like."""

    pages_per_host: float = 52.2  # mean
    spread: float = 2.56  # standard deviation of the logarithm of pages per host
    page_kb: float = 153.0  # mean of a page, HTTP headers included, 1 000 bytes
    packed: float = 0.24  # bytes of a .warc.gz for one of the page; 377 TiB are kept in some 90
    file_pages: int = 27_000  # of one WARC file
    answer_s: float = 0.4  # until the first byte of a page comes


@dataclass(frozen=True, slots=True)
class Hosts:
    """The hosts of a web, in strata of about equally many pages per host, ascending."""

    count: Numbers  # hosts in the stratum
    pages: Numbers  # of each of them

    @property
    def total_pages(self) -> float:
        return float(self.count @ self.pages)

    @property
    def total(self) -> float:
        return float(self.count.sum())

    def from_pages(self, least: float) -> Hosts:
        """Return the hosts that have so many pages at least."""
        enough = self.pages >= least
        return Hosts(self.count[enough], self.pages[enough])


def make_hosts(web: Web, pages: float) -> Hosts:
    """Divide hosts with so many pages in all into strata; the largest host is the one that a sample would hold."""
    if not 1e3 <= pages <= 1e13:
        raise BadInput(f"plans are for 1e3 to 1e13 pages, not {pages:g}")
    total = pages / web.pages_per_host
    middle = log(web.pages_per_host) - web.spread**2 / 2
    normal = NormalDist()
    highest = normal.inv_cdf(1 - 0.5 / total) if total > 1 else 0.0
    edges = np.linspace(_LOWEST, highest, _STRATA + 1)
    share = np.diff([normal.cdf(edge) for edge in edges])
    centres = (edges[:-1] + edges[1:]) / 2
    size = np.maximum(1.0, np.exp(middle + web.spread * centres))
    count = share * total
    return Hosts(count * (pages / float(count @ size)), size)  # exactly as many pages as asked for
