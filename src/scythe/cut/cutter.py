"""Cut the fields of a layout out of a page's bytes: a layout and bytes come in, values with their byte ranges go out.

No tree is built. A value is what the tree of the page holds at that place, or there is none and the reason says why.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple

from scythe.compiled import load_compiled
from scythe.cut.flow import Flow
from scythe.page.encoding import decode
from scythe.page.labels import declared_codec
from scythe.rules import ATTRIBUTE, COUNTED, ELEMENT, FLOW, TAKES, Layout, Way

COMPILED = load_compiled("scythe.cut._scan")
_UTF8 = frozenset({"utf-8", "ascii", "us-ascii"})
_FRAMESET = re.compile(rb"<frameset", re.I)
_RULES = 32  # of one way; more are never needed to agree
_Result = tuple[str, tuple[Any, ...], tuple[int, int] | None, str, int]


class Cut(NamedTuple):
    """What became of one field of one page."""

    state: str  # "cut", "absent" (nothing there) or "doubt" (the tree should be asked)
    values: tuple[str, ...] = ()  # () unless cut
    span: tuple[int, int] | None = None  # bytes of the element, of the run of text or of the attribute's value
    why: str = ""  # kinds of the rules that agreed, as in "tag+before", or the reason of absence or doubt
    way: int = -1  # which way of the field was taken


class Cutter:
    """Cuts pages of one layout. Making one prepares the rules; cutting does not change it but for a counter."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._encodings = frozenset(layout.encodings)
        self._engine: Any = COMPILED
        if COMPILED is None:
            from scythe.cut import scan

            self._engine = scan
        utf8 = self._encodings <= _UTF8
        self._plan = self._engine.make_plan(plan_fields(layout), utf8)
        self._flows: dict[tuple[int, int, str], Flow] = {}

    @property
    def second_searches(self) -> int:
        """How many anchors were not found from their position on, so far."""
        return int(self._engine.second_searches(self._plan))

    def cut(self, body: bytes, *, thorough: bool = True) -> tuple[Cut, ...]:
        """Cut every field, in the layout's order.

        `thorough` knows comments, scripts and tables from the page's start; otherwise only the bytes before a place
        say whether it is a true tag, which is faster and on pages in order gives the same.
        """
        found = self._engine.cut_fields(self._plan, body, thorough)
        return tuple([self._finish(body, index, result) for index, result in enumerate(found)])

    def cut_field(self, body: bytes, index: int, *, thorough: bool = False) -> Cut:
        """Cut one field, by its place in the layout."""
        return self._finish(body, index, self._engine.cut_field(self._plan, body, index, thorough))

    def find(self, body: bytes, index: int, *, thorough: bool = False) -> tuple[int, int] | None:
        """Return the byte range of one field without making text of it; None where it is absent or in doubt."""
        state, _, span, _, _ = self._engine.cut_field(self._plan, body, index, thorough)
        return span if state in ("cut", "flow", "raw") else None

    def _finish(self, body: bytes, index: int, result: _Result) -> Cut:
        state = result[0]
        if state == "flow" or state == "raw":
            return self._read_spans(body, index, result)
        return tuple.__new__(Cut, result)

    def _read_spans(self, body: bytes, index: int, result: _Result) -> Cut:
        """Turn the byte ranges of a result into text, where that was left to do."""
        state, spans, span, why, number = result
        way = self._layout.fields[index].ways[number]
        codec = "utf-8" if state == "flow" else page_codec(body, spans, self._encodings)
        if codec is None:
            return Cut("doubt", why="its encoding is not certain")
        values = [self._read_span(body, part, (index, number, codec)) for part in spans]
        # a frameset further on does away with empty boxes
        if None in values or (way.take == FLOW and "" in values and _FRAMESET.search(body)):
            return Cut("doubt", why="the paragraphs are not certain" if way.take == FLOW else "not sure of its text")
        parts = [_part_of(value, way) for value in values if value is not None]
        kept = tuple([part for part in parts if part is not None])
        return Cut("cut", kept, span, why, number) if kept else Cut("absent", why="the element does not hold it")

    def _read_span(self, body: bytes, span: tuple[int, int], key: tuple[int, int, str]) -> str | None:
        index, number, codec = key
        way = self._layout.fields[index].ways[number]
        if way.take == FLOW:
            flow = self._flows.get(key)
            if flow is None:
                flow = self._flows[key] = Flow(way.drops, way.skip_lines, codec)
            return flow.text(body, *span)
        try:
            part = body[slice(*span)].decode(codec).encode()
        except UnicodeError:
            return None
        if way.take == ELEMENT:
            return self._engine.read_element(part)  # type: ignore[no-any-return]
        return self._engine.read_run(part, way.take == ATTRIBUTE)  # type: ignore[no-any-return]


def page_codec(body: bytes, spans: tuple[tuple[int, int], ...], known: frozenset[str]) -> str | None:
    """Return the codec of a page that need not be UTF-8: the declared one, where nothing speaks against it."""
    codec = declared_codec(body)
    if codec is None or codec not in known:
        return None
    if codec in _UTF8:  # one broken character anywhere, and the page may be read as something else
        return codec if is_utf8(body) else None
    # a page that is valid UTF-8 is read as that, whatever it says; and one whose bytes speak against its word, by them
    if all(is_utf8(body[start:end]) for start, end in spans) or _codec_read(body) != codec:
        return None
    return codec


@lru_cache(maxsize=1)  # the fields of a page ask one after the other
def _codec_read(body: bytes) -> str:
    """Return the codec a page is read with where a tree is built; takes some 20 us per KB that is not UTF-8."""
    return decode(body).encoding


def plan_fields(layout: Layout) -> tuple[object, ...]:
    """Return the rules of a layout as plain tuples, which both engines take."""
    return tuple([tuple(map(_plan_way, field.ways)) for field in layout.fields])


def _plan_way(way: Way) -> tuple[object, ...]:
    rules = way.rules[:_RULES]
    return (
        TAKES.index(way.take),
        way.needed,
        way.repeats,
        way.attribute.encode(),
        way.before.encode(),
        way.after.encode(),
        tuple(rule.kind for rule in rules),
        tuple(
            (rule.anchor, rule.skip, rule.step, rule.nth, rule.reach, rule.position, rule.kind in COUNTED)
            for rule in rules
        ),
    )


def is_utf8(part: bytes) -> bool:
    """Say whether bytes are valid UTF-8."""
    if COMPILED is not None:
        return bool(COMPILED.is_utf8(part))
    try:
        part.decode()
    except UnicodeDecodeError:
        return False
    return True


def _part_of(text: str, way: Way) -> str | None:
    """Return the part of a text between the way's two literals, or None where one of them is missing."""
    if way.take == FLOW:
        return text
    start = text.find(way.before)
    if start < 0:
        return None
    start += len(way.before)
    end = text.find(way.after, start) if way.after else len(text)
    return text[start:end].strip() if end >= 0 else None
