"""Cut the records of a page's lists out of its bytes, or report a doubt.

Record ranges are those of the elements of the parsed page: every tag is real, every end is where a parser closes the
element (docs/why/cutting.md). The bytes of all records are parsed together, each in a box of its own.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, NamedTuple

from scythe.extension import MISSING, native
from scythe.limits import LIMITS
from scythe.model import Record, RecordList
from scythe.page import Page
from scythe.page.elements import Elements, Range
from scythe.page.encoding import UTF8, page_codec
from scythe.page.tree_guard import parse
from scythe.site.cut.cutter import Flow, plan_fields, root_name
from scythe.site.follow.follow_lists import (
    EntryReader,
    find_lookalike,
    head_names,
    judge_cells,
    judge_count,
    judge_outside,
    leave_taken,
    read_entries,
)
from scythe.site.rules import ATTRIBUTE, FLOW, FieldRules, Layout, ListRules, Rule, Way
from scythe.url import Url, absolute

LOOKALIKE = "something stands between records that may be one"
NO_VOTE = "too few rules agree"  # which is sure to be so on the tree too
_MOST = 1_000  # tags of one literal on a page; beyond, neither cut nor tree rule says anything


def every_tag(literal: bytes, take: str, attribute: str = "") -> Way:
    """Return a way to all elements whose opening tags begin with a literal."""
    return Way(take, (Rule("tag", literal),), needed=1, attribute=attribute, repeats=True)


_BASES = (b"<base", b"<BASE", b"<Base")
# to the address that relative ones are relative to
BASE_WAYS = tuple(every_tag(literal, ATTRIBUTE, "href") for literal in _BASES)

Span = tuple[int, int]
_Result = tuple[str, tuple[Any, ...], Span | None, str, int]
# records, their elements, how many like them stand elsewhere, the reason of doubt
_Placed = tuple[tuple[Span, ...], tuple[Span, ...], int, str]


class CutRecords(NamedTuple):
    """The byte ranges of the records of one list."""

    number: int  # of the list in its layout
    spans: tuple[Span, ...]
    parts: tuple[Span, ...]  # the elements that they are made of; the same where each is one element


class CutLists(NamedTuple):
    """What became of the lists of one page."""

    state: str  # "cut", "doubt" (the bytes do not tell: the tree should be asked) or "strange" (the rules do not fit)
    lists: tuple[CutRecords, ...] = ()  # those that the page has; () unless cut
    why: str = ""
    base: str = ""  # the address that relative links are relative to, where the page gives one
    codec: str = "utf-8"


class ListCutter:
    """Cuts the records of pages of one layout. Making one prepares the rules; cutting does not change it."""

    def __init__(self, layout: Layout) -> None:
        self._lists = layout.lists
        self._encodings = frozenset(layout.encodings)
        ways = [BASE_WAYS]
        self._names = [head_names(rules) for rules in layout.lists]
        self._literals: list[tuple[bytes, ...]] = []
        for rules in layout.lists:
            own = tuple(dict.fromkeys((*rules.heads, *rules.members)))
            self._literals.append(own)
            ways.append(rules.holder)
            ways.extend((every_tag(literal, FLOW),) for literal in own)
        plan = plan_fields(Layout("", tuple(FieldRules("", each) for each in ways)))
        self._plan = native.make_plan(plan, self._encodings <= UTF8) if native is not None else None

    def cut(self, body: bytes) -> CutLists:
        """Find the records of every list of the layout, as far as the page has it."""
        if native is None:
            return CutLists("doubt", why=MISSING)
        results: list[_Result] = list(native.cut_fields(self._plan, body, True))
        at = 1
        lists: list[CutRecords] = []
        taken: list[Span] = []  # records of lists before
        for number, rules in enumerate(self._lists):
            end = at + 1 + len(self._literals[number])
            spans, parts, outside, why = _place(body, rules, self._literals[number], results[at], results[at + 1 : end])
            if why:
                return CutLists("doubt", why=why)
            why = judge_count(rules, len(spans)) or judge_outside(rules, outside)
            why = why or judge_cells(body, self._names[number], spans)
            if not why and rules.tight and find_lookalike(body, self._names[number], spans):
                why = LOOKALIKE
            if why:
                return CutLists("strange", why=why)
            free = [spans[i] for i in leave_taken(spans, taken)]
            if len(free) > 1:  # one alone is no list
                lists.append(CutRecords(number, tuple(free), _inside(parts, free)))
            at = end
        if not lists:
            return CutLists("strange", why="no records begin as learned")
        base = results[0]
        if base[0] == "doubt" or base[0] == "raw" or not has_one_spelling(body):
            return CutLists("doubt", why="the base address is not certain")
        codec = "utf-8"
        if any(result[0] == "raw" for result in results):
            spans = tuple(span for record_list in lists for span in record_list.spans)
            codec = page_codec(body, spans, self._encodings) or ""
            if not codec:
                return CutLists("doubt", why="its encoding is not certain")
        return CutLists("cut", tuple(lists), "", base[1][0] if base[1] else "", codec)


def has_one_spelling(body: bytes) -> bool:
    """Say whether all tags like that of the base are spelled alike: otherwise another than the first might be taken."""
    number = body.lower().count(_BASES[0])
    return any(body.count(literal) == number for literal in _BASES)


def _inside(parts: tuple[Span, ...], spans: list[Span]) -> tuple[Span, ...]:
    starts = [start for start, _ in spans]
    return tuple(part for part in parts if (at := bisect_right(starts, part[0])) and part[1] <= spans[at - 1][1])


def _place(
    body: bytes, rules: ListRules, literals: tuple[bytes, ...], holder: _Result, found: list[_Result]
) -> _Placed:
    """Return the ranges of the records inside the holder, or why they are in doubt."""
    first, last = -1, len(body)
    if rules.holder:
        if holder[0] not in ("flow", "raw") or holder[2] is None:
            missing = (holder[0] == "absent" or holder[3] == NO_VOTE) and not rules.is_expected
            return (), (), 0, "" if missing else f"the element around the records: {holder[3]}"
        first, last = holder[2]
    every: dict[Span, bool] = {}
    elsewhere: set[int] = set()
    for literal, (state, spans, _, why, _) in zip(literals, found, strict=True):
        if state == "doubt":
            return (), (), 0, why
        if len(spans) >= _MOST:
            return (), (), 0, "too many records"
        is_head = literal in rules.heads
        for span in spans:
            if span[0] > first and span[1] <= last:
                every[span] = is_head or every.get(span, False)
            elif is_head:
                elsewhere.add(span[0])
    records, parts, why = _join(body, every)
    return records, parts, len(elsewhere), why


def _join(body: bytes, every: dict[Span, bool]) -> tuple[tuple[Span, ...], tuple[Span, ...], str]:
    """Join the outermost elements to records, each from one head to the last member before the next."""
    records: list[Span] = []
    parts: list[Span] = []
    behind = 0
    for span in sorted(every, key=lambda span: (span[0], -span[1])):
        if span[0] < behind:
            continue
        behind = span[1]
        if every[span]:
            records.append(span)
        elif not records:
            continue
        else:
            start, end = records[-1]
            if b"<" in body[end : span[0]]:
                return (), (), "something stands between the parts of a record"
            records[-1] = (start, span[1])
        parts.append(span)
    return tuple(records), tuple(parts), ""


_LEAD = b"<!DOCTYPE html><body>"
_BOX = (b"<div>", b"</div>")
# what parts of tables need around them
_BOXES = {
    "tr": (b"<table><tbody>", b"</tbody></table>"),
    "td": (b"<table><tbody><tr>", b"</tr></tbody></table>"),
    "th": (b"<table><tbody><tr>", b"</tr></tbody></table>"),
    "tbody": (b"<table>", b"</table>"),
    "thead": (b"<table>", b"</table>"),
    "tfoot": (b"<table>", b"</table>"),
}


class RecordCutter:
    """Cuts and reads the records of pages of one layout."""

    def __init__(self, layout: Layout) -> None:
        self._rules = layout.lists
        self._cutter = ListCutter(layout)
        self._readers = [EntryReader(rules.columns) for rules in layout.lists]
        self._flows: dict[str, Flow] = {}

    def find(self, body: bytes) -> CutLists:
        """Find the records of a page without reading them."""
        return self._cutter.cut(body)

    def read(self, body: bytes, cut: CutLists, url: Url | None = None) -> tuple[RecordList, ...] | None:
        """Read the records that were found; None where only the page's tree can tell what is in them."""
        base = (absolute(cut.base, url) if cut.base else None) or url
        lists: list[RecordList] = []
        for found in cut.lists:
            rules = self._rules[found.number]
            if not self._are_sure(body, found.parts, cut.codec):
                return None
            parts = [recode(body[start:end], cut.codec) for start, end in found.spans]
            page = parse_parts(parts, base)
            places = _records_in(page.elements, parts) if page is not None else None
            if page is None or places is None:
                return None
            records = read_entries(page, self._readers[found.number], *places)
            lists.append(name_list(records, rules))
        return tuple(lists)

    def _are_sure(self, body: bytes, spans: Sequence[Span], codec: str) -> bool:
        """Say whether the elements mean on their own what they mean in the page."""
        flow = self._flows.get(codec)
        if flow is None:
            flow = self._flows[codec] = Flow(encoding=codec)
        return all(flow.text(body, *span) is not None for span in spans)


def name_list(records: tuple[Record, ...], rules: ListRules) -> RecordList:
    """Return the list of records that were read by rules."""
    names = tuple(column.name for column in rules.columns)
    return RecordList(records, names, rules.kind, rules.score / 1_000, rules.pattern)


def parse_parts(parts: Sequence[bytes], base: Url | None) -> Page | None:
    """Parse the sources of records, each in a box of its own; None where that takes something away."""
    lead, end = _BOXES.get(root_name(parts[0]), _BOX)
    source = _LEAD + b"".join([lead + part + end for part in parts])
    if len(source) > LIMITS.body_bytes:
        return None
    tree, losses = parse(source)
    if losses:
        return None
    page = Page("", base).with_tree(tree)
    page.__dict__["base"] = base  # which is known: records have no head to look it up in
    return page


def _records_in(elements: Elements, parts: Sequence[bytes]) -> tuple[list[Range], list[Range]] | None:
    """Return rows and leaves of the records, or None where the boxes do not hold one each."""
    boxes = elements.children(elements.tag.index("body")) if "body" in elements.tag else []
    if len(boxes) != len(parts):
        return None
    depth = _BOXES.get(root_name(parts[0]), _BOX)[0].count(b"<")
    rows: list[Range] = []
    leaves: list[Range] = []
    for box, part in zip(boxes, parts, strict=True):
        for _ in range(depth - 1):
            box += 1
        first, last = box + 1, elements.end[box]
        if first >= last or elements.tag[first] != root_name(part):
            return None
        rows.append((first, last))
        leaves.append((elements.leaf_start[box], elements.leaf_end[box]))
    return rows, leaves


def recode(part: bytes, codec: str) -> bytes:
    """Return a part of a page as UTF-8."""
    return part if codec == "utf-8" else part.decode(codec, "replace").encode("utf-8", "replace")
