"""Find the links of a page as it writes them: bytes come in, values of `href` and tags like `<base>` go out.

The tokenizer of the HTML standard decides what is a tag: nothing in comments, scripts and other raw text, templates and
the values of attributes is one. In C where that was built (src/hrefs), 80 times as fast.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from scythe.compiled import load_compiled
from scythe.limits import LIMITS
from scythe.page.tokens import START, Token, comment_close, content_close, find_attribute, tag_close

COMPILED = load_compiled("scythe.page._hrefs")

_MARKUP = re.compile(rb"<[A-Za-z/!?]")
_NAME = re.compile(rb"</?([A-Za-z][^\t\n\f\r />]*+)")
# the rest of a tag: HTML standard, 13.2.5.32 to 13.2.5.40; a quote that nothing closes runs to the end of the page
_REST = re.compile(
    rb"(?:[\t\n\f\r /]++|[^\t\n\f\r />][^\t\n\f\r />=]*+"
    rb"""(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+"""
    rb"""(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^\t\n\f\r >"'][^\t\n\f\r >]*+|(?=>)|\Z))?+)*+>"""
)
_LINKING = frozenset({b"a", b"area"})
_WANTED = frozenset({b"base", b"link", b"meta", b"frame"})
_RAW = frozenset({b"script", b"style", b"textarea", b"title", b"xmp", b"iframe", b"noembed", b"noframes"})
_FOREIGN = frozenset({b"svg", b"math"})


class Written(NamedTuple):
    """What a page writes where it names addresses, in page order."""

    links: list[bytes | tuple[bytes, bytes]]  # href of a and area, with rel where there is one; never empty
    tags: list[bytes]  # base, link, meta and frame
    dropped: int  # how many more there were than the limits allow
    is_whole: bool  # False where the page ends inside a tag, a comment or a script


def find_links(body: bytes) -> Written:
    """Find what names addresses in a body without NUL, within `LIMITS`."""
    bounds = LIMITS.page_links, LIMITS.metas, LIMITS.tag_bytes
    return Written(*COMPILED.find_links(body, *bounds)) if COMPILED is not None else find_in_python(body, *bounds)


def find_tags(body: bytes) -> list[bytes]:
    """Return the `tags` of `find_links` without looking for links: a third less time."""
    find = COMPILED.find_links if COMPILED is not None else find_in_python
    tags: list[bytes] = find(body, 0, LIMITS.metas, LIMITS.tag_bytes)[1]
    return tags


def find_in_python(body: bytes, most_links: int, most_tags: int, most_bytes: int) -> Written:
    """Do what the compiled twin does."""
    links: list[bytes | tuple[bytes, bytes]] = []
    tags: list[bytes] = []
    dropped = 0
    for token in _walk(body):
        if token is None:
            return Written(links, tags, dropped, False)
        is_link = token.name in _LINKING
        if token.next - token.at > most_bytes or (len(links) >= most_links if is_link else len(tags) >= most_tags):
            dropped += 1
        elif not is_link:
            tags.append(body[token.at : token.next])
        elif href := _value(body, token, b"href"):
            rel = _value(body, token, b"rel")
            links.append((href, rel) if rel else href)
    return Written(links, tags, dropped, True)


def _value(body: bytes, token: Token, name: bytes) -> bytes:
    place = find_attribute(body, token, name)
    return body[slice(*place)] if place else b""


def _walk(body: bytes) -> Iterator[Token | None]:
    """Yield the tags that may name addresses in the order of the page, and None where it ends inside something."""
    at, size = 0, len(body)
    templates = foreign = 0  # open around this place
    while (markup := _MARKUP.search(body, at)) is not None:
        start = markup.start()
        opening = _NAME.match(body, start)
        rest = _REST.match(body, opening.end()) if opening else None
        if opening is None or rest is None:
            at = -1 if opening else _behind_other(body, start)
        else:
            at, name = rest.end(), opening[1].lower()
            if body[start + 1] == 0x2F:
                templates -= name == b"template" and templates > 0
                foreign -= name in _FOREIGN and foreign > 0
            elif name in _WANTED or name in _LINKING:
                if not templates:
                    yield Token(START, start, at, name, opening.end())
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
    """Return the offset behind a comment, a declaration or the like, or -1 where the page ends before."""
    if body.startswith(b"<!--", at):
        return comment_close(body, at, len(body))
    if at + 2 == len(body) and body[-1:] == b"/":
        return at + 2  # text
    return body.find(b">", at + 2) + 1 or -1
