"""Collect what a page says about itself in one query of its tree: meta, link, title, base, JSON-LD, microdata, time."""

from __future__ import annotations

from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from scythe.limits import LIMITS

_QUERY = (
    'meta,link[rel],title,base[href],h1,script[type*="ld+json" i],time,[itemprop],[itemtype],a[rel~="author" i],[class*="byline" i],[class*="author" i]'
)


@dataclass(slots=True)
class Head:
    """The self-descriptions of one page, in page order."""

    language: str = ""
    base: str = ""
    title: str = ""
    headings: list[str] = field(default_factory=list)
    properties: list[tuple[str, str]] = field(default_factory=list)  # lower-case name, content as written
    links: list[tuple[str, str]] = field(default_factory=list)  # lower-case rel, href as written
    json_ld: list[str] = field(default_factory=list)
    microdata: list[LexborNode] = field(default_factory=list)
    types: list[str] = field(default_factory=list)  # itemtype as written
    times: list[LexborNode] = field(default_factory=list)
    authors: list[LexborNode] = field(default_factory=list)  # rel=author first is not guaranteed: page order


def read_head(tree: LexborHTMLParser) -> Head:
    """Read the self-descriptions of a page."""
    head = Head()
    root = tree.root
    if root is not None and root.tag == "html":
        attributes = root.attributes
        head.language = attributes.get("lang") or attributes.get("xml:lang") or ""
    for node in tree.css(_QUERY):
        tag = node.tag
        attributes = node.attributes
        if tag == "meta":
            _read_meta(head, attributes)
        elif tag == "link":
            head.links.append(((attributes.get("rel") or "").lower(), attributes.get("href") or ""))
        elif tag == "script":
            head.json_ld.append(node.text(deep=True))
        elif tag == "title":
            if not head.title and (node.parent is None or node.parent.tag != "svg"):
                head.title = squeeze(node.text(deep=True))
        elif tag == "base":
            head.base = head.base or attributes.get("href") or ""
        else:
            _read_body(head, node, tag or "", attributes)
    return head


def squeeze(text: str, limit: int = 2_000) -> str:
    """Return text on one line, cut at `limit` characters."""
    return " ".join(text[: limit * 4].split())[:limit]


def _read_meta(head: Head, attributes: dict[str, str | None]) -> None:
    content = attributes.get("content")
    if not content or len(head.properties) >= LIMITS.metas:
        return
    for key in ("property", "name", "itemprop", "http-equiv"):
        name = attributes.get(key)
        if name:
            head.properties.append((name.strip().lower(), content))


def _read_body(head: Head, node: LexborNode, tag: str, attributes: dict[str, str | None]) -> None:
    if tag == "h1":
        if len(head.headings) < 10:
            head.headings.append(squeeze(node.text(deep=True)))
    elif tag == "time":
        if len(head.times) < 20:
            head.times.append(node)
    itemtype = attributes.get("itemtype")
    if itemtype and len(head.types) < 100:
        head.types.append(itemtype)
    if attributes.get("itemprop") and len(head.microdata) < LIMITS.metas:
        head.microdata.append(node)
    if len(head.authors) < 20:
        head.authors.append(node)
