"""Decide the encoding of a page and decode its bytes to text.

The order is that of the HTML standard (byte order mark, header, declaration), but each is only believed as far as the
bytes agree: valid UTF-8 is UTF-8 whatever the page says, and a declared codec must fit about as well as others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache

from scythe.extension import native
from scythe.limits import LIMITS
from scythe.model import Loss
from scythe.package_files import packaged_words

UTF8 = frozenset({"utf-8", "ascii", "us-ascii"})  # codecs whose bytes are UTF-8
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
    table = packaged_words("scythe.page", "tables/encodings.txt")
    return {label: codec for codec, labels in table.items() for label in labels}


def codec_of(label: str) -> str | None:
    """Return the Python codec for an encoding label of the web, or None for an unknown label."""
    return _codecs_by_label().get(label.strip("\t\n\f\r \"'").lower())


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


_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_SURROGATES = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
_LANGUAGE = re.compile(rb"""<html[^>]{0,500}?\slang\s{0,3}=\s{0,3}["']?([a-zA-Z]{2,3})""", re.I)
_KOREAN = b"\x1b$)C"  # RFC 1557
_ESCAPES = (b"\x1b$B", b"\x1b$@", b"\x1b(J", _KOREAN, b"\x1b$(D")
_OUTSIDE_ASCII = re.compile(r"[^\x00-\x7f]+")
_FEW_ERRORS = 0.1  # share of characters outside ASCII that may be broken in a page that is UTF-8 all the same


@dataclass(frozen=True, slots=True)
class Decoded:
    """A page as text without NUL and lone surrogates, the codec that read it, and what did not survive."""

    text: str
    encoding: str
    losses: tuple[Loss, ...] = ()
    source: bytes | None = None  # the text in UTF-8, where it was at hand
    mark_bytes: int = 0  # of a byte order mark, which stands before the text


def decode(body: bytes, content_type: str | None = None) -> Decoded:
    """Decode a page by the best supported of its byte order mark, header, declaration and byte statistics."""
    losses: list[Loss] = []
    if len(body) > LIMITS.body_bytes:
        losses.append(Loss("bytes beyond the size limit", len(body) - LIMITS.body_bytes))
        body = _cut_at_character(body)
    for mark, codec in _BOMS:
        if body.startswith(mark):
            return replace(_decode_marked(body[len(mark) :], codec, content_type, losses), mark_bytes=len(mark))
    return _decode_unmarked(body, content_type, losses)


def _decode_marked(body: bytes, codec: str, content_type: str | None, losses: list[Loss]) -> Decoded:
    # markup in UTF-16 has NUL in every other byte; without it the mark lies
    if codec != "utf-8" and (_wide_codec(body) == codec or (b"</" not in body and _fits(body, codec))):
        return _finish(body, codec, losses)
    return _decode_unmarked(body, content_type, losses)


def _decode_unmarked(body: bytes, content_type: str | None, losses: list[Loss]) -> Decoded:
    has_nul = b"\x00" in body
    if has_nul and (wide := _wide_codec(body)):
        return _finish(body, wide, losses)
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return _finish(body, _choose(body, content_type), losses)
    if b"\x1b" in body and any(escape in body for escape in _ESCAPES):
        return _finish(body, _escape_codec(body), losses)
    return _without_nul(text, "utf-8", losses) if has_nul else Decoded(text, "utf-8", tuple(losses), body)


def is_clean_utf8(body: bytes) -> bool:
    """Say whether `decode` would read a page as UTF-8 and lose nothing, so that its bytes are its text."""
    if native is None or len(body) > LIMITS.body_bytes or b"\x00" in body or b"\x1b" in body:
        return False
    return not body.startswith(_BOMS[0][0]) and bool(native.is_utf8(body))


def in_utf8(body: bytes, content_type: str) -> bytes:
    """Return a page in UTF-8 where only its header says what it is in, which those who learn and cut do not see."""
    declared = content_type.lower().partition("charset=")[2].strip("\"' ;")
    if declared in ("", "utf-8", "utf8") or b"charset" in body[:2048].lower():
        return body
    return decode(body, content_type).text.encode()


def is_utf8(part: bytes) -> bool:
    """Say whether bytes are valid UTF-8."""
    if native is not None:
        return bool(native.is_utf8(part))
    try:
        part.decode()
    except UnicodeDecodeError:
        return False
    return True


def clean(text: str, losses: list[Loss]) -> Decoded:
    """Free text of NUL characters (dropped, as browsers do) and lone surrogates (replaced), counting both."""
    try:
        source = text.encode()
    except UnicodeEncodeError:
        before, text = text.count("\ufffd"), text.translate(_SURROGATES)
        losses.append(Loss("lone surrogates", text.count("\ufffd") - before))
        return _without_nul(text, "utf-8", losses)
    # bytes are searched ten times as fast as text of two bytes a character
    return _without_nul(text, "utf-8", losses) if b"\x00" in source else Decoded(text, "utf-8", tuple(losses), source)


def _without_nul(text: str, encoding: str, losses: list[Loss]) -> Decoded:
    if "\x00" in text:
        losses.append(Loss("NUL characters", text.count("\x00")))
        text = text.replace("\x00", "")
    return Decoded(text, encoding, tuple(losses))


def _finish(body: bytes, codec: str, losses: list[Loss]) -> Decoded:
    text = body.decode(codec, "replace")
    if bad := text.count("\ufffd"):
        losses.append(Loss("undecodable bytes", bad))
    return _without_nul(text, codec, losses)


def _cut_at_character(body: bytes) -> bytes:
    end = LIMITS.body_bytes
    while end > LIMITS.body_bytes - 4 and body[end] & 0xC0 == 0x80:
        end -= 1  # not inside a UTF-8 character
    return body[:end]


def _wide_codec(body: bytes) -> str | None:
    """Return the UTF-16 codec of a page without byte order mark: its markup has NUL in every other byte."""
    start = body[:4096]
    even, odd = start[0::2].count(0), start[1::2].count(0)
    half = len(start) // 2
    if max(even, odd) < 0.3 * half or min(even, odd) > 0.05 * half:
        return None
    return "utf-16-be" if even > odd else "utf-16-le"


def _escape_codec(body: bytes) -> str:
    # the Japanese codec takes what begins a Korean text, and then reads its letters as ASCII
    codec = "iso2022_kr" if _KOREAN in body else "iso2022_jp_2"
    try:
        body.decode(codec)
    except UnicodeDecodeError:
        return "utf-8"
    return codec


def _choose(body: bytes, content_type: str | None) -> str:
    """Return the codec of bytes that are not valid UTF-8."""
    # brings numpy, which most pages need later but `--help` never does
    from scythe.page.encoding_guess import EncodingHints, detect, without_plain

    if _fits(without_plain(body), "utf-8"):
        return "utf-8"
    named = (header_codec(content_type), declared_codec(body))
    language = _LANGUAGE.search(body[:4096])
    hints = EncodingHints(
        tuple(codec for codec in named if codec and codec != "utf-8"),
        language[1].decode().lower() if language else "",
    )
    return detect(body, hints)


def _fits(body: bytes, codec: str) -> bool:
    """Say whether at most a few of the characters outside ASCII are broken under a codec."""
    text = body.decode(codec, "replace")
    return text.count("\ufffd") <= _FEW_ERRORS * sum(map(len, _OUTSIDE_ASCII.findall(text)))
