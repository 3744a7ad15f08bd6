"""Cut page bytes down to literals that stay the same from page to page: tags and contexts come in, prefixes go out."""

from __future__ import annotations

import re
from collections.abc import Sequence

DELIMITERS = b"\"'=/?&-_ >"
_NAME = re.compile(rb"<[A-Za-z][^\t\n\f\r />]*")
_ATTRIBUTE = re.compile(rb"""[\s/]+([^\s/>="']+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s>"']*))?""")
_OPEN_VALUE = re.compile(rb"""[\s/]+[^\s/>="']+\s*=\s*(?:"[^"]+|'[^']+|[^\s>"']+)$""")
_VOLATILE = re.compile(rb"\d{3,}|[0-9a-fA-F]*\d[0-9a-fA-F]{7,}")
# attributes that say what an element is for keep their values; these say what it holds on this one page
_CONTENT = frozenset(b"href src srcset title alt content value action datetime for style".split())
_LABEL = re.compile(rb"\s*[A-Za-z\x80-\xff][^<>]*(?:</[^<>]*>|[:\s])")
_TAG_BYTES = 400  # of an opening tag; longer literals are no more telling


def common_prefix(literals: Sequence[bytes]) -> bytes:
    """Return what all literals begin with."""
    first, last = min(literals), max(literals)
    low, high = 0, min(len(first), len(last))
    while low < high:
        middle = (low + high + 1) // 2
        if first[:middle] == last[:middle]:
            low = middle
        else:
            high = middle - 1
    return first[:low]


def common_suffix(literals: Sequence[bytes]) -> bytes:
    """Return what all literals end with."""
    return common_prefix([literal[::-1] for literal in literals])[::-1]


def name_of(tag: bytes) -> bytes:
    """Return the `<name` that a tag begins with."""
    found = _NAME.match(tag)
    return found[0] if found else tag[:1]


def stable_prefix(tags: Sequence[bytes]) -> bytes:
    """Return the stable part of the same opening tag on several pages, cut back to a delimiter.

    Of a single tag the values that look like numbers or hashes are taken for volatile.
    """
    if len(tags) == 1:
        return steady_prefix(tags[0])
    prefix = common_prefix(tags)[:_TAG_BYTES]
    return prefix if all(tag == prefix for tag in tags) else _cut_back(prefix)


def steady_prefix(tag: bytes) -> bytes:
    """Return the part of one opening tag that other pages will probably share."""
    at = len(name_of(tag))
    while found := _ATTRIBUTE.match(tag, at):
        value = found[2] or b""
        key = found[1].lower()
        if key in _CONTENT or key.startswith((b"data-", b"on")):
            return tag[:at]
        volatile = _VOLATILE.search(value)
        if volatile:
            return _cut_back(tag[: found.start(2) + volatile.start()])
        at = found.end()
        if at > _TAG_BYTES:
            return _cut_back(tag[:_TAG_BYTES])
    return tag


def shorter_prefixes(tag: bytes) -> list[bytes]:
    """Return the prefixes of a tag literal that end with a whole attribute, longest first, `<name` last."""
    at = len(name_of(tag))
    ends = [at]
    while (found := _ATTRIBUTE.match(tag, at)) and found.end() < len(tag):
        at = found.end()
        if found[2] is None or found[2][:1] in (b'"', b"'") or tag[at : at + 1] not in (b'"', b"'"):
            ends.append(at)
    return [tag[:end] for end in reversed(ends)]


def whole_attributes(tag: bytes) -> bytes:
    """Return a tag literal without the value that it cuts short, if any."""
    return next((prefix for prefix in shorter_prefixes(tag + b" ") if not prefix.endswith(b"=")), name_of(tag))


def end_of_label(literal: bytes, start: int, *, guess: bool) -> bytes:
    """Return a literal up to the end of the words that begin at `start`, or nothing where none do.

    With `guess` only a text that ends with a colon counts: on one page alone any text may be the value.
    """
    if guess:
        literal = literal[: literal.find(b":", start) + 1]
    found = _LABEL.match(literal, start)
    return literal[: found.end()] if found else b""


def occurs_once(body: bytes, literal: bytes) -> bool:
    """Say whether a literal stands exactly once in a body."""
    at = body.find(literal)
    return at >= 0 and body.find(literal, at + 1) < 0


def _cut_back(prefix: bytes) -> bytes:
    """Cut a prefix that ends anywhere back to its last delimiter, and an attribute without a value off."""
    end = len(prefix)
    while end and prefix[end - 1] not in DELIMITERS:
        end -= 1
    whole = len(name_of(prefix))
    while found := _ATTRIBUTE.match(prefix, whole):
        quoted = found[2] is not None and found[2][:1] in (b'"', b"'")
        if found.end() > end or not (quoted or prefix[found.end() : found.end() + 1].isspace()):
            break
        whole = found.end()
    return prefix[:end] if _OPEN_VALUE.match(prefix[:end], whole) else prefix[:whole]
