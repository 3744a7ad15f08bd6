"""Find the tags of a page that name addresses: bytes come in, the bytes of such tags go out.

The tokenizer of the HTML standard decides what is a tag: nothing in comments, scripts and other raw text, templates and
the values of attributes is one. In C where that was built (src/hrefs), 50 times as fast.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from scythe.compiled import load_compiled
from scythe.limits import LIMITS
from scythe.page.tokens import START, Token, comment_close, content_close, tag_close

COMPILED = load_compiled("scythe.page._hrefs")

_NAME = re.compile(rb"</?([A-Za-z][^\t\n\f\r />]*+)")
# the rest of a tag: HTML standard, 13.2.5.32 to 13.2.5.40; a quote that nothing closes runs to the end of the page
_REST = re.compile(
    rb"(?:[\t\n\f\r /]++|[^\t\n\f\r />][^\t\n\f\r />=]*+"
    rb"""(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+"""
    rb"""(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^\t\n\f\r >"'][^\t\n\f\r >]*+|(?=>)|\Z))?+)*+>"""
)
_WANTED = frozenset({b"a", b"area", b"base", b"link", b"meta", b"frame"})
_RAW = frozenset({b"script", b"style", b"textarea", b"title", b"xmp", b"iframe", b"noembed", b"noframes"})
_FOREIGN = frozenset({b"svg", b"math"})


def find_tags(body: bytes) -> tuple[list[bytes], int, bool]:
    """Return the tags that may name addresses, how many more there were than the limits allow, and whether the page
    was read to its end: False where it ends inside a tag, a comment or a script."""
    if COMPILED is not None:
        found: tuple[list[bytes], int, bool] = COMPILED.find_tags(body, LIMITS.page_links, LIMITS.tag_bytes)
        return found
    return find_in_python(body, LIMITS.page_links, LIMITS.tag_bytes)


def find_in_python(body: bytes, most: int, most_bytes: int) -> tuple[list[bytes], int, bool]:
    """Do what the compiled twin does."""
    tags: list[bytes] = []
    dropped = 0
    for tag in _walk(body):
        if tag is None:
            return tags, dropped, False
        if len(tag) > most_bytes or len(tags) >= most:
            dropped += 1
        else:
            tags.append(tag)
    return tags, dropped, True


def _walk(body: bytes) -> Iterator[bytes | None]:
    """Yield tags in the order of the page, and None where it ends inside something."""
    at, size = 0, len(body)
    templates = foreign = 0  # open around this place
    while (start := body.find(b"<", at)) >= 0:
        opening = _NAME.match(body, start)
        rest = _REST.match(body, opening.end()) if opening else None
        if opening is None or rest is None:
            at = -1 if opening else _behind_other(body, start)
        else:
            at, name = rest.end(), opening[1].lower()
            if body[start + 1] == 0x2F:
                templates -= name == b"template" and templates > 0
                foreign -= name in _FOREIGN and foreign > 0
            elif name in _WANTED:
                if not templates:
                    yield body[start:at]
            elif name in _RAW:
                if not foreign or not tag_close(body, opening.end(), size)[1]:
                    at = content_close(body, Token(START, start, at, name), size)
            elif name == b"template":
                templates += not foreign
            elif name in _FOREIGN:
                foreign += not tag_close(body, opening.end(), size)[1]
            elif name == b"plaintext":
                at = -1
        if at < 0:
            yield None
            return


def _behind_other(body: bytes, at: int) -> int:
    """Return the offset behind a comment, a declaration or a `<` that is text, or -1 where the page ends before."""
    if body.startswith(b"<!--", at):
        return comment_close(body, at, len(body))
    after = body[at + 1 : at + 2]
    if after == b"/" and at + 2 == len(body):
        return at + 2
    return body.find(b">", at + 2) + 1 or -1 if after in (b"!", b"?", b"/") else at + 1
