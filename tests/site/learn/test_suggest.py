"""Pages to look at are chosen by address, each once."""

from __future__ import annotations

from random import Random
from time import perf_counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scythe.site.labels.suggest_pages import (
    UrlCluster,
    draw,
    group_urls,
    select_algorithm1,
    select_clusters,
    select_random,
    share_out,
)

STORIES = [f"/story/{number}" for number in range(12)]
PAGED = [f"/section-of-many-things?page={number}" for number in range(3)]
ADDRESSES = st.lists(st.text("ab/1", max_size=9), max_size=40)


def test_the_example_of_the_paper_is_divided_as_in_its_table_2() -> None:
    """Clusters of 2, 6 and 7 pages, five wanted: one of each, then 0, 1 and 1 more."""
    assert share_out(2, [2, 6, 7], [1, 5, 6]) == [0, 1, 1]
    clusters = [[1, 12], [2, 4, 8, 9, 10, 13], [3, 5, 6, 7, 11, 14, 15]]
    chosen = draw(clusters, 5, seed=3)
    assert [sum(page in members for page in chosen) for members in clusters] == [1, 2, 2]
    assert [next(i for i, members in enumerate(clusters) if page in members) for page in chosen[:3]] == [0, 1, 2]


@pytest.mark.parametrize(
    ("places", "weights", "room", "shares"),
    [
        (2, [5, 5, 5], [4, 4, 4], [1, 1, 0]),  # each rounded by itself would give three
        (1, [5, 5, 5], [4, 4, 4], [1, 0, 0]),  # ... and none here
        (9, [10, 1], [3, 0], [3, 0]),
        (9, [10, 5, 1], [2, 9, 9], [2, 6, 1]),  # what does not fit goes to the others
        (0, [3], [3], [0]),
        (5, [], [], []),
    ],
)
def test_shares_add_up(places: int, weights: list[int], room: list[int], shares: list[int]) -> None:
    assert share_out(places, weights, room) == shares


def test_every_cluster_comes_before_any_twice() -> None:
    urls = STORIES + PAGED
    chosen = select_algorithm1(urls, 5)
    assert len(set(chosen)) == 5
    assert sum(urls[at] in STORIES for at in chosen) == 3  # 12 of 15 addresses: 1, and 2.4 of the three others
    assert {urls[at] in STORIES for at in chosen[:2]} == {True, False}


def test_what_is_like_no_other_can_come_up_too() -> None:
    urls = [*PAGED, "/the-harvest-of-the-year", "/a-new-mill-at-last"]
    assert group_urls(urls) == [UrlCluster((0, 1, 2)), UrlCluster((3, 4), is_alike=False)]
    assert {at > 2 for at in select_clusters(urls)} == {True, False}


def test_with_fewer_pages_than_clusters_the_largest_come_first() -> None:
    urls = PAGED + STORIES
    assert urls[select_algorithm1(urls, 1)[0]] in STORIES
    assert len(select_clusters(urls, 1)) == 1


def test_the_same_seed_gives_the_same_pages() -> None:
    for select in (select_random, select_clusters, select_algorithm1):
        assert select(STORIES + PAGED, 4, 7) == select(STORIES + PAGED, 4, 7)
    assert len({tuple(select_algorithm1(STORIES, 4, seed)) for seed in range(9)}) > 1


@given(ADDRESSES, st.integers(-2, 60), st.integers(0, 3))
@settings(max_examples=60, deadline=None)
def test_as_many_pages_come_as_were_asked_for_and_none_twice(urls: list[str], count: int, seed: int) -> None:
    for select in (select_random, select_algorithm1):
        chosen = select(urls, count, seed)
        assert len({urls[at] for at in chosen}) == len(chosen) == min(max(count, 0), len(set(urls)))


@given(ADDRESSES)
@settings(max_examples=40, deadline=None)
def test_one_page_of_each_cluster_is_one_page_of_each_cluster(urls: list[str]) -> None:
    chosen, clusters = select_clusters(urls), group_urls(urls)
    assert [sum(at in cluster.members for at in chosen) for cluster in clusters] == [1] * len(clusters)


def test_a_hundred_thousand_addresses_and_very_long_ones_take_seconds() -> None:
    random = Random(1)
    urls = [f"https://a.example/{random.choice('abc') * 30}/{random.randrange(10**9)}" for _ in range(100_000)]
    urls += [f"https://a.example/{'x' * 100_000}{number}" for number in range(20)]
    started = perf_counter()
    chosen = select_algorithm1(urls, 6)
    assert perf_counter() - started < 20
    assert len(set(chosen)) == 6
