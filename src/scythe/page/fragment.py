"""Parse one element on its own: its bytes, cut out of a page, come in; its node in a marked tree goes out.

What the tree builder makes of an element depends on what stands around it: table parts are therefore put into a table,
and further parses among other open elements show whether those matter.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from scythe.page.source import MARK, OPAQUE, RAW, mark

_NAME = re.compile(rb"<([A-Za-z][^\t\n\f\r />]*)")
_ENDED = re.compile(rb"</([a-z][^\t\n\f\r />]*)")
_AROUND = {
    "td": b"<table><tbody><tr>",
    "th": b"<table><tbody><tr>",
    "tr": b"<table><tbody>",
    "tbody": b"<table>",
    "thead": b"<table>",
    "tfoot": b"<table>",
    "caption": b"<table>",
    "colgroup": b"<table>",
}
_OPTIONAL_END = frozenset("p li dt dd td th tr tbody thead tfoot caption colgroup option optgroup".split())
_NO_CROWD = RAW | OPAQUE | _AROUND.keys() | {"table", "html", "body", "head", "frameset", "col", "p"}
_NO_FRAGMENT = frozenset("html head body frameset frame col plaintext".split())


ALONE = b"<!DOCTYPE html>"
# What may be open around an element and change how its markup is read, where the markup has a part of the name; and no
# doctype: then a table does not end the paragraph that it begins in.
_CROWDS = (
    ((b"",), b"<table><tbody><tr><td><h2><ruby><button><a><b><nobr><span><p>"),
    ((b"li",), b"<ul><li><span>"),
    ((b"dd", b"dt"), b"<dl><dd><span>"),
    ((b"form",), b"<form><span><p>"),
)


@dataclass(frozen=True, slots=True)
class Fragment:
    """One element with a tree of its own; `source` is what the marks of the tree count in."""

    source: bytes
    tree: LexborHTMLParser  # nodes live as long as their parser
    node: LexborNode


def read_fragment(element: bytes, around: bytes = ALONE, *, complete: bool = True) -> Fragment | None:
    """Parse the UTF-8 source of one element behind `around`; return None where there is none.

    With `complete` it is also None where the source does not end with the element or might mean another in its page.
    """
    from scythe.page.guard import parse  # numpy is half of the time of `scythe --help`

    name = root_name(element)
    if not name or (complete and (name in _NO_FRAGMENT or element.rfind(b"<") > element.rfind(b">"))):
        return None
    prefix = around + _AROUND.get(name, b"")
    source = prefix + element + b"<!---->"
    tree, losses = parse(mark(source))
    node = tree.css_first(f'[{MARK}="{len(prefix)}"]')
    if node is None or (complete and (losses or not _ends_in_time(node, name))):
        return None
    return Fragment(source, tree, node)


def crowds(element: bytes) -> list[bytes]:
    """Return what to put before an element to see whether the page around makes a difference."""
    lower = element.lower()
    found = [crowd for names, crowd in _CROWDS if any(b"<" + n in lower or b"</" + n in lower for n in names)]
    # an end tag that has no opening tag inside may end an element around
    root = root_name(element)
    ended = sorted({name for name in _ENDED.findall(lower) if name.decode("latin-1") not in _NO_CROWD | {root}})
    return [*found, b"".join(b"<%b>" % name for name in ended) + b"<span>"]


def root_name(element: bytes) -> str:
    """Return the lower-case name of the element that a fragment begins with, or nothing."""
    found = _NAME.match(element)
    return found[1].decode("ascii", "replace").lower() if found else ""


def _ends_in_time(node: LexborNode, name: str) -> bool:
    """Say whether an element ends where its bytes end: the comment put behind them follows it."""
    after = node.next
    if after is None:
        return name in _OPTIONAL_END
    return (after.tag or "") in ("-comment", "!comment", "_comment") and after.next is None
