"""Cut the image areas of a page out of its bytes: a layout and bytes come in, byte ranges, images or doubt go out.

No tree of the page is built; only the bytes of areas that hold an image are parsed, each on its own. The images are
those that the same areas have on the tree of the page, or it is doubt and the reason says why.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from selectolax.lexbor import LexborNode

from scythe.cut.cutter import COMPILED, page_codec, plan_fields
from scythe.cut.flow import Flow
from scythe.cut.records import parse_parts, recode
from scythe.cut.regions import BASE_WAYS, Span
from scythe.model import Image
from scythe.page.fragment import root_name
from scythe.page.image_areas import AreaReader
from scythe.rules import FieldRules, Layout
from scythe.url import Url, absolute

_UTF8 = frozenset({"utf-8", "ascii", "us-ascii"})
_IMAGE = re.compile(rb"<(?:amp-)?img", re.I)
_WRAPPERS = 3  # elements that parsing one puts around it at most, as a table around a row


class CutAreas(NamedTuple):
    """What became of the areas of one page."""

    state: str  # "cut", "doubt" (the bytes do not tell: the tree should be asked) or "strange" (the rules do not fit)
    areas: tuple[tuple[int, Span], ...] = ()  # numbers and byte ranges, in page order, none inside another
    why: str = ""
    base: str = ""  # the address that relative ones are relative to, where the page gives one
    codec: str = "utf-8"


class AreaCutter:
    """Cuts the image areas of pages of one layout. Making one prepares the rules; cutting does not change it."""

    def __init__(self, layout: Layout) -> None:
        self._areas = layout.images.areas
        self._encodings = frozenset(layout.encodings)
        self._engine: Any = COMPILED
        if COMPILED is None:
            from scythe.cut import scan

            self._engine = scan
        ways = [BASE_WAYS, *(area.ways for area in self._areas)]
        plan = plan_fields(Layout("", tuple(FieldRules("", each) for each in ways)))
        self._plan = self._engine.make_plan(plan, self._encodings <= _UTF8)
        self._reader = AreaReader(layout.images)
        self._flows = {codec: Flow(encoding=codec) for codec in {"utf-8", *layout.encodings}}

    def find(self, body: bytes, text: Span | None) -> CutAreas:
        """Find the areas; `text` is where the field of that name was cut, None where it was not."""
        results = self._engine.cut_fields(self._plan, body, True)
        found: list[tuple[int, Span]] = []
        for number, area in enumerate(self._areas):
            state, _, span, why, _ = results[number + 1] if area.ways else ("", (), text, "the text was not cut", 0)
            if state == "doubt":
                return CutAreas("doubt", why=why)
            if span is not None:
                found.append((number, span))
            elif area.is_expected or not area.ways:
                return CutAreas("strange", why=f"area {number + 1}: {why}")
        if not found:
            return CutAreas("strange", why="no area is there")
        base = results[0]
        if base[0] == "doubt" or base[0] == "raw":
            return CutAreas("doubt", why="the base address is not certain")
        codec = "utf-8"
        if not self._encodings <= _UTF8:
            codec = page_codec(body, tuple(span for _, span in found), self._encodings) or ""
            if not codec:
                return CutAreas("doubt", why="its encoding is not certain")
        return CutAreas("cut", outermost(found), "", base[1][0] if base[1] else "", codec)

    def read(self, body: bytes, cut: CutAreas, url: Url | None = None) -> tuple[Image, ...] | None:
        """Read the images of areas that were found; None where only the page's tree can tell what is in them."""
        base = (absolute(cut.base, url) if cut.base else None) or url
        images: list[Image] = []
        for number, (start, end) in cut.areas:
            if _IMAGE.search(body, start, end) is None:
                continue
            if self._flows[cut.codec].text(body, start, end) is None:
                return None
            part = recode(body[start:end], cut.codec)
            page = parse_parts([part], base)
            root = _root(page.root, root_name(part)) if page is not None else None
            if root is None:
                return None
            images += self._reader.read(root, number, base)
        return tuple(images)


def outermost(areas: list[tuple[int, Span]]) -> tuple[tuple[int, Span], ...]:
    """Return areas in page order, without those inside another."""
    kept: list[tuple[int, Span]] = []
    behind = 0
    for number, (start, end) in sorted(areas, key=lambda area: (area[1][0], -area[1][1])):
        if start >= behind:
            kept.append((number, (start, end)))
            behind = end
    return tuple(kept)


def _root(document: LexborNode, name: str) -> LexborNode | None:
    """Return the element that was parsed, below the box and what a part of a table needs around it."""
    body = document.css_first("body")
    node = body.first_child if body is not None else None
    node = node.first_child if node is not None else None  # the box, or the table
    for _ in range(_WRAPPERS):
        if node is None or node.tag == name:
            return node
        node = node.first_child
    return None
