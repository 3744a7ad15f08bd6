"""Turn the bytes of a page into text, once: bytes and header in, clean text, codec and losses out."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from scythe.limits import LIMITS
from scythe.model import Loss
from scythe.page.labels import declared_codec, header_codec

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_SURROGATES = {code: "\ufffd" for code in range(0xD800, 0xE000)}


@dataclass(frozen=True, slots=True)
class Decoded:
    """A page as text without NUL and lone surrogates, the codec that read it, and what did not survive."""

    text: str
    encoding: str
    losses: tuple[Loss, ...] = ()


def decode(body: bytes, content_type: str | None = None) -> Decoded:
    """Decode a page by the best supported of its byte order mark, header, declaration and byte statistics."""
    losses: list[Loss] = []
    if len(body) > LIMITS.body_bytes:
        losses.append(Loss("bytes beyond the size limit", len(body) - LIMITS.body_bytes))
        body = body[: LIMITS.body_bytes]
    for mark, codec in _BOMS:
        if body.startswith(mark):
            return _finish(body[len(mark) :], codec, losses)
    try:
        text = body.decode("utf-8")
        return clean(text, "utf-8", losses)
    except UnicodeDecodeError:
        pass
    for named in (header_codec(content_type), declared_codec(body), "cp1252"):
        if named and named != "utf-8":
            return _finish(body, named, losses)
    return _finish(body, "utf-8", losses)


def _finish(body: bytes, codec: str, losses: list[Loss]) -> Decoded:
    text = codecs.decode(body, codec, "replace")
    bad = text.count("\ufffd")
    if bad:
        losses.append(Loss("undecodable bytes", bad))
    return clean(text, codec, losses)


def clean(text: str, encoding: str, losses: list[Loss]) -> Decoded:
    """Free text of NUL characters (dropped, as browsers do) and lone surrogates (replaced), counting both."""
    if "\x00" in text:
        losses.append(Loss("NUL characters", text.count("\x00")))
        text = text.replace("\x00", "")
    try:
        text.encode()
    except UnicodeEncodeError:
        before, text = text, text.translate(_SURROGATES)
        losses.append(Loss("lone surrogates", text.count("\ufffd") - before.count("\ufffd")))
    return Decoded(text, encoding, tuple(losses))
