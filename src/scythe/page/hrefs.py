"""Find the links of a page in its bytes: a body comes in, links and what the page says to crawlers go out.

This is the hyperlink step of UzunExt (paper 000), a string search without a tree. Its expression `<a.href.(.*?).>`
wants `href` to be the first attribute, takes comments and scripts for links and every other attribute for the address;
here the links are those of the tree (page/links.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from scythe.limits import LIMITS
from scythe.model import Loss
from scythe.page.encoding import decode
from scythe.page.href_tags import find_tags
from scythe.page.links import is_silent
from scythe.page.reopen import reopen
from scythe.page.tag_attributes import read_attributes
from scythe.url import Url, absolute

_FEED_TYPES = ("application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml")
_ROBOTS = frozenset({"robots", "scythe"})
_KEPT_LINKS = 8_192  # of one host: menus stand on every page of a site, so what their tags say is remembered
_KEPT_BYTES = 2_000


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


class Tag(NamedTuple):
    """What one tag says, before addresses are made absolute."""

    name: str  # a (or area), link, base, meta, frame
    href: str  # or the content of a meta
    rel: str = ""  # lower case; of a meta its name
    type: str = ""  # of a link, lower case


def read_hrefs(body: bytes, url: str | None, content_type: str | None = None) -> Hrefs:
    """Return the links of the page found at `url`; takes time linear in its length and never raises."""
    losses: list[Loss] = []
    if len(body) > LIMITS.body_bytes:
        losses.append(Loss("bytes beyond the size limit", len(body) - LIMITS.body_bytes))
        body = body[: LIMITS.body_bytes]
    if b"\0" in body:
        body = decode(body, content_type).text.encode()
    tags, dropped, is_whole = find_tags(body)
    if not is_whole and not any(tag[1:2] in b"aA" for tag in tags) and (opened := reopen(body)):
        body = opened
        tags, dropped, _ = find_tags(body)
        losses.append(Loss("unclosed elements read as their content", 1))
    if dropped:
        losses.append(Loss("links beyond the limit", dropped))
    return _Reading(body, content_type, losses).finish(tags, absolute(url) if url else None)


@lru_cache(maxsize=16)
def _known_links(origin: str) -> dict[bytes, Href]:
    """Return what is remembered of the links of one host, for the caller to add to."""
    return {}


@dataclass(slots=True)
class _Reading:
    """One page while its tags are read."""

    body: bytes
    content_type: str | None
    losses: list[Loss]
    base: str | None = None
    encoding: str = ""
    bad: int = 0
    named: dict[str, Url] = field(default_factory=dict)
    feeds: dict[Url, None] = field(default_factory=dict)
    frames: dict[Url, None] = field(default_factory=dict)
    robots: set[str] = field(default_factory=set)

    def finish(self, raw: list[bytes], url: Url | None) -> Hrefs:
        """Read the tags, the base first, since it holds for those before it too."""
        bases = [self._parse(tag).href for tag in raw if tag[1:2] in b"bB"]
        self.base = absolute(next(filter(None, bases), ""), url) or url
        known = _known_links("/".join((self.base or "").split("/", 3)[:3]))
        links: list[Href] = []
        for tag in raw:
            link = known.get(tag)
            if link is None and (link := self._read(tag, known)) is None:
                continue
            links.append(link)
        if self.bad:
            self.losses.append(Loss("links without an absolute address", self.bad))
        return Hrefs(
            tuple(links),
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

    def _read(self, raw: bytes, known: dict[bytes, Href]) -> Href | None:
        """Return the link of a tag; None where it is none, and what it says is noted."""
        tag = self._parse(raw)
        if tag.name != "a":
            self._note(tag)
            return None
        if not tag.href:
            return None
        url = absolute(tag.href, self.base)
        if url is None:
            self.bad += 1
            return None
        rels = tag.rel.split()
        link = Href(url, "nofollow" in rels)
        for rel in ("next", "prev"):
            if rel in rels:
                self.named.setdefault(rel, url)
        if tag.href.startswith(("/", "http://", "https://")):  # the same on every page of the host
            _remember(known, raw, link, rels)
        return link

    def _parse(self, raw: bytes) -> Tag:
        if raw.isascii():
            return parse_tag(raw.decode("ascii"))
        self.encoding = self.encoding or decode(self.body, self.content_type).encoding
        return parse_tag(raw.decode(self.encoding, "replace"))

    def _note(self, tag: Tag) -> None:
        if tag.name == "meta":
            if tag.rel in _ROBOTS:
                self.robots |= directives(tag.href)
            elif tag.rel == "refresh" and (url := absolute(refresh_target(tag.href), self.base)):
                self.named.setdefault("refresh", url)
        elif tag.name == "frame" and len(self.frames) < LIMITS.page_feeds and (url := absolute(tag.href, self.base)):
            self.frames[url] = None
        elif tag.name == "link" and tag.rel and tag.href:
            self._note_link(tag)

    def _note_link(self, tag: Tag) -> None:
        rels = ["prev" if rel == "previous" else rel for rel in tag.rel.split()]
        is_feed = "alternate" in rels and tag.type in _FEED_TYPES and len(self.feeds) < LIMITS.page_feeds
        wanted = [rel for rel in ("canonical", "next", "prev") if rel in rels]
        if (is_feed or wanted) and (url := absolute(tag.href, self.base)):
            for rel in wanted:
                self.named.setdefault(rel, url)
            if is_feed:
                self.feeds[url] = None


def _remember(known: dict[bytes, Href], raw: bytes, link: Href, rels: list[str]) -> None:
    if len(raw) <= _KEPT_BYTES and raw.isascii() and "next" not in rels and "prev" not in rels:
        if len(known) >= _KEPT_LINKS:
            known.clear()
        known[raw] = link


def parse_tag(text: str) -> Tag:
    """Read what a tag says that may name an address."""
    said = read_attributes(text)
    name = text[1:3].lower()
    if name == "me":
        kind = said.get("name", "") or said.get("http-equiv", "")
        return Tag("meta", said.get("content", ""), kind.strip().lower())
    if name == "fr":
        return Tag("frame", said.get("src", "").strip())
    href, rel = said.get("href", "").strip(), said.get("rel", "").strip().lower()
    if name == "li":
        return Tag("link", href, rel, said.get("type", "").partition(";")[0].strip().lower())
    if name == "ba":
        return Tag("base", href)
    return Tag("a", "" if is_silent(href) else href, rel)


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
