"""Read the tags by which a page describes itself where they are written plainly: their source in, a `Head` or None out.

Most pages write `<meta name="a" content="b">` and nothing that a parser would have to think about. What is not so plain
that its meaning is beyond doubt gives None, and the caller asks the parser; a test holds that both say the same.
"""

from __future__ import annotations

import re
from html import unescape

from scythe.limits import LIMITS
from scythe.page.head import Head, read_meta, read_type

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
