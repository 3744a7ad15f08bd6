"""Describe the images of a page in numbers: what is around them comes in, one row of features per image goes out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from scythe.model import ImageContext, PageImages
from scythe.page.image_signature import fold, signature
from scythe.read.images import address_features, path_features, tag_features
from scythe.read.images.address_features import LINKS, Address, Target, page_address, read_address, read_link
from scythe.read.images.image_words import text_words
from scythe.read.images.relations import GROUP_NAMES, Column, Group, describe_groups, rank
from scythe.rules import SiteImages

GROUPS = ("signature", "kind", "place", "holder")
_DATE = re.compile(r"(?:19|20)\d\d[/-](?:0?[1-9]|1[0-2])")
_UNKNOWN = -1.0
_LEAST_NAME = 6  # characters of a file name that can be told from others
_TRACKER = 2  # pixels

_SINGLE = "order|text before|chars before|chars after|figure|lead|stated|named".split("|")
_LINK = [f"link {kind}" for kind in LINKS] + ["link depth", "link opens image", "link targets", "link words in file"]
_WORDS = (
    "alt words in title|alt share in title|file words in title|link words in title|alt words in file|alt words in slug"
    "|file words in slug|alt like lead"
).split("|")
_SIZE = (
    "shown width|shown rank|shown of widest|offered width|offered rank|offered of widest|area rank|of median|largest"
).split("|")
_NEAR = (
    "index|index share|images|chars since last|chars to next|elements since last|elements to next|links share"
    "|same file|same alt|same host share|same folder share|same folder"
).split("|")
_LEAD = (
    "leads|lead in page|shared path with lead|like lead|after lead|order from lead|chars from lead|folder of lead"
    "|host of lead|same file as lead|signature of lead|stated in page"
).split("|")
_SITE = "site pages|source pages|source share|signature pages|signature images|signature share".split("|")
_PAGE = (
    "page text|page names image|url depth|url words|url digits|url date|url query|page home|images with link"
    "|images in article|distinct signatures|posts|in a post|images of post"
).split("|")


@dataclass(frozen=True, slots=True)
class SiteCounts:
    """How often addresses and signatures of images are on the pages of a site."""

    pages: int
    sources: dict[str, int]
    signatures: dict[str, tuple[int, int]]  # pages that have it, images that have it


@lru_cache(maxsize=64)
def site_counts(site: SiteImages) -> SiteCounts:
    """Return what a site says of its images in a form that is quick to ask."""
    signatures = {name: (pages, images) for name, pages, images in site.signatures}
    return SiteCounts(site.pages, dict(site.sources), signatures)


@lru_cache(maxsize=1)
def feature_names() -> tuple[str, ...]:
    """Return the names of all columns."""
    names = [f"tag {name}" for name in (*tag_features.NAMES, *(f"is {role}" for role in tag_features.OWN_ROLES))]
    names += [*address_features.NAMES, *(f"url says {role}" for role in address_features.URL_ROLES)]
    names += [*path_features.path_names(), *_SINGLE, *_LINK, *_WORDS, *_SIZE, *_NEAR]
    names += [f"{group} {name}" for group in GROUPS for name in GROUP_NAMES]
    return (*names, *_LEAD, *_SITE, *_PAGE)


def image_features(page: PageImages, counts: SiteCounts | None = None) -> NDArray[np.float32]:
    """Return one row per image of the page, columns as `feature_names` says; `counts` without pages is no counts."""
    if not page.images:
        return np.zeros((0, len(feature_names())), dtype=np.float32)
    return _Described(page).rows(counts)


class _Described:
    """The images of one page, read once."""

    def __init__(self, page: PageImages) -> None:
        images = page.images
        self.page = page
        self.images = images
        self.tags = [tag_features.tag_features(image.tags[2]) for image in images]
        self.addresses = [read_address(_address_of(image)) for image in images]
        self.targets = [read_link(image.link, page.url) for image in images]
        self.signatures = [signature(image) for image in images]
        self.order = np.array([image.order for image in images])
        self.chars = np.array([image.text_before for image in images]) * page.text_chars
        self.lead = np.array([float(image.is_lead) for image in images])
        self.kinds = np.array([target.kind for target in self.targets])

    def rows(self, counts: SiteCounts | None) -> NDArray[np.float32]:
        single = [
            (*tag[0], *address.numbers, *path_features.path_features(image.path))
            for tag, address, image in zip(self.tags, self.addresses, self.images, strict=True)
        ]
        shown = self.shown_width()
        columns = [*self.own(), *self.links(), *self.words(), *self.sizes(shown), *self.neighbours()]
        columns += [*self.groups(shown), *self.leads(), *self.site(counts), *self.whole_page()]
        return np.hstack([np.array(single, dtype=np.float32), np.array(columns, dtype=np.float32).T])

    def own(self) -> list[Column]:
        stated = np.array([float(image.is_stated) for image in self.images])
        figure = np.array([float(image.is_figure) for image in self.images])
        before = np.array([image.text_before for image in self.images])
        left = self.page.text_chars - self.chars
        return [self.order, before, self.chars, left, figure, self.lead, stated, np.maximum(self.lead, stated)]

    def links(self) -> list[Column]:
        kinds = [(self.kinds == number).astype(np.float64) for number in range(len(LINKS))]
        depth = np.array([float(target.depth) for target in self.targets])
        opens = np.array([_opens(target, own) for target, own in zip(self.targets, self.addresses, strict=True)])
        targets = Group([target.path if target.kind else number for number, target in enumerate(self.targets)]).count()
        common = np.array([_shared(t.words, a.words) for t, a in zip(self.targets, self.addresses, strict=True)])
        return [*kinds, depth, opens, targets, common]

    def words(self) -> list[Column]:
        title = text_words(self.page.title[:1_000])
        slug = text_words(page_address(self.page.url)[1].replace("-", " ").replace("_", " "))
        leads = frozenset().union(*(tag[3] for tag, lead in zip(self.tags, self.lead, strict=True) if lead))
        pairs = []
        for tag, address, target in zip(self.tags, self.addresses, self.targets, strict=True):
            alt, file = tag[3], address.words
            said = _shared(alt, title)
            pairs.append(
                (
                    said,
                    said / (len(alt) + 1.0),
                    _shared(file, title),
                    _shared(target.words, title),
                    _shared(alt, file),
                    _shared(alt, slug),
                    _shared(file, slug),
                    _shared(alt, leads),
                )
            )
        return list(np.array(pairs).T)

    def shown_width(self) -> Column:
        """Return the width at which each image is most likely shown, in pixels, 0 where nothing says so."""
        widths = []
        for tag, address in zip(self.tags, self.addresses, strict=True):
            candidates = (tag[1], address.width, tag[0][7], tag[0][6])
            widths.append(next((width for width in candidates if width > 0), 0.0))
        return np.array(widths)

    def sizes(self, shown: Column) -> list[Column]:
        offered = np.array(
            [max(tag[0][6], own.width, tag[1], 0.0) for tag, own in zip(self.tags, self.addresses, strict=True)]
        )
        areas = np.array([tag[1] * tag[2] if tag[1] > 0 and tag[2] > 0 else 0.0 for tag in self.tags])
        known = shown[shown > 0]
        middle = float(np.median(known)) if len(known) else 1.0
        columns = [shown, rank(shown), shown / max(float(shown.max()), 1.0)]
        columns += [offered, rank(offered), offered / max(float(offered.max()), 1.0), rank(areas), shown / middle]
        return [*columns, ((shown > 0) & (shown == shown.max())).astype(np.float64)]

    def neighbours(self) -> list[Column]:
        count = len(self.images)
        index = np.arange(count, dtype=np.float64)
        since = np.diff(self.chars, prepend=0.0)
        until = np.append(self.chars[1:], float(self.page.text_chars)) - self.chars
        steps = np.diff(self.order, prepend=0.0)
        steps_on = np.append(self.order[1:], 1.0) - self.order
        away = np.isin(self.kinds, (5, 6)).astype(np.float64)
        file = Group([own.file or number for number, own in enumerate(self.addresses)]).count()
        alt = Group([tag[3] or number for number, tag in enumerate(self.tags)]).count()
        host = Group([own.host for own in self.addresses]).count() / count
        folder = Group([own.folder for own in self.addresses]).count()
        links = np.full(count, float(away.mean()))
        columns = [index, index / count, np.full(count, float(count)), since, until, steps, steps_on, links]
        return [*columns, file, alt, host, folder / count, folder]

    def groups(self, shown: Column) -> list[Column]:
        since = np.diff(self.chars, prepend=0.0)
        facts = {
            "order": self.order,
            "away": np.isin(self.kinds, (5, 6)).astype(np.float64),
            "alt": np.array([tag[0][13] for tag in self.tags]),
            "gap": since,
            "lead": self.lead,
            "shown": shown,
            "distinct target": (self.kinds > 0).astype(np.float64),
        }
        paths = [tuple(map(fold, image.path)) for image in self.images]
        keys = (self.signatures, [path[:2] for path in paths], paths, [path[2:] for path in paths])
        return [column for key in keys for column in describe_groups(Group(key), facts)]

    def leads(self) -> list[Column]:
        count = len(self.images)
        found = np.flatnonzero(self.lead)
        stated = float(any(image.is_stated for image in self.images))
        if not len(found):
            nothing = np.full(count, _UNKNOWN)
            return [np.zeros(count), np.zeros(count), *[nothing] * 9, np.full(count, stated)]
        first = int(found[0])
        lead, own = self.images[first], self.addresses[first]
        paths = [_common_depth(image.path, lead.path) for image in self.images]
        kinds = {self.signatures[number] for number in found}
        files = {self.addresses[number].file for number in found}
        like = np.array([float(one in kinds) for one in self.signatures])
        columns = [np.full(count, float(len(found))), np.ones(count), np.array(paths)]
        columns += [np.array([one / max(len(lead.path), 1) for one in paths])]
        columns += [(np.arange(count) - first).astype(np.float64), self.order - self.order[first]]
        columns += [self.chars - self.chars[first]]
        columns += [np.array([float(one.folder == own.folder) for one in self.addresses])]
        columns += [np.array([float(one.host == own.host) for one in self.addresses])]
        columns += [np.array([float(one.file in files) for one in self.addresses]), like]
        return [*columns, np.full(count, stated)]

    def site(self, counts: SiteCounts | None) -> list[Column]:
        if counts is None or counts.pages < 2:
            return [np.full(len(self.images), _UNKNOWN)] * len(_SITE)
        rows = []
        for image, name in zip(self.images, self.signatures, strict=True):
            source = counts.sources.get(image.src, 1)
            pages, images = counts.signatures.get(name, (0, 0))
            share = pages / counts.pages
            rows.append((min(source, 5), source / counts.pages, min(pages, 20), images / max(pages, 1), share))
        columns = np.array(rows, dtype=np.float64).T
        return [np.full(len(self.images), float(min(counts.pages, 30))), *columns]

    def whole_page(self) -> list[Column]:
        path = page_address(self.page.url)[1]
        name = path.rpartition("/")[2]
        linked = float((self.kinds > 0).mean())
        article = float(np.mean([any(label.startswith("article") for label in image.path) for image in self.images]))
        facts = (
            float(min(self.page.text_chars, 100_000)),
            float(self.page.has_meta),
            float(path.count("/")),
            float(len(text_words(name.replace("-", " ").replace("_", " ")))),
            float(sum(map(str.isdigit, path))),
            float(_DATE.search(path) is not None),
            float("?" in self.page.url),
            float(path in ("", "/index.html")),
            linked,
            article,
            float(len(set(self.signatures))),
        )
        posts = [path_features.post_of(image.path) for image in self.images]
        same = Group(posts).count()
        inside = np.array([float(post != "") for post in posts])
        known = float(len({post for post in posts if post}))
        return [np.full(len(self.images), fact) for fact in (*facts, known)] + [inside, same]


def _address_of(image: ImageContext) -> str:
    return image.src


def _opens(target: Target, own: Address) -> float:
    """Return how much of its beginning the name of a link's target shares with the file of the image in it."""
    name = target.path.rpartition("/")[2].lower()
    if not name or not own.file:
        return 0.0
    longest = min(len(name), len(own.file))
    same = next((at for at in range(longest) if name[at] != own.file[at]), longest)
    return same / longest if longest >= _LEAST_NAME else 0.0


def is_nothing(image: ImageContext) -> bool:
    """Say whether an image can show nothing: a tracker, or a placeholder that is part of the page itself."""
    _, width, height, _ = tag_features.tag_features(image.tags[2])
    return (0 <= width <= _TRACKER and 0 <= height <= _TRACKER) or image.src[:5].lower() == "data:"


def _shared(one: frozenset[str], other: frozenset[str]) -> float:
    return float(len(one & other)) if one and other else 0.0


def _common_depth(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    """Return how many elements two paths share, from the body on."""
    depth = 0
    for a, b in zip(reversed(one), reversed(other), strict=False):
        if a != b:
            break
        depth += 1
    return float(depth)
