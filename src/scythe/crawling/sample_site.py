"""Fetch a sample of a site's pages for learning, one at a time, obeying robots.txt.

Links on the same host are followed, the most common URL shapes first.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.inputs import Input, LoadedPage, load
from scythe.url import host

if TYPE_CHECKING:
    from scythe.fetch.robots import Robots

LONGEST_DELAY_S = 300.0  # a host that wants a longer one is not asked for pages that nobody named
_TRIES = 3  # addresses tried per page wanted
_KNOWN = 5_000  # addresses kept in mind


@dataclass(slots=True)
class Frontier:
    """The addresses known and not asked for yet, by what they look like."""

    waiting: dict[str, list[str]] = field(default_factory=dict)  # shape -> addresses in the order found
    taken: Counter[str] = field(default_factory=Counter)
    known: set[str] = field(default_factory=set)

    def add(self, url: str) -> None:
        """Remember an address, once."""
        from scythe.url import url_shape

        if url not in self.known and len(self.known) < _KNOWN:
            self.known.add(url)
            self.waiting.setdefault(url_shape(url), []).append(url)

    def take(self) -> str | None:
        """Return the next address: of the shape with the most addresses for each one taken, from its middle."""
        if not self.waiting:
            return None
        shape = max(self.waiting, key=lambda shape: len(self.waiting[shape]) / (1 + self.taken[shape]) ** 2)
        urls = self.waiting[shape]
        url = urls.pop(len(urls) // 2)
        if not urls:
            del self.waiting[shape]
        self.taken[shape] += 1
        return url


def sample_site(start: str, pages: int, fetch: FetchOptions, *, delay_s: float) -> Iterator[LoadedPage]:
    """Yield the page at `start` and others of its host, up to `pages` of them; a page that fails is yielded too."""
    first = _fetch(start, fetch)
    yield first
    if first.complaint or first.url is None:
        return
    own = host(first.url)
    robots = read_robots(first.url, fetch)
    if robots.delay_s > LONGEST_DELAY_S:
        return
    frontier = Frontier(known={first.url, start})
    _add_links(first, own, frontier)
    good = 1
    for _ in range(_TRIES * pages):
        url = frontier.take() if good < pages else None
        if url is None:
            return
        if not robots.allows(url):
            continue
        time.sleep(max(delay_s, robots.delay_s))
        page = _fetch(url, fetch)
        if not page.complaint and page.url and host(page.url) == own:
            good += 1
            frontier.known.add(page.url)
            _add_links(page, own, frontier)
        yield page


def _fetch(url: str, fetch: FetchOptions) -> LoadedPage:
    return next(load([Input(url, url=url)], None, fetch))


def _add_links(page: LoadedPage, own: str, frontier: Frontier) -> None:
    for url in own_links(page, own):
        frontier.add(url)


def own_links(page: LoadedPage, own: str) -> Iterator[str]:
    """Yield the addresses on host `own` that a page links to and that may be pages, without fragments."""
    from scythe.crawling.scope import may_be_page
    from scythe.page.links_from_bytes import read_hrefs
    from scythe.url import normalise

    for link in read_hrefs(page.body, page.url, page.content_type).links:
        url = normalise(link.url)
        if host(url) == own and may_be_page(url):
            yield url


def read_robots(url: str, fetch: FetchOptions) -> Robots:
    """Fetch the robots.txt of the host of an address. Where there is none all is allowed, where it fails nothing is."""
    from scythe.fetch.fetcher import open_fetcher
    from scythe.fetch.robots import fetch_robots, parse_robots

    async def ask() -> tuple[int | None, bytes]:
        async with open_fetcher(fetch) as fetcher:
            return await fetch_robots(fetcher, url)

    return parse_robots(*asyncio.run(ask()))
