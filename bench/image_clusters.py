"""Count the clusters that addresses of sites fall into: a file of addresses comes in, means over its sites go out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.pages import read_rows
from scythe.errors import BadInput
from scythe.site.url_clusters import cluster_urls

PAPER_MEAN, PAPER_STD = 2.607, 1.615  # Table 6 of the TC paper: 200 news sites, 100 pages each


@dataclass(frozen=True, slots=True)
class ClusterCount:
    """How many clusters the addresses of a site fall into, over several sites."""

    sites: int
    urls: int
    mean: float  # what is near no other address counts as one cluster; so the paper must have counted
    std: float  # of sites, as of a whole population
    mean_dense: float  # without that one
    lone_share: float  # of addresses that are near no other

    @property
    def away(self) -> float:
        """How far the mean is from the paper's."""
        return self.mean - PAPER_MEAN


def measure_clusters(path: Path) -> ClusterCount:
    """Cluster the addresses of each site of a set (JSON lines with `site` and `url`). Raises BadInput."""
    sites: dict[str, list[str]] = {}
    for site, url in read_rows(path, _address):
        sites.setdefault(site, []).append(url)
    if not sites:
        raise BadInput(f"{path} holds no addresses")
    return count_clusters(list(sites.values()))


def count_clusters(sites: Sequence[Sequence[str]]) -> ClusterCount:
    """Cluster the addresses of each site."""
    labels = [cluster_urls(urls) for urls in sites]
    found = np.array([len(set(one)) for one in labels])
    urls = sum(map(len, labels))
    return ClusterCount(
        sites=len(labels),
        urls=urls,
        mean=float(found.mean()),
        std=float(found.std()),
        mean_dense=float(np.mean([len(set(one) - {-1}) for one in labels])),
        lone_share=sum(one.count(-1) for one in labels) / max(urls, 1),
    )


def _address(row: dict[str, Any], place: str) -> tuple[str, str]:
    return str(row["site"]), str(row["url"])
