"""Find the links of a page in its bytes: a body comes in, links and what the page says to crawlers go out.

This is the hyperlink step of UzunExt (paper 000), a string search without a tree. Its expression `<a.href.(.*?).>`
wants `href` to be the first attribute, takes comments and scripts for links and every other attribute for the address.
Here the tokenizer of the HTML standard says what is a tag, so that the links are those of the tree (page/links.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from scythe.limits import LIMITS
from scythe.model import Loss
from scythe.page.encoding import decode
from scythe.page.links import is_silent
from scythe.page.tag_attributes import read_attributes
from scythe.page.tokens import START, Token, comment_close, content_close
from scythe.url import Url, absolute

_NAME = re.compile(rb"</?([A-Za-z][^\t\n\f\r />]*+)")
# the rest of a tag: HTML standard, 13.2.5.32 to 13.2.5.40; a quote that nothing closes runs to the end of the page
_REST = re.compile(
    rb"(?:[\t\n\f\r /]++|[^\t\n\f\r />][^\t\n\f\r />=]*+"
    rb"""(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+"""
    rb"""(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^\t\n\f\r >"'][^\t\n\f\r >]*+|(?=>)|\Z))?+)*+>"""
)
_WANTED = frozenset({b"a", b"area", b"base", b"link", b"meta", b"frame"})
_RAW = frozenset({b"script", b"style", b"textarea", b"title", b"xmp", b"iframe", b"noembed", b"noframes"})
_FOREIGN = frozenset({b"svg", b"math"})
_FEED_TYPES = ("application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml")
_ROBOTS = frozenset({"robots", "scythe"})
_KEPT_TAGS = 8_192  # menus stand on every page of a site: what their tags say is remembered
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

    name: str
    href: str
    rel: str = ""  # lower case
    said: str = ""  # type of a link; name and content of a meta, lower case, joined by a blank


def read_hrefs(body: bytes, base: str | None, content_type: str | None = None) -> Hrefs:
    """Return the links of a page at `base`; takes time linear in its length and never raises."""
    losses: list[Loss] = []
    if len(body) > LIMITS.body_bytes:
        losses.append(Loss("bytes beyond the size limit", len(body) - LIMITS.body_bytes))
        body = body[: LIMITS.body_bytes]
    if b"\0" in body:
        body = decode(body, content_type).text.encode()
    tags, dropped = find_tags(body)
    if dropped:
        losses.append(Loss("links beyond the limit", dropped))
    return _Sheet(body, content_type).read(tags, base, losses)


def find_tags(body: bytes) -> tuple[list[bytes], int]:
    """Return the tags of a page that name addresses, and how many more there were than `LIMITS.page_links`."""
    tags: list[bytes] = []
    dropped = 0
    for tag in _walk(body):
        if len(tag) > LIMITS.tag_bytes or len(tags) >= LIMITS.page_links:
            dropped += 1
        else:
            tags.append(tag)
    return tags, dropped


def _walk(body: bytes) -> Iterator[bytes]:
    at, size = 0, len(body)
    templates = foreign = 0
    while (at := body.find(b"<", at)) >= 0:
        opening = _NAME.match(body, at)
        if opening is None:
            at = _behind_other(body, at)
            if at < 0:
                return
            continue
        rest = _REST.match(body, opening.end())
        if rest is None:
            return  # the page ends inside the tag
        start, at = at, rest.end()
        name = opening[1].lower()
        if body[start + 1] == 0x2F:
            templates -= name == b"template" and templates > 0
            foreign -= name in _FOREIGN and foreign > 0
        elif name in _WANTED:
            if not templates:
                yield body[start:at]
        elif name in _RAW:
            if foreign and body[at - 2] == 0x2F:
                continue
            at = content_close(body, Token(START, start, at, name), size)
            if at < 0:
                return
        elif name == b"template":
            templates += not foreign
        elif name in _FOREIGN:
            foreign += body[at - 2] != 0x2F
        elif name == b"plaintext":
            return


def _behind_other(body: bytes, at: int) -> int:
    """Return the offset behind a comment, a declaration or a `<` that is text, or -1 where the page ends before."""
    after = body[at + 1 : at + 2]
    if body.startswith(b"<!--", at):
        return comment_close(body, at, len(body))
    if after in (b"!", b"?", b"/") and after:
        return body.find(b">", at + 2) + 1 or -1
    return at + 1


class _Sheet:
    """The tags of one page, read one by one."""

    kept: dict[bytes, Tag] = {}  # noqa: RUF012  (shared by all pages on purpose: they repeat their menus)

    def __init__(self, body: bytes, content_type: str | None) -> None:
        self._body = body
        self._content_type = content_type
        self._encoding = ""

    def read(self, tags: list[bytes], base: str | None, losses: list[Loss]) -> Hrefs:
        read = [self.kept.get(tag) or self._read_tag(tag) for tag in tags]
        base = absolute(base) if base else None
        own = next((tag.href for tag in read if tag.name == "base" and tag.href), "")
        base = absolute(own, base) or base
        links: list[Href] = []
        bad = 0
        for tag in read:
            if tag.name == "a" and tag.href:
                url = absolute(tag.href, base)
                if url is None:
                    bad += 1
                else:
                    links.append(Href(url, "nofollow" in tag.rel.split() if tag.rel else False))
        if bad:
            losses.append(Loss("links without an absolute address", bad))
        return _finish(read, links, base, losses)

    def _read_tag(self, raw: bytes) -> Tag:
        tag = parse_tag(self._decode(raw))
        if raw.isascii() and len(raw) <= _KEPT_BYTES:
            if len(self.kept) >= _KEPT_TAGS:
                self.kept.clear()
            self.kept[raw] = tag
        return tag

    def _decode(self, raw: bytes) -> str:
        if raw.isascii():
            return raw.decode("ascii")
        self._encoding = self._encoding or decode(self._body, self._content_type).encoding
        return raw.decode(self._encoding, "replace")


def parse_tag(text: str) -> Tag:
    """Read what one tag of an address says."""
    said = read_attributes(text)
    name = text[1:5].lower()
    if name == "fram":
        return Tag("frame", said.get("src", "").strip())
    href = said.get("href", "").strip()
    rel = said.get("rel", "").strip().lower()
    if name == "meta":
        kind = said.get("name", "") or said.get("http-equiv", "")
        return Tag("meta", said.get("content", ""), kind.strip().lower())
    if name in ("link", "base"):
        return Tag(name, href, rel, said.get("type", "").partition(";")[0].strip().lower())
    return Tag("a", "" if is_silent(href) else href, rel)


def _finish(tags: list[Tag], links: list[Href], base: str | None, losses: list[Loss]) -> Hrefs:
    named: dict[str, Url] = {}
    feeds: dict[Url, None] = {}
    frames: dict[Url, None] = {}
    robots: set[str] = set()
    for tag in tags:
        if tag.name == "link" and tag.href:
            _read_link(tag, base, named, feeds)
        elif tag.name == "a" and tag.rel:
            for rel in ("next", "prev"):
                if rel in tag.rel.split() and (url := absolute(tag.href, base)):
                    named.setdefault(rel, url)
        elif tag.name == "frame" and len(frames) < LIMITS.page_feeds and (url := absolute(tag.href, base)):
            frames[url] = None
        elif tag.name == "meta":
            if tag.rel in _ROBOTS:
                robots |= directives(tag.href)
            elif tag.rel == "refresh" and (target := refresh_target(tag.href)) and (url := absolute(target, base)):
                named.setdefault("refresh", url)
    return Hrefs(
        tuple(links),
        base,
        named.get("canonical"),
        named.get("next"),
        named.get("prev"),
        named.get("refresh"),
        tuple(feeds),
        tuple(frames),
        "noindex" in robots,
        "nofollow" in robots,
        tuple(losses),
    )


def _read_link(tag: Tag, base: str | None, named: dict[str, Url], feeds: dict[Url, None]) -> None:
    rels = tag.rel.split()
    is_feed = "alternate" in rels and tag.said in _FEED_TYPES
    wanted = [rel for rel in ("canonical", "next", "prev") if rel in rels and rel not in named]
    if "previous" in rels and "prev" not in named:
        wanted.append("prev")
    if (is_feed or wanted) and (url := absolute(tag.href, base)):
        named.update(dict.fromkeys(wanted, url))
        if is_feed and len(feeds) < LIMITS.page_feeds:
            feeds[url] = None


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
