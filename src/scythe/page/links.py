"""List the links of a page: its tree and base address in, links with absolute addresses and a count of bad ones out."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser

from scythe.model import Link
from scythe.page.head import squeeze
from scythe.url import absolute

_SILENT = ("#", "javascript:", "mailto:", "tel:", "data:", "about:", "sms:", "whatsapp:", "blob:", "callto:", "skype:")


def read_links(tree: LexborHTMLParser, base: str | None) -> tuple[tuple[Link, ...], int]:
    """Return the page's http(s) links in page order, and how many addresses could not be understood."""
    links: list[Link] = []
    bad = 0
    for node in tree.css("a[href],area[href]"):
        attributes = node.attributes
        href = (attributes.get("href") or "").strip()
        if is_silent(href):
            continue
        url = absolute(href, base)
        if url is None:
            bad += 1
            continue
        text = squeeze(node.text(deep=True)) or squeeze(
            attributes.get("aria-label") or attributes.get("title") or attributes.get("alt") or ""
        )
        links.append(Link(url, text, (attributes.get("rel") or "").strip().lower()))
    return tuple(links), bad


def is_silent(href: str) -> bool:
    """Say whether an address is none that could be fetched, and is not meant to be."""
    return not href or href[:12].lower().startswith(_SILENT)
