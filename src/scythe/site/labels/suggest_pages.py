"""Suggest which pages of a site to annotate.

With their source, those pages are chosen that cover most kinds of images the model is unsure about. By URL alone, pages
are clustered as in the TC paper (Algorithm 1); docs/why/images.md#labels lists where its pseudo-code was corrected.
"""

from __future__ import annotations

import heapq
import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random

from scythe.errors import BadInput
from scythe.model import ImageContext, PageImages, SiteImages
from scythe.page import Page
from scythe.page.image_context import read_image_contexts, signature
from scythe.site.judge_images import ImageJudge
from scythe.site.labels.annotators import page_key
from scythe.site.labels.site_relevance import count_again
from scythe.site.url_clusters import cluster_urls

# chosen on sites with labels, all near them do as well: docs/why/images.md#labels
_DEPTHS = (2, 4)  # of kinds of images: those of a template, and finer ones
_FLOOR = 0.02  # of doubt about an image: kinds of images that the model is sure of are worth a look as well
_FADE = 3  # a kind that n pages show already counts as 1 / (1 + n) ** 3

_Kind = tuple[int, str]


def choose_pages(
    pages: Sequence[PageImages],
    scores: Sequence[Sequence[float]],
    count: int,
    *,
    seed: int = 0,
    known: Sequence[PageImages] = (),
) -> list[int]:
    """Return the numbers of up to `count` pages, best first, none twice.

    Each next page is the one whose kinds of images hold the most doubt on the whole site, where what the pages chosen
    and `known` show already counts for little. `scores` are the probabilities of the shared model; `seed` decides
    between equal pages.
    """
    worth = _doubt(pages, scores)
    kinds = [_kinds_cover(page) for page in pages]
    seen: Counter[_Kind] = Counter()
    for page in known:
        seen.update(_kinds_cover(page))

    def gain(number: int) -> float:
        # exact, so that pages with the same kinds in another order are equal
        return math.fsum(worth[kind] / math.pow(1 + seen[kind], _FADE) for kind in kinds[number])

    order = list(range(len(pages)))
    random.Random(seed).shuffle(order)
    waiting = [(-gain(number), place, number) for place, number in enumerate(order)]
    heapq.heapify(waiting)
    chosen: list[int] = []
    while waiting and len(chosen) < count:
        _, place, number = heapq.heappop(waiting)
        now = (-gain(number), place, number)
        if waiting and now > waiting[0]:  # gains only fall: what stays ahead of the others' old gains is the best
            heapq.heappush(waiting, now)
            continue
        chosen.append(number)
        seen.update(kinds[number])
    return chosen


def _doubt(pages: Sequence[PageImages], scores: Sequence[Sequence[float]]) -> dict[_Kind, float]:
    """Return how much the model doubts about each kind of image; four times as many images count twice as much."""
    doubt: defaultdict[_Kind, float] = defaultdict(float)
    for page, page_scores in zip(pages, scores, strict=True):
        for image, score in zip(page.images, page_scores, strict=True):
            for kind in _kinds_of(image):
                doubt[kind] += score * (1 - score) + _FLOOR
    return {kind: math.sqrt(total) for kind, total in doubt.items()}


def _kinds_cover(page: PageImages) -> list[_Kind]:
    return list(dict.fromkeys(kind for image in page.images for kind in _kinds_of(image)))


def _kinds_of(image: ImageContext) -> list[_Kind]:
    return [(depth, signature(image, depth)) for depth in _DEPTHS]


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


WAYS = ("cover", "clusters", "random")
UNSURE = (0.15, 0.85)  # scores between these are no answer that one would bet on

Given = Page | PageImages | tuple[str | None, bytes | str] | str  # a text by itself is an address


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One page to annotate and why. What another way of choosing would know is None."""

    at: int  # its place among the pages given
    url: str  # "" where it has none
    by: str  # cover, clusters or random
    why: str = ""  # in words
    cluster: int | None = None  # its number, the largest is 1
    alike: int | None = None  # addresses in that cluster
    images: int | None = None  # on the page
    kinds: int | None = None  # of images on the page: those in the same place of the layout are of one kind
    new_kinds: int | None = None  # that no page suggested before it and none annotated has
    unsure: int | None = None  # images that the model is unsure about


def suggest_pages(
    pages: Iterable[Given], count: int = 6, *, by: str = "auto", seed: int = 0, site: SiteImages | None = None
) -> tuple[Suggestion, ...]:
    """Return the `count` pages most worth annotating, best first; all where there are fewer, each once.

    `by` is cover (needs the source of pages), clusters, random, or auto: cover where all pages come with their source,
    else clusters. What was annotated for `site` is not suggested again. Raises BadInput.
    """
    if by not in ("auto", *WAYS):
        raise BadInput(f"pages are chosen by {', '.join(WAYS)} or auto, not by {by!r}")
    if count < 1:
        raise BadInput(f"one page or more can be suggested, not {count}")
    known = site.labelled if site else ()
    done = {labelled.page.url for labelled in known} - {""}
    if by in ("clusters", "random"):
        urls = [_address(page) for page in pages]
        places = [at for at, url in enumerate(urls) if url not in done]
        return _by_address(urls, places, count, by, seed)
    read = [page if isinstance(page, str) else _images(page) for page in pages]
    if any(isinstance(page, str) for page in read):
        if by == "cover":
            raise BadInput("choosing pages by cover needs their source, not only URLs")
        return suggest_pages(read, count, by="clusters", seed=seed, site=site)
    return _by_cover([page for page in read if isinstance(page, PageImages)], count, seed, site or SiteImages())


def _address(page: Given) -> str:
    if isinstance(page, tuple):
        return page[0] or ""
    return page if isinstance(page, str) else page.url or ""


def _images(page: Page | PageImages | tuple[str | None, bytes | str]) -> PageImages:
    if isinstance(page, PageImages):
        return page
    if isinstance(page, tuple):
        url, body = page
        page = Page.from_text(body, url=url) if isinstance(body, str) else Page.from_bytes(body, url=url)
    return read_image_contexts(page)


def _by_address(urls: Sequence[str], places: Sequence[int], count: int, by: str, seed: int) -> tuple[Suggestion, ...]:
    # nothing is known of pages without an address: they are one cluster, and no two of them the same page
    names = [urls[at] or f"{at}" for at in places]
    if by == "random":
        chosen = select_random(names, count, seed)
        return tuple(Suggestion(places[at], urls[places[at]], by, "at random") for at in chosen)
    clusters = group_urls(names)
    number_of = {at: number for number, cluster in enumerate(clusters) for at in cluster.members}
    found = []
    for at in draw([cluster.members for cluster in clusters], count, seed):
        number, alike = number_of[at] + 1, len(clusters[number_of[at]].members)
        what = "alike" if clusters[number - 1].is_alike else "like no other"
        why = f"cluster {number} of {len(clusters)}: {_count(alike, 'address', 'es')} {what}"
        found.append(Suggestion(places[at], urls[places[at]], by, why, number, alike))
    return tuple(found)


def _by_cover(pages: Sequence[PageImages], count: int, seed: int, site: SiteImages) -> tuple[Suggestion, ...]:
    done = {page_key(labelled.page) for labelled in site.labelled}
    places: dict[str, int] = {}  # of pages that were not annotated yet, each address once
    for at, page in enumerate(pages):
        if page_key(page) not in done:
            places.setdefault(page.url or f"#{at}", at)
    fresh = [pages[at] for at in places.values()]
    known = [labelled.page for labelled in site.labelled]
    judge = ImageJudge(site if site.pages else count_again(site, fresh))
    scores = [judge.score(page) for page in fresh]
    seen = {kind for page in known for kind in _kinds(page)}
    found = []
    for number in choose_pages(fresh, scores, count, seed=seed, known=known):
        found.append(_describe(fresh[number], scores[number], list(places.values())[number], seen))
        seen |= _kinds(fresh[number])
    return tuple(found)


def _kinds(page: PageImages) -> set[str]:
    return {signature(image) for image in page.images}


def _describe(page: PageImages, scores: Sequence[float], at: int, seen: set[str]) -> Suggestion:
    kinds = _kinds(page)
    new, unsure = len(kinds - seen), sum(UNSURE[0] < score < UNSURE[1] for score in scores)
    why = f"{_count(len(page.images), 'image')}, {_count(len(kinds), 'kind')}, {new} new, {unsure} unsure"
    return Suggestion(
        at, page.url, "cover", why, images=len(page.images), kinds=len(kinds), new_kinds=new, unsure=unsure
    )


def _count(number: int, what: str, many: str = "s") -> str:
    return f"{number} {what}{'' if number == 1 else many}"
