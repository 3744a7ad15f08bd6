"""Parse one element on its own: its bytes, cut out of a page, come in; its node in a marked tree goes out.

What the tree builder makes of an element depends on what stands around it; table parts are therefore put into a table,
and what the bytes alone do not tell (`Context`) can be chosen.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from scythe.page.source import MARK, mark

_NAME = re.compile(rb"<([A-Za-z][^\t\n\f\r />]*)")
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
_NO_FRAGMENT = frozenset("html head body frameset frame col plaintext".split())


@dataclass(frozen=True, slots=True)
class Context:
    """What stands around an element and changes how its markup is read."""

    quirks: bool = False  # no doctype: a table does not end the paragraph it begins in
    in_form: bool = False  # a form inside a form does not count


@dataclass(frozen=True, slots=True)
class Fragment:
    """One element with a tree of its own; `source` is what the marks of the tree count in."""

    source: bytes
    tree: LexborHTMLParser  # nodes live as long as their parser
    node: LexborNode


_PLAIN = Context()


def read_fragment(element: bytes, context: Context = _PLAIN, *, complete: bool = True) -> Fragment | None:
    """Parse the UTF-8 source of one element; return None where there is none.

    With `complete` it is also None where the source does not end with the element or might mean another in its page.
    """
    from scythe.page.guard import parse  # numpy is half of the time of `scythe --help`

    name = root_name(element)
    if not name or (complete and name in _NO_FRAGMENT):
        return None
    prefix = (b"" if context.quirks else b"<!DOCTYPE html>") + (b"<form>" if context.in_form else b"")
    prefix += _AROUND.get(name, b"")
    source = prefix + element + b"<!---->"
    tree, losses = parse(mark(source))
    node = tree.css_first(f'[{MARK}="{len(prefix)}"]')
    if node is None or (complete and (losses or not _ends_in_time(node, name, context))):
        return None
    return Fragment(source, tree, node)


def root_name(element: bytes) -> str:
    """Return the lower-case name of the element that a fragment begins with, or nothing."""
    found = _NAME.match(element)
    return found[1].decode("ascii", "replace").lower() if found else ""


def _ends_in_time(node: LexborNode, name: str, context: Context) -> bool:
    """Say whether an element ends where its bytes end: the comment put behind them follows it."""
    after = node.next
    if after is None and context.in_form and node.parent is not None:
        after = node.parent.next  # an end tag inside ended the form around
    if after is None:
        return name in _OPTIONAL_END
    return (after.tag or "") in ("-comment", "!comment", "_comment") and after.next is None
