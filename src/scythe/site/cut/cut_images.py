"""Cut the image areas of a page out of its bytes, or report a doubt.

Only the bytes of areas with an image are parsed, each on its own. The result equals that of the parsed page.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from selectolax.lexbor import LexborNode

from scythe.extension import MISSING, native
from scythe.model import Image
from scythe.page.encoding import UTF8, page_codec
from scythe.site.cut.cut_lists import BASE_WAYS, NO_VOTE, Span, every_tag, has_one_spelling, parse_parts, recode
from scythe.site.cut.cutter import Flow, plan_fields, root_name
from scythe.site.follow.follow_images import UNKNOWN, AreaReader, shows_image
from scythe.site.rules import FLOW, FieldRules, Layout, Way
from scythe.url import Url, absolute

_UNSURE = "not sure of what is in an area"
_MARK = b" scythe"  # of the tag that stands in for an area's
_NAME_BYTES = 100  # of a tag, longer than all names of elements that layouts are made of
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
        ways = [BASE_WAYS, *(area.ways for area in self._areas)]
        text = next((rules.ways for rules in layout.fields if rules.name == "text"), ())
        self._guards: list[range] = []  # of each area: the fields that say whether nothing around reaches into it
        for area in self._areas:
            literals = _own_tags(area.ways or text)
            self._guards.append(range(len(ways), len(ways) + len(literals)))
            ways.extend((every_tag(literal, FLOW),) for literal in literals)
        plan = plan_fields(Layout("", tuple(FieldRules("", each) for each in ways)))
        self._plan = native.make_plan(plan, self._encodings <= UTF8) if native is not None else None
        self._reader = AreaReader(layout.images)
        self._flows = {codec: Flow(encoding=codec) for codec in {"utf-8", *layout.encodings}}

    def find(self, body: bytes, text: Span | None) -> CutAreas:
        """Find the areas; `text` is where the field of that name was cut, None where it was not."""
        if native is None:
            return CutAreas("doubt", why=MISSING)
        results = native.cut_fields(self._plan, body, True)
        found: list[tuple[int, Span]] = []
        for number, area in enumerate(self._areas):
            state, _, span, why, _ = results[number + 1] if area.ways else ("", (), text, "the text was not cut", 0)
            if state == "doubt" and why != NO_VOTE:
                return CutAreas("doubt", why=why)
            if span is not None and area.ways and not names_image(body, *span):
                span, why = None, "it holds no image"
            if span is not None:
                found.append((number, span))
            elif area.is_expected or not area.ways:
                return CutAreas("strange", why=f"area {number + 1}: {why}")
        if not found:
            return CutAreas("strange", why="no area is there")
        areas = outermost(found)
        why = self._doubt(body, areas, results)
        if why:
            return CutAreas("doubt", why=why)
        spans = tuple(span for _, span in areas if not body[slice(*span)].isascii())
        codec = page_codec(body, spans, self._encodings) if spans and not self._encodings <= UTF8 else "utf-8"
        if codec is None:
            return CutAreas("doubt", why="its encoding is not certain")
        return CutAreas("cut", areas, "", results[0][1][0] if results[0][1] else "", codec)

    def _doubt(self, body: bytes, areas: tuple[tuple[int, Span], ...], results: Sequence[Any]) -> str:
        """Say why the bytes of areas may mean something else in the page, if they may."""
        if results[0][0] in ("doubt", "raw") or not has_one_spelling(body):
            return "the base address is not certain"
        for number, span in areas:
            guards = [results[i] for i in self._guards[number]]
            why = "" if any(span in guard[1] for guard in guards) else self._doubt_before(body, span[0])
            if why:
                return why
        return ""

    def _doubt_before(self, body: bytes, start: int) -> str:
        """Say why what stands before an element may reach into it: an empty one of the same name is cut in its place.

        The guards cannot tell where another element like it, or what is inside of this one, is in doubt.
        """
        tag = b"<" + root_name(body[start : start + _NAME_BYTES]).encode()
        assert native is not None  # which found the areas
        plan = native.make_plan(plan_fields(Layout("", (FieldRules("", (every_tag(tag + _MARK, FLOW),)),))), True)
        page = body[:start] + tag + _MARK + b"></" + tag[1:] + b">"
        state, _, _, why, _ = native.cut_fields(plan, page, True)[0]
        return "" if state == "flow" else why

    def read(self, body: bytes, cut: CutAreas, url: Url | None = None) -> tuple[tuple[Image, ...] | None, str]:
        """Read the images of areas that were found; None and why where not all can be told."""
        base = (absolute(cut.base, url) if cut.base else None) or url
        images: list[Image] = []
        for number, (start, end) in cut.areas:
            if not names_image(body, start, end):
                continue
            if self._flows[cut.codec].text(body, start, end) is None:
                return None, _UNSURE
            part = recode(body[start:end], cut.codec)
            page = parse_parts([part], base)
            root = _root(page.root, root_name(part)) if page is not None else None
            if root is None or (self._areas[number].ways and not shows_image(root)):
                return None, _UNSURE
            own = self._reader.read(root, number, base)
            if own is None:
                return None, UNKNOWN
            images += own
        return tuple(images), ""


def names_image(body: bytes, start: int, end: int) -> bool:
    """Say whether a part of a page has something like the tag of an image; ten times as fast as an expression."""
    part = body[start:end].lower()
    return b"<img" in part or b"<amp-img" in part


def _own_tags(ways: Sequence[Way]) -> list[bytes]:
    """Return the literals by which ways know the element itself."""
    found = (rule.anchor for way in ways for rule in way.rules if rule.kind == "tag" and rule.nth == rule.skip == 0)
    return list(dict.fromkeys(found))


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
