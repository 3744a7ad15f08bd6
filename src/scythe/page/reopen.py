"""Recover a page that one unclosed element swallowed: source in, source without that element's opening tag out.

By the standard everything after a `<title>`, `<script>` or `<!--` without an end belongs to it, so a page that a tool
cut and glued shows nothing at all. Readers of such a page want the text that follows.
"""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser

_RAW = (b"title", b"script", b"style", b"textarea", b"xmp", b"iframe", b"noembed", b"noframes")
_MARKUP = (b"</p", b"</div", b"</td", b"</a>")
_UNSEEN = frozenset(("script", "noscript", "style", "template", "link", "meta", "-comment", "!comment", "_comment"))
_AFTER_NAME = b"> \t\r\n\f/"


def shows_nothing(tree: LexborHTMLParser) -> bool:
    """Say whether the body holds nothing but scripts and white space. Costs next to nothing on any other page."""
    body = tree.body
    node = body.first_child if body is not None else None
    while node is not None and (node.tag in _UNSEEN or node.is_empty_text_node):
        node = node.next
    return node is None


def reopen(source: bytes) -> bytes | None:
    """Return a source that shows what was swallowed, or None when nothing was."""
    lower = source.lower()
    if not any(tag in lower for tag in _MARKUP):
        return None
    places = [(at, at + 4) for at in [lower.rfind(b"<!--")] if at >= 0 and lower.find(b"-->", at) < 0]
    for name in _RAW:
        at = _tag_from(lower, b"<" + name, _last_end(lower, name))
        end = lower.find(b">", at) if at >= 0 else -1
        if end >= 0:
            places.append((at, end + 1))
    if not places:
        shown = _without(_without(source, b"script"), b"noscript")
        return shown if len(shown) < len(source) else None
    start, end = min(places)
    return source[:start] + source[end:]


def _last_end(lower: bytes, name: bytes) -> int:
    """Return where the last closing tag of this name stands, or 0."""
    end = b"</" + name
    at = lower.rfind(end)
    while at >= 0 and lower[at + len(end) : at + len(end) + 1] not in _AFTER_NAME:
        at = lower.rfind(end, 0, at)
    return max(at, 0)


def _tag_from(lower: bytes, opening: bytes, start: int) -> int:
    """Return where the next tag with this beginning stands, or -1."""
    at = lower.find(opening, start)
    while at >= 0 and lower[at + len(opening) : at + len(opening) + 1] not in _AFTER_NAME:
        at = lower.find(opening, at + 1)
    return at


def _without(source: bytes, name: bytes) -> bytes:
    """Drop elements from tag to tag, as a browser does that runs scripts.

    A script that holds `<!--<script` hides its own end from a parser; a `<noscript>` that opens a box without closing
    it takes in the rest of the page.
    """
    lower, kept, at = source.lower(), [], 0
    while (start := _tag_from(lower, b"<" + name, at)) >= 0:
        kept.append(source[at:start])
        at = lower.find(b"</" + name, start)
        if at < 0:
            return b"".join(kept)
    return b"".join((*kept, source[at:]))
