"""Turn the bytes of a page into text, once: bytes and header in, clean text, codec and losses out.

The order is that of the HTML standard (byte order mark, header, declaration), but each is believed only as far as the
bytes bear it out: valid UTF-8 is UTF-8 whatever the page says, and a declared codec must fit about as well as others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from scythe.limits import LIMITS
from scythe.model import Loss
from scythe.page.labels import declared_codec, header_codec

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


def decode(body: bytes, content_type: str | None = None) -> Decoded:
    """Decode a page by the best supported of its byte order mark, header, declaration and byte statistics."""
    losses: list[Loss] = []
    if len(body) > LIMITS.body_bytes:
        losses.append(Loss("bytes beyond the size limit", len(body) - LIMITS.body_bytes))
        body = _cut_at_character(body)
    for mark, codec in _BOMS:
        if body.startswith(mark):
            body = body[len(mark) :]
            # markup in UTF-16 has NUL in every other byte; without it the mark lies
            if codec != "utf-8" and (_wide_codec(body) == codec or (b"</" not in body and _fits(body, codec))):
                return _finish(body, codec, losses)
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


def in_utf8(body: bytes, content_type: str) -> bytes:
    """Return a page in UTF-8 where only its header says what it is in, which those who learn and cut do not see."""
    declared = content_type.lower().partition("charset=")[2].strip("\"' ;")
    if declared in ("", "utf-8", "utf8") or b"charset" in body[:2048].lower():
        return body
    return decode(body, content_type).text.encode()


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
    from scythe.page.detect import Hints, detect, without_plain

    if _fits(without_plain(body), "utf-8"):
        return "utf-8"
    named = (header_codec(content_type), declared_codec(body))
    language = _LANGUAGE.search(body[:4096])
    hints = Hints(
        tuple(codec for codec in named if codec and codec != "utf-8"),
        language[1].decode().lower() if language else "",
    )
    return detect(body, hints)


def _fits(body: bytes, codec: str) -> bool:
    """Say whether at most a few of the characters outside ASCII are broken under a codec."""
    text = body.decode(codec, "replace")
    return text.count("\ufffd") <= _FEW_ERRORS * sum(map(len, _OUTSIDE_ASCII.findall(text)))
