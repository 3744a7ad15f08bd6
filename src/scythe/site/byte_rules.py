"""Cut single values and bodies out of bare bytes, without mapping the page: UzunExt where it is exact.

`learn_bytes(maps, rows)` gives a rule only where string search finds the element that the map gives on every page
learned, and none on pages without it; `ByteCutter(rule)` then needs microseconds. The map stays the judge: what a
cutter calls doubtful is cut from it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import unescape
from typing import NamedTuple

from scythe.extension import native
from scythe.page.map import PageMap
from scythe.site.papers.position_hints import HintLearner, HintOptions
from scythe.site.papers.string_search import UNKNOWN, balance, resolve_tags, search_by
from scythe.site.value_places import ELEMENT, LEAD, common_prefix, element_text, run_beside
from scythe.site.value_rules import ValueRules, ValueWay, follow_way, part_of

PAGES = 3  # with the element, at least
_HINTS = HintOptions(window=50, margin=0.05)
_LEFT = (0, 24, 80, 200)  # bytes in front of the tag that make it unique: Algorithm 4, as a literal
_CONTEXT = 40  # bytes in front of it that must be as on the pages learned
_BEHIND = 60  # bytes behind the element that may be part of the end marker
_TAG_BYTES = 400
_NEAR = 1_024  # bytes in front of an element that say whether its tag is one
_TABLE = 16_384  # ... and of a part of a table
_TABLE_PARTS = frozenset(b"td th tr tbody thead tfoot caption".split())
_DELIMITERS = frozenset(b"\"'=/?&-_ >")
_SEARCH = search_by()
_new_tuple = tuple.__new__  # half the time of calling a named tuple
_check = native.check_element if native is not None else None
DOUBT, ABSENT, CUT = "doubt", "absent", "cut"


@dataclass(frozen=True, slots=True)
class ByteRule:
    """Where the bytes of an element begin and end. Texts are bytes of the page, one character each."""

    opening: str  # what the opening tag begins with
    left: str = ""  # what stands in front of it and is searched for together with it
    context: str = ""  # what stands in front of it, too, and is only compared
    starting_position: int = 0  # byte offset where the search begins
    end_marker: str = ""  # begins with the closing tag and follows it on every page learned
    inner_tag_count: int = UNKNOWN  # opening tags of the name inside, itself counted; UNKNOWN: they are counted
    take: str = ELEMENT
    before: str = ""  # the wanted part of the squeezed text begins after the first occurrence of this
    after: str = ""  # ... and ends at the first occurrence of this from there on


class ByteCut(NamedTuple):
    """What became of one field of one page."""

    state: str  # CUT, ABSENT (nothing there) or DOUBT (the map should be asked)
    value: str = ""
    span: tuple[int, int] | None = None
    inner: int = 0  # where the content of the element begins


class ByteCutter:
    """Cuts pages by one rule."""

    _find = staticmethod(_SEARCH.find)
    _count = staticmethod(_SEARCH.count)

    def __init__(self, rule: ByteRule) -> None:
        self.rule = rule
        opening = rule.opening.encode("latin-1")
        left = rule.left.encode("latin-1")
        self._opens = left + opening
        self._skip = len(left)
        self._context = rule.context.encode("latin-1")
        self._size = len(self._context)
        self._position = rule.starting_position
        self._tags = resolve_tags(opening)
        self._in_table = self._tags.start[1:].lower() in _TABLE_PARTS
        self._closing = self._tags.end
        self._closing_size = len(self._closing)
        self._is_whole = not rule.before and not rule.after
        self._marker = rule.end_marker.encode("latin-1")
        self._inner = rule.inner_tag_count

    def find(self, body: bytes) -> tuple[int, int] | None:
        """Return the byte range of the element, None where it is absent or in doubt."""
        find = self._find
        at = find(body, self._opens, self._position)
        if at < 0 and (not self._position or (at := find(body, self._opens, 0)) < 0):
            return None
        start = at + self._skip
        if body[at - self._size : at] != self._context:
            return None
        marker = self._marker
        if not marker:
            end = balance(body, self._tags, start, _SEARCH)[0]
            return (start, end) if end >= 0 else None
        close = find(body, marker, start)
        if close < 0:
            return None
        end = close + len(self._closing)
        count = self._count
        opened = count(body, self._tags.start, start, close)
        if opened != self._inner and opened != count(body, self._closing, start, end):
            return (start, end) if end == balance(body, self._tags, start, _SEARCH)[0] else None
        return start, end

    def is_absent(self, body: bytes) -> bool:
        """Say whether the page does not have what the element begins with."""
        return body.find(self._opens) < 0

    def content_start(self, body: bytes, span: tuple[int, int]) -> int:
        """Return where the content of an element begins, 0 where the bytes near it do not say that it is one.

        Near are 1 KB in front of it, and for a part of a table all from where that begins.
        """
        if _check is None:
            return 0
        start = max(0, span[0] - _NEAR)
        if self._in_table:
            lowest = max(0, span[0] - _TABLE)
            table = body.rfind(b"<table", lowest, span[0])
            table = max(table, body.rfind(b"<TABLE", max(table, lowest), span[0]))
            if table < 0:
                return 0
            start = min(start, table)
        inner: int = _check(body, start, *span)
        return inner

    def cut(self, body: bytes) -> ByteCut:
        """Cut the value out of a page."""
        span = self.find(body)
        if span is None:
            return ByteCut(ABSENT if self.is_absent(body) else DOUBT)
        start, end = span
        if self._in_table or _check is None:
            inner = self.content_start(body, span)
        else:
            inner = _check(body, start - _NEAR if start > _NEAR else 0, start, end)
        if not inner:
            return ByteCut(DOUBT)
        part = body[inner : end - self._closing_size]
        if self._is_whole and b"<" not in part and b"&" not in part and b"\0" not in part:  # most values
            try:
                value: str | None = " ".join(part.decode().split())
            except UnicodeDecodeError:
                return ByteCut(DOUBT)
        else:
            value = read_part(part, self.rule)
        return _new_tuple(ByteCut, (CUT, value, span, inner)) if value else ByteCut(DOUBT)


# a tag with a `<` or `>` in its attributes is left to the map
_TAG = rb"""</?+(?:a|abbr|b|em|font|i|small|span|strong|sub|sup|u)(?:\s(?:[^<>"']|"[^"<>]*"|'[^'<>]*')*+)?+>"""
_INLINE = re.compile(_TAG)
_PLAIN = re.compile(rb"(?:[^<]++|" + _TAG + rb")*+")


def read_part(part: bytes, rule: ByteRule) -> str | None:
    """Return the text of the inside of an element, None where its encoding is not certain or nothing is left."""
    if rule.take == LEAD:
        part = part.partition(b"<")[0]
    if b"<" in part and _PLAIN.fullmatch(part):
        part = _INLINE.sub(b"", part)
    if b"<" in part or b"&#" in part or b"\0" in part:
        made = PageMap(part)
        text: str | None = element_text(made, made.body)
    else:
        try:
            text = " ".join(unescape(part.decode()).split())
        except UnicodeDecodeError:
            return None
    return part_of(text, rule.before, rule.after) if text is not None else None


def learn_bytes(pages: Sequence[PageMap], rows: Sequence[int], way: ValueWay) -> ByteRule | None:
    """Return a rule for the elements at some rows, -1 where a page has none; None where bare bytes are not exact."""
    spots = [(page, row) for page, row in zip(pages, rows, strict=True) if row >= 0]
    if way.take not in (ELEMENT, LEAD) or way.inside is not None or len(spots) < PAGES:
        return None
    if len({page.tag[row] for page, row in spots}) > 1 or any(page.close[row] == page.end[row] for page, row in spots):
        return None
    opening = _shared_tag([page.source[page.start[row] : page.inner[row]] for page, row in spots])
    if not opening.lower().startswith(b"<" + spots[0][0].tags[spots[0][0].tag[spots[0][1]]].encode()):
        return None  # the name is written in capitals on some pages only
    lefts = [page.source[max(0, int(page.start[row]) - _LEFT[-1]) : page.start[row]] for page, row in spots]
    left = common_prefix([literal[::-1] for literal in lefts])[::-1]
    for size in _LEFT:
        if size and size > len(left) + _LEFT[1]:
            break
        own = left[len(left) - size :] if size else b""
        rule = _with_end(spots, opening, own, left[: len(left) - len(own)][-_CONTEXT:])
        rule = replace(rule, take=way.take, before=way.before, after=way.after)
        if _is_exact(ByteCutter(rule), pages, rows, way):
            return rule
    return None


def learn_field_bytes(pages: Sequence[PageMap], rules: ValueRules) -> ByteRule | None:
    """Return a rule for the first way of a field that was learned by example, None where bare bytes are not exact."""
    led = [follow_way(page, rules.ways[0]) for page in pages]
    return learn_bytes(pages, [found.rows[0] if found.values else -1 for found in led], rules.ways[0])


def _is_exact(cutter: ByteCutter, pages: Sequence[PageMap], rows: Sequence[int], way: ValueWay) -> bool:
    """Say whether a cutter gives what the map gives, on pages without the element nothing."""
    for page, row in zip(pages, rows, strict=True):
        found = cutter.cut(page.source)
        if row < 0:
            if found.state == CUT:
                return False
            continue
        text = element_text(page, row) if way.take == ELEMENT else run_beside(page, row, LEAD) or ""
        if found.span != (page.start[row], page.end[row]) or found.value != part_of(text, way.before, way.after):
            return False
    return True


def _with_end(spots: Sequence[tuple[PageMap, int]], opening: bytes, left: bytes, context: bytes) -> ByteRule:
    """Return a rule with a starting position, and the end marker or tag count that all pages have."""
    hints = HintLearner(_HINTS)
    tags = resolve_tags(opening)
    counts: set[int] = set()
    for page, row in spots:
        counts.add(page.source.count(tags.start, page.start[row], page.close[row]))
        hints.observe(int(page.start[row]) - len(left), None, None)
    marker = b""
    behind = common_prefix([page.source[page.close[row] : page.end[row] + _BEHIND] for page, row in spots])
    for literal in (tags.end, behind):
        if literal.startswith(tags.end) and all(
            page.source.find(literal, page.start[row]) == page.close[row] for page, row in spots
        ):
            marker = literal
            break
    return ByteRule(
        opening.decode("latin-1"),
        left.decode("latin-1"),
        context.decode("latin-1"),
        hints.predict().starting_position,
        marker.decode("latin-1"),
        counts.pop() if len(counts) == 1 else UNKNOWN,
    )


def _shared_tag(tags: Sequence[bytes]) -> bytes:
    """Return what the tags begin with on all pages, cut back to a delimiter where they go on differently."""
    prefix = common_prefix(tags)[:_TAG_BYTES]
    if all(tag == prefix for tag in tags):
        return prefix
    end = len(prefix)
    while end > 1 and prefix[end - 1] not in _DELIMITERS:
        end -= 1
    return prefix[:end].rstrip()
