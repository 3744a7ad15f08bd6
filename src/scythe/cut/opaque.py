"""Skip elements whose inside is not followed (template, select, svg), read math: a token comes in, its end goes out."""

from __future__ import annotations

from collections.abc import Callable

from scythe.cut import tags
from scythe.page.blocks import INLINE, KIND
from scythe.page.tokens import COMMENT, END, LITERAL, START, UNENDED, Token, content_close, read_token

DEPTH = 256  # elements open at once
_LEAVES = {b"math": (b"mi", b"mn", b"mo", b"ms", b"mtext"), b"svg": (b"title", b"desc")}  # HTML inside: text only


class Doubt(Exception):
    """What the bytes mean is not certain; the message says why."""


def kind_of(name: bytes) -> int:
    """Return what a name is in the text; INLINE for all that nobody lists."""
    return KIND.get(name.decode("latin-1"), INLINE)


def next_token(body: bytes, at: int) -> tuple[int, Token]:
    """Return the next `<` and its token; raises Doubt at the end of the page."""
    start = body.find(b"<", at)
    token = read_token(body, start, len(body)) if start >= 0 else None
    if token is None or token.kind == UNENDED:
        raise Doubt("the page ends inside the element")
    return start, token


def skip_template(body: bytes, token: Token) -> int:
    """Return the end of a template: its own end tag, whatever is open in it; only raw text can hide that."""
    at, inner = token.next, 1
    while inner:
        _, token = next_token(body, at)
        at, name = token.next, token.name
        if token.kind == END:
            inner -= name == b"template"
        elif token.kind == START:
            inner += name == b"template"
            if name == b"svg":
                at = svg_end(body, token)
                if at < 0:
                    raise Doubt("an unusual template")
                continue
            odd = name in (b"math", b"select", b"plaintext", b"col") or name in tags.FRAME
            if odd or inner > DEPTH:
                raise Doubt("an unusual template")
            if name in tags.RAW:
                at = content_close(body, token, len(body))
                if at < 0:
                    raise Doubt("the page ends inside the element")
    return at


def svg_end(body: bytes, token: Token) -> int:
    """Return the end of an svg in good order, or -1 where HTML in it may have ended it."""
    if token.slash:
        return token.next
    depth, leaf, at = 1, b"", token.next
    while depth:
        start = body.find(b"<", at)
        token = read_token(body, start, len(body)) if start >= 0 else token._replace(kind=UNENDED)
        if token.kind == UNENDED or (token.kind == COMMENT and body.startswith(b"<![CDATA[", start)):
            return -1
        at, name = token.next, token.name
        if token.kind == START:
            if leaf or token.is_odd or _is_html(name) or (name in tags.RAW and name != b"title"):
                return -1
            depth += name == b"svg" and not token.slash
            leaf = name if name in _LEAVES[b"svg"] and not token.slash else b""
        elif token.kind == END:
            html = name in tags.SPECIAL or name in tags.FORMATTING or _is_html(name)
            if token.is_odd or (name != leaf if leaf else html):
                return -1
            depth -= name == b"svg" and not leaf
            leaf = b""
    return at


def _is_html(name: bytes) -> bool:
    """Say whether a tag in svg is read as HTML, or might be."""
    if name == b"svg":
        return False
    odd = name in (b"font", b"foreignobject", b"annotation-xml")
    return odd or name in tags.BREAKS_OUT or name in tags.OPAQUE or name in tags.FRAME


def skip_select(body: bytes, token: Token) -> int:
    """Return the end of a select with nothing but options, which cannot surprise."""
    while True:
        _, token = next_token(body, token.next)
        if token.kind not in (START, END):
            continue
        if token.name == b"select" and token.kind == END:
            return token.next
        if token.name not in (b"option", b"optgroup"):
            raise Doubt("more than options in a select")


def skip_foreign(body: bytes, token: Token, put: Callable[[int, int], None], depth_left: int) -> int:
    """Return the end of svg or math, and put the text of math: tags by their names alone, until one is HTML."""
    if token.slash:
        return token.next
    root, at, leaf = token.name, token.next, -1
    open_names = [root]
    while True:
        if len(open_names) > depth_left:
            raise Doubt("too many open elements")
        shown = root == b"math" and b"annotation" not in open_names
        start, token = next_token(body, at)
        if shown:
            put(at, start)
        at, name = token.next, token.name
        if token.kind == LITERAL and shown:
            put(start, at)
        if token.kind == COMMENT and body.startswith(b"<![CDATA[", start):
            raise Doubt("HTML inside svg or math")
        if token.kind == START:
            if leaf >= 0 or not _stays_foreign(token, root):
                raise Doubt("HTML inside svg or math")
            if not token.slash:
                leaf = len(open_names) if name in _LEAVES[root] else leaf
                open_names.append(name)
        elif token.kind == END:
            level = _last_index(open_names, name)
            if level < 0 or name in (b"p", b"br") or (leaf >= 0 and level != leaf):
                raise Doubt("HTML inside svg or math")
            leaf = -1 if leaf >= level else leaf
            del open_names[level:]
            if not open_names:
                return at


def _last_index(names: list[bytes], name: bytes) -> int:
    return next((level for level in range(len(names) - 1, -1, -1) if names[level] == name), -1)


def _stays_foreign(token: Token, root: bytes) -> bool:
    name = token.name
    if token.is_odd or name in (b"font", b"foreignobject", b"annotation-xml"):
        return False
    if (name in tags.BREAKS_OUT or name in tags.OPAQUE) and not (name == root == b"svg"):
        return False
    return not (root == b"math" and kind_of(name) != INLINE and name != b"annotation")
