"""Find the links and crawler directives of a page in the map of its bytes.

This is the hyperlink step of UzunExt (paper 000) with the tree of the HTML standard instead of the paper's regular
expression, which finds links in comments and scripts and misses `href` as a second attribute.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from scythe.limits import LIMITS
from scythe.model import Loss
from scythe.page.encoding import decode, is_utf8
from scythe.page.map import map_as_is
from scythe.page.page import is_silent, reopen
from scythe.url import Url, absolute

if TYPE_CHECKING:
    from scythe.page.map import PageMap
    from scythe.page.tree_map import TreeMap

_MARK = "data-scythe-end"
_END = f"<template {_MARK}></template>".encode()  # behind a page: an element unless the page ends inside something


_FEED_TYPES = ("application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml")
_FIXED = ("/", "http://", "https://")
_ROBOTS = frozenset({"robots", "scythe"})
_KEPT_LINKS = 8_192  # of one host or folder: menus stand on every page, so where they lead is remembered
_KEPT_CHARS = 2_000


class Href(NamedTuple):
    """One link: where it leads, and whether the page asks not to follow it."""

    url: Url
    nofollow: bool = False


@dataclass(frozen=True, slots=True)
class Hrefs:
    """The links of a page in page order, and what it says of itself to those who follow links."""

    links: tuple[Href, ...] = ()
    base: str | None = None  # what relative addresses were relative to
    canonical: Url | None = None
    next: Url | None = None
    previous: Url | None = None
    refresh: Url | None = None  # where a meta refresh leads
    feeds: tuple[Url, ...] = ()
    frames: tuple[Url, ...] = ()  # of a frameset
    noindex: bool = False
    nofollow: bool = False
    losses: tuple[Loss, ...] = ()


def read_hrefs(body: bytes, url: str | None, content_type: str | None = None) -> Hrefs:
    """Return the links of the page found at `url`; takes time linear in its length and never raises."""
    losses: list[Loss] = []
    if len(body) > LIMITS.body_bytes:
        losses.append(Loss("bytes beyond the size limit", len(body) - LIMITS.body_bytes))
        body = body[: LIMITS.body_bytes]
    if b"\0" in body or not is_utf8(body):
        body = decode(body, content_type).text.encode()
    page = map_as_is(body + _END)
    if not _links_of(page) and not _is_whole(page, body) and (opened := reopen(body)):
        page = map_as_is(opened + _END)
        losses.append(Loss("unclosed elements read as their content", 1))
    losses += (loss for loss in page.losses if "limit" in loss.what)  # there may have been links among them
    return _Reading(losses).finish(page, absolute(url) if url else None)


def _is_whole(page: PageMap | TreeMap, body: bytes) -> bool:
    """Say whether a page ends outside of tags, comments and scripts."""
    return bool(page.having(_MARK)) or b"<frameset" in body.lower()


@lru_cache(maxsize=64)
def _known_links(place: str) -> dict[str, Href | None]:
    """Return what is remembered of the links of one host, or one folder, for the caller to add to.

    None stands for what leads to no page; a link without address for one that should and cannot.
    """
    return {}


@dataclass(slots=True)
class _Reading:
    """One page while its tags are read."""

    losses: list[Loss]
    base: str | None = None
    bad: int = 0
    named: dict[str, Url] = field(default_factory=dict)
    feeds: dict[Url, None] = field(default_factory=dict)
    frames: dict[Url, None] = field(default_factory=dict)
    robots: set[str] = field(default_factory=set)

    def finish(self, page: PageMap | TreeMap, url: Url | None) -> Hrefs:
        """Make addresses absolute, by the base of the page first of all, since it holds for what is before it too."""
        bases = ((href or "").strip() for (href,) in page.said("base", "href"))
        self.base = absolute(next(filter(None, bases), ""), url) or url
        for said in self._first(page.said("meta", "name", "http-equiv", "content"), LIMITS.metas):
            self._note_meta(*said)
        for said in self._first(page.said("link", "rel", "type", "href"), LIMITS.metas):
            self._note_relation(*said)
        for (src,) in islice(self._first(page.said("frame", "src"), LIMITS.metas), LIMITS.page_feeds):
            if (address := absolute(src, self.base)) is not None:
                self.frames[address] = None
        links = self._read_links(page)
        if self.bad:
            self.losses.append(Loss("links without an absolute address", self.bad))
        return Hrefs(
            links,
            self.base,
            self.named.get("canonical"),
            self.named.get("next"),
            self.named.get("prev"),
            self.named.get("refresh"),
            tuple(self.feeds),
            tuple(self.frames),
            "noindex" in self.robots,
            "nofollow" in self.robots,
            tuple(self.losses),
        )

    def _first(self, said: list[tuple[str | None, ...]], most: int) -> Iterator[list[str]]:
        """Return what the first elements say, with an empty text for nothing; that there are more is a loss."""
        if len(said) > most:
            self.losses.append(Loss("links beyond the limit", len(said) - most))
        return ([value or "" for value in one] for one in said[:most])

    def _read_links(self, page: PageMap | TreeMap) -> tuple[Href, ...]:
        place = (self.base or "").partition("?")[0].partition("#")[0].split("/")
        known, here = _known_links("/".join(place[:3])), _known_links("/".join([*place[:3], *place[3:-1], ""]))
        links: list[Href] = []
        for href, rel in self._first(_links_of(page), LIMITS.page_links):
            if href in known:
                link = known[href]
            elif href in here:
                link = here[href]
            else:
                link = self._read_link(href, known, here)
            if link is None:
                continue
            if not link.url:
                self.bad += 1
            else:
                links.append(self._relate(link, rel) if rel else link)
        return tuple(links)

    def _read_link(self, written: str, known: dict[str, Href | None], here: dict[str, Href | None]) -> Href | None:
        """Read where a link leads and remember it, if it is the same on every page of the host or folder."""
        href = written.strip()
        link = None if is_silent(href) else Href(absolute(href, self.base) or Url(""))
        if len(written) <= _KEPT_CHARS and not href.startswith("?"):
            place = known if href.startswith(_FIXED) or link is None else here
            if len(place) >= _KEPT_LINKS:
                place.clear()
            place[written] = link
        return link

    def _relate(self, link: Href, rel: str) -> Href:
        rels = rel.lower().split()
        for name in ("next", "prev"):
            if name in rels:
                self.named.setdefault(name, link.url)
        return Href(link.url, True) if "nofollow" in rels else link

    def _note_meta(self, name: str, equivalent: str, content: str) -> None:
        name = (name or equivalent).strip().lower()
        if name in _ROBOTS:
            self.robots |= directives(content)
        elif name == "refresh" and (url := absolute(refresh_target(content), self.base)):
            self.named.setdefault("refresh", url)

    def _note_relation(self, rel: str, kind: str, href: str) -> None:
        rels = ["prev" if rel == "previous" else rel for rel in rel.lower().split()]
        wanted = [name for name in ("canonical", "next", "prev") if name in rels]
        kind = kind.partition(";")[0].strip().lower()
        is_feed = "alternate" in rels and kind in _FEED_TYPES and len(self.feeds) < LIMITS.page_feeds
        if (is_feed or wanted) and (url := absolute(href, self.base)):
            for name in wanted:
                self.named.setdefault(name, url)
            if is_feed:
                self.feeds[url] = None


def _links_of(page: PageMap | TreeMap) -> list[tuple[str | None, ...]]:
    """Return href and rel of all that leads somewhere, in the order of the page."""
    links, areas = page.said("a", "href", "rel"), page.said("area", "href", "rel")
    if areas:
        said = {"a": iter(links), "area": iter(areas)}
        links = [next(said[node.tag]) for node in page.find("a", "area")]
    return [link for link in links if link[0]]


def directives(text: str) -> set[str]:
    """Return the words of a robots meta tag or X-Robots-Tag; `none` stands for noindex and nofollow."""
    words = {word.strip().lower() for word in text[:1_000].split(",")}
    return words | {"noindex", "nofollow"} if "none" in words else words


def refresh_target(content: str) -> str:
    """Return the address in `5; url=...`, or an empty string."""
    _, _, rest = content[: LIMITS.url_chars].replace(",", ";", 1).partition(";")
    rest = rest.strip()
    if rest[:3].lower() == "url" and rest[3:].lstrip()[:1] == "=":
        rest = rest[3:].lstrip()[1:].strip()
    quote = rest[:1]
    return rest[1:].partition(quote)[0] if quote in ("'", '"') else rest
