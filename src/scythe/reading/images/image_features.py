"""Compute the feature rows of a page's images for the relevance model."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scythe.model import ImageContext, PageImages, SiteImages
from scythe.page.image_context import fold_path, signature
from scythe.reading.images import tag_features
from scythe.reading.images import tag_features as address_features
from scythe.reading.images import tag_features as path_features
from scythe.reading.images.tag_features import (
    LINKS,
    ImageUrl,
    LinkTarget,
    page_address,
    read_address,
    read_link,
    read_tag,
    slug_words,
    text_words,
)

Column = NDArray[np.float64]

GROUP_NAMES = "count|share|run|first order|order span|links away|linked|mean alt|mean gap|widest".split("|")


def number_groups(keys: Sequence[Hashable], start: int = 0) -> list[int]:
    """Return a number for each key, equal ones having the same, counted from `start` in order of appearance."""
    known: dict[Hashable, int] = {}
    return [known.setdefault(key, start + len(known)) for key in keys]


def count_equal(keys: Sequence[Hashable]) -> Column:
    """Return for each key how many are equal to it."""
    numbers = number_groups(keys)
    return np.bincount(numbers)[numbers].astype(np.float64)


def describe_groups(groupings: Sequence[Sequence[Hashable]], facts: dict[str, Column]) -> list[Column]:
    """Return the columns of `GROUP_NAMES` for each way to group the images, one way after the other.

    All ways are worked out together: the groups of the second are numbered on from those of the first, and so on.
    """
    images, ways = len(facts["order"]), len(groupings)
    numbers: list[int] = []
    for keys in groupings:
        numbers += number_groups(keys, max(numbers, default=-1) + 1)
    of = np.array(numbers)
    sizes = np.bincount(of).astype(np.float64)
    order = _again(facts["order"], ways)
    first, last = np.full(len(sizes), np.inf), np.full(len(sizes), -np.inf)
    np.minimum.at(first, of, order)
    np.maximum.at(last, of, order)
    widest = np.zeros(len(sizes))
    np.maximum.at(widest, of, _again(facts["shown"], ways))
    means = [np.bincount(of, _again(facts[name], ways)) / sizes for name in ("away", "linked", "alt", "gap")]
    found = [sizes, sizes / images, first, last - first, *means, widest]
    columns = [values[of].reshape(ways, images) for values in found]
    columns.insert(2, _runs(of, images).reshape(ways, images))
    return [column[way] for way in range(ways) for column in columns]


def _again(values: Column, times: int) -> Column:
    return np.concatenate([values] * times)  # a third of what np.tile takes


def _runs(of: NDArray[np.int64], images: int) -> Column:
    """Return how many images in a row are of the group of each image."""
    new = np.ones(len(of), dtype=bool)
    new[1:] = of[1:] != of[:-1]
    new[::images] = True
    starts = np.flatnonzero(new)
    lengths = steps_between(starts, len(of))
    return np.repeat(lengths, lengths).astype(np.float64)


def steps_between(values: NDArray[Any], end: float) -> NDArray[Any]:
    """Return how far it is from each value to the next, from the last one to `end`."""
    steps = np.empty_like(values)
    np.subtract(values[1:], values[:-1], out=steps[:-1])
    steps[-1] = end - values[-1]
    return steps


def rank(values: Column) -> Column:
    """Return how many images have a higher value."""
    return (len(values) - np.searchsorted(np.sort(values), values, "right")).astype(np.float64)


GROUPS = ("signature", "kind", "place", "holder")
_AWAY = (LINKS.index("other page"), LINKS.index("other host"))
_UNKNOWN = -1.0
_LEAST_NAME = 6  # characters of a file name that can be told from others
_TRACKER = 2  # pixels
_SITES = 16  # whose counts are kept ready

_OWN = "order|text before|chars before|chars after|figure|lead|stated".split("|")
_LINK = [f"link {kind}" for kind in LINKS] + ["link depth", "link opens image", "link targets", "link words in file"]
_WORDS = "alt words in title|alt share in title|link words in title|alt words in slug|alt like lead".split("|")
_SIZE = (
    "shown width|shown rank|shown of widest|offered width|offered rank|offered of widest|area rank|of median"
).split("|")
_NEAR = (
    "index share|images|chars since last|chars to next|elements since last|elements to next|links share|same file"
    "|same alt|same host share|same folder share"
).split("|")
_LEAD = (
    "leads|shared path with lead|like lead|order from lead|chars from lead|folder of lead|same file as lead"
    "|signature of lead|stated in page"
).split("|")
_SITE = "site pages|source pages|source share|signature pages|signature uses|signature page share".split("|")
_PAGE = (
    "page text|page names image|page url words|page url digits|page home|images with link|images in article"
    "|distinct signatures|posts|in a post|images of post"
).split("|")


@dataclass(frozen=True, slots=True)
class SiteImageCounts:
    """How often addresses and signatures of images are on the pages of a site."""

    pages: int
    sources: dict[str, int]
    signatures: dict[str, tuple[int, int]]  # pages that have it, images that have it


_counts_of: dict[int, tuple[SiteImages, SiteImageCounts]] = {}  # by identity: hashing a site takes longer than a page


def site_counts(site: SiteImages) -> SiteImageCounts:
    """Return what a site says of its images in a form that is quick to ask; that of the last sites is remembered."""
    known = _counts_of.get(id(site))
    if known is None:
        signatures = {name: (pages, images) for name, pages, images in site.signatures}
        known = (site, SiteImageCounts(site.pages, dict(site.sources), signatures))
        if len(_counts_of) >= _SITES:
            _counts_of.clear()
        _counts_of[id(site)] = known
    return known[1]


@lru_cache(maxsize=1)
def feature_names() -> tuple[str, ...]:
    """Return the names of all columns."""
    names = [f"tag {name}" for name in (*tag_features.TAG_NAMES, *(f"is {role}" for role in tag_features.OWN_ROLES))]
    names += [*address_features.ADDRESS_NAMES, *(f"url says {role}" for role in address_features.URL_ROLES)]
    names += [*path_features.path_names(), *_OWN, *_LINK, *_WORDS, *_SIZE, *_NEAR]
    names += [f"{group} {name}" for group in GROUPS for name in GROUP_NAMES]
    return (*names, *_LEAD, *_SITE, *_PAGE)


def image_features(page: PageImages, counts: SiteImageCounts | None = None) -> NDArray[np.float32]:
    """Return one row per image of the page, columns as `feature_names` says; counts of one page say nothing."""
    if not page.images:
        return np.zeros((0, len(feature_names())), dtype=np.float32)
    return _Described(page).rows(counts)


def is_nothing(image: ImageContext) -> bool:
    """Say whether an image can show nothing: a tracker, or a placeholder that is part of the page itself."""
    tag = read_tag(image.tags[2])
    return (0 <= tag.width <= _TRACKER and 0 <= tag.height <= _TRACKER) or image.src[:5].lower() == "data:"


class _Described:
    """The images of one page, read once."""

    def __init__(self, page: PageImages) -> None:
        images = page.images
        self.page = page
        self.images = images
        self.tags = [read_tag(image.tags[2]) for image in images]
        self.addresses = [read_address(image.src) for image in images]
        self.targets = [read_link(image.link, page.url) for image in images]
        self.signatures = [signature(image) for image in images]
        self.paths = [fold_path(image.path) for image in images]
        said = [(image.order, image.text_before, image.is_figure, image.is_lead, image.is_stated) for image in images]
        self.order, self.before, self.figure, self.lead, self.stated = np.array(said, dtype=np.float64).T
        self.chars = self.before * page.text_chars
        self.since = _steps_to(self.chars)
        self.kinds = np.array([target.kind for target in self.targets])
        self.away = ((self.kinds == _AWAY[0]) | (self.kinds == _AWAY[1])).astype(np.float64)

    def rows(self, counts: SiteImageCounts | None) -> NDArray[np.float32]:
        """Return all numbers: those that one tag, address or path gives are remembered, the others are of this page."""
        parts = []
        for tag, address, path in zip(self.tags, self.addresses, self.paths, strict=True):
            parts += [tag.numbers, address.numbers, path_features.path_features(path)]
        single = np.concatenate(parts).reshape(len(self.images), -1)
        shown = self.shown_width()
        columns = [*self.own(), *self.links(), *self.words(), *self.sizes(shown), *self.neighbours()]
        columns += [*self.groups(shown), *self.leads(), *self.site(counts), *self.whole_page()]
        return np.hstack([single, np.array(columns, dtype=np.float32).T])

    def own(self) -> list[Column]:
        left = self.page.text_chars - self.chars
        return [self.order, self.before, self.chars, left, self.figure, self.lead, self.stated]

    def links(self) -> list[Column]:
        facts = [
            (target.depth, _opens(target, own), _shared(target.words, own.words))
            for target, own in zip(self.targets, self.addresses, strict=True)
        ]
        depth, opens, common = np.array(facts, dtype=np.float64).T
        targets = count_equal([target.path if target.kind else number for number, target in enumerate(self.targets)])
        return [*(self.kinds == np.arange(len(LINKS))[:, None]).astype(np.float64), depth, opens, targets, common]

    def words(self) -> list[Column]:
        title = text_words(self.page.title[:1_000])
        slug = slug_words(page_address(self.page.url)[1])
        leads = frozenset[str]().union(*(tag.words for tag, lead in zip(self.tags, self.lead, strict=True) if lead))
        facts = []
        for tag, target in zip(self.tags, self.targets, strict=True):
            alt = tag.words
            said = _shared(alt, title)
            share = said / (len(alt) + 1.0)
            facts.append((said, share, _shared(target.words, title), _shared(alt, slug), _shared(alt, leads)))
        return list(np.array(facts, dtype=np.float64).T)

    def shown_width(self) -> Column:
        """Return the width at which each image is most likely shown, in pixels, 0 where nothing says so."""
        pairs = zip(self.tags, self.addresses, strict=True)
        said = [(tag.width, address.width, tag.sizes_width, tag.set_width) for tag, address in pairs]
        widths = np.array(said, dtype=np.float64)
        first: Column = widths[np.arange(len(said)), (widths > 0).argmax(axis=1)]
        return np.maximum(first, 0.0)

    def sizes(self, shown: Column) -> list[Column]:
        facts = [
            (max(tag.set_width, own.width, tag.width, 0.0), max(tag.width, 0.0) * max(tag.height, 0.0))
            for tag, own in zip(self.tags, self.addresses, strict=True)
        ]
        offered, areas = np.array(facts).T
        known = np.sort(shown[shown > 0])
        middle = known[len(known) // 2] if len(known) else 1.0
        columns = [shown, rank(shown), shown / max(float(shown.max()), 1.0)]
        columns += [offered, rank(offered), offered / max(float(offered.max()), 1.0), rank(areas), shown / middle]
        return columns

    def neighbours(self) -> list[Column]:
        count = len(self.images)
        until = steps_between(self.chars, self.page.text_chars)
        steps, steps_on = _steps_to(self.order), steps_between(self.order, 1.0)
        file = count_equal([own.file or number for number, own in enumerate(self.addresses)])
        alt = count_equal([tag.words or number for number, tag in enumerate(self.tags)])
        host = count_equal([own.host for own in self.addresses]) / count
        folder = count_equal([own.folder for own in self.addresses]) / count
        columns = [np.arange(count) / count, np.full(count, float(count)), self.since, until, steps, steps_on]
        return [*columns, np.full(count, self.away.mean()), file, alt, host, folder]

    def groups(self, shown: Column) -> list[Column]:
        facts = {
            "order": self.order,
            "away": self.away,
            "linked": (self.kinds > 0).astype(np.float64),
            "alt": np.array([tag.alt_chars for tag in self.tags]),
            "gap": self.since,
            "shown": shown,
        }
        paths = self.paths
        keys = (self.signatures, [path[:2] for path in paths], paths, [path[2:] for path in paths])
        return describe_groups(keys, facts)

    def leads(self) -> list[Column]:
        count = len(self.images)
        found = np.flatnonzero(self.lead)
        stated = np.full(count, float(self.stated.any()))
        if not len(found):
            return [np.zeros(count), *[np.full(count, _UNKNOWN)] * 7, stated]
        first = int(found[0])
        path, folder = self.images[first].path, self.addresses[first].folder
        kinds = {self.signatures[number] for number in found}
        files = {self.addresses[number].file for number in found}
        facts = [
            (_common_depth(image.path, path), own.folder == folder, own.file in files, name in kinds)
            for image, own, name in zip(self.images, self.addresses, self.signatures, strict=True)
        ]
        shared, same_folder, same_file, same_kind = np.array(facts, dtype=np.float64).T
        columns = [np.full(count, float(len(found))), shared, shared / max(len(path), 1)]
        columns += [self.order - self.order[first], self.chars - self.chars[first]]
        return [*columns, same_folder, same_file, same_kind, stated]

    def site(self, counts: SiteImageCounts | None) -> list[Column]:
        if counts is None or counts.pages < 2:
            return [np.full(len(self.images), _UNKNOWN)] * len(_SITE)
        facts = []
        for image, name in zip(self.images, self.signatures, strict=True):
            source = counts.sources.get(image.src, 1)
            pages, images = counts.signatures.get(name, (0, 0))
            share = source / counts.pages
            facts.append((min(source, 5), share, min(pages, 20), images / max(pages, 1), pages / counts.pages))
        known = np.full(len(self.images), float(min(counts.pages, 30)))
        return [known, *np.array(facts, dtype=np.float64).T]

    def whole_page(self) -> list[Column]:
        count = len(self.images)
        path = page_address(self.page.url)[1]
        posts = [path_features.post_of(image.path) for image in self.images]
        same = count_equal(posts)
        inside = np.array([post != "" for post in posts], dtype=np.float64)
        facts = (
            min(self.page.text_chars, 100_000),
            self.page.has_meta,
            len(slug_words(path.rpartition("/")[2])),
            sum(map(str.isdigit, path)),
            path == "",
            (self.kinds > 0).mean(),
            inside.mean(),
            len(set(self.signatures)),
            len({post for post in posts if post}),
        )
        return [*np.repeat(np.array(facts, dtype=np.float64), count).reshape(len(facts), count), inside, same]


def _steps_to(values: Column) -> Column:
    """Return how far it is to each value from the one before, to the first from 0."""
    steps = values.copy()
    steps[1:] -= values[:-1]
    return steps


def _opens(target: LinkTarget, own: ImageUrl) -> float:
    """Return how much of its beginning the name of a link's target shares with the file of the image in it."""
    name, file = target.name, own.file
    length = min(len(name), len(file))
    if length < _LEAST_NAME:
        return 0.0
    return next((part / 4 for part in (4, 3, 2) if name[: length * part // 4] == file[: length * part // 4]), 0.0)


def _shared(one: frozenset[str], other: frozenset[str]) -> int:
    return len(one & other) if one and other else 0


def _common_depth(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """Return how many elements two paths share, from the body on."""
    longest = min(len(one), len(other))
    if one[-longest:] == other[-longest:]:
        return longest
    return next(depth for depth in range(longest) if one[-1 - depth] != other[-1 - depth])
