"""The HTML tokenizer over bytes, in Python; the same as the one in src/native."""

from __future__ import annotations

import re
from typing import NamedTuple

LITERAL, START, END, COMMENT, EMPTY, UNENDED = range(6)

_NAME = re.compile(rb"[^\t\n\f\r />]*")
_BETWEEN = re.compile(rb"[\t\n\f\r /]*")
_ATTRIBUTE_NAME = re.compile(rb"[^\t\n\f\r />=]*")
_SPACE = re.compile(rb"[\t\n\f\r ]*")
_VALUE = re.compile(rb"[^\t\n\f\r >]*")
_COMMENT_END = re.compile(rb"--!?>")
_SCRIPT_PART = re.compile(rb"-->|<(/?)script[\t\n\f\r />]|(<!--)", re.IGNORECASE)


class Token(NamedTuple):
    """A piece of markup: body[at:next]."""

    kind: int
    at: int
    next: int
    name: bytes = b""  # lower case
    attributes: int = 0  # offset behind the name
    slash: bool = False  # ends in `/>`

    @property
    def is_odd(self) -> bool:
        """Whether its name has a NUL or `<`: the tree is not asked what it makes of that."""
        return b"\0" in self.name or b"<" in self.name


def read_token(body: bytes, at: int, end: int) -> Token:
    """Read the token whose `<` is at `at`; nothing at or behind `end` is looked at."""
    after = body[at + 1 : min(at + 3, end)]
    if after[:1].isalpha():
        return _read_tag(body, at, at + 1, end, START)
    if after[:1] == b"/":
        if len(after) < 2:
            return Token(LITERAL, at, end)
        if after[1:].isalpha():
            return _read_tag(body, at, at + 2, end, END)
        return _until(body, at, at + 2, end, EMPTY if after[1:] == b">" else COMMENT)
    if after[:1] == b"!" and body.startswith(b"<!--", at) and at + 4 <= end:
        close = comment_close(body, at, end)
        return Token(COMMENT, at, close) if close >= 0 else Token(UNENDED, at, end)
    if after[:1] in (b"!", b"?") and after:
        return _until(body, at, at + 2, end, COMMENT)
    return Token(LITERAL, at, at + 1)


def comment_close(body: bytes, at: int, end: int) -> int:
    """Return the offset behind the comment whose `<!--` is at `at`, or -1."""
    start = at + 4
    if start < end and body[start : start + 1] == b">":
        return start + 1
    if start + 2 <= end and body[start : start + 2] == b"->":
        return start + 2
    found = _COMMENT_END.search(body, start, end)
    return found.end() if found else -1


def tag_close(body: bytes, at: int, end: int) -> tuple[int, bool]:
    """Return the offset behind the tag whose attributes begin at `at`, or -1, and whether it ends in `/>`."""
    while True:
        at = _end_of(_BETWEEN, body, at, end)
        if at >= end:
            return -1, False
        if body[at] == 0x3E:
            return at + 1, body[at - 1] == 0x2F
        at = _end_of(_ATTRIBUTE_NAME, body, at + 1, end)
        at = _end_of(_SPACE, body, at, end)
        if at >= end:
            return -1, False
        if body[at] != 0x3D:
            continue
        at = _end_of(_SPACE, body, at + 1, end)
        if at >= end:
            return -1, False
        if body[at] in b"\"'":
            at = body.find(body[at : at + 1], at + 1, end) + 1
            if at == 0:
                return -1, False
        else:
            at = _end_of(_VALUE, body, at, end)
            if at < end and body[at] == 0x3E:
                return at + 1, False


def find_attribute(body: bytes, token: Token, wanted: bytes) -> tuple[int, int] | None:
    """Return the byte range of the value of an attribute (the first of that name), or None."""
    at, end = token.attributes, token.next
    while True:
        at = _end_of(_BETWEEN, body, at, end)
        if at >= end or body[at] == 0x3E:
            return None
        start = at
        at = _end_of(_ATTRIBUTE_NAME, body, at + 1, end)
        found = body[start:at].lower() == wanted
        at = _end_of(_SPACE, body, at, end)
        if body[at] != 0x3D:
            if found:
                return None
            continue
        at = _end_of(_SPACE, body, at + 1, end)
        quote = body[at : at + 1]
        if quote in (b'"', b"'"):
            start, at = at + 1, body.find(quote, at + 1, end)
        else:
            start, at = at, _end_of(_VALUE, body, at, end)
            if found and start == at:
                return None  # `name=` with nothing behind it
        if found:
            return start, at
        at += body[at] in b"\"'"


def content_close(body: bytes, token: Token, end: int) -> int:
    """Return the offset of the closing tag that ends the content of a raw element, or -1."""
    if token.name == b"script":
        return _script_close(body, token.next, end)
    found = re.compile(rb"</" + re.escape(token.name) + rb"[\t\n\f\r />]", re.IGNORECASE).search(body, token.next, end)
    return found.start() if found else -1


def _script_close(body: bytes, at: int, end: int) -> int:
    hidden = inner = False  # behind `<!--`, and in a whole script there
    while (found := _SCRIPT_PART.search(body, at, end)) is not None:
        at = found.start() + 1
        if found[2]:
            # its dashes may be those of `-->` too
            at = found.start() + 2 if not hidden else at
            hidden = True
        elif found[0] == b"-->":
            hidden = inner = False
        elif found[1]:
            if not inner:
                return found.start()
            inner = False
        elif hidden:
            inner = True
    return -1


def _read_tag(body: bytes, at: int, name_at: int, end: int, kind: int) -> Token:
    name_end = _end_of(_NAME, body, name_at, end)
    name = body[name_at:name_end].lower()
    close, slash = tag_close(body, name_end, end)
    if close < 0:
        return Token(UNENDED, at, end, name, name_end)
    return Token(kind, at, close, name, name_end, slash)


def _until(body: bytes, at: int, start: int, end: int, kind: int) -> Token:
    close = body.find(b">", start, end)
    return Token(kind, at, close + 1) if close >= 0 else Token(UNENDED, at, end)


def _end_of(pattern: re.Pattern[bytes], body: bytes, at: int, end: int) -> int:
    found = pattern.match(body, at, end)
    return found.end() if found else at
