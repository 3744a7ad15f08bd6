"""Choose the pages that a person should look at, by address: addresses come in, positions among them go out.

This is the clustering step of the TC paper (Algorithm 1), and the two ways of choosing that it is compared with there.
Where the pseudo-code and its example differ the example is followed: docs/why/suggest.md lists the differences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from scythe.learn.urls import cluster_urls


@dataclass(frozen=True, slots=True)
class UrlCluster:
    """Addresses that look alike, or all those that look like no other."""

    members: tuple[int, ...]  # positions among the addresses given
    is_alike: bool = True


def group_urls(urls: Sequence[str]) -> list[UrlCluster]:
    """Return the clusters of addresses, largest first; what is near no other is one cluster more.

    An address that was there before stands for the same page and is left out.
    """
    distinct = _distinct(urls)
    clusters: dict[int, list[int]] = {}
    for at, label in zip(distinct, cluster_urls([urls[at] for at in distinct]), strict=True):
        clusters.setdefault(label, []).append(at)
    found = [UrlCluster(tuple(members), label >= 0) for label, members in clusters.items()]
    return sorted(found, key=lambda cluster: -len(cluster.members))


def select_random(urls: Sequence[str], count: int, seed: int = 0) -> list[int]:
    """Return `count` pages at random, or all where there are fewer, each once."""
    distinct = _distinct(urls)
    return Random(seed).sample(distinct, min(max(count, 0), len(distinct)))


def select_clusters(urls: Sequence[str], count: int | None = None, seed: int = 0) -> list[int]:
    """Return one page of each cluster at random: what the first loop of Algorithm 1 does, up to `count` pages."""
    random = Random(seed)
    return [random.choice(cluster.members) for cluster in group_urls(urls)][:count]


def select_algorithm1(urls: Sequence[str], count: int, seed: int = 0) -> list[int]:
    """Return `count` pages, or all where there are fewer, as Algorithm 1 does: one of each cluster, then by size."""
    return draw([cluster.members for cluster in group_urls(urls)], count, seed)


def draw(clusters: Sequence[Sequence[int]], count: int, seed: int = 0) -> list[int]:
    """Return `count` members at random, one of each cluster and then of each by its size; none comes twice."""
    random = Random(seed)
    count = max(count, 0)
    shuffled = [random.sample(members, len(members)) for members in clusters]
    chosen = [members.pop() for members in shuffled[:count] if members]
    shares = share_out(count - len(chosen), [len(members) for members in clusters], [len(left) for left in shuffled])
    for members, share in zip(shuffled, shares, strict=True):
        chosen += [members.pop() for _ in range(share)]
    return chosen


def share_out(places: int, weights: Sequence[int], room: Sequence[int]) -> list[int]:
    """Divide places by weight, none getting more than it has room for, so that all are given or all room is taken.

    Shares are rounded as the paper's example does, those with the largest remainders up, so that they add up.
    """
    shares = [0] * len(weights)
    places = min(places, sum(room))
    while places > 0:
        open_ones = [at for at, most in enumerate(room) if shares[at] < most]
        total = sum(weights[at] for at in open_ones)
        exact = {at: divmod(weights[at] * places, total) for at in open_ones}
        spare = places - sum(whole for whole, _ in exact.values())
        for at in sorted(open_ones, key=lambda at: -exact[at][1])[:spare]:
            exact[at] = (exact[at][0] + 1, 0)
        for at, (whole, _) in exact.items():
            given = min(whole, room[at] - shares[at])
            shares[at] += given
            places -= given
    return shares


def _distinct(urls: Sequence[str]) -> list[int]:
    """Return the positions where addresses come up first."""
    first: dict[str, int] = {}
    for at, url in enumerate(urls):
        first.setdefault(url, at)
    return list(first.values())
