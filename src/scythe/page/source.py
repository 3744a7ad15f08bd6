"""Map the elements of a parsed page to byte offsets in its source, for learning and for doubtful cuts.

Every `<name` in the source is marked with its offset before parsing; elements that carry a mark are real elements,
whatever the bytes look like. Costs a few milliseconds per page.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from scythe.page.encoding import decode

MARK = "data-scythe-at"
OPAQUE = frozenset({"noscript", "template", "svg", "math", "select"})  # elements inside are not followed
RAW = frozenset({"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", "plaintext"})

_START = re.compile(rb"<[A-Za-z][^\t\n\f\r />]*")
# a mark may not part `<` from `/`, as in a script that ends in <b</script>
_MARKABLE = re.compile(rb"<[A-Za-z][^\t\n\f\r /><]*+(?!<)")
_MARKED = re.compile(rf" {MARK}=\d+ ")
_NAME_ENDS = frozenset(b"\t\n\f\r />")
_BEFORE_NAME = re.compile(rb"[\t\n\f\r /]*")
_NAME = re.compile(rb"=?[^\t\n\f\r />=]*[\t\n\f\r ]*")
_SPACE = re.compile(rb"[\t\n\f\r ]*")
_UNQUOTED = re.compile(rb"[^\t\n\f\r >]*")
_VALUE = re.compile(
    rb"""[\t\n\f\r /]([^\t\n\f\r />][^\t\n\f\r />=]*+)"""
    rb"""(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+(?:"([^"]*+)"|'([^']*+)'|([^\t\n\f\r >"'][^\t\n\f\r >]*+|)))?"""
)


class Opening(NamedTuple):
    """A true opening tag: where it is, its lower-case name, its element, and whether rules may lead to it."""

    offset: int
    name: str
    node: LexborNode
    shown: bool  # False inside noscript, template, svg, math and select


@dataclass(frozen=True)
class Source:
    """A body and its tree. Offsets are bytes of the body as received."""

    body: bytes
    encoding: str
    tree: LexborHTMLParser  # nodes live as long as their parser

    @cached_property
    def openings(self) -> list[Opening]:
        """Every true element once, in the order of the source."""
        return _read_openings(self.tree)

    @cached_property
    def offsets(self) -> list[int]:
        """Offsets of `openings`."""
        return [opening.offset for opening in self.openings]

    def at(self, offset: int) -> Opening | None:
        """Return the true element whose opening tag begins at `offset`."""
        i = bisect_left(self.offsets, offset)
        return self.openings[i] if i < len(self.openings) and self.offsets[i] == offset else None

    def is_text(self, offset: int) -> bool:
        """Say whether the byte at `offset` is text that the page shows: in no tag, comment or raw element."""
        i = bisect_right(self.offsets, offset) - 1
        if i < 0:
            return False
        opening = self.openings[i]
        here = tag_end(self.body, opening.offset)
        closed, depth = opening.name if opening.name in RAW else "", 1
        if not (closed or opening.shown):
            closed, depth = _opaque_around(opening.node)
        if closed:  # text only behind its end; what is left open is not text
            here = _behind_closing(self.body, closed, depth, here, offset)
        return _reaches(self.body, here, offset)


def read_source(body: bytes, content_type: str | None = None) -> Source:
    """Parse a body so that its elements know where they come from."""
    from scythe.page.tree_guard import parse  # numpy is half of the time of `scythe --help`

    encoding = decode(body, content_type).encoding
    marked = mark(body)
    if encoding != "utf-8":
        marked = marked.decode(encoding, "replace").encode("utf-8", "replace")
    return Source(body, encoding, parse(marked)[0])


def mark(body: bytes) -> bytes:
    """Write the offset of every `<name` into it, as an attribute."""
    return _MARKABLE.sub(_mark, body)


def unmark(text: str) -> str:
    """Take the marks out of text and attribute values in which something looked like a tag."""
    return _MARKED.sub("", text) if MARK in text else text


def find_value(body: bytes, offset: int, name: bytes) -> tuple[int, int] | None:
    """Return where an attribute's value stands in the tag that begins at `offset`; the first of its name counts."""
    for match in _VALUE.finditer(body, offset, tag_end(body, offset)):
        if match[1].lower() == name:
            return match.span(match.lastindex) if match.lastindex and match.lastindex > 1 else None
    return None


def tag_end(body: bytes, offset: int) -> int:
    """Return the offset behind the `>` of the tag that begins at `offset`, or the length of the body."""
    at = _START.match(body, offset)
    here = at.end() if at else offset + 2
    size = len(body)
    while True:
        here = _end_of(_BEFORE_NAME, body, here)
        if here >= size:
            return size
        if body[here] == 0x3E:
            return here + 1
        here = _end_of(_NAME, body, here)
        if body[here : here + 1] != b"=":
            continue
        here = _end_of(_SPACE, body, here + 1)
        quote = body[here : here + 1]
        if quote in (b'"', b"'"):
            here = body.find(quote, here + 1) + 1
            if here == 0:
                return size
        else:
            here = _end_of(_UNQUOTED, body, here)


def matches(body: bytes, offset: int, literal: bytes) -> bool:
    """Say whether the tag at `offset` begins with `literal`; a literal of only `<name` wants the name to end there."""
    if not body.startswith(literal, offset):
        return False
    after = offset + len(literal)
    return not is_bare(literal) or after >= len(body) or body[after] in _NAME_ENDS


def is_bare(literal: bytes) -> bool:
    """Say whether a tag literal holds no more than `<name`."""
    return not any(byte in _NAME_ENDS for byte in literal)


def _mark(found: re.Match[bytes]) -> bytes:
    return b"%b %b=%d " % (found[0], MARK.encode(), found.start())


def _end_of(pattern: re.Pattern[bytes], body: bytes, here: int) -> int:
    found = pattern.match(body, here)
    return found.end() if found else here


def _read_openings(tree: LexborHTMLParser) -> list[Opening]:
    found: dict[int, Opening] = {}
    node = tree.root
    hidden = 0  # opaque elements between root and node
    while node is not None:
        name = node.tag or ""
        mark = node.attributes.get(MARK) if not name.startswith(("-", "!")) else None
        if mark and mark.isdecimal():  # the first of several: clones of formatting elements carry the same mark
            found.setdefault(int(mark), Opening(int(mark), name, node, not hidden))
        child = node.first_child
        if child is not None:
            hidden += name in OPAQUE
            node = child
            continue
        following = node.next
        while following is None:
            node = node.parent
            if node is None:
                break
            hidden -= (node.tag or "") in OPAQUE
            following = node.next
        node = following
    return [found[offset] for offset in sorted(found)]


def _opaque_around(node: LexborNode) -> tuple[str, int]:
    """Return the outermost name around a node whose inside is not followed, and how many of that name are open."""
    around, here = [node.tag or ""], node.parent
    while here is not None:
        around.append(here.tag or "")
        here = here.parent
    name = next((tag for tag in reversed(around[1:]) if tag in OPAQUE), "")
    return name, around.count(name)


def _behind_closing(body: bytes, name: str, depth: int, here: int, limit: int) -> int:
    """Return where so many elements of a name have ended, or the end of the body."""
    closing = re.compile(rb"</" + re.escape(name.encode()) + rb"[\t\n\f\r />]", re.IGNORECASE)
    for _ in range(depth):
        found = closing.search(body, here, limit)
        if found is None:
            return len(body)
        here = tag_end(body, found.start())
    return here


def _reaches(body: bytes, here: int, offset: int) -> bool:
    """Walk the markup from `here`, which is text, and say whether `offset` is text too."""
    while here <= offset:
        start = body.find(b"<", here, offset + 1)
        if start < 0:
            return True
        here = _markup_end(body, start)
    return False


def _markup_end(body: bytes, start: int) -> int:
    if body.startswith(b"<!--", start):
        return min(_behind(body, b"-->", start + 2), _behind(body, b"--!>", start + 4))
    if body[start + 1 : start + 2] in (b"!", b"?"):
        return _behind(body, b">", start)
    if body[start + 1 : start + 2] == b"/" or _START.match(body, start):
        return tag_end(body, start)
    return start + 1


def _behind(body: bytes, literal: bytes, here: int) -> int:
    found = body.find(literal, here)
    return len(body) if found < 0 else found + len(literal)
