"""Turn one element into text in paragraphs: a node of a marked tree comes in, its lines as a reader sees them go out.

All that the element holds is rendered, hidden boxes too, but for what it is told to leave out: elements whose opening
tag begins with a literal, and whole lines. An element left out counts as empty: a box still ends the paragraph around
it, an inline element leaves no trace.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from selectolax.lexbor import LexborNode

from scythe.page.blocks import Blocks, cut_blocks
from scythe.page.clean_text import render_text
from scythe.page.grid import find_grid
from scythe.page.source import MARK, matches, unmark


def flow_text(node: LexborNode, source: bytes, drops: Sequence[bytes] = (), skip_lines: Collection[str] = ()) -> str:
    """Return the text of an element without the dropped ones and the skipped lines.

    `source` are the bytes that the marks of the tree count in (see `page.source`).
    """
    blocks = flow_blocks(node, source, drops)
    text = unmark(render_text(blocks, range(len(blocks)), find_grid(blocks)))
    return leave_out(text, skip_lines)


def flow_blocks(node: LexborNode, source: bytes, drops: Sequence[bytes] = ()) -> Blocks:
    """Return the blocks of an element, the dropped elements taken to be empty."""
    return cut_blocks(node, _dropped(node, source, drops) if drops else frozenset())


def leave_out(text: str, skip_lines: Collection[str]) -> str:
    """Return a text without some of its lines; a paragraph left out takes the blank lines on one side with it."""
    lines = text.split("\n")
    unwanted = skip_lines if isinstance(skip_lines, frozenset) else frozenset(skip_lines)
    if unwanted.isdisjoint(lines):
        return text
    unwanted -= {""}
    kept: list[str] = []
    gone = False  # lines were left out since the last one kept
    for line in lines:
        if line in unwanted:
            gone = True
        elif line or not gone:
            kept.append(line)
            gone = False
        elif kept and kept[-1]:
            kept.append(line)
    return "\n".join(kept).strip("\n\t ")


def _dropped(node: LexborNode, source: bytes, drops: Sequence[bytes]) -> frozenset[int]:
    here = node.attributes.get(MARK) or ""
    start = int(here) + 1 if here.isdecimal() else 0  # formatting left open before may be built again inside
    places = {str(place) for literal in drops for place in _places(source, literal, start)}
    if not places:
        return frozenset()
    return frozenset(inner.mem_id for inner in node.css(f"[{MARK}]") if inner.attributes[MARK] in places)


def _places(source: bytes, literal: bytes, start: int) -> list[int]:
    found: list[int] = []
    at = source.find(literal, start) if literal else -1
    while at >= 0:
        if matches(source, at, literal):
            found.append(at)
        at = source.find(literal, at + 1)
    return found
