"""Adjust the shared relevance model to a site from its labelled images.

Two views of the labels: how images of the same kind were labelled, which works after one page, and a logistic model of
their traits, which takes over once both kinds are known. Traits begin with a letter: `o` own tag and URL, `n` nearest
elements, `p` all elements around, `f` facts of its use.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from scythe.limits import LIMITS
from scythe.model import ImageContext, LabelledPage, PageImages, SiteImages
from scythe.page.image_context import fold, fold_path, signature
from scythe.page.tag_attributes import read_attributes
from scythe.site.labels.annotators import agreed_marks
from scythe.site.url_clusters import spread


def count_images(pages: Sequence[PageImages]) -> SiteImages:
    """Return on how many pages each address and each kind of image stands, the most frequent of them first.

    Addresses of a single page say nothing of the site and are left out. No more of either than a profile holds.
    """
    sources: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    uses: Counter[str] = Counter()
    for page in pages:
        shown = Counter(signature(image) for image in page.images)
        sources.update({image.src for image in page.images})
        kinds.update(shown.keys())
        uses.update(shown)
    return SiteImages(
        pages=len(pages),
        sources=tuple((src, count) for src, count in _most_frequent(sources) if count > 1),
        signatures=tuple((kind, count, uses[kind]) for kind, count in _most_frequent(kinds)),
    )


def count_again(known: SiteImages, pages: Sequence[PageImages]) -> SiteImages:
    """Return what is known of a site with the counts of these pages in place of those it had."""
    counted = count_images(pages)
    return replace(known, pages=counted.pages, sources=counted.sources, signatures=counted.signatures)


def _most_frequent(counts: Counter[str]) -> list[tuple[str, int]]:
    """Return as many as a profile holds, by name where they are as frequent as each other."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[: LIMITS.site_signatures]


Floats = NDArray[np.float64]

_STEPS = 40  # of Newton's method; it needs five to fifteen
_CLOSE = 1e-4  # gain of a step from which on nothing changes any more


def fit_rows(kernel: Floats, labels: Floats, counts: Floats, guesses: Floats) -> Floats:
    """Return row weights `a`, so that `guesses + kernel @ a` are the likeliest log-odds of the labels (0 or 1).

    The log-odds differ from the guesses by a Gaussian process with this kernel; `counts` says how often each row was
    seen. Newton's method with steps halved until they gain (Rasmussen and Williams, algorithm 3.1).
    """
    weights = np.zeros(len(labels))
    logits = guesses.copy()
    best = _fitness(weights, logits, labels, counts, guesses)
    for _ in range(_STEPS):
        step = _newton_weights(kernel, logits, labels, counts, guesses) - weights
        share = 1.0
        while True:
            tried = weights + share * step
            logits_there = kernel @ tried + guesses
            fitness = _fitness(tried, logits_there, labels, counts, guesses)
            if fitness >= best or share < 1e-3:
                break
            share /= 2
        if fitness <= best:
            break
        gain, best, weights, logits = fitness - best, fitness, tried, logits_there
        if gain < _CLOSE:
            break
    return weights


def _fitness(weights: Floats, logits: Floats, labels: Floats, counts: Floats, guesses: Floats) -> float:
    surprise = counts * np.logaddexp(0.0, np.where(labels > 0, -logits, logits))
    return float(-0.5 * weights @ (logits - guesses) - surprise.sum())


def _newton_weights(kernel: Floats, logits: Floats, labels: Floats, counts: Floats, guesses: Floats) -> Floats:
    chances = 1 / (1 + np.exp(-logits))
    curvature = counts * chances * (1 - chances) + 1e-9
    root = np.sqrt(curvature)
    target = curvature * (logits - guesses) + counts * (labels - chances)
    system = root[:, None] * kernel * root[None, :]
    system[np.diag_indices_from(system)] += 1.0
    solved = np.linalg.solve(system, root * (kernel @ target))
    return np.asarray(target - root * solved, dtype=np.float64)


OWN, NEAR, PATH, FACT = "onpf"

_LEVELS = 3  # elements around an image that are told apart by level
_DEPTH = 12  # elements around it that are looked at
_WORDS = 16  # of one attribute
_CLASSES = 16  # of one element
_TRAIT_CHARS = 80
_FOLDERS = 5
_VALUE_CHARS = 200
_ADDRESS_CHARS = 500
_SIDES = ("width", "height")
# attributes whose values are one of few on a site
_LISTED = frozenset((*_SIDES, *"class id itemprop rel role loading decoding style sizes target fetchpriority".split()))
_WORD = re.compile(r"[^\s;]++")
_SIZE = re.compile(r"\d{2,4}x\d{2,4}")
_IMAGE_FILE = (".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif")


def traits(image: ImageContext) -> list[str]:
    """Return the traits of an image, none twice."""
    return [*place_traits(image), *own_traits(image)]


def place_traits(image: ImageContext) -> tuple[str, ...]:
    """Return the traits of where an image stands; images in the same place share them."""
    return _path_traits(fold_path(image.path)[:_DEPTH])


def own_traits(image: ImageContext) -> list[str]:
    """Return the traits of an image itself and of its use."""
    found = list(_fact_traits(image))
    for name, value in read_attributes(image.tags[2]).items():
        if name in _LISTED:
            found += _attribute_traits(name, value[:_VALUE_CHARS])
        else:
            found.append("o@" + name[:_TRAIT_CHARS])
            if name == "alt":
                found.append(f"oalt{min(3, len(value.split(None, 12)) // 3)}")
    folder, _, file = image.src[:_ADDRESS_CHARS].partition("?")[0].rpartition("/")
    found += _folder_traits(folder)
    found += _file_traits(file)
    return found


def _fact_traits(image: ImageContext) -> tuple[str, ...]:
    if image.link is None:
        link = "none"
    else:
        link = "image" if image.link[:_ADDRESS_CHARS].partition("?")[0].lower().endswith(_IMAGE_FILE) else "page"
    facts = (f"flead {image.is_lead:d}", f"fstated {image.is_stated:d}", f"ffigure {image.is_figure:d}")
    return f"flink {link}", *facts, f"ftext {int(image.text_before * 4)}"  # in which quarter of the page's text


@lru_cache(maxsize=2_048)
def _attribute_traits(name: str, value: str) -> tuple[str, ...]:
    if name in _SIDES:
        digits = value.strip().removesuffix("px")
        if not digits.isdecimal():
            return (f"o@{name}",)
        return (f"o@{name}", f"o{name}={digits[:6]}", f"o{name}~{int(digits[:6]).bit_length()}")
    words = _WORD.findall(value.lower())[:_WORDS]
    return (f"o@{name}", *dict.fromkeys(f"o{name}={fold(word)[:_TRAIT_CHARS]}" for word in words))


@lru_cache(maxsize=2_048)
def _folder_traits(folder: str) -> tuple[str, ...]:
    _, found, rest = folder.partition("//")
    host, _, path = (rest if found else folder).partition("/")
    folders = [fold(name.lower())[:_TRAIT_CHARS] for name in path.split("/")[:_FOLDERS] if name]
    return (f"ohost {host[:_TRAIT_CHARS] if found else ''}", *dict.fromkeys(f"o/{name}" for name in folders))


@lru_cache(maxsize=2_048)
def _file_traits(file: str) -> tuple[str, ...]:
    ending = f"o.{file.rpartition('.')[2].lower()[:5]}"
    size = _SIZE.search(file)
    return (ending, f"osize {size.group()}") if size else (ending,)


@lru_cache(maxsize=2_048)
def _path_traits(path: tuple[str, ...]) -> tuple[str, ...]:
    found: list[str] = []
    for level, label in enumerate(path):
        if level < _LEVELS:
            found += _name_near(level, label)
        found += _name_around(label)
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=2_048)
def _name_near(level: int, label: str) -> tuple[str, ...]:
    head, *classes = fold(label).split(".", _CLASSES + 1)
    tag, named, identity = head.partition("#")
    found = [f"n{level}.{name[:_TRAIT_CHARS]}" for name in classes[:_CLASSES]]
    if named:
        found.append(f"n{level}#{identity[:_TRAIT_CHARS]}")
    return (f"n{level}:{tag[:_TRAIT_CHARS]}", *found)


@lru_cache(maxsize=2_048)
def _name_around(label: str) -> tuple[str, ...]:
    folded = fold(label)
    classes = folded.split(".", _CLASSES + 1)[1 : _CLASSES + 1]
    return ("p:" + folded[: 4 * _TRAIT_CHARS], *(f"p.{name[:_TRAIT_CHARS]}" for name in classes))


# prior variances, chosen on other sites: docs/why/images.md#labels
_VARIANCE = {OWN: 45.0, NEAR: 30.0, PATH: 60.0, FACT: 15.0}
_BIAS_VARIANCE = 0.5
_TRUST_VARIANCE = 0.3  # of how far the shared model is to be trusted, which is 1 at first
_SQUASH = 4.0  # log-odds of the shared model that count at most: no model is surer than 98 % on a site it never saw
_DEPTHS = (2, 4, 8)  # of kinds, from general to special
_PRIOR_IMAGES = 1.0  # of a kind: what the opinion so far counts as
_PRIOR_USES = 2.0  # of an address: what holds in one place need not hold in another
_CROWD = 2.0  # how fast doubt grows where a page has more images of a new kind than relevant ones are usual
_BOTH_SORTS = 1.0  # images of the rarer sort at which both views count alike
_ENOUGH = 20  # images of the rarer sort from which on kinds are not asked
_PAGES = 150  # labelled pages looked at, evenly spread
_ROWS = 500  # of images with other traits, of each sort
_TRAITS = 4_000
_PLACES = 8_192  # paths whose traits are added up once

_Row = tuple[frozenset[str], bool]
_Tally = Mapping[str, tuple[int, int]]  # images labelled, and relevant ones among them


def merged_labels(labelled: LabelledPage) -> tuple[bool | None, ...]:
    """Return what most people say of each image of a page; None where nobody said anything or opinion is divided."""
    agreed = agreed_marks(labelled)
    return tuple(agreed.get(row) for row in range(len(labelled.page.images)))


@dataclass(frozen=True, slots=True)
class Update:
    """What the labels of a site change in the scores of its images."""

    weights: Mapping[str, float] = field(default_factory=dict)  # of traits, log-odds
    bias: float = 0.0
    trust: float = 1.0  # what the shared model's log-odds are multiplied by
    share: float = 0.0  # of the traits in the answer, the rest is that of the kinds
    kinds: tuple[_Tally, ...] = ()  # by signature, one of each depth; none without labels
    sources: _Tally = field(default_factory=dict)  # by address
    usual_most: float = math.inf  # relevant images of one page; more of a kind that nobody labelled are a listing
    places: dict[tuple[str, ...], float] = field(default_factory=dict, compare=False, repr=False)  # sums by path, kept

    def apply(self, page: PageImages, logits: Sequence[float]) -> list[float]:
        """Return the probability that each image of a page is relevant, given the shared model's log-odds of each."""
        if not self.kinds:
            return [_chance(logit) for logit in logits]
        scores = []
        for image, logit in zip(page.images, self._doubt_crowds(page, logits), strict=True):
            score = self._by_traits(image, logit) if self.share else 0.0
            if self.share < 1:
                score = self.share * score + (1 - self.share) * self._by_kind(image, logit)
            scores.append(_mix(self.sources.get(image.src), score, _PRIOR_USES))
        return scores

    def _doubt_crowds(self, page: PageImages, logits: Sequence[float]) -> Sequence[float]:
        """Lower the log-odds of images of a new kind that the page has more of than it usually has relevant ones."""
        if len(page.images) <= self.usual_most:
            return logits
        kinds = [signature(image) if signature(image, _DEPTHS[0]) not in self.kinds[0] else "" for image in page.images]
        crowds = {kind: count for kind, count in Counter(kinds).items() if kind and count > self.usual_most}
        return [
            logit - _CROWD * math.log(crowds[kind] / self.usual_most) if kind in crowds else logit
            for kind, logit in zip(kinds, logits, strict=True)
        ]

    def _by_traits(self, image: ImageContext, logit: float) -> float:
        path = fold_path(image.path)
        change = self.places.get(path)
        if change is None:
            change = self._sum(place_traits(image))
            if len(self.places) < _PLACES:
                self.places[path] = change
        return _chance(change + self._sum(own_traits(image)) + self.bias + self.trust * _squash(logit))

    def _sum(self, names: Iterable[str]) -> float:
        return sum(map(self.weights.get, names, repeat(0.0)))

    def _by_kind(self, image: ImageContext, logit: float) -> float:
        chance = _chance(logit)
        for depth, tally in zip(_DEPTHS, self.kinds, strict=True):
            chance = _mix(tally.get(signature(image, depth)), chance, _PRIOR_IMAGES)
        return chance


def fit_update(labelled: Sequence[LabelledPage], logits: Sequence[Sequence[float]]) -> Update:
    """Learn from the labelled pages of a site, where `logits` are the shared model's log-odds of all their images.

    Without labels the update changes nothing. Of more than 150 pages as many, evenly spread, are looked at.
    """
    known = _SiteLabels()
    for page, page_logits in spread(list(zip(labelled, logits, strict=True)), _PAGES):
        labels = merged_labels(page)
        known.relevant.append(labels.count(True))
        for image, label, logit in zip(page.page.images, labels, page_logits, strict=True):
            if label is not None:
                known.add(image, label, logit)
    rarer = min(known.sorts[True], known.sorts[False])
    share = 1.0 if rarer >= _ENOUGH else rarer / (rarer + _BOTH_SORTS)
    weights, bias, trust = _fit_traits(known.rows) if share else ({}, 0.0, 1.0)
    kinds = tuple(known.kinds) if known.sorts else ()
    return Update(weights, bias, trust, share, kinds, known.sources, _usual_most(known.relevant))


class _SiteLabels:
    """Labels of a site as they are counted."""

    def __init__(self) -> None:
        self.sorts: Counter[bool] = Counter()
        self.relevant: list[int] = []  # images of each page
        self.kinds: list[dict[str, tuple[int, int]]] = [{} for _ in _DEPTHS]
        self.sources: dict[str, tuple[int, int]] = {}
        self.rows: dict[_Row, list[float]] = {}  # the guesses of images with the same traits
        self._distinct: Counter[bool] = Counter()

    def add(self, image: ImageContext, label: bool, logit: float) -> None:
        """Count one image."""
        self.sorts[label] += 1
        for depth, tally in zip(_DEPTHS, self.kinds, strict=True):
            _count(tally, signature(image, depth), label)
        if 0 < len(image.src) <= LIMITS.url_chars and not image.src.startswith("data:"):  # placeholders stand anywhere
            _count(self.sources, image.src, label)
        row = (frozenset(traits(image)), label)
        if row not in self.rows and self._distinct[label] < _ROWS:
            self._distinct[label] += 1
            self.rows[row] = []
        if row in self.rows:
            self.rows[row].append(_squash(logit))


def _usual_most(relevant: Sequence[int]) -> float:
    """Return how many relevant images a page may well have, given those of some pages; no bound where none has any."""
    most, pages = max(relevant, default=0), sum(map(bool, relevant))
    return 3 + most * (1 + 4 / pages) if most else math.inf


def _fit_traits(rows: Mapping[_Row, Sequence[float]]) -> tuple[dict[str, float], float, float]:
    """Return the weight of each trait, the bias, and what the shared model's log-odds are multiplied by."""
    counts = np.array([len(guesses) for guesses in rows.values()], dtype=float)
    guesses = np.array([sum(guesses) / len(guesses) for guesses in rows.values()])
    labels = np.array([label for _, label in rows], dtype=float)
    names, table = _tabulate([row for row, _ in rows])
    variances = _prior_variances(names, table, counts)
    scaled = table * variances
    kernel = scaled @ table.T + _BIAS_VARIANCE + _TRUST_VARIANCE * np.outer(guesses, guesses)
    found = fit_rows(kernel, labels, counts, guesses)
    weights = dict(zip(names, (found @ scaled).tolist(), strict=True))
    return weights, _BIAS_VARIANCE * float(found.sum()), 1 + _TRUST_VARIANCE * float(found @ guesses)


def _tabulate(rows: Sequence[Iterable[str]]) -> tuple[list[str], Floats]:
    """Return the names of the most frequent traits, and which row has which of them as 1 and 0."""
    uses = Counter(trait for row in rows for trait in row)
    names = sorted(uses, key=lambda trait: (-uses[trait], trait))[:_TRAITS]
    column = {name: number for number, name in enumerate(names)}
    table = np.zeros((len(rows), len(names)))
    for number, row in enumerate(rows):
        table[number, [column[trait] for trait in row if trait in column]] = 1.0
    return names, table


def _prior_variances(names: Sequence[str], table: Floats, counts: Floats) -> Floats:
    """Share the variance of each sort of trait among its traits; what every image has says nothing and gets none."""
    uses: Floats = counts @ table
    variances: Floats = 1.0 - uses / counts.sum() + 1e-3
    sorts = np.array([name[0] for name in names])
    for sort, variance in _VARIANCE.items():
        of_sort = sorts == sort
        total = float(uses[of_sort] @ variances[of_sort]) / float(counts.sum())
        if total:
            variances[of_sort] *= variance / total
    return variances


def _count(tally: dict[str, tuple[int, int]], name: str, label: bool) -> None:
    images, relevant = tally.get(name, (0, 0))
    tally[name] = (images + 1, relevant + label)


def _mix(seen: tuple[int, int] | None, chance: float, prior: float) -> float:
    """Return the share of relevant images among those seen, where the opinion so far counts as `prior` images."""
    return (seen[1] + prior * chance) / (seen[0] + prior) if seen else chance


def _squash(logit: float) -> float:
    return _SQUASH * math.tanh(logit / _SQUASH)


def _chance(logit: float) -> float:
    return 1 / (1 + math.exp(-min(max(logit, -500.0), 500.0)))
