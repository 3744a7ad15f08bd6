"""Clusters of addresses are counted per site."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench.image_clusters import count_clusters, measure_clusters

from scythe.errors import BadInput

STORIES = [f"https://a.example/story/{number}" for number in range(4)]
LONE = ["https://a.example/about-all-of-us", "https://a.example/imprint"]


def test_what_is_near_no_other_address_counts_as_one_cluster(tmp_path: Path) -> None:
    path = tmp_path / "urls.jsonl"
    rows = [{"site": "a", "url": url} for url in STORIES + LONE] + [{"site": "b", "url": url} for url in STORIES]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    count = measure_clusters(path)
    assert (count.sites, count.urls) == (2, 10)
    assert (count.mean, count.std, count.mean_dense, count.lone_share) == (1.5, 0.5, 1.0, 0.2)
    assert count.away == pytest.approx(1.5 - 2.607)


def test_a_set_without_addresses_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "urls.jsonl"
    path.write_text('{"site": "a"}', encoding="utf-8")
    with pytest.raises(BadInput, match="url"):
        measure_clusters(path)
    path.write_text("", encoding="utf-8")
    with pytest.raises(BadInput, match="no addresses"):
        measure_clusters(path)


def test_many_addresses_that_differ_in_nothing_are_one_cluster() -> None:
    assert count_clusters([["https://a.example/"] * 50]).mean == 1
