"""Find the image that a page names as its own in the page's bytes: a body comes in, where tags show the image goes out.

A literal search that costs some microseconds: a hint that there is a picture where none was expected, not a proof.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import unescape

from scythe.page.image_identity import identity

try:
    from stringzilla import find
except ImportError:  # pragma: no cover  (a platform without its wheel)
    find = bytes.find

_HEAD_BYTES = 200_000  # in which the name is looked for
_TAG_BYTES = 8_192
_NAMES = (b'og:image"', b"og:image'", b'twitter:image"', b"twitter:image'")
_SHOWS = (b"<img", b"<sou", b"<amp")
_SHORTEST = 5  # bytes of a name that tells images apart
_PLACES = 20


def find_named(body: bytes) -> tuple[int, ...]:
    """Return where tags of images begin that show what the page names as its image; at most twenty."""
    for name in _NAMES:
        at = find(body, name, 0, _HEAD_BYTES)
        if at >= 0:
            wanted = _file_name(body, at)
            return _places(body, wanted, at) if len(wanted) >= _SHORTEST else ()
    return ()


def is_outside(places: Sequence[int], spans: Sequence[tuple[int, int]]) -> bool:
    """Say whether there are places and none of them is in one of the spans."""
    return bool(places) and not any(start <= place < end for place in places for start, end in spans)


def _file_name(body: bytes, at: int) -> bytes:
    """Return what is the same in all sizes of the image that the tag around a place gives, as it is written there."""
    start, end = body.rfind(b"<", max(0, at - _TAG_BYTES), at), body.find(b">", at, at + _TAG_BYTES)
    tag = body[start:end] if 0 <= start < end else b""
    value = tag.partition(b"content=")[2].lstrip()
    quote = value[:1]
    if quote not in (b'"', b"'"):
        return b""
    address = unescape(value[1:].partition(quote)[0].decode("utf-8", "replace"))
    stem = identity(address).rpartition("/")[2].rpartition("?")[2]
    found = address.lower().rfind(stem) if stem else -1
    return address[found : found + len(stem)].encode() if found >= 0 else b""


def _places(body: bytes, name: bytes, at: int) -> tuple[int, ...]:
    found: list[int] = []
    at = find(body, name, max(at, find(body, b"<body", at)))
    while at >= 0 and len(found) < _PLACES:
        start = body.rfind(b"<", max(0, at - _TAG_BYTES), at)
        if start >= 0 and body[start : start + 4].lower() in _SHOWS and start not in found:
            found.append(start)
        at = find(body, name, at + 1)
    return tuple(found)
