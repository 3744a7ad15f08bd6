"""Read what a page says about itself without its tree: bytes come in, the `Metadata` of head and JSON-LD goes out.

The tags that say something are put into a small document of their own, which is read like that of a page. What only the
body shows (bylines, time elements, headings) is left to those who know where it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from selectolax.lexbor import LexborHTMLParser

from scythe.limits import LIMITS
from scythe.model import Metadata
from scythe.page.encoding import decode
from scythe.page.head import Head, read_head
from scythe.page.href_tags import find_tags
from scythe.page.jsonld import read_json_ld
from scythe.page.labels import declared_codec
from scythe.page.metadata import read_metadata
from scythe.page.microdata import Body
from scythe.page.plain_head import read_plain_head
from scythe.page.titles import without_site
from scythe.url import absolute

try:
    from stringzilla import find
except ImportError:  # pragma: no cover  (a platform without its wheel)
    find = bytes.find

_SCRIPTS = 20  # of JSON-LD on one page
_TAG_BYTES = 4_096  # of the opening tag of such a script, or of html
_START_BYTES = 4_096  # within which a page opens html
_HTML = re.compile(rb"<html[\t\n\f\r /][^>]*+>", re.I)
_TYPE = re.compile(rb"""itemtype\s?=\s?["']?([^"'\s>]{1,500})""", re.I)
_CLOSE = re.compile(rb"</script", re.I)
_SILENT = Body(LexborHTMLParser(b""), "")  # of a page whose tags show nothing


def read_said(body: bytes, url: str | None, tags: Sequence[bytes] | None = None) -> Metadata:
    """Return the metadata that head and JSON-LD give; `tags` are those of `find_links`, if they are known."""
    tags = find_tags(body) if tags is None else tags
    metas = [tag for tag in tags if tag[1:5].lower() != b"link" or b"canonical" in tag.lower()]
    source = b"".join([*_open(body), *metas, *_linked_data(body), *_item_types(body)])
    if not source.isascii():
        source = _as_utf8(source, body)
    head, shown = _read_plainly(source), _SILENT
    if head is None:
        tree = LexborHTMLParser(source)
        head, shown = read_head(tree), Body(tree, "")
    address = absolute(url) if url else None
    base = absolute(head.base, address) or address
    return read_metadata(head, read_json_ld(head.json_ld), shown, address, base)


def read_declared_title(body: bytes, url: str | None) -> str:
    """Return the title that a page declares, without the site's name where its head says which part that is."""
    said = read_said(body, url)
    if said.title:
        return said.title
    end = body.lower().find(b"<body")  # most pages say it: what follows is no title of theirs
    title = read_head(LexborHTMLParser(_as_utf8(body[:end] if end >= 0 else body, body))).title
    return without_site(title, (said.site_name, said.canonical or url or ""), "", _SILENT)


def _read_plainly(source: bytes) -> Head | None:
    try:
        return read_plain_head(source.decode())
    except UnicodeDecodeError:
        return None


def _open(body: bytes) -> Iterator[bytes]:
    found = _HTML.search(body, 0, _START_BYTES)
    if found is not None:
        yield found[0]


def _linked_data(body: bytes) -> Iterator[bytes]:
    at = 0
    for _ in range(_SCRIPTS):
        at = find(body, b"ld+json", at)
        if at < 0:
            return
        start = body.rfind(b"<", max(0, at - _TAG_BYTES), at)
        close = _CLOSE.search(body, at)
        end = close.start() if close is not None else len(body)
        if end - at > LIMITS.json_ld_bytes:
            return
        if body[start : start + 7].lower() == b"<script":
            yield body[start:end] + b"</script>"
        at = end


def _item_types(body: bytes) -> Iterator[bytes]:
    if find(body, b"itemtype", 0) >= 0:
        for name in dict.fromkeys(_TYPE.findall(body)[: LIMITS.metas]):
            yield b'<i itemtype="%b"></i>' % name


def _as_utf8(source: bytes, body: bytes) -> bytes:
    """Return the part of a page in UTF-8: it is that already, or what the page declares, or what all bytes show."""
    for codec in ("utf-8", declared_codec(body)):
        try:
            return source.decode(codec or "ascii").encode()
        except UnicodeDecodeError:
            continue
    return source.decode(decode(body).encoding, "replace").encode()
