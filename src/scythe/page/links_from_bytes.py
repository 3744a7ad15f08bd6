"""Find the links and crawler directives of a page in its bytes, without parsing it.

This is the hyperlink step of UzunExt (paper 000) with the tokenizer of the HTML standard instead of the paper's regular
expression, which finds links in comments and scripts and misses `href` as a second attribute. Without the compiled
extension the page is parsed for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape
from typing import NamedTuple

from scythe.extension import native
from scythe.limits import LIMITS
from scythe.model import Loss
from scythe.page.encoding import decode
from scythe.page.page import is_silent, reopen
from scythe.page.tag_attributes import read_attributes, resolve_references
from scythe.page.tree_map import TreeMap
from scythe.url import Url, absolute

_LINKING = frozenset({"a", "area"})
_WANTED = frozenset({"base", "link", "meta", "frame"})


class Written(NamedTuple):
    """What a page writes where it names addresses, in page order."""

    links: list[bytes | tuple[bytes, bytes]]  # href of a and area, with rel where there is one; never empty
    tags: list[bytes]  # base, link, meta and frame
    dropped: int  # how many more there were than the limits allow
    is_whole: bool  # False where the page ends inside a tag, a comment or a script


def find_links(body: bytes) -> Written:
    """Find what names addresses in a body without NUL, within `LIMITS`."""
    bounds = LIMITS.page_links, LIMITS.metas, LIMITS.tag_bytes
    return Written(*native.find_links(body, *bounds)) if native is not None else find_by_tree(body, *bounds)


def find_by_tree(body: bytes, most_links: int, most_tags: int, most_bytes: int) -> Written:
    """Do what the extension does by the parsed page, whose tags are written anew."""
    links: list[bytes | tuple[bytes, bytes]] = []
    tags: list[bytes] = []
    dropped = 0
    page = TreeMap.parse(body + _END)
    for node in page.find(*_LINKING, *_WANTED):
        attributes = node.attributes
        said = "".join(f' {name}="{escape(value or "")}"' for name, value in attributes.items())
        tag, is_link = f"<{node.tag}{said}>".encode(), node.tag in _LINKING
        if len(tag) > most_bytes or (len(links) >= most_links if is_link else len(tags) >= most_tags):
            dropped += 1
        elif not is_link:
            tags.append(tag)
        elif href := attributes.get("href"):
            written, rel = escape(href).encode(), escape(attributes.get("rel") or "").encode()
            links.append((written, rel) if rel else written)
    is_whole = bool(page.having(_MARK)) or b"<frameset" in body.lower()
    return Written(links, tags, dropped, is_whole)


_MARK = "data-scythe-end"
_END = (
    f"<template {_MARK}></template>".encode()
)  # behind a page: it is an element unless the page ends inside something


_FEED_TYPES = ("application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml")
_FIXED = ("/", "http://", "https://")
_ROBOTS = frozenset({"robots", "scythe"})
_KEPT_LINKS = 8_192  # of one host or folder: menus stand on every page, so where they lead is remembered
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


def read_hrefs(body: bytes, url: str | None, content_type: str | None = None) -> Hrefs:
    """Return the links of the page found at `url`; takes time linear in its length and never raises."""
    losses: list[Loss] = []
    if len(body) > LIMITS.body_bytes:
        losses.append(Loss("bytes beyond the size limit", len(body) - LIMITS.body_bytes))
        body = body[: LIMITS.body_bytes]
    if b"\0" in body:
        body = decode(body, content_type).text.encode()
    written = find_links(body)
    if not written.is_whole and not written.links and (opened := reopen(body)):
        body, written = opened, find_links(opened)
        losses.append(Loss("unclosed elements read as their content", 1))
    if written.dropped:
        losses.append(Loss("links beyond the limit", written.dropped))
    return _Reading(body, content_type, losses).finish(written, absolute(url) if url else None)


@lru_cache(maxsize=64)
def _known_links(place: str) -> dict[bytes, Href | None]:
    """Return what is remembered of the links of one host, or one folder, for the caller to add to.

    None stands for what leads to no page; a link without address for one that should and cannot.
    """
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

    def finish(self, written: Written, url: Url | None) -> Hrefs:
        """Make addresses absolute, by the base of the page first of all, since it holds for what is before it too."""
        bases = (self._attributes(tag).get("href", "").strip() for tag in written.tags if tag[1:2] in b"bB")
        self.base = absolute(next(filter(None, bases), ""), url) or url
        for tag in written.tags:
            self._note(tag)
        links = self._read_links(written.links)
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

    def _read_links(self, written: list[bytes | tuple[bytes, bytes]]) -> tuple[Href, ...]:
        place = (self.base or "").partition("?")[0].partition("#")[0].split("/")
        known, here = _known_links("/".join(place[:3])), _known_links("/".join([*place[:3], *place[3:-1], ""]))
        links: list[Href] = []
        for href in written:
            rel = b""
            if isinstance(href, tuple):
                href, rel = href
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

    def _read_link(self, raw: bytes, known: dict[bytes, Href | None], here: dict[bytes, Href | None]) -> Href | None:
        """Read where a link leads and remember it, if it is the same on every page of the host or folder."""
        href = resolve_references(self._decode(raw)).strip()
        link = None if is_silent(href) else Href(absolute(href, self.base) or Url(""))
        if len(raw) <= _KEPT_BYTES and raw.isascii() and not href.startswith("?"):
            place = known if href.startswith(_FIXED) or link is None else here
            if len(place) >= _KEPT_LINKS:
                place.clear()
            place[raw] = link
        return link

    def _relate(self, link: Href, raw: bytes) -> Href:
        rels = resolve_references(self._decode(raw)).lower().split()
        for rel in ("next", "prev"):
            if rel in rels:
                self.named.setdefault(rel, link.url)
        return Href(link.url, True) if "nofollow" in rels else link

    def _decode(self, raw: bytes) -> str:
        if raw.isascii():
            return raw.decode("ascii")
        self.encoding = self.encoding or decode(self.body, self.content_type).encoding
        return raw.decode(self.encoding, "replace")

    def _attributes(self, tag: bytes) -> Mapping[str, str]:
        try:
            return read_attributes(tag.decode())  # what is not ASCII is a title, mostly
        except UnicodeDecodeError:
            return read_attributes(self._decode(tag))

    def _note(self, tag: bytes) -> None:
        """Take note of what a tag other than a link says. Most say nothing that matters here."""
        lower = tag.lower()
        if lower.startswith(b"<link"):
            if b"canonical" in lower or b"alternate" in lower or b"prev" in lower or b"next" in lower:
                self._note_relation(self._attributes(tag))
        elif lower.startswith(b"<meta"):
            if b"robots" in lower or b"refresh" in lower or b"scythe" in lower:
                self._note_meta(self._attributes(tag))
        elif lower.startswith(b"<frame") and len(self.frames) < LIMITS.page_feeds:
            url = absolute(self._attributes(tag).get("src", ""), self.base)
            if url is not None:
                self.frames[url] = None

    def _note_meta(self, said: Mapping[str, str]) -> None:
        name = (said.get("name", "") or said.get("http-equiv", "")).strip().lower()
        content = said.get("content", "")
        if name in _ROBOTS:
            self.robots |= directives(content)
        elif name == "refresh" and (url := absolute(refresh_target(content), self.base)):
            self.named.setdefault("refresh", url)

    def _note_relation(self, said: Mapping[str, str]) -> None:
        rels = ["prev" if rel == "previous" else rel for rel in said.get("rel", "").lower().split()]
        wanted = [rel for rel in ("canonical", "next", "prev") if rel in rels]
        kind = said.get("type", "").partition(";")[0].strip().lower()
        is_feed = "alternate" in rels and kind in _FEED_TYPES and len(self.feeds) < LIMITS.page_feeds
        if (is_feed or wanted) and (url := absolute(said.get("href", ""), self.base)):
            for rel in wanted:
                self.named.setdefault(rel, url)
            if is_feed:
                self.feeds[url] = None


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
