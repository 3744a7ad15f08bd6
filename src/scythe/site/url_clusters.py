"""Cluster the addresses of a site by Levenshtein distance and DBSCAN, and spread a sample evenly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

EPS = 5  # the paper's radius, edits
MIN_SAMPLES = 2  # the paper's density: a neighbour is enough
COMPARED = 300  # addresses compared each with each; the paper finds no gain beyond 60
CHARACTERS = 500  # of an address that are compared
_CHUNK = 512  # addresses compared at once with those clustered

T = TypeVar("T")


def cluster_urls(urls: Sequence[str], eps: int = EPS, min_samples: int = MIN_SAMPLES) -> list[int]:
    """Return the cluster of each address, 0, 1, ... in order of appearance, or -1 for those near no other.

    Beyond `COMPARED` addresses an even sample is clustered and the others join the nearest dense address within `eps`.
    """
    short = [url[:CHARACTERS] for url in urls]
    chosen = spread(range(len(short)), COMPARED)
    sample = [short[at] for at in chosen]
    distances = measure_distances(sample, eps)
    found = cluster_by_density(distances, eps, min_samples)
    labels = np.full(len(short), -1, dtype=np.int64)
    labels[list(chosen)] = found
    rest = sorted(set(range(len(short))) - set(chosen))
    dense = np.flatnonzero((distances <= eps).sum(axis=1) >= min_samples)
    for start in range(0, len(rest) if len(dense) else 0, _CHUNK):
        chunk = rest[start : start + _CHUNK]
        away = measure_distances([short[at] for at in chunk], eps, [sample[at] for at in dense])
        labels[chunk] = np.where(away.min(axis=1) <= eps, found[dense][away.argmin(axis=1)], -1)
    return number_in_order(labels.tolist())


def measure_distances(texts: Sequence[str], cutoff: int, others: Sequence[str] | None = None) -> NDArray[np.int32]:
    """Return the Levenshtein distance of each text to each, or to each of others; above `cutoff` it is only known to be
    above."""
    others = texts if others is None else others
    if not texts:
        return np.zeros((0, len(others)), dtype=np.int32)
    from rapidfuzz.distance import Levenshtein  # here: whoever only cuts pages starts without it, and sooner
    from rapidfuzz.process import cdist

    return np.asarray(cdist(texts, others, scorer=Levenshtein.distance, score_cutoff=cutoff, dtype=np.int32))


def cluster_by_density(distances: NDArray[np.int32], eps: float, min_samples: int) -> NDArray[np.int64]:
    """Run DBSCAN over a matrix of distances: clusters are numbered in order of appearance, -1 is noise.

    A point counts among its own neighbours, as in scikit-learn.
    """
    near = distances <= eps
    dense = near.sum(axis=1) >= min_samples
    labels = np.full(len(near), -1, dtype=np.int64)
    cluster = 0
    for seed in np.flatnonzero(dense).tolist():
        if labels[seed] >= 0:
            continue
        labels[seed] = cluster
        waiting = [seed]
        while waiting:
            reached = np.flatnonzero(near[waiting.pop()] & (labels < 0))
            labels[reached] = cluster
            waiting.extend(reached[dense[reached]].tolist())
        cluster += 1
    return labels


def spread(items: Sequence[T], count: int) -> list[T]:
    """Return at most `count` items, evenly spread, the first among them."""
    if len(items) <= count:
        return list(items)
    return [items[at * len(items) // count] for at in range(count)]


def number_in_order(labels: Sequence[int]) -> list[int]:
    """Renumber clusters 0, 1, ... in order of appearance; -1 stays."""
    numbers = {-1: -1}
    for label in labels:
        numbers.setdefault(label, len(numbers) - 1)
    return [numbers[label] for label in labels]
