"""Group the pages of a site by template.

A page is the set of its tag paths and names (class, id, role); groups grow by average linkage over Jaccard similarity.
Groups stay apart if each has several features on all its pages that the other lacks. Pages of one template written by
different minifiers become separate layouts. Also clusters URLs as the TC paper does (Algorithm 1).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from scythe.page import Page
from scythe.url import url_shape

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
    if rest and len(dense):
        _join_nearest(labels, short, rest, [sample[at] for at in dense], found[dense], eps)
    return number_in_order(labels.tolist())


def _join_nearest(
    labels: NDArray[np.int64],
    urls: Sequence[str],
    rest: Sequence[int],
    dense: Sequence[str],
    clusters: NDArray[np.int64],
    eps: int,
) -> None:
    for start in range(0, len(rest), _CHUNK):
        chunk = rest[start : start + _CHUNK]
        away = _compare_urls([urls[at] for at in chunk], dense, eps)
        nearest = away.argmin(axis=1)
        near = away.min(axis=1) <= eps
        labels[chunk] = np.where(near, clusters[nearest], -1)


def measure_distances(texts: Sequence[str], cutoff: int) -> NDArray[np.int32]:
    """Return the Levenshtein distance of each text to each; above `cutoff` it is only known to be above."""
    if not texts:
        return np.zeros((0, 0), dtype=np.int32)
    return _compare_urls(texts, texts, cutoff)


def _compare_urls(texts: Sequence[str], others: Sequence[str], cutoff: int) -> NDArray[np.int32]:
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


GAP = 0.3  # between the shares of two dialects; pages of one template differ by .1 at most
_CHARACTERS = 200_000  # of a page that are looked at
_OPENING = re.compile(r"<([a-zA-Z][a-zA-Z0-9]{0,20})([ \t\r\n\f])")

Dialect = tuple[float, float, float]


def measure_dialect(html: str) -> Dialect:
    """Return the shares of tags broken after the name, of names in upper case and of values in double quotes."""
    html = html[:_CHARACTERS]
    tags = _OPENING.findall(html)
    count = max(1, len(tags))
    broken = sum(blank != " " for _, blank in tags) / count
    upper = sum(name.isupper() for name, _ in tags) / count
    double, single = html.count('="'), html.count("='")
    return broken, upper, double / max(1, double + single)


def split_by_dialect(members: Sequence[int], dialects: Sequence[Dialect]) -> list[list[int]]:
    """Split a group of pages wherever one of the shares leaves a gap; `dialects` has one row per page of the site."""
    groups = [list(members)]
    for share in range(3):
        groups = [part for group in groups for part in _split_at_gaps(group, [dialects[at][share] for at in group])]
    return groups


def _split_at_gaps(group: Sequence[int], shares: Sequence[float]) -> list[list[int]]:
    ordered = sorted(zip(shares, group, strict=True))
    parts: list[list[int]] = [[]]
    last = ordered[0][0] if ordered else 0.0
    for share, at in ordered:
        if share - last >= GAP:
            parts.append([])
        parts[-1].append(at)
        last = share
    return parts


ALIKE = 0.75  # pages of one template overlap by .78 to 1 on average, lists and stories by .5 to .75
KIN_BONUS = 0.04  # added where the addresses look alike too: never enough by itself
AT_ONCE = 400  # pages compared each with each
_BOXES = 50_000  # of a page that are looked at
_FEATURES = 6_000  # of a page that are kept
_COLUMNS = 20_000  # features of all pages that are compared
_NAMES = 12  # of a box that are looked at
_NAME_CHARS = 60
NESTED = 0.66  # enough where all that one group has on every page stands on pages of the other too
_NESTED_SHARE = 0.02  # of what both have: so little does not count as a difference
_LARGE = 100  # groups that are looked at for that
_TELLING = 3  # pages a group must have before its features say that it is another template
_APART = 4  # features each side must have to itself ...
_APART_SHARE = 0.025  # ... and in proportion to those that both have
_RARE = 0.1  # share of pages below which a name is cut back to what comes before its first joint

_DIGITS = re.compile(r"[0-9]+")
_JOINT = re.compile(r"[-_:]")

Feature = tuple[str, str] | int
Matrix = NDArray[np.float64]
Table = NDArray[np.float32]


def group_pages(pages: Sequence[Page]) -> list[list[int]]:
    """Return groups of page numbers, one per layout, the largest first; each page is in exactly one.

    Takes some milliseconds per page, nearly all of it for the tree; pages beyond `AT_ONCE` join the groups of a sample.
    """
    paths = _Paths()
    traits = [paths.read(page) for page in pages]
    kin = _label_kin([page.url for page in pages])
    groups: list[list[int]] = []
    left = list(range(len(pages)))
    while left:
        sample = spread(left, AT_ONCE)
        groups += _group_some(traits, kin, sample)
        rest = sorted(set(left) - set(sample))
        left = _join_groups(traits, kin, groups, rest) if rest else []
    dialects = [measure_dialect(page.html) for page in pages]
    parts = [sorted(part) for group in groups for part in split_by_dialect(group, dialects)]
    return sorted(parts, key=lambda group: (-len(group), group[0]))


class _Paths:
    """Numbers for tag paths, the same for all pages, so that a path costs no more than its last tag."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, str], int] = {}

    def read(self, page: Page) -> frozenset[Feature]:
        """Return the tag paths of a page's boxes as numbers and their names as (tag, name)."""
        blocks = page.blocks
        numbers = self._numbers
        path_of: list[int] = []
        found: set[Feature] = set()
        rows = zip(blocks.box_parent, blocks.box_tag, blocks.box_names, strict=True)
        for (parent, tag, names), _ in zip(rows, range(_BOXES), strict=False):
            key = (path_of[parent] if parent >= 0 else -1, tag)
            path = numbers.setdefault(key, len(numbers))
            path_of.append(path)
            if len(found) >= _FEATURES:
                break
            found.add(path)
            if names:
                found.update((tag, name) for name in _fold_names(names))
        return frozenset(found)


def _fold_names(names: str) -> list[str]:
    return [_DIGITS.sub("9", name) for name in names.split(None, _NAMES)[:_NAMES] if len(name) <= _NAME_CHARS]


def _generalise(traits: Sequence[frozenset[Feature]]) -> list[frozenset[Feature]]:
    """Cut rare names back to their stem: `category-hay` and `category-oats` say the same of a layout."""
    counts = Counter(feature for found in traits for feature in found)
    rare = max(1.0, _RARE * len(traits))
    stems: dict[Feature, Feature | None] = {}
    for feature, count in counts.items():
        if isinstance(feature, tuple) and count <= rare:
            tag, name = feature
            joint = _JOINT.search(name, 1)
            stems[feature] = (tag, name[: joint.start()] + "*") if joint else None if count == 1 else feature
    kept = ({stems.get(feature, feature) for feature in found} for found in traits)
    return [frozenset(feature for feature in found if feature is not None) for found in kept]


def _tabulate(traits: Sequence[frozenset[Feature]]) -> Table:
    """Return one row per page and one column per feature that several pages have, 1 where the page has it."""
    counts = Counter(feature for found in traits for feature in found)
    column = {feature: at for at, (feature, count) in enumerate(counts.most_common(_COLUMNS)) if count > 1}
    table = np.zeros((len(traits), max(1, len(column))), dtype=np.float32)
    for row, found in enumerate(traits):
        table[row, [column[feature] for feature in found if feature in column]] = 1
    return table


def _compare(traits: Sequence[frozenset[Feature]], table: Table) -> Matrix:
    """Return the overlap (Jaccard) of each page's features with each other's."""
    sizes = np.array([max(1, len(found)) for found in traits], dtype=np.float64)
    common = (table @ table.T).astype(np.float64)
    np.fill_diagonal(common, sizes)
    overlap: Matrix = common / (sizes[:, None] + sizes[None, :] - common)
    return overlap


def _label_kin(urls: Sequence[str | None]) -> NDArray[np.int64]:
    """Return two labels per page, by the shape and by the cluster of its address; -1 says nothing."""
    known = [at for at, url in enumerate(urls) if url]
    shapes: dict[str, int] = {}
    labels = np.full((len(urls), 2), -1, dtype=np.int64)
    for at, cluster in zip(known, cluster_urls([urls[at] or "" for at in known]), strict=True):
        labels[at] = shapes.setdefault(url_shape(urls[at] or ""), len(shapes)), cluster
    return labels


def _add_kinship(overlap: Matrix, mine: NDArray[np.int64], others: NDArray[np.int64]) -> Matrix:
    same = (mine[:, None, :] == others[None, :, :]) & (mine[:, None, :] >= 0)
    raised: Matrix = overlap + KIN_BONUS * same.any(axis=2)
    return raised


def _group_some(traits: Sequence[frozenset[Feature]], kin: NDArray[np.int64], chosen: Sequence[int]) -> list[list[int]]:
    found = _generalise([traits[at] for at in chosen])
    table = _tabulate(found)
    alike = _add_kinship(_compare(found, table), kin[chosen], kin[chosen])
    return [[chosen[at] for at in group] for group in link_averages(alike, table, ALIKE)]


def link_averages(alike: Matrix, table: Table, least: float) -> list[list[int]]:
    """Join the two groups most alike on average, until none are alike by `least`; at first every row is alone.

    `table` has the features of each row; groups that differ in them as templates do are not joined, and groups that are
    a little less alike are, where one has nothing to itself.
    """
    linkage = _Linkage(alike, table)
    while (pair := linkage.most_alike(least)) is not None:
        if linkage.sides_apart(*pair) == 2:
            linkage.part(*pair)
        else:
            linkage.join(*pair)
    for first, second in linkage.pairs(NESTED):
        if linkage.groups[first] and linkage.groups[second] and linkage.sides_apart(first, second) == 0:
            linkage.join(first, second)
    return [group for group in linkage.groups if group]


class _Linkage:
    """Groups on their way: how alike they are on average, and on how many of its pages each has which feature."""

    def __init__(self, alike: Matrix, table: Table) -> None:
        self.groups = [[at] for at in range(len(alike))]
        self._alike = np.array(alike)
        np.fill_diagonal(self._alike, -np.inf)
        self._open = self._alike.copy()  # -inf where two groups were found to be apart
        self._counts = np.array(table)

    def most_alike(self, least: float) -> tuple[int, int] | None:
        """Return the two groups most alike that nothing holds apart, or None where none are alike by `least`."""
        count = len(self.groups)
        first, second = divmod(int(self._open.argmax()), count) if count else (0, 0)
        return (first, second) if count and self._open[first, second] >= least else None

    def pairs(self, least: float) -> list[tuple[int, int]]:
        """Return pairs of the larger groups that are alike by `least`, the most alike first."""
        large = sorted((at for at, group in enumerate(self.groups) if group), key=lambda at: -len(self.groups[at]))
        chosen = large[:_LARGE]
        found = [(self._alike[a, b], a, b) for at, a in enumerate(chosen) for b in chosen[at + 1 :]]
        return [(a, b) for value, a, b in sorted(found, reverse=True) if value >= least]

    def sides_apart(self, first: int, second: int) -> int:
        """Return 2 where each of two groups has several features to itself, 0 where one has next to none, 1 between."""
        ours, theirs = len(self.groups[first]), len(self.groups[second])
        always, also = self._counts[first] == ours, self._counts[second] == theirs
        mine = np.count_nonzero(always & (self._counts[second] == 0))
        yours = np.count_nonzero(also & (self._counts[first] == 0))
        both, lesser = np.count_nonzero(always & also), min(mine, yours)
        if min(ours, theirs) >= _TELLING and lesser >= max(_APART, _APART_SHARE * both):
            return 2
        return 0 if lesser <= _NESTED_SHARE * both else 1

    def part(self, first: int, second: int) -> None:
        """Hold two groups apart until one of them has grown."""
        self._open[first, second] = self._open[second, first] = -np.inf

    def join(self, first: int, second: int) -> None:
        """Make the second group part of the first."""
        ours, theirs = len(self.groups[first]), len(self.groups[second])
        joined = (self._alike[first] * ours + self._alike[second] * theirs) / (ours + theirs)
        joined[[first, second]] = -np.inf
        for matrix in (self._alike, self._open):
            matrix[first] = matrix[:, first] = joined
            matrix[second] = matrix[:, second] = -np.inf
        self._counts[first] += self._counts[second]
        self.groups[first] += self.groups[second]
        self.groups[second] = []


def _join_groups(
    traits: Sequence[frozenset[Feature]], kin: NDArray[np.int64], groups: Sequence[list[int]], rest: Sequence[int]
) -> list[int]:
    """Add pages to the groups they are alike to and return those that fit none."""
    models = [spread(group, max(1, AT_ONCE // (2 * len(groups)))) for group in groups]
    known = [at for model in models for at in model]
    edges = np.cumsum([0] + [len(model) for model in models])
    left: list[int] = []
    for start in range(0, len(rest), AT_ONCE):
        chunk = rest[start : start + AT_ONCE]
        found = _generalise([traits[at] for at in (*known, *chunk)])
        alike = _compare(found, _tabulate(found))[len(known) :, : len(known)]
        together = _add_kinship(alike, kin[chunk], kin[known])
        means = np.add.reduceat(together, edges[:-1], axis=1) / np.diff(edges)
        for at, best, most in zip(chunk, means.argmax(axis=1), means.max(axis=1), strict=True):
            if most >= ALIKE:
                groups[int(best)].append(at)
            else:
                left.append(at)
    return left
