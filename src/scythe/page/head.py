"""Collect what a page says about itself in one query of its tree: meta, link, title, base, JSON-LD, item types."""

from __future__ import annotations

from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser

from scythe.limits import LIMITS

_QUERY = 'meta,link[rel],title,base[href],script[type*="ld+json" i],[itemtype]'


@dataclass(slots=True)
class Head:
    """The self-descriptions of one page, in page order."""

    language: str = ""
    base: str = ""
    title: str = ""
    properties: list[tuple[str, str]] = field(default_factory=list)  # lower-case name, content as written
    links: list[tuple[str, str]] = field(default_factory=list)  # lower-case rel, href as written
    json_ld: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)  # of microdata, lower case, without their address


def read_head(tree: LexborHTMLParser) -> Head:
    """Read the self-descriptions of a page, wherever in the page a broken head left them."""
    head = Head()
    root = tree.root
    if root is not None:
        attributes = root.attributes
        head.language = attributes.get("lang") or attributes.get("xml:lang") or ""
    for node in tree.css(_QUERY):
        tag = node.tag
        if tag == "meta":
            read_meta(head, node.attributes)
        elif tag == "link":
            attributes = node.attributes
            if len(head.links) < LIMITS.metas:
                head.links.append(((attributes.get("rel") or "").lower(), attributes.get("href") or ""))
        elif tag == "script":
            head.json_ld.append(node.text(deep=True))
        elif tag == "title":
            if not head.title and (node.parent is None or node.parent.tag != "svg"):
                head.title = squeeze(node.text(deep=True))
        elif tag == "base":
            head.base = head.base or node.attributes.get("href") or ""
        else:
            read_type(head, node.attributes.get("itemtype") or "")
    return head


def squeeze(text: str, limit: int = 2_000) -> str:
    """Return text on one line, cut at `limit` characters."""
    return " ".join(text[: limit * 4].split())[:limit]


def read_type(head: Head, address: str) -> None:
    """Take note of the type of an item."""
    name = address[:500].rstrip("/ ").rpartition("/")[2].lower()[:100]
    if name and name not in head.types and len(head.types) < 50:
        head.types.append(name)


def read_meta(head: Head, attributes: dict[str, str | None]) -> None:
    """Take note of what a meta tag says."""
    content = attributes.get("content")
    if not content or len(head.properties) >= LIMITS.metas:
        return
    for key in ("property", "name", "itemprop", "http-equiv"):
        name = attributes.get(key)
        if name:
            head.properties.append((name.strip().lower(), content))
