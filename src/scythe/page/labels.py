"""Find the encoding a page is declared to have: header or first bytes in, Python codec name or None out."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

PRESCAN_BYTES = 16_384  # the standard demands 1024; pages with long scripts before <meta> are common
_HEADER_CHARSET = re.compile(r"""charset\s{0,9}=\s{0,9}["']?([^\s"';,>]{1,40})""", re.I)
_XML_ENCODING = re.compile(rb"""encoding\s{0,9}=\s{0,9}["']([A-Za-z0-9._:-]{1,40})["']""")
_TAG_NAME = re.compile(rb"</?[A-Za-z][^\t\n\f\r >]*+")
_BEFORE_NAME = re.compile(rb"[\t\n\f\r /]*+")
_NAME = re.compile(rb"=?[^\t\n\f\r />=]*+")
_SPACE = re.compile(rb"[\t\n\f\r ]*+")
_UNQUOTED = re.compile(rb"[^\t\n\f\r >]*+")
_CONTENT_LABEL = re.compile(rb"[^\t\n\f\r ;]*+")
_RAW = (b"<script", b"<style", b"<title", b"<textarea", b"<xmp")
_META_ENDS = (b"\t", b"\n", b"\f", b"\r", b" ", b"/")


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
    """Walk through the markup as the standard does (13.2.3.2) until a meta element names an encoding."""
    lowered = head.lower()
    at = head.find(b"<")
    while at >= 0:
        name = _TAG_NAME.match(head, at)
        if head.startswith(b"<!--", at):
            at = head.find(b"-->", at + 2)
        elif name is not None:
            is_meta = lowered.startswith(b"<meta", at) and head[at + 5 : at + 6] in _META_ENDS
            raw = lowered[at : name.end()]
            values, at = _read_attributes(lowered, at + 5 if is_meta else name.end())
            if is_meta and at >= 0 and (found := _meta_codec(values)):
                return found
            if raw in _RAW and at >= 0:
                # a "<meta" written by a script or shown in a title is not the page's own, though the standard takes it
                at = max(at, lowered.find(b"</" + raw[1:], at))
        elif head[at + 1 : at + 2] in (b"!", b"/", b"?"):
            at = head.find(b">", at)
        else:
            at += 1
        at = head.find(b"<", at) if at >= 0 else at
    return None


def _read_attributes(tag: bytes, at: int) -> tuple[dict[bytes, bytes], int]:
    """Return the attributes that begin at `at`, the first of each name, and where they end; -1 where they do not."""
    values: dict[bytes, bytes] = {}
    while True:
        at = _end_of(_BEFORE_NAME, tag, at)
        if tag[at : at + 1] in (b">", b""):
            return values, at if at < len(tag) else -1
        start, at = at, _end_of(_NAME, tag, at)
        name, at = tag[start:at], _end_of(_SPACE, tag, at)
        value = b""
        if tag[at : at + 1] == b"=":
            at = _end_of(_SPACE, tag, at + 1)
            quote = tag[at : at + 1]
            if quote in (b'"', b"'"):
                end = tag.find(quote, at + 1)
                if end < 0:
                    return values, -1
                value, at = tag[at + 1 : end], end + 1
            else:
                start, at = at, _end_of(_UNQUOTED, tag, at)
                value = tag[start:at]
        values.setdefault(name, value)


def _end_of(pattern: re.Pattern[bytes], tag: bytes, at: int) -> int:
    found = pattern.match(tag, at)
    return found.end() if found else at


def _meta_codec(values: dict[bytes, bytes]) -> str | None:
    label = values.get(b"charset")
    if label is None and values.get(b"http-equiv") == b"content-type":
        label = _content_label(values.get(b"content", b""))
    found = codec_of(label.decode("latin-1")) if label else None
    return _ascii_compatible(found) if found else None


def _content_label(content: bytes) -> bytes | None:
    """Return the label in the `content` of a meta element in lower case, as the standard finds it (4.2.5.4)."""
    at = content.find(b"charset")
    while at >= 0:
        at = _end_of(_SPACE, content, at + 7)
        if content[at : at + 1] == b"=":
            at = _end_of(_SPACE, content, at + 1)
            quote = content[at : at + 1]
            if quote in (b'"', b"'"):
                end = content.find(quote, at + 1)
                return content[at + 1 : end] if end >= 0 else None
            return content[at : _end_of(_CONTENT_LABEL, content, at)]
        at = content.find(b"charset", at)
    return None
