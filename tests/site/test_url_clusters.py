"""Shapes and clusters of addresses."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from scythe.site.url_clusters import COMPARED, cluster_by_density, cluster_urls, measure_distances, number_in_order
from scythe.url import url_shape

# the example of the TC paper, Table 2, with its fourth address in full
EXAMPLE = ["news?page=2", "agenda/example-234324", "agenda/example-304222", "agenda/sample-099642", "news?page=3"]


@pytest.mark.parametrize(
    ("url", "shape"),
    [
        ("https://a.example/2021/03/some-title/?p=7&q=2", "/9/9/a-a/?p&q"),
        ("https://a.example/", "/"),
        ("https://a.example/news/12.html", "/a/9.html"),
        ("https://a.example/wiki/A_scythe", "/a/a-a"),
        ("https://a.example/tag/windows-8", "/a/a-9"),
        ("https://a.example/x%20y.php", "/a-a.php"),
        ("https://a.example/%D0%B0%D1%82/", "/a/"),
        ("http://[broken", ""),
        ("", ""),
    ],
)
def test_a_shape_forgets_words_and_numbers_but_not_their_places(url: str, shape: str) -> None:
    assert url_shape(url) == shape


def test_a_shape_is_short_whatever_the_address() -> None:
    assert len(url_shape("https://a.example" + "/a1" * 100_000)) < 100


def test_addresses_within_five_edits_share_a_cluster() -> None:
    assert cluster_urls(EXAMPLE) == [0, 1, 1, -1, 0]
    assert cluster_urls([]) == []


def test_the_clusters_are_those_of_scikit_learn() -> None:
    cluster = pytest.importorskip("sklearn.cluster")
    random = Random(3)
    for _ in range(20):
        urls = [f"/{random.choice('abc') * random.randrange(9)}/{random.randrange(3000)}" for _ in range(60)]
        distances = measure_distances(urls, 1_000)
        for eps, least in ((1, 3), (2, 2), (5, 2)):
            theirs = cluster.DBSCAN(eps=eps, min_samples=least, metric="precomputed").fit(distances).labels_
            assert cluster_by_density(distances, eps, least).tolist() == theirs.tolist()
            assert cluster_urls(urls, eps, least) == number_in_order(theirs.tolist())


def test_thousands_of_addresses_are_clustered_by_a_sample() -> None:
    urls = [f"https://a.example/story/{n:05d}" for n in range(4_000)] + ["https://a.example/about-all-of-us"]
    labels = cluster_urls(urls)
    assert set(labels[:-1]) == {0}
    assert labels[-1] == -1
    assert len(urls) > COMPARED


def test_no_distance_matrix_is_needed_for_no_address() -> None:
    assert measure_distances([], 5).shape == (0, 0)
    assert cluster_by_density(np.zeros((0, 0), dtype=np.int32), 5, 2).tolist() == []
