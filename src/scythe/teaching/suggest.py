"""Say which pages of a site a person should annotate: pages or addresses come in, suggestions with reasons go out.

By address, pages are grouped as in the TC paper. With their source there is a better way: images of the pages are
judged by the model, and those pages are chosen that cover most of the kinds of images it is unsure about.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scythe.errors import BadInput
from scythe.extracting.judge_images import ImageJudge
from scythe.learn.annotators import page_key
from scythe.learn.cover import choose_pages
from scythe.learn.image_counts import count_again
from scythe.learn.suggest import draw, group_urls, select_random
from scythe.model import PageImages
from scythe.page import Page
from scythe.page.image_context import read_image_contexts
from scythe.page.image_signature import signature
from scythe.rules import SiteImages

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
            raise BadInput("to choose pages by cover their source is needed, not only addresses")
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
    places = _fresh(pages, site)
    fresh = [pages[at] for at in places]
    known = [labelled.page for labelled in site.labelled]
    scores = _score(fresh, site)
    chosen = choose_pages(fresh, scores, count, seed=seed, known=known)
    seen = {kind for page in known for kind in _kinds(page)}
    found = []
    for at in chosen:
        found.append(_describe(fresh[at], scores[at], places[at], seen))
        seen |= _kinds(fresh[at])
    return tuple(found)


def _fresh(pages: Sequence[PageImages], site: SiteImages) -> list[int]:
    """Return the places of pages that were not annotated yet, each address once."""
    done = {page_key(labelled.page) for labelled in site.labelled}
    places = []
    for at, page in enumerate(pages):
        if page_key(page) not in done:
            places.append(at)
            if page.url:
                done.add(page.url)
    return places


def _score(pages: Sequence[PageImages], site: SiteImages) -> list[list[float]]:
    """Return how likely each image of each page is relevant, as far as is known of the site."""
    judge = ImageJudge(site if site.pages else count_again(site, pages))
    return [judge.score(page) for page in pages]


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
