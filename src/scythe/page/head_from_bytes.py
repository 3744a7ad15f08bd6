"""Read the metadata of a page from its bytes, without parsing the whole page.

Plainly written tags are read directly; anything doubtful is put into a small document and parsed. What only the body
shows (bylines, time elements, headings) is not read here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import unescape

from scythe.limits import LIMITS
from scythe.model import Metadata
from scythe.page.encoding import part_in_utf8
from scythe.page.head import BodyQueries, Head, read_head, read_json_ld, read_meta, read_type
from scythe.page.links_from_bytes import find_tags
from scythe.page.metadata import read_metadata
from scythe.page.page import make_map
from scythe.page.title import without_site
from scythe.url import absolute

_REFERENCE = r"&(?:amp|quot|lt|gt|apos|nbsp|#0?(?:3[2-9]|[4-9]\d)|#(?:1[6-9]\d|2[0-4]\d)|#8\d{3});"
_DOUBLE = rf'"((?:[^"&]++|{_REFERENCE})*+)"'
_SINGLE = rf"'((?:[^'&]++|{_REFERENCE})*+)'"
_BARE = r"([A-Za-z0-9_.,:;+-]++)(?=[\t\n\f >])"
_ATTRIBUTE = re.compile(rf"[\t\n\f ]++([a-z][a-z0-9:_.-]*+)(?:=(?:{_DOUBLE}|{_SINGLE}|{_BARE}))?+(?=[\t\n\f />])")
_META = re.compile(r'<meta (?:name|property)="([^"&]*+)" content="([^"&]*+)"[\t\n\f ]*+/?>')  # most of all
_OPENING = re.compile(r"<([a-z]++)")
_END = re.compile(r"[\t\n\f ]*+/?>")
_SCRIPT_END = "</script>"
_ITEM_END = "</i>"
_AUTHORS = ("author", "byline")  # in a class: the parser would read what the element holds as a name

Attributes = dict[str, str | None]


def read_plain_head(source: str) -> Head | None:
    """Return what the tags of a page say, in page order; None where only a parser can tell.

    `source` has one opening tag after the other, and scripts and items with their closing tags.
    """
    if "\r" in source or "\x00" in source or "<!--" in source:
        return None
    head = Head()
    at, size = 0, len(source)
    while at < size:
        if (meta := _META.match(source, at)) is not None:
            name, content = meta.groups()
            if name and content and len(head.properties) < LIMITS.metas:
                head.properties.append((name.strip().lower(), content))
            at = meta.end()
            continue
        opening = _OPENING.match(source, at)
        found = _read_attributes(source, opening.end()) if opening is not None else None
        if opening is None or found is None:
            return None
        attributes, at = found
        name = opening[1]
        if name == "script":
            end = source.find(_SCRIPT_END, at)
            if end < 0 or not _read_script(head, attributes, source[at:end]):
                return None
            at = end + len(_SCRIPT_END)
        elif name == "i" and source.startswith(_ITEM_END, at):
            read_type(head, attributes.get("itemtype") or "")
            at += len(_ITEM_END)
        elif (name == "html" and opening.start()) or not _read_tag(head, name, attributes):
            return None
    return head


def _read_attributes(source: str, at: int) -> tuple[Attributes, int] | None:
    """Return the attributes of a tag, the first of equal names, and where it ends."""
    attributes: Attributes = {}
    while (match := _ATTRIBUTE.match(source, at)) is not None:
        name, double, single, bare = match.groups()
        value = double or single or bare or ""
        attributes.setdefault(name, unescape(value) if "&" in value else value)
        at = match.end()
    end = _END.match(source, at)
    return (attributes, end.end()) if end is not None and len(attributes) <= LIMITS.tag_attributes else None


def _read_tag(head: Head, name: str, attributes: Attributes) -> bool:
    """Take note of a tag without content; say whether it is one that can be told here."""
    if "itemtype" in attributes and name != "html":
        return False
    if name == "meta":
        read_meta(head, attributes)
    elif name == "link":
        if "rel" in attributes and len(head.links) < LIMITS.metas:
            head.links.append(((attributes["rel"] or "").lower(), attributes.get("href") or ""))
    elif name == "base":
        head.base = head.base or attributes.get("href") or ""
    elif name == "html":
        if _may_name_author(attributes):
            return False
        head.language = attributes.get("lang") or attributes.get("xml:lang") or ""
        if "itemtype" in attributes:
            read_type(head, attributes["itemtype"] or "")
    else:
        return False
    return True


def _read_script(head: Head, attributes: Attributes, text: str) -> bool:
    if "itemtype" in attributes or _may_name_author(attributes) or "</script" in text.lower():
        return False
    if "ld+json" in (attributes.get("type") or "").lower():
        head.json_ld.append(text)
    return True


def _may_name_author(attributes: Attributes) -> bool:
    named = (attributes.get("class") or "") + (attributes.get("itemprop") or "")
    return any(word in named.lower() for word in _AUTHORS)


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


def read_said(body: bytes, url: str | None, tags: Sequence[bytes] | None = None) -> Metadata:
    """Return the metadata that head and JSON-LD give; `tags` are those of `find_links`, if they are known."""
    tags = find_tags(body) if tags is None else tags
    metas = [tag for tag in tags if tag[1:5].lower() != b"link" or b"canonical" in tag.lower()]
    source = b"".join([*_open(body), *metas, *_linked_data(body), *_item_types(body)])
    if not source.isascii():
        source = part_in_utf8(source, body)
    head, shown = _read_plainly(source), BodyQueries(None)
    if head is None:
        tags_alone = make_map(source)
        head, shown = read_head(tags_alone), BodyQueries(tags_alone)
    address = absolute(url) if url else None
    base = absolute(head.base, address) or address
    return read_metadata(head, read_json_ld(head.json_ld), shown, address, base)


def read_declared_title(body: bytes, url: str | None) -> str:
    """Return the title that a page declares, without the site's name where its head says which part that is."""
    said = read_said(body, url)
    if said.title:
        return said.title
    end = body.lower().find(b"<body")  # most pages say it: what follows is no title of theirs
    title = read_head(make_map(part_in_utf8(body[:end] if end >= 0 else body, body))).title
    return without_site(title, (said.site_name, said.canonical or url or ""), "", BodyQueries(None))


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
    names: dict[bytes, None] = {}
    at = find(body, b"itemtype", 0)
    while at >= 0 and len(names) < LIMITS.metas:
        if (found := _TYPE.match(body, at)) is not None:
            names[found[1]] = None
        at = find(body, b"itemtype", at + 1)
    for name in names:
        yield b'<i itemtype="%b"></i>' % name
