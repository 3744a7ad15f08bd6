"""Find the encoding a page is declared to have: header or first bytes in, Python codec name or None out."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

PRESCAN_BYTES = 16_384  # the standard demands 1024; pages with long scripts before <meta> are common
META_BYTES = 2_048  # of one <meta> tag
_HEADER_CHARSET = re.compile(r"""charset\s{0,9}=\s{0,9}["']?([^\s"';,>]{1,40})""", re.I)
_CONTENT_CHARSET = re.compile(
    rb"""charset[\t\n\f\r ]{0,9}=[\t\n\f\r ]{0,9}(?:"([^"]{1,40})"|'([^']{1,40})'|([^\t\n\f\r ;"']{1,40}))""", re.I
)
_XML_ENCODING = re.compile(rb"""encoding\s{0,9}=\s{0,9}["']([A-Za-z0-9._:-]{1,40})["']""")
_ATTRIBUTE = re.compile(
    rb"""[\t\n\f\r /]*([^\t\n\f\r />=]+)[\t\n\f\r ]*(?:=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r >]*)))?"""
)
_RAW = re.compile(rb"<(script|style|title|textarea|noscript|xmp)[\t\n\f\r />]", re.I)
_TAG_END = (b"\t", b"\n", b"\f", b"\r", b" ", b"/")


@cache
def _codecs_by_label() -> dict[str, str]:
    table = files("scythe.page").joinpath("tables/encodings.txt").read_text("ascii")
    rows = (line.partition(": ") for line in table.splitlines() if not line.startswith("#"))
    return {label: codec for codec, _, labels in rows for label in labels.split()}


def codec_of(label: str) -> str | None:
    """Return the Python codec for an encoding label of the web, or None for an unknown label."""
    return _codecs_by_label().get(label.strip("\t\n\f\r \"'").lower())


@cache
def web_codecs() -> frozenset[str]:
    """Return the Python codecs that a page may turn out to be in."""
    return frozenset(_codecs_by_label().values()) | {"iso2022_jp_2"}


def header_codec(content_type: str | None) -> str | None:
    """Return the codec a Content-Type header names."""
    match = _HEADER_CHARSET.search(content_type[:1000]) if content_type else None
    return codec_of(match[1]) if match else None


def declared_codec(body: bytes) -> str | None:
    """Return the codec the page's first bytes declare, as the HTML standard's prescan finds it."""
    head = body[:PRESCAN_BYTES]
    if head[:2] == b"<?":
        end = head.find(b"?>")
        match = _XML_ENCODING.search(head, 0, end if end >= 0 else 1024)
        found = codec_of(match[1].decode("ascii")) if match else None
        if found:
            return _ascii_compatible(found)
    return _scan_meta(head)


def _ascii_compatible(codec: str) -> str:
    # the declaration was readable as ASCII, so the page is not UTF-16 (HTML standard, 13.2.3.2)
    return "utf-8" if codec.startswith("utf-16") else codec


def _scan_meta(head: bytes) -> str | None:
    at = head.find(b"<")
    while at >= 0:
        start = head[at : at + 6].lower()
        if start.startswith(b"<!--"):
            end = head.find(b"-->", at + 2)
            if end < 0:
                return None
            at = end
        elif start.startswith(b"<meta") and start[5:] in _TAG_END:
            found = _meta_codec(head[at + 5 : at + 5 + META_BYTES])
            if found:
                return found
        elif raw := _RAW.match(head, at):
            # a "<meta" written by a script or shown in a title is not the page's own
            end = head.lower().find(b"</" + raw[1].lower(), at)
            at = end if end >= 0 else at
        at = head.find(b"<", at + 1)
    return None


def _meta_codec(tag: bytes) -> str | None:
    values: dict[bytes, bytes] = {}
    at = 0
    while (match := _ATTRIBUTE.match(tag, at)) and match.end() > at:
        values.setdefault(match[1].lower(), match[2] or match[3] or match[4] or b"")
        at = match.end()
        if tag[at : at + 1] == b">":
            break
    label = values.get(b"charset")
    if label is None and values.get(b"http-equiv", b"").lower() == b"content-type":
        inner = _CONTENT_CHARSET.search(values.get(b"content", b""))
        label = (inner[1] or inner[2] or inner[3]) if inner else None
    found = codec_of(label.decode("latin-1")) if label else None
    return _ascii_compatible(found) if found else None
